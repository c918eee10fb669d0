// engine/code/deficient.hpp: the least solution of a square system of lower rank that has solutions.
//   In some combination of switches two equations can say the same: two brakes hold one shaft, two closed switches lie side by side. What
//   they leave open gets the least values, sqrt(sum of squares), as they are measured.
//   LU with complete pivoting of the matrix, rows and columns scaled by their largest entry; the rank ends where the pivots are rounding noise
//   [Golub & Van Loan 4th ed., 3.4.8]; vectors of the null space by substitution, made orthogonal to each other. Of a large matrix, which has
//   few entries in a row, most pivots are chosen before by their numbers of entries, among the large ones   [Markowitz 1957].
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace kron::code {

template <class T>
class DeficientLu {
 public:
  // a: n x n by rows, finite. negligible: pivots against the largest; at least rounding.
  DeficientLu(std::span<const T> a, std::size_t n, T negligible = T(0))
      : n_(n), a_(a.begin(), a.end()), lu_(a_), row_(n), column_(n), row_scale_(n, T(0)), column_scale_(n, T(0)) {
    for (std::size_t i = 0; i < n_; ++i) row_[i] = column_[i] = i;
    scale();
    eliminate_sparsely();
    T noise = std::max(T(16 * static_cast<double>(n_) * std::numeric_limits<T>::epsilon()), negligible);  // of entries that are 1 at most
    for (; rank_ < n_; ++rank_) {
      const T pivot = bring_pivot();
      if (rank_ == 0) noise *= pivot;
      if (!(pivot > noise)) break;
      eliminate([](auto...) {});
    }
    find_null_space();
  }

  std::size_t rank() const { return rank_; }

  // b := the least x with A x = b. False: there is none, beyond rounding of the terms that x was made of. sizes (n or none): of the terms that
  // b was made of, where they are larger than b.
  bool solve(T* b, std::span<const T> sizes = {}) const {
    using std::abs;
    const auto size_of = [&](std::size_t i, const T& x) { return i < sizes.size() ? std::max(T(abs(x)), sizes[i]) : T(abs(x)); };
    std::vector<T> x(n_), terms(n_), given(b, b + n_);  // terms: the largest one that went into each x
    const auto less = [&](std::size_t i, std::size_t j) {
      x[i] -= at(i, j) * x[j];
      terms[i] = std::max(terms[i], T(abs(at(i, j)) * terms[j]));
    };
    for (std::size_t i = 0; i < n_; ++i) {
      x[i] = row_scale_[row_[i]] * given[row_[i]];
      terms[i] = row_scale_[row_[i]] * size_of(row_[i], given[row_[i]]);
    }
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < std::min(i, rank_); ++j) less(i, j);
    for (std::size_t i = rank_; i < n_; ++i) x[i] = terms[i] = 0;
    for (std::size_t i = rank_; i-- > 0;) {
      for (std::size_t j = i + 1; j < n_; ++j) less(i, j);
      x[i] /= at(i, i);
      terms[i] /= abs(at(i, i));
    }
    std::vector<T> result(n_), largest(n_);
    for (std::size_t j = 0; j < n_; ++j) {
      result[column_[j]] = column_scale_[column_[j]] * x[j];
      largest[column_[j]] = column_scale_[column_[j]] * terms[j];
    }
    for (const std::vector<T>& v : null_) {
      T along(0), most(0);
      for (std::size_t j = 0; j < n_; ++j) {
        along += v[j] * result[j];
        most = std::max(most, T(abs(v[j]) * largest[j]));
      }
      for (std::size_t j = 0; j < n_; ++j) {
        result[j] -= along * v[j];
        largest[j] = std::max(largest[j], T(most * abs(v[j])));
      }
    }
    std::copy(result.begin(), result.end(), b);
    const T allowed = 1e6 * static_cast<double>(n_) * std::numeric_limits<T>::epsilon();
    for (std::size_t i = 0; i < n_; ++i) {
      T sum = given[i], size = size_of(i, given[i]);
      for (std::size_t j = 0; j < n_; ++j) {
        sum -= a_[i * n_ + j] * result[j];
        size += abs(a_[i * n_ + j]) * largest[j];
      }
      if (!(abs(sum) <= allowed * size)) return false;
    }
    return true;
  }

 private:
  T& at(std::size_t i, std::size_t j) { return lu_[row_[i] * n_ + column_[j]]; }
  const T& at(std::size_t i, std::size_t j) const { return lu_[row_[i] * n_ + column_[j]]; }

  void scale() {
    using std::abs;
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) row_scale_[i] = std::max(row_scale_[i], T(abs(lu_[i * n_ + j])));
      row_scale_[i] = row_scale_[i] == 0 ? T(1) : T(1 / row_scale_[i]);
      for (std::size_t j = 0; j < n_; ++j) {
        lu_[i * n_ + j] *= row_scale_[i];
        column_scale_[j] = std::max(column_scale_[j], T(abs(lu_[i * n_ + j])));
      }
    }
    for (std::size_t j = 0; j < n_; ++j) {
      column_scale_[j] = column_scale_[j] == 0 ? T(1) : T(1 / column_scale_[j]);
      for (std::size_t i = 0; i < n_; ++i) lu_[i * n_ + j] *= column_scale_[j];
    }
  }

  // While much is left: the row with the fewest entries, of its large ones the one with the fewest in its column, if it is large there, too.
  void eliminate_sparsely() {
    using std::abs;
    constexpr std::size_t few = 40;
    constexpr double least = 0.01, large = 0.1;  // of the entries at the beginning; of the row's and the column's largest
    if (n_ <= few) return;
    std::vector<std::size_t> in_row(n_, 0), in_column(n_, 0);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j)
        if (lu_[i * n_ + j] != 0) ++in_row[i], ++in_column[j];
    std::vector<bool> passed(n_, false);  // rows without a pivot, until they change
    while (n_ - rank_ > few) {
      std::size_t i = n_;
      for (std::size_t k = rank_; k < n_; ++k)
        if (!passed[row_[k]] && (i == n_ || in_row[row_[k]] < in_row[row_[i]])) i = k;
      if (i == n_) return;
      T largest(0);
      for (std::size_t j = rank_; j < n_; ++j) largest = std::max(largest, T(abs(at(i, j))));
      std::size_t best = n_;
      for (std::size_t j = rank_; largest >= least && j < n_; ++j) {
        const T x = abs(at(i, j));
        if (x < large * largest || (best != n_ && in_column[column_[j]] >= in_column[column_[best]])) continue;
        bool fits = true;
        for (std::size_t k = rank_; fits && k < n_; ++k) fits = large * abs(at(k, j)) <= x;
        if (fits) best = j;
      }
      if (best == n_) {
        passed[row_[i]] = true;
        continue;
      }
      std::swap(row_[rank_], row_[i]);
      std::swap(column_[rank_], column_[best]);
      const auto count = [&](std::size_t k, std::size_t j, std::size_t was, std::size_t is) {
        in_row[row_[k]] += is - was;
        in_column[column_[j]] += is - was;
        passed[row_[k]] = false;
      };
      for (std::size_t j = rank_; j < n_; ++j) count(rank_, j, at(rank_, j) != 0 ? 1 : 0, 0);
      eliminate(count);
      ++rank_;
    }
  }

  // The largest entry of what is left to place (rank_, rank_).
  T bring_pivot() {
    using std::abs;
    T largest(0);
    std::size_t r = rank_, c = rank_;
    for (std::size_t i = rank_; i < n_; ++i)
      for (std::size_t j = rank_; j < n_; ++j)
        if (const T x = abs(at(i, j)); x > largest) largest = x, r = i, c = j;
    std::swap(row_[rank_], row_[r]);
    std::swap(column_[rank_], column_[c]);
    return largest;
  }
  // count(row, column, was, is), by their places: whether there was an entry in what is left, and is now.
  template <class Count>
  void eliminate(Count&& count) {
    for (std::size_t i = rank_ + 1; i < n_; ++i) {
      if (at(i, rank_) == 0) continue;
      const T factor = at(i, rank_) / at(rank_, rank_);
      at(i, rank_) = factor;
      count(i, rank_, 1, 0);
      for (std::size_t j = rank_ + 1; j < n_; ++j) {
        const T p = at(rank_, j);
        if (p == 0) continue;
        T& x = at(i, j);
        const std::size_t was = x != 0 ? 1 : 0;
        x -= factor * p;
        if (const std::size_t is = x != 0 ? 1 : 0; is != was) count(i, j, was, is);
      }
    }
  }
  // The first unknowns from the others, which x has already.
  void substitute(std::vector<T>& x) const {
    for (std::size_t i = rank_; i-- > 0;) {
      for (std::size_t j = i + 1; j < n_; ++j) x[i] -= at(i, j) * x[j];
      x[i] /= at(i, i);
    }
  }
  void find_null_space() {
    using std::sqrt;
    for (std::size_t k = rank_; k < n_; ++k) {
      std::vector<T> x(n_, T(0)), v(n_);
      x[k] = 1;
      substitute(x);
      for (std::size_t j = 0; j < n_; ++j) v[column_[j]] = column_scale_[column_[j]] * x[j];
      for (int round = 0; round < 2; ++round)  // once more for what rounding left
        for (const std::vector<T>& w : null_) {
          T along(0);
          for (std::size_t j = 0; j < n_; ++j) along += v[j] * w[j];
          for (std::size_t j = 0; j < n_; ++j) v[j] -= along * w[j];
        }
      T square(0);
      for (const T& e : v) square += e * e;
      const T length = sqrt(square);
      for (T& e : v) e /= length;
      null_.push_back(std::move(v));
    }
  }

  std::size_t n_, rank_ = 0;
  std::vector<T> a_, lu_;
  std::vector<std::size_t> row_, column_;
  std::vector<T> row_scale_, column_scale_;
  std::vector<std::vector<T>> null_;
};

}  // namespace kron::code
