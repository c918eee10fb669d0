// engine/code/history.hpp: what delayed expressions have been, as functions of time.
//   A function consists of pieces, between which it may jump, and a piece of polynomials. It is told which piece is meant (`place`: piece * size() + k),
//   so that on both sides of a jump it is smooth, and goes on a little beyond its end. Piece 0 is the time before the start, and constant.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kron::code {

class History {
 public:
  static constexpr std::size_t degree = 4;
  // At time begin + s * (end - begin): sum over i of c[i] s^i.
  struct Part {
    double begin = 0, end = 0;
    std::array<double, degree + 1> c{};
  };

  explicit History(std::size_t functions) : functions_(functions) {}
  std::size_t size() const { return functions_.size(); }

  // Function k from the start on: forgets what was; `value` holds before `time`.
  void start(std::size_t k, double time, double value);
  void append(std::size_t k, const Part& part) { functions_[k].back().parts.push_back(part); }
  // A new piece from `time` on. `generation`: how many delays the jump that caused it went through.
  void begin_piece(std::size_t k, double time, unsigned generation);

  std::size_t pieces(std::size_t k) const { return functions_[k].size(); }
  double begin(std::size_t k, std::size_t piece) const { return functions_[k][piece].begin; }
  unsigned generation(std::size_t k, std::size_t piece) const { return functions_[k][piece].generation; }

  // The function or its derivative of that order. What is not known yet is not a number.
  double value(double time, double place, unsigned order) const;

 private:
  struct Piece {
    double begin = 0;
    unsigned generation = 0;
    std::vector<Part> parts;
  };
  std::vector<std::vector<Piece>> functions_;
};

}  // namespace kron::code
