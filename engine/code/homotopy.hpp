// engine/code/homotopy.hpp: solve f(z) = 0 where Newton's method finds no way from z0. Included by newton.hpp.
//   problem   H(z, l) = f(z) - (1 - l) f(z0) = 0: a curve that starts at (z0, 0); where it meets l = 1 there is a solution
//   method    pseudo-arclength continuation: Euler predictor along the tangent, Newton's method on H together with the plane
//             normal to the tangent, so that the curve may turn back in l   [Allgower, Georg 1990, chapters 2 and 6]
//   scale     unknowns in units of |z0| + nominal value, rows by the size of their slopes at z0
//   cost      a dense LU of n + 1 rows for each iteration; at most 2,000 iterations in all
#pragma once
#include "engine/code/newton.hpp"

namespace kron::code {

template <class T>
class Homotopy {
 public:
  explicit Homotopy(Newton<T>& n) : n_(n), size_(n.n_), lu_(static_cast<std::uint32_t>(n.n_ + 1)) {}

  bool run() {
    constexpr std::size_t largest = 400;
    if (size_ > largest) return false;
    const std::string reason = n_.reason_;
    const std::vector<T> best = n_.z_;
    if (follow(n_.start()) || follow(n_.displaced_start())) return true;
    n_.residual(best);  // what Newton's method came to is what is told
    n_.reason_ = reason;
    return false;
  }

 private:
  using Point = std::vector<T>;  // scaled unknowns, then l

  bool follow(std::vector<T> from) {
    if (!begin(std::move(from))) return false;
    constexpr double shortest = 1e-7, longest = 2;
    double h = 0.05;
    for (budget_ = 2000; budget_ > 0 && h > shortest;) {
      Point next = at_;
      for (std::size_t i = 0; i <= size_; ++i) next[i] += T(h) * tangent_[i];
      const int iterations = correct(next);
      if (n_.e_.interrupted()) return false;
      if (iterations == 0 || !turn(next)) {
        h /= 3;
        continue;
      }
      if (next[size_] >= 1 && n_.attempt(between(at_, next))) return true;
      at_ = std::move(next);
      if (at_[size_] < -100 || far()) return false;
      if (iterations <= 3) h = std::min(1.8 * h, longest);
    }
    return false;
  }

  bool begin(std::vector<T> from) {
    n_.clamp(from);
    if (!n_.residual(from)) return false;
    first_.assign(n_.state_.right.begin(), n_.state_.right.begin() + static_cast<std::ptrdiff_t>(size_));
    n_.z_ = from;
    if (n_.jacobian() == Factored::not_a_number) return false;
    unit_.assign(n_.scale_.begin(), n_.scale_.end());
    row_.assign(n_.row_.begin(), n_.row_.end());
    at_.assign(size_ + 1, T(0));
    for (std::size_t i = 0; i < size_; ++i) at_[i] = from[i] / unit_[i];
    tangent_.assign(size_ + 1, T(0));
    tangent_[size_] = T(1);
    return turn(at_);
  }

  std::vector<T> unknowns(const Point& p) const {
    std::vector<T> z(size_);
    for (std::size_t i = 0; i < size_; ++i) z[i] = p[i] * unit_[i];
    return z;
  }

  // [dH/du dH/dl; tangent] at the point, factored; the scaled H goes to rest_. False where it cannot be evaluated or is singular.
  bool factor(const Point& p) {
    --budget_;
    const std::vector<T> z = unknowns(p);
    if (!n_.residual(z)) return false;
    if (n_.plan_.jacobian_region != 0 && n_.e_.run(n_.plan_.jacobian_region) != Status::ok) return false;
    rest_.assign(size_ + 1, T(0));
    const std::size_t width = size_ + 1;
    std::vector<T> m(width * width, T(0));
    for (std::size_t i = 0; i < size_; ++i) {
      rest_[i] = (n_.state_.right[i] - (T(1) - p[size_]) * first_[i]) * row_[i];
      m[i * width + size_] = first_[i] * row_[i];
      m[size_ * width + i] = tangent_[i];
    }
    m[size_ * width + size_] = tangent_[size_];
    for (const StepPlan::Load& l : n_.matrix())
      m[l.row * width + l.column] += n_.e_.value(l.value) * row_[l.row] * unit_[l.column];
    return lu_.factor(m) == Factored::ok;
  }

  // Newton's method in the plane normal to the tangent. Returns the iterations, 0: it does not converge.
  int correct(Point& p) {
    using std::abs;
    T before(0);
    for (int k = 1; k <= 6; ++k) {
      if (!factor(p)) return 0;
      lu_.solve(rest_.data());
      T size(0);
      for (std::size_t i = 0; i <= size_; ++i) {
        p[i] -= rest_[i];
        size = std::max(size, T(abs(rest_[i])));
      }
      if (!finite(size) || (k > 1 && size > before / 2) || size > 1) return 0;
      if (size < T(1e-6)) return k;
      before = size;
    }
    return 0;
  }

  // The tangent at the point, in the direction of the one before.
  bool turn(const Point& p) {
    if (!factor(p)) return false;
    std::vector<T> t(size_ + 1, T(0));
    t[size_] = T(1);
    lu_.solve(t.data());
    using std::sqrt;
    T length(0);
    for (const T& x : t) length += x * x;
    if (!finite(length) || !(length > 0)) return false;
    for (T& x : t) x /= sqrt(length);
    tangent_ = std::move(t);
    return true;
  }

  // Where the chord from a to b meets l = 1.
  std::vector<T> between(const Point& a, const Point& b) const {
    const T s = (T(1) - a[size_]) / (b[size_] - a[size_]);
    Point p = a;
    for (std::size_t i = 0; i < size_; ++i) p[i] += s * (b[i] - a[i]);
    return unknowns(p);
  }

  bool far() const {
    using std::abs;
    return std::any_of(at_.begin(), at_.end(), [](const T& x) { return abs(x) > T(1e8); });
  }

  Newton<T>& n_;
  std::size_t size_;
  DenseLu<T> lu_;
  std::vector<T> first_, unit_, row_, rest_;
  Point at_, tangent_;
  int budget_ = 0;
};

}  // namespace kron::code
