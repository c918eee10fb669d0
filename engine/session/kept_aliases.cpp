#include "engine/session/kept_aliases.hpp"

#include <algorithm>

namespace kron::session {

using model::Operand;
using model::OperandKind;

void KeptAliases::keep(const FlatModel& m, const std::vector<std::uint8_t>& unknown, const std::vector<bool>& is_discrete, AliasSearch s) {
  keys_ = m.keys;
  unknown_ = unknown;
  integral_ = m.integral;
  slots_ = m.slots;
  equations_ = m.equations;
  operands_ = m.operands;
  is_discrete_ = is_discrete;
  event_keys_.clear();
  for (const FlatModel::EventTerm& e : m.events) event_keys_.push_back(e.key);
  integer_row_.assign(equations_.size(), none);
  for (std::uint32_t r = 0; r < s.collected; ++r) integer_row_[s.origin[r]] = r;
  search_ = std::move(s);
}

void KeptAliases::keep_rows(const System& s, std::size_t rows) {
  rows_.assign(s.rows.begin(), s.rows.begin() + static_cast<std::ptrdiff_t>(rows));
  row_operands_ = s.operands;
  row_members_ = s.members;
  row_columns_ = s.column;
  representative_ = s.representative;
  row_of_.assign(equations_.size(), none);
  for (std::uint32_t r = 0; r < rows_.size(); ++r) row_of_[rows_[r].origin] = r;
}

// ---- what both models have --------------------------------------------------------------------------------------------------

void KeptAliases::compare(const FlatModel& m, const std::vector<std::uint8_t>& unknown, const std::vector<bool>& is_discrete) {
  taken_ = integer_rows_taken_ = 0;
  aliases_taken_ = false;
  came_.clear();
  went_.clear();
  equation_before_.clear();
  if (!search_ || !place_variables(m, unknown)) return;
  place_equations(m);
  if (is_discrete.empty() && is_discrete_.empty()) return;
  const auto discrete = [](const std::vector<bool>& list, std::uint32_t e) { return !list.empty() && list[e]; };
  for (std::uint32_t e = 0; e < m.equations.size(); ++e) {
    const std::uint32_t before = equation_before_[e];
    if (before == none || discrete(is_discrete, e) == discrete(is_discrete_, before)) continue;
    equation_before_[e] = equation_now_[before] = none;
    came_.push_back(e);
    went_.push_back(before);
  }
}

// In the order of then. One that stands elsewhere counts as gone, and as a new one.
bool KeptAliases::place_variables(const FlatModel& m, const std::vector<std::uint8_t>& unknown) {
  constexpr std::uint32_t few = 1024;  // what one edit inserts, mostly
  const auto all = static_cast<std::uint32_t>(m.variables()), then = static_cast<std::uint32_t>(keys_.size());
  now_of_.assign(then, none);
  before_of_.assign(all, none);
  for (std::uint32_t v = 0, at = 0; v < then && at < all; ++v) {
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
  return same_derivatives(m);
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

// Side by side; where they differ, one has changed in its place, or some came or went.
void KeptAliases::place_equations(const FlatModel& m) {
  const auto then = static_cast<std::uint32_t>(equations_.size()), all = static_cast<std::uint32_t>(m.equations.size());
  equation_now_.assign(then, none);
  equation_before_.assign(all, none);
  constexpr std::uint32_t few = 512;  // what one component inserts, mostly
  std::uint32_t i = 0, j = 0;
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
    return std::ranges::none_of(std::span(operands_).subspan(equations_[e].first, equations_[e].count),
                                [&](Operand x) { return x.kind() == OperandKind::value && knows(x.index()); });
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

void KeptAliases::compare_representatives(const std::vector<Representative>& now) {
  any_moved_ = false;
  if (equation_before_.empty()) return;
  moved_.assign(now.size(), 0);
  for (std::uint32_t v = 0; v < now.size(); ++v) {
    if (before_of_[v] == none) continue;
    const Representative &x = representative_[before_of_[v]], &y = now[v];
    if (x.sign == y.sign && x.constant == y.constant && now_of_[x.root.value] == y.root.value) continue;
    moved_[v] = 1;
    any_moved_ = true;
  }
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
