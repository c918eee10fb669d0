#include "engine/solve/checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "engine/base/hash.hpp"
#include "engine/code/linear.hpp"
#include "engine/solve/watches.hpp"

namespace kron::solve {

using code::Fingerprint;
using code::Ref;

namespace {
constexpr std::uint64_t field_seed = 0xce47, first_seed = 0x51;
constexpr std::size_t points = 8;
constexpr double times_large = 4;           // from 2 to 8
constexpr double largest_residual = 1e-11;  // backward, relative
constexpr double far_from_singular = 1e4;   // the largest growth
constexpr std::size_t few = 20;             // one of so many rows loses digits by chance where parameters are large
}  // namespace

Checks::Checks(const code::Builder& t)
    : tape_(t), field_(t, field_seed), first_(t, first_seed), second_(t, first_seed + 1), where_large_(t, first_seed + points, times_large) {}

void Checks::here(code::InputValues inputs) { here_.emplace(tape_, std::move(inputs)); }

void Checks::here(Ref unknown, double value) {
  const code::Op op = tape_.nodes()[unknown.node()].op;
  if (op == code::Op::unknown) here_->set(unknown.node(), unknown.negative() ? -value : value);
}

bool Checks::good_pivot(const LinearSystem::Row& row, Ref p) {
  constexpr double margin = 1e-3;
  const double size = std::fabs((*here_)(p));
  for (const auto& x : row)
    if (!(size >= margin * std::fabs((*here_)(x.value)))) return false;
  std::vector<code::Watch> watch;
  std::unordered_set<std::uint32_t> watched;
  watch_divisor(tape_, p, watch, watched);
  return std::all_of(watch.begin(), watch.end(), [&](const code::Watch& w) {
    const double value = std::fabs((*here_)(w.value));
    const double least = w.kind == code::Watch::Kind::sum ? margin * (std::fabs((*here_)(w.a)) + std::fabs((*here_)(w.b))) : 0;
    return value > least;
  });
}

// An elimination adds a * b / p to an entry, a from the pivot's column and b from its row. That is no more than 1 / threshold times one of
// them where p is large beside the other: either will do.
bool Checks::large_pivot(const Elimination& e, std::uint32_t row, std::uint32_t unknown, double threshold) {
  const auto large_at = [&](code::NumberProbe& at) {
    const double least = std::fabs(at(e.entry(row, unknown)->value)) / threshold;
    const auto& holders = e.holders(unknown);
    const auto& entries = e.row(row);
    const auto bounded = [&](code::Ref value) { return std::fabs(at(value)) <= least; };
    return std::all_of(holders.begin(), holders.end(), [&](std::uint32_t r) { return bounded(e.entry(r, unknown)->value); }) ||
           std::all_of(entries.begin(), entries.end(), [&](const auto& x) { return bounded(x.value); });
  };
  if (here_) return large_at(*here_);
  if (lost_where_large_ && !(large_at(first_) && large_at(where_large_))) return false;
  return std::all_of(telling_.begin(), telling_.end(), [&](code::NumberProbe* at) { return large_at(*at); });
}

void Checks::rewind(std::size_t size) {
  field_.rewind(size);
  first_.rewind(size);
  second_.rewind(size);
  where_large_.rewind(size);
  for (code::NumberProbe& x : others_) x.rewind(size);
  if (here_) here_->rewind(size);
}

std::string Checks::fault(const LinearSystem& s, const std::vector<Ref>& values, const Elimination& e,
                          const std::vector<std::uint32_t>& core_rows, const std::vector<std::uint32_t>& core_columns) {
  if (!core_rows.empty() && !solve_core(values, e, core_rows, core_columns)) return "";  // nothing to compare with
  for (std::size_t r = 0; r < s.rows.size(); ++r) {
    Fingerprint sum = -field_(s.rhs[r]);
    for (const auto& x : s.rows[r]) sum = sum + field_(x.value) * field_(values[x.column]);
    if (!code::is_zero(sum)) return "its code does not solve the equations";
  }
  return "";
}

bool Checks::loses_digits(const LinearSystem& s, const std::vector<Ref>& values) {
  return loses_digits(s, values, first_) || loses_digits(s, values, second_);
}

bool Checks::loses_digits_where_large(const LinearSystem& s, const std::vector<Ref>& values) {
  const bool loses = loses_digits(s, values, where_large_, few) && growth(s, where_large_) < far_from_singular;
  lost_where_large_ = lost_where_large_ || loses;
  return loses;
}

// Null: singular there.
std::optional<std::vector<double>> Checks::core_values(const Elimination& e, const std::vector<std::uint32_t>& rows,
                                                       const std::vector<std::uint32_t>& columns, code::NumberProbe& at) {
  const auto n = static_cast<std::uint32_t>(rows.size());
  std::map<std::uint32_t, std::uint32_t> number;
  for (std::uint32_t k = 0; k < n; ++k) number[columns[k]] = k;
  std::vector<double> matrix(std::size_t{n} * n), x;
  for (std::uint32_t r = 0; r < n; ++r) {
    for (const auto& entry : e.row(rows[r])) matrix[std::size_t{r} * n + number.at(entry.column)] = at(entry.value);
    x.push_back(at(e.rhs(rows[r])));
  }
  code::DenseLu<double> lu(n);
  if (lu.factor(matrix) != code::Factored::ok) return std::nullopt;
  lu.solve(x.data());
  return x;
}

bool Checks::loses_digits_with_core(const LinearSystem& s, const std::vector<Ref>& values, const Elimination& e,
                                    const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns) {
  std::map<std::uint32_t, double> known;  // by node, ascending
  for (code::NumberProbe* at : {&first_, &where_large_}) {
    const auto core = core_values(e, rows, columns, *at);
    if (!core) continue;
    known.clear();
    for (std::size_t k = 0; k < columns.size(); ++k) known[values[columns[k]].node()] = (*core)[k];
    const std::uint32_t least = known.begin()->first;
    at->rewind(least);  // these and what reads them had random values
    for (const auto& [node, value] : known) at->set(node, value);
    const bool loses = loses_digits(s, values, *at, few) && growth(s, *at) < far_from_singular;
    at->rewind(least);
    if (loses) return true;
  }
  return false;
}

bool Checks::loses_digits_with_units(const LinearSystem& s, const std::vector<Ref>& values) {
  return std::all_of(telling_.begin(), telling_.end(), [&](code::NumberProbe* at) { return loses_digits(s, values, *at); });
}

bool Checks::loses_digits(const LinearSystem& s, const std::vector<Ref>& values, code::NumberProbe& at, std::size_t one_of) {
  // Among very many random pivots some cancel to the fifth digit, and the rows around them lose digits; along a run, pivots that cancel so
  // far are watched for. An ordering that is no good loses digits in many rows, or most of them in some.
  constexpr double worst = 1e-7;
  const std::size_t by_chance = s.rows.size() / one_of;
  std::size_t bad = 0;
  const auto tells = [&](std::size_t r) {
    return std::isfinite(at(s.rhs[r])) && std::ranges::all_of(s.rows[r], [&](const auto& x) { return std::isfinite(at(x.value)); });
  };
  for (std::size_t r = 0; r < s.rows.size(); ++r)
    if (!tells(r)) return false;  // the block has no numbers there
  for (std::size_t r = 0; r < s.rows.size(); ++r) {
    double sum = -at(s.rhs[r]), size = std::fabs(sum);
    for (const auto& x : s.rows[r]) {
      const double term = at(x.value) * at(values[x.column]);
      sum += term;
      size += std::fabs(term);
    }
    if (!std::isfinite(size) || std::fabs(sum) > worst * size) return true;  // a pivot is zero, or zero but for rounding
    bad += std::fabs(sum) > largest_residual * size;
  }
  return bad > by_chance;
}

void Checks::make_units(const LinearSystem& s) {
  for (code::NumberProbe* at : telling_) {
    std::vector<double> sums;
    for (const auto& row : s.rows) {
      double sum = 0;
      for (const auto& x : row) sum += mix(x.column) % 2 == 0 ? (*at)(x.value) : -(*at)(x.value);
      sums.push_back(sum);
    }
    for (std::size_t r = 0; r < s.rows.size(); ++r) at->set(s.rhs[r].node(), sums[r]);
  }
}

std::size_t Checks::find_telling(const LinearSystem& s) {
  constexpr std::size_t most = 2;
  if (others_.empty())
    for (std::size_t k = 2; k < points; ++k) others_.emplace_back(tape_, first_seed + k);
  std::vector<std::pair<double, code::NumberProbe*>> list;
  list.emplace_back(growth(s, first_), &first_);
  list.emplace_back(growth(s, second_), &second_);
  for (code::NumberProbe& at : others_) list.emplace_back(growth(s, at), &at);
  std::ranges::stable_sort(list, {}, &std::pair<double, code::NumberProbe*>::first);
  telling_.clear();
  for (const auto& [size, at] : list)
    if (size < far_from_singular && telling_.size() < most) telling_.push_back(at);
  return telling_.size();
}

// How large the inverse of the matrix is there beside 1, the size of its entries.
double Checks::growth(const LinearSystem& s, code::NumberProbe& at) {
  std::vector<std::vector<std::pair<std::uint32_t, double>>> columns(s.rows.size());
  for (std::uint32_t r = 0; r < s.rows.size(); ++r)
    for (const auto& x : s.rows[r]) columns[x.column].emplace_back(r, at(x.value));
  code::MatrixShape shape{static_cast<std::uint32_t>(s.rows.size()), false, {0}, {}};
  std::vector<double> entries, x;
  for (const auto& column : columns) {
    for (const auto& [row, value] : column) {
      shape.row.push_back(row);
      entries.push_back(value);
    }
    shape.column_begin.push_back(static_cast<std::int64_t>(shape.row.size()));
  }
  code::Klu lu(shape);
  if (lu.factor(entries) != code::Factored::ok) return std::numeric_limits<double>::infinity();
  for (std::uint32_t r = 0; r < shape.size; ++r) x.push_back(mix(r) % 2 == 0 ? 1 : -1);
  lu.solve(x.data());
  double largest = 0;
  for (double v : x) largest = std::isfinite(v) ? std::max(largest, std::fabs(v)) : std::numeric_limits<double>::infinity();
  return largest;
}

// The core's unknowns at the field point, by elimination there. False: singular at that point.
bool Checks::solve_core(const std::vector<Ref>& values, const Elimination& e, const std::vector<std::uint32_t>& rows,
                        const std::vector<std::uint32_t>& columns) {
  const std::size_t n = rows.size();
  std::map<std::uint32_t, std::size_t> number;
  for (std::size_t k = 0; k < n; ++k) number[columns[k]] = k;
  std::vector<std::vector<Fingerprint>> a(n);
  std::vector<Fingerprint> b;
  for (std::size_t r = 0; r < n; ++r) {
    a[r].resize(n);
    for (const auto& x : e.row(rows[r])) a[r][number.at(x.column)] = field_(x.value);
    b.push_back(field_(e.rhs(rows[r])));
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    while (p < n && (a[p][k].a == 0 || a[p][k].b == 0)) ++p;
    if (p == n) return false;
    std::swap(a[p], a[k]);
    std::swap(b[p], b[k]);
    const Fingerprint inverse = code::inverse(a[k][k]);
    for (std::size_t j = k; j < n; ++j) a[k][j] = a[k][j] * inverse;
    b[k] = b[k] * inverse;
    for (std::size_t r = 0; r < n; ++r) {
      if (r == k || code::is_zero(a[r][k])) continue;
      const Fingerprint factor = a[r][k];
      for (std::size_t j = k; j < n; ++j) a[r][j] = a[r][j] - factor * a[k][j];
      b[r] = b[r] - factor * b[k];
    }
  }
  const std::uint32_t least = std::min_element(columns.begin(), columns.end(), [&](auto x, auto y) {
                                return values[x].node() < values[y].node();
                              })[0];
  field_.rewind(values[least].node());  // these and what reads them were given random values
  for (std::size_t k = 0; k < n; ++k) field_.set(values[columns[k]].node(), b[k]);
  return true;
}

}  // namespace kron::solve
