// engine/session/level_matrix.hpp: the Jacobian of one level of differentiated rows, and how states.cpp eliminates it. Private to the room.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "engine/code/fingerprint.hpp"
#include "engine/session/system.hpp"

namespace kron::session {

// One level of rows by the candidates' derivatives, while it is eliminated. Values at a random point of two prime fields, so that zeros are
// exact however long a chain is: of a product of many random matrices doubles keep hardly more than one direction.
struct LevelMatrix {
  struct Cell {
    std::uint32_t column = 0;
    bool constant = true;
    code::Fingerprint value{};
  };
  std::vector<std::uint32_t> rows, columns;         // of the system
  std::vector<std::vector<Cell>> cells;             // by row, columns ascending, no zeros; of a row that is done as it was then
  std::vector<std::vector<std::uint32_t>> holders;  // by column: rows that had a cell there, ascending
  std::vector<std::uint32_t> held;                  // by column: rows with a cell there that are not done
  std::vector<bool> row_done, column_done;

  LevelMatrix(std::vector<std::uint32_t> r, std::vector<std::uint32_t> c)
      : rows(std::move(r)), columns(std::move(c)), cells(rows.size()), holders(columns.size()), held(columns.size(), 0),
        row_done(rows.size(), false), column_done(columns.size(), false) {}

  // Rows come in order, the cells of each with ascending columns.
  void put(std::uint32_t r, const Cell& x) {
    cells[r].push_back(x);
    holders[x.column].push_back(r);
    ++held[x.column];
  }
  // The cells of a row from column `begin` on.
  std::span<const Cell> from(std::size_t r, std::size_t begin) const { return {first(r, begin), cells[r].end()}; }
  const Cell* find(std::size_t r, std::size_t c) const {
    const auto x = from(r, c);
    return !x.empty() && x[0].column == c ? &x[0] : nullptr;
  }
  // The shortest row that is not done and has a cell there that is wanted.
  template <class F>
  std::optional<std::uint32_t> shortest(std::size_t c, F&& wanted) const {
    std::optional<std::uint32_t> best;
    for (std::uint32_t r : holders[c]) {
      if (row_done[r] || (best && cells[r].size() >= cells[*best].size())) continue;
      if (const Cell* x = find(r, c); x && wanted(r, *x)) best = r;
    }
    return best;
  }

  // Cells of the row that are none after all: those whose column is `unfelt`.
  template <class F>
  void drop(std::size_t r, F&& unfelt) {
    std::erase_if(cells[r], [&](const Cell& x) {
      if (!unfelt(x.column)) return false;
      --held[x.column];
      return true;
    });
  }

  void finish(std::size_t r) {
    row_done[r] = true;
    for (const Cell& x : cells[r]) --held[x.column];
  }
  // The column disappears from the other rows. Returns these.
  const std::vector<std::uint32_t>& eliminate(std::size_t r, std::size_t c) {
    return eliminate(r, c, [](std::uint32_t) {});
  }
  // Calls counted(column) where `held` changes.
  template <class F>
  const std::vector<std::uint32_t>& eliminate(std::size_t r, std::size_t c, F&& counted) {
    static const code::Fingerprint one = code::value_of(std::int64_t{1});
    finish(r);
    column_done[c] = true;
    for (const Cell& x : cells[r]) counted(x.column);
    const code::Fingerprint pivot = find(r, c)->value;
    const code::Fingerprint inverse = code::magnitude(pivot) == one ? pivot : code::inverse(pivot);
    changed_.clear();
    for (std::uint32_t i : holders[c])
      if (!row_done[i] && subtract(i, r, c, inverse, counted)) changed_.push_back(i);
    return changed_;
  }

 private:
  // From row i what of row r makes it lose column c. False: it has no cell there.
  template <class F>
  bool subtract(std::uint32_t i, std::size_t r, std::size_t c, code::Fingerprint inverse, F&& counted) {
    const Cell* x = find(i, c);
    if (!x) return false;
    const code::Fingerprint factor = x->value * inverse;
    const bool constant = x->constant && find(r, c)->constant;
    sum_.clear();
    auto mine = cells[i].cbegin();
    const auto end = cells[i].cend();
    for (const Cell& y : cells[r]) {
      while (mine != end && mine->column < y.column) sum_.push_back(*mine++);
      const bool both = mine != end && mine->column == y.column;
      Cell e{y.column, constant && y.constant, -(factor * y.value)};
      if (both) {
        e.value = e.value + mine->value;
        e.constant = e.constant && mine->constant;
        ++mine;
      }
      const bool zero = y.column == c || code::is_zero(e.value);
      if (!zero) sum_.push_back(e);
      if (zero != both) continue;
      held[y.column] += zero ? ~0u : 1u;
      counted(y.column);
      if (zero) continue;
      auto& list = holders[y.column];
      const auto at = std::lower_bound(list.begin(), list.end(), i);
      if (at == list.end() || *at != i) list.insert(at, i);
    }
    sum_.insert(sum_.end(), mine, end);
    cells[i].assign(sum_.begin(), sum_.end());
    return true;
  }
  std::vector<Cell>::const_iterator first(std::size_t r, std::size_t c) const {
    return std::lower_bound(cells[r].begin(), cells[r].end(), c, [](const Cell& x, std::size_t column) { return x.column < column; });
  }

  std::vector<Cell> sum_;
  std::vector<std::uint32_t> changed_;
};

// Eliminates columns [begin, end) by the given rows: next the column that fewest rows hold, by the shortest of these. Where loops stand on
// each other every row has, beside all joints below, some that no row but those above knows: from the top down nothing fills. Calls
// found(row, column) before each step.
template <class F>
void eliminate_sparsest(LevelMatrix& m, const std::vector<std::uint32_t>& rows, std::size_t begin, std::size_t end, F&& found) {
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  std::priority_queue<Key, std::vector<Key>, std::greater<>> queue;  // counts and columns; counts of before, too
  std::vector<bool> mine(m.rows.size(), false);
  for (std::uint32_t r : rows) mine[r] = true;
  const auto offer = [&](std::uint32_t c) {
    if (c >= begin && c < end && !m.column_done[c] && m.held[c] > 0) queue.emplace(m.held[c], c);
  };
  for (std::size_t c = begin; c < end; ++c) offer(static_cast<std::uint32_t>(c));
  while (!queue.empty()) {
    const auto [count, c] = queue.top();
    queue.pop();
    if (m.column_done[c] || m.held[c] != count) continue;
    const auto r = m.shortest(c, [&](std::uint32_t i, const LevelMatrix::Cell&) { return mine[i]; });
    if (!r) continue;
    found(*r, c);
    m.eliminate(*r, c, offer);
  }
}

// Rows that give a column by what else they hold: their only one among [begin, end), with a constant pivot, or the only one that is not
// given so itself. Which columns that are does not depend on the order in which they are eliminated, so the pivot that fills least is next
// [Markowitz 1957]: from the root on where loops leave a chain everywhere, in pieces that are joined where a chain closes at its end.
class Assignments {
 public:
  Assignments(LevelMatrix& m, std::size_t begin, std::size_t end)
      : m_(m), begin_(begin), end_(end), row_of_(end - begin, none), column_of_(m.rows.size(), none) {}

  // That this row gives this column is known. Not of the range: nothing happens.
  void take(std::uint32_t r, std::uint32_t c) {
    if (c < begin_ || c >= end_) return;
    row_of_[c - begin_] = r;
    column_of_[r] = c;
    found_.push_back(c);
  }

  // Looks at the given rows, and at those that they lead to. Calls found(row, column) before each step.
  template <class F>
  void eliminate(std::vector<std::uint32_t> rows, F&& found) {
    const auto offer = [&](std::uint32_t c) {
      if (c >= begin_ && c < end_ && row_of_[c - begin_] != none && !m_.column_done[c]) queue_.emplace(fill(c), c);
    };
    while (true) {
      find(rows);
      for (std::uint32_t c : found_) offer(c);
      found_.clear();
      rows.clear();
      while (!queue_.empty()) {
        const auto [most, c] = queue_.top();
        queue_.pop();
        if (m_.column_done[c] || row_of_[c - begin_] == none) continue;
        if (fill(c) > most) {
          offer(c);
          continue;
        }
        const std::uint32_t r = row_of_[c - begin_];
        found(r, c);
        for (std::uint32_t i : m_.eliminate(r, c, offer)) {
          if (column_of_[i] == none) continue;
          if (loses_its_own(i)) rows.push_back(i);
          else offer(column_of_[i]);
        }
        m_.cells[r] = {};
      }
      if (rows.empty()) return;
    }
  }

 private:
  using Key = std::pair<std::size_t, std::uint32_t>;

  void find(std::vector<std::uint32_t>& rows) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::uint32_t r = rows[k];
      if (m_.row_done[r] || column_of_[r] != none) continue;
      const LevelMatrix::Cell* only = nullptr;
      std::size_t open = 0;
      for (const LevelMatrix::Cell& x : m_.from(r, begin_)) {
        if (x.column >= end_ || open > 1) break;
        if (row_of_[x.column - begin_] != none) continue;
        only = &x;
        ++open;
      }
      if (open != 1 || !only->constant) continue;
      row_of_[only->column - begin_] = r;
      column_of_[r] = only->column;
      found_.push_back(only->column);
      const auto& holders = m_.holders[only->column];
      rows.insert(rows.end(), holders.begin(), holders.end());
    }
  }
  // What was known to give a column may hold one that was drawn where that was known, and other rows give: two rows then say the same of both.
  bool loses_its_own(std::uint32_t r) {
    const std::uint32_t c = column_of_[r];
    if (m_.find(r, c) != nullptr) return false;
    row_of_[c - begin_] = column_of_[r] = none;
    return true;
  }
  std::size_t fill(std::uint32_t c) const { return (m_.cells[row_of_[c - begin_]].size() - 1) * (m_.held[c] - std::size_t{1}); }

  LevelMatrix& m_;
  const std::size_t begin_, end_;
  std::vector<std::uint32_t> row_of_, column_of_;  // by column of the range, by row; none
  std::vector<std::uint32_t> found_;
  std::priority_queue<Key, std::vector<Key>, std::greater<>> queue_;  // what they filled when they were looked at
};

}  // namespace kron::session
