// Circuits of resistors, capacitors, sources and ideal diodes, solved in the tests' own way:
//   every one of the 2^n combinations of n diodes is a linear circuit (sparse tableau, LU), whose capacitor voltages and sources follow from a matrix
//   exponential. A combination holds as long as no conducting diode's current and no blocking diode's voltage changes sign; the moment is found by
//   bisection, and the next combination among all of them. Where none fits, or several do, there is no verdict.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/hybrid/dense.hpp"

namespace kron::hybrid {

struct Circuit {
  struct Resistor { std::size_t p, n; double R; };
  struct Capacitor { std::size_t p, n; double C, v; };
  struct Diode { std::size_t p, n; double Ron, Goff, Vknee; };
  struct Source {                       // offset + V sin(2 pi f t + phase), or offset + V from `start` on where f is 0
    std::size_t p, n;
    bool current = false;
    double offset = 0, V = 0, f = 0, phase = 0, start = 0;
  };
  std::size_t nodes = 1;                // 0 is ground
  std::vector<Resistor> resistors;
  std::vector<Capacitor> capacitors;
  std::vector<Diode> diodes;
  std::vector<Source> sources;
  std::size_t node() { return nodes++; }
};
std::string text(const Circuit&);       // R1, C1, D1, S1, …

// What holds until the next event: u = potentials of the nodes behind 0, currents of capacitors and voltage sources, positions s of the diodes.
struct Combination {
  Matrix solution;                      // u = solution * z
  Matrix rate;                          // dz/dt = rate * z
};

class CircuitRun {
 public:
  // `disturbed`: capacitor voltages and sources by so much of their size.
  CircuitRun(const Circuit&, double stop, double disturbed = 0);

  enum class Verdict : std::uint8_t { clear, none, several, edge };
  Verdict verdict() const { return verdict_; }
  bool regular() const;                 // every combination has just one solution
  const std::vector<double>& events() const { return events_; }
  std::uint32_t mask(double t) const;   // bit k: diode k conducts
  std::vector<double> values(double t) const;  // u

 private:
  struct Piece {
    double from;
    std::uint32_t mask;
    std::vector<double> z;
  };
  const Combination* combination(std::uint32_t mask);
  std::size_t first_diode() const { return c_.nodes - 1 + c_.capacitors.size() + voltages_.size(); }
  double position(const Combination&, std::size_t diode, const std::vector<double>& z) const;
  std::optional<std::uint32_t> choose(const std::vector<double>& z);
  bool holds(const Combination&, std::uint32_t mask, const std::vector<double>& z) const;
  const Piece& piece(double t) const;

  const Circuit c_;
  std::vector<std::size_t> voltages_;   // sources that are voltages
  std::vector<Piece> pieces_;
  std::vector<double> events_;
  std::map<std::uint32_t, std::optional<Combination>> known_;
  double size_ = 1;                     // of voltages and currents
  Verdict verdict_ = Verdict::clear;
};

}  // namespace kron::hybrid
