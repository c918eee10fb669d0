#include "engine/code/klu.hpp"

#include <klu.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

namespace kron::code {

struct Klu::Data {
  const MatrixShape& shape;
  klu_l_common common{};
  klu_l_symbolic* symbolic = nullptr;
  klu_l_numeric* accepted = nullptr;  // with the pivots of an accepted point
  klu_l_numeric* own = nullptr;       // with pivots of its own
  klu_l_numeric* current = nullptr;
  std::vector<double> column;  // largest scaled entry of each column
  std::vector<double> row;
  bool ordered = false;

  explicit Data(const MatrixShape& s) : shape(s), column(s.size), row(s.size) { klu_l_defaults(&common); }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  ~Data() {
    klu_l_free_numeric(&accepted, &common);
    klu_l_free_numeric(&own, &common);
    klu_l_free_symbolic(&symbolic, &common);
  }
  // KLU's interface takes plain pointers to data that it does not change.
  SuiteSparse_long* begin() const { return const_cast<SuiteSparse_long*>(shape.column_begin.data()); }
  SuiteSparse_long* rows() const { return const_cast<SuiteSparse_long*>(shape.row.data()); }

  bool measure(std::span<const double> a) {  // false: not a number
    std::fill(row.begin(), row.end(), 0.0);
    std::fill(column.begin(), column.end(), 0.0);
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (!std::isfinite(a[k])) return false;
      double& r = row[static_cast<std::size_t>(shape.row[k])];
      r = std::max(r, std::fabs(a[k]));
    }
    for (std::size_t c = 0; c < shape.size; ++c)
      for (auto k = shape.column_begin[c]; k < shape.column_begin[c + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const double r = row[static_cast<std::size_t>(shape.row[at])];
        if (r > 0) column[c] = std::max(column[c], std::fabs(a[at]) / r);
      }
    return true;
  }
  // Every pivot stands out of the rounding noise of its column (rows are scaled by their largest entry, KLU's default).
  bool pivots_good(const klu_l_numeric* n) const {
    const double noise = 16 * std::sqrt(static_cast<double>(shape.size)) * std::numeric_limits<double>::epsilon();
    const auto* diagonal = static_cast<const double*>(n->Udiag);
    for (std::size_t k = 0; k < shape.size; ++k)
      if (!(std::fabs(diagonal[k]) > noise * column[static_cast<std::size_t>(symbolic->Q[k])])) return false;
    return true;
  }
  // AMD orders for pivots on the diagonal. Where many of them are zero, as in the balances of loops that hang on a chain, others are taken
  // and fill without bound (40 bodies on 8 rods: 12 million instructions a factorisation). COLAMD's order holds for any pivots of a column:
  // the cheaper of both, at the numbers that came first, stays.
  void compare_orders(double* a) {
    constexpr double much = 1.5;
    if (std::exchange(ordered, true) || flops(symbolic, own) <= much * symbolic->est_flops) return;
    klu_l_common by_columns = common;
    by_columns.ordering = 1;  // COLAMD; AMD, the default, is 0
    klu_l_symbolic* s = klu_l_analyze(static_cast<SuiteSparse_long>(shape.size), begin(), rows(), &by_columns);
    klu_l_numeric* n = s == nullptr ? nullptr : klu_l_factor(begin(), rows(), a, s, &by_columns);
    if (n != nullptr && flops(s, n) < flops(symbolic, own)) {
      std::swap(s, symbolic);
      std::swap(n, own);
    }
    klu_l_free_numeric(&n, &common);
    klu_l_free_symbolic(&s, &common);
  }
  double flops(klu_l_symbolic* s, klu_l_numeric* n) {
    return klu_l_flops(s, n, &common) ? common.flops : std::numeric_limits<double>::infinity();
  }
};

Klu::Klu(const MatrixShape& shape) : data_(std::make_unique<Data>(shape)) {}
Klu::~Klu() = default;
Klu::Klu(Klu&&) noexcept = default;

Factored Klu::factor(std::span<const double> values) {
  Data& d = *data_;
  d.current = nullptr;
  if (!d.measure(values)) return Factored::not_a_number;
  if (d.symbolic == nullptr) d.symbolic = klu_l_analyze(d.shape.size, d.begin(), d.rows(), &d.common);
  if (d.symbolic == nullptr) return d.common.status == KLU_OUT_OF_MEMORY ? throw std::bad_alloc() : Factored::singular;
  auto* a = const_cast<double*>(values.data());
  constexpr double least_growth = 1e-6;
  if (d.accepted != nullptr && klu_l_refactor(d.begin(), d.rows(), a, d.symbolic, d.accepted, &d.common) &&
      klu_l_rgrowth(d.begin(), d.rows(), a, d.symbolic, d.accepted, &d.common) && d.common.rgrowth > least_growth &&
      d.pivots_good(d.accepted)) {
    d.current = d.accepted;
    return Factored::ok;
  }
  klu_l_free_numeric(&d.own, &d.common);
  d.own = klu_l_factor(d.begin(), d.rows(), a, d.symbolic, &d.common);
  if (d.own == nullptr && d.common.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
  if (d.own == nullptr) return Factored::singular;
  d.compare_orders(a);
  if (!d.pivots_good(d.own)) return Factored::singular;
  d.current = d.own;
  return Factored::ok;
}

void Klu::solve(double* b) {
  Data& d = *data_;
  klu_l_solve(d.symbolic, d.current, d.shape.size, 1, b, &d.common);
}

std::vector<double> Klu::pivots() const {
  std::vector<double> list;
  if (data_->current == nullptr) return list;
  const auto* diagonal = static_cast<const double*>(data_->current->Udiag);
  const double* scale = data_->current->Rs;  // of the rows, in the order of pivots
  for (std::size_t k = 0; k < data_->shape.size; ++k) list.push_back(std::fabs(diagonal[k]) * (scale != nullptr ? scale[k] : 1));
  return list;
}

void Klu::accept() {
  Data& d = *data_;
  if (d.current == nullptr || d.current != d.own) return;
  klu_l_free_numeric(&d.accepted, &d.common);
  d.accepted = std::exchange(d.own, nullptr);
  d.current = d.accepted;
}

void Klu::forget() {
  Data& d = *data_;
  klu_l_free_numeric(&d.accepted, &d.common);
  if (d.symbolic != nullptr && d.symbolic->ordering != d.common.ordering) klu_l_free_symbolic(&d.symbolic, &d.common);  // was chosen by numbers
  d.ordered = false;
  d.current = nullptr;
}

LuCount count_lu(const MatrixShape& shape) {
  Klu::Data data(shape);
  data.symbolic = klu_l_analyze(static_cast<SuiteSparse_long>(shape.size), data.begin(), data.rows(), &data.common);
  if (!data.symbolic) return {};
  const klu_l_symbolic& s = *data.symbolic;
  const double off_diagonal = s.unz - static_cast<double>(shape.size) + static_cast<double>(s.nzoff);  // of U, and between its blocks
  return {static_cast<std::size_t>(s.est_flops + off_diagonal), static_cast<std::size_t>(s.lnz)};
}

}  // namespace kron::code
