#include "engine/session/closing_rates.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>

#include "engine/session/known_derivatives.hpp"
#include "engine/session/level_point.hpp"
#include "engine/session/loop_flows.hpp"

namespace kron::session {

namespace {

using Known = FlatModel::KnownDerivatives;
using model::Operand;

// Rows that close loops, and what gives their variables.
class ClosingRows {
 public:
  explicit ClosingRows(System& s) : s_(s), closing_(closing_equations(*s.flat)), point_(s) {
    point_.compute_parameters();
    point_.give_all_but(closing_);
    giver_.assign(s_.variables(), none);
    for (std::uint32_t r = 0; r < s_.rows.size(); ++r)
      if (const std::uint32_t v = point_.given_by(r); v != none) giver_[v] = r;
  }

  LevelPoint& point() { return point_; }
  bool closes_equation(std::uint32_t e) const { return closing_[e]; }
  bool closes(std::uint32_t row) const { return s_.rows[row].origin != none && closing_[s_.rows[row].origin]; }
  bool is_given(std::uint32_t variable) const { return giver_[variable] != none; }

  // The Jacobian of the given closing rows, then of those that give their variables. Of the latter columns, which come first, nothing is left
  // in the closing rows.
  LevelMatrix jacobian(std::vector<std::uint32_t> closings) {
    rows_ = std::move(closings);
    columns_.clear();
    std::vector<std::uint32_t> givers, free;
    std::vector<bool> met(s_.variables(), false);
    const std::size_t own = rows_.size();
    for (std::uint32_t k = 0; k < rows_.size(); ++k) {
      if (k >= own) givers.push_back(k);
      for (std::uint32_t c : s_.columns(s_.rows[rows_[k]])) {
        if (met[c]) continue;
        met[c] = true;
        (is_given(c) ? columns_ : free).push_back(c);
        if (is_given(c)) rows_.push_back(giver_[c]);
      }
    }
    given_ = columns_.size();
    columns_.insert(columns_.end(), free.begin(), free.end());
    LevelMatrix m = point_.jacobian(rows_, columns_);
    eliminate_sparsest(m, givers, 0, given_, [](std::uint32_t, std::uint32_t) {});
    return m;
  }
  std::size_t given() const { return given_; }  // columns of the last one

 private:
  const System& s_;
  const std::vector<bool> closing_;               // by equation
  LevelPoint point_;
  std::vector<std::uint32_t> giver_;              // by variable: a row, or none
  std::vector<std::uint32_t> rows_, columns_;     // of the Jacobian
  std::size_t given_ = 0;                         // of the columns
};

constexpr std::size_t points = 4;  // one more than a vector has directions
using Samples = std::array<std::array<double, points>, 3>;  // by element

// Elements by how much of its own each has: of two that are multiples of each other the larger one stays.
struct Independence {
  std::array<bool, 3> goes{true, true, true};
  std::vector<std::array<double, 3>> still;  // what of the elements adds up to zero

  explicit Independence(Samples s) {
    std::array<std::array<double, 3>, 3> made{};  // row i of s is now the sum of these of what it was
    for (std::size_t i = 0; i < 3; ++i) made[i][i] = 1;
    constexpr double rounding = 1e-9;
    const double least = rounding * std::max({norm(s[0]), norm(s[1]), norm(s[2])});
    while (const auto next = largest(s, least)) {
      goes[*next] = false;
      const auto at = std::ranges::max_element(s[*next], {}, [](double x) { return std::abs(x); }) - s[*next].begin();
      for (std::size_t i = 0; i < 3; ++i) {
        if (i == *next) continue;
        const double factor = s[i][at] / s[*next][at];
        for (std::size_t k = 0; k < points; ++k) s[i][k] -= factor * s[*next][k];
        for (std::size_t k = 0; k < 3; ++k) made[i][k] -= factor * made[*next][k];
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (!goes[i]) continue;
      for (double& x : made[i])
        if (std::abs(x) < rounding) x = 0;
      still.push_back(made[i]);
    }
  }

 private:
  static double norm(const std::array<double, points>& x) {
    double sum = 0;
    for (double v : x) sum += v * v;
    return std::sqrt(sum);
  }
  std::optional<std::size_t> largest(const Samples& s, double least) const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < 3; ++i)
      if (goes[i] && norm(s[i]) > (best ? norm(s[*best]) : least)) best = i;
    return best;
  }
};

class Rates {
 public:
  Rates(System& s, ClosingRows* rows) : s_(s), m_(*s.flat), row_of_(m_.equations.size(), none), rows_(rows) {
    for (std::uint32_t r = 0; r < s.rows.size(); ++r)
      if (s.rows[r].origin != none) row_of_[s.rows[r].origin] = r;
  }

  ClosingRates run() {
    ClosingRates found;
    found.silent.assign(s_.rows.size(), false);
    for (const Known& k : m_.known_derivatives) {
      std::vector<std::uint32_t> rows;
      for (std::uint32_t i = 0; i < k.count; ++i)
        if (const std::uint32_t r = row_of_[k.equation + i]; r != none) rows.push_back(r);
      if (rows.empty()) continue;
      const bool along_axes = s_.rows[rows.front()].axes != none || fits(s_, k, std::vector<bool>(k.count, true));
      if (!derivative_is_known(m_, k, along_axes)) continue;
      for (std::uint32_t r : rows) found.silent[r] = !rate(k, s_.rows[r].origin - k.equation, along_axes);
      if (rows_ && along_axes && k.count == 3 && rows_->closes(rows.front())) found.vectors.push_back(vector(k, rows));
    }
    return found;
  }

 private:
  // Of an element; empty: it is zero. Without oblique axes any value else.
  std::optional<code::Ref> rate(const Known& k, std::uint32_t element, bool along_axes) {
    const std::size_t operands = s_.operands.size(), members = s_.members.size(), columns = s_.column.size();
    const model::Bound b = known_derivative(m_, k, element, 1, along_axes);
    add_row(s_, b.form, b.operands, {});
    std::optional<code::Ref> rate;
    if (!is_empty(s_.rows.back())) rate = rows_ ? rows_->point().residual(s_.rows.back()) : code::one;
    if (rows_ && rate && code::is_zero(rows_->point().fingerprint(*rate))) rate.reset();
    s_.rows.pop_back();
    s_.operands.resize(operands);
    s_.members.resize(members);
    s_.column.resize(columns);
    return rate;
  }

  // While nothing moves but what the loop consists of: where it is open, a turn of what carries it is seen differently from its two ends.
  ClosingRates::Vector vector(const Known& k, const std::vector<std::uint32_t>& closings) {
    std::array<std::optional<code::Ref>, 3> rates;  // of elements without a row, too
    for (std::uint32_t i = 0; i < k.count; ++i) rates[i] = rate(k, i, true);
    const LevelMatrix m = rows_->jacobian(closings);
    std::vector<bool> moves(s_.variables(), false);
    for (std::size_t r = 0; r < closings.size(); ++r)
      for (const LevelMatrix::Cell& x : m.from(r, rows_->given()))
        if (const std::uint32_t rate = s_.derivative[m.columns[x.column]]; rate != none) moves[rate] = true;
    std::vector<std::uint32_t> held;
    for (std::uint32_t v = 0; v < s_.variables(); ++v)
      if (s_.antiderivative[v] != none && s_.is_root(v) && s_.unknown[v] && !moves[v] && !rows_->is_given(v))
        held.push_back(rows_->point().at(Operand::value(model::SlotId{v})).node());
    std::ranges::sort(held);  // a probe goes along the tape
    Samples samples{};
    for (std::size_t n = 0; n < points; ++n) {
      code::NumberProbe at = rows_->point().numbers(n);
      for (std::uint32_t node : held) at.set(node, 0);
      for (std::size_t i = 0; i < rates.size(); ++i)
        if (rates[i]) samples[i][n] = at(*rates[i]);
    }
    const Independence found(samples);
    return {k.equation, found.goes, found.still};
  }

  System& s_;
  const FlatModel& m_;
  std::vector<std::uint32_t> row_of_;  // by equation
  ClosingRows* rows_;                  // null without oblique axes: directions that are zero show by themselves
};

}  // namespace

bool ClosingRates::goes(std::uint32_t equation) const {
  const auto v = std::ranges::lower_bound(vectors, equation, {}, [](const Vector& x) { return x.equation + 2; });
  return v != vectors.end() && v->has(equation) && v->goes[equation - v->equation];
}

ClosingRates closing_rates(System& s) {
  if (s.flat->known_derivatives.empty()) return {std::vector<bool>(s.rows.size(), false), {}};
  std::optional<ClosingRows> rows;
  if (s.flat->axes.oblique) rows.emplace(s);
  return Rates(s, rows ? &*rows : nullptr).run();
}

std::vector<std::uint32_t> repeated_closings(System& s) {
  ClosingRows rows(s);
  const ClosingRates rates = Rates(s, s.flat->axes.oblique ? &rows : nullptr).run();
  std::vector<std::uint32_t> closings, found;
  for (const bool goes : {false, true})  // of those of as many cells the first is taken
    for (std::uint32_t r = 0; r < s.rows.size(); ++r)
      if (rows.closes(r) && !rates.silent[r] && rates.goes(s.rows[r].origin) == goes) closings.push_back(r);
  LevelMatrix m = rows.jacobian(closings);
  std::vector<std::uint32_t> own(closings.size());
  std::iota(own.begin(), own.end(), 0);
  eliminate_sparsest(m, own, rows.given(), m.columns.size(), [](std::uint32_t, std::uint32_t) {});
  for (std::size_t k = 0; k < closings.size(); ++k)
    if (!m.row_done[k]) found.push_back(s.rows[closings[k]].origin);
  for (std::uint32_t r = 0; r < s.rows.size(); ++r)
    if (rows.closes(r) && rates.silent[r]) found.push_back(s.rows[r].origin);
  std::ranges::copy_if(s.redundant, std::back_inserter(found), [&](std::uint32_t e) { return rows.closes_equation(e); });
  return found;
}

}  // namespace kron::session
