// `@derivative`: derivatives of an equation that the text states.
#include <doctest/doctest.h>

#include <algorithm>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

// A crank and a slider whose places agree. The crank's class knows the slider's velocity and acceleration.
std::string crank(const std::string& held) {
  return R"(variable phi(start = 0.5, fixed)
variable w(start = 1, fixed) = der(phi)
variable alpha = der(w)
variable x = cos(phi)
variable v = -sin(phi) * w
variable a = -sin(phi) * alpha - cos(phi) * w^2
variable s
variable u = der(s)
variable q = der(u)
variable F
)" + held + R"(
2 * q = F - 3 * s
0.5 * alpha = F * sin(phi)
)";
}

std::size_t made(Session& s) {  // by index reduction
  const auto& a = s.analysis();
  return static_cast<std::size_t>(std::ranges::count_if(a.output_variables, [&](model::VarId v) { return v.value >= a.flat.variables(); }));
}

}  // namespace

TEST_CASE("known derivatives: they take the place of derived ones") {
  Session known, derived;
  REQUIRE(known.run_text(crank("held :: s = x @derivative(u - v, q - a)")));
  REQUIRE(derived.run_text(crank("held :: s = x")));
  for (Session* s : {&known, &derived}) REQUIRE_MESSAGE(s->simulate({.stop = 1, .tolerance = 1e-10}), rendered(*s));
  for (const char* name : {"phi", "s", "u", "q", "F"}) CHECK(known.value(name).value() == doctest::Approx(derived.value(name).value()).epsilon(1e-8));
  CHECK(made(known) == 0);
  REQUIRE(known.analysis().differentiated.size() == 1);
  CHECK(known.analysis().differentiated[0].label == "held");
  CHECK(known.analysis().differentiated[0].times == 2);
}

// One order is known and two are asked for: then the second is derived, with all that it needs.
TEST_CASE("known derivatives: where there are too few, the rest is derived") {
  Session known, derived;
  REQUIRE(known.run_text(crank("held :: s = x @derivative(u - v)")));
  REQUIRE(derived.run_text(crank("held :: s = x")));
  for (Session* s : {&known, &derived}) REQUIRE_MESSAGE(s->simulate({.stop = 1, .tolerance = 1e-10}), rendered(*s));
  for (const char* name : {"phi", "s", "u", "q", "F"}) CHECK(known.value(name).value() == doctest::Approx(derived.value(name).value()).epsilon(1e-8));
}

TEST_CASE("known derivatives: those of vectors, and along axes") {
  const auto model = [](const std::string& second) {
    return "variable phi(start = 0.3, fixed)\nvariable w(start = 1, fixed) = der(phi)\nder(w) = -phi\n"
           "variable T[2, 2] = [cos(phi), sin(phi); -sin(phi), cos(phi)]\nvariable r[2]\nvariable y[2] = der(r)\n"
           "r = T' * {2, 1} " + second + "\n";
  };
  Session plain, along, derived;
  REQUIRE(plain.run_text(model("@derivative(y - w * (T' * {-1, 2}))")));
  REQUIRE(along.run_text(model("@derivative(T * y - w * {-1, 2}) @axes(T)")));
  REQUIRE(derived.run_text(model("")));
  for (Session* s : {&plain, &along, &derived}) REQUIRE_MESSAGE(s->simulate({.stop = 1, .tolerance = 1e-10}), rendered(*s));
  for (const char* name : {"r[1]", "r[2]", "y[1]", "y[2]"})
    for (Session* s : {&plain, &along}) CHECK(s->value(name).value() == doctest::Approx(derived.value(name).value()).epsilon(1e-8));
}

TEST_CASE("known derivatives: an edit that brings them or takes them away gives the numbers of a new session") {
  const std::string with = "held :: s = x @derivative(u - v, q - a)", without = "held :: s = x";
  Session s;
  REQUIRE(s.run_text(crank(without)));
  for (const std::string& held : {with, without, with}) {
    REQUIRE_MESSAGE(s.run_text(held), rendered(s));
    Session fresh;
    REQUIRE(fresh.run_text(crank(held)));
    CHECK(made(s) == made(fresh));
    for (Session* x : {&s, &fresh}) REQUIRE_MESSAGE(x->simulate({.stop = 1, .tolerance = 1e-10}), rendered(*x));
    for (const char* name : {"phi", "s", "q", "F"}) CHECK(s.value(name).value() == fresh.value(name).value());
  }
}

TEST_CASE("known derivatives: mistakes") {
  const struct {
    const char* held;
    std::vector<const char*> said;
  } rows[] = {
      {"s = x @derivative({u - v, 1})", {"E0220", "the equation and its derivative differ in shape: a scalar and [2]"}},
      {"s = x @derivative(time > 1)", {"E0221", "a number that is zero, and this is `Boolean`"}},
      {"s = x @derivative(\"u - v\")", {"E0221", "a number that is zero, and this is `String`"}},
      {"s = x @derivative(rate = u - v)", {"E0239", "what stands in `@derivative` has no name"}},
      {"s = x @derivative(nothing)", {"E0201", "nothing here is called `nothing`"}},
      {"s = x @derivative(u - v) @axes(w)", {"E0220", "the rows of a square matrix"}},
      {"initial s = x @derivative(u - v)", {"E0239", "only behind equations that always hold"}},
      {"if time > 1\n  s = x @derivative(u - v)\nelse\n  s = x\nend", {"E0239", "only behind equations that always hold"}},
      {"s = x @derivative(0, 0)", {"E0302", "no velocity depends on", "0 = 0"}},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.held));
    Session s;
    if (s.run_text(crank(row.held))) CHECK_FALSE(s.simulate({.stop = 1}));
    check_said(s, row.said);
  }
}

TEST_CASE("known derivatives: what a connector's vector names") {
  const struct {
    const char *marks, *said;
  } rows[] = {
      {"@axes(Q.T) @derivative(motion.v)", "`Q` in `@axes` is no record in this connector"},
      {"@axes(R.Q) @derivative(motion.v)", "`R` has no variable `Q`"},
      {"@axes(R) @derivative(motion.v)", "`@axes` beside a potential names a variable of a record"},
      {"@axes(R.w)", "`R.w` in `@axes` is [2]; beside `r` it must be [2, 2]"},
      {"@axes(R.T) @derivative(motion.v, R.T)", "`R.T` in `@derivative` is [2, 2]; beside `r` it must be [2]"},
      {"@axes", "`@axes` beside a potential names one matrix"},
      {"@axes(R.T, R.T)", "`@axes` beside a potential names one matrix"},
      {"@derivative(motion.v)", "`@axes` is not there"},
      {"@axes(R.T) @derivative(v)", "`@derivative` beside a potential names a variable of a record"},
      {"@axes(R.T) @derivative(f.v)", "`f` in `@derivative` is no record in this connector"},
      {"@axes(R.T) @derivative(motion.v, motion.a)", nullptr},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.marks));
    Session s;
    const std::string text = "record Turn\n  variable T[2, 2] : 1\n  variable w[2]\nend\nrecord Rates\n  variable v[2], a[2]\nend\n"
                             "connector Port\n  potential r[2] : m " + std::string(row.marks) +
                             "\n  potential R : Turn\n  potential motion : Rates\n  flow f[2] : N\nend\n"
                             "model Post\n  p : Port\n  p.r = {0, 0}\n  p.R = Turn([1, 0; 0, 1], {0, 0})\n  p.motion = Rates({0, 0}, {0, 0})\nend\npost : Post\n";
    const bool fine = row.said == nullptr;
    CHECK(s.run_text(text) == fine);
    if (!fine) check_said(s, {row.said});
  }
}
