// engine/code/assembly.hpp: initial positions of a mechanism that does not close with what was pinned at its start values. Included by newton.hpp.
//   problem   f(z) = 0 of fewer equations than unknowns, near start values: a guess is a guess, also of the candidates that were to keep theirs
//   method    steps of least length, in units of |z| + nominal value, with damping [Levenberg 1944; Marquardt 1963], no unknown by more than half of
//             its size at once; then the candidates are pinned where they came to, and Newton's method has the last word
#pragma once
#include "engine/code/least_step.hpp"
#include "engine/code/newton.hpp"

namespace kron::code {

template <class T>
class Assembly {
 public:
  explicit Assembly(Newton<T>& n) : n_(n), e_(n.e_), plan_(n.plan_), z_(plan_.columns), unit_(plan_.columns), right_(plan_.size) {}

  bool run() {
    constexpr std::uint32_t largest = 300;
    if (plan_.columns > largest) return false;
    const std::string reason = n_.reason_;
    const std::vector<T> best = n_.z_;
    if (close() && pinned()) return true;
    e_.give(n_.s_);
    n_.residual(best);  // what Newton's method came to is what is told
    n_.reason_ = reason;
    return false;
  }

 private:
  bool close() {
    constexpr int most = 100;
    constexpr double near = 1e-6;  // of what a change of all unknowns by their own sizes makes
    for (std::size_t c = 0; c < z_.size(); ++c) z_[c] = e_.value(plan_.start[c]);
    T damping(1e-3), size(0);
    if (!look(z_) || !slopes()) return false;
    for (int k = 0; k < most && !e_.interrupted(); ++k) {
      size = norm();
      if (size <= near) return true;
      std::vector<T> next = z_;
      if (!step(next, damping)) return false;
      if (const std::vector<T> before = right_; !look(next) || !(norm() < size)) {
        right_ = before;
        damping *= 10;
        if (damping > 1e8) return false;
        continue;
      }
      z_ = std::move(next);
      damping = std::max(T(damping / 10), T(1e-12));
      if (!slopes()) return false;
    }
    return false;
  }

  // The candidates keep what they have now: those of which the least follow from the rest there.
  bool pinned() {
    e_.settle(n_.s_, z_);
    e_.give(n_.s_);
    std::vector<T> from(n_.n_);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = z_[n_.state_.column(i)];
    return n_.attempt(from);
  }

  bool look(const std::vector<T>& z) {
    std::copy(z.begin(), z.end(), n_.unknowns());
    if (plan_.residual_region != 0 && e_.run(plan_.residual_region) != Status::ok) return false;
    for (std::size_t i = 0; i < right_.size(); ++i) right_[i] = e_.value(plan_.right[i]);
    return std::ranges::all_of(right_, [](const T& x) { return finite(x); });
  }

  // By rows, in units of the unknowns, each scaled to the sum of its entries. At the point looked at last.
  bool slopes() {
    using std::abs;
    if (plan_.jacobian_region != 0 && e_.run(plan_.jacobian_region) != Status::ok) return false;
    for (std::size_t c = 0; c < z_.size(); ++c) unit_[c] = abs(z_[c]) + T(plan_.nominal[c]);
    slope_.assign(right_.size(), std::vector<T>(z_.size(), T(0)));
    for (const StepPlan::Load& l : plan_.matrix) slope_[l.row][l.column] += e_.value(l.value) * unit_[l.column];
    scale_.assign(right_.size(), T(1));
    for (std::size_t i = 0; i < right_.size(); ++i) {
      T sum(0);
      for (const T& x : slope_[i]) sum += abs(x);
      if (!finite(sum)) return false;
      if (sum > 0) scale_[i] = 1 / sum;
      for (T& x : slope_[i]) x *= scale_[i];
    }
    return true;
  }

  T norm() const {
    using std::sqrt;
    T sum(0);
    for (std::size_t i = 0; i < right_.size(); ++i) sum += right_[i] * scale_[i] * right_[i] * scale_[i];
    return sqrt(sum);
  }

  // By the least step, shortened.
  bool step(std::vector<T>& next, const T& damping) {
    using std::abs;
    std::vector<T> scaled = right_;
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] *= scale_[i];
    const auto way = least_step(slope_, scaled, std::vector<bool>(z_.size(), true), damping);
    if (!way) return false;
    T longest(0);
    for (const T& x : *way) longest = std::max(longest, T(abs(x)));
    const T part = longest > T(0.5) ? T(T(0.5) / longest) : T(1);
    for (std::size_t c = 0; c < next.size(); ++c)
      next[c] = std::clamp(T(z_[c] - part * unit_[c] * (*way)[c]), T(plan_.minimum[c]), T(plan_.maximum[c]));
    return true;
  }

  Newton<T>& n_;
  Engine<T>& e_;
  const StepPlan& plan_;
  std::vector<T> z_, unit_, right_, scale_;
  std::vector<std::vector<T>> slope_;
};

}  // namespace kron::code
