// engine/code/linear.hpp: factor a square matrix and solve with it.
//   Dense: LU with partial pivoting, rows compared after scaling by their largest entry [Golub & Van Loan 4th
//   ed., 3.4, 3.5.2]. A pivot below 4 n eps times the largest (scaled) entry of its original column is rounding noise:
//   the matrix is singular to working precision. Comparing with the column leaves unknowns of very different units
//   alone.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "engine/code/deficient.hpp"
#include "engine/code/kernels.hpp"
#include "engine/code/klu.hpp"

namespace kron::code {

template <class T>
class DenseLu {
 public:
  explicit DenseLu(std::uint32_t n) : n_(n), lu_(std::size_t{n} * n), scale_(n), column_(n), swap_(n) {}

  Factored factor(std::span<const T> a) {
    std::copy(a.begin(), a.end(), lu_.begin());
    if (const Factored f = scale_rows(); f != Factored::ok) return f;
    for (std::size_t k = 0; k < n_; ++k) {
      using std::abs;
      const std::size_t r = pivot_row(k);
      swap_[k] = static_cast<std::uint32_t>(r);
      if (r != k) {
        std::swap_ranges(row(k), row(k) + n_, row(r));
        std::swap(scale_[k], scale_[r]);
      }
      if (!(abs(row(k)[k]) * scale_[k] > column_[k])) return Factored::singular;
      eliminate(k);
    }
    return Factored::ok;
  }

  // Magnitudes of the pivots, behind those of the list.
  void pivots(std::vector<T>& list) const {
    using std::abs;
    for (std::size_t k = 0; k < n_; ++k) list.push_back(abs(row(k)[k]));
  }

  void solve(T* b) const {
    for (std::size_t k = 0; k < n_; ++k) {
      if (swap_[k] != k) std::swap(b[k], b[swap_[k]]);
      const T* l = row(k);
      T sum = b[k];
      for (std::size_t j = 0; j < k; ++j) sum -= l[j] * b[j];
      b[k] = sum;
    }
    for (std::size_t k = n_; k-- > 0;) {
      const T* u = row(k);
      T sum = b[k];
      for (std::size_t j = k + 1; j < n_; ++j) sum -= u[j] * b[j];
      b[k] = sum / u[k];
    }
  }

 private:
  T* row(std::size_t i) { return lu_.data() + i * n_; }
  const T* row(std::size_t i) const { return lu_.data() + i * n_; }

  Factored scale_rows() {
    using std::abs;
    std::fill(column_.begin(), column_.end(), T(0));
    for (std::size_t i = 0; i < n_; ++i) {
      T largest(0);
      for (std::size_t j = 0; j < n_; ++j) {
        const T x = abs(row(i)[j]);
        if (!finite(x)) return Factored::not_a_number;
        if (x > largest) largest = x;
      }
      if (largest == 0) return Factored::singular;
      scale_[i] = 1 / largest;
      for (std::size_t j = 0; j < n_; ++j) column_[j] = std::max(column_[j], T(abs(row(i)[j]) * scale_[i]));
    }
    const T noise = 4 * static_cast<int>(n_) * std::numeric_limits<T>::epsilon();
    for (T& c : column_) c *= n_ == 1 ? T(0) : noise;
    return Factored::ok;
  }

  std::size_t pivot_row(std::size_t k) const {
    using std::abs;
    std::size_t best = k;
    T largest(0);
    for (std::size_t i = k; i < n_; ++i)
      if (const T x = abs(row(i)[k]) * scale_[i]; x > largest) best = i, largest = x;
    return best;
  }

  void eliminate(std::size_t k) {
    const T* p = row(k);
    for (std::size_t i = k + 1; i < n_; ++i) {
      T* r = row(i);
      if (r[k] == 0) continue;
      const T factor = r[k] / p[k];
      r[k] = factor;
      for (std::size_t j = k + 1; j < n_; ++j) r[j] -= factor * p[j];
    }
  }

  std::size_t n_;
  std::vector<T> lu_, scale_, column_;
  std::vector<std::uint32_t> swap_;  // row swapped with row k at step k
};

// Dense or sparse after the shape. Number types other than double use KLU's factors of the rounded matrix and refine
// the solution with residuals in their own type (each round gains about 16 - log10(condition) digits); where that does
// not converge, a dense LU in their own type.
template <class T>
class LinearSolver {
 public:
  explicit LinearSolver(const MatrixShape& shape) { reset(shape); }
  void reset(const MatrixShape& shape) {
    shape_ = &shape;
    dense_.reset();
    klu_.reset();
    deficient_now_ = false;
    if (shape.dense)
      dense_.emplace(shape.size);
    else
      klu_.emplace(shape);
  }

  Factored factor(std::span<const T> values) {
    deficient_now_ = false;
    if (shape_->dense) return dense_->factor(values);
    if constexpr (std::is_same_v<T, double>) {
      return klu_->factor(values);
    } else {
      values_.assign(values.begin(), values.end());
      rounded_.resize(values.size());
      std::transform(values.begin(), values.end(), rounded_.begin(), [](const T& x) { return static_cast<double>(x); });
      dense_.reset();
      const Factored f = klu_->factor(rounded_);
      return f == Factored::ok ? f : factor_densely();
    }
  }

  // In place of factors of a singular matrix: solve() gives the least solution where there is one. False: the matrix is too large for that.
  bool factor_deficient(std::span<const T> values) {
    constexpr std::uint32_t most = 1000;  // unknowns: memory grows with their square
    if (shape_->size > most) return false;
    const std::vector<T> full = shape_->dense ? std::vector<T>(values.begin(), values.end()) : densely(values);
    if (!deficient_ || full != deficient_of_) {
      deficient_.emplace(full, shape_->size);
      deficient_of_ = full;
    }
    deficient_now_ = true;
    return true;
  }

  // False: a singular matrix, and no solution.
  bool solve(T* b, std::span<const T> sizes = {}) {
    if (deficient_now_) return deficient_->solve(b, sizes);
    solve_regular(b);
    return true;
  }

  // Magnitudes of the pivots of the last factors, behind those of the list.
  void pivots(std::vector<T>& list) const {
    if (dense_) dense_->pivots(list);
    else if (klu_)
      for (const double x : klu_->pivots()) list.push_back(T(x));
  }

  void accept() {
    if (klu_) klu_->accept();
  }
  void forget() {
    if (klu_) klu_->forget();
  }

 private:
  void solve_regular(T* b) {
    if (dense_) return dense_->solve(b);
    if constexpr (std::is_same_v<T, double>)
      klu_->solve(b);
    else
      solve_refined(b);
  }

  std::vector<T> densely(std::span<const T> values) const {
    const std::size_t n = shape_->size;
    std::vector<T> full(n * n, T(0));
    for (std::size_t c = 0; c < n; ++c)
      for (auto k = shape_->column_begin[c]; k < shape_->column_begin[c + 1]; ++k)
        full[static_cast<std::size_t>(shape_->row[static_cast<std::size_t>(k)]) * n + c] = values[static_cast<std::size_t>(k)];
    return full;
  }
  Factored factor_densely() {
    dense_.emplace(shape_->size);
    return dense_->factor(densely(values_));
  }

  // r := r - A x
  void subtract_product(std::vector<T>& r, const std::vector<T>& x) const {
    for (std::size_t c = 0; c < shape_->size; ++c)
      for (auto k = shape_->column_begin[c]; k < shape_->column_begin[c + 1]; ++k)
        r[static_cast<std::size_t>(shape_->row[static_cast<std::size_t>(k)])] -=
            values_[static_cast<std::size_t>(k)] * x[c];
  }

  void solve_refined(T* b) {
    using std::abs;
    const std::size_t n = shape_->size;
    std::vector<T> x(n, T(0)), right(b, b + n), r = right;
    std::vector<double> step(n);
    const T enough = 8 * std::numeric_limits<T>::epsilon();
    T before = std::numeric_limits<T>::infinity();
    for (;;) {
      T scale(0), size(0), length(0);
      for (const T& v : r) scale = std::max(scale, T(abs(v)));
      if (scale == 0) break;
      for (std::size_t i = 0; i < n; ++i) step[i] = static_cast<double>(T(r[i] / scale));
      klu_->solve(step.data());
      for (std::size_t i = 0; i < n; ++i) {
        const T d = scale * step[i];
        x[i] += d;
        length = std::max(length, T(abs(d)));
        size = std::max(size, T(abs(x[i])));
      }
      if (length <= enough * size) break;
      if (!(length * 4 < before)) {  // does not converge
        if (factor_densely() != Factored::ok)
          std::fill(b, b + n, std::numeric_limits<T>::quiet_NaN());
        else
          dense_->solve(b);
        return;
      }
      before = length;
      r = right;
      subtract_product(r, x);
    }
    std::copy(x.begin(), x.end(), b);
  }

  const MatrixShape* shape_ = nullptr;
  std::optional<DenseLu<T>> dense_;
  std::optional<Klu> klu_;
  std::optional<DeficientLu<T>> deficient_;
  std::vector<T> deficient_of_;  // its matrix
  bool deficient_now_ = false;
  std::vector<T> values_;
  std::vector<double> rounded_;
};

}  // namespace kron::code
