#include <doctest/doctest.h>


#include "tests/program/run.hpp"

using namespace kron::test;

namespace {

const std::string decay = "variable x(start = 1, fixed)\nparameter k = 1\nder(x) = -k * x\n";

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("command line: arguments and exit status") {
  const struct {
    const char* name;
    std::vector<std::string> arguments;
    std::string text, input;
    int status;
    const char *out, *err;  // parts of what is printed
  } rows[] = {
      {"version", {"--version"}, "", "", 0, "kron ", ""},
      {"help", {"--help"}, "", "", 0, "simulate", ""},
      {"help of a subcommand", {"simulate", "--help"}, "", "", 0, "--until", ""},
      {"an option that is none", {"--nonsense"}, "", "", 2, "", "nonsense"},
      {"simulate without a file", {"simulate"}, "", "", 2, "", "FILE"},
      {"no number", {"simulate", "FILE", "--until", "soon"}, decay, "", 2, "", "soon"},
      {"a method that is none", {"simulate", "FILE", "--method", "runge"}, decay, "", 2, "", "runge"},
      {"--set without a value", {"--set", "k", "FILE"}, decay, "", 2, "", "path=value"},
      {"no such file", {"missing.eq"}, "", "", 1, "", "E0504"},
      {"a folder", {"."}, "", "", 1, "", "E0504"},
      {"a binary file", {"FILE"}, std::string("x = 1\0y", 7), "", 1, "", "E0504"},
      {"a device without end", {"/dev/zero"}, "", "", 1, "", "E0504"},
      {"an empty file", {"FILE"}, "", "", 0, "", ""},
      {"line ends of two bytes", {"FILE"}, "variable x = 2\r\n:simulate\r\n:value x\r\n", "", 0, "x = 2", ""},
      {"a byte order mark", {"FILE"}, "\xEF\xBB\xBFvariable x = 2\n:simulate\n:value x\n", "", 0, "x = 2", ""},
      {"no line end at the end", {"FILE"}, "variable x = 2\n:simulate\n:value x", "", 0, "x = 2", ""},
      {"several syntax errors", {"FILE"}, "variable x = (1\nvariable y = 2 +* 3\nmodel A\n  variable z = ]\nend\n", "", 1, "", "4:16: error[E0103]"},
      {"a parameter that overflows", {"FILE"}, "parameter p = exp(1000)\n:value p\n", "", 1, "", "2:8: error[E0403]: `p` is infinite"},
      {"an expression that is no number", {"FILE"}, "parameter p = -1\n:value (sqrt(p))\n", "", 1, "", "is not a number"},
      {"parameters that depend on themselves", {"FILE"}, "parameter a = b\nparameter b = a\n:value a\n", "", 1, "", "1:15: error[E0306]"},
      {"an element that overflows", {"FILE"}, "parameter p[2] = {1, exp(1000)}\n:value p\n", "", 1, "", "an element of `p` is infinite"},
      {"text", {"-e", ":quit"}, "", "", 0, "", ""},
      {"several texts, then a file", {"-e", "variable a = 3", "-e", "variable b = 4", "FILE"}, ":simulate\n:value a b\n", "", 0, "a = 3\nb = 4", ""},
      {"standard input", {"-"}, "", decay + ":simulate\n:value k\n", 0, "k = 1", ""},
      {"nothing given and no terminal", {}, "", decay + ":simulate\n:value k\n", 0, "k = 1", ""},
      {"a session after a file", {"FILE", "-i"}, decay, ":simulate\n:value k\n", 0, "k = 1", ""},
      {"a session after a failure", {"FILE", "-i"}, ":value x\n", "variable z = 7\n:simulate\n:value z\n", 1, "z = 7", "error"},
      {"a command after an open line", {"-i"}, "", "y : Foo(3\n:get points\nx :\n:get tolerance\n", 0, "points = 500\ntolerance = 1e-6", "`(` is never closed"},
      {"a bare expression", {"-i"}, "", "2 * (3 + 4)\n", 0, "14", ""},
      {"quit ends a script", {"FILE"}, ":help\n:quit\n:value nothing\n", "", 0, ":simulate", ""},
      {"values by name", {"FILE"}, "parameter b : Boolean = true\nenum E a, c\nparameter e : E = E.c\n:value b (not b) e\n", "", 0, "b = true\nnot b = false\ne = E.c", ""},
      {"check", {"check", "FILE"}, decay + ":value nothing\n", "", 0, "1 state", ""},
      {"check of an incomplete model", {"check", "FILE"}, "variable x\nvariable y\nx + y = 1\n", "", 1, "", "error["},
      {"check of a syntax error", {"check", "FILE"}, "x = (\n", "", 1, "", "error["},
      {"simulate ignores commands", {"simulate", "FILE", "--until", "2"}, decay + ":value nothing\n", "", 0, "time 0 to 2", ""},
      {"simulate with a unit", {"simulate", "FILE", "--until", "500 [ms]"}, decay, "", 0, "time 0 to 0.5", ""},
      {"settings that do not work", {"FILE"}, decay + ":simulate tol 1e-20\n", "", 1, "", ":simulate tol 1e-20\n"},
      {"a setting in another unit", {"FILE"}, decay + ":simulate until 3 [m]\n", "", 1, "", "error[E0502]: `until` is in s, and `3 [m]` is in m"},
      {"a setting without unit", {"FILE"}, decay + ":simulate until 1 tol 1e-3 [s]\n", "", 1, "", "error[E0502]: `tol` has no unit"},
      {"a setting in another unit, on the command line", {"simulate", "FILE", "--until", "3 [m]"}, decay, "", 1, "", "`until` is in s"},
      {"a setting that is given twice", {"FILE"}, decay + ":simulate until 1 until 2\n", "", 1, "", "error[E0502]: `until` is given twice"},
      {"settings that contradict", {"FILE"}, decay + ":simulate points 5 every 0.1\n", "", 1, "", "`points` and `every` both"},
      {"a sweep's setting in another unit", {"FILE"}, decay + ":sweep k from 1 to 2 points 2 until 3 [m] values x\n", "", 1, "", "`until` is in s"},
      {"a sweep in another unit", {"FILE"}, "parameter R : Ohm = 3\nvariable x = R\n:sweep R from 1 [kOhm] to 2 [m] points 2 values x\n", "", 1, "", ":3:27: error[E0502]: `R` is in Ohm, and `2 [m]` is in m"},
      {"a deviation on a scale with another zero", {"FILE"}, "parameter T : K = 300\nvariable x = T\n:sweep T normal mean 20 [degC] sd 1 [degC] samples 2 values x\n", "", 1, "", "a standard deviation is a difference"},
      {"a sweep over nothing", {"FILE"}, decay + ":sweep kk from 1 to 2 points 2 values x\n", "", 1, "", ":8: error[E0252]: there is no `kk` to set"},
      {"no elapsed time in a pipe", {"simulate", "FILE", "--method", "euler"}, decay, "", 0, " of euler\n", ""},
      {"quiet", {"--quiet", "simulate", "FILE"}, decay, "", 0, "", ""},
      {"--set", {"--set", "k=0", "FILE"}, decay + ":simulate until 1\n:value x\n", "", 0, "x = 1\n", ""},
      {"--set of nothing there", {"--set", "q=0", "FILE"}, decay + ":simulate until 1\n", "", 1, "", "error["},
      {"--set of a vector and a Boolean", {"--set", "n={1,2,3}", "--set", "on=false", "FILE"},
       "parameter n[3] = {0, 0, 0}\nparameter on : Boolean = true\nvariable x = if on then 0 else n[3]\n:simulate\n:value x\n", "", 0, "x = 3\n", ""},
      {"--set of an element of an enumeration", {"--set", "c=red", "FILE"},
       "enum Colour red, green\nparameter c : Colour = Colour.green\nvariable x = if c == Colour.red then 1 else 2\n:simulate\n:value x\n", "", 0, "x = 1\n", ""},
      {"sweep of a Boolean", {"FILE"}, "parameter on : Boolean = true\nvariable x = if on then time else 0\n:sweep on in true false values x\n", "", 0, "false  0", ""},
      {"sweep of a list and a part's parameter", {"FILE"}, "model P\n  parameter r = 1\nend\np : P\nparameter k = 1\nvariable x = p.r + k\n:sweep k in 1 2 p.r from 1 to 2 points 2 values x\n", "", 0, "2    2  4", ""},
      {"sweep of an enumeration", {"FILE"}, "enum Mode slow, fast\nparameter m : Mode = Mode.slow\nvariable x = if m == Mode.slow then 0 else time\n:sweep m in Mode.slow Mode.fast until 2 values x\n", "", 0, "Mode.fast  2", ""},
      {"sweep of an enumeration's elements by number", {"sweep", "FILE", "--vary", "m=2,3", "--values", "x", "--until", "2"}, "enum Mode slow, fast\nparameter m : Mode = Mode.slow\nvariable x = if m == Mode.slow then 0 else time\n", "", 1, "Mode.fast  2", "run 2 (m = 3) failed: `m` is of type Mode"},
      {"show of an array of components inside", {"FILE"}, "model A\n  parameter k = 3\nend\nmodel B\n  a[2] : A\nend\nb : B\n:show b.a\n:show b.a[2].k\n", "", 0, "b.a[2] : A\nmodel A\n  parameter k = 3\nend\nparameter b.a[2].k = 3\n", ""},
      {"explain of a component", {"FILE"}, "model A\n  variable x = 3\nend\na : A\n:explain a\n", "", 1, "", "this is a component: `:show a`"},
      {"explain of a derivative", {"FILE"}, "variable x : m\nder(x) = 3\n:explain der(x)\n", "", 0, "der(x): derivative, m/s", ""},
      {"explain of a derivative that index reduction made", {"FILE"},
       "variable p : rad/s = 2 * sin(time)\nvariable q\nder(q) = 1\nvariable r = q - p\nvariable w = der(r)\n:explain der(p)\n", "", 0, "der(p): derivative, rad/s^2", ""},
      {"explain of an equation", {"FILE"}, "variable x\nlaw :: x = 3\n:explain law\n", "", 1, "", "this is an equation: `:show law`"},
      {"sweep of a variable", {"FILE"}, decay + ":sweep x from 1 to 3 points 3 values x\n", "", 1, "", ":8: error[E0252]: `x` is a variable"},
      {"sweep of a start value", {"FILE"}, decay + ":sweep x.start from 1 to 2 points 2 until 1e-9 values x\n", "", 0, "2", ""},
      {"sweep of no values", {"FILE"}, decay + ":sweep k in x values x\n", "", 1, "", "with spaces between them"},
      {"--set with a unit", {"--set", "k=1 [kOhm]", "FILE"}, "parameter k : Ohm = 1\nvariable x = k\n:simulate\n:value k\n", "", 0, "1000", ""},
      {"sweep", {"sweep", "FILE", "--vary", "k=0:1:3", "--values", "x,k", "-o", "t.csv"}, decay, "", 0, "3 rows", ""},
      {"sweep of a list and a logarithmic range", {"sweep", "FILE", "--vary", "k=1,2", "--vary", "c=1:100:3:log", "--values", "x"}, "parameter c = 1\n" + decay, "", 0, "2  100", ""},
      {"sweep of distributions", {"sweep", "FILE", "--vary", "k=normal:1:0.1", "--samples", "4", "--seed", "7", "--values", "x,k", "-o", "t.csv"}, decay, "", 0, "4 rows", ""},
      {"sweep with trajectories", {"sweep", "FILE", "--vary", "k=uniform:1:2", "--samples", "2", "--values", "x", "-o", "t.csv", "--trajectories", "u.csv"}, decay, "", 0, "1002 points", ""},
      {"sweep of runs that fail", {"sweep", "FILE", "--vary", "k=0,-9,1", "--values", "x"}, decay + "assert x < 2, \"it grows\"\n", "", 1, "-9         -", "run 2 (k = -9) failed"},
      {"sweep to a file of runs that all fail", {"sweep", "FILE", "--vary", "k=-9,-8", "--values", "x", "-o", "t.csv"}, decay + "assert x < 2, \"it grows\"\n", "", 1, "wrote 2 rows to t.csv", "run 2 (k = -8) failed"},
      {"sweep of nothing there", {"sweep", "FILE", "--vary", "q=0:1:3", "--values", "x"}, decay, "", 1, "", "error["},
      {"sweep of one name twice", {"sweep", "FILE", "--vary", "k=0:1:3", "--vary", "k=1,2", "--values", "x"}, decay, "", 1, "", "varied twice"},
      {"sweep over zero by ratios", {"sweep", "FILE", "--vary", "k=0:1:3:log", "--values", "x"}, decay, "", 1, "", "logarithmic"},
      {"sweep with too many runs", {"sweep", "FILE", "--vary", "k=0:1:100000", "--vary", "time=0:1:100000", "--values", "x"}, decay, "", 1, "", "ten million"},
      {"sweep on so many threads", {"--json", "sweep", "FILE", "--vary", "k=0:1:9", "--threads", "1", "--values", "x"}, decay, "", 0, "\"threads\":1", ""},
      {"sweep to values that are no numbers", {"FILE"}, decay + ":sweep k from 1 to 2 points 2 values x (1/(x-x))\n", "", 1, "", "run 1 (k = 1) failed: `1 / (x - x)` is infinite at the end"},
      {"sweep to a name that is none", {"FILE"}, decay + ":sweep k from 1 to 2 points 2 values x yy\n", "", 1, "", "error[E0201]: nothing here is called `yy`"},
      {"sweep to a derivative that nobody computes", {"FILE"}, decay + ":sweep k in 1 values (der(x, 2))\n", "", 1, "", "the model does not compute `der(der(x))`"},
      {"sweep over all that doubles hold", {"FILE"}, "parameter k = 1\nvariable x = k\n:sweep k from -1e308 to 1e308 points 3 values x\n", "", 0, "\n     0       0\n 1e308   1e308\n", ""},
      {"sweep of a parameter without a value", {"sweep", "FILE", "--vary", "k=1,2", "--values", "x"}, "parameter k\nvariable x = k * time\n", "", 0, "2  2", ""},
      {"sweep of a part's Boolean", {"FILE"}, "use multibody\nworld : World\nj : Revolute\nq : BodyBox(r = {1, 0, 0}, width = 0.1)\nconnect world.frame_b, j.frame_a\nconnect j.frame_b, q.frame_a\n:sweep q.w_0_fixed in false true until 0.1 values j.phi\n", "", 0, "true", ""},
      {"sweep to elements and expressions", {"sweep", "FILE", "--vary", "k=1,2", "--values", "A[1,2],max(x,k)"}, "parameter k = 1\nvariable A[2,2] = k * [1, 2; 3, 4]\nvariable x = 0\n", "", 0, "2       4          2", ""},
      {"sweep of a list with a gap", {"sweep", "FILE", "--vary", "k=1,,2", "--values", "x"}, decay, "", 2, "", "is not of the form"},
      {"set of a parameter without a value", {"simulate", "FILE", "--set", "k=2"}, "parameter k\nvariable x = k * time\n", "", 0, "time 0 to 1", ""},
      {"a statement that fails before one for the same name", {"FILE"}, "parameter k = 1\nk := nope\nk := 2\n", "", 1, "", ":2:6: error[E0201]"},
      {"a start value that fails before another one", {"FILE"}, "variable x(start = 1, fixed)\nder(x) = -x\nx.start := nope\nx.start := 2\n", "", 1, "", ":3:12: error[E0201]"},
      {"an experiment's method that is none", {"FILE"}, decay + "experiment method = foo\n", "", 1, "", "`foo` is no integration method"},
      {"an experiment's end in another unit", {"FILE"}, decay + "experiment stop = 1 [kg]\n", "", 1, "", "`stop` is in s"},
      {"an experiment's end that is a truth value", {"FILE"}, decay + "experiment stop = true\n", "", 1, "", "`stop` must be a number"},
      {"an experiment's end before its start", {"FILE"}, decay + "experiment start = 2, stop = 1\n", "", 1, "", "`stop` must not be before `start`"},
      {"an experiment's start after its end", {"FILE"}, decay + "experiment stop = 1, start = 2\n", "", 1, "", "`stop` must not be before `start`"},
      {"an experiment's interval below zero", {"FILE"}, decay + "experiment stop = 1, interval = -1\n", "", 1, "", "`interval` must be greater than 0"},
      {"an experiment's tolerance of zero", {"FILE"}, decay + "experiment stop = 1, tolerance = 0\n", "", 1, "", "`tolerance` must be greater than 0"},
      {"an experiment's end twice", {"FILE"}, decay + "experiment stop = 1, stop = 2\n", "", 1, "", "given `stop` twice"},
      {"a step that is no number in full", {"FILE"}, decay + ":simulate until 1 method euler step 1e-310\n", "", 1, "", "error[E0109]"},
      {"an end that is a truth value", {"FILE"}, decay + ":simulate until true\n", "", 1, "", "`until` wants a number"},
      {"a run that is longer than any number", {"FILE"}, decay + ":simulate from -1e308 until 1e308\n", "", 1, "", "longer than any number"},
      {"a run far from time 0", {"FILE"}, decay + ":simulate from 1e12 until (1e12+1)\n:value x\n", "", 0, "x = 0.367879", ""},
      {"a number that its unit makes too large", {"FILE"}, "parameter p = 1e300 [Gm]\n", "", 1, "", ":1:15: error[E0109]"},
      {"more digits than there are", {"FILE"}, ":set precision 500\n", "", 1, "", "from 1 to 240"},
      {"a tolerance for many digits", {"FILE"}, ":set precision 30\n:set tolerance 1e-20\n" + decay + ":simulate\n", "", 0, "steps", ""},
      {"an element that is none", {"FILE"}, "enum Mode slow, fast\nmodel M\n  parameter m : Mode = slow\nend\na : M(m = fest)\n", "", 1, "", "did you mean `fast`?"},
      {"an element far from any", {"FILE"}, "enum Mode slow, fast\nmodel M\n  parameter m : Mode = slow\nend\na : M(m = mediocre)\n", "", 1, "", "the elements of `Mode` are slow, fast"},
      {"an array in a scalar", {"FILE"}, "variable x = {1, 2, 3}\n", "", 1, "", "declare `x[3]`"},
      {"a component of the enclosing model", {"FILE"}, "use multibody\nmodel P\n  j : Revolute\n  connect world.frame_b, j.frame_a\nend\nworld : World\np : P\n", "", 1, "", "declare `outer world : World`"},
      {"plot of no sweep", {"FILE"}, decay + ":plot sweep\n", "", 1, "", "E0503"},
      {"plot of a sweep", {"FILE"}, decay + ":sweep k from 1 to 2 points 3 values x\n:plot sweep x to s.svg\n", "", 0, "wrote s.svg", ""},
      {"plot of a column that is none", {"FILE"}, decay + ":sweep k from 1 to 2 points 3 values x\n:plot sweep k\n", "", 1, "", "E0519"},
      {"sweep of a wrong range", {"sweep", "FILE", "--vary", "k=0:1", "--values", "x"}, decay, "", 2, "", "NAME=A:B:N"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    const Outcome o = run({row.arguments, row.text, row.input, {}, {}, {}});
    CAPTURE(o.out);
    CAPTURE(o.err);
    CHECK(o.status == row.status);
    CHECK(contains(o.out, row.out));
    CHECK(contains(o.err, row.err));
  }
}

TEST_CASE("command line: result files of simulate") {
  for (const char* name : {"out.csv", "out.mat", "out.json"}) {
    CAPTURE(name);
    const Outcome o = run({{"simulate", "FILE", "--until", "1", "--every", "0.25", "-o", name}, decay, "", {}, {}, {}});
    CHECK(o.status == 0);
    REQUIRE(o.files.contains(name));
    CHECK(o.files.at(name).size() > 20);
  }
  CHECK(run({{"simulate", "FILE", "-o", "out.xyz"}, decay, "", {}, {}, {}}).status == 1);
}

TEST_CASE("command line: fmt") {
  const std::string ugly = "variable   x( start=1 ,fixed )\nder(x)=-x // decay\n", tidy = "variable x(start = 1, fixed)\nder(x) = -x  // decay\n";
  Outcome o = run({{"fmt", "--check", "FILE"}, ugly, "", {}, {}, {}});
  CHECK(o.status == 1);
  CHECK(o.files.at("m.eq") == ugly);
  o = run({{"fmt", "FILE"}, ugly, "", {}, {}, {}});
  CHECK(o.status == 0);
  CHECK(o.files.at("m.eq") == tidy);
  CHECK(run({{"fmt", "--check", "FILE"}, tidy, "", {}, {}, {}}).status == 0);
  o = run({{"fmt", "FILE"}, "x = (\n", "", {}, {}, {}});
  CHECK(o.status == 1);
  CHECK(o.files.at("m.eq") == "x = (\n");
  CHECK(run({{"fmt", "-"}, "", ugly, {}, {}, {}}).out == tidy);
}

TEST_CASE("command line: tests") {
  const std::string good = "test \"decay\"\n  variable x(start = 1, fixed)\n  der(x) = -x\n  :simulate until 1 tol 1e-10\n"
                           "  assert abs(x - exp(-1)) < 1e-6, \"end\"\n  assert abs(x - exp(-0.5)) < 1e-6 at 0.5\nend\n";
  const std::string bad = "test \"wrong\"\n  variable x = 2\n  :simulate until 1\n  :value x\n  assert x > 3, \"three\"\nend\n";
  Outcome o = run({{"test", "FILE"}, good, "", {}, {}, {}});
  CAPTURE(o.out);
  CAPTURE(o.err);
  CHECK(o.status == 0);
  CHECK(contains(o.out, "passed  decay"));
  CHECK(contains(o.out, "1 passed, 0 failed"));
  CHECK_FALSE(contains(o.out, "time 0 to 1"));
  o = run({{"test", "FILE"}, bad + good, "", {}, {}, {}});
  CAPTURE(o.out);
  CHECK(o.status == 1);
  CHECK(contains(o.out, "FAILED  wrong"));
  CHECK(contains(o.out, "x = 2"));
  CHECK(contains(o.out, "E0560"));
  CHECK(contains(o.out, "1 passed, 1 failed"));
  CHECK(run({{"test", "missing.eq"}, "", "", {}, {}, {}}).status == 1);
}

TEST_CASE("command line: output that cannot be written") {
  const Outcome full = run({{"FILE"}, decay + ":simulate\n:variables\n", "", {}, {}, "/dev/full"});
  CHECK(full.status == 1);
  CHECK(contains(full.err, "E0505"));
  const Outcome file = run({{"FILE"}, decay + ":simulate\n:save /dev/full/x.csv\n", "", {}, {}, {}});
  CHECK(file.status == 1);
}

TEST_CASE("command line: a full disk leaves the old file whole and no other behind") {
  std::string long_model = decay;
  for (int i = 0; i < 500; ++i) long_model += "parameter p" + std::to_string(i) + " = " + std::to_string(i) + "\n";
  const struct { const char *command, *file; } rows[] = {
      {":save", "r.csv"}, {":save", "r.mat"}, {":save", "r.json"}, {":write", "w.eq"}, {":plot x to", "p.svg"}, {":plot x to", "p.png"}, {":plot x to", "p.pdf"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.file);
    Invocation i{{"FILE"}, long_model + ":simulate until 1\n" + row.command + " " + row.file + "\n", "", {{row.file, "old"}}, {}};
    i.largest_file = 4096;
    const Outcome o = run(i);
    CAPTURE(o.err);
    CHECK(o.status == 1);
    CHECK(contains(o.err, "error[E0"));
    CHECK(o.files.size() == 2);  // the script is the other one
    CHECK(o.files.at(row.file) == "old");
  }
}

TEST_CASE("command line: a script goes on to the next command after a failed statement") {
  const Outcome o = run_script("variable x(start = 1, fixed)\nder(x) = -y\nvariable q = 5\n:help\n:history\n", {"--json"});
  CHECK(o.status == 1);
  CHECK(o.objects().empty());
  const Outcome on = run_script(":set onerror continue\nvariable x = 1\nz = y\nvariable q = 5\n:simulate\n:value q\n", {"--json"});
  CHECK(on.status == 1);
  REQUIRE(on.objects().size() == 3);
  CHECK(on.objects()[2]["values"]["q"] == 5);
}
