#include "engine/session/hints.hpp"

#include <algorithm>
#include <unordered_map>

#include "engine/session/emit.hpp"

namespace kron::session {

using model::forms;
using model::Operand;
using model::OperandKind;

TearHints::TearHints(const System& s) : s_(s) {
  read_marks();
  if (!s.flat->tears.empty()) read_statements();
}

void TearHints::read_marks() {
  const model::Forms& table = forms();
  for (std::uint32_t e = 0; e < s_.flat->equations.size(); ++e) {
    const model::FlatEquation& x = s_.flat->equations[e];
    if (!table.has_marks(x.form)) continue;
    const auto operands = s_.flat->bound(x);
    for (std::uint32_t k = 0; k < operands.size(); ++k) {
      if (!forms().has_residue(x.form, k)) continue;
      if (residue_.empty()) residue_.assign(s_.flat->equations.size(), false);
      residue_[e] = true;
      if (operands[k].kind() != OperandKind::value || !s_.unknown[operands[k].index()]) continue;
      const Representative& r = s_.representative[operands[k].index()];
      if (r.sign == 0) continue;
      if (marked_.empty()) marked_.assign(s_.variables(), false);
      marked_[r.root.value] = true;
    }
  }
}

// In the order of the model, the enclosing classes' last.
void TearHints::read_statements() {
  statement_.assign(s_.variables(), none);
  named_.assign(s_.flat->equations.size(), false);
  for (std::uint32_t k = 0; k < s_.flat->tears.size(); ++k) {
    const FlatModel::FlatTear& t = s_.flat->tears[k];
    for (std::uint32_t v : t.variables) {
      const Representative& r = s_.representative[v];
      if (s_.unknown[v] && r.sign != 0) statement_[r.root.value] = t.untear ? none : k;
      else if (!t.untear) constant_.push_back({k, v});
    }
    if (!t.label.empty()) name_residues(t, k);
  }
  if (residue_.empty()) residue_.assign(s_.flat->equations.size(), false);
  for (std::uint32_t e = 0; e < named_.size(); ++e)
    if (named_[e]) residue_[e] = true;
}

void TearHints::name_residues(const FlatModel::FlatTear& t, std::uint32_t statement) {
  bool found = false;
  for (std::uint32_t e = 0; e < s_.flat->equations.size(); ++e) {
    const std::string name = model::label(*s_.flat, EqId{e});
    if (name != t.label && !(name.back() == ']' && name.substr(0, name.rfind('[')) == t.label)) continue;
    named_[e] = !t.untear;
    found = true;
  }
  if (!found) nowhere_.push_back(statement);
}

SortedProblem TearHints::gathered(const SortedProblem& p) const {
  if (statement_.empty()) return p;
  const auto begin = [&](std::uint32_t b) { return p.block_begin[b]; };
  const auto size = [&](std::uint32_t b) { return p.block_begin[b + 1] - p.block_begin[b]; };
  std::vector<std::uint32_t> block_of(s_.variables(), none), into(p.blocks(), none);
  for (std::uint32_t b = 0; b < p.blocks(); ++b) {
    for (std::uint32_t k = begin(b); k < begin(b + 1); ++k) block_of[p.block_unknown[k]] = b;
    if (size(b) > 1 || !by_hand(p.block_unknown[begin(b)])) continue;
    const SystemRow& row = s_.rows[p.block_row[begin(b)]];
    if (!forms().integer_row(row.form)) {
      bool linear = true;
      const auto operands = s_.bound(row);
      for (std::uint32_t k : forms().occurring(row.form))
        if (operands[k].kind() == OperandKind::value && s_.unknown[operands[k].index()])
          linear = linear && forms().linear(forms().unmarked(row.form), k).linear;
      if (!linear) continue;
    }
    std::uint32_t last = none;  // of the blocks that it needs
    for (std::uint32_t c : s_.columns(row))
      if (block_of[c] != none && block_of[c] != b && (last == none || block_of[c] > last)) last = block_of[c];
    if (last != none && into[last] != none) last = into[last];
    if (last != none && size(last) > 1) into[b] = last;
  }
  SortedProblem out = p;
  out.block_row.clear();
  out.block_unknown.clear();
  out.block_begin = {0};
  std::vector<std::vector<std::uint32_t>> joined(p.blocks());
  for (std::uint32_t b = 0; b < p.blocks(); ++b)
    if (into[b] != none) joined[into[b]].push_back(b);
  for (std::uint32_t b = 0; b < p.blocks(); ++b) {
    if (into[b] != none) continue;
    const auto first = static_cast<std::ptrdiff_t>(out.block_row.size());
    joined[b].insert(joined[b].begin(), b);
    for (std::uint32_t x : joined[b]) {
      out.block_row.insert(out.block_row.end(), p.block_row.begin() + begin(x), p.block_row.begin() + begin(x + 1));
      out.block_unknown.insert(out.block_unknown.end(), p.block_unknown.begin() + begin(x), p.block_unknown.begin() + begin(x + 1));
    }
    if (joined[b].size() > 1) {
      std::sort(out.block_row.begin() + first, out.block_row.end());
      std::sort(out.block_unknown.begin() + first, out.block_unknown.end());
    }
    out.block_begin.push_back(static_cast<std::uint32_t>(out.block_row.size()));
  }
  return out;
}

void TearHints::report(const SortedProblem& p, Diagnostics& d) const {
  for (std::uint32_t k : nowhere_) {
    const FlatModel::FlatTear& t = s_.flat->tears[k];
    d.warning("W0314", t.span, "`tear` names the equation `" + t.label + "`, which is not there").help = "`:eqs` shows the labels";
  }
  for (const Unused& u : constant_) not_used(d, u.statement, u.variable, "is known before any block is solved");
  for (std::uint32_t b = 0; b < p.blocks(); ++b) {
    const std::uint32_t v = p.block_unknown[p.block_begin[b]];
    if (p.block_begin[b + 1] - p.block_begin[b] == 1 && by_hand(v)) not_used(d, statement_[v], v, "is in no coupled block");
  }
}

void TearHints::not_used(Diagnostics& d, std::uint32_t statement, std::uint32_t variable, const std::string& why) const {
  const FlatModel::FlatTear& t = s_.flat->tears[statement];
  std::uint32_t named = variable;  // as the statement has it
  for (std::uint32_t v : t.variables)
    if (s_.unknown[v] && s_.representative[v].sign != 0 && s_.representative[v].root.value == variable) named = v;
  d.warning("W0314", t.span, "`tear` of `" + name(s_, named) + "` is dropped: it " + why).help =
      "`:blt` shows the blocks; only an unknown of a coupled one can be torn";
}

}  // namespace kron::session
