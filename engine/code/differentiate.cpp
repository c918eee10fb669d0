// Tangents as machine code: what Tangent (tangent.hpp) computes, instruction by instruction, in jit::lanes directions.
#include "engine/code/translate.hpp"

namespace kron::code {

using jit::Instruction;
using jit::Number;
using jit::Operand;
using jit::Operation;

std::uint32_t Translation::wide_position(std::uint32_t reg) {
  Wide& w = wide_[reg];
  if (w.position_in != now_) {
    w.position_in = now_;
    w.position = static_cast<std::uint32_t>(segment_->wide_places.size());
    segment_->wide_places.push_back(reg);
  }
  return w.position;
}
Operand Translation::wide(std::uint32_t reg) {
  const std::uint32_t from = source(reg);
  return part_[from] == now_ ? Operand::made(wide_[from].made) : Operand::outside_wide(wide_position(from));
}
void Translation::wide_result(std::uint32_t reg, Instruction i) {
  i.wide = true;
  if (from_.stored(reg, purpose_) || stored_[reg]) i.place = wide_position(reg);
  wide_[reg].made = put(i).index();
}
Operand Translation::put_wide(Operation op, Operand a, Operand b, Operand c) {
  return put({.op = op, .wide = true, .a = a, .b = b, .c = c});
}
Operand Translation::broadcast(Operand scalar) {
  const auto [it, fresh] = broadcasts_.try_emplace(scalar.bits);
  if (fresh) it->second = put({.op = Operation::broadcast, .wide = true, .a = scalar});
  return it->second;
}

// The tangent of `of` times the value of `factor`.
Operand Translation::product(std::uint32_t of, std::uint32_t factor) {
  const Operand x = wide(of), f = broadcast(read(factor));
  return put_wide(Operation::mul, x, f);
}
// A direction that does not move an argument gets 0 from it even where the slope is infinite.
Operand Translation::scaled(Operand slope, std::uint32_t reg) {
  const Operand x = wide(reg), f = broadcast(slope);
  return put_wide(Operation::scale, x, f);
}

void Translation::differentiate(Node reg) {
  const Run& run = run_of(reg);
  const std::uint32_t i = reg - run.result;
  const auto at = [&](std::uint32_t k) { return operand(p_, run, i, k); };
  switch (run.kernel) {
    case Kernel::add:
    case Kernel::sub: {
      const Operand x = wide(at(0)), y = wide(at(1));
      return wide_result(reg, {.op = run.kernel == Kernel::add ? Operation::add : Operation::sub, .a = x, .b = y});
    }
    case Kernel::mul: {
      const Operand x = product(at(0), at(1)), y = product(at(1), at(0));
      return wide_result(reg, {.op = Operation::add, .a = x, .b = y});
    }
    case Kernel::div: {
      const Operand x = wide(at(0)), qy = product(at(1), reg), d = broadcast(read(at(1)));
      return wide_result(reg, {.op = Operation::div, .a = put_wide(Operation::sub, x, qy), .b = d});
    }
    case Kernel::inv: {
      const Operand square = put({.op = Operation::mul, .a = read(reg), .b = read(reg)});
      const Operand slope = put({.op = Operation::xor_, .a = square, .b = Operand::number(Number::sign_bit)});
      const Operand x = wide(at(0)), f = broadcast(slope);
      return wide_result(reg, {.op = Operation::scale, .a = x, .b = f});
    }
    case Kernel::neg: {
      const Operand x = wide(at(0)), sign = broadcast(Operand::number(Number::sign_bit));
      return wide_result(reg, {.op = Operation::xor_, .a = x, .b = sign});
    }
    case Kernel::pow: {
      const Operand x = read(at(0)), y = read(at(1)), value = read(reg);
      const Operand by_x = put({.op = Operation::call2, .function = power_slope_function, .a = x, .b = y});
      const Operand log_x = put({.op = Operation::call1, .function = static_cast<std::uint8_t>(Fn::log), .a = x});
      const Operand by_y = put({.op = Operation::select, .a = x, .b = put({.op = Operation::mul, .a = log_x, .b = value}), .c = Operand::number(Number::zero)});
      const Operand first = scaled(by_x, at(0)), second = scaled(by_y, at(1));
      return wide_result(reg, {.op = Operation::add, .a = first, .b = second});
    }
    case Kernel::call:
      return differentiate_call(reg, run, i);
    case Kernel::take: {
      const Operand x = wide(at(0));
      if (alias_[reg] == Producers::none) return wide_result(reg, {.op = Operation::xor_, .a = x, .b = broadcast(Operand::number(Number::sign_bit))});
      if (from_.stored(reg, purpose_)) put({.op = Operation::store, .wide = true, .a = x, .place = wide_position(reg)});
      return;
    }
    case Kernel::step:
      return;
  }
}

void Translation::differentiate_call(std::uint32_t reg, const Run& run, std::uint32_t i) {
  const auto at = [&](std::uint32_t k) { return operand(p_, run, i, k); };
  const auto slope = [&](std::uint8_t base, Operand a, Operand b) {
    return put({.op = Operation::call2, .function = static_cast<std::uint8_t>(base + static_cast<std::uint8_t>(run.fn)), .a = a, .b = b});
  };
  if (run.fn == Fn::select) {
    const Operand c = broadcast(read(at(0))), yes = wide(at(1)), no = wide(at(2));
    return wide_result(reg, {.op = Operation::select, .a = c, .b = yes, .c = no});
  }
  const Operand x = read(at(0));
  if (info(run.fn).arity == 2) {
    const Operand y = read(at(1)), by_x = slope(first_slope, x, y), by_y = slope(second_slope, x, y);
    const Operand first = scaled(by_x, at(0)), second = scaled(by_y, at(1));
    return wide_result(reg, {.op = Operation::add, .a = first, .b = second});
  }
  const Operand f = broadcast(slope(first_slope, x, read(reg))), dx = wide(at(0));
  wide_result(reg, {.op = Operation::scale, .a = dx, .b = f});
}

// The slope of the one is, up to sign, the other.
void Translation::differentiate_twins(Node sine, Node cosine) {
  const std::uint32_t angle = operand(p_, run_of(sine), sine - run_of(sine).result, 0);
  const Operand x = wide(angle), up = broadcast(read(cosine));
  const Operand down = broadcast(put({.op = Operation::xor_, .a = read(sine), .b = Operand::number(Number::sign_bit)}));
  wide_result(sine, {.op = Operation::scale, .a = x, .b = up});
  wide_result(cosine, {.op = Operation::scale, .a = x, .b = down});
}

}  // namespace kron::code
