#include "engine/session/closed_position.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/hash.hpp"
#include "engine/code/least_step.hpp"
#include "engine/session/emit.hpp"
#include "engine/session/level_point.hpp"
#include "engine/session/loop_flows.hpp"

namespace kron::session {

using model::Operand;
using model::OperandKind;

namespace {

using Vector = std::vector<double>;
using Rows = std::vector<Vector>;

double norm(const Vector& x) { return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0)); }

class ClosedPosition {
 public:
  ClosedPosition(System& s, const Bindings& bindings, const Overrides& overrides)
      : s_(s), closing_(closing_equations(*s.flat)), numbers_(*s.flat, bindings, overrides), table_(s, bindings, numbers_), point_(s) {
    point_.take_numbers(numbers_);
    point_.give_all_but(closing_);
    for (std::uint32_t r = 0; r < s_.rows.size(); ++r)
      if (s_.rows[r].origin != none && closing_[s_.rows[r].origin]) {
        closings_.push_back(r);
        residuals_.push_back(point_.residual(s_.rows[r]));
      }
    find_coordinates();
    add_constraints();
    probe_.emplace(point_.numbers(0));
  }

  std::optional<std::vector<std::uint32_t>> run() {
    if (residuals_.empty() || coordinates_.empty() || coordinates_.size() * point_.nodes() > largest_jacobian) return std::nullopt;
    Vector x;
    std::vector<bool> all(coordinates_.size(), true), open;
    for (const Coordinate& c : coordinates_) {
      x.push_back(c.start);
      open.push_back(!c.fixed);
    }
    if (!close(x, open) && !close(x, all)) return std::nullopt;
    const Rows j = jacobian_at(x);
    look_at(j);
    look_around(x, j, all);
    return left_over();
  }

 private:
  struct Coordinate {
    std::uint32_t node = 0;
    double start = 0;
    bool fixed = false;
  };
  struct Position {
    Rows rows;  // of the Jacobian; of the closing rows, then of the constraints
    std::size_t rank = 0;
  };

  // What the closing rows depend on.
  void find_coordinates() {
    const std::vector<bool> needed = point_.needed_by(residuals_);
    for (const auto& [operand, node] : point_.drawn()) {
      if (!needed[node]) continue;
      const bool is_variable = operand.kind() == OperandKind::value && operand.index() < s_.variables() && s_.unknown[operand.index()];
      if (!is_variable) {
        others_.push_back(node);
        continue;
      }
      const VariableInfo& info = table_[operand.index()];
      const double start = info.start_slot == none ? 0 : info.start_sign * numbers_.start(info.start_slot);
      coordinates_.push_back({node, std::isfinite(start) ? start : 0, info.fixed});
    }
  }

  // Other rows that hold of these coordinates alone, as those of joints without coordinates.
  void add_constraints() {
    std::vector<std::uint32_t> own;
    for (const Coordinate& c : coordinates_) own.push_back(c.node);
    std::vector<code::Ref> values;
    for (std::uint32_t r = 0; r < s_.rows.size(); ++r) {
      const SystemRow& row = s_.rows[r];
      if (row.origin != none && !closing_[row.origin] && point_.given_by(r) == none) values.push_back(point_.residual(row));
    }
    for (const code::Ref value : point_.of_these_alone(values, own)) residuals_.push_back(value);
  }

  Vector residual_at(const Vector& x) {
    ++evaluated_;
    std::vector<std::pair<std::uint32_t, double>> set;
    for (std::size_t k = 0; k < x.size(); ++k) set.emplace_back(coordinates_[k].node, x[k]);
    for (std::uint32_t node : others_) set.emplace_back(node, 0.0);
    std::ranges::sort(set);  // a probe goes along the tape
    probe_->rewind(set.front().first);
    for (const auto& [node, value] : set) probe_->set(node, value);
    Vector r;
    for (const code::Ref f : residuals_) r.push_back((*probe_)(f));
    return r;
  }

  // By rows, central differences.
  Rows jacobian_at(const Vector& x) {
    constexpr double step = 1e-5;
    Rows j(residuals_.size(), Vector(x.size()));
    Vector near = x;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double h = step * (1 + std::fabs(x[k]));
      near[k] = x[k] + h;
      const Vector plus = residual_at(near);
      near[k] = x[k] - h;
      const Vector minus = residual_at(near);
      near[k] = x[k];
      for (std::size_t i = 0; i < j.size(); ++i) j[i][k] = (plus[i] - minus[i]) / (2 * h);
    }
    return j;
  }

  bool close(Vector& x, const std::vector<bool>& open) {
    constexpr int most = 60;
    constexpr double closed = 1e-10;
    Vector now = x, r = residual_at(now);
    double size = norm(r), damping = 1e-3;
    for (int k = 0; k < most && size > closed && !exhausted(); ++k) {
      const auto dx = code::least_step(jacobian_at(now), r, open, damping);
      if (!dx || !std::isfinite(size)) return false;
      Vector next = now;
      for (std::size_t i = 0; i < next.size(); ++i) next[i] -= (*dx)[i];
      Vector after = residual_at(next);
      const double left = norm(after);
      damping = left < size ? std::max(damping * 0.1, 1e-12) : damping * 10;
      if (left < size) now = std::move(next), r = std::move(after), size = left;
    }
    if (!(size <= closed)) return false;
    x = std::move(now);
    return true;
  }

  void look_at(const Rows& jacobian) {
    Position p{jacobian, 0};
    for (Vector& row : p.rows) {
      const double length = norm(row);
      for (double& v : row) v = length > nothing ? v / length : 0;
    }
    p.rank = keep_rows({p}, nullptr);
    positions_.push_back(std::move(p));
  }

  // Other positions, along what the rows leave free, some steps both ways.
  void look_around(const Vector& x, const Rows& jacobian, const std::vector<bool>& all) {
    constexpr std::uint64_t ways = 4;
    constexpr int steps = 16;
    for (std::uint64_t n = 0; n < ways; ++n) {
      Vector d, y = x;
      Rows j = jacobian;
      for (std::size_t k = 0; k < x.size(); ++k) d.push_back((n % 2 == 0 ? 1 : -1) * (static_cast<double>(mix(n / 2 * x.size() + k) % 2048) / 1024 - 1));
      for (int k = 0; k < steps && !exhausted() && go(y, d, j, all); ++k) {
        j = jacobian_at(y);
        look_at(j);
      }
    }
  }
  // Where nothing moves, or the loops do not close there: false.
  bool go(Vector& y, Vector& d, const Rows& j, const std::vector<bool>& all) {
    constexpr double way = 0.3, tiny = 1e-9, still = 1e-3;
    Vector along;
    for (const Vector& row : j) along.push_back(std::inner_product(row.begin(), row.end(), d.begin(), 0.0));
    const auto back = code::least_step(j, along, all, tiny);
    if (!back) return false;
    for (std::size_t k = 0; k < d.size(); ++k) d[k] -= (*back)[k];
    double most = 0;
    for (const double x : d) most = std::max(most, std::fabs(x));
    if (!(most > still)) return false;
    for (std::size_t k = 0; k < y.size(); ++k) y[k] += way / most * d[k];
    return close(y, all);
  }

  // Rows that are kept, the constraints before the closing rows, and what is left of the others. How many.
  std::size_t keep_rows(std::vector<Position> at, std::vector<bool>* kept) const {
    const std::size_t closing = closings_.size(), rows = residuals_.size();
    std::vector<bool> done(rows, false);
    std::size_t count = 0;
    const auto least = [&](std::size_t i) {
      double size = 1;
      for (const Position& p : at) size = std::min(size, norm(p.rows[i]));
      return size;
    };
    const auto take = [&](std::size_t i) {
      done[i] = true;
      ++count;
      if (kept) (*kept)[i] = true;
      for (Position& p : at) {
        Vector unit = p.rows[i];
        const double length = norm(unit);
        for (double& v : unit) v /= length;
        for (Vector& row : p.rows) {
          const double part = std::inner_product(row.begin(), row.end(), unit.begin(), 0.0);
          for (std::size_t k = 0; k < row.size(); ++k) row[k] -= part * unit[k];
        }
      }
    };
    for (const auto& [begin, end] : {std::pair{closing, rows}, std::pair{std::size_t{0}, closing}})
      for (;;) {
        double best = 0;
        for (std::size_t i = begin; i < end; ++i)
          if (!done[i]) best = std::max(best, least(i));
        if (best < nothing) break;
        constexpr double about = 0.9;  // of rows that have about as much of their own the first one
        std::size_t i = begin;
        while (done[i] || least(i) < about * best) ++i;
        take(i);
      }
    return count;
  }

  std::vector<std::uint32_t> left_over() {
    std::size_t rank = 0;
    for (const Position& p : positions_) rank = std::max(rank, p.rank);
    std::erase_if(positions_, [&](const Position& p) { return p.rank < rank; });  // where it is stretched, or folds up
    std::vector<bool> kept(residuals_.size(), false);
    keep_rows(positions_, &kept);
    std::vector<std::uint32_t> found;
    for (std::size_t k = 0; k < closings_.size(); ++k)
      if (!kept[k]) found.push_back(s_.rows[closings_[k]].origin);
    for (std::uint32_t e : s_.redundant)
      if (closing_[e]) found.push_back(e);
    return found;
  }

  bool exhausted() const { return evaluated_ * point_.nodes() > most_nodes; }
  static constexpr std::size_t largest_jacobian = 10'000'000, most_nodes = 300'000'000;  // evaluations of nodes: some seconds
  static constexpr double nothing = 1e-5;  // of a row of length 1; differences leave 1e-9
  System& s_;
  const std::vector<bool> closing_;  // by equation
  Numbers numbers_;
  VariableTable table_;
  LevelPoint point_;
  std::vector<std::uint32_t> closings_;  // rows
  std::vector<code::Ref> residuals_;     // of these, then of the constraints
  std::vector<Coordinate> coordinates_;
  std::vector<std::uint32_t> others_;    // nodes of what else is drawn: time
  std::optional<code::NumberProbe> probe_;
  std::size_t evaluated_ = 0;  // how often
  std::vector<Position> positions_;
};

}  // namespace

std::optional<std::vector<std::uint32_t>> repeated_where_closed(System& s, const Bindings& bindings, const Overrides& overrides) {
  return ClosedPosition(s, bindings, overrides).run();
}

}  // namespace kron::session
