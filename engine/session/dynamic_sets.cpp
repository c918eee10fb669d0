#include "engine/session/dynamic_sets.hpp"

#include <algorithm>
#include <utility>

namespace kron::session {

using model::Operand;

std::vector<std::vector<std::uint32_t>> free_components(const structure::Incidence& g, const structure::Parts& parts) {
  std::vector<std::uint32_t> root(g.columns, none), of_row(g.rows(), none);
  std::vector<std::uint32_t> parent(g.columns);
  for (std::uint32_t c = 0; c < g.columns; ++c) parent[c] = c;
  const auto find = [&](std::uint32_t c) {
    while (parent[c] != c) c = parent[c] = parent[parent[c]];
    return c;
  };
  for (std::uint32_t r = 0; r < g.rows(); ++r) {
    if (parts.row[r] != structure::Parts::under) continue;
    for (std::uint32_t k = g.begin[r]; k < g.begin[r + 1]; ++k) {
      if (parts.column[g.column[k]] != structure::Parts::under) continue;
      if (of_row[r] == none) of_row[r] = g.column[k];
      parent[find(g.column[k])] = find(of_row[r]);
    }
  }
  std::vector<std::vector<std::uint32_t>> out;
  for (std::uint32_t r = 0; r < g.rows(); ++r) {
    if (of_row[r] == none) continue;
    std::uint32_t& number = root[find(of_row[r])];
    if (number == none) {
      number = static_cast<std::uint32_t>(out.size());
      out.emplace_back();
    }
    out[number].push_back(r);
  }
  return out;
}

std::vector<DynamicSet> merged_sets(const std::vector<DynamicSet>& sets) {
  std::vector<DynamicSet> merged;
  for (const DynamicSet& set : sets) {
    const auto same = std::ranges::find_if(merged, [&](const DynamicSet& x) { return set.whole != none && x.whole == set.whole && x.level == set.level; });
    if (same == merged.end()) {
      merged.push_back(set);
      continue;
    }
    same->candidates.insert(same->candidates.end(), set.candidates.begin(), set.candidates.end());
    same->rows.insert(same->rows.end(), set.rows.begin(), set.rows.end());
  }
  for (DynamicSet& set : merged)
    if (set.whole != none) std::ranges::sort(set.candidates);
  return merged;
}

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

struct WholeSet {
  std::uint32_t level = 0;
  std::vector<std::uint32_t> candidates;
  std::uint32_t states = 0;
  auto operator<=>(const WholeSet&) const = default;
};
std::vector<WholeSet> whole_sets(const System& s) {
  std::vector<WholeSet> list;
  for (const DynamicSet& set : merged_sets(s.sets)) list.push_back({set.level, set.candidates, set.states()});
  for (WholeSet& w : list) std::ranges::sort(w.candidates);
  std::ranges::sort(list);
  return list;
}

}  // namespace

bool chosen_alike(const System& pieces, const System& whole) {
  std::vector<bool> dummy = pieces.dummy;
  for (const DynamicSet& set : pieces.sets)
    for (std::uint32_t v : set.candidates)
      if (set.states() == 0) dummy[pieces.derivative[v]] = false;
  return pieces.state == whole.state && dummy == whole.dummy && whole_sets(pieces) == whole_sets(whole);
}

void settle_determined(System& s) {
  while (!s.rows.empty() && s.rows.back().set != none) s.rows.pop_back();
  s.determined.clear();
  std::erase_if(s.sets, [&](const DynamicSet& set) {
    if (set.states() > 0) return false;
    s.determined.push_back(set);
    return true;
  });
  order_sets(s);
  add_choice_rows(s);
}

namespace {

class SetSettler {
 public:
  SetSettler(System& s, const std::vector<std::vector<std::uint32_t>>& times, const std::function<bool(const SystemRow&)>& may_be_theirs)
      : s_(s), times_(times), may_be_theirs_(may_be_theirs) {}

  bool run() {
    if (s_.sets.empty()) return true;
    while (!s_.rows.empty() && s_.rows.back().set != none) s_.rows.pop_back();
    if (!match_rest() || !find_rows()) return false;
    const std::vector<DynamicSet> before = std::exchange(s_.sets, {});
    for (std::uint32_t k = 0; k < before.size(); ++k)
      if (is_top(before, k) && !split(before, k)) return false;
    order_sets(s_);
    add_choice_rows(s_);
    return true;
  }

 private:
  // Everything but the sets' rows gives everything but their candidates: rows that are in no set first, then those that may be.
  bool match_rest() {
    number_columns();
    std::vector<bool> late(s_.rows.size(), false);
    for (const DynamicSet& set : s_.sets)
      for (std::uint32_t r : set.rows)
        if (r != none) late[r] = true;
    structure::Incidence first;
    first.columns = columns_;
    for (std::uint32_t r = 0; r < s_.rows.size(); ++r) {
      if (late[r] || may_be_theirs_(s_.rows[r])) continue;
      first.add_row(columns_of(r));
      row_of_.push_back(r);
    }
    structure::GrowingMatching matched(std::move(first));
    if (matched.matching().size != matched.rows().rows()) return false;
    for (const bool of_set : {false, true})
      for (std::uint32_t r = 0; r < s_.rows.size(); ++r)
        if (late[r] == of_set && (of_set || may_be_theirs_(s_.rows[r]))) (matched.add(columns_of(r)) ? row_of_ : left_).push_back(r);
    if (matched.matching().size != columns_) return false;
    giver_.assign(s_.variables(), none);
    for (std::uint32_t v = 0; v < s_.variables(); ++v)
      if (column_[v] != none) giver_[v] = row_of_[matched.matching().of_column[column_[v]]];
    met_.assign(s_.variables(), 0);
    local_.assign(s_.variables(), none);
    return true;
  }
  void number_columns() {
    column_.assign(s_.variables(), none);
    candidate_.assign(s_.variables(), false);
    for (const DynamicSet& set : s_.sets)
      for (std::uint32_t v : set.candidates) candidate_[v] = true;
    for (std::uint32_t v = 0; v < s_.variables(); ++v)
      if (s_.unknown[v] && s_.is_root(v) && !s_.state[v] && !candidate_[v]) column_[v] = columns_++;
  }
  std::vector<std::uint32_t> columns_of(std::uint32_t r) const {
    std::vector<std::uint32_t> list;
    for (std::uint32_t c : s_.columns(s_.rows[r]))
      if (column_[c] != none) list.push_back(column_[c]);
    return list;
  }

  // Each set gets rows that ask for candidates of it, among those that are left. What carries a loop is asked for by the loop's rows, too: a
  // matching finds out whose they are.
  bool find_rows() {
    std::vector<std::uint32_t> set_of, first, of_candidate(s_.variables(), none);  // by place of a row in a set; a set's places; by variable
    for (std::uint32_t k = 0; k < s_.sets.size(); ++k) {
      s_.sets[k].rows.clear();
      for (std::uint32_t v : s_.sets[k].candidates) of_candidate[v] = k;
      first.push_back(static_cast<std::uint32_t>(set_of.size()));
      set_of.insert(set_of.end(), times_[k].size(), k);
    }
    structure::Incidence places;
    places.columns = static_cast<std::uint32_t>(set_of.size());
    std::vector<std::uint32_t> list, last(s_.sets.size(), none);  // last: by set, the row that asked last
    for (std::uint32_t r : left_) {
      list.clear();
      for (std::uint32_t v : asked_for(r)) {
        const std::uint32_t k = of_candidate[v];
        if (std::exchange(last[k], r) == r) continue;
        for (std::uint32_t x = 0; x < times_[k].size(); ++x)
          if (times_[k][x] == s_.rows[r].times) list.push_back(first[k] + x);
      }
      places.add_row(list);
    }
    const structure::Matching m = structure::match(places);
    if (left_.size() != set_of.size() || m.size != set_of.size()) return false;
    for (std::uint32_t k = 0; k < left_.size(); ++k) s_.sets[set_of[m.of_row[k]]].rows.push_back(left_[k]);
    return true;
  }

  static bool is_top(const std::vector<DynamicSet>& sets, std::uint32_t k) {
    return std::ranges::none_of(sets, [&](const DynamicSet& x) { return x.selection == sets[k].selection && x.level > sets[k].level; });
  }

  // Candidates of all sets that a row asks for, itself or through what gives its variables.
  std::vector<std::uint32_t> asked_for(std::uint32_t row) {
    std::vector<std::uint32_t> open = {row}, found;
    ++search_;
    while (!open.empty()) {
      const std::uint32_t r = open.back();
      open.pop_back();
      for (std::uint32_t c : s_.columns(s_.rows[r])) {
        if (met_[c] == search_) continue;
        met_[c] = search_;
        if (giver_[c] != none) open.push_back(giver_[c]);
        if (candidate_[c]) found.push_back(c);
      }
    }
    return found;
  }
  // Positions in the set's candidates.
  std::vector<std::uint32_t> asked_for(const DynamicSet& set, std::uint32_t row) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t v : asked_for(row))
      if (const auto at = std::ranges::find(set.candidates, v); at != set.candidates.end())
        found.push_back(static_cast<std::uint32_t>(at - set.candidates.begin()));
    return found;
  }

  // What the rows of a set ask for: they come first, then those that give what they ask for. Columns: the set's candidates, then the unknowns.
  structure::Incidence cone_of(const DynamicSet& set) {
    structure::Incidence g;
    g.columns = static_cast<std::uint32_t>(set.candidates.size());
    ++search_;
    std::uint32_t columns = 0;
    const auto number = [&](std::uint32_t v) { met_[v] = search_, local_[v] = columns++; };
    std::ranges::for_each(set.candidates, number);
    std::vector<std::uint32_t> rows = set.rows, list;
    for (std::uint32_t k = 0; k < rows.size(); ++k) {
      list.clear();
      for (std::uint32_t c : s_.columns(s_.rows[rows[k]])) {
        if (met_[c] != search_) {
          if (giver_[c] == none) continue;
          number(c);
          rows.push_back(giver_[c]);
        }
        list.push_back(local_[c]);
      }
      g.add_row(list);
    }
    return g;
  }

  // Which candidates are asked for by the rows that are left where each unknown has one, in the part that leaves something free. Not by the
  // set's rows: those of a loop in a plane that is no coordinate plane ask for all candidates, but give unknowns that none of these moves,
  // while others give candidates.
  static structure::Incidence asked_where_free(const structure::Incidence& cone, const structure::Parts& parts, std::uint32_t candidates) {
    constexpr auto under = structure::Parts::under;
    structure::Incidence unknowns, asked;
    unknowns.columns = cone.columns - candidates;
    asked.columns = candidates;
    std::vector<std::uint32_t> row_of, list;
    for (std::uint32_t r = 0; r < cone.rows(); ++r) {
      if (parts.row[r] != under) continue;
      list.clear();
      for (std::uint32_t c : cone[r])
        if (c >= candidates && parts.column[c] == under) list.push_back(c - candidates);
      unknowns.add_row(list);
      row_of.push_back(r);
    }
    const structure::Matching given = structure::match(unknowns);
    std::vector<std::uint32_t> met(cone.columns, none), open;
    for (std::uint32_t k = 0; k < row_of.size(); ++k) {
      if (given.of_row[k] != structure::free_end) continue;
      list.clear();
      open = {row_of[k]};
      while (!open.empty()) {
        const std::uint32_t r = open.back();
        open.pop_back();
        for (std::uint32_t c : cone[r]) {
          if (met[c] == k || parts.column[c] != under) continue;
          met[c] = k;
          if (c < candidates) list.push_back(c);
          else open.push_back(row_of[given.of_column[c - candidates]]);
        }
      }
      asked.add_row(list);
    }
    return asked;
  }

  // Candidates, by position in the set, that are chosen from among themselves; or one that is given.
  struct Piece {
    std::vector<std::uint32_t> candidates;
    std::uint32_t rows = 0;  // that give those that are no states
  };

  // By the top level, which says most: rows below may hold variables that their derivatives do not hold where the rows are fulfilled.
  bool split(const std::vector<DynamicSet>& sets, std::uint32_t top) {
    const DynamicSet& set = sets[top];
    const structure::Incidence cone = cone_of(set);
    const structure::Matching all = structure::match(cone);
    if (all.size != cone.rows()) return false;
    const structure::Parts whole = structure::dulmage_mendelsohn(cone, all);
    const structure::Incidence asked = asked_where_free(cone, whole, static_cast<std::uint32_t>(set.candidates.size()));
    std::vector<bool> open(asked.columns, true);  // not in a piece yet
    const structure::Matching matching = structure::match(asked);
    if (matching.size != asked.rows()) return false;
    const structure::Parts parts = structure::dulmage_mendelsohn(asked, matching);
    std::vector<Piece> pieces;
    for (const std::vector<std::uint32_t>& rows : free_components(asked, parts)) {
      Piece p;
      p.rows = static_cast<std::uint32_t>(rows.size());
      for (std::uint32_t r : rows)
        for (std::uint32_t c : asked[r])
          if (parts.column[c] == structure::Parts::under && open[c]) {
            open[c] = false;
            p.candidates.push_back(c);
          }
      std::ranges::sort(p.candidates);
      pieces.push_back(std::move(p));
    }
    for (std::uint32_t c = 0; c < asked.columns; ++c) {
      if (!open[c]) continue;
      const bool is_state = whole.column[c] == structure::Parts::under && parts.column[c] == structure::Parts::under;
      settle(sets, top, c, is_state);
      if (!is_state) pieces.push_back({{c}, 1});
    }
    return share_rows(sets, top, pieces);
  }

  // The set's rows go to pieces of which they ask for a candidate.
  bool share_rows(const std::vector<DynamicSet>& sets, std::uint32_t top, const std::vector<Piece>& pieces) {
    const DynamicSet& set = sets[top];
    std::vector<std::uint32_t> piece_of(set.candidates.size(), none), first;
    structure::Incidence places;
    for (std::uint32_t p = 0; p < pieces.size(); ++p) {
      for (std::uint32_t c : pieces[p].candidates) piece_of[c] = p;
      first.push_back(places.columns);
      places.columns += pieces[p].rows;
    }
    if (places.columns != set.rows.size()) return false;
    std::vector<std::uint32_t> list, last(pieces.size(), none);  // last: by piece, the row that asked last
    for (std::uint32_t r : set.rows) {
      list.clear();
      for (std::uint32_t c : asked_for(set, r)) {
        const std::uint32_t p = piece_of[c];
        if (p == none || std::exchange(last[p], r) == r) continue;
        for (std::uint32_t k = 0; k < pieces[p].rows; ++k) list.push_back(first[p] + k);
      }
      places.add_row(list);
    }
    const structure::Matching m = structure::match(places);
    if (m.size != places.columns) return false;
    for (std::uint32_t p = 0; p < pieces.size(); ++p) {
      if (pieces[p].candidates.size() == pieces[p].rows) continue;
      std::vector<std::uint32_t> rows;
      for (std::uint32_t k = 0; k < pieces[p].rows; ++k) rows.push_back(m.of_column[first[p] + k]);
      std::ranges::sort(rows);
      add_set(sets, top, pieces[p].candidates, rows);
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
      if (!is_state && set.whole != none && set.level == 0) s_.given.push_back(v);
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
      part.whole = set.whole;
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
  const std::vector<std::vector<std::uint32_t>>& times_;
  const std::function<bool(const SystemRow&)>& may_be_theirs_;
  std::vector<bool> candidate_;
  std::vector<std::uint32_t> column_, giver_, local_;  // by variable; giver: a row; local: a column of a cone
  std::vector<std::uint32_t> row_of_, left_;   // by row of the matching; rows that give nothing
  std::vector<std::uint32_t> met_;
  std::uint32_t columns_ = 0, search_ = 0;
};

}  // namespace

bool settle_sets(System& s, const std::vector<std::vector<std::uint32_t>>& times, const std::function<bool(const SystemRow&)>& may_be_theirs) {
  return SetSettler(s, times, may_be_theirs).run();
}

}  // namespace kron::session
