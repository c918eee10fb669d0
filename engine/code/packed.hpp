// engine/code/packed.hpp: one program at several points at once, with parameters of its own at each, in the lanes of vector registers.
//   what   every lane gets what Machine<double> computes at its point, bit for bit: the same operations, each rounded on its own
//   when   on machines with AVX2, for programs whose sections are straight-line code; one with Newton's iteration, an LU, a table or
//          selections goes point by point
//   how    the segments of machine code with all values wide; where a guard does not hold in some lane, the caller evaluates each lane by
//          its machine. One Packed per thread; the code is the program's
#pragma once
#include <memory>
#include <span>

#include "engine/code/program.hpp"

// Before a function of lanes: it is compiled for processors that have them, and called where Packed::possible().
#if defined(__x86_64__)
#define KRON_FOR_LANES [[gnu::target("avx2")]]
#else
#define KRON_FOR_LANES
#endif

namespace kron::code {

class Packed {
 public:
  static constexpr std::size_t lanes = 4;

  explicit Packed(std::shared_ptr<const Program>);
  ~Packed();
  Packed(Packed&&) noexcept;
  Packed& operator=(Packed&&) noexcept;

  bool possible() const;
  // The lane computes with what the machine computes with, which has run its parameters. False: its points have to be evaluated by it,
  // because a guard that parameters decide does not hold. All lanes have to be entered.
  bool enter(std::size_t lane, const Machine<double>&);

  // The points: time by lane, states element by element, the lanes of each together.
  std::span<double> time();
  std::span<double> states();
  // At the points, laid out as the states. False: in some lane a guard does not hold or a value is not finite, and nothing is known.
  bool derivative(std::span<double> der);
  bool output(std::span<double> values);  // values need not be finite

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace kron::code
