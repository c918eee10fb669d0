#include "engine/session/set_pieces.hpp"

#include <algorithm>
#include <queue>

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

class Steps {
 public:
  Steps(const LevelMatrix& m, const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns)
      : m_(m), rows_(rows), columns_(columns), open_(rows.size(), 0), holders_(columns.size()), piece_of_(columns.size(), none) {
    for (std::uint32_t k = 0; k < rows.size(); ++k) {
      each_column(rows[k], [&](std::uint32_t c) {
        ++open_[k];
        holders_[c].push_back(k);
      });
      queue_.emplace(open_[k], k);
    }
  }

  std::vector<SetPiece> run() {
    while (!queue_.empty()) {
      const auto [count, row] = queue_.top();
      queue_.pop();
      if (count == 0 || open_[row] != count) continue;  // it is in a piece, or was counted again
      take(row);
      if (!settle(static_cast<std::uint32_t>(pieces_.size() - 1))) return {{rows_, columns_}};
    }
    std::erase_if(pieces_, [](const SetPiece& p) { return p.rows.empty(); });
    return std::move(pieces_);
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

  // The columns of the row that are in no piece, and the rows that have no others left.
  void take(std::uint32_t row) {
    const auto number = static_cast<std::uint32_t>(pieces_.size());
    SetPiece piece;
    each_column(rows_[row], [&](std::uint32_t c) {
      if (piece_of_[c] != none) return;
      piece_of_[c] = number;
      piece.columns.push_back(columns_[c]);
      for (std::uint32_t r : holders_[c]) {
        if (--open_[r] == 0) piece.rows.push_back(rows_[r]);
        queue_.emplace(open_[r], r);
      }
    });
    std::ranges::sort(piece.rows);
    pieces_.push_back(std::move(piece));
  }

  // A piece that has no choice of its own joins the last one that it depends on: what lies between the two does not. False: there is none.
  bool settle(std::uint32_t piece) {
    while (!stands_alone(pieces_[piece])) {
      const std::uint32_t before = last_before(piece);
      if (before == none) return false;
      join(before, piece);
      piece = before;
    }
    return true;
  }
  bool stands_alone(const SetPiece& p) const { return p.columns.size() > p.rows.size() && rank_in(m_, p.rows, p.columns) == p.rows.size(); }
  std::uint32_t last_before(std::uint32_t piece) const {
    std::uint32_t last = none;
    for (std::uint32_t r : pieces_[piece].rows)
      each_column(r, [&](std::uint32_t c) {
        const std::uint32_t p = piece_of_[c];
        if (p < piece && (last == none || p > last)) last = p;
      });
    return last;
  }
  void join(std::uint32_t into, std::uint32_t piece) {
    const auto append = [](std::vector<std::uint32_t>& to, std::vector<std::uint32_t>& from) {
      to.insert(to.end(), from.begin(), from.end());
      std::ranges::sort(to);
      from.clear();
    };
    append(pieces_[into].rows, pieces_[piece].rows);
    append(pieces_[into].columns, pieces_[piece].columns);
    std::ranges::replace(piece_of_, piece, into);
  }

  using Key = std::pair<std::uint32_t, std::uint32_t>;
  const LevelMatrix& m_;
  const std::vector<std::uint32_t>&rows_, &columns_;
  std::vector<std::uint32_t> open_;                                         // by row: columns that are in no piece
  std::vector<std::vector<std::uint32_t>> holders_;                         // by column
  std::vector<std::uint32_t> piece_of_;                                     // by column, or none
  std::priority_queue<Key, std::vector<Key>, std::greater<>> queue_;        // rows by open columns; by counts of before, too
  std::vector<SetPiece> pieces_;                                            // each behind those that it depends on; empty: it joined another
};

}  // namespace

std::vector<SetPiece> pieces_of(const LevelMatrix& m, const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns) {
  return Steps(m, rows, columns).run();
}

}  // namespace kron::session
