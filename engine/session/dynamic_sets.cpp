#include "engine/session/dynamic_sets.hpp"

#include <algorithm>

namespace kron::session {

using model::Operand;

void order_sets(System& s) {
  std::stable_sort(s.sets.begin(), s.sets.end(), [](const DynamicSet& a, const DynamicSet& b) {
    return a.level != b.level ? a.level < b.level : a.candidates < b.candidates;
  });
  std::vector<std::uint32_t> number(s.selections, none);
  s.selections = 0;
  for (DynamicSet& set : s.sets) {
    if (number[set.selection] == none) number[set.selection] = s.selections++;
    set.selection = number[set.selection];
  }
}

// Row k holds the candidates k to k + m where the set has m rows of its own: whichever are to be known, they match such rows as they would
// match rows that hold all candidates.
void add_choice_rows(System& s) {
  for (std::uint32_t set = 0; set < s.sets.size(); ++set) {
    const std::vector<std::uint32_t> candidates = s.sets[set].candidates;
    const std::uint32_t states = s.sets[set].states(), count = static_cast<std::uint32_t>(candidates.size()) - states + 1;
    const model::FormId form = sum_of(count);
    std::vector<Operand> operands;
    for (std::uint32_t k = 0; k < states; ++k) {
      operands.clear();
      for (std::uint32_t j = 0; j < count; ++j) operands.push_back(Operand::value(model::SlotId{candidates[k + j]}));
      SystemRow meta;
      meta.origin = none;
      meta.set = set;
      meta.slot = k;
      add_row(s, form, operands, meta);
    }
  }
}

namespace {

class SetSettler {
 public:
  explicit SetSettler(System& s) : s_(s) {}

  bool run() {
    if (s_.sets.empty()) return true;
    while (!s_.rows.empty() && s_.rows.back().set != none) s_.rows.pop_back();
    if (!match_rest()) {
      add_choice_rows(s_);
      return false;
    }
    const std::vector<DynamicSet> before = s_.sets;
    s_.sets.clear();
    for (std::uint32_t k = 0; k < before.size(); ++k) {
      if (!is_top(before, k) || split(before, k)) continue;
      s_.sets = before;
      add_choice_rows(s_);
      return false;
    }
    order_sets(s_);
    add_choice_rows(s_);
    return true;
  }

 private:
  // Everything but the sets' rows gives everything but their candidates.
  bool match_rest() {
    std::vector<bool> set_row(s_.rows.size(), false);
    column_.assign(s_.variables(), none);
    std::uint32_t columns = 0;
    candidate_.assign(s_.variables(), false);
    for (const DynamicSet& set : s_.sets) {
      for (std::uint32_t v : set.candidates) candidate_[v] = true;
      for (std::uint32_t r : set.rows) set_row[r] = true;
    }
    for (std::uint32_t v = 0; v < s_.variables(); ++v)
      if (s_.unknown[v] && s_.is_root(v) && !s_.state[v] && !candidate_[v]) column_[v] = columns++;
    structure::Incidence g;
    g.columns = columns;
    std::vector<std::uint32_t> list, row_of;
    for (std::uint32_t r = 0; r < s_.rows.size(); ++r) {
      if (set_row[r]) continue;
      list.clear();
      for (std::uint32_t c : s_.columns(s_.rows[r]))
        if (column_[c] != none) list.push_back(column_[c]);
      g.add_row(list);
      row_of.push_back(r);
    }
    const structure::Matching m = structure::match(g);
    if (m.size != g.rows() || m.size != columns) return false;
    giver_.assign(s_.variables(), none);
    for (std::uint32_t v = 0; v < s_.variables(); ++v)
      if (column_[v] != none) giver_[v] = row_of[m.of_column[column_[v]]];
    met_.assign(s_.variables(), none);
    return true;
  }

  static bool is_top(const std::vector<DynamicSet>& sets, std::uint32_t k) {
    return std::ranges::none_of(sets, [&](const DynamicSet& x) { return x.selection == sets[k].selection && x.level > sets[k].level; });
  }

  // Positions, in the set's candidates, of those that a row asks for, itself or through what gives its variables.
  std::vector<std::uint32_t> asked_for(const DynamicSet& set, std::uint32_t row) {
    std::vector<std::uint32_t> open = {row}, found;
    ++stamp_;
    while (!open.empty()) {
      const std::uint32_t r = open.back();
      open.pop_back();
      for (std::uint32_t c : s_.columns(s_.rows[r])) {
        if (met_[c] == stamp_) continue;
        met_[c] = stamp_;
        if (giver_[c] != none) open.push_back(giver_[c]);
        if (!candidate_[c]) continue;
        const auto at = std::ranges::find(set.candidates, c);
        if (at != set.candidates.end()) found.push_back(static_cast<std::uint32_t>(at - set.candidates.begin()));
      }
    }
    std::ranges::sort(found);
    return found;
  }

  // By the top level, which says most: rows below may hold variables that their derivatives do not hold where the rows are fulfilled.
  bool split(const std::vector<DynamicSet>& sets, std::uint32_t top) {
    structure::Incidence g;
    for (std::uint32_t r : sets[top].rows) g.add_row(asked_for(sets[top], r));
    g.columns = static_cast<std::uint32_t>(sets[top].candidates.size());
    const structure::Matching matching = structure::match(g);
    if (matching.size != g.rows()) return false;
    const structure::Parts parts = structure::dulmage_mendelsohn(g, matching);
    std::vector<std::uint32_t> island(g.columns);
    for (std::uint32_t c = 0; c < g.columns; ++c) island[c] = c;
    const auto find = [&](std::uint32_t c) {
      while (island[c] != c) c = island[c] = island[island[c]];
      return c;
    };
    const auto is_free = [&](std::uint32_t c) { return parts.column[c] == structure::Parts::under; };
    for (std::uint32_t r = 0; r < g.rows(); ++r) {
      if (parts.row[r] != structure::Parts::under) continue;
      std::uint32_t first = none;
      for (std::uint32_t c : g[r]) {
        if (!is_free(c)) continue;
        if (first == none) first = c;
        island[find(c)] = find(first);
      }
    }
    for (std::uint32_t c = 0; c < g.columns; ++c) {
      if (!is_free(c)) { settle(sets, top, c, false); continue; }
      if (find(c) != c) continue;
      std::vector<std::uint32_t> columns, rows;
      for (std::uint32_t x = 0; x < g.columns; ++x)
        if (is_free(x) && find(x) == c) columns.push_back(x);
      for (std::uint32_t r = 0; r < g.rows(); ++r)
        if (parts.row[r] == structure::Parts::under && std::ranges::any_of(g[r], [&](std::uint32_t x) { return is_free(x) && find(x) == c; }))
          rows.push_back(r);
      if (rows.empty()) settle(sets, top, c, true);
      else add_set(sets, top, columns, rows);
    }
    return true;
  }

  // A candidate, on all levels, is a state, or is none.
  void settle(const std::vector<DynamicSet>& sets, std::uint32_t top, std::uint32_t position, bool is_state) {
    for (const DynamicSet& set : sets) {
      if (set.selection != sets[top].selection) continue;
      const std::uint32_t v = set.candidates[position];
      s_.state[v] = is_state;
      s_.dummy[s_.derivative[v]] = !is_state;
    }
  }

  void add_set(const std::vector<DynamicSet>& sets, std::uint32_t top, const std::vector<std::uint32_t>& columns,
               const std::vector<std::uint32_t>& rows) {
    const std::uint32_t selection = s_.selections++;
    for (const DynamicSet& set : sets) {
      if (set.selection != sets[top].selection) continue;
      DynamicSet part;
      part.selection = selection;
      part.level = set.level;
      for (std::uint32_t c : columns) part.candidates.push_back(set.candidates[c]);
      for (std::uint32_t r : rows) {
        std::uint32_t row = sets[top].rows[r];
        for (std::uint32_t step = set.level; step < sets[top].level; ++step) row = s_.rows[row].previous;
        part.rows.push_back(row);
      }
      s_.sets.push_back(std::move(part));
    }
  }

  System& s_;
  std::vector<bool> candidate_;
  std::vector<std::uint32_t> column_, giver_;  // by variable; giver: a row
  std::vector<std::uint32_t> met_;
  std::uint32_t stamp_ = 0;
};

}  // namespace

bool settle_sets(System& s) { return SetSettler(s).run(); }

}  // namespace kron::session
