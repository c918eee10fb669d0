// engine/code/tables.hpp: what a Builder keeps besides its nodes. Private to the room.
#pragma once
#include <array>
#include <utility>
#include <vector>

#include "engine/code/tape.hpp"

namespace kron::code {

// Fingerprint up to sign -> node. Open addressing with linear probing. Most look-ups find nothing: a byte of the hash for each slot tells
// so, and those bytes stay in the processor's cache where the table does not.
// Only the entry put in last may be taken out, so clearing its slot never breaks another probe sequence.
class ValueTable {
 public:
  ValueTable() : tags_(1024, 0), nodes_(1024, 0) {}
  static constexpr std::uint32_t absent = 0xffffffff;

  static std::uint64_t hash(Fingerprint magnitude_of_value) {
    return (magnitude_of_value.a ^ (magnitude_of_value.b << 29 | magnitude_of_value.b >> 35)) * 0x9e3779b97f4a7c15ull;
  }
  // What a look for a value came to: the node with it up to sign, or `absent`; where it stands, or would. Two whole registers: of smaller
  // members the compiler puts the result together in memory, and waits there for all that is on its way to it.
  struct Found {
    std::uint64_t node = absent;
    std::uint64_t place = 0;  // tag and slot
    std::uint8_t tag() const { return static_cast<std::uint8_t>(place >> 32); }
    std::uint32_t slot() const { return static_cast<std::uint32_t>(place); }
  };
  Found look(Fingerprint value, const std::vector<Fingerprint>& values) const {
    const Fingerprint m = magnitude(value);
    const std::uint64_t h = hash(m);
    const std::uint8_t t = tag(h);
    std::size_t i = place(h);
    for (; tags_[i] != 0; i = next(i))
      if (tags_[i] == t && magnitude(values[nodes_[i]]) == m) return {nodes_[i], std::uint64_t{t} << 32 | i};
    return {absent, std::uint64_t{t} << 32 | i};
  }
  std::uint32_t find(Fingerprint value, const std::vector<Fingerprint>& values) const {
    return static_cast<std::uint32_t>(look(value, values).node);
  }
  // Enters `node`; returns the node whose entry it took over, or `absent`.
  std::uint32_t put(std::uint32_t node, const std::vector<Fingerprint>& values) {
    if (used_ * 10 > tags_.size() * 7) enter_all(values.size() - 1, larger(tags_.size()), values);  // `node` is the last one
    return enter(node, values);
  }
  // The same where nothing was put in since `look` found nothing.
  void put_new(std::uint32_t node, const Found& nothing, const std::vector<Fingerprint>& values) {
    if (used_ * 10 > tags_.size() * 7) {
      put(node, values);
      return;
    }
    tags_[nothing.slot()] = nothing.tag();
    nodes_[nothing.slot()] = node;
    ++used_;
  }
  void take_out(std::uint32_t node, Fingerprint value, std::uint32_t shadowed) {
    const std::uint64_t h = hash(magnitude(value));
    std::size_t i = place(h);
    while (tags_[i] != tag(h) || nodes_[i] != node) i = next(i);
    if (shadowed != absent) {
      nodes_[i] = shadowed;
      return;
    }
    tags_[i] = 0;
    --used_;
  }
  // Room for so many values: nothing is moved until there are more.
  void expect(std::size_t n, const std::vector<Fingerprint>& values) {
    std::size_t size = tags_.size();
    while (n * 10 > size * 7) size *= 2;
    if (size != tags_.size()) enter_all(values.size(), size, values);
  }
  std::size_t slots() const { return tags_.size(); }
  // Of nothing: all nodes, later ones before earlier ones of the same value.
  void fill(const std::vector<Fingerprint>& values) {
    std::size_t size = tags_.size();
    while (values.size() * 10 > size * 7) size = larger(size);
    enter_all(values.size(), size, values);
  }

 private:
  std::size_t place(std::uint64_t h) const { return (h >> 20) & (tags_.size() - 1); }
  std::size_t next(std::size_t i) const { return (i + 1) & (tags_.size() - 1); }
  static std::uint8_t tag(std::uint64_t h) { return static_cast<std::uint8_t>(1 + ((h >> 56) * 255 >> 8)); }  // never 0
  std::uint32_t enter(std::uint32_t node, const std::vector<Fingerprint>& values) {
    const Found found = look(values[node], values);
    nodes_[found.slot()] = node;
    if (found.node != absent) return static_cast<std::uint32_t>(found.node);
    tags_[found.slot()] = found.tag();
    ++used_;
    return absent;
  }
  static std::size_t larger(std::size_t size) { return size * (size < 65536 ? 4 : 2); }
  // The first `count` nodes, into slots that are free.
  void enter_all(std::size_t count, std::size_t slots, const std::vector<Fingerprint>& values) {
    tags_.assign(slots, 0);
    nodes_.assign(slots, 0);
    used_ = 0;
    for (std::uint32_t n = 0; n < count; ++n) enter(n, values);
  }

  std::vector<std::uint8_t> tags_;  // by slot: 0 where it is free
  std::vector<std::uint32_t> nodes_;
  std::size_t used_ = 0;
};

struct Builder::Tables {
  struct Root {
    Rational of;
    std::uint64_t characters = 0;  // quadratic ones, of small primes: those of numbers that differ by a square are the same
    std::uint32_t node = 0;
  };
  std::vector<Fingerprint> values;  // of each node
  ValueTable table;
  std::vector<Root> roots;                                        // of numbers, in order
  std::vector<std::uint32_t> constant_nodes, input_nodes;  // of the constants and inputs, in order
  std::size_t next_input = 0;  // behind the one asked for again last: those of a tape's beginning are asked for in its order
  std::vector<std::pair<std::uint32_t, std::uint32_t>> shadows;  // (node, the equal node whose entry it took over)
  std::vector<Ref> arguments;                                    // of calls with more than two
  Exponentials exponentials;
  std::optional<std::uint32_t> problem;                             // the node that divides by an identical zero
};

// The field value of fn(args) at the point where the nodes have `values`.
Fingerprint call_value(const Builder&, Fn, std::span<const Ref> args, std::span<const Fingerprint> values, Exponentials&);

}  // namespace kron::code
