// lang/syntax/ast.hpp: the syntax tree of the .eq language (docs/language.md). Immutable once parsed; statements are shared
// between the workspace, its undo history and the class table, so an edit costs one statement.
//   Every node knows its Span. Nothing here is resolved: names are texts, shapes unknown.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/name.hpp"
#include "engine/base/number.hpp"
#include "engine/base/source.hpp"

namespace kron::syntax {

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;
struct Stmt;
using StmtPtr = std::shared_ptr<const Stmt>;

enum class Operator : std::uint8_t {
  add, sub, mul, div, pow, elem_mul, elem_div, elem_pow,  // + - * / ^ .* ./ .^
  neg, plus, not_, transpose,                             // unary - and +, not, postfix '
  and_, or_, lt, le, gt, ge, eq, ne
};

enum class ExprKind : std::uint8_t {
  // kind          fields used
  number,         // number
  quantity,       // number, text (the unit between the brackets): 10 [kOhm]; sign included in number
  string,         // text (unescaped)
  boolean,        // flag
  reference,      // path; one part at least: a.b[3].c, time, pi, a bare literal of an enumeration
  call,           // path (the callee: function, record, built-in), args, named; `f(x = 1)` has named arguments
  unary,          // op, args[0]
  binary,         // op, args[0], args[1]
  condition,      // if: args = c1, a1, c2, a2, ..., b (odd count)
  array,          // {a, b, c}: args
  matrix,         // [a, b; c, d]: args in row order, row_sizes
  range,          // a:b or a:step:b: args (2 or 3)
  comprehension,  // {e for i in r, j in s} or, as the one argument of sum/product/min/max, `e for ...`: args[0], iterators
  colon,          // a bare `:` as a subscript
  end,            // `end` in a subscript
  member,         // args[0].path after something that is no reference: f(x).a
  subscript,      // args[0] [ args[1..] ]: f(x)[1]
  tuple,          // (x, y) on the left of (x, y) = f(u): args
};

struct Part {  // one step of a path: name and its subscripts
  Name name;
  std::vector<ExprPtr> subscripts;
};

struct NamedArgument {
  Name name;
  ExprPtr value;
  Span span;
};

struct Iterator {  // `k in 1:n`; without a range the size is deduced from the subscripts
  Name name;
  ExprPtr range;  // may be null
};

struct Expr {
  ExprKind kind{};
  Operator op{};
  bool flag = false;
  Span span;
  std::vector<Part> path;  // what is read of most stands together
  std::vector<ExprPtr> args;
  Rational number;
  std::string text;
  std::vector<NamedArgument> named;
  std::vector<Iterator> iterators;
  std::vector<std::uint32_t> row_sizes;
};

// `C(R = 5, p.v(start = 2), final n = 3, w(start = 0, fixed), redeclared : Class(...))`
struct Modification {
  std::vector<Part> path;            // what is modified
  bool is_final = false;
  ExprPtr value;                     // `= value`; null where there is none; attribute alone (`fixed`) has neither value nor nested
  std::vector<Modification> nested;  // `( ... )`
  std::vector<Part> replacement;     // `name : Class(...)`: the class; its own modifications are in `nested`
  Span span;
};

struct Annotation {  // @name or @name(args)
  Name name;
  std::vector<ExprPtr> args;
  std::vector<NamedArgument> named;
  Span span;
};

struct UnitText {  // what stands after the colon of a `variable x : …`: a type or a unit, as written
  std::string text;
  Span span;
};

enum class Prefix : std::uint8_t {  // first word of a declaration; component: `name : Class`
  component, parameter, variable, constant, discrete, input, output, potential, flow
};

enum class StmtKind : std::uint8_t {
  // kind         fields used
  declaration,   // prefix, is_final/is_private/is_outer, names, type_text | class_path, mods, value, condition
  equation,      // lhs, rhs (label in `label`); is_initial
  connect,       // refs (two or more references); is_initial never
  for_,          // iterators, body; is_initial
  if_,           // branches; is_initial
  when,          // branches
  initial_block, // body: `initial` alone on a line … end
  assert_,       // lhs = condition, text = message, args = further values, at = time in a test
  reinit,        // lhs = reference, rhs = value
  terminate,     // text (may be empty), args = further texts and values
  branch_,       // refs (two), rhs = priority or null    branch a.R, b.R
  root,          // refs (one), rhs = priority or null
  class_,        // class_kind, name, is_partial, type parameters none; bases, body, doc; short class: bases[0] only and is_short
  enumeration,   // name, literals
  function,      // name, inputs, outputs, body of `name = expr` equations; one-expression: rhs
  use,           // library text or path; alias; members
  extends,       // bases (inside a class body)
  assign,        // refs[0] := rhs
  delete_,       // refs or label in refs[0];   delete connect a, b: is_connect
  tear,          // refs: variable (or der of one), label if given; is_untear; `tear residue label`: is_residue, refs = label
  experiment,    // named
  test,          // text = title, body
  command,       // name without colon, text = the rest of the line as typed (comments stripped)
  return_,       // args (inside a function)
  doc,           // text: a string alone in a class body right after the header (kept for the printer)
  blank,         // no statement: the comments at the end of a block or of the text (others are trivia of the next one)
};

enum class ClassKind : std::uint8_t { model, connector, record };

struct Declared {  // one name of a declaration, with its sizes and attributes: x[3](start = 1, fixed)
  Name name;
  std::vector<ExprPtr> sizes;  // [3], [:] (a colon), [n]
  std::vector<Modification> attributes;
  Span span;
};

struct Branch {  // of if / when; condition null: else
  ExprPtr condition;
  std::vector<StmtPtr> body;
  Span span;
  std::string comment;  // at the end of its first line
};

struct Base {  // extends Base(k = 3)
  std::vector<Part> path;
  std::vector<Modification> mods;
  std::vector<Annotation> annotations;
  Span span;
};

struct FunctionInput {
  Name name;
  std::vector<ExprPtr> sizes;
  ExprPtr fallback;  // default value or null
  Span span;
};

// An edit elaborates all statements of the workspace anew, which lie anywhere in memory: what is read of each stands first.
struct Stmt {
  StmtKind kind{};
  Prefix prefix{};
  ClassKind class_kind{};
  bool is_final = false, is_private = false, is_outer = false, is_initial = false, is_partial = false, is_short = false;
  bool is_connect = false, is_untear = false, is_residue = false;
  bool is_file = false;  // `use "my.eq"`: text is a path, no library's name

  bool blank_before = false;       // for the printer

  Name name;                       // class, function, enumeration, command, alias of use
  Name label;                      // `label ::` of an equation
  Span span;                       // whole statement
  std::vector<ExprPtr> refs;
  std::vector<StmtPtr> body;
  std::vector<Branch> branches;
  std::vector<Declared> names;     // declaration
  std::vector<Part> class_path;    // component's class
  std::vector<Modification> mods;  // component's modifications
  ExprPtr lhs, rhs, at;
  ExprPtr value;                   // binding
  ExprPtr condition;               // `if c` of a conditional component
  std::optional<UnitText> type_text;
  std::vector<ExprPtr> args;
  std::vector<Iterator> iterators;
  std::vector<Base> bases;
  std::vector<Name> literals, members;  // of an enumeration; of `use lib: A, B`
  std::vector<FunctionInput> inputs;
  std::vector<NamedArgument> named;
  std::vector<Annotation> annotations;
  std::string text;                // see the table of kinds
  std::string doc;                 // doc string
  std::uint32_t depth = 0;         // of nested statements, for the limit
  Span name_span;                  // of the name it declares, where it declares one

  // trivia for the printer
  std::vector<std::string> comments;  // comment lines before it, with their // or /* */
  std::string trailing_comment;       // on its last line
  std::string header_comment;         // on the first line of a block
};

}  // namespace kron::syntax
