// What the fields of the tree hold.
#include "tests/syntax/support.hpp"

namespace kron::syntax::test {
namespace {

StmtPtr one(const std::string& text) {
  const Parsed p = parse_text(text);
  REQUIRE_MESSAGE(p.diagnostics.list().empty(), rendered(p.diagnostics));
  REQUIRE(p.statements.size() == 1);
  return p.statements[0];
}

std::string quote(Span s) { return std::string(sources::quote(s)); }

}  // namespace

TEST_CASE("tree: declarations") {
  auto s = one("private final parameter R[3, n](min = 0, fixed) : Ohm/m = {1, 2, 3} \"doc\" @a(1) @b");
  CHECK(s->kind == StmtKind::declaration);
  CHECK(s->prefix == Prefix::parameter);
  CHECK((s->is_private && s->is_final && !s->is_outer));
  REQUIRE(s->names.size() == 1);
  CHECK(s->names[0].sizes.size() == 2);
  REQUIRE(s->names[0].attributes.size() == 2);
  CHECK(s->names[0].attributes[0].value != nullptr);
  CHECK(s->names[0].attributes[1].value == nullptr);
  CHECK(s->type_text->text == "Ohm/m");
  CHECK(quote(s->type_text->span) == "Ohm/m");
  CHECK(shape(*s->value) == "{1 2 3}");
  CHECK(s->doc == "doc");
  REQUIRE(s->annotations.size() == 2);
  CHECK(s->annotations[0].args.size() == 1);
  CHECK(quote(s->annotations[0].span) == "@a(1)");
  CHECK(quote(s->name_span) == "R");

  s = one("p, n[2] : lib.Pin(x = 1) = y if a < b");
  CHECK(s->prefix == Prefix::component);
  CHECK(s->names.size() == 2);
  CHECK(print(s->class_path) == "lib.Pin");
  CHECK(s->mods.size() == 1);
  CHECK(shape(*s->value) == "y");
  CHECK(shape(*s->condition) == "(< a b)");
  CHECK(one("x : Real = 3")->class_path.size() == 1);
  CHECK(one("outer world : World")->is_outer);
}

TEST_CASE("tree: modifications") {
  const auto s = one("c : C(final a.b[2](x = 1, fixed) = 3, m : lib.M(J = 2))");
  REQUIRE(s->mods.size() == 2);
  const Modification& a = s->mods[0];
  CHECK(a.is_final);
  CHECK(print(a.path) == "a.b[2]");
  CHECK(a.nested.size() == 2);
  CHECK(shape(*a.value) == "3");
  CHECK(a.replacement.empty());
  CHECK(quote(a.span) == "final a.b[2](x = 1, fixed) = 3");
  const Modification& m = s->mods[1];
  CHECK(print(m.path) == "m");
  CHECK(print(m.replacement) == "lib.M");
  CHECK(m.nested.size() == 1);
  CHECK(!m.value);
  CHECK(print(m) == "m : lib.M(J = 2)");
}

TEST_CASE("tree: equations and labels") {
  auto s = one("balance :: initial J * a = t \"doc\"");
  CHECK(s->kind == StmtKind::equation);
  CHECK(s->label.str() == "balance");
  CHECK(s->is_initial);
  CHECK(shape(*s->lhs) == "(* J a)");
  CHECK(shape(*s->rhs) == "t");
  CHECK(s->doc == "doc");
  CHECK(one("l :: connect a, b, c")->refs.size() == 3);
  CHECK(one("l :: for k in 1:2\n  x = 1\nend")->label.str() == "l");
  CHECK(shape(*one("(x, y) = f(u)")->lhs) == "(tuple x y)");
  s = one("assert R > 0, \"m\", R, 2 at T");
  CHECK(shape(*s->lhs) == "(> R 0)");
  CHECK(s->text == "m");
  CHECK(s->args.size() == 2);
  CHECK(shape(*s->at) == "T");
  s = one("reinit a.v = -v");
  CHECK((s->kind == StmtKind::reinit && shape(*s->lhs) == "a.v" && shape(*s->rhs) == "(neg v)"));
  CHECK(one("root f.R, 5")->rhs != nullptr);
  CHECK(one("root f.R, 5")->refs.size() == 1);
  CHECK(one("branch a.R, b.R")->refs.size() == 2);
  CHECK(one("terminate \"done\"")->text == "done");
}

TEST_CASE("tree: blocks") {
  auto s = one("if a\n  x = 1\nelseif b\n  x = 2\n  y = 2\nelse\nend");
  REQUIRE(s->branches.size() == 3);
  CHECK(shape(*s->branches[1].condition) == "b");
  CHECK(s->branches[1].body.size() == 2);
  CHECK(s->branches[1].body[0]->depth == 1);
  CHECK(s->branches[2].condition == nullptr);
  CHECK(quote(s->span) == "if a\n  x = 1\nelseif b\n  x = 2\n  y = 2\nelse\nend");
  s = one("initial\n  x = 1\nend");
  CHECK((s->kind == StmtKind::initial_block && s->body.size() == 1));
  s = one("initial for k in 1:2, j\n  x = 1\nend");
  CHECK((s->kind == StmtKind::for_ && s->is_initial && s->iterators.size() == 2 && !s->iterators[1].range));
}

TEST_CASE("tree: classes, functions, libraries") {
  auto s =
      one("partial model Damped extends Base(k = 3), lib.Other \"doc\" @icon\n  extends Third\n  x = 1\nend Damped");
  CHECK((s->kind == StmtKind::class_ && s->is_partial && s->class_kind == ClassKind::model && !s->is_short));
  CHECK(s->name.str() == "Damped");
  CHECK(quote(s->name_span) == "Damped");
  REQUIRE(s->bases.size() == 2);
  CHECK(s->bases[0].mods.size() == 1);
  CHECK(s->body.size() == 2);
  CHECK(s->body[0]->bases.size() == 1);
  s = one("model M\n  \"the doc\"\n  x = 1\nend");
  CHECK(s->doc == "the doc");
  CHECK(s->body[0]->kind == StmtKind::doc);
  s = one("model R1k = Resistor(R = 1000)");
  CHECK((s->is_short && s->bases.size() == 1));
  s = one("function f(axis[3], angle = 0)\n  c = 1\n  return c, angle\nend");
  REQUIRE(s->inputs.size() == 2);
  CHECK(s->inputs[0].sizes.size() == 1);
  CHECK(shape(*s->inputs[1].fallback) == "0");
  CHECK(s->body[1]->args.size() == 2);
  CHECK(one("function norm(v[:]) = sqrt(v * v)")->rhs != nullptr);
  CHECK(one("enum A B, C")->literals.size() == 2);
  s = one("use rotational: Damper, Fixed");
  CHECK((s->text == "rotational" && s->members.size() == 2 && !s->is_file));
  s = one("use \"my.eq\" as m");
  CHECK((s->text == "my.eq" && s->name.str() == "m" && s->is_file));
  s = one("test \"t\"\n  :simulate until 10\nend");
  CHECK((s->text == "t" && s->body[0]->kind == StmtKind::command && s->body[0]->text == "until 10"));
}

TEST_CASE("tree: edits") {
  auto s = one("R1.R := 2 * p");
  CHECK((s->kind == StmtKind::assign && shape(*s->refs[0]) == "R1.R" && shape(*s->rhs) == "(* 2 p)"));
  CHECK(one("delete connect a, b")->is_connect);
  CHECK(one("delete connect a, b")->refs.size() == 2);
  s = one("tear der(v), R1.e1");
  CHECK((shape(*s->refs[0]) == "(call der v)" && shape(*s->refs[1]) == "R1.e1"));
  CHECK(one("tear residue e1")->is_residue);
  CHECK(one("untear v")->is_untear);
  CHECK(one("experiment stop = 10, method = bdf")->named.size() == 2);
}

}  // namespace kron::syntax::test
