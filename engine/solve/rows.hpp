// engine/solve/rows.hpp: a block's rows ready for work: which placeholder is which unknown, values of the known ones.
#pragma once
#include "engine/base/small.hpp"
#include "engine/solve/block.hpp"
#include "engine/solve/elimination.hpp"

namespace kron::solve {

struct Occurrence {
  std::uint32_t placeholder = 0, unknown = 0;  // unknown: position in the block
  std::uint64_t member = 0;                    // the variable of its alias set that stands in the equation
};

struct WorkRow {
  model::FormId form;                  // without marks
  Small<code::Ref, 6> values;          // by placeholder; zero for unknowns
  Small<Occurrence, 4> occurrences;    // by unknown, ascending
  std::vector<std::uint32_t> relaxed;  // unknowns that occur inside relax(…) only, ascending
};

struct Work {
  const BlockProblem& problem;
  code::Builder& tape;
  Templates& templates;
  std::vector<WorkRow> rows;
  std::vector<bool> residue_row, tearing_unknown;  // marked, in the equations or by `tear`
  code::Section section{};             // of the known operands, at least parameter
  std::size_t begin = 0;               // nodes of the tape before those of its rows: which of these are needed hangs on the ordering, too

  code::Ref residual(const WorkRow& r) { return templates.emit(tape, model::forms().root(r.form), r.values); }
  code::Ref partial(const WorkRow& r, std::uint32_t placeholder) {
    return templates.emit(tape, model::forms().partial(r.form, placeholder), r.values);
  }
};

Work prepare(const BlockProblem&, code::Builder&, Templates&);
LinearSystem assemble(Work&);  // of linear rows
bool is_linear(const Work&);  // every row linear in all unknowns together

BlockSolution solve_scalar(Work&);
BlockSolution solve_linear(Work&);
BlockSolution solve_nonlinear(Work&);
BlockSolution solve_pinned(Work&);  // linear, with pins
// The problem's pins with columns of a step: `column` by position of the unknown.
std::vector<code::Pins> pins_of(const BlockProblem&, const std::vector<std::uint32_t>& column);

}  // namespace kron::solve
