// engine/base/key_map.hpp: numbers by key, of a set of keys that is put in at once. Open addressing, no deletion.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

namespace kron {

class KeyMap {
 public:
  static constexpr std::uint32_t none = 0xffffffff;  // no number of a key

  explicit KeyMap(std::size_t most) : shift_(64 - std::countr_zero(std::bit_ceil(2 * most + 2))), table_(std::size_t{1} << (64 - shift_)) {}
  // The number of the key: this one, where it had none. Not of more keys than were told.
  std::uint32_t emplace(std::uint64_t key, std::uint32_t number) {
    Slot& s = table_[slot(key)];
    if (s.number == none) s = {key, number};
    return s.number;
  }
  std::uint32_t find(std::uint64_t key) const { return table_[slot(key)].number; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t number = none;
  };
  std::size_t slot(std::uint64_t key) const {
    std::size_t i = (key * 0x9e3779b97f4a7c15ull) >> shift_;
    while (table_[i].number != none && table_[i].key != key) i = (i + 1) & (table_.size() - 1);
    return i;
  }
  int shift_;
  std::vector<Slot> table_;
};

}  // namespace kron
