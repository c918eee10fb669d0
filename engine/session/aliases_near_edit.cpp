// engine/session/aliases_near_edit.cpp: aliases after an edit that brings or takes away integer rows, as a component or a connection does.
// What such rows reach is closed under rows and derivatives, so the rest of the model has the aliases that it had, and the known values,
// but where an equation that is no integer row leads from one to the other: then all is searched anew. A far value that followed from a near
// one is no ground to find that again: the two would hold each other up.
#include <algorithm>
#include <numeric>

#include "engine/session/derivative_aliases.hpp"
#include "engine/session/kept_aliases.hpp"
#include "engine/session/known_values.hpp"

namespace kron::session {

using model::Operand;
using model::OperandKind;
using structure::Row;

namespace {

// The rows that hold each column.
struct Holders {
  explicit Holders(const structure::IntegerSystem& s) : begin(s.columns + std::size_t{1}, 0), row(s.column.size()) {
    for (structure::Column c : s.column) ++begin[c + std::size_t{1}];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (Row r = 0; r < s.rows(); ++r)
      for (std::uint32_t k = s.begin[r]; k < s.begin[r + 1]; ++k) row[next[s.column[k]]++] = r;
  }
  std::span<const Row> of(structure::Column c) const { return std::span(row).subspan(begin[c], begin[c + 1] - begin[c]); }
  std::vector<std::uint32_t> begin;
  std::vector<Row> row;
};

}  // namespace

// Variables, ascending, and the rows that hold them; empty: they are too many for that to be worth while.
std::vector<std::uint32_t> KeptAliases::near_edit(const FlatModel& m, const AliasSearch& s, std::vector<std::uint32_t>& rows) const {
  const std::size_t most = m.variables() / 4;
  const Holders holders(s.rows);
  std::vector<bool> near(m.variables(), false), row_met(s.rows.rows(), false);
  std::vector<std::uint32_t> reached;
  const auto reach = [&](std::uint32_t v) {
    if (v == none || near[v]) return;
    near[v] = true;
    reached.push_back(v);
  };
  const auto meet = [&](Row r) {
    if (row_met[r]) return;
    row_met[r] = true;
    rows.push_back(r);
    for (std::uint32_t k = s.rows.begin[r]; k < s.rows.begin[r + 1]; ++k) reach(s.rows.column[k]);
  };
  for (std::uint32_t v = 0; v < m.variables(); ++v)
    if (before_of_[v] == none) reach(v);
  for (Row r = 0; r < s.rows.rows(); ++r)
    if (equation_before_[s.origin[r]] == none) meet(r);
  for (std::uint32_t e : went_)
    if (const std::uint32_t r = integer_row_[e]; r != none)
      for (std::uint32_t k = search_->rows.begin[r]; k < search_->rows.begin[r + 1]; ++k) reach(now_of_[search_->rows.column[k]]);
  for (std::size_t k = 0; k < reached.size(); ++k) {
    if (reached.size() > most) return {};
    const std::uint32_t v = reached[k];
    for (Row r : holders.of(v)) meet(r);
    reach(m.derivative[v]);
    if (v >= m.slots) reach(m.integral[v - m.slots]);
  }
  std::ranges::sort(reached);
  std::ranges::sort(rows);
  return reached;
}

// Whether a known value near the edit led to one that is far, over an equation that is no integer row.
bool KeptAliases::led_away(const std::vector<std::uint32_t>& place) const {
  const auto is_near = [&](std::uint32_t before) { return now_of_[before] == none || place[now_of_[before]] != none; };
  const auto led = [&](Operand o) { return o.kind() == OperandKind::value && search_->found.of[o.index()].sign == 0 && is_near(o.index()); };
  const structure::IntegerSystem& then = search_->rows;
  for (auto r = static_cast<Row>(search_->collected); r < then.rows(); ++r)
    if (const std::uint32_t e = search_->origin[r]; e != none && !is_near(then.column[then.begin[r]]) && std::ranges::any_of(bound_before(e), led))
      return true;
  return false;
}

bool KeptAliases::search_near_edit(const FlatModel& m, const std::vector<std::uint8_t>& unknown, const std::vector<bool>& no_alias,
                                   std::span<const std::uint32_t> differentiated, AliasSearch& s) {
  if (equation_before_.empty() || !search_->found.dependent.empty()) return false;
  std::vector<std::uint32_t> rows;
  const std::vector<std::uint32_t> near = near_edit(m, s, rows);
  if (near.empty()) return false;
  constexpr std::uint32_t far = none;
  std::vector<std::uint32_t> place(m.variables(), far);
  for (std::uint32_t k = 0; k < near.size(); ++k) place[near[k]] = k;
  if (led_away(place)) return false;

  // What is near, as a system of its own.
  structure::IntegerSystem system;
  system.columns = static_cast<std::uint32_t>(near.size());
  IntegerTerms terms;
  for (Row r : rows) {
    terms.clear();
    for (std::uint32_t k = s.rows.begin[r]; k < s.rows.begin[r + 1]; ++k) terms.emplace_back(place[s.rows.column[k]], s.rows.coefficient[k]);
    system.add_row(terms, s.rows.constant[r]);
  }
  std::vector<std::uint32_t> variables, derivative(near.size(), none), found_by;  // found_by: of rows that were added, their equations
  for (std::uint32_t v : differentiated)
    if (place[v] != far) {
      variables.push_back(place[v]);
      derivative[place[v]] = place[m.derivative[v]];
    }
  const Differentiated there{variables, derivative};
  std::vector<std::uint8_t> prefer;
  for (std::uint32_t v : near) prefer.push_back(preference(m, v));
  structure::Aliases found, all;
  all.of.resize(m.variables());
  for (std::uint32_t v = 0; v < all.of.size(); ++v)
    if (place[v] == far) {
      all.of[v] = search_->found.of[before_of_[v]];
      all.of[v].root = now_of_[all.of[v].root];
    }
  std::vector<std::uint32_t> equations = came_;  // and those that hold what is near
  const auto is_near = [&](Operand o) { return o.kind() == OperandKind::value && place[o.index()] != far; };
  for (std::uint32_t e = 0; e < m.equations.size(); ++e)
    if (equation_before_[e] != none && std::ranges::any_of(m.bound(m.equations[e]), is_near)) equations.push_back(e);
  std::ranges::sort(equations);

  structure::GrowingAliases elimination;
  for (Row before = none; before != system.rows();) {
    before = system.rows();
    found = elimination.eliminate(system, prefer);
    if (!found.dependent.empty()) return false;
    close_derivatives(found, there, [&](const IntegerTerms& t) {
      system.add_row(t);
      found_by.push_back(none);
    });
    if (before != system.rows()) continue;
    if (!derivative_cycles(found, there).empty()) return false;
    for (std::uint32_t k = 0; k < near.size(); ++k) {
      all.of[near[k]] = found.of[k];
      all.of[near[k]].root = near[found.of[k].root];
    }
    for (const KnownValue& k : known_values(m, unknown, all, no_alias, equations)) {
      if (place[k.variable] == far) return false;
      if (k.of_integer_row) continue;
      system.add_row(IntegerTerms{{place[k.variable], 1}}, -k.value);
      found_by.push_back(k.equation);
    }
  }
  if (gave_values(place, all)) return false;

  const std::uint32_t collected = s.rows.rows();
  all.used.resize(collected);
  for (Row r = 0; r < collected; ++r)
    if (const std::uint32_t e = equation_before_[s.origin[r]]; e != none) all.used[r] = search_->found.used[integer_row_[e]];
  for (std::size_t k = 0; k < rows.size(); ++k) all.used[rows[k]] = found.used[k];
  const structure::IntegerSystem& then = search_->rows;
  for (auto r = static_cast<Row>(search_->collected); r < then.rows(); ++r) {
    terms.clear();
    for (std::uint32_t k = then.begin[r]; k < then.begin[r + 1]; ++k)
      if (const std::uint32_t v = now_of_[then.column[k]]; v != none && place[v] == far) terms.emplace_back(v, then.coefficient[k]);
    if (terms.empty()) continue;
    s.rows.add_row(terms, then.constant[r]);
    s.origin.push_back(search_->origin[r] == none ? none : equation_now_[search_->origin[r]]);
    all.used.push_back(search_->found.used[r]);
  }
  for (auto r = static_cast<Row>(rows.size()); r < system.rows(); ++r) {
    terms.clear();
    for (std::uint32_t k = system.begin[r]; k < system.begin[r + 1]; ++k) terms.emplace_back(near[system.column[k]], system.coefficient[k]);
    s.rows.add_row(terms, system.constant[r]);
    s.origin.push_back(found_by[r - rows.size()]);
    all.used.push_back(found.used[r]);
  }
  s.found = std::move(all);
  s.collected = collected;
  return true;
}

// Whether an equation gave a far variable its value from what is not known so any more, or has gone.
bool KeptAliases::gave_values(const std::vector<std::uint32_t>& place, const structure::Aliases& now) const {
  const auto is_far = [&](std::uint32_t before) { return now_of_[before] != none && place[now_of_[before]] == none; };
  const auto has_changed = [&](Operand o) {
    if (o.kind() != OperandKind::value || is_far(o.index())) return false;
    const auto& then = search_->found.of[o.index()];
    if (then.sign != 0 || now_of_[o.index()] == none) return then.sign == 0;
    const auto& is = now.of[now_of_[o.index()]];
    return is.sign != 0 || is.constant != then.constant;
  };
  for (auto r = static_cast<Row>(search_->collected); r < search_->rows.rows(); ++r) {
    const std::uint32_t e = search_->origin[r];
    if (e == none || !is_far(search_->rows.column[search_->rows.begin[r]])) continue;
    if (equation_now_[e] == none || std::ranges::any_of(bound_before(e), has_changed)) return true;
  }
  return false;
}

}  // namespace kron::session
