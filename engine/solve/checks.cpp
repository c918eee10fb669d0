#include "engine/solve/checks.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/solve/watches.hpp"

namespace kron::solve {

using code::Fingerprint;
using code::Ref;

namespace {
constexpr std::uint64_t field_seed = 0xce47, number_seeds[] = {0x51, 0x52};
constexpr double largest_residual = 1e-11;  // backward, relative
}  // namespace

Checks::Checks(const code::Builder& t)
    : tape_(t), field_(t, field_seed), first_(t, number_seeds[0]), second_(t, number_seeds[1]) {}

void Checks::here(code::InputValues inputs) { here_.emplace(tape_, std::move(inputs)); }

void Checks::here(Ref unknown, double value) {
  const code::Op op = tape_.nodes()[unknown.node()].op;
  if (op == code::Op::unknown) here_->set(unknown.node(), unknown.negative() ? -value : value);
}

bool Checks::good_pivot(const std::vector<LinearSystem::Entry>& row, Ref p) {
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

void Checks::rewind(std::size_t size) {
  field_.rewind(size);
  first_.rewind(size);
  second_.rewind(size);
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
  if (!core_rows.empty()) return "";  // its unknowns have random numbers there
  // Among very many random pivots some cancel to the fifth digit. An ordering that is no good loses digits in many rows.
  const std::size_t by_chance = s.rows.size() / 1000;
  for (code::NumberProbe* at : {&first_, &second_}) {
    std::size_t bad = 0;
    for (std::size_t r = 0; r < s.rows.size(); ++r) {
      double sum = -(*at)(s.rhs[r]), size = std::fabs(sum);
      for (const auto& x : s.rows[r]) {
        const double term = (*at)(x.value) * (*at)(values[x.column]);
        sum += term;
        size += std::fabs(term);
      }
      bad += std::isfinite(size) && std::fabs(sum) > largest_residual * size;
    }
    if (bad > by_chance) return "it loses digits";
  }
  return "";
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
