// tests/simulate/problems.hpp: small models written straight onto a tape, with closed forms where they have them.
#pragma once
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "engine/code/program.hpp"
#include "engine/simulate/simulate.hpp"

namespace problems {

using kron::Fn;
using kron::Rational;
using kron::code::Builder;
using kron::code::InputKind;
using kron::code::Ref;

// A tape being written: states, time, parameters; then the derivatives (and outputs).
struct Model {
  Builder b;
  kron::code::Roots roots;
  std::vector<double> starts, parameters;

  Ref state(double start) {
    starts.push_back(start);
    const auto i = static_cast<std::uint32_t>(starts.size() - 1);
    return b.input(InputKind::state, i, 1000 + i);
  }
  Ref parameter(double value) {
    parameters.push_back(value);
    const auto i = static_cast<std::uint32_t>(parameters.size() - 1);
    return b.input(InputKind::parameter, i, 500000 + i);
  }
  Ref time() { return b.input(InputKind::time, 0, 1); }
  Ref number(double x) { return b.constant(x); }
  void der(Ref r) { roots.derivative.push_back(r); }
  void output(Ref r) { roots.output.push_back(r); }

  kron::simulate::Problem problem() const {
    kron::simulate::Problem p;
    p.dynamics = kron::code::compile(b, roots);
    p.parameters = parameters;
    p.starts = starts;
    p.nominal.assign(starts.size(), 1.0);
    p.state_name = [](std::size_t i) { return "x" + std::to_string(i + 1); };
    return p;
  }
};

inline Model decay(double rate) {  // y' = -rate*y, y(0) = 1
  Model m;
  const Ref y = m.state(1);
  m.der(-m.b.mul(m.parameter(rate), y));
  return m;
}

inline Model oscillator(double omega = 1) {  // x'' = -omega^2 x: cos(omega t), -omega*sin(omega t)
  Model m;
  const Ref x = m.state(1), v = m.state(0), w = m.parameter(omega);
  m.der(v);
  m.der(-m.b.mul(m.b.mul(w, w), x));
  return m;
}

inline Model robertson() {
  Model m;
  const Ref a = m.state(1), c = m.state(0), d = m.state(0);
  const Ref slow = m.b.mul(m.number(0.04), a), middle = m.b.mul(m.number(1e4), m.b.mul(c, d)),
            fast = m.b.mul(m.number(3e7), m.b.mul(c, c));
  m.der(m.b.sub(middle, slow));
  m.der(m.b.sub(m.b.sub(slow, middle), fast));
  m.der(fast);
  return m;
}

inline Model van_der_pol(double mu) {
  Model m;
  const Ref x = m.state(2), v = m.state(0), k = m.parameter(mu);
  m.der(v);
  m.der(m.b.sub(m.b.mul(k, m.b.mul(m.b.sub(kron::code::one, m.b.mul(x, x)), v)), x));
  return m;
}

inline Model kepler(double e) {  // period 2*pi, starts at the pericentre
  Model m;
  const Ref x = m.state(1 - e), y = m.state(0), u = m.state(0), v = m.state(std::sqrt((1 + e) / (1 - e)));
  const Ref r2 = m.b.add(m.b.mul(x, x), m.b.mul(y, y));
  const Ref r3 = m.b.mul(r2, m.b.call(Fn::sqrt, {r2}));
  m.der(u);
  m.der(v);
  m.der(-m.b.div(x, r3));
  m.der(-m.b.div(y, r3));
  return m;
}

// n capacitors in a row, each to its neighbours through a resistor: v_i' = (v_{i-1} - 2 v_i + v_{i+1})/(R C); v_0 = 1.
inline Model ladder(std::size_t n, double rate = 1) {
  Model m;
  std::vector<Ref> v;
  for (std::size_t i = 0; i < n; ++i) v.push_back(m.state(0));
  const Ref k = m.parameter(rate);
  for (std::size_t i = 0; i < n; ++i) {
    const Ref left = i == 0 ? kron::code::one : v[i - 1], right = i + 1 == n ? v[i] : v[i + 1];
    m.der(m.b.mul(k, m.b.add(m.b.sub(left, v[i]), m.b.sub(right, v[i]))));
  }
  return m;
}

inline kron::simulate::Options options(double stop, double tolerance, kron::simulate::Method method,
                                       std::size_t points = 100) {
  kron::simulate::Options o;
  o.stop = stop;
  o.tolerance = tolerance;
  o.method = method;
  o.points = points;
  return o;
}

}  // namespace problems
