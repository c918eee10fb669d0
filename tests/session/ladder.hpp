// An RC ladder as blueprints, made by hand: what the language makes of `r[n] : Resistor`, `c[n] : Capacitor`, a source, a ground.
#pragma once
#include "tests/support/blueprints.hpp"

namespace kron::test {

// kind: resistor R·i = v, capacitor C·der(v) = i, source v = sin(2π·t), ground.
inline std::shared_ptr<const Blueprint> one_port(char kind) {
  Maker m(kind == 'r' ? "Resistor" : kind == 'c' ? "Capacitor" : "SineVoltage");
  const auto v = m.own("v", Variability::continuous, kind == 'c' ? SlotFlag::fixed : 0), i = m.own("i");
  const auto k = m.own(kind == 'r' ? "R" : kind == 'c' ? "C" : "V", Variability::parameter);
  const auto p = m.child("p", {}, pin()), n = m.child("n", {}, pin());
  m.equation(m.v(v), m.e.sub(m.v(p), m.v(n)));
  m.equation(m.v(i), m.v(p + 1));
  m.equation(m.e.add(m.v(p + 1), m.v(n + 1)), m.e.literal(0));
  if (kind == 'r') m.equation(m.e.mul(m.v(k), m.v(i)), m.v(v));
  if (kind == 'c') m.equation(m.e.mul(m.v(k), m.v(v, 1)), m.v(i));
  if (kind == 's')
    m.equation(m.v(v), m.e.mul(m.v(k), m.e.call(Fn::sin, {m.e.mul(m.e.mul(m.e.literal(2), m.e.operand(Operand::constant(pi_id()))),
                                                                 m.e.operand(Operand::time()))})));
  m.binding(BindingKind::value, k, m.e.literal(1));
  return m.done();
}

inline std::shared_ptr<const Blueprint> ladder(std::uint32_t n) {
  Maker m("ladder");
  const auto resistor = one_port('r'), capacitor = one_port('c');
  const auto s = m.child("s", {}, one_port('s'));
  Maker g("Ground");
  const auto gp = g.child("p", {}, pin());
  g.equation(g.v(gp), g.e.literal(0));
  const auto ground = m.child("g", {}, g.done());
  std::vector<std::uint32_t> r, c;
  for (std::uint32_t k = 1; k <= n; ++k) r.push_back(m.child("r", {k}, resistor));
  for (std::uint32_t k = 1; k <= n; ++k) c.push_back(m.child("c", {k}, capacitor));
  auto connect = [&](std::uint32_t a, std::uint32_t b) { m.connect({{a, b}}, {{{a + 1, false}, {b + 1, false}}}); };  // pins by slot
  const std::uint32_t P = 3, N = 5;  // slots of p and n inside a one-port
  connect(s + P, r[0] + P);
  connect(s + N, ground);
  for (std::uint32_t k = 0; k < n; ++k) {
    connect(r[k] + N, c[k] + P);
    connect(c[k] + N, ground);
    if (k + 1 < n) connect(r[k] + N, r[k + 1] + P);
  }
  return m.done();
}

}  // namespace kron::test
