#include "engine/solve/rank.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace kron::solve {
namespace {

using code::Fingerprint;

struct FieldRow {
  std::map<std::uint32_t, Fingerprint> entries;      // by column
  std::map<std::uint32_t, Fingerprint> combination;  // by original row, where wanted
};

class FieldElimination {
 public:
  FieldElimination(const code::Builder& t, const std::vector<LinearSystem::Row>& rows, bool combine)
      : combine_(combine) {
    for (std::uint32_t r = 0; r < rows.size(); ++r) {
      FieldRow f;
      for (const auto& e : rows[r]) {
        f.entries.emplace(e.column, t.fingerprint(e.value));
        holders_[e.column].insert(r);
      }
      if (combine) f.combination.emplace(r, code::value_of(std::int64_t{1}));
      rows_.push_back(std::move(f));
      queue_.emplace(rows_.back().entries.size(), r);
    }
  }

  // Rows left without entries.
  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> empty;
    while (!queue_.empty()) {
      const std::uint32_t r = queue_.begin()->second;
      queue_.erase(queue_.begin());
      if (rows_[r].entries.empty()) { empty.push_back(r); continue; }
      std::uint32_t column = rows_[r].entries.begin()->first;
      for (const auto& [c, v] : rows_[r].entries)
        if (holders_[c].size() < holders_[column].size()) column = c;
      pivot(r, column);
    }
    return empty;
  }

  // Unknowns that are not determined: the free ones and those that depend on them.
  std::vector<std::uint32_t> undetermined(const std::vector<std::uint32_t>& columns) const {
    std::set<std::uint32_t> out;
    std::set<std::uint32_t> pivoted;
    for (const auto& [r, c] : order_) pivoted.insert(c);
    for (std::uint32_t c : columns)
      if (!pivoted.contains(c)) out.insert(c);
    for (std::size_t k = order_.size(); k-- > 0;) {
      for (const auto& [c, v] : rows_[order_[k].first].entries)
        if (c != order_[k].second && out.contains(c)) { out.insert(order_[k].second); break; }
    }
    return {out.begin(), out.end()};
  }

  std::vector<std::uint32_t> dependent(const std::vector<std::uint32_t>& empty) const {
    std::set<std::uint32_t> out;
    for (std::uint32_t r : empty)
      for (const auto& [k, v] : rows_[r].combination) out.insert(k);
    return {out.begin(), out.end()};
  }

 private:
  void pivot(std::uint32_t r, std::uint32_t column) {
    order_.emplace_back(r, column);
    const FieldRow& from = rows_[r];
    for (const auto& [c, v] : from.entries) holders_[c].erase(r);
    const Fingerprint inverse = code::inverse(from.entries.at(column));
    const auto targets = holders_[column];
    for (std::uint32_t t : targets) {
      queue_.erase({rows_[t].entries.size(), t});
      const Fingerprint factor = rows_[t].entries.at(column) * inverse;
      subtract(rows_[t].entries, from.entries, factor, t);
      if (combine_)
        for (const auto& [k, v] : from.combination) {
          const Fingerprint x = rows_[t].combination[k] - factor * v;
          if (code::is_zero(x)) rows_[t].combination.erase(k);
          else rows_[t].combination[k] = x;
        }
      queue_.emplace(rows_[t].entries.size(), t);
    }
  }

  void subtract(std::map<std::uint32_t, Fingerprint>& to, const std::map<std::uint32_t, Fingerprint>& from,
                Fingerprint factor, std::uint32_t row) {
    for (const auto& [c, v] : from) {
      auto [it, is_new] = to.emplace(c, Fingerprint{});
      it->second = it->second - factor * v;
      if (code::is_zero(it->second)) {
        to.erase(it);
        holders_[c].erase(row);
      } else if (is_new) {
        holders_[c].insert(row);
      }
    }
  }

  bool combine_;
  std::vector<FieldRow> rows_;
  std::map<std::uint32_t, std::set<std::uint32_t>> holders_;
  std::set<std::pair<std::size_t, std::uint32_t>> queue_;  // rows by number of entries
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order_;
};

}  // namespace

std::optional<Deficiency> rank_deficiency(const code::Builder& t, const std::vector<LinearSystem::Row>& rows,
                                          const std::vector<std::uint32_t>& columns) {
  // Past this size the numerical factorisation tells; the exact one could fill up.
  constexpr std::size_t largest = 1500, explained = 400;
  if (rows.empty() || rows.size() > largest) return std::nullopt;
  FieldElimination e(t, rows, false);
  const auto empty = e.run();
  if (empty.empty()) return std::nullopt;
  Deficiency d{empty, e.undetermined(columns)};
  if (rows.size() <= explained) {
    FieldElimination again(t, rows, true);
    d.rows = again.dependent(again.run());
  }
  return d;
}

// Gaussian elimination with complete pivoting on rows of size 1; what the rows are made of goes along.
std::optional<Deficiency> rank_deficiency(std::vector<std::vector<double>> a) {
  constexpr double rounding = 1e-9;
  const std::size_t m = a.size(), n = m == 0 ? 0 : a[0].size();
  const auto size = [](double x) { return std::fabs(x); };
  std::vector<std::vector<double>> made_of(m, std::vector<double>(m, 0));
  for (std::size_t r = 0; r < m; ++r) {
    const double largest = std::ranges::max(a[r], {}, size);
    if (!std::isfinite(largest)) return std::nullopt;
    for (double& x : a[r]) x /= largest == 0 ? 1 : size(largest);
    made_of[r][r] = 1;
  }
  std::vector<bool> used(m, false);
  for (std::size_t step = 0; step < m; ++step) {
    std::size_t row = m, column = 0;
    double best = rounding;
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t c = 0; !used[r] && c < n; ++c)
        if (size(a[r][c]) > best) best = size(a[r][c]), row = r, column = c;
    if (row == m) break;
    used[row] = true;
    for (std::size_t r = 0; r < m; ++r) {
      if (used[r] || a[r][column] == 0) continue;
      const double factor = a[r][column] / a[row][column];
      for (std::size_t c = 0; c < n; ++c) a[r][c] -= factor * a[row][c];
      for (std::size_t k = 0; k < m; ++k) made_of[r][k] -= factor * made_of[row][k];
      a[r][column] = 0;
    }
  }
  const auto empty = std::ranges::find(used, false);
  if (empty == used.end()) return std::nullopt;
  Deficiency d;
  const std::vector<double>& sum = made_of[static_cast<std::size_t>(empty - used.begin())];
  for (std::uint32_t k = 0; k < m; ++k)
    if (size(sum[k]) > rounding) d.rows.push_back(k);
  return d;
}

}  // namespace kron::solve
