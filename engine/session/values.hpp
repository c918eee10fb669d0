// engine/session/values.hpp: what the bindings say: values of parameters, starts, bounds; as numbers and as tape nodes.
#pragma once
#include <algorithm>
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
  const FlatModel::FlatBinding* find(model::BindingKind, std::uint32_t slot) const;
  std::span<const model::Operand> operands(const FlatModel::FlatBinding& b) const {
    return {model_->operands.data() + b.first, b.count};
  }
  // A binding that is one number: no slot, no time.
  std::optional<Rational> exact_constant(const FlatModel::FlatBinding&) const;
  bool is_leaf(const FlatModel::FlatBinding&) const;  // depends on no other slot
  const FlatModel& model() const { return *model_; }
  bool has_limits(std::uint32_t slot) const { return has_other_[slot]; }  // a least, largest or nominal value

 private:
  const FlatModel* model_;
  std::vector<std::uint32_t> value_;                        // by slot
  std::vector<std::uint32_t> start_;
  std::unordered_map<std::uint64_t, std::uint32_t> other_;  // kind and slot
  std::vector<bool> has_other_;                             // by slot
};

// The binding that wins, where it depends on no slot; or null. For single questions.
const FlatModel::FlatBinding* given_number(const FlatModel&, model::BindingKind, std::uint32_t slot);

// By slot: the parameters that nominal or limiting values depend on.
std::vector<bool> attribute_slots(const FlatModel&);

// Numbers, evaluated on demand and kept. `overrides` win over bindings.
class Numbers {
 public:
  Numbers(const FlatModel&, const Bindings&, const Overrides&);
  double value(std::uint32_t slot);
  double start(std::uint32_t slot);
  std::optional<double> bound(model::BindingKind, std::uint32_t slot);
  double operand(model::Operand);  // of parameters, constants, starts; time is 0
  void forget(std::uint32_t slot) { known_[slot] = 0; }  // an override it depends on has changed
  void forget() { std::fill(known_.begin(), known_.end(), std::uint8_t{0}); }

 private:
  double evaluate_binding(const FlatModel::FlatBinding&);
  void settle(std::uint32_t slot);
  const FlatModel& m_;
  const Bindings& b_;
  const Overrides& overrides_;
  std::vector<double> value_;
  std::vector<std::uint8_t> known_;  // 0 not yet, 1 being evaluated, 2 known
};

double start(const State&, Numbers&);  // zero without a start value

// The choices of states that a run has to watch.
std::vector<simulate::StateChoice> state_choices(const Analysis&, Numbers&);

// Parameters and starts as tape inputs. Leaves (numbers) are inputs, so that a new value needs no new code; bindings that are
// expressions are computed in the parameter section. Both tapes of an analysis share the input numbering.
struct InputNumbers {
  std::vector<std::uint32_t> parameters, starts, signals;  // by input index: the slot
  std::unordered_map<std::uint32_t, std::uint32_t> parameter_of, start_of, signal_of;
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
  std::unordered_map<std::uint32_t, code::Ref> constants_;
};

}  // namespace kron::session
