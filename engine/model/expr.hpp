// engine/model/expr.hpp: scalar expressions, hash-consed in a pool. Arrays, records and functions are gone at this level.
//   Leaves are literals (exact), operands (a slot's value or derivative, a constant, time, …) and, inside forms, placeholders.
//   Making a node folds literals exactly and drops neutral elements (0 + x, 1 * x, 0 * x, x^1); it reorders nothing.
#pragma once
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/function.hpp"
#include "engine/base/id.hpp"
#include "engine/base/name.hpp"
#include "engine/base/number.hpp"

namespace kron::model {

struct SlotTag;
using SlotId = Id<SlotTag>;  // a scalar quantity: variable, parameter, constant; relative in a Blueprint, absolute in a FlatModel
struct ConstTag;
using ConstId = Id<ConstTag>;  // an entry of the constant table: exact rational or pi
struct NodeTag;
using NodeId = Id<NodeTag>;  // a node of one Exprs pool

enum class OperandKind : std::uint8_t { value, start, pre, constant, time, initial, terminal, event /* index: FlatModel::events */ };

// What a placeholder of a form is bound to. 32 bits: kind 3, derivative order 3, index 26.
struct Operand {
  std::uint32_t bits = 0;
  constexpr Operand() = default;
  constexpr Operand(OperandKind k, std::uint32_t index, unsigned order = 0)
      : bits(static_cast<std::uint32_t>(k) << 29 | order << 26 | index) {}
  constexpr OperandKind kind() const { return static_cast<OperandKind>(bits >> 29); }
  constexpr unsigned order() const { return bits >> 26 & 7; }  // of kind value: 0 the slot itself, 1 its derivative, …
  constexpr std::uint32_t index() const { return bits & 0x3ffffff; }
  constexpr SlotId slot() const { return SlotId{index()}; }
  constexpr bool has_slot() const { return kind() <= OperandKind::pre; }
  friend constexpr auto operator<=>(Operand, Operand) = default;

  static constexpr Operand value(SlotId s, unsigned order = 0) { return {OperandKind::value, s.value, order}; }
  static constexpr Operand start(SlotId s) { return {OperandKind::start, s.value}; }
  static constexpr Operand pre(SlotId s) { return {OperandKind::pre, s.value}; }
  static constexpr Operand constant(ConstId c) { return {OperandKind::constant, c.value}; }
  static constexpr Operand time() { return {OperandKind::time, 0}; }
  Operand shifted(std::uint32_t base) const {  // relative to absolute
    Operand o = *this;
    if (has_slot()) o.bits += base;
    return o;
  }
};
inline constexpr std::uint32_t max_slots = 1u << 26;
inline constexpr unsigned max_order = 7;

// Bound constants, one table for the process: equal values share an id. Ids follow the session, so order by value.
struct ConstantValue {
  Rational value;
  bool is_pi = false;
  double number = 0;
  std::uint64_t hash = 0;  // of its content
};
ConstId constant_id(const Rational&);
ConstId pi_id();
const ConstantValue& constant(ConstId);

enum class ExprOp : std::uint8_t { literal, operand, placeholder, add, sub, mul, div, neg, pow, call };

struct ExprNode {
  ExprOp op{};
  Fn fn{};                    // of a call
  std::uint32_t count = 0;    // arguments
  std::uint32_t first = 0;    // arguments start here; or payload: literal index, Operand bits, placeholder number
};

class Exprs {
 public:
  NodeId literal(const Rational&);
  NodeId literal(long v) { return literal(Rational(v)); }
  NodeId operand(Operand);
  NodeId placeholder(std::uint32_t);

  // Folding constructors. They fold literals exactly as long as the result stays small and is defined; 1/0 stays a node.
  NodeId add(NodeId, NodeId);
  NodeId sub(NodeId, NodeId);
  NodeId mul(NodeId, NodeId);
  NodeId div(NodeId, NodeId);
  NodeId neg(NodeId);
  NodeId pow(NodeId, NodeId);
  NodeId call(Fn, std::span<const NodeId>);
  NodeId call(Fn fn, std::initializer_list<NodeId> a) { return call(fn, std::span<const NodeId>(a.begin(), a.size())); }
  NodeId make(ExprOp, Fn, std::span<const NodeId>);  // one of the above

  const ExprNode& operator[](NodeId n) const { return nodes_[n.value]; }
  std::span<const NodeId> args(NodeId) const;
  const Rational& literal_value(NodeId) const;                // of a literal node
  const Rational* if_literal(NodeId) const;                   // null for other nodes
  bool is(NodeId n, int v) const {                            // the literal v, for v = 0, 1 or -1
    return nodes_[n.value].op == ExprOp::literal && literals_[nodes_[n.value].first].small == v;
  }
  Operand operand_of(NodeId n) const { Operand o; o.bits = nodes_[n.value].first; return o; }
  std::uint32_t placeholder_of(NodeId n) const { return nodes_[n.value].first; }
  std::size_t size() const { return nodes_.size(); }
  std::uint64_t content_hash(NodeId n) const { return hashes_[n.value]; }  // of the expression, same in every session
  std::uint32_t depth(NodeId n) const { return depths_[n.value]; }  // of the tree below
  void clear();

 private:
  NodeId intern(ExprOp, Fn, std::uint32_t payload, std::span<const NodeId> args, std::uint64_t hash);
  std::vector<ExprNode> nodes_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> depths_;
  std::vector<NodeId> args_;
  struct Literal {
    Rational value;
    int small;  // the value where it is 0, 1 or -1, else 2: comparing rationals is slow
  };
  std::vector<Literal> literals_;
  std::vector<std::uint32_t> table_;  // open addressing: node + 1, or 0
  void grow();
  std::uint32_t store(std::span<const NodeId> args);
};

// Infix text; `leaf` prints operands and placeholders. A text that would be longer than a million characters ends in "...".
std::string print(const Exprs&, NodeId, const std::function<std::string(const ExprNode&)>& leaf);

}  // namespace kron::model
