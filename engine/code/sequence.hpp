// engine/code/sequence.hpp: the order in which machine code runs a region. Private to the room.
//   in    a program and who makes what
//   out   the live instructions and the steps of a region, each after what it reads; a guarded step, which stands for its watches, before
//         what takes its unknowns
//   how   depth first from what must be done, in the order in which the tape was made: a value is computed when it is needed, so
//         that few are alive at a time. Calls come first, with what they need: all registers are lost in a call. The sine and the cosine of
//         one angle are neighbours
#pragma once
#include <unordered_map>
#include <vector>

#include "engine/code/producers.hpp"

namespace kron::code {

// Is the function called? The others are made of a few instructions.
bool is_called(const Run&);
// Are these instructions the sine and the cosine of one angle?
bool twins(const Program&, const Producers&, std::uint32_t reg, std::uint32_t other);

class Sequence {
 public:
  // A node is a register (of the instruction that makes it) or a step.
  using Node = std::uint32_t;
  static constexpr Node step_bit = 0x80000000;
  static bool is_step(Node n) { return n & step_bit; }
  static std::uint32_t step(Node n) { return n & ~step_bit; }

  Sequence(const Program&, const Producers&);
  std::vector<Node> of(std::uint32_t region, Purpose);

 private:
  void visit(Node);
  void find_twins(std::vector<Node> calls);
  void put(Node);
  template <class F>
  void each_dependency(Node, F&&) const;
  template <class F>
  void each_read_in_body(std::uint32_t region, F&&) const;
  std::uint32_t rank(Node n) const { return is_step(n) ? p_.steps[step(n)].made : p_.made[n]; }
  bool done(Node n) const { return is_step(n) ? step_done_[step(n)] : register_done_[n]; }

  const Program& p_;
  const Producers& from_;
  std::vector<bool> register_done_, step_done_;
  std::uint32_t region_ = 0;
  struct Visit {
    Node node;
    bool ready;  // what it needs was put on the stack
  };
  std::vector<Visit> stack_;
  std::vector<Node> result_;
  std::unordered_map<Node, Node> twin_;
};

}  // namespace kron::code
