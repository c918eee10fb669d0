// engine/code/bounds.hpp: how large the values of a program can get. Private to the room.
//   in    the registers after run_parameters(), the largest |time| and |input| of each kind that varies
//   out   for every register a number that its size does not exceed anywhere there; infinity where the operation does not tell
//         (division by what varies, a logarithm, a solve step)
//   cost  that of one evaluation
#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "engine/code/engine.hpp"

namespace kron::code {

template <class T>
class Bounds {
 public:
  Bounds(const Engine<T>& engine, const T& time, const Extent<T>& extent)
      : p_(*engine.program), reg_(engine.reg), size_(reg_.size()), varies_(reg_.size(), false) {
    for (std::size_t i = 0; i < reg_.size(); ++i) size_[i] = std::fabs(static_cast<double>(reg_[i]));
    set(InputKind::time, {&time, 1});
    set(InputKind::state, extent.states);
    set(InputKind::discrete, extent.discrete);
    set(InputKind::pre, extent.pre);
    for (const std::uint32_t section : {dynamic_section, event_section, output_section})
      for (std::uint32_t i = p_.regions[section].begin; i < p_.regions[section].end; ++i) run(p_.runs[i]);
  }

  bool finite(Signed root) const { return std::isfinite(size_[root.reg()]); }

 private:
  static constexpr double unknown = std::numeric_limits<double>::infinity();

  void set(InputKind kind, std::span<const T> values) {
    const auto k = static_cast<std::size_t>(kind);
    for (std::uint32_t i = 0; i < p_.input_size[k]; ++i) {
      size_[p_.input_begin[k] + i] = i < values.size() ? std::fabs(static_cast<double>(values[i])) : unknown;
      varies_[p_.input_begin[k] + i] = true;
    }
  }

  void run(const Run& r) {
    if (r.kernel == Kernel::step) {
      const StepPlan& plan = p_.steps[r.result];
      for (std::uint32_t i = 0; i < plan.columns; ++i) put(plan.unknowns + i, unknown);
      return;
    }
    const bool of_many = r.kernel == Kernel::call && takes_any_number(r.fn);
    if (of_many) return put(r.result, unknown);
    const std::uint32_t* a = p_.operands.data() + r.operands;
    for (std::uint32_t i = 0; i < r.count; ++i) put(r.result + i, value(r, a + i));
  }
  void put(std::uint32_t reg, double size) {
    size_[reg] = size;
    varies_[reg] = true;
  }

  // `a`: the first operand; the others follow at distances of the run's count.
  double value(const Run& r, const std::uint32_t* a) const {
    const auto size = [&](std::uint32_t k) { return size_[a[k * r.count]]; };
    switch (r.kernel) {
      case Kernel::add:
      case Kernel::sub: return size(0) + size(1);
      case Kernel::mul: return size(0) * size(1);
      case Kernel::div: return varies_[a[r.count]] ? unknown : size(0) / size(1);
      case Kernel::inv: return varies_[a[0]] ? unknown : 1 / size(0);
      case Kernel::neg: return size(0);
      case Kernel::pow: return power(a[r.count], size(0));
      case Kernel::call: return call(r.fn, size);
      default: return unknown;
    }
  }
  double power(std::uint32_t exponent, double base) const {
    const double e = varies_[exponent] ? -1 : static_cast<double>(reg_[exponent]);
    return e >= 0 && e == std::floor(e) ? std::pow(base, e) : unknown;
  }
  template <class Size>
  static double call(Fn fn, Size&& size) {
    switch (fn) {
      case Fn::sin: case Fn::cos: case Fn::tanh: case Fn::sign: case Fn::not_: case Fn::lt: case Fn::le: case Fn::eq:
      case Fn::and_: case Fn::or_: return 1;
      case Fn::atan: return 2;
      case Fn::abs: return size(0);
      case Fn::min: case Fn::max: return std::max(size(0), size(1));
      case Fn::select: return std::max(size(1), size(2));
      default: return unknown;
    }
  }

  const Program& p_;
  const std::vector<T>& reg_;
  std::vector<double> size_;
  std::vector<bool> varies_;
};

}  // namespace kron::code
