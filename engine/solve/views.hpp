// engine/solve/views.hpp: a coupled linear block as the orderings see it: entries, array groups and marks, once as it is and once with
// the connectors' aliases kept.
//   Reduction has merged x = ±y, which hides the components' arrays and the data flow between them, which the ladder needs. The second
//   view has a copy of an unknown for each variable of its alias set that the rows name, and the model's own equations x = ±y
//   between them. Its first rows and unknowns are those of the block; elimination takes the copies out again at no cost.
#pragma once
#include <optional>

#include "engine/base/small.hpp"
#include "engine/solve/carried.hpp"
#include "engine/solve/ordering.hpp"
#include "engine/solve/rows.hpp"

namespace kron::solve {

struct View {
  LinearSystem system;
  OrderingProblem problem;  // refers to `system`
  NamedPlaces names;        // of a large block whose equations have keys; else empty
  View() = default;
  View(const View& v, const code::Builder& tape) : system(v.system), problem(v.problem), names(v.names) {
    problem.tape = &tape;
    problem.system = &system;
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
};

class Views {
 public:
  explicit Views(Work&);
  Views(const Views&, const code::Builder& tape);  // the same on a copy of the tape
  const View& operator[](bool aliases) const { return aliases ? aliases_ : plain_; }
  bool has_aliases() const { return has_aliases_; }
  bool large() const { return plain_.system.rows.size() > few_unknowns; }
  bool very_large() const { return plain_.system.rows.size() > very_many_unknowns; }
  // Beyond this size of the tape the numerical factorisation does better than straight-line code.
  std::size_t most_nodes() const { return most_nodes_; }
  // OrderingProblem::kind of both, which trials ask for; where an order is carried over nobody does.
  void name_kinds(const BlockProblem&);
  // The block's unknown that the column of a view stands for.
  std::uint32_t unknown(std::uint32_t column) const { return column < copied_.size() ? copied_[column] : column; }

 private:
  using Members = std::vector<Small<std::uint64_t, 2>>;  // by unknown
  struct Ties;  // equations that hold the members of alias sets together
  static Ties ties_between(const BlockProblem&, const Members&);
  void read(Work&, const Members&);
  void keep_aliases(const Work&, const Members&, const Ties&);
  View plain_, aliases_;
  bool has_aliases_ = false;
  std::size_t most_nodes_ = 0;
  std::vector<std::uint32_t> copied_;  // by column of the second view; empty without it
  std::vector<std::uint64_t> named_;   // by column of either: the member that it is
};

}  // namespace kron::solve
