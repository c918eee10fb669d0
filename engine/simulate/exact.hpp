// engine/simulate/exact.hpp: exact rationals and decimals as numbers of a run, and back. Private to the room.
#pragma once
#include <span>
#include <type_traits>
#include <vector>

#include "engine/base/number.hpp"
#include "engine/code/program.hpp"
#include "engine/simulate/simulate.hpp"

namespace kron::simulate {

template <class T>
T from_rational(const Rational& r) {
  return T(numerator(r)) / T(denominator(r));
}

// A setting's double: in higher precision the decimal that it prints as.
template <class T>
T from_setting(double x) {
  if constexpr (std::is_same_v<T, double>)
    return x;
  else
    return from_rational<T>(decimal(x));
}

template <class T>
void fill_exact(std::span<T> target, const std::vector<Rational>& exact, const std::vector<double>& plain) {
  for (std::size_t i = 0; i < target.size(); ++i) {
    target[i] = i < plain.size() ? T(plain[i]) : T(0);
    if constexpr (!std::is_same_v<T, double>)
      if (i < exact.size()) target[i] = from_rational<T>(exact[i]);
  }
}

template <class T>
void set_exact_inputs(code::Machine<T>& machine, const Problem& p) {
  fill_exact(machine.inputs(code::InputKind::parameter), p.exact_parameters, p.parameters);
  fill_exact(machine.inputs(code::InputKind::start), p.exact_starts, p.starts);
  fill_exact(machine.inputs(code::InputKind::signal), p.exact_signals, p.signals);
}

template <class T>
std::vector<double> in_doubles(std::span<const T> values) {
  std::vector<double> list;
  list.reserve(values.size());
  for (const T& x : values) list.push_back(static_cast<double>(x));
  return list;
}

}  // namespace kron::simulate
