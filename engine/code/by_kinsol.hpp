// engine/code/by_kinsol.hpp: a Newton step where own attempts fail, by KINSOL from SUNDIALS. Private to the room.
#pragma once
#include "engine/code/kinsol.hpp"
#include "engine/code/newton.hpp"

namespace kron::code {

// KINSOL from the start values, then from the last accepted ones; what it finds is polished by an own attempt.
template <class T>
bool Newton<T>::kinsol() {
  constexpr std::size_t largest = 400;  // its Jacobian is dense
  if (n_ > largest) return false;
  const std::string reason = reason_;
  for (const bool warm : {false, true}) {
    if (warm && !state_.has_accepted) break;
    z_ = warm ? accepted() : start();
    clamp(z_);
    if (!residual(z_) || jacobian() == Factored::not_a_number) continue;
    ++e_.statistics.kinsol_solves;
    std::vector<double> at = z_, scale(n_), found = z_;
    for (std::size_t i = 0; i < n_; ++i) scale[i] = 1 / scale_[i];
    const auto inside = [&](const double* z) {
      for (std::size_t i = 0; i < n_; ++i)
        if (!(z[i] >= plan_.minimum[state_.column(i)] && z[i] <= plan_.maximum[state_.column(i)])) return false;
      at.assign(z, z + n_);
      return !e_.interrupted() && residual(at);
    };
    const bool done = solve_with_kinsol(
        {found, scale, row_,
         [&](const double* z, double* f) {
           if (!inside(z)) return false;
           std::copy(state_.right.begin(), state_.right.end(), f);
           return true;
         },
         [&](const double* z, double* columns) {
           if (!inside(z) || (plan_.jacobian_region != 0 && e_.run(plan_.jacobian_region) != Status::ok)) return false;
           for (const StepPlan::Load& l : matrix()) columns[l.column * n_ + l.row] += e_.value(l.value);
           return true;
         }});
    if (done && attempt(found)) return true;
  }
  reason_ = reason;
  return false;
}

}  // namespace kron::code
