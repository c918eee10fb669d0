// A dense oracle for integer systems: Gaussian elimination modulo the prime 2^61 - 1. The minors of the small systems
// of the tests are far below the prime (Hadamard), so the rank modulo the prime is the rank over the rationals.
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tests/structure/graphs.hpp"

namespace kron::structure::testing {

using Terms = std::vector<std::pair<Column, std::int64_t>>;
using DenseRow = std::vector<std::int64_t>;  // columns, then the constant

inline DenseRow dense_row(const IntegerSystem& s, Row r) {
  DenseRow out(s.columns + 1, 0);
  for (std::uint32_t i = s.begin[r]; i < s.begin[r + 1]; ++i) out[s.column[i]] += s.coefficient[i];
  out[s.columns] = s.constant[r];
  return out;
}

class Span {
 public:
  static constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;

  // True if the row was not in the span before.
  bool add(const DenseRow& row) {
    std::vector<std::uint64_t> v = reduced(row);
    std::size_t lead = 0;
    while (lead < v.size() && v[lead] == 0) ++lead;
    if (lead == v.size()) return false;
    const std::uint64_t inverse = power(v[lead], prime - 2);
    for (std::uint64_t& x : v) x = times(x, inverse);
    basis_.emplace(lead, std::move(v));
    return true;
  }
  bool contains(const DenseRow& row) const {
    for (const std::uint64_t x : reduced(row))
      if (x != 0) return false;
    return true;
  }
  std::size_t rank() const { return basis_.size(); }

 private:
  static std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{a} * b % prime);
  }
  static std::uint64_t power(std::uint64_t a, std::uint64_t n) {
    std::uint64_t out = 1;
    for (; n > 0; n >>= 1, a = times(a, a))
      if (n & 1) out = times(out, a);
    return out;
  }
  std::vector<std::uint64_t> reduced(const DenseRow& row) const {
    std::vector<std::uint64_t> v;
    for (const std::int64_t x : row)
      v.push_back(static_cast<std::uint64_t>(x < 0 ? x + static_cast<std::int64_t>(prime) : x));
    for (const auto& [lead, b] : basis_) {  // ascending: a basis row starts with its lead
      const std::uint64_t factor = prime - v[lead];
      if (v[lead] == 0) continue;
      for (std::size_t i = lead; i < v.size(); ++i) v[i] = (v[i] + times(factor, b[i])) % prime;
    }
    return v;
  }
  std::map<std::size_t, std::vector<std::uint64_t>> basis_;
};

inline DenseRow linear_part(DenseRow row) {
  row.back() = 0;
  return row;
}

struct Shape {
  std::uint32_t rows, columns, longest;
  int coefficient, constant;  // largest magnitude; 0 constant: homogeneous
};

inline IntegerSystem random_system(const Shape& shape, Random& random) {
  IntegerSystem s;
  s.columns = shape.columns;
  for (Row r = 0; r < shape.rows; ++r) {
    Terms terms(shape.columns == 0 ? 0 : random.below(shape.longest + 1));
    for (auto& [c, factor] : terms)
      c = random.below(shape.columns), factor = random.between(-shape.coefficient, shape.coefficient);
    s.add_row(terms, random.below(3) == 0 ? random.between(-shape.constant, shape.constant) : 0);
  }
  return s;
}

}  // namespace kron::structure::testing
