// engine/structure/sparse_rows.hpp: integer rows Σ a·x + c that change, in one pool. A row that outgrows its place
// moves to the end of the pool.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/structure/structure.hpp"
#include "engine/structure/wide.hpp"

namespace kron::structure {

struct Entry {
  Column column;
  std::int64_t coefficient;
};

// row := (keep·row − take·other) / divisor
struct Combination {
  std::int64_t keep, take, divisor;
};

class SparseRows {
 public:
  explicit SparseRows(const IntegerSystem&);

  std::span<const Entry> operator[](Row r) const { return {pool_.data() + begin_[r], length_[r]}; }
  std::int64_t constant(Row r) const { return constant_[r]; }
  std::int64_t coefficient(Row, Column) const;  // 0 where the row does not have the column

  const std::vector<Row>& too_large() const { return too_large_; }  // rows that left 64 bits when they were read

  // Takes the column out of `row` with the help of `other`, which has it too; divides by the common factor. `gained`
  // and `lost` are the columns that appeared and disappeared. Nothing: the result leaves 64 bits, the row is as before.
  std::optional<Combination> cancel(Row row, Row other, Column, std::vector<Column>& gained, std::vector<Column>& lost);
  // Replaces a row by other entries, sorted by column.
  void assign(Row, std::span<const Entry>, std::int64_t constant);

 private:
  struct WideEntry {
    Column column;
    Wide coefficient;
  };
  void load(const IntegerSystem&, Row);
  void merge(Row, Row, std::int64_t keep, std::int64_t take, std::vector<Column>& gained, std::vector<Column>& lost);
  std::int64_t content(Wide constant) const;  // common factor of merged_ and the constant, 0 if it leaves 64 bits

  std::vector<Entry> pool_, result_;
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> length_, capacity_;
  std::vector<std::int64_t> constant_;
  std::vector<WideEntry> merged_;
  std::vector<Row> too_large_;
};

}  // namespace kron::structure
