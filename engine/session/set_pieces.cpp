#include "engine/session/set_pieces.hpp"

#include <algorithm>
#include <queue>

#include "engine/base/key_map.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

std::size_t rank_in(const LevelMatrix& m, const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns) {
  std::vector<std::uint32_t> named;
  for (std::uint32_t c : columns) named.push_back(m.columns[c]);
  LevelMatrix part(rows, std::move(named));
  std::vector<std::uint32_t> all(rows.size());
  for (std::uint32_t k = 0; k < rows.size(); ++k) {
    all[k] = k;
    auto at = columns.begin();
    for (LevelMatrix::Cell x : m.cells[rows[k]]) {
      at = std::lower_bound(at, columns.end(), x.column);
      if (at == columns.end()) break;
      if (*at != x.column) continue;
      x.column = static_cast<std::uint32_t>(at - columns.begin());
      part.put(k, x);
    }
  }
  std::size_t found = 0;
  eliminate_sparsest(part, all, 0, columns.size(), [&](std::uint32_t, std::uint32_t) { ++found; });
  return found;
}

namespace {

constexpr std::size_t few_candidates = 12;  // that may well be one set

class Steps {
 public:
  Steps(const LevelMatrix& m, const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns,
        const std::vector<std::uint32_t>& array_of)
      : m_(m), rows_(rows), columns_(columns), holders_(columns.size()), piece_of_(columns.size(), none) {
    KeyMap number(rows.size());
    for (std::uint32_t k = 0; k < rows.size(); ++k) {
      const std::uint32_t array = number.emplace(array_of[k], static_cast<std::uint32_t>(arrays_.size()));
      if (array == arrays_.size()) arrays_.emplace_back();
      arrays_[array].rows.push_back(rows[k]);
      each_column(rows[k], [&](std::uint32_t c) {
        if (!holders_[c].empty() && holders_[c].back() == array) return;
        holders_[c].push_back(array);
        arrays_[array].columns.push_back(c);
      });
    }
    for (std::uint32_t k = 0; k < arrays_.size(); ++k) {
      std::vector<std::uint32_t>& list = arrays_[k].columns;
      std::ranges::sort(list);
      list.erase(std::unique(list.begin(), list.end()), list.end());
      arrays_[k].open = static_cast<std::uint32_t>(list.size());
      queue_.emplace(arrays_[k].open, k);
    }
    for (auto& list : holders_) {
      std::ranges::sort(list);
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }

  std::vector<SetPiece> run() {
    std::vector<SetPiece> pieces;
    while (!queue_.empty()) {
      const auto [count, array] = queue_.top();
      queue_.pop();
      if (count == 0 || arrays_[array].open != count) continue;  // it is in a piece, or was counted again
      pieces.push_back(take(array, static_cast<std::uint32_t>(pieces.size())));
      if (stands_alone(pieces.back())) continue;
      const std::uint32_t before = last_before(pieces);
      if (before == none) return {{rows_, columns_}};
      // With one that has a choice it shares that: there are fewer positions then where it is singular. But not without end.
      const bool determined = is_determined(pieces.back()), has_choice = pieces[before].columns.size() > pieces[before].rows.size();
      if (determined && (!has_choice || pieces[before].columns.size() + pieces.back().columns.size() > few_candidates)) continue;
      join(pieces, before);
      if (!stands_alone(pieces[before])) return {{rows_, columns_}};
    }
    return pieces;
  }

 private:
  template <class F>
  void each_column(std::uint32_t row, F&& f) const {  // by position
    auto at = columns_.begin();
    for (const LevelMatrix::Cell& x : m_.cells[row]) {
      at = std::lower_bound(at, columns_.end(), x.column);
      if (at == columns_.end()) return;
      if (*at == x.column) f(static_cast<std::uint32_t>(at - columns_.begin()));
    }
  }

  // The columns of the array that are in no piece, and the arrays that have no others left.
  SetPiece take(std::uint32_t array, std::uint32_t number) {
    SetPiece piece;
    for (std::uint32_t c : arrays_[array].columns) {
      if (piece_of_[c] != none) continue;
      piece_of_[c] = number;
      piece.columns.push_back(columns_[c]);
      for (std::uint32_t k : holders_[c]) {
        Array& x = arrays_[k];
        if (--x.open == 0) piece.rows.insert(piece.rows.end(), x.rows.begin(), x.rows.end());
        queue_.emplace(x.open, k);
      }
    }
    std::ranges::sort(piece.rows);
    return piece;
  }

  // The last piece whose candidates the rows of the newest one hold: what lies between the two is nothing to it.
  std::uint32_t last_before(const std::vector<SetPiece>& pieces) const {
    const auto newest = static_cast<std::uint32_t>(pieces.size() - 1);
    std::uint32_t last = none;
    for (std::uint32_t r : pieces.back().rows)
      each_column(r, [&](std::uint32_t c) {
        if (const std::uint32_t p = piece_of_[c]; p < newest && (last == none || p > last)) last = p;
      });
    return last;
  }
  void join(std::vector<SetPiece>& pieces, std::uint32_t into) {
    const auto append = [](std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from) {
      to.insert(to.end(), from.begin(), from.end());
      std::ranges::sort(to);
    };
    append(pieces[into].rows, pieces.back().rows);
    append(pieces[into].columns, pieces.back().columns);
    pieces.pop_back();
    std::ranges::replace(piece_of_, static_cast<std::uint32_t>(pieces.size()), into);
  }

  bool stands_alone(const SetPiece& p) const {
    return p.columns.size() > p.rows.size() && is_of(structure::Parts::under, p) && rank_in(m_, p.rows, p.columns) == p.rows.size();
  }
  bool is_determined(const SetPiece& p) const {  // by those before it
    return p.columns.size() == p.rows.size() && is_of(structure::Parts::well, p) && rank_in(m_, p.rows, p.columns) == p.rows.size();
  }
  bool is_of(structure::Parts::Part of, const SetPiece& p) const {
    structure::Incidence g;
    g.columns = static_cast<std::uint32_t>(p.columns.size());
    std::vector<std::uint32_t> list;
    for (std::uint32_t r : p.rows) {
      list.clear();
      for (const LevelMatrix::Cell& x : m_.cells[r])
        if (const auto at = std::ranges::lower_bound(p.columns, x.column); at != p.columns.end() && *at == x.column)
          list.push_back(static_cast<std::uint32_t>(at - p.columns.begin()));
      g.add_row(list);
    }
    const structure::Parts parts = structure::dulmage_mendelsohn(g, structure::match(g));
    const auto is = [of](auto part) { return part == of; };
    return std::ranges::all_of(parts.row, is) && std::ranges::all_of(parts.column, is);
  }

  using Key = std::pair<std::uint32_t, std::uint32_t>;
  const LevelMatrix& m_;
  const std::vector<std::uint32_t>&rows_, &columns_;
  struct Array {
    std::vector<std::uint32_t> rows, columns;  // columns by position
    std::uint32_t open = 0;                    // columns that are in no piece
  };
  std::vector<Array> arrays_;
  std::vector<std::vector<std::uint32_t>> holders_;                   // by column: arrays
  std::vector<std::uint32_t> piece_of_;                               // by column, or none
  std::priority_queue<Key, std::vector<Key>, std::greater<>> queue_;  // arrays by open columns; by counts of before, too
};

}  // namespace

std::vector<SetPiece> pieces_of(const LevelMatrix& m, const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns,
                                const std::vector<std::uint32_t>& array_of) {
  return columns.size() > few_candidates ? Steps(m, rows, columns, array_of).run() : std::vector<SetPiece>{{rows, columns}};
}

}  // namespace kron::session
