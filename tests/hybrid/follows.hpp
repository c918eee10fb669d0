// A model that is read is run by Runge-Kutta and by BDF, and compared.
#pragma once
#include <doctest/doctest.h>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

namespace kron::hybrid {

constexpr double disturbance = 1e-6;  // of the runs that tell what a model makes of one

// `difference`: what is off in the last run, or nothing. Adds up the events. False, and the test fails: what a run said or what is off.
template <class Difference>
bool follows(Session& s, double stop, double tolerance, std::size_t& events, Difference&& difference) {
  for (const auto method : {simulate::Method::rk45, simulate::Method::bdf}) {
    CAPTURE(simulate::to_text(method));
    if (!s.simulate({.stop = stop, .points = 8, .tolerance = tolerance, .method = method})) {
      FAIL_CHECK(rendered(s));
      return false;
    }
    events += s.result()->counters.events;
    const std::string off = difference();
    if (off.empty()) continue;
    FAIL_CHECK(off);
    return false;
  }
  return true;
}

}  // namespace kron::hybrid
