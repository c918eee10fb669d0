#include "engine/session/kept_aliases.hpp"

#include <algorithm>
#include <unordered_map>

namespace kron::session {

using model::Operand;
using model::OperandKind;

std::vector<KeptAliases::Other> KeptAliases::others(const FlatModel& m, std::span<const std::uint32_t> origin) {
  std::vector<Other> list;
  std::size_t row = 0;
  for (std::uint32_t e = 0; e < m.equations.size(); ++e) {
    if (row < origin.size() && origin[row] == e) ++row;
    else list.push_back({e, m.equations[e].form, m.equations[e].first, m.equations[e].count});
  }
  return list;
}

void KeptAliases::keep(const FlatModel& m, const std::vector<std::uint8_t>& unknown, AliasSearch s) {
  keys_ = m.keys;
  unknown_ = unknown;
  derivative_ = m.derivative;
  others_ = others(m, std::span(s.origin).first(s.collected));
  operands_.clear();
  for (Other& o : others_) {
    const auto bound = std::span(m.operands).subspan(o.first, o.count);
    o.first = static_cast<std::uint32_t>(operands_.size());
    operands_.insert(operands_.end(), bound.begin(), bound.end());
  }
  search_ = std::move(s);
}

// False: those that both have stand in another order, or are not what they were.
bool KeptAliases::place_variables(const FlatModel& m, const std::vector<std::uint8_t>& unknown) {
  now_of_.assign(keys_.size(), none);
  before_of_.assign(m.variables(), none);
  std::unordered_map<std::uint64_t, std::uint32_t> place;  // of the keys now; empty: not yet
  constexpr std::uint32_t few = 8;                         // what one edit inserts or takes out, mostly
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

bool KeptAliases::same_rows(const structure::IntegerSystem& rows) const {
  const structure::IntegerSystem& before = search_->rows;
  const std::size_t n = search_->collected;
  if (rows.rows() != n || !std::equal(rows.begin.begin(), rows.begin.end(), before.begin.begin())) return false;
  if (!std::equal(rows.constant.begin(), rows.constant.end(), before.constant.begin())) return false;
  if (!std::equal(rows.coefficient.begin(), rows.coefficient.end(), before.coefficient.begin())) return false;
  return std::equal(rows.column.begin(), rows.column.end(), before.column.begin(), [&](std::uint32_t now, std::uint32_t then) { return now_of_[then] == now; });
}

Operand KeptAliases::now(Operand o) const { return o.kind() == OperandKind::value ? Operand::value(model::SlotId{now_of_[o.index()]}) : o; }

bool KeptAliases::same(const FlatModel& m, const Other& before, const Other& after) const {
  if (before.form != after.form) return false;
  for (std::uint32_t k = 0; k < before.count; ++k) {
    const Operand o = operands_[before.first + k];
    if (o.kind() == OperandKind::value && now_of_[o.index()] == none) return false;
    if (now(o) != m.operands[after.first + k]) return false;
  }
  return true;
}

// False: one that came or went holds a variable with a known value.
bool KeptAliases::same_others(const FlatModel& m, std::span<const std::uint32_t> origin) {
  const std::vector<Other> list = others(m, origin);
  const auto knows = [&](std::uint32_t before) { return before != none && search_->found.of[before].sign == 0; };
  const auto quiet_before = [&](const Other& o) {
    return std::all_of(operands_.begin() + o.first, operands_.begin() + o.first + o.count,
                       [&](Operand x) { return x.kind() != OperandKind::value || !knows(x.index()); });
  };
  const auto quiet_now = [&](const Other& o) {
    return std::all_of(m.operands.begin() + o.first, m.operands.begin() + o.first + o.count,
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
      equation_of_[i++] = list[j++].equation;
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

std::optional<AliasSearch> KeptAliases::renumbered(const FlatModel& m, const std::vector<std::uint8_t>& unknown, const structure::IntegerSystem& rows,
                                                   const std::vector<std::uint32_t>& origin) {
  if (!search_ || !place_variables(m, unknown) || !same_rows(rows) || !same_others(m, origin)) return std::nullopt;
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
    const auto o = std::ranges::lower_bound(others_, search_->origin[r], {}, &Other::equation);
    if (o == others_.end() || o->equation != search_->origin[r]) return std::nullopt;
    s.origin.back() = equation_of_[static_cast<std::size_t>(o - others_.begin())];
    if (s.origin.back() == none) return std::nullopt;
  }
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
