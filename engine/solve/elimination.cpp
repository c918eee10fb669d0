#include "engine/solve/elimination.hpp"

#include <algorithm>

namespace kron::solve {

using code::Ref;
using Entry = LinearSystem::Entry;

namespace {
void insert(std::vector<std::uint32_t>& sorted, std::uint32_t v) {
  auto it = std::lower_bound(sorted.begin(), sorted.end(), v);
  if (it == sorted.end() || *it != v) sorted.insert(it, v);
}
void erase(std::vector<std::uint32_t>& sorted, std::uint32_t v) {
  auto it = std::lower_bound(sorted.begin(), sorted.end(), v);
  if (it != sorted.end() && *it == v) sorted.erase(it);
}
const Entry* find(const std::vector<Entry>& row, std::uint32_t column) {
  auto it = std::lower_bound(row.begin(), row.end(), column,
                             [](const Entry& e, std::uint32_t c) { return e.column < c; });
  return it != row.end() && it->column == column ? &*it : nullptr;
}
}  // namespace

Elimination::Elimination(code::Builder& tape, LinearSystem system)
    : tape_(tape), system_(std::move(system)), columns_(system_.rows.size()), active_(system_.rows.size(), true),
      unsolved_(system_.rows.size(), true) {
  for (std::uint32_t r = 0; r < system_.rows.size(); ++r)
    for (const Entry& e : system_.rows[r]) columns_[e.column].push_back(r);
}

void Elimination::eliminate(std::uint32_t r, std::uint32_t c) {
  active_[r] = false;
  unsolved_[c] = false;
  pivots_.emplace_back(r, c);
  for (const Entry& e : system_.rows[r]) erase(columns_[e.column], r);
  changed_ = columns_[c];
  const Ref pivot = find(system_.rows[r], c)->value;
  for (std::uint32_t t : changed_) combine(t, r, c, tape_.div(find(system_.rows[t], c)->value, pivot));
  columns_[c].clear();
}

// row[target] -= factor * row[pivot_row]
void Elimination::combine(std::uint32_t target, std::uint32_t pivot_row, std::uint32_t column, Ref factor) {
  const auto& from = system_.rows[pivot_row];
  auto& to = system_.rows[target];
  std::vector<Entry> merged;
  merged.reserve(from.size() + to.size());
  std::size_t i = 0, j = 0;
  while (i < to.size() || j < from.size()) {
    if (j == from.size() || (i < to.size() && to[i].column < from[j].column)) { merged.push_back(to[i++]); continue; }
    const std::uint32_t c = from[j].column;
    const bool both = i < to.size() && to[i].column == c;
    if (c == column) { ++j; i += both; continue; }
    const Ref product = tape_.mul(factor, from[j].value);
    const Ref value = both ? tape_.sub(to[i].value, product) : -product;
    if (!tape_.is_zero(value)) {
      merged.push_back({c, value});
      if (!both) insert(columns_[c], target);
    } else if (both) {
      erase(columns_[c], target);
    }
    ++j;
    i += both;
  }
  to = std::move(merged);
  system_.rhs[target] = tape_.sub(system_.rhs[target], tape_.mul(factor, system_.rhs[pivot_row]));
}

void Elimination::substitute_back(std::vector<Ref>& values) {
  for (std::size_t k = pivots_.size(); k-- > 0;) {
    const auto [r, c] = pivots_[k];
    Ref sum = system_.rhs[r], pivot;
    for (const Entry& e : system_.rows[r]) {
      if (e.column == c) pivot = e.value;
      else sum = tape_.sub(sum, tape_.mul(e.value, values[e.column]));
    }
    values[c] = tape_.div(sum, pivot);
  }
}

}  // namespace kron::solve
