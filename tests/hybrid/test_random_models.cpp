// Random hybrid models against an interpreter of their own (interpreter.hpp).
//   The bound of an error follows from the run: a step may be off by the tolerance, and the model makes of a disturbance what it made of one in the
//   interpreter. Models on a knife's edge, where such a disturbance changes the order of events, are left out and counted.
#include <doctest/doctest.h>

#include <random>
#include <sstream>

#include "lang/workspace/kron.hpp"
#include "tests/hybrid/count.hpp"
#include "tests/hybrid/follows.hpp"
#include "tests/hybrid/random_models.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;
using hybrid::disturbance;

namespace {

constexpr double model_stop = 4.0011;  // no moment of any model is at the stop

// The interpreter's run, with two that are disturbed.
struct Expected {
  hybrid::Path path, more, less;
  bool restless = false;
  bool clear() const {
    if (path.edge || more.edge || less.edge || path.pieces.size() != more.pieces.size() || path.pieces.size() != less.pieces.size()) return false;
    for (std::size_t k = 0; k < path.pieces.size(); ++k)
      for (const hybrid::Path* other : {&more, &less}) {
        if (std::fabs(other->pieces[k].from - path.pieces[k].from) > 1e-3) return false;
        for (std::size_t v = 0; v < path.pieces[k].values.size(); ++v)
          if (std::fabs(other->pieces[k].values[v] - path.pieces[k].values[v]) > 1e-2) return false;
      }
    for (const auto& p : path.pieces)
      for (double x : p.state)
        if (!(std::fabs(x) < 1e4)) return false;
    return true;
  }
};

Expected expect(const hybrid::Model& m, std::uint64_t seed) {
  std::mt19937_64 g(seed);
  std::vector<double> shift, back, drift, ebb;
  for (std::size_t i = 0; i < m.start.size(); ++i) {
    shift.push_back((g() % 2 ? 1 : -1) * disturbance);
    drift.push_back((g() % 2 ? 1 : -1) * disturbance);
    back.push_back(-shift[i]);
    ebb.push_back(-drift[i]);
  }
  Expected e{hybrid::run(m, model_stop), hybrid::run(m, model_stop, shift, drift), hybrid::run(m, model_stop, back, ebb)};
  e.restless = e.path.restless;
  return e;
}

// Where it is looked: between events that are apart, and at the end.
std::vector<double> moments(const Expected& e) {
  std::vector<double> at;
  const auto& pieces = e.path.pieces;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const double to = k + 1 < pieces.size() ? pieces[k + 1].from : model_stop;
    if (to - pieces[k].from > 4e-3) at.push_back(0.5 * (pieces[k].from + to));
  }
  at.push_back(model_stop);
  if (at.size() > 20) at.erase(at.begin() + 10, at.end() - 10);
  return at;
}

// What is off, or nothing.
std::string difference(Session& s, const hybrid::Model& m, const Expected& e, double tolerance) {
  std::ostringstream off;
  const double steps = static_cast<double>(s.result()->counters.steps + s.result()->counters.events);
  const auto compare = [&](const std::string& name, double t, double expected, double more, double less, double size) {
    const double grown = std::max(std::fabs(more - expected), std::fabs(less - expected)) / disturbance;
    const double bound = tolerance * (10 + steps) * (1 + grown) * (1 + size);
    const double found = s.value(name, t).value_or(std::nan(""));
    if (!(std::fabs(found - expected) <= bound)) off << name << " at " << t << ": " << found << ", not " << expected << " within " << bound << "\n";
  };
  for (const double t : moments(e)) {
    const auto x = e.path.at(t), more = e.more.at(t), less = e.less.at(t);
    double size = 0;
    for (double v : x) size = std::max(size, std::fabs(v));
    for (std::size_t i = 0; i < x.size(); ++i) compare("x" + std::to_string(i + 1), t, x[i], more[i], less[i], size);
    for (std::size_t v = 0; v < m.variables.size(); ++v) {
      const double expected = e.path.values(t)[v];
      const std::string name = "v" + std::to_string(v + 1);
      if (m.variables[v].type == hybrid::Type::real) compare(name, t, expected, e.more.values(t)[v], e.less.values(t)[v], size);
      else if (const double found = s.value(name, t).value_or(-99); found != expected) off << name << " at " << t << ": " << found << ", not " << expected << "\n";
    }
    if (!off.str().empty()) break;  // the first moment tells most
  }
  return off.str();
}

void check(const char* kind, hybrid::Model (*make)(std::uint64_t), std::uint64_t count, double least_clear) {
  std::uint64_t compared = 0, unclear = 0, restless = 0, wrong = 0;
  std::size_t events = 0;
  for (std::uint64_t seed = 1; compared + restless < count && wrong < 5; ++seed) {
    REQUIRE(seed < 4 * count + 20);
    const hybrid::Model m = make(seed);
    const Expected e = expect(m, seed);
    if (!e.restless && !e.clear()) {
      ++unclear;
      continue;
    }
    const std::string text = hybrid::text(m);
    CAPTURE(seed);
    CAPTURE(text);
    Session s;
    if (!s.run_text(text)) {
      ++wrong;
      FAIL_CHECK(rendered(s));
      continue;
    }
    if (e.restless) {
      ++restless;
      const bool named = !s.simulate({.stop = model_stop}) && rendered(s).find("E0415") != std::string::npos;
      wrong += !named;
      CHECK_MESSAGE(named, "no rest, and that was not said: ", rendered(s));
      continue;
    }
    ++compared;
    constexpr double tolerance = 1e-9;
    wrong += !hybrid::follows(s, model_stop, tolerance, events, [&] { return difference(s, m, e, tolerance); });
  }
  MESSAGE(std::string(kind), ": ", compared, " compared with ", events, " events, ", restless, " without rest, ", unclear, " unclear");
  CHECK(static_cast<double>(compared) >= least_clear * static_cast<double>(compared + unclear));
}

}  // namespace

TEST_CASE("random piecewise linear models follow their exact solution") { check("piecewise linear", hybrid::random_piecewise_linear, hybrid::models(200), 0.4); }
TEST_CASE("random networks of logic follow the interpreter") { check("logic", hybrid::random_logic, hybrid::models(200), 0.5); }
