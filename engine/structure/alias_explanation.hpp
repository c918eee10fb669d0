// engine/structure/alias_explanation.hpp: which rows imply a row that alias elimination found dependent.
//   in    the system; the rows used, in the order of use, each with the columns that it joined or made constant
//   out   for a dependent row the used rows it follows from, ascending: the paths joining its columns, the rows that
//         made its constant columns so, and in turn what these rows needed to shrink to one or two unknowns
//   how   an alias row joins two sets, so alias rows are a forest over the columns: paths are climbed from both ends to
//         where they meet, and what one explanation has climbed is contracted (union-find)
//   cost  forest O(columns + rows) once; an explanation near-linear in the entries of its rows
#pragma once
#include <vector>

#include "engine/structure/structure.hpp"

namespace kron::structure {

struct UsedRow {
  Row row;
  Column joined;
  Column to;  // free_end: `joined` became constant
};

class AliasExplanation {
 public:
  AliasExplanation(const IntegerSystem&, const std::vector<UsedRow>&);
  // `time`: how many rows had been used when the row was found dependent.
  std::vector<Row> explain(Row, std::uint32_t time);

 private:
  void plant(const std::vector<UsedRow>&);
  void grow(Column root, const std::vector<std::uint32_t>& begin, const std::vector<std::uint32_t>& edge,
            const std::vector<UsedRow>&);
  void explain_entries(Row, Column anchor, std::uint32_t time);
  void join(Column, Column);
  Column top(Column);
  void take(Row);

  const IntegerSystem& system_;
  std::vector<std::uint32_t> time_;    // by row: place in the order of use, or free_end
  std::vector<Column> anchor_;         // by row: a column whose tree the row belongs to
  std::vector<Column> tree_, parent_;  // by column; a tree with a constant is rooted where it comes from
  std::vector<Row> parent_row_;        // by column: the row of the edge to the parent
  std::vector<Row> source_;            // by root: the row that made the tree constant, or free_end
  std::vector<std::uint32_t> depth_;
  std::vector<Column> climbed_;                       // by column: contracted upwards in this explanation
  std::vector<std::uint32_t> climbed_in_, taken_in_;  // explanation in which that holds
  std::vector<Column> first_;                         // by root: first column of the current row in that tree
  std::vector<std::uint32_t> first_in_;
  std::uint32_t explanation_ = 0, entry_scan_ = 0;
  std::vector<Row> because_;  // in this explanation; also the list of rows still to be explained
};

}  // namespace kron::structure
