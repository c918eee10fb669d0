// engine/session/numbering.hpp: the numbers of an analysis, kept from one problem to the next, so that new values for a few parameters
// or starts cost what depends on them.
//   keep  what comes out for some overrides does not depend on those that it was asked for before
#pragma once
#include "engine/session/emit.hpp"

namespace kron::session {

// Errors for the assertions that parameters alone decide, and that do not hold.
// The instances of which one does not hold.
std::vector<std::uint32_t> check_assertions(const Analysis&, Numbers&, Diagnostics&);

class Numbering {
 public:
  explicit Numbering(std::shared_ptr<const Analysis>);
  const std::shared_ptr<const Analysis>& analysis() const { return analysis_; }

  // Parameters, starts, signals, nominal values, choices of states and sets. Needs no program.
  void evaluate(const Overrides&, Diagnostics&);
  // With these numbers; the rest of it is what the caller puts in once.
  simulate::Problem& problem();
  // Exact values of parameters, starts and signals, as they are now.
  void add_exact(simulate::Problem&) const;

 private:
  bool update(const Overrides&);
  void evaluate_all(const Overrides&, Diagnostics&);
  void find_readers();
  bool spread(std::vector<std::uint32_t>& changed, std::vector<std::uint32_t>& assertions);
  bool put(std::uint32_t node);

  std::shared_ptr<const Analysis> analysis_;
  const Bindings& bindings_;
  Overrides overrides_;
  Numbers numbers_;
  simulate::Problem problem_;
  std::vector<double> nominal_;  // by root
  std::shared_ptr<ChoiceMeasures> measures_;
  bool watched_ = false;  // the choices of states are in problem_
  bool holds_ = false;  // problem_ is that of overrides_, and without errors
  // By node, 2 slot for a value and 2 slot + 1 for a start: the bindings that read it, counted on by the assertions that parameters decide.
  // Empty until values change.
  std::vector<std::uint32_t> reader_begin_, reader_;
  std::vector<std::uint32_t> mark_;
  std::uint32_t stamp_ = 0;
};

}  // namespace kron::session
