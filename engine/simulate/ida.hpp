// engine/simulate/ida.hpp: SUNDIALS IDA for the open form of a model: F(t, u, u') = 0 in u = (states, algebraic unknowns).
//   rows      f_i(t, u) - u_i' of the states, g_k(t, u) of the equations that iterations or cores would solve in each evaluation
//   matrix    dF/du + c dF/du', by coloured tangents of the open program, sparse: one Newton iteration solves for everything
//   errors    of the states alone; the algebraic unknowns are as exact as Newton's iteration makes them
//   where     an implicit block makes each state's derivative depend on all states of the block (the Jacobian of the closed form is
//             dense there), and costs an iteration of its own in each evaluation
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "engine/simulate/run.hpp"

namespace kron::simulate {

class Ida {
 public:
  Ida(Run&, double t, std::span<const double> u);
  ~Ida();
  Ida(const Ida&) = delete;
  Ida& operator=(const Ida&) = delete;

  enum class End : std::uint8_t { step, stop, failed };
  End step();           // one accepted step, at most to the run's stop
  // After a failure to converge: once more from time() with unknowns solved for; at order 1. False: the failure is another one.
  bool restart(std::span<const double> u);
  void restart(double t, std::span<const double> u);  // behind an event
  void stop_at(double t);                             // no step goes beyond
  double time() const;  // of the last accepted step's end
  double last_step() const;
  std::uint32_t order() const;
  void derivative(double t, int k, std::span<double> out) const;  // k-th, in the last step
  std::span<const double> solution() const;                       // at time()
  void bring_back(double t, std::span<double> u) const;           // as Cvode's
  bool is_stiff() const;

  Trouble trouble() const;                    // after End::failed
  std::vector<std::size_t> suspects() const;  // the states with the largest errors in the last step
  void add_counts(Counters&) const;

  struct Data;

 private:
  std::unique_ptr<Data> data_;
};

}  // namespace kron::simulate
