// engine/simulate/recorder.hpp: what a trajectory keeps besides its points, and the side of it that an integrator
// writes to.
//   Each accepted step leaves its polynomial: y(t) = sum over k of c_k s^k with s = (t - reference)/size, valid up to
//   `end`. Polynomials are kept until they fill `capacity` bytes; from there on slopes at the output points are kept
//   (Hermite), with the same limit; past that, slopes are estimated from neighbouring points.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/simulate/simulate.hpp"

namespace kron::simulate {

struct Trajectory::Store {
  struct Step {
    double end, reference, size;
    const double* coefficients;  // (degree + 1) x states
    std::uint32_t degree;
  };
  struct Knot {  // where the states changed their meaning, after the steps that are kept
    double t;
    std::vector<double> before, slope_before, after, slope_after;
  };
  std::vector<Step> steps;                  // without gaps up to the last one
  std::vector<Knot> knots;
  struct Chunk {  // of coefficients; it never moves
    std::unique_ptr<double[]> memory;  // not set before it is written
    std::size_t used = 0, size = 0;
  };
  std::vector<Chunk> chunks;
  std::size_t kept = 0;                     // coefficients in all
  std::size_t slopes_from = 0;              // output point
  std::vector<double> slopes;               // states for each point from there
  bool steps_full = false, slopes_full = false;
  double tolerance = 1e-6;  // of the run: for evaluating outputs
};

class Recorder {
 public:
  Recorder(Trajectory&, std::size_t states, std::size_t points, double tolerance,
           std::size_t capacity = std::size_t{64} << 20);

  std::span<double> add_point(double t);  // the caller writes the states there before the next call
  void drop_point();                      // the one added last
  bool wants_slopes() const;              // of the point added last
  std::span<double> add_slope();
  // Room for a step's coefficients, (degree + 1) x states; empty when steps are not kept any more.
  std::span<double> add_step(double end, double reference, double size, std::uint32_t degree);
  bool keeps_steps() const { return !store_.steps_full; }
  void add_knot(Trajectory::Store::Knot k) { store_.knots.push_back(std::move(k)); }
  void without_steps() { store_.steps_full = true; }  // the integrator has no polynomials: slopes from the start
  void only_points() { store_.steps_full = store_.slopes_full = true; }  // nobody will ask for what is between them
  void finish();                                      // gives unused memory back

 private:
  Trajectory& trajectory_;
  Trajectory::Store& store_;
  std::size_t states_, capacity_;
};

}  // namespace kron::simulate
