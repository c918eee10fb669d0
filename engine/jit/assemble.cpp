#include "engine/jit/assemble.hpp"

#ifdef KRON_MACHINE_CODE
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <queue>

#include "engine/jit/frame.hpp"

namespace kron::jit {
namespace {

namespace x86 = asmjit::x86;
using x86::Mem;
using x86::Xmm;
using x86::Ymm;

constexpr std::uint32_t never = 0xffffffff;
constexpr int registers = 16;
// What is in memory anyway is loaded where it is read again so soon, and else read where it is.
constexpr std::uint32_t soon = 24;

constexpr bool commutes(Operation op) { return op <= Operation::xor_; }
constexpr bool compares(Operation op) { return op >= Operation::less && op <= Operation::unequal; }
constexpr bool of_bits(Operation op) { return op == Operation::and_ || op == Operation::xor_; }
constexpr bool is_call(Operation op) { return op == Operation::call1 || op == Operation::call2; }
constexpr std::size_t call_slots = 2;  // of wide calls: their arguments, then their results
constexpr bool makes_value(Operation op) { return op != Operation::store && op != Operation::require; }

std::array<Operand, 3> operands_of(const Instruction& i) { return {i.a, i.b, i.c}; }

// Values are numbered: instructions, then places, wide places, and the numbers of the frame.
class Values {
 public:
  explicit Values(const Segment& s) : instructions_(static_cast<std::uint32_t>(s.size())) {
    for (const Instruction& i : s) {
      if (i.place != Instruction::not_stored) grow(i.wide ? wide_places_ : places_, i.place);
      for (const Operand o : operands_of(i)) {
        if (o.kind() == Operand::Kind::outside) grow(places_, o.index());
        if (o.kind() == Operand::Kind::outside_wide) grow(wide_places_, o.index());
      }
    }
  }
  std::uint32_t of(Operand o) const {
    switch (o.kind()) {
      case Operand::Kind::made: return o.index();
      case Operand::Kind::outside: return instructions_ + o.index();
      case Operand::Kind::outside_wide: return wide_begin() + o.index();
      default: return number_begin() + o.index();
    }
  }
  std::uint32_t size() const { return number_begin() + static_cast<std::uint32_t>(numbers); }
  bool is_made(std::uint32_t v) const { return v < instructions_; }
  bool is_number(std::uint32_t v) const { return v >= number_begin(); }
  bool is_wide_place(std::uint32_t v) const { return v >= wide_begin() && v < number_begin(); }
  std::uint32_t place(std::uint32_t v) const { return v - (is_wide_place(v) ? wide_begin() : instructions_); }
  std::uint32_t number(std::uint32_t v) const { return v - number_begin(); }

 private:
  static void grow(std::uint32_t& size, std::uint32_t index) { size = std::max(size, index + 1); }
  std::uint32_t wide_begin() const { return instructions_ + places_; }
  std::uint32_t number_begin() const { return wide_begin() + wide_places_; }
  std::uint32_t instructions_, places_ = 0, wide_places_ = 0;
};

// Where each operand's value is used next after its instruction. An instruction without effect or use is dead.
struct NextUses {
  std::vector<std::array<std::uint32_t, 3>> next;
  std::vector<std::uint32_t> first;  // by value
  std::vector<bool> live;
  NextUses(const Segment& s, const Values& values) : next(s.size()), first(values.size(), never), live(s.size(), false) {
    for (auto i = static_cast<std::uint32_t>(s.size()); i-- > 0;) {
      live[i] = s[i].place != Instruction::not_stored || !makes_value(s[i].op) || first[i] != never;
      if (!live[i]) continue;
      const auto operand = operands_of(s[i]);
      const auto n = static_cast<std::size_t>(operands(s[i].op));
      for (std::size_t k = 0; k < n; ++k) next[i][k] = first[values.of(operand[k])];
      for (std::size_t k = 0; k < n; ++k) first[values.of(operand[k])] = i;
    }
  }
};

class Assembling {
 public:
  Assembling(const Segment& s, const Moves& moves)
      : segment_(s), moves_(moves), values_(s), uses_(s, values_), register_(values_.size(), -1), memory_(s.size(), nowhere), next_use_(uses_.first) {
    holder_.fill(never);
    result_.wide = std::any_of(s.begin(), s.end(), [](const Instruction& i) { return i.wide; });
    result_.loops = !moves.empty();
    if (std::any_of(s.begin(), s.end(), [](const Instruction& i) { return i.wide && is_call(i.op); })) result_.spilled_wide = call_slots;
    code_.init(asmjit::Environment::host());
    code_.attach(&a_);
  }

  Code run() {
    for (now_ = 0; now_ < segment_.size(); ++now_)
      if (uses_.live[now_]) instruction(segment_[now_]);
    const asmjit::CodeBuffer& buffer = code_.textSection()->buffer();
    result_.bytes.assign(buffer.begin(), buffer.end());
    return std::move(result_);
  }

 private:
  // ---- memory. A made value is nowhere, at its place, or in a slot of the frame; others are always there.
  static constexpr std::int32_t nowhere = -1, at_place = -2;

  bool is_wide(std::uint32_t v) const { return values_.is_made(v) ? segment_[v].wide : values_.is_wide_place(v); }
  bool in_slot(std::uint32_t v) const { return values_.is_made(v) && memory_[v] >= 0; }
  bool in_memory(std::uint32_t v) const { return !values_.is_made(v) || memory_[v] != nowhere; }

  struct Address {
    Mem memory;
    std::optional<Patch> patch{};  // of its last 4 bytes
  };
  // To be used at once: a place of a table is looked up here.
  Address address(std::uint32_t v) {
    if (values_.is_number(v)) return {x86::qword_ptr(frame_register, number_offset(values_.number(v)))};
    const auto slot = in_slot(v) ? static_cast<std::uint32_t>(memory_[v]) : 0;
    if (in_slot(v))
      return {is_wide(v) ? x86::ymmword_ptr(wide_frame_register, static_cast<std::int32_t>(8 * lanes * slot)) : x86::qword_ptr(frame_register, slot_offset(slot))};
    const std::uint32_t place = values_.is_made(v) ? segment_[v].place : values_.place(v);
    if (is_wide(v)) return {x86::ymmword_ptr(wide_values_register, far_away), Patch{Patch::Kind::wide_place, 0, place}};
    return place_of_values(place);
  }
  Address place_of_values(std::uint32_t place) {
    const Patch patch{Patch::Kind::place, 0, place};
    if (moves_.empty()) return {x86::qword_ptr(values_register, far_away), patch};
    const Move move = moves_[place];
    const auto& base = move.in_loops ? loops_register : values_register;
    if (move.by_table) {
      a_.mov(found_register.r32(), x86::dword_ptr(row_register, far_away));
      emitted({{}, Patch{Patch::Kind::column, 0, place}});
      return {x86::qword_ptr(base, found_register)};
    }
    if (move.index == 0) return {x86::qword_ptr(base, far_away), patch};
    return {x86::qword_ptr(base, index_registers[move.index - 1], 0, far_away), patch};
  }
  static Mem number(Number n) { return x86::qword_ptr(frame_register, number_offset(static_cast<std::uint32_t>(n))); }
  // After an instruction whose last bytes are the address.
  void emitted(const Address& a) {
    if (a.patch) result_.patches.push_back({a.patch->kind, static_cast<std::uint32_t>(a_.offset()) - 4, a.patch->place});
  }

  // ---- registers

  static Xmm xmm(int r) { return x86::xmm(static_cast<std::uint32_t>(r)); }
  static Ymm ymm(int r) { return x86::ymm(static_cast<std::uint32_t>(r)); }
  Xmm reg(std::uint32_t v) const { return xmm(register_[v]); }
  Ymm wide_reg(std::uint32_t v) const { return ymm(register_[v]); }
  void hold(int r, std::uint32_t v) {
    holder_[static_cast<std::size_t>(r)] = v;
    register_[v] = static_cast<std::int8_t>(r);
    free_ &= ~(1u << r);
    note_distance(v);
  }
  void note_distance(std::uint32_t v) {
    const auto r = static_cast<std::size_t>(register_[v]);
    next_[r] = next_use_[v];
    also_in_memory_[r] = in_memory(v);
  }
  void give_up(int r) {
    register_[holder_[static_cast<std::size_t>(r)]] = -1;
    holder_[static_cast<std::size_t>(r)] = never;
    free_ |= 1u << r;
  }
  int take_register() {
    if (free_ == 0) {
      const int r = victim();
      const std::uint32_t v = holder_[static_cast<std::size_t>(r)];
      if (!in_memory(v)) spill(v);
      give_up(r);
    }
    return std::countr_zero(free_);
  }
  // The furthest next use; what is in memory already costs no store, so it counts double.
  int victim() const {
    std::array<std::uint64_t, registers> distance;
    for (std::size_t r = 0; r < registers; ++r)
      distance[r] = (pinned_ >> r & 1) ? 0 : (((std::uint64_t{next_[r] - now_} << also_in_memory_[r]) << 5) | (registers - r));  // the first of equal ones
    std::uint64_t furthest = 0;
    for (const std::uint64_t d : distance) furthest = std::max(furthest, d);
    return registers - static_cast<int>(furthest & 31);
  }
  void spill(std::uint32_t v) {
    Slots& free = free_slots_[is_wide(v)];
    if (free.empty()) free.push(static_cast<std::uint32_t>(is_wide(v) ? result_.spilled_wide++ : result_.spilled++));
    memory_[v] = static_cast<std::int32_t>(free.top());
    free.pop();
    write(v);
    if (register_[v] >= 0) note_distance(v);
  }
  void write(std::uint32_t v) {  // where it is in memory
    const Address to = address(v);
    if (is_wide(v)) a_.vmovupd(to.memory, wide_reg(v));
    else a_.vmovsd(to.memory, reg(v));
    emitted(to);
  }
  void need_register(std::uint32_t v) {
    if (register_[v] < 0) {
      const int r = take_register();
      const Address from = address(v);
      if (is_wide(v)) a_.vmovupd(ymm(r), from.memory);
      else a_.vmovsd(xmm(r), from.memory);
      emitted(from);
      hold(r, v);
    }
    pinned_ |= 1u << register_[v];
  }

  // ---- what an instruction reads and makes

  std::uint32_t next_use(std::uint32_t v) const {
    std::uint32_t next = never;
    const auto operand = operands_of(segment_[now_]);
    for (std::size_t k = 0; k < static_cast<std::size_t>(operands(segment_[now_].op)); ++k)
      if (values_.of(operand[k]) == v) next = uses_.next[now_][k];
    return next;
  }
  // Values that nothing reads again leave their registers now, their slots after the instruction.
  void read(const Instruction& i) {
    const auto operand = operands_of(i);
    for (std::size_t k = 0; k < static_cast<std::size_t>(operands(i.op)); ++k) {
      const std::uint32_t v = values_.of(operand[k]);
      next_use_[v] = uses_.next[now_][k];
      if (next_use_[v] != never) {
        if (register_[v] >= 0) note_distance(v);
        continue;
      }
      if (register_[v] >= 0) give_up(register_[v]);
      if (!in_slot(v)) continue;
      released_.push_back({is_wide(v), static_cast<std::uint32_t>(memory_[v])});
      memory_[v] = nowhere;
    }
    pinned_ = 0;
  }
  int make(int r) {
    hold(r, now_);
    return r;
  }

  void instruction(const Instruction& i) {
    switch (i.op) {
      case Operation::call1:
      case Operation::call2:
        i.wide ? wide_call(i) : call(i);
        break;
      case Operation::second:
        read(i);
        make(1);
        if (i.wide) a_.vmovupd(ymm(1), call_slot(1));
        break;
      case Operation::select:
        select(i);
        break;
      case Operation::require:
        i.wide ? wide_require(i) : require(i);
        break;
      case Operation::store:
        store(i);
        break;
      case Operation::sqrt:
      case Operation::floor:
      case Operation::ceil:
        unary(i);
        break;
      case Operation::broadcast:
        broadcast(i);
        break;
      case Operation::scale:
        scale(i);
        break;
      default:
        binary(i);
    }
    for (const auto& [wide, slot] : released_) free_slots_[wide].push(slot);
    released_.clear();
    pinned_ = 0;
    if (makes_value(i.op)) made(i);
  }
  void made(const Instruction& i) {
    if (i.place != Instruction::not_stored) {
      memory_[now_] = at_place;
      write(now_);
      note_distance(now_);
    }
    if (next_use_[now_] == never) give_up(register_[now_]);
  }

  void binary(const Instruction& i) {
    std::uint32_t x = values_.of(i.a), y = values_.of(i.b);
    if (i.op == Operation::min || i.op == Operation::max || (commutes(i.op) && register_[x] < 0 && register_[y] >= 0)) std::swap(x, y);
    need_register(x);
    const bool must = compares(i.op) || (of_bits(i.op) && !i.wide && !values_.is_number(y));  // these read 16 bytes
    if (register_[y] < 0 && (must || next_use(y) - now_ <= soon)) need_register(y);
    if (register_[y] >= 0) {
      if (commutes(i.op) && register_[y] >= 8 && register_[x] < 8) std::swap(x, y);  // shorter
      const int first = register_[x], second = register_[y];
      read(i);
      const int to = make(take_register());
      if (i.wide) emit_wide(i.op, ymm(to), ymm(first), ymm(second));
      else emit(i.op, xmm(to), xmm(first), xmm(second));
    } else {
      const int first = register_[x];
      const Address second = address(y);
      read(i);
      const int to = make(take_register());
      if (i.wide) emit_wide(i.op, ymm(to), ymm(first), second.memory);
      else emit(i.op, xmm(to), xmm(first), second.memory);
      emitted(second);
    }
  }
  template <class Second>
  void emit_wide(Operation op, Ymm to, Ymm first, const Second& second) {
    switch (op) {
      case Operation::add: a_.vaddpd(to, first, second); break;
      case Operation::mul: a_.vmulpd(to, first, second); break;
      case Operation::sub: a_.vsubpd(to, first, second); break;
      case Operation::div: a_.vdivpd(to, first, second); break;
      case Operation::and_: a_.vandpd(to, first, second); break;
      case Operation::xor_: a_.vxorpd(to, first, second); break;
      case Operation::min: a_.vminpd(to, first, second); break;
      case Operation::max: a_.vmaxpd(to, first, second); break;
      default:
        a_.vcmppd(to, first, second, predicate(op));
        a_.vpsrlq(to, to, 54);  // of all ones makes 1
        a_.vpsllq(to, to, 52);
    }
  }
  template <class Second>
  void emit(Operation op, Xmm to, Xmm first, const Second& second) {
    switch (op) {
      case Operation::add: a_.vaddsd(to, first, second); break;
      case Operation::mul: a_.vmulsd(to, first, second); break;
      case Operation::and_: a_.vandpd(to, first, second); break;
      case Operation::xor_: a_.vxorpd(to, first, second); break;
      case Operation::sub: a_.vsubsd(to, first, second); break;
      case Operation::div: a_.vdivsd(to, first, second); break;
      case Operation::min: a_.vminsd(to, first, second); break;
      case Operation::max: a_.vmaxsd(to, first, second); break;
      default:
        a_.vcmpsd(to, first, second, predicate(op));
        a_.vandpd(to, to, number(Number::one));
    }
  }
  // Ordered but for `unequal`, which holds for what is not a number; none of them signals.
  static int predicate(Operation op) {
    switch (op) {
      case Operation::less: return 0x11;
      case Operation::less_equal: return 0x12;
      case Operation::equal: return 0x00;
      default: return 0x04;
    }
  }

  void unary(const Instruction& i) {
    const std::uint32_t x = values_.of(i.a);
    need_register(x);
    const int from = register_[x], mode = i.op == Operation::floor ? 0x9 : 0xa;  // down or up, inexact or not
    read(i);
    const int to = make(take_register());
    if (i.op == Operation::sqrt) i.wide ? a_.vsqrtpd(ymm(to), ymm(from)) : a_.vsqrtsd(xmm(to), xmm(from), xmm(from));
    else i.wide ? a_.vroundpd(ymm(to), ymm(from), mode) : a_.vroundsd(xmm(to), xmm(from), xmm(from), mode);
  }

  void select(const Instruction& i) {
    for (const Operand o : operands_of(i)) need_register(values_.of(o));
    const int condition = register_[values_.of(i.a)], yes = register_[values_.of(i.b)], no = register_[values_.of(i.c)], r = take_register();
    if (i.wide) {
      different_from_zero(r, condition);
      a_.vblendvpd(ymm(r), ymm(no), ymm(yes), ymm(r));
    } else {
      a_.vcmpsd(xmm(r), xmm(condition), number(Number::zero), predicate(Operation::unequal));
      a_.vblendvpd(xmm(r), xmm(no), xmm(yes), xmm(r));
    }
    make(r);
    read(i);
  }

  // ---- wide values

  void different_from_zero(int to, int x) {  // a mask
    a_.vxorpd(ymm(to), ymm(to), ymm(to));
    a_.vcmppd(ymm(to), ymm(x), ymm(to), predicate(Operation::unequal));
  }
  void broadcast(const Instruction& i) {
    const std::uint32_t x = values_.of(i.a);
    if (register_[x] >= 0) {
      const Xmm from = reg(x);
      read(i);
      a_.vbroadcastsd(ymm(make(take_register())), from);
    } else {
      const Address from = address(x);
      read(i);
      a_.vbroadcastsd(ymm(make(take_register())), from.memory);
      emitted(from);
    }
  }
  void scale(const Instruction& i) {
    const std::uint32_t x = values_.of(i.a), y = values_.of(i.b);
    need_register(x);
    need_register(y);
    const int factor = register_[y], of = register_[x], mask = take_register();
    different_from_zero(mask, of);
    make(mask);
    read(i);
    pinned_ = 1u << mask;
    const int product = take_register();
    a_.vmulpd(ymm(product), ymm(of), ymm(factor));
    a_.vandpd(ymm(mask), ymm(mask), ymm(product));
  }

  // ---- leaving

  void require(const Instruction& i) {
    const std::uint32_t x = values_.of(i.a), y = values_.of(i.b);
    need_register(x);
    if (register_[y] >= 0) {
      a_.vucomisd(reg(x), reg(y));
    } else {
      const Address second = address(y);
      a_.vucomisd(reg(x), second.memory);
      emitted(second);
    }
    read(i);
    leave_if(0x86);  // not above; also where one is not a number
  }
  void wide_require(const Instruction& i) {  // in all lanes
    const std::uint32_t x = values_.of(i.a), y = values_.of(i.b);
    need_register(x);
    need_register(y);
    const int holds = take_register();
    constexpr int above = 0x1e, all = (1 << lanes) - 1;
    a_.vcmppd(ymm(holds), wide_reg(x), wide_reg(y), above);
    a_.vmovmskpd(x86::eax, ymm(holds));
    a_.cmp(x86::eax, all);
    read(i);
    leave_if(0x85);  // not equal
  }
  void leave_if(std::uint8_t condition) {
    const std::uint8_t jump[] = {0x0f, condition, 0, 0, 0, 0};
    a_.embed(jump, sizeof jump);
    result_.patches.push_back({Patch::Kind::leave, static_cast<std::uint32_t>(a_.offset()) - 4, 0});
  }

  void store(const Instruction& i) {
    const std::uint32_t x = values_.of(i.a);
    need_register(x);
    const Address to = i.wide ? Address{x86::ymmword_ptr(wide_values_register, far_away), Patch{Patch::Kind::wide_place, 0, i.place}} : place_of_values(i.place);
    if (i.wide) a_.vmovupd(to.memory, wide_reg(x));
    else a_.vmovsd(to.memory, reg(x));
    emitted(to);
    read(i);
  }

  // All vector registers are the callee's: what lives on goes to memory. Results come in the first two.
  void call(const Instruction& i) {
    const std::uint32_t x = values_.of(i.a), y = i.op == Operation::call2 ? values_.of(i.b) : x;
    spill_for_call(x, y);
    if (i.op == Operation::call2) arguments(x, y);
    else argument(0, x);
    if (result_.wide) a_.vzeroupper();
    called(i);
    make(0);
  }
  void spill_for_call(std::uint32_t x, std::uint32_t y) {
    for (int r = 0; r < registers; ++r) {
      const std::uint32_t v = holder_[static_cast<std::size_t>(r)];
      if (v == never || in_memory(v)) continue;
      if ((v == x || v == y ? next_use(v) : next_use_[v]) != never) spill(v);
    }
  }
  void called(const Instruction& i) {
    a_.call(x86::qword_ptr(functions_register, 8 * i.function));
    read(i);
    for (int r = 0; r < registers; ++r)
      if (holder_[static_cast<std::size_t>(r)] != never) give_up(r);
  }
  // A function of wide values is given the address of its arguments, all lanes of the first before those of the second, and leaves its
  // results there.
  void wide_call(const Instruction& i) {
    const std::uint32_t x = values_.of(i.a), y = i.op == Operation::call2 ? values_.of(i.b) : x;
    need_register(x);
    need_register(y);
    a_.vmovupd(call_slot(0), wide_reg(x));
    if (i.op == Operation::call2) a_.vmovupd(call_slot(1), wide_reg(y));
    spill_for_call(x, y);
    a_.mov(x86::rdi, wide_frame_register);
    a_.vzeroupper();
    called(i);
    make(0);
    a_.vmovupd(ymm(0), call_slot(0));
  }
  static Mem call_slot(int slot) { return x86::ymmword_ptr(wide_frame_register, static_cast<std::int32_t>(8 * lanes) * slot); }
  void argument(int r, std::uint32_t v) {
    if (register_[v] == r) return;
    if (register_[v] >= 0) {
      a_.vmovapd(xmm(r), reg(v));
      return;
    }
    const Address from = address(v);
    a_.vmovsd(xmm(r), from.memory);
    emitted(from);
  }
  void arguments(std::uint32_t x, std::uint32_t y) {
    if (register_[y] != 0) {
      argument(0, x);
      argument(1, y);
    } else if (register_[x] == 1) {
      a_.vmovapd(xmm(2), xmm(0));
      a_.vmovapd(xmm(0), xmm(1));
      a_.vmovapd(xmm(1), xmm(2));
    } else {
      argument(1, y);
      argument(0, x);
    }
  }

  const Segment& segment_;
  const Moves& moves_;
  Values values_;
  NextUses uses_;
  std::vector<std::int8_t> register_;   // of each value, or -1
  std::vector<std::int32_t> memory_;    // of each made value
  std::vector<std::uint32_t> next_use_;  // of each value
  std::array<std::uint32_t, registers> holder_{};
  std::array<std::uint32_t, registers> next_{}, also_in_memory_{};  // of what a register holds: its next use; 1 where it is in memory, too
  std::uint32_t free_ = 0xffff, pinned_ = 0, now_ = 0;
  using Slots = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;  // the lowest first: short addresses
  std::array<Slots, 2> free_slots_;                                                             // of scalar and of wide values
  std::vector<std::pair<bool, std::uint32_t>> released_;
  asmjit::CodeHolder code_;
  x86::Assembler a_;
  Code result_;
};

}  // namespace

bool available() {
  static const bool can = asmjit::CpuInfo::host().features().x86().hasAVX();
  return can;
}

bool wide_available() {
  static const bool can = available() && asmjit::CpuInfo::host().features().x86().hasAVX2();
  return can;
}

Code assemble(const Segment& s, const Moves& moves) { return Assembling(s, moves).run(); }

}  // namespace kron::jit

#else

#include <stdexcept>

namespace kron::jit {
bool available() { return false; }
bool wide_available() { return false; }
Code assemble(const Segment&, const Moves&) { throw std::logic_error("no machine code on this machine"); }
}  // namespace kron::jit

#endif
