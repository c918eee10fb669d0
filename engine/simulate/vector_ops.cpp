#include "engine/simulate/vector_ops.hpp"

#include <nvector/nvector_serial.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace kron::simulate {

namespace {

sunindextype length(N_Vector v) { return NV_LENGTH_S(v); }

void linear_sum(realtype a, N_Vector xv, realtype b, N_Vector yv, N_Vector zv) {
  const double *x = NV_DATA_S(xv), *y = NV_DATA_S(yv);
  double* z = NV_DATA_S(zv);
  const sunindextype n = length(zv);
  if (a == 1 && b == 1)
    for (sunindextype i = 0; i < n; ++i) z[i] = x[i] + y[i];
  else if (a == 1 && b == -1)
    for (sunindextype i = 0; i < n; ++i) z[i] = x[i] - y[i];
  else if (b == 1)
    for (sunindextype i = 0; i < n; ++i) z[i] = a * x[i] + y[i];
  else if (a == 1)
    for (sunindextype i = 0; i < n; ++i) z[i] = x[i] + b * y[i];
  else
    for (sunindextype i = 0; i < n; ++i) z[i] = a * x[i] + b * y[i];
}

void scale(realtype c, N_Vector xv, N_Vector zv) {
  const double* x = NV_DATA_S(xv);
  double* z = NV_DATA_S(zv);
  const sunindextype n = length(zv);
  if (c == 1) {
    if (z != x)
      for (sunindextype i = 0; i < n; ++i) z[i] = x[i];
    return;
  }
  for (sunindextype i = 0; i < n; ++i) z[i] = c * x[i];
}

void constant(realtype c, N_Vector zv) {
  double* z = NV_DATA_S(zv);
  for (sunindextype i = 0, n = length(zv); i < n; ++i) z[i] = c;
}

realtype wrms_norm(N_Vector xv, N_Vector wv) {
  constexpr sunindextype lanes = 8;
  const double *x = NV_DATA_S(xv), *w = NV_DATA_S(wv);
  const sunindextype n = length(xv), whole = n - n % lanes;
  std::array<double, lanes> sums{};
  for (sunindextype i = 0; i < whole; i += lanes)
    for (sunindextype k = 0; k < lanes; ++k) {
      const double p = x[i + k] * w[i + k];
      sums[static_cast<std::size_t>(k)] += p * p;
    }
  double sum = ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
  for (sunindextype i = whole; i < n; ++i) {
    const double p = x[i] * w[i];
    sum += p * p;
  }
  return std::sqrt(sum / static_cast<double>(n));
}

// Pieces that stay in the cache while all terms are added.
template <class F>
void by_pieces(sunindextype n, F&& f) {
  constexpr sunindextype piece = 1024;
  for (sunindextype begin = 0; begin < n; begin += piece) f(begin, std::min(begin + piece, n));
}

void add_multiple(double c, const double* x, double* z, sunindextype begin, sunindextype end) {
  for (sunindextype i = begin; i < end; ++i) z[i] += c * x[i];
}
void add_two(double c, const double* x, double d, const double* y, double* z, sunindextype begin, sunindextype end) {
  for (sunindextype i = begin; i < end; ++i) z[i] = (z[i] + c * x[i]) + d * y[i];
}

int linear_combination(int count, realtype* c, N_Vector* x, N_Vector zv) {
  double* z = NV_DATA_S(zv);
  const sunindextype n = length(zv);
  int first = -1;
  for (int k = 0; k < count && first < 0; ++k)  // a target that is also a term comes first
    if (x[k] == zv) first = k;
  for (int k = 0; k < count && first < 0; ++k)
    if (c[k] != 0) first = k;
  if (first < 0) {
    constant(0, zv);
    return 0;
  }
  const double* start = NV_DATA_S(x[first]);
  by_pieces(n, [&](sunindextype begin, sunindextype end) {
    for (sunindextype i = begin; i < end; ++i) z[i] = c[first] * start[i];
    int held = -1;
    for (int k = 0; k < count; ++k) {
      if (k == first || c[k] == 0) continue;
      if (held >= 0) add_two(c[held], NV_DATA_S(x[held]), c[k], NV_DATA_S(x[k]), z, begin, end);
      held = held >= 0 ? -1 : k;
    }
    if (held >= 0) add_multiple(c[held], NV_DATA_S(x[held]), z, begin, end);
  });
  return 0;
}

// z_k = a_k x + y_k
int scale_add_multiple(int count, realtype* a, N_Vector xv, N_Vector* y, N_Vector* z) {
  const double* x = NV_DATA_S(xv);
  by_pieces(length(xv), [&](sunindextype begin, sunindextype end) {
    for (int k = 0; k < count; ++k) {
      const double* from = NV_DATA_S(y[k]);
      double* to = NV_DATA_S(z[k]);
      if (from == to) add_multiple(a[k], x, to, begin, end);
      else for (sunindextype i = begin; i < end; ++i) to[i] = a[k] * x[i] + from[i];
    }
  });
  return 0;
}

int scale_array(int count, realtype* c, N_Vector* x, N_Vector* z) {
  for (int k = 0; k < count; ++k) scale(c[k], x[k], z[k]);
  return 0;
}

}  // namespace

void use_fast_operations(N_Vector v) {
  v->ops->nvlinearsum = linear_sum;
  v->ops->nvscale = scale;
  v->ops->nvconst = constant;
  v->ops->nvwrmsnorm = wrms_norm;
  v->ops->nvlinearcombination = linear_combination;
  v->ops->nvscaleaddmulti = scale_add_multiple;
  v->ops->nvscalevectorarray = scale_array;
}

}  // namespace kron::simulate
