// engine/simulate/solution_path.hpp: what Newton's method found along a run, for those who evaluate the model between its steps.
//   problem  where solutions cross (a parallelogram whose bars lie in one line) an iteration that comes from the output point before arrives at
//            either one; the run's test of errors sees the corner and takes shorter steps, outputs would go on along the wrong one
//   method   the solutions at the ends of the run's steps, and cubics between them, in pieces that end where unknowns may leap
//   cost     unknowns of the steps that derivatives need for each step of the run; when memory is full every other one is given up
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kron::simulate {

class SolutionPath {
 public:
  static constexpr std::size_t capacity = std::size_t{8} << 20;  // values: 64 MB
  explicit SolutionPath(std::size_t unknowns = 0, std::size_t most = capacity) : unknowns_(unknowns), most_(most) {}

  std::size_t unknowns() const { return unknowns_; }
  // A solution at t; one that is not later than those before it in this piece is known already.
  void add(double t, std::span<const double> values);
  // What is added next lies behind an event, at or after it; it holds from this output point on.
  void begin_piece(std::size_t point);
  // Near time t in the piece that holds output point `point`. False: there is none.
  bool at(double t, std::size_t point, std::span<double> values) const;

 private:
  struct Piece {
    std::size_t point, first;  // output point, entry
  };
  std::span<const double> entry(std::size_t k) const { return {values_.data() + k * unknowns_, unknowns_}; }
  void thin();

  std::size_t unknowns_, most_;
  std::size_t stride_ = 1, left_out_ = 0;
  std::vector<double> time_, values_;
  std::vector<Piece> pieces_{{0, 0}};
};

}  // namespace kron::simulate
