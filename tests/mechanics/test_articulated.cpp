// The hand-written articulated-body algorithm against the Newton-Euler equations of each body, in world coordinates: with the accelerations
// it gives, no joint needs a torque.
#include <doctest/doctest.h>

#include <random>

#include "tests/support/articulated.hpp"

using namespace kron::test;

namespace {

struct Rotation {
  double x[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  Vector operator*(const Vector& v) const {
    Vector y{};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) y[i] += x[i][j] * v[j];
    return y;
  }
  Vector back(const Vector& v) const {
    Vector y{};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) y[i] += x[j][i] * v[j];
    return y;
  }
  Rotation turned(int axis, double q) const {
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    Rotation r = *this;
    for (int a = 0; a < 3; ++a) {
      r.x[a][i] = x[a][i] * std::cos(q) + x[a][j] * std::sin(q);
      r.x[a][j] = x[a][j] * std::cos(q) - x[a][i] * std::sin(q);
    }
    return r;
  }
};
Vector operator+(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector operator-(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vector operator*(double s, const Vector& b) { return {s * b[0], s * b[1], s * b[2]}; }
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

struct Moving {
  Rotation R;
  Vector p{}, w{}, alpha{}, a{};  // joint: position, angular velocity and acceleration of the body, acceleration
  Vector force{}, moment{};       // through the joint, about it
};

// The largest torque that joints would need, and the largest moment.
std::pair<double, double> torques(const ArticulatedModel& m, const std::vector<double>& q, const std::vector<double>& dq, const std::vector<double>& ddq) {
  std::vector<Moving> k(m.bodies.size());
  for (std::size_t i = 0; i < k.size(); ++i) {
    const ArticulatedBody& b = m.bodies[i];
    const Moving ground, &up = b.parent < 0 ? ground : k[static_cast<std::size_t>(b.parent)];
    const Vector r = up.R * b.r;
    k[i].R = up.R.turned(b.axis, q[i]);
    Vector axis{};
    axis[static_cast<std::size_t>(b.axis)] = 1;
    const Vector e = k[i].R * axis;
    k[i].p = up.p + r;
    k[i].w = up.w + dq[i] * e;
    k[i].alpha = up.alpha + ddq[i] * e + dq[i] * articulated::cross(up.w, e);
    k[i].a = up.a + articulated::cross(up.alpha, r) + articulated::cross(up.w, articulated::cross(up.w, r));
  }
  double largest = 0, scale = 0;
  for (std::size_t i = k.size(); i-- > 0;) {
    const ArticulatedBody& b = m.bodies[i];
    Moving& x = k[i];
    const Vector c = x.R * b.c;
    const auto inertia = [&](const Vector& v) {  // about the joint
      const Vector l = x.R.back(v);
      Vector y{};
      for (int s = 0; s < 3; ++s)
        for (int t = 0; t < 3; ++t) y[static_cast<std::size_t>(s)] += b.J(s, t) * l[static_cast<std::size_t>(t)];
      return x.R * y;
    };
    const Vector at_mass = x.a + articulated::cross(x.alpha, c) + articulated::cross(x.w, articulated::cross(x.w, c));
    x.force = x.force + b.m * (at_mass - m.gravity);
    x.moment = x.moment + inertia(x.alpha) + articulated::cross(x.w, inertia(x.w)) + b.m * articulated::cross(c, x.a - m.gravity);
    Vector axis{};
    axis[static_cast<std::size_t>(b.axis)] = 1;
    largest = std::max(largest, std::fabs(dot(x.R * axis, x.moment)));
    scale = std::max(scale, std::sqrt(dot(x.moment, x.moment)));
    if (b.parent < 0) continue;
    Moving& up = k[static_cast<std::size_t>(b.parent)];
    up.force = up.force + x.force;
    up.moment = up.moment + x.moment + articulated::cross(x.p - up.p, x.force);
  }
  return {largest, scale};
}

}  // namespace

TEST_CASE("articulated bodies by hand: the Newton-Euler equations hold") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> u(-1, 1);
  for (const int n : {1, 2, 3, 6, 10, 30})
    for (const bool tree : {false, true}) {
      CAPTURE(n);
      CAPTURE(tree);
      ArticulatedModel m;
      m.gravity = {0.3, -9.81, 1};
      for (int i = 0; i < n; ++i) {
        ArticulatedBody b;
        b.parent = tree ? (i + 1) / 2 - 1 : i - 1;
        b.axis = static_cast<int>(random() % 3);
        b.m = 1 + u(random) / 2;
        for (std::size_t a = 0; a < 3; ++a) b.r[a] = u(random), b.c[a] = u(random) / 2;
        double L[3][3];
        for (auto& row : L)
          for (double& x : row) x = u(random);
        for (int a = 0; a < 3; ++a)
          for (int e = a; e < 3; ++e) {  // L L' + 0.1 about the centre of mass, moved to the joint
            double s = a == e ? 0.1 : 0;
            for (int t = 0; t < 3; ++t) s += L[a][t] * L[e][t];
            const double cc = b.c[0] * b.c[0] + b.c[1] * b.c[1] + b.c[2] * b.c[2];
            b.J(a, e) = s + b.m * ((a == e ? cc : 0) - b.c[static_cast<std::size_t>(a)] * b.c[static_cast<std::size_t>(e)]);
          }
        m.bodies.push_back(b);
      }
      std::vector<double> q, dq, ddq(static_cast<std::size_t>(n));
      for (int i = 0; i < n; ++i) q.push_back(3 * u(random)), dq.push_back(u(random));
      std::vector<ArticulatedState> states(static_cast<std::size_t>(n));
      articulated_accelerations(m, states.data(), q.data(), dq.data(), ddq.data());
      const auto [torque, scale] = torques(m, q, dq, ddq);
      CHECK(torque < 1e-11 * scale);  // rounding of some hundred operations a body
    }
}
