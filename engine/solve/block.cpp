#include "engine/solve/block.hpp"

#include <algorithm>

#include "engine/base/key_map.hpp"
#include "engine/solve/canonical.hpp"
#include "engine/solve/checks.hpp"
#include "engine/solve/rank.hpp"
#include "engine/solve/rows.hpp"

namespace kron::solve {

using code::Ref;
using model::forms;
using model::Operand;
using model::OperandKind;

namespace {

// The marks of the row's own form: relax(…) around unknowns of the block, residue(…).
void read_marks(const Row& r, WorkRow& row, const KeyMap& position, Work& w) {
  for (const Occurrence& o : row.occurrences)
    if (forms().only_relaxed(r.form, o.placeholder)) row.relaxed.push_back(o.unknown);
  for (std::uint32_t k = 0; k < r.operands.size(); ++k) {
    if (!forms().has_residue(r.form, k)) continue;
    w.residue_row[w.rows.size()] = true;
    if (const Operand o = r.operands[k]; o.kind() == OperandKind::value)
      if (const std::uint32_t unknown = position.find(o.index()); unknown != KeyMap::none) w.tearing_unknown[unknown] = true;
  }
}

}  // namespace

Work prepare(const BlockProblem& p, code::Builder& tape, Templates& templates) {
  Work w{p, tape, templates, {}, {}, {}, code::Section::parameter, tape.size()};
  w.residue_row.assign(p.rows.size(), false);
  w.tearing_unknown.assign(p.unknowns.size(), false);
  for (std::uint32_t k : p.residues) w.residue_row[k] = true;
  for (std::uint32_t k : p.torn) w.tearing_unknown[k] = true;
  if (!p.pins.empty()) w.section = code::Section::dynamic;
  for (const code::Pins& pins : p.pins)
    for (std::uint32_t k : pins.column) w.tearing_unknown[k] = true;
  KeyMap position(p.unknowns.size());
  w.rows.reserve(p.rows.size());
  for (std::uint32_t k = 0; k < p.unknowns.size(); ++k) position.emplace(p.unknowns[k], k);
  for (const Row& r : p.rows) {
    WorkRow row;
    row.form = forms().unmarked(r.form);
    row.values.resize(r.operands.size(), code::zero);
    for (std::uint32_t k : forms().occurring(r.form)) {
      const Operand o = r.operands[k];
      const std::uint32_t unknown = o.kind() == OperandKind::value ? position.find(o.index()) : KeyMap::none;
      if (unknown != KeyMap::none) {
        row.occurrences.push_back({k, unknown, r.members.empty() ? o.index() : r.members[k]});
      } else {
        row.values[k] = p.known(o);
        w.section = std::max(w.section, tape.section(row.values[k]));
      }
    }
    std::sort(row.occurrences.begin(), row.occurrences.end(),
              [](const Occurrence& a, const Occurrence& b) { return a.unknown < b.unknown; });
    if (row.form != r.form) read_marks(r, row, position, w);
    w.rows.push_back(std::move(row));
  }
  return w;
}

bool is_linear(const Work& w) {
  for (const WorkRow& r : w.rows) {
    if (forms().integer_row(r.form)) continue;
    for (const Occurrence& o : r.occurrences) {
      const model::Linear& l = forms().linear(r.form, o.placeholder);
      if (!l.linear) return false;
      for (const Occurrence& x : r.occurrences)
        if (forms().depends_on(l.coefficient, x.placeholder)) return false;
    }
  }
  return true;
}

namespace {

// Rows that depend on each other at random values of everything but what the tape computes.
std::optional<Singular> dependent_rows(Work& w) {
  constexpr std::size_t most = 300;
  if (w.rows.size() > most) return std::nullopt;
  const std::size_t first = w.tape.size();
  const LinearSystem system = assemble(w);
  std::vector<std::vector<double>> entries;
  for (const auto& row : system.rows) {
    entries.emplace_back(w.problem.unknowns.size(), 0.0);
    for (const auto& x : row) entries.back()[x.column] = w.problem.checks->value_of(x.value);
  }
  w.tape.rewind(first);
  w.problem.checks->rewind(first);
  if (auto d = rank_deficiency(std::move(entries))) return Singular{std::move(d->rows), {}, false};
  return std::nullopt;
}

BlockSolution solve_in_order(const BlockProblem& p, code::Builder& tape, Templates& templates) {
  Work w = prepare(p, tape, templates);
  if (p.loops && p.checks && is_linear(w))
    if (std::optional<Singular> s = dependent_rows(w)) {
      BlockSolution none;
      none.kind = Kind::linear;
      none.singular = std::move(s);
      return none;
    }
  if (!p.pins.empty()) return is_linear(w) ? solve_pinned(w) : solve_nonlinear(w);
  if (w.rows.size() == 1) return solve_scalar(w);
  return is_linear(w) ? solve_linear(w) : solve_nonlinear(w);
}

}  // namespace

BlockSolution solve(const BlockProblem& given, code::Builder& tape, Templates& templates) {
  if (given.kind && given.pins.empty() && given.rows.size() > 1) {
    const Canonical c(given);
    BlockSolution s = solve_in_order(c.problem(), tape, templates);
    c.restore(s);
    return s;
  }
  return solve_in_order(given, tape, templates);
}

}  // namespace kron::solve
