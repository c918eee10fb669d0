// engine/session/hints.hpp: what a library author or user says about tearing, in terms of a system.
//   in    `tear` and `untear` statements and residue(…) marks of the flat model, those of equations that reduction took out too
//   out   torn unknowns by root, residue equations by equation of the flat model
//   keep  a hint that cannot be followed is dropped; one of a statement with a warning
#pragma once
#include <string>
#include <vector>

#include "engine/session/system.hpp"

namespace kron::session {

struct SortedProblem;

class TearHints {
 public:
  explicit TearHints(const System&);

  bool torn(std::uint32_t root) const { return by_mark(root) || by_hand(root); }
  bool by_hand(std::uint32_t root) const { return !statement_.empty() && statement_[root] != none; }  // a statement's
  bool residue(const SystemRow& r) const { return r.origin != none && !residue_.empty() && residue_[r.origin]; }
  bool residue_by_hand(const SystemRow& r) const { return r.origin != none && !named_.empty() && named_[r.origin]; }

  // The problem with assignments of torn unknowns taken into the coupled blocks that they follow from.
  SortedProblem gathered(const SortedProblem&) const;

  // Statements that say nothing about the blocks.
  void report(const SortedProblem&, Diagnostics&) const;

 private:
  bool by_mark(std::uint32_t root) const { return !marked_.empty() && marked_[root]; }
  void read_marks();
  void read_statements();
  void name_residues(const FlatModel::FlatTear&, std::uint32_t statement);
  void not_used(Diagnostics&, std::uint32_t statement, std::uint32_t variable, const std::string& why) const;

  const System& s_;
  std::vector<bool> marked_;              // by root; these four are empty where nothing is said
  std::vector<std::uint32_t> statement_;  // by root: the `tear` that names it, or none
  std::vector<bool> residue_, named_;     // by equation: in any way, by a statement
  struct Unused { std::uint32_t statement, variable; };
  std::vector<Unused> constant_;          // variables that are no unknowns
  std::vector<std::uint32_t> nowhere_;    // statements whose equation is not there
};

}  // namespace kron::session
