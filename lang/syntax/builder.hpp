// lang/syntax/builder.hpp: builds the tree of one piece. The rules that match push their results on stacks, the rule
// around them takes what was pushed since it began (its frame) and pushes its own result: the actions (actions.hpp) are
// one line each.
//   may   throw Failure: an error that ends the parsing of this piece
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "lang/syntax/ast.hpp"

namespace kron::syntax {

struct Failure {
  Diagnostic diagnostic;
};

// Operators in a row deepen the tree by one each (a + b + c is (a + b) + c), and so do the primes of a''.
inline constexpr std::uint32_t chain_limit = 10000;

// A node that is destroyed without recursion, so that a long chain does not need a deep stack.
std::shared_ptr<Expr> make_node();

// What was pushed since the stack had `from` elements.
template <class T>
std::vector<T> take_from(std::vector<T>& stack, std::size_t from) {
  std::vector<T> out(std::make_move_iterator(stack.begin() + static_cast<std::ptrdiff_t>(from)),
                     std::make_move_iterator(stack.end()));
  stack.resize(from);
  return out;
}

enum class PieceKind : std::uint8_t { statement, header, else_line, elseif_line, elsewhen_line, end_line };

class Builder {
 public:
  Builder(SourceId source, std::string_view text) : source_(source), text_(text) {}

  std::shared_ptr<Stmt> stmt = std::make_shared<Stmt>();
  PieceKind kind = PieceKind::statement;

  Span span(const char* begin, const char* end) const;
  std::size_t offset(const char* at) const { return static_cast<std::size_t>(at - text_.data()); }
  std::string_view text() const { return text_; }

  void space(const char* begin, const char* end) { space_begin_ = begin, space_end_ = end; }

  // --- nesting
  struct Level {
    std::uint32_t& count;
    explicit Level(std::uint32_t& c) : count(c) { ++count; }
    ~Level() { --count; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
  };
  Level enter(const char* at);
  Level enter_subscript() { return Level(subscripts_); }

  // --- frames
  void open(const char* begin);
  void close();
  void abandon();  // drops what was pushed since the frame began

  // --- expressions; [b, e) is the text of the node
  void literal(const char* b, const char* e);
  void unit(std::string_view unit, const char* e);
  void sign(const char* b, bool is_negative);
  void string(const char* b, const char* e);
  void boolean(bool value, const char* b, const char* e);
  void last_index(const char* b, const char* e);
  void whole_dimension(const char* b, const char* e);
  void name(const char* b, const char* e);
  void part();
  void word_part();
  void called() { called_ = true, comprehended_ = false; }
  void reference_or_call(const char* e);
  void parenthesized(const char* e);
  void array(const char* e);
  void row();
  void matrix(const char* e);
  void condition(const char* e);
  void iterator();
  void comprehension();
  void named_argument(const char* e);
  void transpose(const char* e);
  void subscript(const char* e);
  void member(const char* e);
  void unary(Operator op, const char* b, const char* e);
  void binary(Operator op);
  void range();

  // --- parts of statements
  void final_modification() { final_ = true; }
  void modified_path();
  void replacement();
  void modification(const char* e);
  void base(const char* e);
  void declared(const char* e);
  void type(const char* b, const char* e);
  void doc(const char* b, const char* e);
  void annotation(const char* e);
  void reference(const char* e);
  void function_input(const char* e);

  // --- statements: they take whole stacks
  void component();
  void binding() { stmt->value = pop(); }
  void declaration_value();
  void component_condition() { stmt->condition = pop(); }
  void class_name();
  void enumeration_literal() { stmt->literals.push_back(pop_name().name); }
  void member_name() { stmt->members.push_back(pop_name().name); }
  void label();
  void equation();
  void assign();
  void references() { stmt->refs = take(0); }
  void assertion();
  void graph(StmtKind, std::size_t references);
  void class_statement();
  void function();
  void message(const char* b, const char* e) { stmt->text = unquote(b, e); }
  void header(StmtKind);
  void branch_header(PieceKind);
  void begin(StmtKind k) { stmt->kind = k; }
  void finish();  // the end of the piece: checks that need all of it

  ExprPtr pop();
  std::vector<ExprPtr> take(std::size_t from);
  std::vector<Iterator> take_iterators() { return std::exchange(iterators_, {}); }
  std::vector<NamedArgument> take_named() { return std::exchange(named_, {}); }
  std::vector<Part> take_parts() { return std::exchange(parts_, {}); }
  std::vector<Modification> take_mods() { return std::exchange(mods_, {}); }
  std::vector<Base> take_bases() { return std::exchange(bases_, {}); }
  std::string unquote(const char* b, const char* e) const;

 private:
  struct Operand {
    ExprPtr expr;
    std::uint32_t depth = 1;  // of the tree below it
  };
  struct NameToken {
    Name name;
    Span span;
  };
  struct Frame {
    const char* begin;
    std::uint32_t operands, names, parts, mods, named, iterators, rows, beside;
  };

  std::shared_ptr<Expr> node(ExprKind k, const char* b, const char* e) const;
  std::shared_ptr<Expr> framed(ExprKind k, const char* e) const { return node(k, frames_.back().begin, e); }
  void push(std::shared_ptr<const Expr> e, std::uint32_t depth);
  std::shared_ptr<Expr> composite(ExprKind k, const char* e);
  std::shared_ptr<Expr> over_last(ExprKind k, std::size_t from, const char* e);
  std::uint32_t depth_since(std::size_t from);
  std::vector<ExprPtr> take_beside(std::size_t from);
  NameToken pop_name();

  SourceId source_;
  std::string_view text_;
  const char *space_begin_ = nullptr, *space_end_ = nullptr;  // the last blanks and comments
  std::uint32_t level_ = 0, subscripts_ = 0;
  std::uint32_t beside_ = 0;  // depth of the expressions that the frame holds beside its operands
  bool called_ = false, comprehended_ = false, final_ = false, has_doc_ = false;
  std::vector<Frame> frames_;
  std::vector<Operand> operands_;
  std::vector<NameToken> names_;
  std::vector<Part> parts_;
  std::vector<Modification> mods_;
  std::vector<NamedArgument> named_;
  std::vector<Iterator> iterators_;
  std::vector<std::uint32_t> rows_;
  std::vector<Base> bases_;
  std::vector<Span> tuples_;
};

}  // namespace kron::syntax
