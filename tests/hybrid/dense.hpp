// Dense linear algebra for the oracles of these tests: nothing of the engine's.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace kron::hybrid {

class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), values_(rows * columns) {}
  static Matrix identity(std::size_t n) {
    Matrix m(n, n);
    for (std::size_t i = 0; i < n; ++i) m(i, i) = 1;
    return m;
  }
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  double& operator()(std::size_t i, std::size_t j) { return values_[i * columns_ + j]; }
  double operator()(std::size_t i, std::size_t j) const { return values_[i * columns_ + j]; }
  double norm() const {  // largest sum of a row
    double most = 0;
    for (std::size_t i = 0; i < rows_; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < columns_; ++j) sum += std::fabs((*this)(i, j));
      most = std::max(most, sum);
    }
    return most;
  }

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<double> values_;
};

inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows(), b.columns());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t k = 0; k < a.columns(); ++k)
      if (const double x = a(i, k); x != 0)
        for (std::size_t j = 0; j < b.columns(); ++j) c(i, j) += x * b(k, j);
  return c;
}

inline std::vector<double> operator*(const Matrix& a, const std::vector<double>& x) {
  std::vector<double> y(a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.columns(); ++j) y[i] += a(i, j) * x[j];
  return y;
}

// exp(A t): Taylor's series of A t / 2^k, squared k times.
inline Matrix exponential(const Matrix& a, double t) {
  int halvings = 0;
  for (double size = a.norm() * std::fabs(t); size > 0.25; size *= 0.5) ++halvings;
  const double scale = std::ldexp(t, -halvings);
  const std::size_t n = a.rows();
  Matrix small = a, sum = Matrix::identity(n), term = sum;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) small(i, j) *= scale;
  for (int k = 1; k <= 13; ++k) {  // 0.25^14 / 14! is below rounding
    term = term * small;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) sum(i, j) += term(i, j) /= k;
  }
  for (; halvings > 0; --halvings) sum = sum * sum;
  return sum;
}

// The solution X of A X = B with row exchanges; nothing where A is singular but for rounding.
inline std::optional<Matrix> solve(Matrix a, Matrix b) {
  const std::size_t n = a.rows();
  std::vector<double> size(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) size[i] = std::max(size[i], std::fabs(a(i, j)));
    if (size[i] == 0) return std::nullopt;
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::fabs(a(i, k)) / size[i] > std::fabs(a(p, k)) / size[p]) p = i;
    if (std::fabs(a(p, k)) < 1e-12 * size[p]) return std::nullopt;
    if (p != k) {
      for (std::size_t j = 0; j < n; ++j) std::swap(a(p, j), a(k, j));
      for (std::size_t j = 0; j < b.columns(); ++j) std::swap(b(p, j), b(k, j));
      std::swap(size[p], size[k]);
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      const double f = a(i, k) / a(k, k);
      if (f == 0) continue;
      for (std::size_t j = k; j < n; ++j) a(i, j) -= f * a(k, j);
      for (std::size_t j = 0; j < b.columns(); ++j) b(i, j) -= f * b(k, j);
    }
  }
  for (std::size_t k = n; k-- > 0;)
    for (std::size_t j = 0; j < b.columns(); ++j) {
      for (std::size_t i = k + 1; i < n; ++i) b(k, j) -= a(k, i) * b(i, j);
      b(k, j) /= a(k, k);
    }
  return b;
}

}  // namespace kron::hybrid
