// print(): every line is an assignment, names are defined before they are used, and the lines compute the right
// numbers: they are read back by a small parser of the language's expressions.
#include <doctest/doctest.h>

#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "random_program.hpp"

using namespace kron;
using namespace kron::code;
using namespace kron::code::test;

namespace {

class Reader {
 public:
  explicit Reader(std::map<std::string, double>& values) : values_(values) {}
  bool undefined = false;

  double read(const std::string& text) {
    text_ = text;
    at_ = 0;
    const double v = choice();
    skip();
    if (at_ != text_.size()) FAIL("cannot read: ", text);
    return v;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(const std::string& token) {
    skip();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    const std::size_t end = at_ + token.size();
    if (std::isalpha(static_cast<unsigned char>(token[0])) && end < text_.size() &&
        std::isalnum(static_cast<unsigned char>(text_[end])))
      return false;
    at_ = end;
    return true;
  }
  double choice() {
    if (!take("if")) return disjunction();
    const double c = disjunction();
    REQUIRE(take("then"));
    const double a = disjunction();
    REQUIRE(take("else"));
    const double b = choice();
    return c != 0 ? a : b;
  }
  double disjunction() {
    double v = conjunction();
    while (take("or")) {
      const double w = conjunction();
      v = v != 0 || w != 0;
    }
    return v;
  }
  double conjunction() {
    double v = negation();
    while (take("and")) {
      const double w = negation();
      v = v != 0 && w != 0;
    }
    return v;
  }
  double negation() { return take("not") ? static_cast<double>(negation() == 0) : relation(); }
  double relation() {
    const double v = sum();
    if (take("<=")) return v <= sum();
    if (take("==")) return v == sum();
    if (take("<")) return v < sum();
    return v;
  }
  double sum() {
    double v = product();
    for (;;) {
      if (take("+"))
        v += product();
      else if (take("-"))
        v -= product();
      else
        return v;
    }
  }
  double product() {
    double v = sign();
    for (;;) {
      if (take("*"))
        v *= sign();
      else if (take("/"))
        v /= sign();
      else
        return v;
    }
  }
  double sign() { return take("-") ? -sign() : power(); }
  double power() {
    const double v = atom();
    if (!take("^")) return v;
    return std::pow(v, sign());
  }
  double atom() {
    if (take("(")) {
      const double v = choice();
      REQUIRE(take(")"));
      return v;
    }
    skip();
    if (std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      std::size_t used = 0;
      const double v = std::stod(text_.substr(at_), &used);
      at_ += used;
      return v;
    }
    std::string name;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '.'))
      name += text_[at_++];
    if (at_ < text_.size() && text_[at_] == '(') return function(name);
    const auto found = values_.find(name);
    if (found == values_.end()) undefined = true;
    return found == values_.end() ? 0 : found->second;
  }
  double function(const std::string& name) {
    std::vector<double> v;
    ++at_;
    do v.push_back(choice());
    while (take(","));
    REQUIRE(take(")"));
    if (name == "interpolate" || name == "interpolate_slope") return interpolate(name, v);
    const auto fn = function_named(name);
    REQUIRE(fn);
    switch (*fn) {
#define KRON_UNARY(id) \
  case Fn::id:         \
    return Unary<Fn::id>::value(v[0]);
#define KRON_BINARY(id) \
  case Fn::id:          \
    return Binary<Fn::id>::value(v[0], v[1]);
#include "engine/code/functions.def"
#undef KRON_UNARY
#undef KRON_BINARY
      default:
        FAIL("unknown function ", name);
    }
    return 0;
  }
  static double interpolate(const std::string& name, const std::vector<double>& v) {
    const std::size_t n = (v.size() - 1) / 2, k = segment([&](std::size_t i) { return v[1 + i]; }, n, v[0]);
    const double slope = (v[2 + n + k] - v[1 + n + k]) / (v[2 + k] - v[1 + k]);
    return name == "interpolate" ? v[1 + n + k] + slope * (v[0] - v[1 + k]) : slope;
  }

  std::map<std::string, double>& values_;
  std::string text_;
  std::size_t at_ = 0;
};

PrintNames names_for(const Builder& b) {
  PrintNames names;
  names.input = [](const Input& i) {
    if (i.kind == InputKind::time) return std::string("time");
    return (i.kind == InputKind::state ? "x" : "p") + std::to_string(i.index);
  };
  names.unknown = [&b](std::uint32_t n) {
    static_cast<void>(b);
    return "z" + std::to_string(n);
  };
  return names;
}

struct Lines {
  std::vector<std::pair<std::string, std::string>>
      assignments;  // with the heading `solve core …` in front of the left side
  std::vector<std::string> comments;
};

Lines split(const std::string& text) {
  Lines out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("//")) {
      out.comments.push_back(line);
      continue;
    }
    const auto mark = line.find(" := ");
    REQUIRE(mark != std::string::npos);
    out.assignments.emplace_back(line.substr(0, mark), line.substr(mark + 4));
  }
  return out;
}

}  // namespace

TEST_CASE("print: random programs read back") {
  std::mt19937 random(41);
  std::uniform_real_distribution<double> u(-2, 2);
  int compared = 0;
  for (int program = 0; program < 1500; ++program) {
    CAPTURE(program);
    const RandomProgram p = make_program(random, 30 + static_cast<int>(random() % 50));
    Built b = build(p);
    std::vector<NamedRoot> roots;
    for (std::size_t i = 0; i < b.roots.derivative.size(); ++i)
      roots.push_back({b.roots.derivative[i], "r" + std::to_string(i), static_cast<std::uint32_t>(i / 3)});
    std::vector<std::uint32_t> unknown_nodes;
    for (std::uint32_t n = 0; n < b.builder.size(); ++n)
      if (b.builder.nodes()[n].op == Op::unknown) unknown_nodes.push_back(n), b.roots.output.push_back(Ref{n << 1});
    const std::string text = print(b.builder, roots, names_for(b.builder));
    CAPTURE(text);

    Machine<double> m(compile(b.builder, b.roots));
    std::array<double, 4> y{};
    std::array<double, 3> parameters{};
    std::map<std::string, double> values{{"pi", std::acos(-1.0)}};
    const double t = values["time"] = u(random);
    for (std::size_t i = 0; i < 4; ++i) y[i] = values["x" + std::to_string(i)] = u(random);
    for (std::size_t i = 0; i < 3; ++i)
      m.inputs(InputKind::parameter)[i] = parameters[i] = values["p" + std::to_string(i)] = u(random);
    m.run_parameters();
    std::vector<double> out(b.roots.output.size());
    if (m.output(t, y, out) != Status::ok) continue;
    std::map<std::string, double> solved;
    for (std::size_t i = 0; i < unknown_nodes.size(); ++i)
      solved["z" + std::to_string(unknown_nodes[i])] = out[roots.size() + i];

    Reader reader(values);
    for (auto [left, right] : split(text).assignments) {
      if (const auto mark = left.find(": "); mark != std::string::npos) {
        REQUIRE(left.starts_with("solve core of "));
        left = left.substr(mark + 2);
        if (left[0] == '(' || left[0] == 'z') {  // the solution of a step, or the first guess of one
          for (std::istringstream list(left); list;) {
            std::string name;
            std::getline(list, name, ',');
            std::erase_if(name, [](char c) { return c == '(' || c == ')' || c == ' '; });
            if (!name.empty()) values[name] = solved.at(name);
          }
          continue;
        }
        values[left] = reader.read(right);
        continue;
      }
      CHECK(!values.contains(left));
      values[left] = reader.read(right);
    }
    CHECK_FALSE(reader.undefined);
    Reference reference(p, t, y, parameters);
    for (std::size_t i = 0; i < roots.size(); ++i) {
      REQUIRE(values.contains(roots[i].name));
      const auto v = reference(p.roots[i]);
      if (!v) continue;
      ++compared;
      CAPTURE(roots[i].name);
      CHECK(std::fabs(values[roots[i].name] - static_cast<double>(v->value)) <= 50 * v->error + 1e-300);
    }
  }
  CHECK(compared > 2000);
}

TEST_CASE("print: a circuit as one would write it") {
  Builder b;
  const Ref v = b.input(InputKind::state, 0, 1), i = b.input(InputKind::state, 1, 2),
            c = b.input(InputKind::parameter, 0, 3), r = b.input(InputKind::parameter, 1, 4);
  PrintNames names;
  names.input = [](const Input& in) {
    const bool state = in.kind == InputKind::state;
    return std::string(state ? (in.index == 0 ? "C.v" : "L.i") : (in.index == 0 ? "C.C" : "R.R"));
  };
  const Ref drop = b.mul(r, i);
  const std::vector<NamedRoot> roots{
      {b.div(i, c), "der(C.v)", 1}, {b.sub(-v, drop), "L.v", 2}, {b.mul(drop, i), "R.P", 2}, {-i, "C.n.i", 3}};
  CHECK(print(b, roots, names) ==
        "// dynamic section\n"
        "// block 1\n"
        "der(C.v) := L.i/C.C\n"
        "// block 2\n"
        "c1 := R.R*L.i\n"
        "L.v := -(C.v + c1)\n"
        "R.P := c1*L.i\n"
        "// block 3\n"
        "C.n.i := -L.i\n");
}

TEST_CASE("print: few parentheses") {
  Builder b;
  PrintNames names;
  names.input = [](const Input& in) { return std::string(1, static_cast<char>('a' + in.index)); };
  const auto in = [&](std::uint32_t i) { return b.input(InputKind::state, i, i + 1); };
  const Ref x = in(0), y = in(1), z = in(2);
  const struct {
    Ref r;
    std::string text;
  } rows[] = {
      {b.add(b.mul(x, y), z), "a*b + c"},
      {b.mul(x, b.add(y, z)), "a*(b + c)"},
      {b.sub(x, b.sub(y, z)), "a - (b - c)"},
      {b.add(x, b.sub(in(3), in(4))), "a + d - e"},
      {b.div(x, b.mul(y, z)), "a/(b*c)"},
      {b.div(b.div(in(3), in(4)), z), "d/e/c"},
      {b.mul(x, x), "a^2"},
      {b.pow_int(b.add(x, y), 3), "(a + b)^3"},
      {b.pow_int(y, -3), "b^-3"},
      {b.pow(x, b.add(y, one)), "a^(b + 1)"},
      {-b.mul(y, z), "-b*c"},
      {b.call(Fn::sin, {b.sub(x, z)}), "sin(a - c)"},
      {b.call(Fn::select, {b.call(Fn::lt, {x, y}), b.add(x, y), z}), "if a < b then a + b else c"},
      {b.mul(z, b.call(Fn::select, {b.call(Fn::le, {y, x}), x, z})), "c*(if b <= a then a else c)"},
      {b.mul(b.constant(0.5), b.sub(x, z)), "0.5*(a - c)"},
      {b.sub(b.constant(-1.0), b.mul(x, z)), "-(1 + a*c)"},
  };
  for (const auto& row : rows) {
    const std::vector<NamedRoot> roots{{row.r, "r", 0}};
    CHECK(print(b, roots, names) == "// dynamic section\n// block 0\nr := " + row.text + "\n");
  }
}

TEST_CASE("print: a chain of ten thousand sums stays readable, and depends on nothing else in the tape") {
  Builder b;
  const auto make = [&b] {
    Ref sum = zero;
    for (std::uint32_t i = 0; i < 10000; ++i)
      sum = b.add(sum, b.mul(b.input(InputKind::state, i, i + 1), b.input(InputKind::parameter, i, i + 1)));
    return sum;
  };
  const Ref first = make();
  const PrintNames names = names_for(b);
  const std::vector<NamedRoot> roots{{first, "s", 0}};
  const std::string before = print(b, roots, names);
  for (const auto& [left, right] : split(before).assignments) CHECK(right.size() < 400);
  b.call(Fn::exp, {first});
  CHECK(print(b, roots, names) == before);
}

TEST_CASE("print: a Newton iteration within another names everything before it is used") {
  Builder b;
  const Ref x = b.input(InputKind::state, 0, 1), z = b.unknown(100, Section::dynamic),
            w = b.unknown(200, Section::dynamic);
  const Ref w2 = b.mul(w, w), slope = b.add(one, w2);
  b.add_newton(
      {.size = 1, .residual = {b.sub(b.add(w, b.mul(w2, w)), z)}, .jacobian = {{0, 0, slope}}, .unknowns = {w.node()}},
      1);
  b.add_newton({.size = 1,
                .residual = {b.sub(b.add(z, w), x)},
                .jacobian = {{0, 0, b.add(one, b.inv(slope))}},
                .unknowns = {z.node()}},
               2);
  for (const Ref first : {z, w, b.mul(w, z), b.add(slope, z)}) {
    const std::vector<NamedRoot> roots{{first, "a", 0}, {b.sub(w2, z), "b", 1}};
    const std::string text = print(b, roots, names_for(b));
    CAPTURE(text);
    std::map<std::string, double> values{{"x0", 1}};
    Reader reader(values);
    std::set<std::string> ends;
    for (auto [left, right] : split(text).assignments) {
      const auto mark = left.find(": ");
      const std::string name = mark == std::string::npos ? left : left.substr(mark + 2);
      if (right.starts_with("newton")) ends.insert(name);
      values[name] = right.starts_with("newton") ? 1 : reader.read(right);
    }
    CHECK_FALSE(reader.undefined);
    CHECK(ends.size() == 2);
  }
}
