// engine/session/values.hpp: what the bindings say: values of parameters, starts, bounds; as numbers and as tape nodes.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/code/tape.hpp"
#include "engine/session/system.hpp"
#include "engine/solve/template.hpp"

namespace kron::session {

// The binding that wins for each slot and kind.
class Bindings {
 public:
  explicit Bindings(const FlatModel&);
  const FlatModel::FlatBinding* find(model::BindingKind kind, std::uint32_t slot) const {
    std::uint32_t k = none;
    if (slot >= value_.size()) return nullptr;
    if (kind == model::BindingKind::value) k = value_[slot];
    else if (kind == model::BindingKind::start) k = start_[slot];
    else if (limits_of_[slot] != none) k = limits_[limits_of_[slot]][place_among_limits(kind)];
    return k == none ? nullptr : &model_->bindings[k];
  }
  std::span<const model::Operand> operands(const FlatModel::FlatBinding& b) const {
    return {model_->operands.data() + b.first, b.count};
  }
  // A binding that is one number: no slot, no time.
  std::optional<Rational> exact_constant(const FlatModel::FlatBinding&) const;
  bool is_leaf(const FlatModel::FlatBinding&) const;  // depends on no other slot
  const FlatModel& model() const { return *model_; }
  bool has_limits(std::uint32_t slot) const { return limits_of_[slot] != none; }  // a least, largest or nominal value

 private:
  const FlatModel* model_;
  std::vector<std::uint32_t> value_;                        // by slot
  std::vector<std::uint32_t> start_;
  using Limits = std::array<std::uint32_t, 3>;  // the least, the largest, the nominal value
  static std::size_t place_among_limits(model::BindingKind k) {
    return k == model::BindingKind::minimum ? 0 : k == model::BindingKind::maximum ? 1 : 2;
  }
  std::vector<std::uint32_t> limits_of_;        // by slot, into limits_; none: it has none
  std::vector<Limits> limits_;
};

// The binding that wins, where it depends on no slot; or null. For single questions.
const FlatModel::FlatBinding* given_number(const FlatModel&, model::BindingKind, std::uint32_t slot);

// By slot: the parameters that nominal or limiting values depend on.
std::vector<bool> attribute_slots(const FlatModel&);

// Numbers, evaluated on demand and kept. `overrides` win over bindings.
class Numbers {
 public:
  Numbers(const FlatModel&, const Bindings&, const Overrides&);
  double value(std::uint32_t slot) {
    if (slot >= m_.slots) return 0;
    if (known_[slot] != 2) settle(slot);
    return value_[slot];
  }
  double start(std::uint32_t slot);
  std::optional<double> bound(model::BindingKind, std::uint32_t slot);
  double operand(model::Operand);  // of parameters, constants, starts; time is 0
  void forget(std::uint32_t slot) { known_[slot] = 0; }  // an override it depends on has changed
  void forget() { std::fill(known_.begin(), known_.end(), std::uint8_t{0}); }

 private:
  double evaluate_binding(const FlatModel::FlatBinding&);
  void settle(std::uint32_t slot);
  bool is_known(model::Operand o) const { return o.kind() == model::OperandKind::value && o.index() < m_.slots && known_[o.index()] == 2; }
  const FlatModel& m_;
  const Bindings& b_;
  const Overrides& overrides_;
  std::vector<double> value_;
  std::vector<std::uint8_t> known_;  // 0 not yet, 1 being evaluated, 2 known
  std::vector<std::uint32_t> open_;  // slots that wait for others, while some are settled
};

double start(const State&, Numbers&);  // zero without a start value

// The choices of states that a run has to watch; and the measures of those that hang on the point alone, with these overrides. Null: there are none.
struct ChoiceMeasures;
std::shared_ptr<ChoiceMeasures> watch_choices(const std::shared_ptr<const Analysis>&, simulate::Problem&);
void measure_choices(const std::shared_ptr<ChoiceMeasures>&, const Overrides&, simulate::Problem&);

// Warnings for parameters that the start of a run has found, and that are outside their least and largest values. `found`: of
// Problem::free_parameters.
void check_found(const Analysis&, Overrides, std::span<const double> found, Diagnostics&);

// The input of a slot.
class InputOfSlot {
 public:
  std::optional<std::uint32_t> find(std::uint32_t slot) const {
    return contains(slot) ? std::optional(input_[slot]) : std::nullopt;
  }
  bool contains(std::uint32_t slot) const { return slot < input_.size() && input_[slot] != none; }
  // Its input, which becomes `next` where it has none; and whether it had none.
  std::pair<std::uint32_t, bool> add(std::uint32_t slot, std::uint32_t next) {
    if (slot >= input_.size()) input_.resize(std::size_t{slot} + 1, none);
    const bool is_new = input_[slot] == none;
    if (is_new) input_[slot] = next;
    return {input_[slot], is_new};
  }

 private:
  std::vector<std::uint32_t> input_;  // by slot; none
};

// Parameters and starts as tape inputs. Leaves (numbers) are inputs, so that a new value needs no new code; bindings that are
// expressions are computed in the parameter section. Both tapes of an analysis share the input numbering.
struct InputNumbers {
  std::vector<std::uint32_t> parameters, starts, signals;  // by input index: the slot
  InputOfSlot parameter_of, start_of, signal_of;
};

class ParameterRefs {
 public:
  ParameterRefs(const System&, const Bindings&, InputNumbers&, code::Builder&, solve::Templates&, Diagnostics&);
  code::Ref parameter(std::uint32_t slot);
  code::Ref start(std::uint32_t slot);
  code::Ref signal(std::uint32_t slot);
  code::Ref constant(model::ConstId);
  code::Ref time();
  // Values (or starts) whose bindings are expressions, in the order in which they were emitted.
  struct Computed {
    model::Operand what;
    code::Ref value;
  };
  const std::vector<Computed>& computed() const { return computed_; }
  void restore(Computed);  // one whose nodes are on the tape

 private:
  code::Ref binding(const FlatModel::FlatBinding&);
  code::Ref computed(const FlatModel::FlatBinding&);
  code::Ref leaf(code::InputKind, std::uint32_t slot);
  void settle(std::uint32_t slot);
  const System& s_;
  const Bindings& b_;
  InputNumbers& numbers_;
  code::Builder& tape_;
  solve::Templates& templates_;
  Diagnostics& d_;
  static constexpr code::Ref not_yet{none};
  std::vector<code::Ref> known_, starts_;  // by variable
  std::vector<Computed> computed_;
  std::vector<std::uint32_t> open_;  // slots that wait for others, while some are settled
  std::unordered_map<std::uint32_t, code::Ref> constants_;
};

}  // namespace kron::session
