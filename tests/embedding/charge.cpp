// Kron as a C++ library: a circuit as text, then the same charging curve as equations in C++.
#include <cmath>
#include <cstdio>

#include "engine/session/model.hpp"
#include "lang/workspace/kron.hpp"

namespace {

constexpr const char* circuit = R"(
connector Pin
  potential v : V
  flow i : A
end
partial model OnePort
  p, n : Pin
  variable v : V = p.v - n.v
  variable i : A = p.i
  p.i + n.i = 0
end
model Source extends OnePort
  parameter V : V = 10
  v = V
end
model Resistor extends OnePort
  parameter R : Ohm = 1
  R * i = v
end
model Capacitor extends OnePort(v(start = 0, fixed))
  parameter C : F = 1
  C * der(v) = i
end
model Ground
  p : Pin
  p.v = 0
end
s : Source
r : Resistor(R = 1 [kOhm])
c : Capacitor(C = 1 [uF])
g : Ground
connect s.p, r.p
connect r.n, c.p
connect c.n, s.n, g.p
)";

int report(const char* what, double value, double expected) {
  std::printf("%s: %.6f, expected %.6f\n", what, value, expected);
  return std::abs(value - expected) < 1e-5 ? 0 : 1;
}

int text() {
  kron::Session session;
  if (!session.run_text(circuit) || !session.simulate({.stop = 1e-3, .tolerance = 1e-9})) {
    for (const kron::Diagnostic& d : session.diagnostics().list()) std::fputs(kron::render(d).c_str(), stderr);
    return 1;
  }
  int failed = report("c.v after R*C", session.value("c.v").value_or(0), 10 * (1 - std::exp(-1)));
  session.set_parameter("r.R", 2000);  // no new analysis
  session.simulate({.stop = 1e-3, .tolerance = 1e-9});
  failed += report("with twice the resistance", session.value("c.v").value_or(0), 10 * (1 - std::exp(-0.5)));
  return failed;
}

int equations() {
  kron::Model m;
  const auto v = m.variable("v", {.start = 0, .fixed = true});
  const auto tau = m.parameter("tau", 1e-3);
  m.add(tau * kron::der(v) == 10 - v);

  kron::session::Engine engine;
  const auto analysis = engine.analyse(m.blueprint(), {});
  kron::Diagnostics trouble;
  const auto problem = engine.problem(analysis, {}, trouble);
  const auto result = kron::simulate::simulate(problem, {.stop = 1e-3, .tolerance = 1e-9});
  return report("v after tau", result.trajectory.state(result.trajectory.size() - 1)[0], 10 * (1 - std::exp(-1)));
}

}  // namespace

int main() { return text() + equations(); }
