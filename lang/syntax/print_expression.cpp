#include <array>
#include <vector>

#include "lang/syntax/print_parts.hpp"
#include "lang/syntax/printer.hpp"

namespace kron::syntax {
namespace {

// How tightly a form binds, loosest first, as the rules of grammar.hpp are nested.
enum Level {
  loosest,
  or_level,
  and_level,
  not_level,
  relation_level,
  sum_level,
  product_level,
  unary_level,
  power_level,
  postfix_level,
  closed
};

struct OperatorText {
  const char* text;
  Level level;
};

OperatorText describe(Operator op) {
  switch (op) {
    case Operator::add: return {"+", sum_level};
    case Operator::sub: return {"-", sum_level};
    case Operator::mul: return {"*", product_level};
    case Operator::div: return {"/", product_level};
    case Operator::elem_mul: return {".*", product_level};
    case Operator::elem_div: return {"./", product_level};
    case Operator::pow: return {"^", power_level};
    case Operator::elem_pow: return {".^", power_level};
    case Operator::neg: return {"-", unary_level};
    case Operator::plus: return {"+", unary_level};
    case Operator::not_: return {"not ", not_level};
    case Operator::transpose: return {"'", postfix_level};
    case Operator::and_: return {"and", and_level};
    case Operator::or_: return {"or", or_level};
    case Operator::lt: return {"<", relation_level};
    case Operator::le: return {"<=", relation_level};
    case Operator::gt: return {">", relation_level};
    case Operator::ge: return {">=", relation_level};
    case Operator::eq: return {"==", relation_level};
    case Operator::ne: return {"!=", relation_level};
  }
  return {"?", closed};
}

Level level_of(const Expr& e) {
  switch (e.kind) {
    case ExprKind::number:
    case ExprKind::quantity:
      if (e.number < 0) return unary_level;
      return to_text(e.number).find('/') == std::string::npos ? closed : product_level;  // 1/3: no decimal
    case ExprKind::unary:
    case ExprKind::binary: return describe(e.op).level;
    case ExprKind::condition:
    case ExprKind::range: return loosest;
    case ExprKind::member:
    case ExprKind::subscript: return postfix_level;
    default: return closed;
  }
}

bool is_postfix(const Expr& e) {
  return e.kind == ExprKind::subscript || e.kind == ExprKind::member ||
         (e.kind == ExprKind::unary && e.op == Operator::transpose);
}

// Whether what stands before `[` or `.` needs brackets: a name's own subscripts and a number's unit look the same.
bool needs_brackets_before(const Expr& base, ExprKind tail) {
  switch (base.kind) {
    case ExprKind::call:
    case ExprKind::array:
    case ExprKind::matrix:
    case ExprKind::comprehension:
    case ExprKind::tuple:
    case ExprKind::subscript: return false;
    case ExprKind::unary: return base.op != Operator::transpose;
    default: return tail == ExprKind::subscript || tail == ExprKind::member;
  }
}

// `-5 [degC]` is one literal: a minus before such a literal needs brackets.
bool begins_with_quantity(const Expr* e) {
  while (is_postfix(*e) || (e->kind == ExprKind::binary && describe(e->op).level == power_level)) e = e->args[0].get();
  return e->kind == ExprKind::quantity && e->number >= 0;
}

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void expression(const Expr& e, Level at_least = loosest) {
    const bool brackets = level_of(e) < at_least;
    if (brackets) out_ += '(';
    bare(e);
    if (brackets) out_ += ')';
  }

  void path(const std::vector<Part>& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) out_ += '.';
      out_ += parts[i].name.str();
      if (!parts[i].subscripts.empty()) subscripts(parts[i].subscripts, 0);
    }
  }

  void subscripts(const std::vector<ExprPtr>& list, std::size_t from) {
    const bool was = std::exchange(is_compact_, true);
    out_ += '[';
    sequence(list, from, list.size());
    out_ += ']';
    is_compact_ = was;
  }

  void arguments(const std::vector<ExprPtr>& args, const std::vector<NamedArgument>& named) {
    const bool was = std::exchange(is_compact_, false);
    out_ += '(';
    if (args.size() == 1 && named.empty() && args[0]->kind == ExprKind::comprehension) generator(*args[0]);
    else sequence(args, 0, args.size());
    for (std::size_t i = 0; i < named.size(); ++i) {
      if (i > 0 || !args.empty()) out_ += ", ";
      out_ += named[i].name.str() + " = ";
      expression(*named[i].value);
    }
    out_ += ')';
    is_compact_ = was;
  }

  void iterators(const std::vector<Iterator>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      out_ += (i > 0 ? ", " : "") + list[i].name.str();
      if (!list[i].range) continue;
      out_ += " in ";
      expression(*list[i].range);
    }
  }

 private:
  void sequence(const std::vector<ExprPtr>& list, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (i > from) out_ += ", ";
      expression(*list[i]);
    }
  }

  void enclosed(char open, const Expr& e, char close) {
    const bool was = std::exchange(is_compact_, false);
    out_ += open;
    if (e.kind == ExprKind::comprehension) generator(e);
    else sequence(e.args, 0, e.args.size());
    out_ += close;
    is_compact_ = was;
  }

  void generator(const Expr& e) {
    expression(*e.args[0]);
    out_ += " for ";
    iterators(e.iterators);
  }

  void bare(const Expr& e) {
    switch (e.kind) {
      case ExprKind::number: out_ += to_text(e.number); break;
      case ExprKind::quantity: out_ += to_text(e.number) + " [" + e.text + "]"; break;
      case ExprKind::string: out_ += string_text(e.text); break;
      case ExprKind::boolean: out_ += e.flag ? "true" : "false"; break;
      case ExprKind::reference: path(e.path); break;
      case ExprKind::call: path(e.path), arguments(e.args, e.named); break;
      case ExprKind::unary:
      case ExprKind::subscript:
      case ExprKind::member: unary_or_postfix(e); break;
      case ExprKind::binary: binary(e); break;
      case ExprKind::condition: condition(e); break;
      case ExprKind::array:
      case ExprKind::comprehension: enclosed('{', e, '}'); break;
      case ExprKind::tuple: enclosed('(', e, ')'); break;
      case ExprKind::matrix: matrix(e); break;
      case ExprKind::range: range(e); break;
      case ExprKind::colon: out_ += ':'; break;
      case ExprKind::end: out_ += "end"; break;
    }
  }

  void unary_or_postfix(const Expr& e) {
    if (is_postfix(e)) return postfix(e);
    out_ += describe(e.op).text;
    const Expr& operand = *e.args[0];
    if (e.op != Operator::not_ && begins_with_quantity(&operand)) {
      out_ += '(';
      bare(operand);
      out_ += ')';
    } else {
      expression(operand, describe(e.op).level);
    }
  }

  // f(x)[1].a' : a loop, not a recursion, over what is hung behind each other.
  void postfix(const Expr& e) {
    std::vector<const Expr*> tails;
    const Expr* base = &e;
    bool brackets = false;
    while (is_postfix(*base) && !brackets) {
      tails.push_back(base);
      brackets = needs_brackets_before(*base->args[0], base->kind);
      base = base->args[0].get();
    }
    if (brackets) {
      out_ += '(';
      bare(*base);
      out_ += ')';
    } else {
      expression(*base, postfix_level);
    }
    for (auto t = tails.rbegin(); t != tails.rend(); ++t) {
      if ((*t)->kind == ExprKind::unary) out_ += '\'';
      else if ((*t)->kind == ExprKind::subscript) subscripts((*t)->args, 1);
      else out_ += '.', path((*t)->path);
    }
  }

  // a + b - c: a loop over the left operands, which need no brackets in a chain.
  void binary(const Expr& e) {
    const Level level = describe(e.op).level;
    std::vector<const Expr*> chain = {&e};
    const bool is_left = level != power_level && level != relation_level;
    while (is_left && chain.back()->args[0]->kind == ExprKind::binary &&
           describe(chain.back()->args[0]->op).level == level)
      chain.push_back(chain.back()->args[0].get());
    const auto next = static_cast<Level>(level + 1);
    expression(*chain.back()->args[0], is_left && level != power_level ? level : next);
    for (auto b = chain.rbegin(); b != chain.rend(); ++b) {
      operator_text((*b)->op);
      expression(*(*b)->args[1], level == power_level ? unary_level : next);
    }
  }

  void operator_text(Operator op) {
    const bool is_arithmetic = op == Operator::add || op == Operator::sub || op == Operator::mul || op == Operator::div;
    const bool tight = op == Operator::pow || (is_compact_ && is_arithmetic);
    out_ += tight ? describe(op).text : " " + std::string(describe(op).text) + " ";
  }

  void condition(const Expr& e) {
    for (std::size_t i = 0; i + 1 < e.args.size(); i += 2) {
      out_ += i == 0 ? "if " : " elseif ";
      expression(*e.args[i]);
      out_ += " then ";
      expression(*e.args[i + 1]);
    }
    out_ += " else ";
    expression(*e.args.back());
  }

  void matrix(const Expr& e) {
    const bool was = std::exchange(is_compact_, false);
    out_ += '[';
    std::size_t at = 0;
    for (std::size_t r = 0; r < e.row_sizes.size(); ++r) {
      if (r > 0) out_ += "; ";
      sequence(e.args, at, at + e.row_sizes[r]);
      at += e.row_sizes[r];
    }
    out_ += ']';
    is_compact_ = was;
  }

  void range(const Expr& e) {
    const bool was = std::exchange(is_compact_, true);
    for (std::size_t i = 0; i < e.args.size(); ++i) {
      if (i > 0) out_ += ':';
      expression(*e.args[i], or_level);
    }
    is_compact_ = was;
  }

  std::string& out_;
  bool is_compact_ = false;  // in subscripts and ranges: `k+1` without blanks
};

}  // namespace

std::string string_text(const std::string& s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else if (c == '"' || c == '\\') out += '\\', out += c;
    else out += c;
  }
  return out + "\"";
}

void write(std::string& out, const Expr& e) { Writer(out).expression(e); }
void write_side(std::string& out, const Expr& e) { Writer(out).expression(e, or_level); }
void write(std::string& out, const std::vector<Part>& path) { Writer(out).path(path); }
void write_subscripts(std::string& out, const std::vector<ExprPtr>& list) {
  if (!list.empty()) Writer(out).subscripts(list, 0);
}
void write_arguments(std::string& out, const std::vector<ExprPtr>& args, const std::vector<NamedArgument>& named) {
  Writer(out).arguments(args, named);
}
void write(std::string& out, const std::vector<Iterator>& iterators) { Writer(out).iterators(iterators); }

std::string print(const Expr& e) {
  std::string out;
  write(out, e);
  return out;
}

std::string print(const std::vector<Part>& path) {
  std::string out;
  write(out, path);
  return out;
}

}  // namespace kron::syntax
