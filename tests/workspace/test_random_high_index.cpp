// Random models of high index with a solution built in: constrained coordinates q with
//   kinematics   der(q) = v                                      (index 2 does without)
//   dynamics     M (der(v) - q̈(t)) = G(q)' (λ - λ(t))           so that q(t), λ(t) solve it whatever M and G are
//   constraints  g(q) = 0, of which every q(t) is a solution by construction
// Circles among the constraints make pivots pass through zero: what determines what changes along the run. Index 4: the multipliers are
// derivatives of what is asked for.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <sstream>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"
#include "tests/support/sanitized.hpp"

using namespace kron;

namespace {

// A function of time with its derivatives, as numbers and as text.
struct Wave {
  double size = 1, frequency = 1, phase = 0, offset = 0;
  double at(double t, int order = 0) const {
    const double value = size * std::pow(frequency, order) * std::sin(frequency * t + phase + order * std::acos(0.0));
    return order == 0 ? value + offset : value;
  }
  std::string text(int order = 0) const {
    std::ostringstream out;
    out.precision(17);
    if (order == 0) out << offset << " + ";
    out << "(" << size * std::pow(frequency, order) << ") * sin(" << frequency << " * time + " << phase << " + " << order << " * pi / 2)";
    return "(" + out.str() + ")";
  }
};

std::string number(double x) {
  std::ostringstream out;
  out.precision(17);
  out << "(" << x << ")";
  return out.str();
}

class HighIndexModel {
 public:
  HighIndexModel(std::uint64_t seed) : g_(seed) {
    index_ = 2 + static_cast<int>(g_() % 3);
    const int circles = static_cast<int>(g_() % 3), surfaces = static_cast<int>(g_() % 3), free = 1 + static_cast<int>(g_() % 2);
    for (int k = 0; k < free; ++k) coordinate({uniform(0.3, 1), uniform(0.5, 2), uniform(0, 6), uniform(-1, 1)});
    for (int k = 0; k < circles; ++k) circle();
    for (int k = 0; k < surfaces; ++k) surface();
    if (constraints_.empty()) circle();
    coupled_ = g_() % 2 == 0;
    write();
  }
  std::string text;
  std::vector<std::pair<std::string, Wave>> expected;  // the multipliers and the coordinates
  bool coupled() const { return coupled_; }

 private:
  struct Constraint {
    std::string equation;
    std::vector<std::pair<int, std::string>> gradient;  // by coordinate
  };
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(g_); }
  static std::string q(std::size_t i) { return "q" + std::to_string(i + 1); }
  int coordinate(Wave w) {
    q_.push_back(w);
    return static_cast<int>(q_.size()) - 1;
  }
  void circle() {
    const double r = uniform(0.5, 2), w = uniform(0.5, 2), p = uniform(0, 6);
    const int x = coordinate({r, w, p, 0}), y = coordinate({r, w, p + std::acos(0.0), 0});
    constraints_.push_back({q(x) + "^2 + " + q(y) + "^2 = " + number(r * r), {{x, "2 * " + q(x)}, {y, "2 * " + q(y)}}});
  }
  // A sum of two coordinates' multiples: the third is a wave of the same frequency.
  void surface() {
    const int a = static_cast<int>(g_() % q_.size());
    const double c = uniform(0.5, 2) * (g_() % 2 == 0 ? 1 : -1), d = uniform(0.2, 1);
    Wave w = q_[a];
    w.size *= c, w.offset = c * w.offset + d;
    const int b = coordinate(w);
    if (g_() % 2 == 0) {
      constraints_.push_back({q(b) + " = " + number(c) + " * " + q(a) + " + " + number(d), {{b, "1"}, {a, number(-c)}}});
    } else {  // the same made non-linear: (b - d)^3 + (b - d) = (c a)^3 + c a
      const std::string u = "(" + q(b) + " - " + number(d) + ")", v = "(" + number(c) + " * " + q(a) + ")";
      constraints_.push_back({u + "^3 + " + u + " = " + v + "^3 + " + v,
                              {{b, "(3 * " + u + "^2 + 1)"}, {a, "(-" + number(c) + " * (3 * " + v + "^2 + 1))"}}});
    }
  }
  void write() {
    std::ostringstream out;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      out << "variable " << q(i) << "(start = " << number(q_[i].at(0)) << ")\n";
      if (index_ > 2) out << "variable v" << i + 1 << "(start = " << number(q_[i].at(0, 1)) << ")\nder(" << q(i) << ") = v" << i + 1 << "\n";
      expected.emplace_back(q(i), q_[i]);
    }
    std::vector<std::string> force;
    for (std::size_t k = 0; k < constraints_.size(); ++k) {
      const Wave w{uniform(0.5, 2), uniform(0.5, 2), uniform(0, 6), uniform(-1, 1)};
      const std::string name = "f" + std::to_string(k + 1);
      out << constraints_[k].equation << "\nvariable " << name << "\n";
      expected.emplace_back(name, w);
      force.push_back("(" + name + " - " + w.text() + ")");
      if (index_ == 4) {  // what is asked for is a derivative of the multiplier
        out << "variable p" << k + 1 << " = der(" << name << ")\n";
        expected.emplace_back("p" + std::to_string(k + 1), Wave{w.size * w.frequency, w.frequency, w.phase + std::acos(0.0), 0});
      }
    }
    const std::string rate = index_ > 2 ? "v" : "q";
    const int order = index_ > 2 ? 2 : 1;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      for (std::size_t j = 0; j < q_.size(); ++j) {
        const double mass = i == j ? uniform(2, 5) : coupled_ ? 0.3 : 0;
        if (mass != 0) out << (j > 0 && (coupled_ || i != j) ? " + " : "") << number(mass) << " * (der(" << rate << j + 1 << ") - " << q_[j].text(order) << ")";
      }
      out << " = 0";
      for (std::size_t k = 0; k < constraints_.size(); ++k)
        for (const auto& [c, slope] : constraints_[k].gradient)
          if (c == static_cast<int>(i)) out << " + " << slope << " * " << force[k];
      out << "\n";
    }
    text = out.str();
  }

  std::mt19937_64 g_;
  int index_ = 3;
  bool coupled_ = false;
  std::vector<Wave> q_;
  std::vector<Constraint> constraints_;
};

}  // namespace

TEST_CASE("random models of index 2 to 4 reproduce the solution built in") {
  constexpr std::uint64_t models = kron::sanitized ? 100 : 1000;
  int coupled = 0, wrong = 0;
  std::size_t switches = 0;
  for (std::uint64_t seed = 1; seed <= models && wrong < 5; ++seed) {
    HighIndexModel m(seed);
    CAPTURE(seed);
    CAPTURE(m.text);
    coupled += m.coupled();
    Session s;
    REQUIRE_MESSAGE(s.run_text(m.text), rendered(s));
    if (!s.simulate({.stop = 3, .points = 10, .tolerance = 1e-9})) {
      ++wrong;
      FAIL_CHECK(rendered(s));
      continue;
    }
    switches += s.result()->counters.state_switches;
    bool good = true;
    for (const auto& [name, wave] : m.expected) {
      const auto value = s.value(name);
      REQUIRE(value);
      // Tolerance 1e-9, grown by what the model itself makes of a disturbance in three seconds; the derivative of a multiplier has a
      // factor more for the slopes of its constraint.
      const double bound = (name[0] == 'p' ? 4e-4 : 2e-5) * (1 + std::abs(wave.size));
      CAPTURE(name);
      good = good && std::abs(*value - wave.at(3)) < bound;
      CHECK(std::abs(*value - wave.at(3)) < bound);
    }
    wrong += !good;
  }
  CHECK(coupled > static_cast<int>(models) * 2 / 5);
  CHECK(switches > models / 5);
}
