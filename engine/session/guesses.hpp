// engine/session/guesses.hpp: where iterations of the initial program begin that have no start values of their own.
//   problem  the unknown of an iteration is what the sorting made it: the component of a rod where the user gave the position of a slide. Its block
//            has no row that ties the two; others, computed later, have
//   method   start values, and what earlier blocks computed, go through all rows of the system: a row that knows all but one of its unknowns,
//            linear in that, gives it. Nearest first, so of rows that contradict each other the one with fewer steps from what was given decides.
//            The zeros that declarations have by themselves come last
#pragma once
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "engine/session/emit.hpp"

namespace kron::session {

class Guesses {
 public:
  struct Start {
    code::Ref value;
    bool vague = false;  // VariableInfo::vague
  };
  struct Sources {
    std::function<code::Ref(model::Operand)> known;                        // of operands that are no unknown
    std::function<std::optional<Start>(std::uint32_t root)> start;         // where one was given, or it is computed already
  };
  Guesses(const System&, code::Builder&, solve::Templates&, Sources);
  // An unknown that was computed. It counts for what has no guess yet.
  void computed(std::uint32_t root, code::Ref value);
  std::optional<solve::Guess> of(std::uint32_t root);

 private:
  void learn(std::uint32_t root, code::Ref value);
  void carry();
  bool give(std::uint32_t row, bool by_parameter);
  const System& s_;
  code::Builder& tape_;
  solve::Templates& templates_;
  Sources sources_;
  std::vector<std::uint32_t> holder_begin_, holder_, open_;  // by root: rows; by row: unknowns without a guess
  std::vector<code::Ref> guess_, values_;
  std::vector<bool> has_, open_guess_;  // open_guess_: it comes from a vague one
  std::vector<std::pair<std::uint32_t, code::Ref>> vague_;  // until they count
  std::deque<std::uint32_t> ready_, doubtful_;  // doubtful_: the coefficient is a parameter's, which may be zero
};

}  // namespace kron::session
