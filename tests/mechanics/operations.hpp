// Multiplications, additions and divisions of one evaluation of a mechanism.
#pragma once
#include <doctest/doctest.h>

#include <string>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

namespace kron::test {

inline double operations(const std::string& text) {
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE_MESSAGE(s.run_text(text), rendered(s));
  REQUIRE_MESSAGE(s.analysis().complete, rendered(s));
  const auto count = code::operations(*s.analysis().program, code::Section::dynamic);
  return static_cast<double>(count.mul + count.add + count.div);
}

}  // namespace kron::test
