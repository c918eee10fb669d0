// engine/session/initialise.hpp: the initialisation problem. Unknowns are all variables, states too, and the parameters (fixed =
// false). The model's rows (differentiated ones too) leave as many of them free as there are states and free parameters. The
// conditions that take this freedom are offered one after another:
//   1. initial equations, in the order of the model
//   2. start values of variables that are `fixed`
//   3. start values of states, in the order of the states: they complete what the user left open. Those that are given come first,
//      then candidates of dynamic sets, then zero for states without one: what a model puts down of its start (an energy) follows it
// A condition is taken where it determines something that the rows taken leave free, structurally and in the rank of its block. What
// is left over of 1 and 2 is surplus: it is no part of the problem, but must hold at its solution.
#pragma once
#include "engine/session/emit.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

class Initialisation {
 public:
  Initialisation(Analysis&, const System&, const Bindings&, const VariableTable&);

  // A parameter (fixed = false), or one bound to an expression of such a parameter.
  bool is_free(std::uint32_t slot) const { return is_free_[slot]; }

  // `rows`: a copy of the dynamic system; `dynamic`: the matching of the dynamic problem, which leaves just the states free. Fills in the
  // analysis: initial blocks, tape, free parameters, surplus conditions, diagnostics.
  void run(std::shared_ptr<System> rows, const structure::Matching& dynamic, InputNumbers&, solve::Templates&, solve::Memory&, const Options&);

  // Nodes of the initial tape: values of the states, of the free parameters, of the candidates of the dynamic sets, then two for each
  // surplus condition (SurplusRow).
  const std::vector<code::Ref>& roots() const { return roots_; }
  const PinnedStates& pinned() const { return pinned_; }

 private:
  struct Condition {
    enum Kind : std::uint8_t { equation, fixed, completion, closing, constant } kind{};  // closing: System::left_out; constant: fixed, of one
    std::uint32_t row = 0;
    std::uint32_t of = 0;    // an initial equation; a variable, none of a set's; which of those left out
    bool dependent = false;  // others imply it, as the rank of their block shows
    bool preferred = false;  // nothing else tells what it is about
    std::vector<std::uint32_t> determining = {};  // those rows, ascending
  };
  void find_free_parameters();
  std::uint32_t free_among(const FlatModel::FlatBinding&) const;
  void check_discrete_starts();
  void check_jumps();
  void add_bound(const FlatModel::FlatBinding&, std::uint32_t variable);
  void free_parameters();
  void match_bindings(std::uint32_t rows);
  void list_conditions();
  const SystemRow& closing(std::uint32_t k) const;  // of the conditions that a run checks only: Condition::of
  SurplusCondition::Condition named(const Condition&) const;
  std::uint32_t level(std::uint32_t variable) const;
  void complete_sets(std::uint32_t level);
  void add_start(Condition::Kind, std::uint32_t variable, std::uint32_t start_slot);
  void choose(const structure::Matching& dynamic);
  bool offer(std::uint32_t row, bool told);
  std::vector<std::uint32_t> reached() const;
  void left_over(const Condition&, const std::vector<std::uint32_t>& determining);
  bool drop_one(const SingularBlock&);
  bool prefer_one(const SingularBlock&);
  bool determined(std::uint32_t slot);
  SortedProblem problem() const;
  void take(Emitted, InputNumbers&);
  void start_iterations(const Emitted&);

  Analysis& a_;
  const System& dynamic_;
  const Bindings& bindings_;
  const VariableTable& table_;
  std::shared_ptr<System> system_;  // the dynamic problem's rows, then those of initialisation alone
  std::uint32_t model_rows_ = 0;    // of system_: the conditions' rows follow
  std::vector<bool> is_unknown_, is_free_;
  std::vector<std::uint32_t> free_, bound_parameter_;  // slots: parameters that the initialisation determines
  std::vector<Condition> conditions_;
  std::vector<std::uint32_t> surplus_rows_;
  structure::Incidence graph_;      // of rows_, once an alternating path is looked for
  structure::Matching matching_;
  std::vector<std::uint32_t> columns_;      // scratch, of a row that is offered
  std::vector<std::uint32_t> rows_, mark_;  // by row of the graph: the system's
  std::uint32_t stamp_ = 0;
  std::vector<code::Ref> roots_;
  PinnedStates pinned_;
};

}  // namespace kron::session
