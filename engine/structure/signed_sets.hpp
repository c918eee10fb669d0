// engine/structure/signed_sets.hpp: disjoint sets of columns x = ±root, each perhaps with a known value (union-find,
// path halving [Tarjan, van Leeuwen 1984]). A link is 2·parent + (1 if the sign is negative).
#pragma once
#include <utility>
#include <vector>

#include "engine/structure/structure.hpp"

namespace kron::structure {

class SignedSets {
 public:
  struct Member {
    Column root;
    bool negative;  // x = −root
  };

  explicit SignedSets(std::uint32_t columns)
      : link_(columns), weight_(columns, 1), known_(columns, 0), value_(columns, 0) {
    for (Column c = 0; c < columns; ++c) link_[c] = 2 * c;
  }

  Member find(Column c) {
    std::uint32_t negative = 0;
    while (link_[c] >> 1 != c) {
      const std::uint32_t up = link_[c];
      link_[c] = link_[up >> 1] ^ (up & 1);
      negative ^= link_[c] & 1;
      c = link_[c] >> 1;
    }
    return {c, negative != 0};
  }

  bool known(Column root) const { return known_[root] != 0; }
  std::int64_t value(Column root) const { return value_[root]; }
  void set_value(Column root, std::int64_t v) { known_[root] = 1, value_[root] = v; }

  std::uint32_t weight(Column root) const { return weight_[root]; }
  void add_weight(Column root, std::uint32_t w) { weight_[root] += w; }

  // root `light` = ±root `heavy`
  void hang(Column light, Column heavy, bool negative) {
    link_[light] = 2 * heavy + (negative ? 1u : 0u);
    weight_[heavy] += weight_[light];
  }

 private:
  std::vector<std::uint32_t> link_, weight_;
  std::vector<std::uint8_t> known_;
  std::vector<std::int64_t> value_;
};

}  // namespace kron::structure
