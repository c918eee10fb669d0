#include "engine/simulate/jacobian.hpp"

#include <algorithm>
#include <numeric>

namespace kron::simulate {

namespace {

constexpr std::size_t directions = 8;  // in one call

void compress_columns(const code::Pattern& pattern, std::size_t states, JacobianPlan& plan) {
  const std::size_t n = plan.size;
  auto each = [&](auto&& entry) {  // rows ascending, the diagonal added where it is missing
    for (std::uint32_t r = 0; r < n; ++r) {
      bool diagonal = false;
      for (std::uint32_t k = pattern.row_begin[r]; k < pattern.row_begin[r + 1]; ++k) {
        diagonal = diagonal || pattern.column[k] == r;
        entry(r, pattern.column[k]);
      }
      if (!diagonal && r < states) entry(r, r);
    }
  };
  plan.column_begin.assign(n + 1, 0);
  each([&](std::uint32_t, std::uint32_t c) { ++plan.column_begin[c + 1]; });
  std::partial_sum(plan.column_begin.begin(), plan.column_begin.end(), plan.column_begin.begin());
  plan.row.resize(static_cast<std::size_t>(plan.column_begin[n]));
  std::vector<std::int64_t> at(plan.column_begin.begin(), plan.column_begin.end() - 1);
  each([&](std::uint32_t r, std::uint32_t c) { plan.row[static_cast<std::size_t>(at[c]++)] = r; });
}

struct Rows {
  std::vector<std::uint32_t> begin, column;
};

Rows rows_of(const JacobianPlan& plan) {
  Rows rows;
  rows.begin.assign(plan.size + 1, 0);
  for (const std::int64_t r : plan.row) ++rows.begin[static_cast<std::size_t>(r) + 1];
  std::partial_sum(rows.begin.begin(), rows.begin.end(), rows.begin.begin());
  rows.column.resize(plan.row.size());
  std::vector<std::uint32_t> at(rows.begin.begin(), rows.begin.end() - 1);
  for (std::uint32_t c = 0; c < plan.size; ++c)
    for (auto k = plan.column_begin[c]; k < plan.column_begin[c + 1]; ++k)
      rows.column[at[static_cast<std::size_t>(plan.row[static_cast<std::size_t>(k)])]++] = c;
  return rows;
}

// A full row means as many colours as columns: there is nothing to search for.
bool has_full_row(const Rows& rows, std::size_t n) {
  for (std::size_t r = 0; r < n; ++r)
    if (rows.begin[r + 1] - rows.begin[r] == n) return true;
  return false;
}

std::uint32_t colour_columns(JacobianPlan& plan) {
  const std::size_t n = plan.size;
  const Rows rows = rows_of(plan);
  plan.colour.assign(n, 0);
  if (has_full_row(rows, n)) {
    std::iota(plan.colour.begin(), plan.colour.end(), 0u);
    return static_cast<std::uint32_t>(n);
  }
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  auto count = [&](std::uint32_t c) { return plan.column_begin[c + 1] - plan.column_begin[c]; };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return count(a) > count(b); });
  const auto none = static_cast<std::uint32_t>(n);
  std::fill(plan.colour.begin(), plan.colour.end(), none);
  std::vector<std::uint32_t> taken_by(n + 1, none);  // of each colour: the column that found it taken
  std::uint32_t used = 0;
  for (const std::uint32_t c : order) {
    for (auto k = plan.column_begin[c]; k < plan.column_begin[c + 1]; ++k) {
      const auto r = static_cast<std::size_t>(plan.row[static_cast<std::size_t>(k)]);
      for (std::uint32_t j = rows.begin[r]; j < rows.begin[r + 1]; ++j) taken_by[plan.colour[rows.column[j]]] = c;
    }
    taken_by[none] = none;  // uncoloured neighbours take nothing
    std::uint32_t colour = 0;
    while (taken_by[colour] == c) ++colour;
    plan.colour[c] = colour;
    used = std::max(used, colour + 1);
  }
  return used;
}

}  // namespace

JacobianPlan plan_jacobian(const code::Pattern& pattern, std::size_t algebraic) {
  JacobianPlan plan;
  plan.size = pattern.rows;
  compress_columns(pattern, plan.size - algebraic, plan);
  const std::uint32_t colours = colour_columns(plan);
  plan.group.assign(colours + 1, 0);
  for (const std::uint32_t c : plan.colour) ++plan.group[c + 1];
  std::partial_sum(plan.group.begin(), plan.group.end(), plan.group.begin());
  plan.members.resize(plan.size);
  std::vector<std::uint32_t> at(plan.group.begin(), plan.group.end() - 1);
  for (std::uint32_t c = 0; c < plan.size; ++c) plan.members[at[plan.colour[c]]++] = c;
  return plan;
}

bool prefer_sparse(const JacobianPlan& plan) { return plan.size >= 16 && 4 * plan.entries() < plan.size * plan.size; }

JacobianValues::JacobianValues(JacobianPlan plan) : plan_(std::move(plan)) {
  const std::size_t width = std::min(directions, plan_.colours());
  seeds_.resize(width * plan_.size);
  lanes_.resize(width * plan_.size);
}

code::Status JacobianValues::evaluate(code::Machine<double>& machine, double t, std::span<const double> y,
                                      std::span<double> values) {
  const std::size_t n = plan_.size;
  for (std::size_t first = 0; first < plan_.colours(); first += directions) {
    const std::size_t count = std::min(directions, plan_.colours() - first);
    std::fill_n(seeds_.begin(), count * n, 0.0);
    for (std::size_t d = 0; d < count; ++d)
      for (std::uint32_t k = plan_.group[first + d]; k < plan_.group[first + d + 1]; ++k)
        seeds_[d * n + plan_.members[k]] = 1;
    const auto status = machine.tangent(t, y, count, {seeds_.data(), count * n}, {lanes_.data(), count * n});
    if (status != code::Status::ok) return status;
    for (std::size_t d = 0; d < count; ++d)
      for (std::uint32_t m = plan_.group[first + d]; m < plan_.group[first + d + 1]; ++m) {
        const std::uint32_t c = plan_.members[m];
        for (auto k = static_cast<std::size_t>(plan_.column_begin[c]);
             k < static_cast<std::size_t>(plan_.column_begin[c + 1]); ++k)
          values[k] = lanes_[d * n + static_cast<std::size_t>(plan_.row[k])];
      }
  }
  return code::Status::ok;
}

}  // namespace kron::simulate
