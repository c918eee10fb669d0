// Sweeps: each set is its single run, whatever runs beside it; failures, structure, interrupts.
#include <doctest/doctest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <memory>

#include "engine/code/packed.hpp"
#include "engine/jit/assemble.hpp"
#include "lang/syntax/parser.hpp"
#include "lang/workspace/sweep.hpp"
#include "tests/support/example.hpp"
#include "tests/support/rendered.hpp"
#include "tests/support/sanitized.hpp"

using namespace kron;

namespace {

const std::string two_pendulums = kron::test::example("double_pendulum_sweep.eq");

std::unique_ptr<Session> session_of(const std::string& text) {
  auto s = std::make_unique<Session>(elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}});
  const bool good = s->run_text(text);
  for (const Diagnostic& d : s->diagnostics().list()) MESSAGE(d.message);
  REQUIRE(good);
  return s;
}

syntax::ExprPtr expression(const std::string& text) {
  Diagnostics d;
  auto e = syntax::parse_expression(sources::add("value", text), d);
  REQUIRE(e);
  return e;
}

SweepPlan plan_of(const std::vector<std::string>& parameters, std::vector<std::vector<double>> sets, const std::vector<std::string>& values,
                  const simulate::Options& options) {
  SweepPlan p;
  p.parameters = parameters;
  p.sets = std::move(sets);
  for (const std::string& v : values) p.values.push_back(expression(v));
  p.options = options;
  return p;
}

std::vector<std::vector<double>> range(double from, double to, std::size_t n) {
  std::vector<std::vector<double>> sets;
  for (std::size_t i = 0; i < n; ++i) sets.push_back({from + (to - from) * static_cast<double>(i) / static_cast<double>(n - 1)});
  return sets;
}

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b)); }

struct Row {
  const char* name;
  std::string text;
  std::vector<std::string> parameters;
  std::vector<std::vector<double>> sets;
  std::vector<std::string> values;
  simulate::Options options;
  bool in_lanes;
};

std::vector<Row> models() {
  std::vector<std::vector<double>> grid;
  for (double k : {0.5, 1.0, 2.0})
    for (double c : {0.0, 0.1, 3.0}) grid.push_back({k, c});
  return {
      {"two pendulums, chaotic", two_pendulums, {"rod2.m"}, range(0.5, 2, 11), {"upper.phi", "lower.phi", "(upper.w * rod2.m)", "lower.tau"},
       {.stop = 3}, true},
      {"a bouncing ball", "parameter e = 0.9\nvariable h(start = 1, fixed)\nvariable v(start = 0, fixed)\ndiscrete n(start = 0) : Integer\nder(h) = v\nder(v) = -9.81\n"
                          "when h < 0\n  reinit v = -e * v\n  n = pre(n) + 1\nend\nwhen n >= 12\n  terminate \"enough\", e\nend",
       {"e"}, range(0.5, 0.95, 9), {"h", "v", "n"}, {.stop = 4}, false},
      {"a relay with a delay", "parameter T = 1\nparameter w = 0.1\nvariable x(start = 0.5, fixed)\nvariable on : Boolean\n"
                                                      "on = if x > w then false elseif x < -w then true else pre(on)\nder(x) = if on then 1 else delay(-1 - x, T)",
       {"T", "w"}, {{1, 0.1}, {0.3, 0.1}, {0.3, 0.2}, {0.5, 0.05}, {2, 0.01}}, {"x", "on"}, {.stop = 5}, false},
      {"rc", "use electrical\ns : ConstantVoltage(V = 10)\nr : Resistor(R = 1000)\nc : Capacitor(C = 1e-6, v(start = 0, fixed))\ng : Ground\n"
             "connect s.p, r.p\nconnect r.n, c.p\nconnect c.n, s.n, g.p\n",
       {"r.R", "c.C"}, {{100, 1e-6}, {200, 2e-6}, {1000, 1e-6}, {5000, 1e-7}, {1e4, 1e-6}}, {"c.v", "r.i"}, {.stop = 1e-3, .tolerance = 1e-8}, true},
      {"oscillator, a grid", "parameter k = 1\nparameter c = 0\nvariable x(start = 1, fixed)\nvariable v(start = 0, fixed)\nder(x) = v\n"
                             "der(v) = -k * x - c * v + sin(3 * time)\n",
       {"k", "c"}, grid, {"x", "(x^2 + v^2)"}, {.stop = 10}, true},
      {"functions of all kinds", "parameter a = 1\nvariable x(start = 0.3, fixed)\nvariable y(start = 1, fixed)\nder(x) = cos(y) * exp(-x) + tanh(a * y) + "
                                 "noEvent(abs(x - y))\nder(y) = atan2(x, 2 + y^2) - noEvent(min(y, a)) + noEvent(if x > 1 then 1 else sqrt(1 + x^2)) / (2 + noEvent(max(x, y))^1.5)\n",
       {"a"}, range(-2, 2, 9), {"x", "y"}, {.stop = 4, .tolerance = 1e-9}, true},
      {"robertson, stiff for most sets", "parameter k2 = 3e7\nvariable a(start = 1, fixed)\nvariable b(start = 0, fixed)\nvariable c(start = 0, fixed)\n"
                                         "der(a) = -0.04 * a + 1e4 * b * c\nder(b) = 0.04 * a - 1e4 * b * c - k2 * b^2\nder(c) = k2 * b^2\n",
       {"k2"}, {{3}, {3e2}, {3e4}, {3e7}, {1e8}, {5}}, {"a", "b", "c"}, {.stop = 40}, true},
      {"bdf asked for", "parameter k = 1\nvariable x(start = 1, fixed)\nder(x) = -k * x\n", {"k"}, range(1, 5, 6), {"x"},
       {.stop = 2, .method = simulate::Method::bdf}, false},
      {"euler", "parameter k = 1\nvariable x(start = 1, fixed)\nder(x) = -k * x\n", {"k"}, range(1, 5, 6), {"x"},
       {.stop = 2, .method = simulate::Method::euler}, false},
      {"newton's iteration", "parameter k = 1\nvariable x(start = 1, fixed)\nvariable z(start = 1)\nder(x) = -z\nz + exp(k * z) = x + 2\n", {"k"}, range(0.2, 2, 7),
       {"x", "z"}, {.stop = 1}, false},
      {"dynamic states", "parameter L = 1\nvariable x(start = 0.6, fixed)\nvariable y(start = -0.8)\nvariable vx(start = 0, fixed)\nvariable vy\nvariable F\n"
                         "der(x) = vx\nder(y) = vy\nder(vx) = -x * F\nder(vy) = -y * F - 9.81\nx^2 + y^2 = L^2\n",
       {"L"}, range(0.9, 1.5, 5), {"x", "y"}, {.stop = 2}, false},
      {"a guard that fails on the way", "parameter p = 1\nvariable x(start = -1, fixed)\nvariable u\nvariable w\nder(x) = p\nx * u + w = 1\nu - x * w = 2 + x\n",
       {"p"}, range(0.5, 3, 9), {"u", "w", "x"}, {.stop = 1}, true},
      {"a starting value", "parameter x0 = 1\nvariable x(start = x0, fixed)\nder(x) = -x^2\n", {"x0"}, range(0.1, 2, 8), {"x"}, {.stop = 3}, true},
      {"a parameter of the initialisation", "parameter p(fixed = false)\nparameter q = 2\nvariable x(start = 1, fixed)\nder(x) = p - q * x\ninitial der(x) = 0.5\n", {"q"},
       range(1, 3, 5), {"x", "p"}, {.stop = 1}, true},
      {"a place where derivatives are rounding errors", "parameter at = 0.6\nvariable u = (time - at)^3\nvariable c = 3 + x + sin(100 * time)\nvariable x(start = 1, fixed)\n"
                                                        "variable v(start = 0, fixed)\nder(x) = v\nder(v) = -x * (exp(log(c + u)) - c) / u\n",
       {"at"}, range(0.6005, 0.6395, 40), {"x", "v"}, {.stop = 2, .tolerance = 1e-9}, true},
      {"no states", "parameter k = 1\nvariable x = k * time\n", {"k"}, range(1, 3, 4), {"x"}, {.stop = 2}, false},
      {"high precision", "parameter k = 1\nvariable x(start = 1, fixed)\nder(x) = -k * x\n", {"k"}, range(1, 3, 3), {"x"}, {.stop = 1, .tolerance = 1e-20, .precision = 30},
       false},
      {"no time", "parameter k = 1\nvariable x(start = 1, fixed)\nder(x) = -k * x\n", {"k"}, range(1, 3, 3), {"x"}, {.stop = 0}, false},
  };
}

}  // namespace

TEST_CASE("sweep: each set is its single run, bit for bit, with any number of threads, in lanes and without") {
  for (const Row& row : models()) {
    CAPTURE(row.name);
    const auto s = session_of(row.text);
    std::vector<std::vector<double>> single;
    std::vector<std::size_t> steps;
    for (const auto& set : row.sets) {
      for (std::size_t k = 0; k < set.size(); ++k) REQUIRE(s->set_parameter(row.parameters[k], set[k]));
      const bool ran = s->simulate(row.options);
      for (const Diagnostic& d : s->diagnostics().list()) MESSAGE(d.message);
      REQUIRE(ran);
      single.emplace_back();
      for (const std::string& v : row.values) single.back().push_back(s->value(v).value_or(std::nan("")));
      steps.push_back(s->result()->counters.steps);
    }
    s->clear_overrides();
    SweepPlan plan = plan_of(row.parameters, row.sets, row.values, row.options);
    for (const auto& [threads, lanes] : {std::pair{1u, true}, {2u, true}, {3u, true}, {2u, false}}) {
      CAPTURE(threads);
      CAPTURE(lanes);
      plan.batch = {threads, lanes};
      const auto sweep = s->sweep(plan);
      for (const Diagnostic& d : s->diagnostics().list()) MESSAGE(d.message);
      REQUIRE(sweep);
      for (std::size_t i = 0; i < row.sets.size(); ++i) {
        CAPTURE(i);
        for (const Diagnostic& d : sweep->rows[i].why.list()) MESSAGE(d.message);
        REQUIRE(sweep->rows[i].state == SweepRow::State::done);
        REQUIRE(sweep->rows[i].values.size() == single[i].size());
        for (std::size_t k = 0; k < single[i].size(); ++k) CHECK_MESSAGE(same(sweep->rows[i].values[k], single[i][k]), row.values[k], ": ", sweep->rows[i].values[k], " ", single[i][k]);
        CHECK(sweep->rows[i].steps == steps[i]);
      }
      if (lanes && jit::wide_available()) CHECK((sweep->counters.in_lanes > 0) == row.in_lanes);
      if (!lanes) CHECK(sweep->counters.in_lanes == 0);
      CHECK(sweep->translations == 1);
    }
  }
}

TEST_CASE("sweep: runs that fail tell why, as alone, and the others go on") {
  const struct { const char* name; std::string text; std::string parameter; std::vector<double> values; std::vector<bool> good; std::string code; } rows[] = {
      {"a pole on the way", "parameter k = 1\nvariable x(start = 1, fixed)\nder(x) = k * x^2\n", "k", {0.1, 2, 0.2, 3, 0.3, -1}, {true, false, true, false, true, true}, ""},
      {"an output that is no number", "parameter k = 1\nvariable x(start = 1, fixed)\nder(x) = -1\nvariable y = sqrt(x + k)\n", "k", {0, 1, -0.5, 2}, {true, true, false, true}, "E0403"},
      {"an assertion", "parameter k = 1\nvariable x(start = 0, fixed)\nder(x) = k\nassert x < 2, \"it is full\"\n", "k", {1, 3, 1.5, 9, 0}, {true, false, true, false, true}, "E0413"},
      {"an assertion about parameters", "parameter k = 1\nassert k > 0, \"k is positive\"\nvariable x(start = 0, fixed)\nder(x) = k\n", "k", {1, -1, 2}, {true, false, true}, "E0413"},
      {"a number that follows from it", "parameter k = 1\nparameter r = 1 / k\nvariable x(start = 0, fixed)\nder(x) = r\n", "k", {1, 0, 2, 4, 5}, {true, false, true, true, true}, "E0411"},
      {"no start", "parameter k = 1\nvariable x(start = sqrt(k), fixed)\nder(x) = -x\n", "k", {1, 4, -1, 9}, {true, true, false, true}, ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const auto s = session_of(row.text);
    std::vector<std::vector<double>> sets;
    for (double v : row.values) sets.push_back({v});
    SweepPlan plan = plan_of({row.parameter}, sets, {"x"}, {.stop = 1});
    for (unsigned threads : {1u, 2u}) {
      plan.batch.threads = threads;
      const auto sweep = s->sweep(plan);
      REQUIRE(sweep);
      for (std::size_t i = 0; i < sets.size(); ++i) {
        CAPTURE(i);
        CHECK((sweep->rows[i].state == SweepRow::State::done) == row.good[i]);
        CHECK(sweep->rows[i].why.has_errors() == !row.good[i]);
        if (row.good[i]) continue;
        s->diagnostics().clear();
        REQUIRE(s->set_parameter(row.parameter, row.values[i]));
        CHECK(!s->simulate(plan.options));
        REQUIRE(s->diagnostics().list().size() > 0);
        const Diagnostic& alone = s->diagnostics().list().front();
        const Diagnostic& here = sweep->rows[i].why.list().front();
        CHECK(here.message == alone.message);
        CHECK(here.code == alone.code);
        if (!row.code.empty()) CHECK(here.code == row.code);
        s->clear_overrides();
        s->diagnostics().clear();
      }
    }
  }
}

TEST_CASE("sweep: parameters that shape the equations are translated, once for each value") {
  const auto s = session_of("parameter n = 2\nparameter k = 1\nvariable x[n](start = 1, fixed)\nfor i in 1:n\n  der(x[i]) = -k * i * x[i]\nend\nvariable y = sum(x)\n");
  std::vector<std::vector<double>> sets;
  for (double k : {1.0, 2.0})
    for (double n : {1.0, 3.0, 2.0}) sets.push_back({n, k});
  const auto sweep = s->sweep(plan_of({"n", "k"}, sets, {"y"}, {.stop = 1, .tolerance = 1e-10}));
  REQUIRE(sweep);
  CHECK(sweep->translations == 3);
  CHECK(sweep->structural == std::vector<std::string>{"n"});
  for (std::size_t i = 0; i < sets.size(); ++i) {
    double expected = 0;
    for (double j = 1; j <= sets[i][0]; ++j) expected += std::exp(-sets[i][1] * j);
    REQUIRE(sweep->rows[i].values.size() == 1);
    CHECK(std::fabs(sweep->rows[i].values[0] - expected) < 1e-8);
  }
  CHECK(s->overrides().empty());
  REQUIRE(s->simulate({.stop = 1}));
  CHECK(s->value("n") == 2);
}

TEST_CASE("sweep: of a length that is 0 or 1 as declared the other numbers share one translation") {
  const std::string pendulum = "use multibody\nparameter L = 0\nworld : World\njoint : Revolute(phi(start = 0.1, fixed), w(fixed))\nbar : FixedTranslation(r = {1, L, 0})\n"
                               "body : Body(I_33 = 0.1)\nconnect world.frame_b, joint.frame_a\nconnect joint.frame_b, bar.frame_a\nconnect bar.frame_b, body.frame_a\n";
  for (const char* parameter : {"L", "bar.r[1]"}) {
    CAPTURE(std::string(parameter));
    const auto s = session_of(pendulum);
    const std::vector<std::vector<double>> sets = {{0.5}, {0}, {1.5}, {2}, {0.25}};
    const auto sweep = s->sweep(plan_of({parameter}, sets, {"joint.phi"}, {.stop = 0.5, .tolerance = 1e-10}));
    REQUIRE(sweep);
    CHECK(sweep->translations == 2);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const auto alone = session_of(pendulum);
      REQUIRE(alone->run_text(std::string(parameter) + " := " + std::to_string(sets[i][0])));
      REQUIRE(alone->simulate({.stop = 0.5, .tolerance = 1e-10}));
      REQUIRE(sweep->rows[i].values.size() == 1);
      CHECK(same(sweep->rows[i].values[0], alone->value("joint.phi").value()));
    }
    REQUIRE(s->simulate({.stop = 0.5}));
  }
}

// What an analysis left out of a loop at numerically closed positions is no answer for another axis.
TEST_CASE("sweep: the axis of a plane loop") {
  const auto four_bar = [](const std::string& before, const std::string& n) {
    return "use multibody\n" + before + "world : World(n = {1, 0, 0})\na : Revolute(n = " + n + ", phi(start = 1, fixed), w(start = 0.5, fixed))\nb : Revolute(n = " + n +
           ", phi(start = -1))\nc : Revolute(n = " + n + ", phi(start = -2))\nd : Revolute(n = " + n + ", phi(start = 1))\n"
           "l[3] : BodyShape(r = {{1, 0, 0}, {2, 0, 0}, {1, 0, 0}})\nbase : FixedTranslation(r = {2, 0, 0})\nconnect world.frame_b, a.frame_a, base.frame_a\n"
           "connect a.frame_b, l[1].frame_a\nconnect l[1].frame_b, b.frame_a\nconnect b.frame_b, l[2].frame_a\nconnect l[2].frame_b, c.frame_a\n"
           "connect c.frame_b, l[3].frame_b\nconnect l[3].frame_a, d.frame_b\nconnect d.frame_a, base.frame_b\n";
  };
  const struct {
    const char* name;
    std::string text;
    std::vector<std::string> parameters;
  } rows[] = {
      {"by one parameter", four_bar("parameter ez[3] : 1 = {0, 0.6, 1}\n", "ez"), {"ez[2]"}},
      {"whose element is given alone", four_bar("parameter ez[3] : 1 = {0, 0.6, 1}\n", "ez") + "ez[2] := 0\n", {"ez[2]"}},
      {"computed from an angle", four_bar("parameter tilt = 0.3\n", "{0, -sin(tilt), cos(tilt)}"), {"tilt"}},
      {"of each joint", four_bar("", "{0, 0, 1}"), {"a.n[2]", "b.n[2]", "c.n[2]", "d.n[2]"}},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    const auto s = session_of(row.text);
    std::vector<std::vector<double>> sets;
    for (const double x : {0.0, 0.6, 0.5, 0.0, 1.0, 0.6}) sets.emplace_back(row.parameters.size(), x);
    const auto sweep = s->sweep(plan_of(row.parameters, sets, {"a.phi"}, {.stop = 0.3, .tolerance = 1e-9}));
    REQUIRE(sweep);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      CAPTURE(i);
      REQUIRE(sweep->rows[i].values.size() == 1);
      CHECK(std::fabs(sweep->rows[i].values[0] - sweep->rows[0].values[0]) < 1e-7);
    }
  }
}

TEST_CASE("sweep: a model that is none for the first set is one for others") {
  const auto s = session_of("parameter n = 2\nvariable x(start = 1, fixed)\nder(x) = -x\nvariable v[n] = fill(x, n)\nvariable y = sum(v)\n");
  const auto sweep = s->sweep(plan_of({"n"}, {{2.5}, {1}, {2}}, {"y"}, {.stop = 1, .tolerance = 1e-10}));
  REQUIRE(sweep);
  CHECK(sweep->rows[0].state == SweepRow::State::failed);
  for (std::size_t i : {1u, 2u}) {
    REQUIRE(sweep->rows[i].values.size() == 1);
    CHECK(std::fabs(sweep->rows[i].values[0] - static_cast<double>(i) * std::exp(-1)) < 1e-8);
  }
}

TEST_CASE("sweep: names that do not exist are told before anything runs; overrides and the last result stay") {
  const auto s = session_of("parameter k = 1\nparameter c = 3\nvariable x(start = 1, fixed)\nder(x) = -k * x * c\n");
  REQUIRE(s->set_parameter("c", 2));
  REQUIRE(s->simulate({.stop = 1}));
  const simulate::Result* before = s->result();
  CHECK(!s->sweep(plan_of({"q"}, {{1}, {2}}, {"x"}, {.stop = 1})));
  CHECK(s->diagnostics().has_errors());
  s->diagnostics().clear();
  CHECK(!s->sweep(plan_of({"k"}, {{1}, {2}}, {"y"}, {.stop = 1})));
  CHECK(s->diagnostics().has_errors());
  s->diagnostics().clear();
  const auto sweep = s->sweep(plan_of({"k"}, {{1}, {2}}, {"x"}, {.stop = 1, .tolerance = 1e-9}));
  REQUIRE(sweep);
  CHECK(sweep->rows[1].values[0] == doctest::Approx(std::exp(-4)));
  CHECK(s->result() == before);
  CHECK(s->overrides() == std::map<std::string, double>{{"c", 2}});
}

TEST_CASE("sweep: an interrupt keeps what is done") {
  const auto s = session_of("parameter k = 1\nvariable x(start = 1, fixed)\nder(x) = -k * sin(100 * x * time)\n");
  std::atomic<bool> stop = false;
  for (unsigned threads : {1u, 2u}) {
    CAPTURE(threads);
    stop = false;
    SweepPlan plan = plan_of({"k"}, range(1, 2, 400), {"x"}, {.stop = 50, .interrupt = &stop});
    plan.batch.threads = threads;
    plan.options.progress = [&](double share) { stop = share > 0.1; };
    const auto sweep = s->sweep(plan);
    REQUIRE(sweep);
    std::size_t done = 0, open = 0;
    for (const SweepRow& r : sweep->rows) {
      done += r.state == SweepRow::State::done;
      open += r.state == SweepRow::State::open;
    }
    CHECK(done >= 40);
    CHECK(open >= 300);
    CHECK(done + open == 400);
  }
}

TEST_CASE("sweep: trajectories are the single run's at every output point") {
  const auto s = session_of(two_pendulums);
  simulate::Options options{.stop = 1, .points = 50};
  SweepPlan plan = plan_of({"rod1.m"}, range(0.5, 2, 6), {"upper.phi", "lower.tau", "rod2.frame_b.r_0[2]"}, options);
  plan.series = true;
  const auto sweep = s->sweep(plan);
  REQUIRE(sweep);
  for (std::size_t i = 0; i < plan.sets.size(); ++i) {
    REQUIRE(s->set_parameter("rod1.m", plan.sets[i][0]));
    REQUIRE(s->simulate(options));
    const SweepRow& r = sweep->rows[i];
    REQUIRE(r.time.size() == 51);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto alone = s->series(k == 0 ? "upper.phi" : k == 1 ? "lower.tau" : "rod2.frame_b.r_0[2]");
      REQUIRE(alone);
      CHECK(std::equal(alone->begin(), alone->end(), r.series[k].begin(), r.series[k].end(), same));
    }
  }
}

// As their single runs; the others keep the states that are preferred, and so does the session.
TEST_CASE("sweep: runs whose choice of states becomes singular begin again") {
  const std::string text =
      "parameter push = 1\nvariable x(start = 0.6, fixed, state = prefer)\nvariable y(start = -0.8)\nvariable vx(start = push, fixed)\nvariable vy\nvariable F\n"
      "der(x) = vx\nder(y) = vy\nder(vx) = -x * F\nder(vy) = -y * F - 9.81\nlength :: x^2 + y^2 = 1\n";
  const simulate::Options options{.stop = 0.5, .points = 10, .tolerance = 1e-8};
  const std::vector<std::vector<double>> sets = {{0.5}, {5}, {1}, {6}};
  Session s;
  REQUIRE_MESSAGE(s.run_text(text), rendered(s));
  const auto sweep = s.sweep(plan_of({"push"}, sets, {"x", "y"}, options));
  REQUIRE(sweep);
  CHECK(sweep->translations == 2);
  CHECK(has_code(s, "N0412"));
  CHECK(s.analysis().sets.empty());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    CAPTURE(i);
    Session single;
    REQUIRE(single.run_text(text));
    REQUIRE(single.set_parameter("push", sets[i][0], "test"));
    REQUIRE_MESSAGE(single.simulate(options), rendered(single));
    CHECK(single.analysis().sets.empty() == (sets[i][0] <= 1));
    REQUIRE(sweep->rows[i].state == SweepRow::State::done);
    CHECK(sweep->rows[i].values[0] == single.value("x").value());
    CHECK(sweep->rows[i].values[1] == single.value("y").value());
  }
}
