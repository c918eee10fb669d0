#include "engine/solve/rank.hpp"

#include <algorithm>
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
  FieldElimination(const code::Builder& t, const std::vector<std::vector<LinearSystem::Entry>>& rows, bool combine)
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

std::optional<Deficiency> rank_deficiency(const code::Builder& t, const std::vector<std::vector<LinearSystem::Entry>>& rows,
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

}  // namespace kron::solve
