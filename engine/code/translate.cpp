#include "engine/code/translate.hpp"

#include <algorithm>
#include <optional>

#include "engine/base/hash.hpp"

namespace kron::code {

using jit::Instruction;
using jit::Number;
using jit::Operation;
using jit::Operand;

// The interpreter's part: steps that solve, and tables.
bool Translation::is_barrier(Node n) const {
  return Sequence::is_step(n) ? !p_.steps[Sequence::step(n)].guarded : is_table(run_of(n));
}

// Sine and cosine of one angle, in any order.
bool Translation::are_twins(std::span<const Node> nodes, std::size_t i) const {
  return i + 1 < nodes.size() && !Sequence::is_step(nodes[i]) && !Sequence::is_step(nodes[i + 1]) && twins(p_, from_, nodes[i], nodes[i + 1]);
}

std::uint32_t Translation::source(std::uint32_t reg) const {
  return alias_[reg] != Producers::none ? alias_[reg] : reg;
}

void Translation::run(std::uint32_t region, Purpose purpose, bool packed, std::span<const Node> nodes, Native::Region& to, const Link& link) {
  region_ = region;
  purpose_ = purpose;
  packed_ = packed;
  place_nodes(nodes);
  find(nodes);
  do {
    cut(nodes);
    mark_stored(nodes);
  } while (!lay_out_loops(nodes, to));
  std::vector<PlacedSegment> segments;
  const auto flush = [&] {
    std::erase_if(segments, [](const PlacedSegment& s) { return s.code.empty(); });
    for (PlacedSegment& s : segments)
      if (std::all_of(s.moves.begin(), s.moves.end(), [](jit::Move m) { return m == jit::Move{}; })) s.moves.clear();
    if (segments.empty()) return;
    to.pieces.push_back({Native::Piece::Kind::code, static_cast<std::uint32_t>(to.functions.size())});
    to.functions.push_back(link(segments));
    segments.clear();
  };
  now_ = Producers::none;
  auto loop = loops_.begin();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node n = nodes[i];
    if (loop != loops_.end() && i == loop->at(loop->first)) {
      run_loop(nodes, *loop, segments.emplace_back(), to);
      i = loop->at(loop->last) - 1;
      now_ = Producers::none;
      ++loop;
      continue;
    }
    if (part_of_node_[i] != now_) {
      now_ = part_of_node_[i];
      segment_ = &segments.emplace_back();
      broadcasts_.clear();
    }
    if (is_barrier(n)) {
      flush();
      if (Sequence::is_step(n)) to.pieces.push_back({Native::Piece::Kind::step, Sequence::step(n)});
      else to.pieces.push_back({Native::Piece::Kind::table, from_.maker(n)});
      continue;
    }
    i = translate(nodes, i, to);
  }
  flush();
  for (const Node n : nodes)
    if (!Sequence::is_step(n)) order_[n] = alias_[n] = Producers::none;
  std::sort(to.trusted.begin(), to.trusted.end());
  to.trusted.erase(std::unique(to.trusted.begin(), to.trusted.end()), to.trusted.end());
}

// One of them, or a sine and a cosine. Returns the last one's position.
std::size_t Translation::translate(std::span<const Node> nodes, std::size_t i, Native::Region& to) {
  note_guard(nodes[i], to);
  if (!are_twins(nodes, i)) {
    translate(nodes[i]);
    return i;
  }
  translate_twins(nodes[i], nodes[i + 1]);
  return i + 1;
}

void Translation::note_guard(Node n, Native::Region& to) const {
  if (Sequence::is_step(n)) {
    to.guarded.push_back(Sequence::step(n));
    if (p_.steps[Sequence::step(n)].early_watches != 0) to.early.push_back(Sequence::step(n));
  } else if (run_of(n).kernel == Kernel::take) {
    if (const std::uint32_t s = take_of(n).step; from_.region_of_step(s) != region_) to.trusted.push_back(s);
  }
}

// ---- segments

void Translation::place_nodes(std::span<const Node> nodes) {
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const Node n = nodes[i];
    if (Sequence::is_step(n)) continue;
    order_[n] = i;
    const Run& run = run_of(n);
    if (run.kernel == Kernel::take && !take_of(n).negative) alias_[n] = source(operand(p_, run, n - run.result, 0));
  }
}

// An instruction among its neighbours: what it does, how far back its operands are, if near, and which inputs and constants they are.
std::uint64_t Translation::shape(Node n, std::uint32_t now) const {
  if (Sequence::is_step(n)) return mix(p_.steps[Sequence::step(n)].watch.size());
  constexpr std::uint32_t near = 32;
  const Run& run = run_of(n);
  std::uint64_t h = static_cast<std::uint64_t>(run.kernel) << 8 | static_cast<std::uint64_t>(run.fn);
  each_operand(n, [&](std::uint32_t reg) {
    h = mix(h + (is_here(reg) ? std::min(now - order_[reg], near) : from_.region(reg) == Producers::none ? p_.names[reg] : near + 1));
  });
  return h;
}

// Cuts where a hash of the last 16 instructions says so: the same instructions are cut alike, wherever they are. Repeated structure is
// told apart by the names of its inputs.
void Translation::cut(std::span<const Node> nodes) {
  constexpr std::size_t least = 2048, most = 16384, hashed = 16;
  constexpr std::uint64_t mask = 0x7ffull << 53;
  part_of_node_.resize(nodes.size());
  std::uint64_t recent = 0;
  std::size_t size = 0;
  std::uint32_t part = parts_++;
  auto loop = loops_.begin();
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const Node n = nodes[i];
    const bool barrier = is_barrier(n);
    if (loop != loops_.end() && i >= loop->begin) {  // each iteration is a part
      if ((i - loop->begin) % loop->period == 0) part = parts_++;
      part_of_node_[i] = part_[n] = part;
      if (i + 1 < loop->end()) continue;
      part = parts_++;
      size = 0;
      ++loop;
      continue;
    }
    part_of_node_[i] = part;
    if (!Sequence::is_step(n) && !barrier) part_[n] = part;
    if (size + hashed >= least) recent = (recent << 4) + shape(n, i);  // what is older has left the word
    const bool by_content = ++size >= least && (recent & mask) == 0;
    if (!barrier && ((!by_content && size < most) || are_twins(nodes, i))) continue;
    part = parts_++;
    size = 0;
  }
}

void Translation::mark_stored(std::span<const Node> nodes) {
  for (Node n : nodes)
    if (!Sequence::is_step(n)) stored_[n] = false;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    each_operand(nodes[i], [&](std::uint32_t reg) {
      const std::uint32_t from = source(reg);
      if (is_here(from) && part_[from] != part_of_node_[i]) stored_[from] = true;
    });
}

// ---- instructions

std::uint32_t Translation::position(std::uint32_t reg) {
  if (position_in_[reg] != now_) {
    position_in_[reg] = now_;
    position_[reg] = static_cast<std::uint32_t>(segment_->places.size());
    const Moving still{home(reg)};
    const Moving* m = &still;
    if (running_)
      if (const auto it = running_->moving.find(reg); it != running_->moving.end()) m = &it->second;
    segment_->places.push_back(m->place.number);
    if (!loops_.empty()) segment_->moves.push_back({m->place.in_loops, !m->table.empty(), m->index});
  }
  return position_[reg];
}
Operand Translation::read(std::uint32_t reg) {
  const std::uint32_t from = source(reg);
  if (part_[from] == now_) return Operand::made(made_[from]);
  return packed_ ? Operand::outside_wide(wide_position(from)) : Operand::outside(position(from));
}
Operand Translation::number(Number n) { return packed_ ? broadcast(Operand::number(n)) : Operand::number(n); }
Operand Translation::put(Instruction i) {
  i.wide = i.wide || packed_;
  segment_->code.push_back(i);
  return Operand::made(static_cast<std::uint32_t>(segment_->code.size() - 1));
}
void Translation::result(std::uint32_t reg, Instruction i) {
  const bool wanted = purpose_ != Purpose::tangents && from_.stored(reg, purpose_);  // else it is where the evaluation put it
  if (wanted || stored_[reg]) i.place = place(reg);
  made_[reg] = put(i).index();
}

void Translation::translate(Node n) {
  if (Sequence::is_step(n)) {
    if (purpose_ != Purpose::tangents) watches(Sequence::step(n));
    return;
  }
  const Run& run = run_of(n);
  instruction(n, run, n - run.result);
  if (purpose_ == Purpose::tangents) differentiate(n);
}

void Translation::translate_twins(Node x, Node y) {
  const auto [sine, cosine] = run_of(x).fn == Fn::sin ? std::pair{x, y} : std::pair{y, x};
  result(sine, {.op = Operation::call1, .function = function(sine_and_cosine_function), .a = read(operand(p_, run_of(x), x - run_of(x).result, 0))});
  result(cosine, {.op = Operation::second, .a = Operand::made(made_[sine])});
  if (purpose_ == Purpose::tangents) differentiate_twins(sine, cosine);
}

void Translation::instruction(std::uint32_t reg, const Run& run, std::uint32_t i) {
  const auto at = [&](std::uint32_t k) { return read(operand(p_, run, i, k)); };
  switch (run.kernel) {
    case Kernel::add:
      return result(reg, {.op = Operation::add, .a = at(0), .b = at(1)});
    case Kernel::sub:
      return result(reg, {.op = Operation::sub, .a = at(0), .b = at(1)});
    case Kernel::mul:
      return result(reg, {.op = Operation::mul, .a = at(0), .b = at(1)});
    case Kernel::div:
      return result(reg, {.op = Operation::div, .a = at(0), .b = at(1)});
    case Kernel::inv:
      return result(reg, {.op = Operation::div, .a = number(Number::one), .b = at(0)});
    case Kernel::neg:
      return result(reg, {.op = Operation::xor_, .a = at(0), .b = number(Number::sign_bit)});
    case Kernel::pow:
      return result(reg, {.op = Operation::call2, .function = function(power_function), .a = at(0), .b = at(1)});
    case Kernel::call:
      return call(reg, run.fn, i, run);
    case Kernel::take:
      return take(reg, run, i);
    case Kernel::step:
      return;
  }
}

void Translation::call(std::uint32_t reg, Fn fn, std::uint32_t i, const Run& run) {
  const auto at = [&](std::uint32_t k) { return read(operand(p_, run, i, k)); };
  const auto zero_number = number(Number::zero);
  const auto truth = [&](std::uint32_t k) { return put({.op = Operation::unequal, .a = at(k), .b = zero_number}); };
  const auto id = static_cast<std::uint8_t>(fn);
  switch (fn) {
    case Fn::sqrt:
      return result(reg, {.op = Operation::sqrt, .a = at(0)});
    case Fn::abs:
      return result(reg, {.op = Operation::and_, .a = at(0), .b = number(Number::all_but_sign)});
    case Fn::floor:
      return result(reg, {.op = Operation::floor, .a = at(0)});
    case Fn::ceil:
      return result(reg, {.op = Operation::ceil, .a = at(0)});
    case Fn::not_:
      return result(reg, {.op = Operation::equal, .a = at(0), .b = zero_number});
    case Fn::min:
      return result(reg, {.op = Operation::min, .a = at(0), .b = at(1)});
    case Fn::max:
      return result(reg, {.op = Operation::max, .a = at(0), .b = at(1)});
    case Fn::lt:
      return result(reg, {.op = Operation::less, .a = at(0), .b = at(1)});
    case Fn::le:
      return result(reg, {.op = Operation::less_equal, .a = at(0), .b = at(1)});
    case Fn::eq:
      return result(reg, {.op = Operation::equal, .a = at(0), .b = at(1)});
    case Fn::and_: {
      const Operand a = truth(0), b = truth(1);
      return result(reg, {.op = Operation::mul, .a = a, .b = b});
    }
    case Fn::or_: {
      const Operand a = truth(0), b = truth(1);
      return result(reg, {.op = Operation::max, .a = a, .b = b});
    }
    case Fn::select:
      return result(reg, {.op = Operation::select, .a = at(0), .b = at(1), .c = at(2)});
    default:
      if (info(fn).arity == 2) return result(reg, {.op = Operation::call2, .function = function(id), .a = at(0), .b = at(1)});
      return result(reg, {.op = Operation::call1, .function = function(id), .a = at(0)});
  }
}

// The straight-line value: where the LU's counts, this code has been left.
void Translation::take(std::uint32_t reg, const Run& run, std::uint32_t i) {
  const Operand value = read(operand(p_, run, i, 0));
  if (alias_[reg] == Producers::none) return result(reg, {.op = Operation::xor_, .a = value, .b = number(Number::sign_bit)});
  if (purpose_ != Purpose::tangents && (from_.stored(reg, purpose_) || stored_[reg])) put({.op = Operation::store, .a = value, .place = place(reg)});
}

// Engine::holds() of each watch, those of the parameter section apart: they are looked at before. Values are finite if their sum is; where it
// overflows the interpreter has the last word.
void Translation::watches(std::uint32_t step) {
  const StepPlan& s = p_.steps[step];
  const auto size = [&](std::uint32_t reg) { return put({.op = Operation::and_, .a = read(reg), .b = number(Number::all_but_sign)}); };
  const auto require = [&](Operand a, Operand b) { put({.op = Operation::require, .a = a, .b = b}); };
  const auto share = [&](Number n, Operand of) { return put({.op = Operation::mul, .a = number(n), .b = of}); };
  std::optional<Operand> sum;
  for (std::uint32_t i = s.early_watches; i < s.watch.size(); ++i) {
    const StepPlan::WatchedValue& w = s.watch[i];
    const Operand x = size(w.value);
    sum = sum ? put({.op = Operation::add, .a = *sum, .b = x}) : x;
    if (w.kind == Watch::Kind::nonzero) require(x, number(Number::zero));
    if (w.kind == Watch::Kind::ratio) require(x, share(Number::ratio_share, size(w.a)));
    if (w.kind == Watch::Kind::rounding) require(x, share(Number::rounding_share, size(w.a)));
    if (w.kind != Watch::Kind::sum) continue;
    const Operand a = size(w.a), b = size(w.b);
    require(x, share(Number::sum_share, put({.op = Operation::add, .a = a, .b = b})));
  }
  if (sum) require(number(Number::infinity), *sum);
}

}  // namespace kron::code
