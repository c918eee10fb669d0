// engine/code/tables.hpp: what a Builder keeps besides its nodes. Private to the room.
#pragma once
#include <array>
#include <utility>
#include <vector>

#include "engine/code/tape.hpp"

namespace kron::code {

// Fingerprint up to sign -> node. Open addressing with linear probing; a slot holds 32 bits of the hash and the node.
// Only the entry put in last may be taken out, so clearing its slot never breaks another probe sequence.
class ValueTable {
 public:
  ValueTable() : slots_(1024, 0) {}

  static std::uint64_t hash(Fingerprint magnitude_of_value) {
    return (magnitude_of_value.a ^ (magnitude_of_value.b << 29 | magnitude_of_value.b >> 35)) * 0x9e3779b97f4a7c15ull;
  }
  // The node with this value up to sign, or `absent`.
  std::uint32_t find(Fingerprint value, const std::vector<Fingerprint>& values) {
    const Fingerprint m = magnitude(value);
    const std::uint64_t h = hash(m);
    for (std::size_t i = place(h);; i = (i + 1) & (slots_.size() - 1)) {
      const std::uint64_t s = slots_[i];
      free_ = i;
      if (s == 0) return absent;
      if ((s >> 32) != tag(h)) continue;
      const auto node = static_cast<std::uint32_t>(s) - 1;
      if (magnitude(values[node]) == m) return node;
    }
  }
  // Enters `node`; returns the node whose entry it took over, or `absent`.
  std::uint32_t put(std::uint32_t node, const std::vector<Fingerprint>& values) {
    if (used_ * 10 > slots_.size() * 7) grow(values);
    return enter(node, values);
  }
  // The same just after `find` of its value found none.
  void put_new(std::uint32_t node, const std::vector<Fingerprint>& values) {
    if (used_ * 10 > slots_.size() * 7) {
      put(node, values);
      return;
    }
    slots_[free_] = tag(hash(magnitude(values[node]))) << 32 | (node + 1);
    ++used_;
  }
  void take_out(std::uint32_t node, Fingerprint value, std::uint32_t shadowed) {
    const std::uint64_t h = hash(magnitude(value));
    std::size_t i = place(h);
    while (static_cast<std::uint32_t>(slots_[i]) != node + 1) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = shadowed == absent ? 0 : (tag(h) << 32 | (shadowed + 1));
    if (shadowed == absent) --used_;
  }
  static constexpr std::uint32_t absent = 0xffffffff;

 private:
  std::size_t place(std::uint64_t h) const { return (h >> 20) & (slots_.size() - 1); }
  static std::uint64_t tag(std::uint64_t h) { return (h ^ h >> 32) & 0xffffffff; }
  std::uint32_t enter(std::uint32_t node, const std::vector<Fingerprint>& values) {
    const Fingerprint v = magnitude(values[node]);
    const std::uint64_t h = hash(v);
    std::size_t i = place(h);
    for (; slots_[i] != 0; i = (i + 1) & (slots_.size() - 1)) {
      const auto other = static_cast<std::uint32_t>(slots_[i]) - 1;
      if ((slots_[i] >> 32) != tag(h) || !(magnitude(values[other]) == v)) continue;
      slots_[i] = tag(h) << 32 | (node + 1);
      return other;
    }
    slots_[i] = tag(h) << 32 | (node + 1);
    ++used_;
    return absent;
  }
  void grow(const std::vector<Fingerprint>& values) {
    slots_.assign(slots_.size() * (slots_.size() < 65536 ? 4 : 2), 0);
    used_ = 0;
    for (std::uint32_t n = 0; n + 1 < values.size(); ++n) enter(n, values);  // the last one is being put in
  }

  std::vector<std::uint64_t> slots_;
  std::size_t used_ = 0, free_ = 0;  // free_: where the last find ended
};

struct Builder::Tables {
  std::vector<Fingerprint> values;  // of each node
  ValueTable table;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> shadows;  // (node, the equal node whose entry it took over)
  std::vector<Ref> arguments;                                    // of calls with more than two
  Exponentials exponentials;
  std::array<std::pair<Fingerprint, Fingerprint>, 256> inverses{};  // recently used (value, inverse)
  std::optional<std::uint32_t> problem;                             // the node that divides by an identical zero
};

// The field value of fn(args) at the point where the nodes have `values`.
Fingerprint call_value(const Builder&, Fn, std::span<const Ref> args, std::span<const Fingerprint> values, Exponentials&);

}  // namespace kron::code
