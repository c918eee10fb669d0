// Random circuits of ideal diodes against the enumeration of all combinations (circuit.hpp).
#include <doctest/doctest.h>

#include <sstream>

#include "lang/workspace/kron.hpp"
#include "tests/hybrid/count.hpp"
#include "tests/hybrid/follows.hpp"
#include "tests/hybrid/random_circuits.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;
using hybrid::Circuit;
using hybrid::CircuitRun;
using hybrid::disturbance;

namespace {

constexpr double circuit_stop = 1.5011;

// Where the three runs have the same diodes conducting, apart from events.
std::vector<double> moments(const CircuitRun& run, const CircuitRun& more, const CircuitRun& less) {
  std::vector<double> ends{0}, at;
  ends.insert(ends.end(), run.events().begin(), run.events().end());
  ends.push_back(circuit_stop);
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    const double t = 0.5 * (ends[k] + ends[k + 1]);
    if (ends[k + 1] - ends[k] > 4e-3 && run.mask(t) == more.mask(t) && run.mask(t) == less.mask(t)) at.push_back(t);
  }
  if (run.mask(circuit_stop) == more.mask(circuit_stop) && run.mask(circuit_stop) == less.mask(circuit_stop) && circuit_stop - ends[ends.size() - 2] > 2e-3) at.push_back(circuit_stop);
  if (at.size() > 12) at.erase(at.begin() + 6, at.end() - 6);
  return at;
}

// What is off, or nothing. A step may be off by the tolerance, and the circuit makes of a disturbance what it made of one in the oracle.
std::string difference(Session& s, const Circuit& c, const CircuitRun& run, const CircuitRun& more, const CircuitRun& less, double tolerance) {
  std::ostringstream off;
  const double steps = static_cast<double>(s.result()->counters.steps + s.result()->counters.events);
  for (const double t : moments(run, more, less)) {
    const auto u = run.values(t), above = more.values(t), below = less.values(t);
    double size = 0;
    for (double x : u) size = std::max(size, std::fabs(x));
    const auto look = [&](const std::string& name, auto&& of) {
      const double expected = of(u), grown = std::max(std::fabs(of(above) - expected), std::fabs(of(below) - expected)) / disturbance;
      const double bound = tolerance * (10 + steps) * (1 + grown + size), found = s.value(name, t).value_or(std::nan(""));
      if (!(std::fabs(found - expected) <= bound)) off << name << " at " << t << ": " << found << ", not " << expected << " within " << bound << "\n";
    };
    const auto drop = [](std::size_t p, std::size_t n) {
      return [p, n](const std::vector<double>& x) { return (p > 0 ? x[p - 1] : 0) - (n > 0 ? x[n - 1] : 0); };
    };
    for (std::size_t k = 0; k < c.resistors.size(); ++k) look("R" + std::to_string(k + 1) + ".v", drop(c.resistors[k].p, c.resistors[k].n));
    for (std::size_t k = 0; k < c.capacitors.size(); ++k) look("C" + std::to_string(k + 1) + ".v", drop(c.capacitors[k].p, c.capacitors[k].n));
    for (std::size_t k = 0; k < c.diodes.size(); ++k) {
      const std::string name = "D" + std::to_string(k + 1);
      look(name + ".v", drop(c.diodes[k].p, c.diodes[k].n));
      if (s.value(name + ".off", t) != ((run.mask(t) >> k & 1) != 0 ? 0 : 1)) off << name << ".off at " << t << ": " << s.value(name + ".off", t).value_or(-9) << "\n";
    }
    if (!off.str().empty()) break;
  }
  return off.str();
}

}  // namespace

TEST_CASE("random circuits of up to eight ideal diodes") {
  const std::uint64_t count = hybrid::models(140);
  std::uint64_t compared = 0, none = 0, several = 0, edge = 0, wrong = 0, ideal = 0, singular = 0;
  std::size_t events = 0, most = 0;
  for (std::uint64_t seed = 1; compared < count && wrong < 5; ++seed) {
    REQUIRE(seed < 6 * count);
    const Circuit c = hybrid::random_circuit(seed);
    const CircuitRun run(c, circuit_stop), more(c, circuit_stop, disturbance), less(c, circuit_stop, -disturbance);
    const auto is = [&](CircuitRun::Verdict v) { return run.verdict() == v || more.verdict() == v || less.verdict() == v; };
    if (is(CircuitRun::Verdict::none) || is(CircuitRun::Verdict::several) || is(CircuitRun::Verdict::edge)) {
      ++(is(CircuitRun::Verdict::none) ? none : is(CircuitRun::Verdict::several) ? several : edge);
      continue;
    }
    singular += !run.regular();
    ++compared;
    ideal += c.diodes.front().Ron == 0;
    most = std::max(most, c.diodes.size());
    const std::string text = hybrid::text(c);
    CAPTURE(seed);
    CAPTURE(text);
    Session s({{KRON_SOURCE_DIR "/stdlib"}});
    if (!s.run_text(text)) {
      ++wrong;
      FAIL_CHECK(rendered(s));
      continue;
    }
    constexpr double tolerance = 1e-8;
    wrong += !hybrid::follows(s, circuit_stop, tolerance, events, [&] { return difference(s, c, run, more, less, tolerance); });
  }
  MESSAGE(compared, " circuits of up to ", most, " diodes compared (", ideal, " without any resistance) with ", events, " events; left out: ", none,
          " without a regular combination, ", several, " with several, ", edge, " on a knife's edge; ", singular, " with singular combinations, too");
  CHECK(compared >= 0.4 * static_cast<double>(compared + none + several + edge));
  CHECK(ideal >= compared / 12);
}
