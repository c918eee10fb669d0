#include "repl/topics.hpp"

namespace kron::repl {

// Every line that is indented by four blanks is model text; a test parses it.
const std::vector<Topic>& topic_table() {
  static const std::vector<Topic> table = {
      {"model", "declarations, equations, connections",
       R"(A model is text; every statement at the top level adds to the workspace.

    parameter k : N/m = 100 "stiffness"
    variable x(start = 0.1, fixed) : m
    variable v : m/s = der(x)
    2 * der(v) = -k * x
    assert k > 0, "stiffness must be positive"

Components come from classes, and are joined by their connectors:

    use rotational
    rotor : Inertia(J = 0.1)
    shaft : Spring(c = 1000)
    connect rotor.flange_b, shaft.flange_a

`:classes` lists the classes in reach, `:show Inertia` explains one.
)"},
      {"editing", "changing the workspace",
       R"(What is declared again is replaced; connections that still fit are kept.

    R1 : Resistor(R = 5)
    law :: der(x) = -2 * x
    R1.R := 200
    x.start := 3
    delete R1
    delete connect a.n, b.p
    delete connect a.n

`a := b` gives a parameter or a start value without analysing the model again. `delete connect a.n` takes that end out of every
connection. `:undo` and `:redo` go any number of steps; `:history` lists them; `:write FILE.eq` keeps the result.
)"},
      {"units", "units of values and declarations",
       R"(Values are SI. A literal may carry a unit, which is converted; a declared unit must be coherent.

    parameter R : Ohm = 10 [kOhm]
    parameter T : K = 20 [degC]
    variable w : rad/s

Commands take units too: `:simulate until 5 [ms]`. An equation whose dimensions do not balance is warned about.
)"},
      {"arrays", "arrays, ranges, comprehensions",
       R"(    parameter axis[3] = {0, 0, 1}
    variable A[2, 2] = [1, 0; 0, time]
    leg[4] : Leg(mass = 3)
    parameter squares[5] = {k^2 for k in 1:5}
    for k in 1:3
      connect leg[k].n, leg[k + 1].p
    end

`*` is the scalar, dot or matrix product by shape, `.*` works element by element, `A'` transposes, `a[end]` is the last element.
)"},
      {"classes", "models, connectors, records, functions",
       R"(    connector Pin
      potential v : V
      flow i : A
    end
    model Resistor "Ohm's law"
      p, n : Pin
      parameter R : Ohm = 1
      p.i + n.i = 0
      R * p.i = p.v - n.v
    end
    model R1k = Resistor(R = 1000)
    function norm(v[:]) = sqrt(v * v)

`extends Base(k = 3)` inherits; a modification `C(R = 5, sub(x = 3))` sets what is inside a component.
)"},
      {"events", "when, if, pre, sample",
       R"(    variable h(start = 1, fixed) : m
    variable v(start = 0, fixed) : m/s
    der(h) = v
    der(v) = -9.81 [m/s^2]
    when h < 0
      reinit v = -0.8 * v
    end

The relations in an expression stop the integrator where they change, unless inside `noEvent(…)`.
)"},
      {"solving", "how coupled equations are solved",
       R"(Coupled linear equations are eliminated symbolically along an order that Kron finds; `:blt` shows the blocks, `:blt block N` one of
them with the orders that were tried, `:ops` the operations of one evaluation. `relax(e)` and `residue(v)` in an equation, and
`tear v` beside it, say how; they never change the result, and never make a model fail.

    tear i1
    untear i1

`:set solve dense` (or auto, tear, relax, sparse) chooses for all blocks. `:explain NAME` tells how one variable is computed.
)"},
      {"scripts", "files, tests, the command line",
       R"(`kron model.eq` runs a file: statements build the model, commands act on it. With `-i` a session follows. `kron check model.eq` only
analyses; `kron simulate model.eq --until 10 -o out.csv` runs the model and none of its commands; `kron fmt model.eq` lays it out;
`kron test FILE` runs its test blocks:

    test "a falling body"
      variable h(start = 0, fixed) : m
      variable v(start = 0, fixed) : m/s
      der(h) = v
      der(v) = -10 [m/s^2]
      :simulate until 1
      assert abs(h + 5) < 1e-4, "height"
    end

`experiment stop = 10, tolerance = 1e-8` sets what `:simulate` takes where nothing is said.
)"},
  };
  return table;
}

const Topic* find_topic(std::string_view name) {
  for (const Topic& t : topic_table())
    if (t.name == name) return &t;
  return nullptr;
}

}  // namespace kron::repl
