#include "lang/syntax/builder.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "lang/syntax/characters.hpp"
#include "lang/syntax/errors.hpp"
#include "lang/syntax/parser.hpp"

namespace kron::syntax {
namespace {

// The children of a node that dies wait here for the outermost destruction to free them one by one. A plain pointer:
// trees may be destroyed at the very end of the program.
thread_local std::vector<ExprPtr>* waiting = nullptr;

template <class T>
struct NodeAllocator : std::allocator<T> {
  NodeAllocator() = default;
  template <class U>
  NodeAllocator(const NodeAllocator<U>&) {}
  template <class U>
  struct rebind {
    using other = NodeAllocator<U>;
  };
  template <class U>
  void destroy(U* p) {
    if (waiting) {
      std::move(p->args.begin(), p->args.end(), std::back_inserter(*waiting));
      p->~U();
      return;
    }
    std::vector<ExprPtr> mine = std::move(p->args);
    waiting = &mine;
    p->~U();
    while (!mine.empty()) {
      const ExprPtr next = std::move(mine.back());
      mine.pop_back();
    }
    waiting = nullptr;
  }
};

}  // namespace

std::shared_ptr<Expr> make_node() { return std::allocate_shared<Expr>(NodeAllocator<Expr>()); }

Span Builder::span(const char* begin, const char* end) const {
  // A rule's text includes the blanks and comments behind it; the place of a node does not.
  if (end == space_end_ && space_begin_ >= begin) end = space_begin_;
  return {source_, static_cast<std::uint32_t>(offset(begin)), static_cast<std::uint32_t>(offset(end))};
}

Builder::Level Builder::enter(const char* at) {
  if (level_ > depth_limit + 1) throw Failure{errors::too_deep(span(at, at + 1), "operators and brackets")};
  return Level(level_);
}

void Builder::open(const char* begin) {
  const auto n = [](const auto& v) { return static_cast<std::uint32_t>(v.size()); };
  frames_.push_back({begin, n(operands_), n(names_), n(parts_), n(mods_), n(named_), n(iterators_), n(rows_), beside_});
  beside_ = 0;
}

void Builder::abandon() {
  const Frame f = frames_.back();
  frames_.pop_back();
  operands_.resize(f.operands);
  names_.resize(f.names);
  parts_.resize(f.parts);
  mods_.resize(f.mods);
  named_.resize(f.named);
  iterators_.resize(f.iterators);
  rows_.resize(f.rows);
  beside_ = f.beside;
}

void Builder::close() {
  beside_ = std::max(beside_, frames_.back().beside);
  frames_.pop_back();
}

// --- expressions

std::shared_ptr<Expr> Builder::node(ExprKind k, const char* b, const char* e) const {
  auto n = make_node();
  n->kind = k;
  n->span = span(b, e);
  return n;
}

void Builder::push(std::shared_ptr<const Expr> e, std::uint32_t depth) {
  if (depth > chain_limit) throw Failure{errors::chain_too_long(e->span)};
  operands_.push_back({std::move(e), depth});
}

// The depth of a node over the operands from `from` on and over what the frame put beside them (subscripts, ranges).
std::uint32_t Builder::depth_since(std::size_t from) {
  std::uint32_t d = std::exchange(beside_, 0);
  for (std::size_t i = from; i < operands_.size(); ++i) d = std::max(d, operands_[i].depth);
  return d + 1;
}

std::vector<ExprPtr> Builder::take_beside(std::size_t from) {
  beside_ = depth_since(from);
  return take(from);
}

ExprPtr Builder::pop() {
  ExprPtr e = std::move(operands_.back().expr);
  operands_.pop_back();
  return e;
}

std::vector<ExprPtr> Builder::take(std::size_t from) {
  std::vector<ExprPtr> out;
  out.reserve(operands_.size() - from);
  for (std::size_t i = from; i < operands_.size(); ++i) out.push_back(std::move(operands_[i].expr));
  operands_.resize(from);
  return out;
}

void Builder::literal(const char* b, const char* e) {
  auto n = node(ExprKind::number, b, e);
  const std::string_view digits(b, static_cast<std::size_t>(e - b));
  if (!read_number(digits, n->number)) throw Failure{errors::number_range(n->span, digits)};
  push(std::move(n), 1);
}

void Builder::unit(std::string_view text, const char* e) {
  const Operand number = std::move(operands_.back());
  operands_.pop_back();
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  auto n = make_node();
  n->kind = ExprKind::quantity;
  n->span = number.expr->span;
  n->span.end = static_cast<std::uint32_t>(offset(e)) + 1;
  if (text.empty()) throw Failure{errors::empty_unit(n->span)};
  n->number = number.expr->number;
  n->text = text;
  push(std::move(n), 1);
}

void Builder::sign(const char* b, bool is_negative) {
  auto n = make_node();
  *n = *operands_.back().expr;
  operands_.pop_back();
  n->span.begin = static_cast<std::uint32_t>(offset(b));
  if (is_negative) n->number = -n->number;
  push(std::move(n), 1);
}

void Builder::string(const char* b, const char* e) {
  auto n = node(ExprKind::string, b, e);
  n->text = unquote(b, e);
  push(std::move(n), 1);
}

void Builder::boolean(bool value, const char* b, const char* e) {
  auto n = node(ExprKind::boolean, b, e);
  n->flag = value;
  push(std::move(n), 1);
}

void Builder::last_index(const char* b, const char* e) {
  if (subscripts_ == 0) throw Failure{errors::end_outside(span(b, e))};
  push(node(ExprKind::end, b, e), 1);
}

void Builder::whole_dimension(const char* b, const char* e) { push(node(ExprKind::colon, b, e), 1); }

void Builder::name(const char* b, const char* e) {
  names_.push_back({std::string_view(b, static_cast<std::size_t>(e - b)), span(b, e)});
}

Builder::NameToken Builder::pop_name() {
  const NameToken n = names_.back();
  names_.pop_back();
  return n;
}

void Builder::part() { parts_.push_back({pop_name().name, take_beside(frames_.back().operands)}); }
void Builder::word_part() { parts_.push_back({pop_name().name, {}}); }

void Builder::reference_or_call(const char* e) {
  const Frame f = frames_.back();
  const bool is_call = std::exchange(called_, false);
  auto n = composite(is_call ? ExprKind::call : ExprKind::reference, e);
  n->path = take_from(parts_, f.parts);
  if (is_call) n->named = take_from(named_, f.named);
}

// A node whose arguments are the operands of its frame.
std::shared_ptr<Expr> Builder::composite(ExprKind k, const char* e) {
  const Frame& f = frames_.back();
  auto n = framed(k, e);
  const std::uint32_t depth = depth_since(f.operands);
  n->args = take(f.operands);
  push(n, depth);
  return n;
}

void Builder::parenthesized(const char* e) {
  if (operands_.size() == frames_.back().operands + 1) return;
  tuples_.push_back(composite(ExprKind::tuple, e)->span);
}

void Builder::array(const char* e) {
  if (std::exchange(comprehended_, false)) {  // {e for i in r} is the comprehension itself
    auto n = make_node();
    *n = *operands_.back().expr;
    n->span = span(frames_.back().begin, e);
    operands_.back().expr = std::move(n);
    return;
  }
  composite(ExprKind::array, e);
}

void Builder::row() { rows_.push_back(static_cast<std::uint32_t>(operands_.size()) - frames_.back().operands); }

void Builder::matrix(const char* e) {
  const std::uint32_t first_row = frames_.back().rows;
  composite(ExprKind::matrix, e)->row_sizes = take_from(rows_, first_row);
}

void Builder::condition(const char* e) { composite(ExprKind::condition, e); }

void Builder::iterator() {
  std::vector<ExprPtr> range = take_beside(frames_.back().operands);
  iterators_.push_back({pop_name().name, range.empty() ? nullptr : std::move(range[0])});
}

// The expression before `for` lies below the frame, which holds the iterators.
void Builder::comprehension() {
  const Frame& f = frames_.back();
  auto n = make_node();
  n->kind = ExprKind::comprehension;
  const std::uint32_t depth = depth_since(f.operands - 1);
  n->args = take(f.operands - 1);
  n->span = n->args[0]->span;
  n->iterators = take_from(iterators_, f.iterators);
  push(std::move(n), depth);
  comprehended_ = true;
}

void Builder::named_argument(const char* e) {
  const Frame& f = frames_.back();
  std::vector<ExprPtr> value = take_beside(f.operands);
  named_.push_back({pop_name().name, std::move(value[0]), span(f.begin, e)});
}

// Puts a node over the last operand, with what the frame holds as further arguments.
std::shared_ptr<Expr> Builder::over_last(ExprKind k, std::size_t from, const char* e) {
  auto n = make_node();
  n->kind = k;
  const std::uint32_t depth = depth_since(from - 1);
  n->args = take(from - 1);
  n->span = span(text_.data() + n->args[0]->span.begin, e);
  push(n, depth);
  return n;
}

void Builder::transpose(const char* e) {
  const auto n = over_last(ExprKind::unary, operands_.size(), e);
  n->op = Operator::transpose;
}

void Builder::subscript(const char* e) { over_last(ExprKind::subscript, frames_.back().operands, e); }

void Builder::member(const char* e) {
  const std::uint32_t first_part = frames_.back().parts;
  over_last(ExprKind::member, frames_.back().operands, e)->path = take_from(parts_, first_part);
}

void Builder::unary(Operator op, const char* b, const char* e) {
  auto n = node(ExprKind::unary, b, e);
  n->op = op;
  const std::uint32_t depth = depth_since(operands_.size() - 1);
  n->args = take(operands_.size() - 1);
  push(std::move(n), depth);
}

void Builder::binary(Operator op) {
  auto n = make_node();
  n->kind = ExprKind::binary;
  n->op = op;
  const std::uint32_t depth = depth_since(operands_.size() - 2);
  n->args = take(operands_.size() - 2);
  n->span = join(n->args[0]->span, n->args[1]->span);
  push(std::move(n), depth);
}

void Builder::range() {
  const Frame& f = frames_.back();
  auto n = make_node();
  n->kind = ExprKind::range;
  const std::uint32_t depth = depth_since(f.operands - 1);
  n->args = take(f.operands - 1);
  n->span = join(n->args.front()->span, n->args.back()->span);
  push(std::move(n), depth);
}

}  // namespace kron::syntax
