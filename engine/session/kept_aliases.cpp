#include "engine/session/kept_aliases.hpp"

#include <algorithm>
#include <unordered_map>

namespace kron::session {

using model::Operand;
using model::OperandKind;

std::vector<std::uint32_t> KeptAliases::others(const FlatModel& m, std::span<const std::uint32_t> origin) {
  std::vector<std::uint32_t> list;
  std::size_t row = 0;
  for (std::uint32_t e = 0; e < m.equations.size(); ++e) {
    if (row < origin.size() && origin[row] == e) ++row;
    else list.push_back(e);
  }
  return list;
}

void KeptAliases::keep(const FlatModel& m, const std::vector<std::uint8_t>& unknown, AliasSearch s) {
  keys_ = m.keys;
  unknown_ = unknown;
  derivative_ = m.derivative;
  equations_ = m.equations;
  operands_ = m.operands;
  event_keys_.clear();
  for (const FlatModel::EventTerm& e : m.events) event_keys_.push_back(e.key);
  others_ = others(m, std::span(s.origin).first(s.collected));
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

bool KeptAliases::same_representatives(const std::vector<Representative>& now) const {
  for (std::uint32_t v = 0; v < now_of_.size(); ++v) {
    if (now_of_[v] == none) continue;
    const Representative &x = representative_[v], &y = now[now_of_[v]];
    if (x.sign != y.sign || x.constant != y.constant || now_of_[x.root.value] != y.root.value) return false;
  }
  return true;
}

bool KeptAliases::take_row(System& s, std::uint32_t equation) {
  const std::uint32_t before = same_equation_[equation];
  if (before == none || row_of_[before] == none || !same(*s.flat, before, equation)) return false;
  SystemRow row = rows_[row_of_[before]];
  const auto operands = std::span(row_operands_).subspan(row.first, row.count);
  const auto members = std::span(row_members_).subspan(row.first, row.count);
  const auto columns = std::span(row_columns_).subspan(row.first_column, row.columns);
  row.origin = equation;
  row.first = static_cast<std::uint32_t>(s.operands.size());
  row.first_column = static_cast<std::uint32_t>(s.column.size());
  for (const Operand o : operands) s.operands.push_back(now(o));
  for (std::size_t k = 0; k < members.size(); ++k)
    s.members.push_back(operands[k].kind() == OperandKind::value ? Member{now_of_[members[k].variable], members[k].shift} : Member{});
  for (const std::uint32_t c : columns) s.column.push_back(now_of_[c]);
  s.rows.push_back(row);
  ++taken_;
  return true;
}

// False: those that both have stand in another order, or are not what they were.
bool KeptAliases::place_variables(const FlatModel& m, const std::vector<std::uint8_t>& unknown) {
  now_of_.assign(keys_.size(), none);
  before_of_.assign(m.variables(), none);
  std::unordered_map<std::uint64_t, std::uint32_t> place;  // of the keys now; empty: not yet
  constexpr std::uint32_t few = 64;                        // what one edit inserts, mostly
  std::uint32_t at = 0;
  const auto is = [&](std::uint32_t v, std::uint64_t key) { return v < m.variables() && m.keys[v] == key; };
  for (std::uint32_t v = 0; v < keys_.size(); ++v) {
    std::uint32_t found = none;
    for (std::uint32_t k = at; k <= at + few && found == none; ++k)
      if (is(k, keys_[v])) found = k;
    if (found == none) {
      if (place.empty())
        for (std::uint32_t k = 0; k < m.variables(); ++k) place.emplace(m.keys[k], k);
      const auto it = place.find(keys_[v]);
      if (it == place.end()) continue;
      found = it->second;
    }
    if (found < at || unknown_[v] != unknown[found]) return false;
    now_of_[v] = found;
    before_of_[found] = v;
    at = found + 1;
  }
  for (std::uint32_t v = 0; v < keys_.size(); ++v) {
    if (now_of_[v] == none) continue;
    const std::uint32_t before = derivative_[v], after = m.derivative[now_of_[v]];
    if ((before == none) != (after == none) || (before != none && now_of_[before] != after)) return false;
  }
  return true;
}

// Where the columns of the rows begin, their coefficients and constants: what can be told before variables are placed.
bool KeptAliases::same_shape(const structure::IntegerSystem& rows) const {
  const structure::IntegerSystem& before = search_->rows;
  return rows.rows() == search_->collected && std::equal(rows.begin.begin(), rows.begin.end(), before.begin.begin()) &&
         std::equal(rows.constant.begin(), rows.constant.end(), before.constant.begin()) &&
         std::equal(rows.coefficient.begin(), rows.coefficient.end(), before.coefficient.begin());
}

bool KeptAliases::same_columns(const structure::IntegerSystem& rows) const {
  const structure::IntegerSystem& before = search_->rows;
  const auto same_variable = [&](std::uint32_t now, std::uint32_t then) { return now_of_[then] == now; };
  return std::equal(rows.column.begin(), rows.column.end(), before.column.begin(), same_variable);
}

Operand KeptAliases::now(Operand o) const { return o.has_slot() ? Operand(o.kind(), now_of_[o.index()], o.order()) : o; }

bool KeptAliases::same(const FlatModel& m, std::uint32_t before, std::uint32_t after) const {
  const model::FlatEquation &x = equations_[before], &y = m.equations[after];
  if (x.form != y.form) return false;
  for (std::uint32_t k = 0; k < x.count; ++k) {
    const Operand o = operands_[x.first + k];
    if (o.has_slot() && now_of_[o.index()] == none) return false;
    if (now(o) != m.operands[y.first + k]) return false;
    if (o.kind() == OperandKind::event && event_keys_[o.index()] != m.events[o.index()].key) return false;
  }
  return true;
}

// False: one that came or went holds a variable with a known value.
bool KeptAliases::same_others(const FlatModel& m, std::span<const std::uint32_t> origin) {
  const std::vector<std::uint32_t> list = others(m, origin);
  const auto knows = [&](std::uint32_t before) { return before != none && search_->found.of[before].sign == 0; };
  const auto quiet_before = [&](std::uint32_t e) {
    return std::ranges::all_of(std::span(operands_).subspan(equations_[e].first, equations_[e].count),
                               [&](Operand x) { return x.kind() != OperandKind::value || !knows(x.index()); });
  };
  const auto quiet_now = [&](std::uint32_t e) {
    return std::ranges::all_of(m.bound(m.equations[e]),
                               [&](Operand x) { return x.kind() != OperandKind::value || !knows(before_of_[x.index()]); });
  };
  equation_of_.assign(others_.size(), none);
  constexpr std::size_t few = 8;
  std::size_t i = 0, j = 0;
  const auto skip_before = [&](std::size_t n) {
    for (; n > 0; --n, ++i)
      if (!quiet_before(others_[i])) return false;
    return true;
  };
  const auto skip_now = [&](std::size_t n) {
    for (; n > 0; --n, ++j)
      if (!quiet_now(list[j])) return false;
    return true;
  };
  while (i < others_.size() && j < list.size()) {
    if (same(m, others_[i], list[j])) {
      equation_of_[i++] = list[j++];
      continue;
    }
    std::size_t came = 0, went = 0;
    for (std::size_t k = 1; k <= few && came + went == 0; ++k) {
      if (j + k < list.size() && same(m, others_[i], list[j + k])) came = k;
      else if (i + k < others_.size() && same(m, others_[i + k], list[j])) went = k;
    }
    if (came + went == 0) came = went = 1;
    if (!skip_before(went) || !skip_now(came)) return false;
  }
  return skip_before(others_.size() - i) && skip_now(list.size() - j);
}

std::optional<AliasSearch> KeptAliases::renumbered(const FlatModel& m, const std::vector<std::uint8_t>& unknown,
                                                   const structure::IntegerSystem& rows, const std::vector<std::uint32_t>& origin) {
  taken_ = 0;
  if (!search_ || !same_shape(rows) || !place_variables(m, unknown) || !same_columns(rows) || !same_others(m, origin)) return std::nullopt;
  AliasSearch s;
  s.rows = rows;
  s.origin = origin;
  s.collected = search_->collected;
  const structure::IntegerSystem& before = search_->rows;
  std::vector<std::pair<structure::Column, std::int64_t>> terms;
  for (structure::Row r = static_cast<structure::Row>(s.collected); r < before.rows(); ++r) {
    terms.clear();
    for (std::uint32_t k = before.begin[r]; k < before.begin[r + 1]; ++k) {
      if (now_of_[before.column[k]] == none) return std::nullopt;
      terms.emplace_back(now_of_[before.column[k]], before.coefficient[k]);
    }
    s.rows.add_row(terms, before.constant[r]);
    s.origin.push_back(none);
    if (search_->origin[r] == none) continue;
    const auto o = std::ranges::lower_bound(others_, search_->origin[r]);
    if (o == others_.end() || *o != search_->origin[r]) return std::nullopt;
    s.origin.back() = equation_of_[static_cast<std::size_t>(o - others_.begin())];
    if (s.origin.back() == none) return std::nullopt;
  }
  same_equation_.assign(m.equations.size(), none);
  for (std::size_t r = 0; r < s.collected; ++r) same_equation_[origin[r]] = search_->origin[r];
  for (std::size_t k = 0; k < others_.size(); ++k)
    if (equation_of_[k] != none) same_equation_[equation_of_[k]] = others_[k];
  s.found.used = search_->found.used;
  s.found.dependent = search_->found.dependent;
  s.found.of.resize(m.variables());
  for (std::uint32_t v = 0; v < m.variables(); ++v) {
    structure::Aliases::Alias& a = s.found.of[v];
    a.root = v;
    if (before_of_[v] == none) continue;
    a = search_->found.of[before_of_[v]];
    a.root = now_of_[a.root];
    if (a.root == none) return std::nullopt;
  }
  return s;
}

}  // namespace kron::session
