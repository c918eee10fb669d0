// tests/support/articulated.hpp: forward dynamics of chains and trees of revolute joints, written by hand, as fast as a careful programmer
// makes it: what Kron's own code is measured against.
//   The articulated-body algorithm [Featherstone 2008, table 7.1], in body coordinates at the joint. Inertias are kept as blocks
//   [J H; H' M]; joint axes are coordinate axes known at compile time, so rotations are plane ones, and the zero row that a joint
//   leaves in J and H is not computed with. Linear cost, no allocation.
#pragma once
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

namespace kron::test {

using Vector = std::array<double, 3>;

struct Symmetric {
  double x[6];  // 00 01 02 11 12 22
  static constexpr int at(int i, int j) { return i > j ? at(j, i) : i == 0 ? j : i + j + 1; }
  double& operator()(int i, int j) { return x[at(i, j)]; }
  double operator()(int i, int j) const { return x[at(i, j)]; }
};
struct Matrix {
  double x[3][3];
};

struct ArticulatedBody {
  int parent = -1, axis = 2;
  Vector r{};             // of its joint, in the parent's coordinates
  double m = 1;
  Vector c{};             // centre of mass, from the joint
  Symmetric J{};          // inertia about the joint
};

// Per body: what the passes hand on.
struct ArticulatedState {
  double s, c;
  Vector w, v;            // velocity
  Vector cw, cv;          // velocity product acceleration
  Symmetric J, M;
  Matrix H;
  Vector n, f;            // bias force
  Vector Un, Uf;
  double d, u;
  Vector aw, av;
};

struct ArticulatedModel {
  std::vector<ArticulatedBody> bodies;
  Vector gravity{};       // acceleration
};

namespace articulated {

inline Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// The plane of axis A is spanned by i and j.
template <int A>
struct Plane {
  static constexpr int i = (A + 1) % 3, j = (A + 2) % 3;
};

template <int A>
inline Vector to_child(double s, double c, const Vector& x) {
  constexpr int i = Plane<A>::i, j = Plane<A>::j;
  Vector y = x;
  y[i] = c * x[i] + s * x[j];
  y[j] = c * x[j] - s * x[i];
  return y;
}
template <int A>
inline Vector to_parent(double s, double c, const Vector& x) {
  return to_child<A>(-s, c, x);
}

template <int A>
inline void velocity(const ArticulatedBody& b, ArticulatedState& k, const Vector& pw, const Vector& pv, double q, double dq) {
  constexpr int i = Plane<A>::i, j = Plane<A>::j;
  k.s = std::sin(q);
  k.c = std::cos(q);
  const Vector t = cross(pw, b.r);
  k.w = to_child<A>(k.s, k.c, pw);
  k.v = to_child<A>(k.s, k.c, {pv[0] + t[0], pv[1] + t[1], pv[2] + t[2]});
  k.cw = k.cv = {};
  k.cw[i] = k.w[j] * dq;
  k.cw[j] = -k.w[i] * dq;
  k.cv[i] = k.v[j] * dq;
  k.cv[j] = -k.v[i] * dq;
  k.w[A] += dq;
  // I v, then v x* I v; H = m c~, M = m
  const Vector wc = cross(k.w, b.c), cv = cross(b.c, k.v);
  Vector f, n;
  for (int a = 0; a < 3; ++a) {
    f[a] = b.m * (k.v[a] + wc[a]);
    n[a] = b.J(a, 0) * k.w[0] + b.J(a, 1) * k.w[1] + b.J(a, 2) * k.w[2] + b.m * cv[a];
  }
  const Vector wn = cross(k.w, n), vf = cross(k.v, f);
  k.f = cross(k.w, f);
  for (int a = 0; a < 3; ++a) k.n[a] = wn[a] + vf[a];
  k.J = b.J;
  k.M = {b.m, 0, 0, b.m, 0, b.m};
  k.H = {{{0, -b.m * b.c[2], b.m * b.c[1]}, {b.m * b.c[2], 0, -b.m * b.c[0]}, {-b.m * b.c[1], b.m * b.c[0], 0}}};
}

// The joint takes its row out, what is left goes to the parent.
template <int A>
inline void reduce(ArticulatedState& k) {
  for (int a = 0; a < 3; ++a) k.Un[a] = k.J(a, A), k.Uf[a] = k.H.x[A][a];
  k.d = 1 / k.J(A, A);
  k.u = -k.n[A];
}

template <int A>
inline void hand_on(const ArticulatedBody& b, const ArticulatedState& k, ArticulatedState& p) {
  constexpr int i = Plane<A>::i, j = Plane<A>::j;
  const double s = k.s, c = k.c, gi = k.Un[i] * k.d, gj = k.Un[j] * k.d;
  const double Jii = k.J(i, i) - gi * k.Un[i], Jij = k.J(i, j) - gi * k.Un[j], Jjj = k.J(j, j) - gj * k.Un[j];
  double Hi[3], Hj[3];
  for (int a = 0; a < 3; ++a) Hi[a] = k.H.x[i][a] - gi * k.Uf[a], Hj[a] = k.H.x[j][a] - gj * k.Uf[a];
  Symmetric M;
  for (int a = 0; a < 3; ++a)
    for (int e = a; e < 3; ++e) M(a, e) = k.M(a, e) - k.Uf[a] * k.d * k.Uf[e];
  // bias with the velocity product; cw, cv have no component along the axis
  const double ud = k.u * k.d;
  Vector n{}, f;
  n[A] = k.n[A] + k.Un[A] * ud;  // zero
  n[i] = k.n[i] + Jii * k.cw[i] + Jij * k.cw[j] + Hi[i] * k.cv[i] + Hi[j] * k.cv[j] + k.Un[i] * ud;
  n[j] = k.n[j] + Jij * k.cw[i] + Jjj * k.cw[j] + Hj[i] * k.cv[i] + Hj[j] * k.cv[j] + k.Un[j] * ud;
  for (int a = 0; a < 3; ++a)
    f[a] = k.f[a] + Hi[a] * k.cw[i] + Hj[a] * k.cw[j] + M(a, i) * k.cv[i] + M(a, j) * k.cv[j] + k.Uf[a] * ud;
  // turned to the parent's coordinates
  const double cc = c * c, ss = s * s, cs = c * s;
  Symmetric J{};
  J(i, i) = cc * Jii - 2 * cs * Jij + ss * Jjj;
  J(j, j) = ss * Jii + 2 * cs * Jij + cc * Jjj;
  J(i, j) = cs * (Jii - Jjj) + (cc - ss) * Jij;
  Symmetric N;
  N(A, A) = M(A, A);
  N(A, i) = c * M(A, i) - s * M(A, j);
  N(A, j) = s * M(A, i) + c * M(A, j);
  N(i, i) = cc * M(i, i) - 2 * cs * M(i, j) + ss * M(j, j);
  N(j, j) = ss * M(i, i) + 2 * cs * M(i, j) + cc * M(j, j);
  N(i, j) = cs * (M(i, i) - M(j, j)) + (cc - ss) * M(i, j);
  Matrix H{};
  double ti[3], tj[3];
  for (int a = 0; a < 3; ++a) ti[a] = c * Hi[a] - s * Hj[a], tj[a] = s * Hi[a] + c * Hj[a];
  H.x[i][A] = ti[A], H.x[i][i] = c * ti[i] - s * ti[j], H.x[i][j] = s * ti[i] + c * ti[j];
  H.x[j][A] = tj[A], H.x[j][i] = c * tj[i] - s * tj[j], H.x[j][j] = s * tj[i] + c * tj[j];
  n = to_parent<A>(s, c, n);
  f = to_parent<A>(s, c, f);
  // moved by r: G = H + r~ N, J - H r~ + r~ G'
  const Vector& r = b.r;
  Matrix G;
  for (int e = 0; e < 3; ++e) {
    G.x[0][e] = H.x[0][e] + r[1] * N(2, e) - r[2] * N(1, e);
    G.x[1][e] = H.x[1][e] + r[2] * N(0, e) - r[0] * N(2, e);
    G.x[2][e] = H.x[2][e] + r[0] * N(1, e) - r[1] * N(0, e);
  }
  for (int a = 0; a < 3; ++a)
    for (int e = a; e < 3; ++e) {
      const int e1 = (e + 1) % 3, e2 = (e + 2) % 3, a1 = (a + 1) % 3, a2 = (a + 2) % 3;
      p.J(a, e) += J(a, e) - (H.x[a][e1] * r[e2] - H.x[a][e2] * r[e1]) + (r[a1] * G.x[e][a2] - r[a2] * G.x[e][a1]);
    }
  for (int a = 0; a < 3; ++a)
    for (int e = 0; e < 3; ++e) p.H.x[a][e] += G.x[a][e];
  for (int a = 0; a < 6; ++a) p.M.x[a] += N.x[a];
  const Vector rf = cross(r, f);
  for (int a = 0; a < 3; ++a) p.n[a] += n[a] + rf[a], p.f[a] += f[a];
}

template <int A>
inline double acceleration(const ArticulatedBody& b, ArticulatedState& k, const Vector& pw, const Vector& pv) {
  const Vector t = cross(pw, b.r);
  k.aw = to_child<A>(k.s, k.c, pw);
  k.av = to_child<A>(k.s, k.c, {pv[0] + t[0], pv[1] + t[1], pv[2] + t[2]});
  double sum = k.u;
  for (int a = 0; a < 3; ++a) {
    k.aw[a] += k.cw[a];
    k.av[a] += k.cv[a];
    sum -= k.Un[a] * k.aw[a] + k.Uf[a] * k.av[a];
  }
  const double ddq = sum * k.d;
  k.aw[A] += ddq;
  return ddq;
}

template <class F>
inline auto with_axis(int axis, F&& f) {
  if (axis == 2) return f(std::integral_constant<int, 2>());
  if (axis == 1) return f(std::integral_constant<int, 1>());
  return f(std::integral_constant<int, 0>());
}

}  // namespace articulated

inline void articulated_accelerations(const ArticulatedModel& model, ArticulatedState* k, const double* q, const double* dq, double* ddq) {
  using namespace articulated;
  const auto n = static_cast<int>(model.bodies.size());
  const ArticulatedBody* b = model.bodies.data();
  constexpr Vector zero{};
  for (int i = 0; i < n; ++i) {
    const Vector &pw = b[i].parent < 0 ? zero : k[b[i].parent].w, &pv = b[i].parent < 0 ? zero : k[b[i].parent].v;
    with_axis(b[i].axis, [&](auto a) { velocity<a.value>(b[i], k[i], pw, pv, q[i], dq[i]); });
  }
  for (int i = n; i-- > 0;)
    with_axis(b[i].axis, [&](auto a) {
      reduce<a.value>(k[i]);
      if (b[i].parent >= 0) hand_on<a.value>(b[i], k[i], k[b[i].parent]);
    });
  const Vector up{-model.gravity[0], -model.gravity[1], -model.gravity[2]};
  for (int i = 0; i < n; ++i) {
    const Vector &pw = b[i].parent < 0 ? zero : k[b[i].parent].aw, &pv = b[i].parent < 0 ? up : k[b[i].parent].av;
    ddq[i] = with_axis(b[i].axis, [&](auto a) { return acceleration<a.value>(b[i], k[i], pw, pv); });
  }
}

}  // namespace kron::test
