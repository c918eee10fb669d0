// engine/base/key_set.hpp: a set of content hashes. Open addressing, no deletion; the order of insertion shows nowhere.
#pragma once
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace kron {

class KeySet {
 public:
  void reserve(std::size_t keys) {
    if (table_.size() < 2 * keys) grow(std::bit_ceil(2 * keys));
  }
  // False where it was there already.
  bool insert(std::uint64_t key) {
    if (key == 0) return !std::exchange(has_zero_, true);
    if (2 * (size_ + 1) > table_.size()) grow(table_.empty() ? 64 : 2 * table_.size());
    return put(key);
  }
  bool contains(std::uint64_t key) const {
    if (key == 0) return has_zero_;
    if (table_.empty()) return false;
    std::size_t i = key & (table_.size() - 1);
    while (table_[i] != 0 && table_[i] != key) i = (i + 1) & (table_.size() - 1);
    return table_[i] == key;
  }

 private:
  bool put(std::uint64_t key) {
    std::size_t i = key & (table_.size() - 1);
    while (table_[i] != 0 && table_[i] != key) i = (i + 1) & (table_.size() - 1);
    if (table_[i] == key) return false;
    table_[i] = key;
    ++size_;
    return true;
  }
  void grow(std::size_t size) {  // a power of two
    std::vector<std::uint64_t> old(size);
    old.swap(table_);
    size_ = 0;
    for (std::uint64_t key : old)
      if (key != 0) put(key);
  }
  std::vector<std::uint64_t> table_;
  std::size_t size_ = 0;
  bool has_zero_ = false;
};

}  // namespace kron
