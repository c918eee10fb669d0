#include <algorithm>
#include <iterator>
#include <utility>

#include "lang/syntax/builder.hpp"
#include "lang/syntax/characters.hpp"
#include "lang/syntax/errors.hpp"
#include "lang/syntax/lexer.hpp"
#include "lang/syntax/parser.hpp"

namespace kron::syntax {

// The text between the quotes, escapes resolved, line ends as \n.
std::string Builder::unquote(const char* b, const char* e) const {
  const Token t = token_at(text_, offset(b));
  std::string_view s(b, std::min(t.end - t.begin, static_cast<std::size_t>(e - b)));
  const std::size_t quotes = t.kind == TokenKind::doc_string ? 3 : 1;
  s = s.substr(quotes, s.size() - 2 * quotes);
  std::string out;
  out.reserve(s.size());
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '\r' && i + 1 < s.size() && s[i + 1] == '\n') continue;
    if (s[i] != '\\') {
      out += s[i];
      continue;
    }
    switch (s[++i]) {
      case 'n': out += '\n'; break;
      case 't': out += '\t'; break;
      case '"': out += '"'; break;
      case '\\': out += '\\'; break;
      default: {
        const char* at = s.data() + i;
        throw Failure{errors::escape(span(at - 1, at + character_length(s, i)))};
      }
    }
  }
  return out;
}

// --- parts of statements

// The modification under construction is the first one of its frame; the nested ones lie above it.
void Builder::modified_path() {
  Modification m;
  m.path = take_from(parts_, frames_.back().parts);
  m.is_final = std::exchange(final_, false);
  mods_.push_back(std::move(m));
}

void Builder::replacement() {
  // The frame of the path has ended: what is on the stack of parts since the modification began is the class.
  mods_[frames_.back().mods].replacement = take_from(parts_, frames_.back().parts);
}

void Builder::modification(const char* e) {
  const Frame& f = frames_.back();
  Modification m = std::move(mods_[f.mods]);
  m.nested = take_from(mods_, f.mods + 1);
  mods_.pop_back();
  std::vector<ExprPtr> value = take_beside(f.operands);
  if (!value.empty()) m.value = std::move(value[0]);
  m.span = span(f.begin, e);
  mods_.push_back(std::move(m));
}

void Builder::base(const char* e) {
  const Frame& f = frames_.back();
  Base b;
  b.path = take_from(parts_, f.parts);
  b.mods = take_from(mods_, f.mods);
  b.span = span(f.begin, e);
  bases_.push_back(std::move(b));
}

void Builder::declared(const char* e) {
  const Frame& f = frames_.back();
  const NameToken name = pop_name();
  if (stmt->names.empty()) stmt->name_span = name.span;
  stmt->names.push_back({name.name, take_beside(f.operands), take_from(mods_, f.mods), span(f.begin, e)});
}

void Builder::type(const char* b, const char* e) {
  const Span s = span(b, e);
  stmt->type_text = UnitText{std::string(text_.substr(s.begin, s.end - s.begin)), s};
}

void Builder::doc(const char* b, const char* e) {
  if (has_doc_) throw Failure{errors::second_doc(span(b, e))};
  has_doc_ = true;
  stmt->doc = unquote(b, e);
}

void Builder::annotation(const char* e) {
  const Frame& f = frames_.back();
  called_ = false;
  stmt->annotations.push_back({pop_name().name, take_beside(f.operands), take_from(named_, f.named), span(f.begin, e)});
}

void Builder::reference(const char* e) {
  auto n = composite(ExprKind::reference, e);
  n->path = take_from(parts_, frames_.back().parts);
}

void Builder::function_input(const char* e) {
  const Frame& f = frames_.back();
  FunctionInput input;
  if (stmt->value) input.fallback = std::exchange(stmt->value, nullptr);
  input.sizes = take_beside(f.operands);
  const NameToken name = pop_name();
  input.name = name.name;
  input.span = span(f.begin, e);
  stmt->inputs.push_back(std::move(input));
}

// --- statements

// `parameter x = 3 : Real` reads as a range, and is none.
void Builder::declaration_value() {
  binding();
  if (stmt->value->kind != ExprKind::range) return;
  const Expr& last = *stmt->value->args.back();
  if (last.kind != ExprKind::reference || last.path.size() != 1) return;
  for (const char* type : {"Real", "Integer", "Boolean", "String"})
    if (last.path[0].name.str() == type) throw Failure{errors::type_behind_value(last.span)};
}

void Builder::component() {
  stmt->kind = StmtKind::declaration;
  stmt->prefix = Prefix::component;
  stmt->class_path = take_parts();
  stmt->mods = take_mods();
}

void Builder::class_name() {
  const NameToken n = pop_name();
  stmt->name = n.name;
  stmt->name_span = n.span;
}

void Builder::label() {
  const NameToken n = pop_name();
  stmt->label = n.name;
  stmt->name_span = n.span;
}

void Builder::equation() {
  stmt->kind = StmtKind::equation;
  stmt->rhs = std::exchange(stmt->value, nullptr);
  stmt->lhs = pop();
  if (stmt->lhs->kind == ExprKind::tuple) std::erase(tuples_, stmt->lhs->span);
}

void Builder::assign() {
  stmt->kind = StmtKind::assign;
  stmt->rhs = pop();
  stmt->refs = take(0);
  if (stmt->refs[0]->kind != ExprKind::reference) throw Failure{errors::assign_target(stmt->refs[0]->span)};
}

void Builder::assertion() {
  stmt->kind = StmtKind::assert_;
  stmt->args = take(0);
  stmt->lhs = std::move(stmt->args.front());
  stmt->args.erase(stmt->args.begin());
  if (stmt->lhs->kind == ExprKind::tuple) throw Failure{errors::call_form(stmt->lhs->span)};
  if (stmt->text.empty()) std::swap(stmt->text, stmt->doc);  // without the comma a text is one, too
}

// root and branch: references, and perhaps a priority.
void Builder::graph(StmtKind k, std::size_t references) {
  stmt->kind = k;
  stmt->refs = take(0);
  if (stmt->refs.size() == references) return;
  stmt->rhs = std::move(stmt->refs.back());
  stmt->refs.pop_back();
}

void Builder::class_statement() {
  stmt->kind = StmtKind::class_;
  stmt->bases = take_bases();
  if (!stmt->is_short) kind = PieceKind::header;
}

void Builder::function() {
  stmt->kind = StmtKind::function;
  if (!stmt->rhs) kind = PieceKind::header;
}

void Builder::header(StmtKind k) {
  stmt->kind = k;
  kind = PieceKind::header;
  if (k == StmtKind::for_) stmt->iterators = take_iterators();
  if (k == StmtKind::if_ || k == StmtKind::when) stmt->branches.push_back({pop(), {}, {}, {}});
}

void Builder::branch_header(PieceKind k) {
  kind = k;
  stmt->branches.push_back({k == PieceKind::else_line ? nullptr : pop(), {}, {}, {}});
}

void Builder::finish() {
  if (!tuples_.empty()) throw Failure{errors::tuple_place(tuples_.front())};
}

}  // namespace kron::syntax
