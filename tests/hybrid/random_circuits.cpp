#include "tests/hybrid/random_circuits.hpp"

#include <random>

namespace kron::hybrid {

namespace {

class CircuitMaker {
 public:
  explicit CircuitMaker(std::uint64_t seed) : g_(seed), ideal_(pick(3) == 0), knee_(pick(3) == 0 ? round(0.1, 0.7) : 0) {}

  Circuit make() {
    switch (pick(6)) {
      case 0: bridge(2); break;
      case 1: bridge(3); break;
      case 2: multiplier(); break;
      case 3: clippers(); break;
      default: network();
    }
    return std::move(c_);
  }

 private:
  std::size_t pick(std::size_t n) { return g_() % n; }
  double round(double a, double b) { return std::round(std::uniform_real_distribution<double>(a, b)(g_) * 1000) / 1000; }

  void resistor(std::size_t p, std::size_t n, double R) { c_.resistors.push_back({p, n, R}); }
  void diode(std::size_t p, std::size_t n) {
    if (ideal_) c_.diodes.push_back({p, n, 0, 0, knee_});
    else c_.diodes.push_back({p, n, round(0.01, 0.5), round(0.0005, 0.01), knee_});
  }
  // Without a resistance of the diodes a capacitor needs one.
  void capacitor(std::size_t p, std::size_t n) {
    const double C = round(0.02, 0.5), v = pick(2) ? round(-1, 1) : 0;
    std::size_t at = p;
    if (ideal_ || pick(3) == 0) resistor(p, at = c_.node(), round(0.05, 0.5));
    c_.capacitors.push_back({at, n, C, v});
  }
  std::size_t voltage(std::size_t n, bool sine) {
    Circuit::Source s{c_.node(), n};
    if (sine) s.V = round(1, 5), s.f = round(0.5, 2.5), s.phase = round(-3, 3), s.offset = pick(3) == 0 ? round(-1, 1) : 0;
    else if (pick(2)) s.V = round(-4, 4), s.start = round(0.2, 1.2), s.offset = round(-2, 2);
    else s.offset = round(-4, 4);
    c_.sources.push_back(s);
    return s.p;
  }
  std::size_t behind(std::size_t source) {
    const std::size_t n = c_.node();
    resistor(source, n, round(0.1, 2));
    return n;
  }

  // `legs` legs of two diodes between sources and a load.
  void bridge(std::size_t legs) {
    const std::size_t plus = c_.node(), minus = c_.node(), star = legs == 3 ? c_.node() : 0;
    std::vector<std::size_t> ends;
    if (legs == 2) {
      ends = {pick(2) ? behind(voltage(0, true)) : voltage(0, true), 0};
    } else {
      const double V = round(1, 5), f = round(0.5, 2), phase = round(0, 2);
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t s = c_.node();
        c_.sources.push_back({s, star, false, 0, V, f, phase - 2.0944 * static_cast<double>(k), 0});
        ends.push_back(pick(2) ? s : behind(s));
      }
    }
    for (std::size_t e : ends) {
      diode(e, plus);
      diode(minus, e);
    }
    resistor(plus, minus, round(1, 10));
    if (legs == 3) resistor(star, 0, round(5, 20)), resistor(minus, 0, round(5, 20));
    if (pick(3) > 0) capacitor(plus, minus);
    if (pick(4) == 0) diode(minus, plus);
  }

  // Cockcroft and Walton's: each stage two capacitors and two diodes.
  void multiplier() {
    ideal_ = false;
    const std::size_t stages = 1 + pick(3);
    std::size_t up = behind(voltage(0, true)), down = 0;
    for (std::size_t k = 0; k < stages; ++k) {
      const std::size_t a = c_.node(), b = c_.node();
      c_.capacitors.push_back({up, a, round(0.05, 0.5), 0});
      c_.capacitors.push_back({down, b, round(0.05, 0.5), 0});
      diode(down, a);
      diode(a, b);
      up = a, down = b;
    }
    resistor(down, 0, round(5, 50));
  }

  // One node, led through diodes to several voltages.
  void clippers() {
    const std::size_t n = behind(voltage(0, true)), count = 2 + pick(6);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t border = behind(voltage(0, pick(4) == 0));
      pick(2) ? diode(n, border) : diode(border, n);
    }
    if (pick(2)) capacitor(n, 0);
    resistor(n, 0, round(2, 20));
  }

  void network() {
    std::vector<std::size_t> at{0};
    const std::size_t inner = 3 + pick(4);
    for (std::size_t k = 0; k < inner; ++k) {  // a tree of resistors
      const std::size_t n = c_.node();
      resistor(n, at[pick(at.size())], round(0.5, 10));
      at.push_back(n);
    }
    const auto two = [&] {
      const std::size_t p = pick(at.size()), n = pick(at.size() - 1);
      return std::pair{at[p], at[n < p ? n : n + 1]};
    };
    for (std::size_t k = pick(4); k-- > 0;) {
      const auto [p, n] = two();
      resistor(p, n, round(0.5, 10));
    }
    for (std::size_t k = 1 + pick(3); k-- > 0;) {
      if (pick(3) == 0) {
        const auto [p, n] = two();
        c_.sources.push_back({p, n, true, round(-1, 1), pick(2) ? round(0.2, 2) : 0, round(0.5, 2), round(-3, 3), 0});
        if (c_.sources.back().V == 0) c_.sources.back().f = 0;
      } else {
        resistor(voltage(0, pick(3) > 0), at[1 + pick(inner)], round(0.2, 2));
      }
    }
    for (std::size_t k = 1 + pick(8); k-- > 0;) {
      const auto [p, n] = two();
      diode(p, n);
    }
    for (std::size_t k = pick(3); k-- > 0;) {
      const auto [p, n] = two();
      capacitor(p, n);
    }
  }

  std::mt19937_64 g_;
  bool ideal_;
  double knee_;
  Circuit c_;
};

}  // namespace

Circuit random_circuit(std::uint64_t seed) { return CircuitMaker(seed).make(); }

}  // namespace kron::hybrid
