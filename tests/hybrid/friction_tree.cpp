#include "tests/hybrid/friction_tree.hpp"

#include <cmath>
#include <optional>
#include <random>

#include "tests/hybrid/dense.hpp"

namespace kron::hybrid {

namespace {

constexpr double hair = 1e-5;  // of speeds, torques and moments: closer is an edge

struct Motion {
  std::vector<double> a;
  double margin;  // how well it fits
};

class Solver {
 public:
  Solver(const FrictionTree& t, double stop) : t_(t), stop_(stop), n_(t.bodies.size()), e_(t.elements.size()) {}

  FrictionRun run() {
    FrictionRun out;
    double time = 0;
    std::vector<double> w;
    for (const auto& b : t_.bodies) w.push_back(b.w);
    std::vector<int> mode(e_);
    std::vector<bool> at_rest(e_);  // its speed is 0, exactly
    for (std::size_t k = 0; k < e_; ++k) {
      const double v = speed(w, k);
      at_rest[k] = v == 0;
      mode[k] = v > 0 ? 1 : v < 0 ? -1 : 0;
    }
    while (time < stop_ && out.pieces.size() < 200) {
      const bool late = time >= t_.change;
      const auto found = choose(late, mode, at_rest, out.verdict);
      if (out.verdict != FrictionRun::Verdict::clear) return out;
      mode = found->second;
      const std::vector<double>& a = found->first.a;
      out.pieces.push_back({time, w, a, mode});
      double next = late ? stop_ : std::min(t_.change, stop_);
      for (std::size_t k = 0; k < e_; ++k) {
        const double v = speed(w, k), slope = speed(a, k);
        if (at_rest[k] || mode[k] == 0 || v * slope >= 0) continue;
        next = std::min(next, time - v / slope);
      }
      const double step = next - time;
      if (step < hair) {
        out.verdict = FrictionRun::Verdict::edge;
        return out;
      }
      for (std::size_t i = 0; i < n_; ++i) w[i] += step * a[i];
      for (std::size_t k = 0; k < e_; ++k) {
        const double v = speed(w, k);
        if (mode[k] == 0) continue;  // stays at rest
        at_rest[k] = std::fabs(v) < 1e-12;
        if (!at_rest[k] && std::fabs(v) < hair && next < stop_) out.verdict = FrictionRun::Verdict::edge;
        if (at_rest[k]) mode[k] = 0;
      }
      time = next;
    }
    return out;
  }

 private:
  double speed(const std::vector<double>& w, std::size_t k) const {
    const auto& e = t_.elements[k];
    return w[e.a] - (e.b < n_ ? w[e.b] : 0);
  }

  // Accelerations where `modes` say who is stuck and who slides which way; nothing where that does not fit.
  std::optional<Motion> motion(bool late, const std::vector<int>& modes, const std::vector<bool>& at_rest) const {
    const std::size_t size = n_ + e_;  // accelerations, torques from a to b
    Matrix m(size, size), right(size, 1);
    for (std::size_t i = 0; i < n_; ++i) {
      m(i, i) = t_.bodies[i].J;
      right(i, 0) = late ? t_.bodies[i].after : t_.bodies[i].before;
    }
    for (std::size_t k = 0; k < e_; ++k) {
      const auto& e = t_.elements[k];
      m(e.a, n_ + k) = 1;
      if (e.b < n_) m(e.b, n_ + k) = -1;
      if (modes[k] == 0) {
        m(n_ + k, e.a) = 1;
        if (e.b < n_) m(n_ + k, e.b) = -1;
      } else {
        m(n_ + k, n_ + k) = 1;
        right(n_ + k, 0) = modes[k] * e.tau;
      }
    }
    const auto x = solve(m, right);
    if (!x) return std::nullopt;
    Motion out{std::vector<double>(n_), 1};
    for (std::size_t i = 0; i < n_; ++i) out.a[i] = (*x)(i, 0);
    for (std::size_t k = 0; k < e_; ++k) {
      const auto& e = t_.elements[k];
      if (!at_rest[k]) continue;
      const double left = modes[k] == 0 ? e.peak * e.tau - std::fabs((*x)(n_ + k, 0)) : modes[k] * speed(out.a, k);
      if (left < -hair) return std::nullopt;
      out.margin = std::min(out.margin, left);
    }
    return out;
  }

  // What holds still stays so if it can.
  std::optional<std::pair<Motion, std::vector<int>>> choose(bool late, const std::vector<int>& mode, const std::vector<bool>& at_rest,
                                                            FrictionRun::Verdict& verdict) const {
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < e_; ++k)
      if (at_rest[k]) open.push_back(k);
    std::size_t combinations = 1;
    for (std::size_t k = 0; k < open.size(); ++k) combinations *= 3;
    std::optional<std::pair<Motion, std::vector<int>>> best;
    for (std::size_t n = 0; n < combinations; ++n) {
      std::vector<int> modes = mode;
      std::size_t rest = n;
      for (const std::size_t k : open) {
        modes[k] = rest % 3 == 2 ? -1 : static_cast<int>(rest % 3);
        rest /= 3;
      }
      const auto here = motion(late, modes, at_rest);
      if (!here) continue;
      if (here->margin < hair) {
        verdict = FrictionRun::Verdict::edge;
        return std::nullopt;
      }
      if (best) {
        verdict = FrictionRun::Verdict::several;
        return std::nullopt;
      }
      best.emplace(*here, modes);
      if (n == 0) break;  // all that is at rest stays there
    }
    if (!best) verdict = FrictionRun::Verdict::none;
    return best;
  }

  const FrictionTree& t_;
  double stop_;
  std::size_t n_, e_;
};

}  // namespace

FrictionRun run(const FrictionTree& t, double stop) { return Solver(t, stop).run(); }

FrictionTree random_friction_tree(std::uint64_t seed) {
  std::mt19937_64 g(seed);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(g() % n); };
  const auto tenths = [&](std::size_t from, std::size_t to) { return 0.1 * static_cast<double>(from + pick(to - from + 1)); };
  FrictionTree t;
  const std::size_t n = 2 + pick(4);
  std::vector<std::size_t> order(n + 1);
  for (std::size_t i = 0; i <= n; ++i) order[i] = i;
  for (std::size_t i = 0; i < n; ++i)
    t.bodies.push_back({tenths(3, 30), pick(3) == 0 ? 0 : (pick(2) ? 1 : -1) * tenths(1, 50), pick(3) == 0 ? 0 : (pick(2) ? 1 : -1) * tenths(1, 60),
                        pick(3) == 0 ? 0 : (pick(2) ? 1 : -1) * tenths(1, 60)});
  t.change = 0.5 + tenths(1, 10) + 0.0137;
  for (std::size_t i = 1; i <= n; ++i) std::swap(order[i], order[i + pick(n + 1 - i)]);
  for (std::size_t i = 1; i <= n; ++i) {  // each joins the tree at one of those before it
    if (pick(6) == 0) continue;
    std::size_t a = order[i], b = order[pick(i)];
    if (a == n) std::swap(a, b);
    if (b < n && pick(2)) std::swap(a, b);
    t.elements.push_back({a, b, tenths(3, 30) + 0.0071 * static_cast<double>(i), pick(3) == 0 ? 1.3 : 1});
  }
  return t;
}

std::string text(const FrictionTree& t) {
  std::string s = "use rotational\n";
  const auto number = [](double x) { return std::to_string(x); };
  for (std::size_t i = 0; i < t.bodies.size(); ++i) {
    const auto& b = t.bodies[i];
    const std::string k = std::to_string(i + 1);
    s += "j" + k + " : Inertia(J = " + number(b.J) + ", phi(start = 0, fixed), w(start = " + number(b.w) + ", fixed))\nt" + k +
         " : Torque\nconnect t" + k + ".flange, j" + k + ".flange_a\nt" + k + ".tau = if time < " + number(t.change) + " then " + number(b.before) + " else " + number(b.after) + "\n";
  }
  for (std::size_t k = 0; k < t.elements.size(); ++k) {
    const auto& e = t.elements[k];
    const std::string own = "e" + std::to_string(k + 1), a = "j" + std::to_string(e.a + 1);
    if (e.b == t.bodies.size())
      s += own + " : BearingFriction(tau_pos = [0, " + number(e.tau) + "], peak = " + number(e.peak) + ")\nconnect " + own + ".flange_a, " + a + ".flange_b\n";
    else  // w_rel is that of flange_b against flange_a
      s += own + " : Clutch(fn_max = 1, mu_pos = [0, " + number(e.tau) + "], peak = " + number(e.peak) + ")\n" + own +
           ".f_normalized = 1\nconnect " + own + ".flange_b, " + a + ".flange_b\nconnect " + own + ".flange_a, j" + std::to_string(e.b + 1) + ".flange_b\n";
  }
  return s;
}

}  // namespace kron::hybrid
