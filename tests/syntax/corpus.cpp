#include "tests/syntax/support.hpp"

namespace kron::syntax::test {

const std::vector<Snippet>& corpus() {
  static const std::vector<Snippet> snippets = {
      {"parameter", "parameter R : Ohm = 100 \"resistance\""},
      {"sizes", "parameter axis[3] = {0, 0, 1}\nvariable T[3, 3]\nvariable a[n+1, 2*n]"},
      {"attributes", "variable x(start = 1, fixed, min = 0, state = always) : m"},
      {"attribute arrays", "variable x[2](start = {1, 0}, fixed = {true, false})"},
      {"binding", "variable v : m/s = der(x)"},
      {"units",
       "variable a : kg*m^2/(s^2*A)\nvariable b : 1/s\nvariable c : 1\nvariable d : (m/s)^-2\nvariable e : el.Kind"},
      {"several names", "variable x, y[2](start = 3), z : Real"},
      {"prefixes",
       "constant g = 9.81 [m/s^2]\ndiscrete count(start = 0) : Integer\ninput u : V\noutput y\nprivate variable aux\n"
       "private final parameter n = 3\nfinal constant k = 2\nouter world : World\nprivate outer w : World"},
      {"connector", "connector Pin \"electrical pin\"\n  potential v : V @hint(\"ground one pin\")\n  flow i : A\nend"},
      {"components",
       "p, n : Pin\nR1 : Resistor(R = 2 [kOhm]) if useR\nleg[4] : Leg(mass = 3)\nm : lib.Motor\nPI : PI(k = 1)"},
      {"component with value", "x : Real = 3\nR : Orientation = nullRotation()"},
      {"modifications",
       "c : C(R = 5, p.v(start = 2), sub(x = 3, y(fixed)), final n = 3, w(start = 0, fixed), leg[2].m = 1)"},
      {"replacement", "c : C(motor : electrical.DCMotor(J = 2, p : Pin), final load : Inertia)"},
      {"empty modifications", "c : C()"},
      {"array modification", "leg2[n] : Leg(mass = {1.0 + k for k in 1:n})"},
      {"enumeration", "enum Init NoInit, SteadyState, InitialState \"kinds\"\nvariable k : Init = Init.NoInit"},
      {"annotations",
       "parameter p = 1 \"doc\" @unit(\"s\", scale = 2) @hidden\nconnect a, b @line\nmodel M @icon(\"m.svg\")\nend"},
      {"model", "partial model OnePort \"two pins\"\n  p, n : Pin\n  variable v : V = p.v - n.v\n  p.i + n.i = 0\nend"},
      {"extends",
       "model Damped extends Base(k = 3), el.Other\n  \"doc\"\n  x = 1\nend Damped\nmodel B\n  extends A(x = 1), C "
       "\"why\"\nend"},
      {"doc lines", "model M\n  \"\"\"first line\n  second \"line\" with \\\\ and \\\"\"\"\"\n  variable x\nend"},
      {"short class", "model R1k = Resistor(R = 1000) \"a thousand\"\nconnector P = lib.Pin\nrecord Q = R"},
      {"record", "record Orientation\n  variable T[3, 3]\n  variable w[3] : rad/s\n  equal(a, b) = a.T - b.T\nend"},
      {"function",
       "function norm(v[:]) = sqrt(v * v)\nfunction one() = 1\nfunction f(axis[3], angle = 0, A[:, 2]) \"doc\"\n"
       "  c = cos(angle)\n  (s, t) = g(c)\n  return c * axis, s\nend f\nfunction g(n)\n  for k in 1:n\n    if k > 2\n      return k\n    end\n  end\n"
       "  return 0\nend"},
      {"use",
       "use electrical\nuse electrical as el\nuse rotational: Damper, Fixed\nuse \"my.eq\"\nuse \"a b.eq\" as ab: X"},
      {"equations", "m * der(v) = -d * v - k * x\nbalance :: J * a = tl - tr \"torque balance\"\nder(x, 2) = -x"},
      {"several results", "(x, y) = f(u)\nl :: (a[1], b.c) = f(u, v)"},
      {"connect", "connect a.n, b.p, c.p\nc1 :: connect r[k, j].n, r[k+1, j].p"},
      {"for",
       "for k in 1:n-1, j in {1, 3}\n  for i\n    connect r[k, j].n, r[k+1, i].p\n  end\nend\nl :: for k in 1:2\n  "
       "x[k] = 0\nend"},
      {"if", "if closed\n  connect a, b\nelseif half\n  a.i = 1\nelse\n  a.i = 0\nend\nif a then\n  x = 1\nend"},
      {"when",
       "when h < 0\n  reinit v = -e * v\nelsewhen sample(0, 0.1)\n  count = pre(count) + 1\nelsewhen count > 99\n"
       "  terminate \"counted enough\"\nend"},
      {"initial",
       "initial der(x) = 0\ninitial l :: x = 1\nl2 :: initial x = 2\ninitial for k in 1:3\n  x[k] = 0\nend\n"
       "initial if c\n  x = 1\nelse\n  y = 1\nend\ninitial\n  x = 1\n  z :: y = 2\nend"},
      {"initial call", "x = if initial() then 1 else 2\ny = terminal()"},
      {"assert",
       "assert R > 0, \"positive\", R, x + 1\nassert x > 0\nassert x > 1 at 0.5\nassert x > 1, \"m\" at t + 1\nl :: "
       "assert a, \"b\""},
      {"overdetermined", "branch a.R, b.R\nroot f.R\nroot f.R, 5\nx = if rooted(f.R) then 1 else 0"},
      {"edits",
       "R1.R := 200\nx.start := 3\na.b[2].k := 2 * p\ndelete R1\ndelete e3[2], R1.e1\ndelete connect a, b\ndelete "
       "connect a"},
      {"tear", "tear v\ntear v, e1\ntear der(v), R1.e1\ntear residue label\nuntear v\nuntear residue e3[2]"},
      {"marks", "relax(x) + 1 = residue(der(v)) * der(relax(e))"},
      {"experiment", "experiment start = 0, stop = 10, interval = 0.01, tolerance = 1e-6, method = bdf"},
      {"test",
       "test \"gears \\\"quoted\\\"\"\n  use rotational\n  load : Inertia(J = 2)\n  :simulate until 10\n  :plot "
       "load.w\n"
       "  assert abs(load.w - 2) < 1e-6, \"speed\"\nend"},
      {"commands", ":simulate until 10 points 500\n:plot (a.w - b.w) vs time to \"a;b//c.svg\"\n:quit"},
      {"operators", "ok = a or not b and c < d + e * -f^2 and (a or b)\nx = a .* b ./ c .^ d'"},
      {"if expression", "x = if a then b elseif c then d else if e then f else g\ny = 1 + (if a then 1 else 2)"},
      {"arrays",
       "a = {1, {2, 3}, {}}\nm = [1, 0; 0, 1]\nn = [m; zeros(3), ones(2)]\nt = {k^2 for k in 1:n}\ns = sum(f(k, j) for "
       "k in 1:n, j)"},
      {"ranges", "a = {i for i in 0:0.1:1}\nb = x[1:2] + y[1:2:end]\nc = A[:, 3]\nd = A[end, end-1]"},
      {"calls", "x = f(x)[1] + f(x).a.b[2] + f()[1, 2].c\ny = interpolate(x, xs = {1}, ys = {2})\nz = a.f(1)"},
      {"quantities", "a = 10 [kOhm]\nb = -5 [degC]\nc = 2 - 5 [degC]\nd = 2 * -5 [degC]^2\ne = 30[deg]"},
      {"numbers",
       "a = 3\nb = 0.1\nc = 6.02e23\nd = 1.50\ne = 1e-6\nf = 123456789012345678901234567890\ng = "
       "0.1234567890123456789"},
      {"strings",
       "a = \"tab\\t quote\\\" slash\\\\ line\\n end\"\nb = \"\"\nc = \"ümlaut // no comment /* at all */ ; ' \""},
      {"names of any script", "ω = τ_1 + Größe\nvariable 速度 : m/s"},
      {"keywords as names", "x = root + test.use\nf(delete = 3) = connect"},
      {"comments",
       "// first\n\n// second\nx = 1 // behind\n/* block */ y = 2\n\n// of a class\nmodel M // header\n  // inside\n  "
       "z = 3 /* c */\n\n"
       "  // dangling\nend // after\nif a // one\n  x = 1\n// before else\nelse // two\n  x = 2\nend\n// last"},
      {"comments inside", "x = f(a, // one\n  b) // two\ny = { /* a */ 1 }"},
      {"one line", "a = 1; b = 2; if c then d = 1 elseif e then d = 3 else d = 2 end; model M end"},
  };
  return snippets;
}

}  // namespace kron::syntax::test
