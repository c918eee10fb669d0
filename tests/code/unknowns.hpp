// tests/code/unknowns.hpp: unknown nodes for a solve step under test.
#pragma once
#include "engine/code/tape.hpp"

namespace kron::code::test {

inline std::vector<Ref> make_unknowns(Builder& b, std::size_t n, std::vector<std::uint32_t>& nodes,
                                      std::uint64_t key = 500, Section s = Section::dynamic) {
  std::vector<Ref> z;
  for (std::size_t i = 0; i < n; ++i) {
    z.push_back(b.unknown(key + i, s));
    nodes.push_back(z.back().node());
  }
  return z;
}

}  // namespace kron::code::test
