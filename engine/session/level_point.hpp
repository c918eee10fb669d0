// engine/session/level_point.hpp: the random point of two prime fields at which states.cpp looks at rows and their Jacobian. Private to the room.
//   Variables are drawn, but for those that a row gives from others by a constant pivot, as the elements of a rotation from its angle: they
//   are what it gives, so that what is zero wherever these rows hold is zero here. Values depend on names
//   only, but for axes (parallel_axes.hpp).
#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/code/probe.hpp"
#include "engine/code/tape.hpp"
#include "engine/session/level_matrix.hpp"
#include "engine/session/system.hpp"
#include "engine/session/values.hpp"
#include "engine/solve/template.hpp"

namespace kron::session {

class LevelPoint {
 public:
  explicit LevelPoint(const System& s) : s_(s) {}

  // Parameters that others give, as the elements of a fixed rotation its angle, are what these give, not drawn.
  void compute_parameters() { bindings_.emplace(*s_.flat); }

  // Parameters, start values and constants are these numbers; variables are drawn.
  void take_numbers(Numbers& numbers) { numbers_ = &numbers; }

  // Of the variables those that rows give are given: each by a row of which no other of them is open. Whole arrays of rows before single
  // rows, so that what no row is needed for is whole arrays, too. Where no row can give another one, a scalar that is differentiated and is
  // in no connector is drawn, as the coordinate of a joint that is not to be a state. To be called before anything else is asked of the variables.
  void give(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& variables);
  // Those that nobody wants as states, by all rows that are as they are written but those of these equations.
  void give_all_but(const std::vector<bool>& equations);
  std::uint32_t given_by(std::uint32_t row) const;  // a variable; none

  LevelMatrix jacobian(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns);
  code::Ref at(model::Operand);
  code::Ref residual(const SystemRow&);
  code::Fingerprint fingerprint(code::Ref r) const { return tape_.fingerprint(r); }
  std::size_t nodes() const { return tape_.size(); }
  // What was drawn, and its node.
  std::vector<std::pair<model::Operand, std::uint32_t>> drawn() const;
  std::vector<bool> needed_by(const std::vector<code::Ref>&) const;  // by node
  // Of the values those that depend on some of these drawn nodes, and on no others.
  std::vector<code::Ref> of_these_alone(const std::vector<code::Ref>& values, const std::vector<std::uint32_t>& nodes) const;
  code::NumberProbe numbers(std::uint64_t seed) const { return {tape_, seed}; }  // the same at a random point of real numbers; while this lives

 private:
  std::vector<code::Ref> at(const SystemRow&);  // values of its operands
  std::optional<code::Ref> computed(model::Operand);
  bool give(std::uint32_t row, std::uint32_t variable);

  const System& s_;
  code::Builder tape_;
  solve::Templates templates_;
  std::optional<Bindings> bindings_;
  Numbers* numbers_ = nullptr;
  std::uint32_t depth_ = 0;                                 // of parameters that wait for others
  std::unordered_map<std::uint32_t, code::Ref> values_;     // of operands, by their bits
  std::unordered_map<std::uint32_t, std::uint32_t> given_;  // by row
};

}  // namespace kron::session
