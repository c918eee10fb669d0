#include "tests/mechanics/tree.hpp"

#include <cmath>
#include <utility>

namespace mechanics {

Vector operator+(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector operator-(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vector operator*(double s, const Vector& a) { return {s * a[0], s * a[1], s * a[2]}; }
double operator*(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) { return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}; }
Vector operator*(const Matrix& m, const Vector& a) { return {m[0] * a, m[1] * a, m[2] * a}; }
Matrix transposed(const Matrix& m) {
  return {{{m[0][0], m[1][0], m[2][0]}, {m[0][1], m[1][1], m[2][1]}, {m[0][2], m[1][2], m[2][2]}}};
}
Matrix operator*(const Matrix& a, const Matrix& b) {
  const Matrix t = transposed(b);
  return {{{a[0] * t[0], a[0] * t[1], a[0] * t[2]}, {a[1] * t[0], a[1] * t[1], a[1] * t[2]}, {a[2] * t[0], a[2] * t[1], a[2] * t[2]}}};
}
Vector unit(const Vector& a) { return (1 / std::sqrt(a * a)) * a; }

Matrix rotation(const Vector& e, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  Matrix m;
  for (std::size_t i = 0; i < 3; ++i) {
    Vector column{};
    column[i] = 1;
    const Vector turned = c * column - s * cross(e, column) + ((1 - c) * e[i]) * e;
    for (std::size_t k = 0; k < 3; ++k) m[k][i] = turned[k];
  }
  return m;
}

namespace {

Matrix into(const Link& l) { return l.joint.prismatic ? l.turn : rotation(l.joint.axis, l.joint.q) * l.turn; }
Vector origin(const Link& l) { return l.joint.prismatic ? l.position + transposed(l.turn) * (l.joint.q * l.joint.axis) : l.position; }

}  // namespace

std::vector<Motion> Tree::motions(const std::vector<double>& accelerations) const {
  std::vector<Motion> list;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& l = links[i];
    const Motion before = l.parent < 0 ? Motion{{}, {}, -1 * gravity} : list[static_cast<std::size_t>(l.parent)];
    const Matrix R = into(l);
    const Vector r = origin(l), &e = l.joint.axis;
    Motion m{R * before.w, R * before.z, R * (before.a + cross(before.z, r) + cross(before.w, cross(before.w, r)))};
    if (l.joint.prismatic) {
      m.a = m.a + (2 * l.joint.speed) * cross(m.w, e) + accelerations[i] * e;
    } else {
      m.z = m.z + l.joint.speed * cross(m.w, e) + accelerations[i] * e;
      m.w = m.w + l.joint.speed * e;
    }
    list.push_back(m);
  }
  return list;
}

std::vector<double> Tree::forces(const std::vector<double>& accelerations) const {
  const std::vector<Motion> motion = motions(accelerations);
  std::vector<Vector> f(links.size(), Vector{}), t = f;
  for (const Mass& b : masses) {
    const Motion& m = motion[b.link];
    const Vector force = b.mass * (m.a + cross(m.z, b.centre) + cross(m.w, cross(m.w, b.centre)));
    f[b.link] = f[b.link] + force;
    t[b.link] = t[b.link] + b.inertia * m.z + cross(m.w, b.inertia * m.w) + cross(b.centre, force);
  }
  std::vector<double> out(links.size());
  for (std::size_t i = links.size(); i-- > 0;) {
    const Link& l = links[i];
    out[i] = l.joint.axis * (l.joint.prismatic ? f[i] : t[i]);
    if (l.parent < 0) continue;
    const auto p = static_cast<std::size_t>(l.parent);
    const Matrix back = transposed(into(l));
    const Vector force = back * f[i];
    f[p] = f[p] + force;
    t[p] = t[p] + back * t[i] + cross(origin(l), force);
  }
  return out;
}

std::vector<double> Tree::accelerations() const {
  const std::size_t n = links.size();
  std::vector<double> zero(n, 0), right = forces(zero);
  std::vector<std::vector<double>> m(n, std::vector<double>(n));
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> one = zero;
    one[j] = 1;
    const std::vector<double> column = forces(one);
    for (std::size_t i = 0; i < n; ++i) m[i][j] = column[i] - right[i];
  }
  for (std::size_t i = 0; i < n; ++i) right[i] = links[i].joint.force - right[i];
  for (std::size_t k = 0; k < n; ++k) {  // symmetric and positive definite: no pivoting
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = m[i][k] / m[k][k];
      for (std::size_t j = k; j < n; ++j) m[i][j] -= factor * m[k][j];
      right[i] -= factor * right[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) right[k] -= m[k][j] * right[j];
    right[k] /= m[k][k];
  }
  return right;
}

}  // namespace mechanics
