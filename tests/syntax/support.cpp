#include "tests/syntax/support.hpp"

namespace kron::syntax::test {
namespace {

std::string list(const std::vector<ExprPtr>& args, std::size_t from = 0) {
  std::string out;
  for (std::size_t i = from; i < args.size(); ++i) out += " " + shape(*args[i]);
  return out;
}

std::string path(const std::vector<Part>& parts) {
  std::string out;
  for (const Part& p : parts) {
    out += (out.empty() ? "" : ".") + p.name.str();
    if (!p.subscripts.empty()) out += "[" + list(p.subscripts).substr(1) + "]";
  }
  return out;
}

const char* symbol(Operator op) {
  const char* const symbols[] = {"+",   "-", "*",   "/",  "^", ".*", "./", ".^", "neg", "pos",
                                 "not", "'", "and", "or", "<", "<=", ">",  ">=", "==",  "!="};
  return symbols[static_cast<std::size_t>(op)];
}

std::string iterators(const Expr& e) {
  std::string out;
  for (const Iterator& i : e.iterators) out += " " + i.name.str() + ":" + (i.range ? shape(*i.range) : "?");
  return out;
}

}  // namespace

std::string summary(const Diagnostics& d) {
  std::string out;
  for (const Diagnostic& each : d.list()) {
    const Position p = sources::position(each.span.source, each.span.begin);
    out += (out.empty() ? "" : " ") + each.code + " " + std::to_string(p.line) + ":" + std::to_string(p.column);
  }
  return out;
}

std::string shape(const Expr& e) {
  switch (e.kind) {
    case ExprKind::number: return to_text(e.number);
    case ExprKind::quantity: return to_text(e.number) + "[" + e.text + "]";
    case ExprKind::string: return "\"" + e.text + "\"";
    case ExprKind::boolean: return e.flag ? "true" : "false";
    case ExprKind::reference: return path(e.path);
    case ExprKind::call: {
      std::string out = "(call " + path(e.path) + list(e.args);
      for (const NamedArgument& n : e.named) out += " " + n.name.str() + "=" + shape(*n.value);
      return out + ")";
    }
    case ExprKind::unary:
    case ExprKind::binary: return "(" + std::string(symbol(e.op)) + list(e.args) + ")";
    case ExprKind::condition: return "(if" + list(e.args) + ")";
    case ExprKind::array: return "{" + (e.args.empty() ? "" : list(e.args).substr(1)) + "}";
    case ExprKind::matrix: {
      std::string out = "(matrix";
      for (std::uint32_t n : e.row_sizes) out += " " + std::to_string(n);
      return out + " :" + list(e.args) + ")";
    }
    case ExprKind::range: return "(range" + list(e.args) + ")";
    case ExprKind::comprehension: return "(for" + iterators(e) + list(e.args) + ")";
    case ExprKind::colon: return ":";
    case ExprKind::end: return "end";
    case ExprKind::member: return "(member " + shape(*e.args[0]) + " " + path(e.path) + ")";
    case ExprKind::subscript: return "(at" + list(e.args) + ")";
    case ExprKind::tuple: return "(tuple" + list(e.args) + ")";
  }
  return "?";
}

std::string shape(const std::string& expression) {
  Diagnostics d;
  const ExprPtr e = parse_expression(sources::add("test.eq", expression), d);
  return e ? shape(*e) : summary(d);
}

bool same(const std::vector<StmtPtr>& a, const std::vector<StmtPtr>& b) {
  Stmt x, y;
  x.kind = y.kind = StmtKind::test;
  x.body = a;
  y.body = b;
  return syntax::same(x, y);
}

}  // namespace kron::syntax::test
