#include "engine/structure/sparse_rows.hpp"

#include <algorithm>
#include <numeric>

namespace kron::structure {

SparseRows::SparseRows(const IntegerSystem& s) : constant_(s.constant) {
  pool_.reserve(s.column.size() + s.column.size() / 2);
  begin_.reserve(s.rows());
  for (Row r = 0; r < s.rows(); ++r) load(s, r);
}

// Sorted by column, one entry per column, none zero.
void SparseRows::load(const IntegerSystem& s, Row r) {
  const std::size_t first = pool_.size();
  for (std::uint32_t i = s.begin[r]; i < s.begin[r + 1]; ++i) pool_.push_back({s.column[i], s.coefficient[i]});
  const auto by_column = [](const Entry& a, const Entry& b) { return a.column < b.column; };
  if (!std::is_sorted(pool_.begin() + first, pool_.end(), by_column))
    std::sort(pool_.begin() + first, pool_.end(), by_column);
  bool exact = fits(s.constant[r]);
  std::size_t kept = first;
  for (std::size_t i = first; i < pool_.size();) {
    const Column c = pool_[i].column;
    Wide sum = 0;
    for (; i < pool_.size() && pool_[i].column == c; ++i) sum += pool_[i].coefficient;
    exact = exact && fits(sum);
    if (sum != 0) pool_[kept++] = {c, static_cast<std::int64_t>(sum)};
  }
  if (!exact) too_large_.push_back(r);
  pool_.resize(kept);
  begin_.push_back(first);
  length_.push_back(static_cast<std::uint32_t>(kept - first));
  capacity_.push_back(length_.back());
}

std::int64_t SparseRows::coefficient(Row r, Column c) const {
  const std::span<const Entry> entries = (*this)[r];
  const auto found =
      std::lower_bound(entries.begin(), entries.end(), c, [](const Entry& e, Column k) { return e.column < k; });
  return found != entries.end() && found->column == c ? found->coefficient : 0;
}

std::optional<Combination> SparseRows::cancel(Row row, Row other, Column c, std::vector<Column>& gained,
                                              std::vector<Column>& lost) {
  std::int64_t keep = coefficient(other, c), take = coefficient(row, c);
  const std::int64_t common = std::gcd(keep, take);
  keep /= keep < 0 ? -common : common;
  take /= coefficient(other, c) < 0 ? -common : common;
  merge(row, other, keep, take, gained, lost);
  const Wide sum = static_cast<Wide>(keep) * constant_[row] - static_cast<Wide>(take) * constant_[other];
  const std::int64_t divisor = content(sum);
  if (divisor == 0) return std::nullopt;
  result_.clear();
  for (const WideEntry& e : merged_) result_.push_back({e.column, static_cast<std::int64_t>(e.coefficient / divisor)});
  assign(row, result_, static_cast<std::int64_t>(sum / divisor));
  return Combination{keep, take, divisor};
}

void SparseRows::merge(Row row, Row other, std::int64_t keep, std::int64_t take, std::vector<Column>& gained,
                       std::vector<Column>& lost) {
  merged_.clear(), gained.clear(), lost.clear();
  const std::span<const Entry> a = (*this)[row], b = (*this)[other];
  std::size_t i = 0, k = 0;
  while (i < a.size() || k < b.size()) {
    if (k == b.size() || (i < a.size() && a[i].column < b[k].column)) {
      merged_.push_back({a[i].column, static_cast<Wide>(keep) * a[i].coefficient}), ++i;
    } else if (i == a.size() || b[k].column < a[i].column) {
      gained.push_back(b[k].column);
      merged_.push_back({b[k].column, -static_cast<Wide>(take) * b[k].coefficient}), ++k;
    } else {
      const Wide sum = static_cast<Wide>(keep) * a[i].coefficient - static_cast<Wide>(take) * b[k].coefficient;
      if (sum != 0)
        merged_.push_back({a[i].column, sum});
      else
        lost.push_back(a[i].column);
      ++i, ++k;
    }
  }
}

std::int64_t SparseRows::content(Wide sum) const {
  Wide common = absolute(sum), largest = absolute(sum);
  for (const WideEntry& e : merged_) {
    if (common != 1) common = gcd(common, e.coefficient);
    largest = std::max(largest, absolute(e.coefficient));
  }
  if (common == 0) return 1;
  return fits(largest / common) && fits(common) ? static_cast<std::int64_t>(common) : 0;
}

void SparseRows::assign(Row r, std::span<const Entry> entries, std::int64_t row_constant) {
  const auto length = static_cast<std::uint32_t>(entries.size());
  if (length > capacity_[r]) {
    begin_[r] = pool_.size();
    capacity_[r] = length;
    pool_.resize(pool_.size() + length);
  }
  std::copy(entries.begin(), entries.end(), pool_.begin() + static_cast<std::ptrdiff_t>(begin_[r]));
  length_[r] = length;
  constant_[r] = row_constant;
}

}  // namespace kron::structure
