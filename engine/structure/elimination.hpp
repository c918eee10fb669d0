// engine/structure/elimination.hpp: the working state of `reduce`: sparse Gaussian elimination over the integers.
//   in    rows Σ a·x + c = 0, classes of columns (early, late)
//   out   rows that vanished, pivot rows of late columns, the steps that led there
//   keep  a pivot row and its pivot column are not touched again; at every moment no active row has a used pivot column
//   how   the column of least degree (active rows that have it) is next, ties by least id; of its rows one with
//         coefficient ±1, then the shortest, then the least is the pivot row [Markowitz 1957]. Long rows are parked
//         meanwhile: not counted, not updated; when no column is left they are reduced by the pivot rows one by one
//         [Gilbert, Peierls 1988]. A parked row of a network (a node with many branches, a part already joined) opens
//         all that it touches, so networks cost near-linear time.
//   cost  O(entries of rows updated + log); near-linear on Kirchhoff's and connection rows
#pragma once
#include <functional>
#include <queue>
#include <vector>

#include "engine/structure/history.hpp"
#include "engine/structure/sparse_rows.hpp"
#include "engine/structure/structure.hpp"

namespace kron::structure {

class Elimination {
 public:
  struct Pivot {
    Row row;
    Column column;
  };

  Elimination(const IntegerSystem&, const std::vector<bool>& late);

  void eliminate_class(bool late);
  const std::vector<Pivot>& pivots() const { return pivots_; }
  const std::vector<Row>& vanished() const { return vanished_; }
  const SparseRows& rows() const { return rows_; }
  History& history() { return history_; }
  bool overflow() const { return overflow_; }

 private:
  enum class State : std::uint8_t { active, parked, pivot, vanished, lost };
  using Key = std::uint64_t;  // degree << 32 | column

  void run();
  void eliminate(Column);
  void gather(Column);
  Row choose(Column) const;
  void cancel(Row, Row pivot_row, Column);
  void activate(Row);
  void withdraw(Row, State);
  void raise(Column, Row);
  void lower(Column);
  void offer(Column);
  void park_if_long(Row);
  void unpark_all();
  bool reduce_parked(Row);
  bool subtract_pivot(Row, Row pivot_row, std::int64_t& constant);
  void store_sums(Row, std::int64_t constant);

  SparseRows rows_;
  History history_;
  std::vector<bool> late_;
  std::vector<State> state_;               // by row
  std::vector<std::uint32_t> degree_;      // by column: active rows that have it
  std::vector<std::uint32_t> pivot_time_;  // by column: place in pivots_, or free_end
  std::vector<std::uint32_t> newest_;      // by column: list in links_ of the rows that got it, also former ones
  struct Link {
    Row row;
    std::uint32_t before;
  };
  std::vector<Link> links_;
  std::priority_queue<Key, std::vector<Key>, std::greater<Key>> next_;  // also outdated keys
  std::vector<Row> gathered_, vanished_, parked_;
  std::vector<std::uint32_t> gathered_for_;  // by row: pivot number + 1 for which it was met
  std::vector<Column> gained_, lost_;
  std::vector<Pivot> pivots_;
  std::vector<std::int64_t> sum_;  // by column: the parked row being reduced
  std::vector<bool> touched_;
  std::vector<Column> touched_columns_;
  std::vector<std::uint32_t> due_;  // heap of pivot times to be subtracted from it
  bool class_ = false;              // eliminating late columns
  std::uint32_t long_row_ = 0, parked_in_class_ = 0;
  bool overflow_ = false;
};

}  // namespace kron::structure
