#include "engine/session/kept_aliases.hpp"

#include <algorithm>
#include <numeric>

namespace kron::session {

using model::Operand;
using model::OperandKind;

void KeptAliases::keep(const System& system, const std::vector<bool>& no_alias, AliasSearch s) {
  const FlatModel& m = *system.flat;
  top_ = m.top;
  discrete_ = !m.discrete.empty();
  edges_ = system.alias_edges;
  keys_ = m.keys;
  unknown_ = system.unknown;
  integral_ = m.integral;
  slots_ = m.slots;
  equations_ = m.equations;
  operands_ = m.operands;
  no_alias_ = no_alias;
  event_keys_.clear();
  for (const FlatModel::EventTerm& e : m.events) event_keys_.push_back(e.key);
  integer_row_.assign(equations_.size(), none);
  for (std::uint32_t r = 0; r < s.collected; ++r) integer_row_[s.origin[r]] = r;
  search_ = std::move(s);
}

void KeptAliases::keep_rows(const System& s, std::size_t rows, bool plain) {
  plain_ = plain;
  redundant_ = !s.redundant.empty();
  rows_.assign(s.rows.begin(), s.rows.begin() + static_cast<std::ptrdiff_t>(rows));
  row_operands_ = s.operands;
  row_members_ = s.members;
  row_columns_ = s.column;
  representative_ = s.representative;
  row_of_.assign(equations_.size(), none);
  for (std::uint32_t r = 0; r < rows_.size(); ++r) row_of_[rows_[r].origin] = r;
}

// ---- what both models have --------------------------------------------------------------------------------------------------

void KeptAliases::compare(const FlatModel& m, const std::vector<std::uint8_t>& unknown, const std::vector<bool>& no_alias) {
  taken_ = integer_rows_taken_ = 0;
  aliases_taken_ = false;
  came_.clear();
  went_.clear();
  equation_before_.clear();
  equations_known_.clear();
  if (!search_) return;
  // Which variables are unknowns follows from their classes but where a `when` gives them.
  const bool known = m.common.before == top_ && m.discrete.empty() && !discrete_;
  if (!place_variables(m, unknown, known ? m.common.variables : std::vector<FlatModel::Stretch>())) return;
  if (known) equations_known_ = m.common.equations;
  // Connections may be between variables of a class that changed, which are found by their keys, or not.
  if (!equations_known_.empty() && equations_known_.back().now == m.connection_equations && !knows_variables(equations_known_.back()))
    equations_known_.pop_back();
  place_equations(m);
  if (no_alias.empty() && no_alias_.empty()) return;
  const auto apart = [](const std::vector<bool>& list, std::uint32_t e) { return !list.empty() && list[e]; };
  for (std::uint32_t e = 0; e < m.equations.size(); ++e) {
    const std::uint32_t before = equation_before_[e];
    if (before == none || apart(no_alias, e) == apart(no_alias_, before)) continue;
    equation_before_[e] = equation_now_[before] = none;
    came_.push_back(e);
    went_.push_back(before);
  }
}

namespace {
// Calls `differ(stretch, count)` for what is between the stretches: from where, how much of then (`stretch.count`) and how much of now;
// and `same(stretch)` for each of them.
template <class Differ, class Same>
void walk_stretches(const std::vector<FlatModel::Stretch>& stretches, std::uint32_t then, std::uint32_t now, const Differ& differ, const Same& same) {
  FlatModel::Stretch at;
  for (const FlatModel::Stretch& s : stretches) {
    differ({at.before, at.now, s.before - at.before}, s.now - at.now);
    same(s);
    at = {s.before + s.count, s.now + s.count, 0};
  }
  differ({at.before, at.now, then - at.before}, now - at.now);
}
}  // namespace

// In the order of then. One that stands elsewhere counts as gone, and as a new one.
bool KeptAliases::place_variables(const FlatModel& m, const std::vector<std::uint8_t>& unknown,
                                  const std::vector<FlatModel::Stretch>& known) {
  constexpr std::uint32_t few = 1024;  // what one edit inserts, mostly
  now_of_.assign(keys_.size(), none);
  before_of_.assign(m.variables(), none);
  const auto differ = [&](const FlatModel::Stretch& from, std::uint32_t count) {
    const std::uint32_t then = from.before + from.count, all = from.now + count;
    for (std::uint32_t v = from.before, at = from.now; v < then && at < all; ++v) {
      std::uint32_t found = at;
      if (m.keys[at] != keys_[v]) {
        const std::uint32_t end = std::min(all, at + few);
        found = static_cast<std::uint32_t>(std::find(m.keys.begin() + at, m.keys.begin() + end, keys_[v]) - m.keys.begin());
        if (found == end) continue;
      }
      at = found + 1;
      if (unknown_[v] != unknown[found]) continue;
      now_of_[v] = found;
      before_of_[found] = v;
    }
  };
  const auto same = [&](const FlatModel::Stretch& s) {
    std::iota(now_of_.begin() + s.before, now_of_.begin() + s.before + s.count, s.now);
    std::iota(before_of_.begin() + s.now, before_of_.begin() + s.now + s.count, s.before);
  };
  walk_stretches(known, static_cast<std::uint32_t>(keys_.size()), static_cast<std::uint32_t>(m.variables()), differ, same);
  return same_derivatives(m);
}

bool KeptAliases::knows_variables(const FlatModel::Stretch& s) const {
  if (s.count == 0) return true;
  const model::FlatEquation &first = equations_[s.before], &last = equations_[s.before + s.count - 1];
  return std::all_of(operands_.begin() + first.first, operands_.begin() + last.first + last.count,
                     [&](Operand o) { return now_of_[o.index()] != none; });
}

// Of the variables that both have.
bool KeptAliases::same_derivatives(const FlatModel& m) const {
  const auto same = [](std::span<const std::uint32_t> integral, std::uint32_t slots, std::span<const std::uint32_t> other_integral,
                       std::uint32_t other_slots, const std::vector<std::uint32_t>& place) {
    for (std::uint32_t k = 0; k < integral.size(); ++k) {
      const std::uint32_t derivative = place[slots + k], variable = place[integral[k]];
      if (variable == none) continue;
      if (derivative == none || derivative < other_slots || other_integral[derivative - other_slots] != variable) return false;
    }
    return true;
  };
  return same(integral_, slots_, m.integral, m.slots, now_of_) && same(m.integral, m.slots, integral_, slots_, before_of_);
}

bool KeptAliases::same(const FlatModel& m, std::uint32_t before, std::uint32_t after) const {
  const model::FlatEquation &x = equations_[before], &y = m.equations[after];
  if (x.form != y.form) return false;
  for (std::uint32_t k = 0; k < x.count; ++k) {
    const Operand o = operands_[x.first + k], p = m.operands[y.first + k];
    if (o.has_slot()) {
      if (now_of_[o.index()] != p.index() || o.kind() != p.kind() || o.order() != p.order()) return false;
    } else if (o != p || (o.kind() == OperandKind::event && event_keys_[o.index()] != m.events[p.index()].key)) {
      return false;
    }
  }
  return true;
}

void KeptAliases::place_equations(const FlatModel& m) {
  equation_now_.assign(equations_.size(), none);
  equation_before_.assign(m.equations.size(), none);
  const auto differ = [&](const FlatModel::Stretch& from, std::uint32_t count) { place_equations(m, from, count); };
  const auto same = [&](const FlatModel::Stretch& s) {
    std::iota(equation_now_.begin() + s.before, equation_now_.begin() + s.before + s.count, s.now);
    std::iota(equation_before_.begin() + s.now, equation_before_.begin() + s.now + s.count, s.before);
  };
  walk_stretches(equations_known_, static_cast<std::uint32_t>(equations_.size()), static_cast<std::uint32_t>(m.equations.size()), differ, same);
}

// Side by side; where they differ, one has changed in its place, or some came or went.
void KeptAliases::place_equations(const FlatModel& m, const FlatModel::Stretch& from, std::uint32_t count) {
  const std::uint32_t then = from.before + from.count, all = from.now + count;
  constexpr std::uint32_t few = 512;  // what one component inserts, mostly
  std::uint32_t i = from.before, j = from.now;
  const auto same_at = [&](std::uint32_t x, std::uint32_t y) { return x < then && y < all && same(m, x, y); };
  while (i < then && j < all) {
    if (same(m, i, j)) {
      equation_now_[i] = j;
      equation_before_[j++] = i++;
      continue;
    }
    std::uint32_t came = 1, went = 1;
    if (!same_at(i + 1, j + 1))
      for (std::uint32_t k = 1; k <= few; ++k) {
        if (same_at(i, j + k)) came = k, went = 0;
        else if (same_at(i + k, j)) came = 0, went = k;
        else continue;
        break;
      }
    for (; went > 0; --went) went_.push_back(i++);
    for (; came > 0; --came) came_.push_back(j++);
  }
  for (; i < then; ++i) went_.push_back(i);
  for (; j < all; ++j) came_.push_back(j);
}

// ---- aliases ----------------------------------------------------------------------------------------------------------------

void KeptAliases::take_integer_rows(structure::IntegerSystem& rows, std::vector<std::uint32_t>& origin, std::vector<AliasEdge>& edges,
                                    const FlatModel::Stretch& s) {
  const structure::IntegerSystem& before = search_->rows;
  const auto collected = std::span(search_->origin).first(search_->collected);
  const auto first = static_cast<std::uint32_t>(std::ranges::lower_bound(collected, s.before) - collected.begin());
  const auto last = static_cast<std::uint32_t>(std::ranges::lower_bound(collected, s.before + s.count) - collected.begin());
  const std::uint32_t from = before.begin[first], to = before.begin[last], end = static_cast<std::uint32_t>(rows.column.size());
  rows.column.resize(end + (to - from));
  for (std::uint32_t k = from; k < to; ++k) rows.column[end + (k - from)] = now_of_[before.column[k]];
  rows.coefficient.insert(rows.coefficient.end(), before.coefficient.begin() + from, before.coefficient.begin() + to);
  rows.constant.insert(rows.constant.end(), before.constant.begin() + first, before.constant.begin() + last);
  for (std::uint32_t r = first; r < last; ++r) {
    rows.begin.push_back(end + (before.begin[r + 1] - from));
    origin.push_back(collected[r] - s.before + s.now);
  }
  auto edge = std::ranges::lower_bound(edges_, s.before, {}, &AliasEdge::equation);
  for (; edge != edges_.end() && edge->equation < s.before + s.count; ++edge)
    edges.push_back({now_of_[edge->a], now_of_[edge->b], edge->equation - s.before + s.now, edge->relaxed});
  integer_rows_taken_ += last - first;
}

bool KeptAliases::take_integer_row(structure::IntegerSystem& rows, std::uint32_t equation) {
  if (equation_before_.empty() || equation_before_[equation] == none) return false;
  const std::uint32_t r = integer_row_[equation_before_[equation]];
  if (r == none) return true;
  const structure::IntegerSystem& before = search_->rows;
  for (std::uint32_t k = before.begin[r]; k < before.begin[r + 1]; ++k) {
    rows.column.push_back(now_of_[before.column[k]]);
    rows.coefficient.push_back(before.coefficient[k]);
  }
  rows.constant.push_back(before.constant[r]);
  rows.begin.push_back(static_cast<std::uint32_t>(rows.column.size()));
  ++integer_rows_taken_;
  return true;
}

// No equation that came or went holds a variable with a known value.
bool KeptAliases::is_quiet(const FlatModel& m) const {
  const auto knows = [&](std::uint32_t before) { return before != none && search_->found.of[before].sign == 0; };
  const auto quiet_before = [&](std::uint32_t e) {
    return std::ranges::none_of(bound_before(e), [&](Operand x) { return x.kind() == OperandKind::value && knows(x.index()); });
  };
  const auto quiet_now = [&](std::uint32_t e) {
    return std::ranges::none_of(m.bound(m.equations[e]),
                                [&](Operand x) { return x.kind() == OperandKind::value && knows(before_of_[x.index()]); });
  };
  return std::ranges::all_of(went_, quiet_before) && std::ranges::all_of(came_, quiet_now);
}

bool KeptAliases::take_aliases(const FlatModel& m, AliasSearch& s) {
  if (equation_before_.empty() || integer_rows_taken_ != search_->collected || s.rows.rows() != search_->collected) return false;
  if (!is_quiet(m)) return false;
  const structure::IntegerSystem& before = search_->rows;
  const std::size_t entries = s.rows.column.size();
  const auto give_up = [&] {
    s.rows.column.resize(entries);
    s.rows.coefficient.resize(entries);
    s.rows.begin.resize(search_->collected + 1);
    s.rows.constant.resize(search_->collected);
    s.origin.resize(search_->collected);
    return false;
  };
  std::vector<std::pair<structure::Column, std::int64_t>> terms;
  for (auto r = static_cast<structure::Row>(search_->collected); r < before.rows(); ++r) {
    terms.clear();
    for (std::uint32_t k = before.begin[r]; k < before.begin[r + 1]; ++k) {
      if (now_of_[before.column[k]] == none) return give_up();
      terms.emplace_back(now_of_[before.column[k]], before.coefficient[k]);
    }
    s.rows.add_row(terms, before.constant[r]);
    s.origin.push_back(search_->origin[r] == none ? none : equation_now_[search_->origin[r]]);
    if (search_->origin[r] != none && s.origin.back() == none) return give_up();
  }
  std::vector<structure::Aliases::Alias> of(m.variables());
  for (std::uint32_t v = 0; v < of.size(); ++v) {
    of[v].root = v;
    if (before_of_[v] == none) continue;
    of[v] = search_->found.of[before_of_[v]];
    of[v].root = now_of_[of[v].root];
    if (of[v].root == none) return give_up();
  }
  s.found.of = std::move(of);
  s.found.used = search_->found.used;
  s.found.dependent = search_->found.dependent;
  s.collected = search_->collected;
  return aliases_taken_ = true;
}

// ---- rows -------------------------------------------------------------------------------------------------------------------

void KeptAliases::compare_representatives(const std::vector<Representative>& now, bool plain) {
  any_moved_ = false;
  if (equation_before_.empty() || (aliases_taken_ && plain && plain_)) return;
  moved_.assign(now.size(), 0);
  for (std::uint32_t v = 0; v < now.size(); ++v) {
    if (before_of_[v] == none) continue;
    const Representative &x = representative_[before_of_[v]], &y = now[v];
    if (x.sign == y.sign && x.constant == y.constant && now_of_[x.root.value] == y.root.value) continue;
    moved_[v] = 1;
    any_moved_ = true;
  }
}

bool KeptAliases::take_rows(System& s, const FlatModel::Stretch& stretch) {
  if (!aliases_taken_ || any_moved_ || redundant_) return false;
  const auto first = std::ranges::lower_bound(rows_, stretch.before, {}, &SystemRow::origin);
  const auto last = std::ranges::lower_bound(first, rows_.end(), stretch.before + stretch.count, {}, &SystemRow::origin);
  if (first == last) return true;
  const SystemRow& end = *(last - 1);
  const auto operands = static_cast<std::uint32_t>(s.operands.size()), columns = static_cast<std::uint32_t>(s.column.size());
  for (std::uint32_t k = first->first; k < end.first + end.count; ++k) {
    const Operand o = row_operands_[k];
    s.operands.push_back(now(o));
    s.members.push_back(o.kind() == OperandKind::value ? Member{now_of_[row_members_[k].variable], row_members_[k].shift} : Member{});
  }
  for (std::uint32_t k = first->first_column; k < end.first_column + end.columns; ++k) s.column.push_back(now_of_[row_columns_[k]]);
  for (auto r = first; r != last; ++r) {
    SystemRow row = *r;
    row.origin = row.origin - stretch.before + stretch.now;
    row.first = row.first - first->first + operands;
    row.first_column = row.first_column - first->first_column + columns;
    s.rows.push_back(row);
  }
  taken_ += static_cast<std::size_t>(last - first);
  return true;
}

bool KeptAliases::take_row(System& s, std::uint32_t equation) {
  if (equation_before_.empty() || equation_before_[equation] == none) return false;
  const std::uint32_t before = row_of_[equation_before_[equation]];
  if (before == none) return false;
  if (any_moved_ && std::ranges::any_of(s.flat->bound(s.flat->equations[equation]),
                                        [&](Operand o) { return o.kind() == OperandKind::value && moved_[o.index()]; }))
    return false;
  SystemRow row = rows_[before];
  const std::uint32_t operands = row.first, columns = row.first_column;
  row.origin = equation;
  row.first = static_cast<std::uint32_t>(s.operands.size());
  row.first_column = static_cast<std::uint32_t>(s.column.size());
  for (std::uint32_t k = operands; k < operands + row.count; ++k) {
    const bool is_value = row_operands_[k].kind() == OperandKind::value;
    s.operands.push_back(now(row_operands_[k]));
    s.members.push_back(is_value ? Member{now_of_[row_members_[k].variable], row_members_[k].shift} : Member{});
  }
  for (std::uint32_t k = columns; k < columns + row.columns; ++k) s.column.push_back(now_of_[row_columns_[k]]);
  s.rows.push_back(row);
  ++taken_;
  return true;
}

}  // namespace kron::session
