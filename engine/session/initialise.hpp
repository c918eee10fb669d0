// engine/session/initialise.hpp: the initialisation problem. The model's rows (differentiated ones too), the initial equations, fixed
// starts, then start values of states as far as freedom is left; unknowns are all variables and the parameters (fixed = false).
#pragma once
#include "engine/session/emit.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

class Initialisation {
 public:
  Initialisation(Analysis&, const System&, const Bindings&, const VariableTable&);

  // A parameter (fixed = false), or one bound to an expression of such a parameter.
  bool is_free(std::uint32_t slot) const { return is_free_[slot]; }

  // `dynamic`: the matching of the dynamic problem; it leaves just the states free. Fills in the analysis: initial blocks, tape, free
  // parameters, diagnostics.
  void run(const structure::Matching& dynamic, InputNumbers&, solve::Templates&, solve::Memory&, const Options&);

  // Nodes of the initial tape: values of the states, then of the free parameters.
  const std::vector<code::Ref>& roots() const { return roots_; }

 private:
  void find_free_parameters();
  void free_parameters();
  void match_bindings();
  bool offer(std::uint32_t row);
  void conditions();
  void add_start(std::uint32_t variable, std::uint32_t start_slot);
  bool determined(std::uint32_t slot);
  void too_many(const std::string& what, Span at);
  void emit(InputNumbers&, solve::Templates&, solve::Memory&, const Options&);

  Analysis& a_;
  const System& dynamic_;
  const Bindings& bindings_;
  const VariableTable& table_;
  std::shared_ptr<System> system_;  // the dynamic problem's rows, then those of initialisation alone
  std::vector<bool> is_unknown_, is_free_;
  std::vector<std::uint32_t> free_, bound_parameter_;  // slots: parameters that the initialisation determines
  structure::Incidence graph_;
  structure::Matching matching_;
  std::vector<std::uint32_t> rows_, mark_;  // by row of the graph: the system's
  std::uint32_t stamp_ = 0;
  std::vector<code::Ref> roots_;
};

}  // namespace kron::session
