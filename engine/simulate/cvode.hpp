// engine/simulate/cvode.hpp: SUNDIALS CVODE behind a few plain functions; its headers stay in cvode.cpp.
//   adams: orders 1 to 12, fixed-point iteration (no Jacobian). bdf: orders 1 to 5, Newton with the tape's own
//   Jacobian, by dense LU or by KLU (jacobian.hpp). No exception and no message leaves through C: callbacks return
//   codes, CVODE's own messages are dropped.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "engine/simulate/run.hpp"

namespace kron::simulate {

enum class Formula : std::uint8_t { adams, bdf };

class Cvode {
 public:
  Cvode(Run&, Formula, double t, std::span<const double> y);
  ~Cvode();
  Cvode(const Cvode&) = delete;
  Cvode& operator=(const Cvode&) = delete;

  enum class End : std::uint8_t { step, stop, failed };
  End step();           // one accepted step, at most to the run's stop
  void restart(std::span<const double> y);  // at time(), with states that mean something else; at order 1
  void restart(double t, std::span<const double> y);  // behind an event
  void stop_at(double t);                             // no step goes beyond
  double time() const;  // of the last accepted step's end
  double last_step() const;
  double next_step() const;
  std::uint32_t order() const;
  void derivative(double t, int k, std::span<double> out) const;  // k-th, in the last step
  std::span<const double> solution() const;                       // at time()
  // y, what the last step's polynomial is at t, to where the equations lead: f(t, y) is the polynomial's derivative but for slow components. In fast
  // ones the polynomial is right within the tolerance of the states only: whether a valve that is nearly rigid opens (1e6*(p - 1)) is in digits
  // behind it.
  void bring_back(double t, std::span<double> y) const;
  bool is_stiff() const;  // or it does nothing

  double jacobian_norm() const;  // bdf: weighted row-sum norm of the last Jacobian

  Trouble trouble() const;  // after End::failed
  std::vector<std::size_t> suspects() const;  // the states with the largest errors in the last step
  void add_counts(Counters&) const;

  struct Data;

 private:
  double first_step() const;
  std::unique_ptr<Data> data_;
};

}  // namespace kron::simulate
