// Large, deep and heavily shared expressions; expansions that would explode; the same results in every process.
#include <doctest/doctest.h>

#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <memory>

#include "tests/model/support.hpp"
#include "tests/support/sanitized.hpp"

using namespace kron;
using namespace kron::model;
using namespace kron::model::testing;

namespace {

constexpr double slowness = kron::sanitized ? 30 : 1;

// One second of processor time for each part, several times what they take.
template <class Work>
void within_a_second(const std::string& what, Work&& work) {
  const std::clock_t begin = std::clock();
  work();
  CAPTURE(what);
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < slowness);
}

NodeId slot(Exprs& e, std::uint32_t k) { return e.operand(Operand::value(SlotId{k})); }

// Everything the form table can be asked about a form, for a few placeholders.
void ask_everything(const std::string& what, const Exprs& from, NodeId root, bool every_placeholder = false) {
  Bound b;
  within_a_second(what + ": intern", [&] { b = forms().intern(from, root); });
  const std::uint32_t n = forms().arity(b.form), step = every_placeholder ? 1 : std::max(1u, n / 3);
  auto each = [&](auto&& ask) { for (std::uint32_t k = 0; k < n; k += step) ask(k); };
  within_a_second(what + ": integer row", [&] { forms().integer_row(b.form); });
  within_a_second(what + ": linear", [&] { each([&](std::uint32_t k) { forms().linear(b.form, k); }); });
  within_a_second(what + ": partial", [&] { each([&](std::uint32_t k) { forms().partial(b.form, k); }); });
  within_a_second(what + ": isolate", [&] { for (std::uint32_t k = 0; k < n; k += std::max(1u, n / 3)) forms().isolate(b.form, k); });
  within_a_second(what + ": marks", [&] { forms().unmarked(b.form); forms().only_relaxed(b.form, 0); forms().has_residue(b.form, 0); });
  within_a_second(what + ": derivative", [&] { forms().time_derivative(b.form, b.operands, [](Operand) { return false; }); });
  within_a_second(what + ": specialise", [&] {
    std::vector<Replacement> with(n);
    for (std::uint32_t k = 0; k < n; ++k) with[k].placeholder = static_cast<std::int32_t>(k / 2);
    std::vector<std::uint32_t> order;
    forms().specialise(b.form, with, order);
  });
  within_a_second(what + ": print", [&] { text(b); });
}

}  // namespace

TEST_CASE("large: sums of 10,000 terms") {
  constexpr std::uint32_t n = 10000;
  for (const bool to_the_right : {false, true}) {
    const std::string side = to_the_right ? " to the right" : "";
    Exprs e;
    NodeId plain = slot(e, 0), weighted = plain, squares = plain;
    for (std::uint32_t k = 1; k < n; ++k) {
      const NodeId x = slot(e, k), c = slot(e, n + k);
      auto grow = [&](NodeId sum, NodeId term) { return to_the_right ? e.sub(term, sum) : k % 3 == 0 ? e.sub(sum, term) : e.add(sum, term); };
      plain = grow(plain, x);
      weighted = grow(weighted, e.mul(c, x));
      squares = grow(squares, e.mul(x, x));
    }
    ask_everything("plain" + side, e, plain, true);
    ask_everything("weighted" + side, e, weighted, true);
    ask_everything("squares" + side, e, squares, true);
    const Bound b = forms().intern(e, plain);
    CHECK(forms().integer_row(b.form));
    CHECK(b.operands.size() == n);
  }
}

TEST_CASE("large: a long sum is split like a short one") {
  Random random(51);
  Exprs& e = forms().exprs();
  for (const std::uint32_t n : {70u, 100u}) {
    std::vector<NodeId> p = placeholders(e, n);
    NodeId sum = e.literal(3);
    for (std::uint32_t k = 0; k < n; ++k) {
      NodeId term = p[k];
      if (k % 5 == 1) term = e.mul(p[(k * 7) % n], p[k]);
      if (k % 5 == 2) term = e.neg(e.sub(p[k], e.call(Fn::sin, {p[(k + 1) % n]})));
      if (k % 5 == 3) term = e.mul(p[k], p[k]);
      sum = k % 2 == 0 ? e.add(sum, term) : e.sub(term, sum);
    }
    const FormId f = forms().intern_placeholders(sum);
    std::vector<double> at;
    for (std::uint32_t k = 0; k < n; ++k) at.push_back(uniform(random, -1, 1));
    const double value = at_point(e, sum, at);
    for (std::uint32_t k = 0; k < n; ++k) {
      CAPTURE(k);
      const Linear& l = forms().linear(f, k);
      if (l.linear) CHECK(at_point(e, l.coefficient, at) * at[k] + at_point(e, l.rest, at) == doctest::Approx(value).epsilon(1e-9));
      auto moved = at;
      moved[k] += 1e-6;
      CHECK(std::abs((at_point(e, sum, moved) - value) / 1e-6 - at_point(e, forms().partial(f, k), at)) < 1e-4);
      moved[k] = at[k] - 1e-6;
      if (!l.linear) {
        auto other = at;
        other[k] += 0.5;
        moved[k] = at[k] - 0.5;
        CHECK(std::abs(at_point(e, sum, moved) + at_point(e, sum, other) - 2 * value) > 1e-6);
      }
    }
  }
}

TEST_CASE("deep: chains of 10,000") {
  Exprs e;
  NodeId functions = slot(e, 0), horner = functions, quotients = functions, choices = functions;
  for (std::uint32_t k = 1; k < 10000; ++k) {
    functions = e.call(k % 2 == 0 ? Fn::sin : Fn::exp, {functions});
    horner = e.add(e.mul(horner, slot(e, 1)), slot(e, 2));
    quotients = e.div(slot(e, 1 + k % 3), e.add(quotients, slot(e, 0)));
    choices = e.call(Fn::select, {e.call(Fn::lt, {slot(e, 1), slot(e, 2)}), choices, e.add(choices, slot(e, 3))});
  }
  ask_everything("functions", e, functions);
  ask_everything("horner", e, horner);
  ask_everything("quotients", e, quotients);
  ask_everything("choices", e, choices);
}

TEST_CASE("shared: as trees they would have 2^60 nodes") {
  Exprs e;
  const NodeId y = slot(e, 1);
  NodeId squares = slot(e, 0), sums = squares, cancelling = squares, marked = squares, powers = squares, wide = squares;
  for (std::uint32_t k = 2; k < 100; ++k) wide = e.add(wide, slot(e, k));
  for (int k = 0; k < 60; ++k) {
    squares = e.add(e.mul(squares, squares), y);
    sums = e.sub(e.add(sums, sums), y);
    cancelling = e.add(e.sub(e.mul(cancelling, y), e.mul(cancelling, y)), e.sub(e.add(cancelling, y), y));
    marked = e.add(e.call(Fn::relax, {marked}), e.mul(marked, y));
    powers = e.add(e.pow(powers, e.literal(2)), e.pow(powers, e.literal(3)));
    wide = e.add(wide, wide);
  }
  ask_everything("squares", e, squares);
  ask_everything("sums", e, sums);
  ask_everything("cancelling", e, cancelling);
  ask_everything("marked", e, marked);
  ask_everything("powers", e, powers);
  ask_everything("wide", e, wide);
  ask_everything("wide, not whole", e, e.mul(wide, slot(e, 5)));
  const Bound b = forms().intern(e, e.add(e.sub(e.add(y, y), y), slot(e, 0)));
  CHECK(forms().integer_row(b.form)->coefficient == std::vector<std::int64_t>{1, 1});
}

TEST_CASE("expansion: what would explode is not expanded") {
  Exprs e;
  NodeId product = e.literal(1), nested = slot(e, 0), tower = e.literal(3), fractions = slot(e, 0), big = e.literal(Rational(pow(Integer(7), 700)));
  for (std::uint32_t k = 0; k < 30; ++k) {
    product = e.mul(product, e.add(slot(e, 2 * k), slot(e, 2 * k + 1)));
    if (k < 6) nested = e.pow(e.add(nested, slot(e, k + 1)), e.literal(8));
    tower = e.pow(tower, e.literal(8));
    fractions = e.div(slot(e, k), e.add(fractions, slot(e, k + 1)));
    big = e.mul(big, big);
  }
  ask_everything("product of sums", e, product, true);
  ask_everything("nested powers", e, nested, true);
  ask_everything("tower of numbers", e, e.mul(tower, e.mul(slot(e, 0), slot(e, 0))), true);
  ask_everything("continued fraction", e, fractions, true);
  ask_everything("big numbers", e, e.sub(e.mul(big, e.mul(slot(e, 0), slot(e, 0))), slot(e, 1)), true);
  within_a_second("powers of sums below", [&] {
    NodeId n = e.literal(1);
    for (std::uint32_t k = 0; k < 12; ++k) n = e.div(n, e.pow(e.add(e.add(slot(e, k), slot(e, k + 1)), slot(e, k + 2)), e.literal(-7)));
    simplify(e, n);
  });
}

TEST_CASE("many: 100,000 forms of operands, each different") {
  Exprs e;
  within_a_second("intern", [&] {
    for (std::uint32_t k = 0; k < 50000; ++k) {
      const NodeId n = e.sub(e.mul(slot(e, k), slot(e, k + 1)), e.pow(slot(e, k), e.literal(static_cast<long>(k))));
      forms().intern(e, n);
    }
  });
}

// GiNaC orders terms by addresses, which differ between processes; nothing of that may show. The case "workload" prints what it
// computes; the test runs it in processes of its own.
TEST_CASE("workload" * doctest::skip()) {
  Random random(52);
  Exprs& e = forms().exprs();
  for (int i = 0; i < 1500; ++i) {
    RandomExpression expression{e, random, i % 2 == 0};
    const FormId f = forms().intern_placeholders(expression(placeholders(e, 4), 4 + static_cast<int>(random() % 12)));
    std::string line = form_text(f) + ":";
    for (std::uint32_t k = 0; k < forms().arity(f); ++k) {
      const Linear& l = forms().linear(f, k);
      if (l.linear) line += " " + text(e, l.coefficient) + " & " + text(e, l.rest);
      line += " ' " + text(e, forms().partial(f, k));
      if (const auto& s = forms().isolate(f, k)) line += " = " + text(e, s->value);
    }
    line += " ~ " + text(e, simplify(e, forms().root(f)));
    std::puts(line.c_str());
  }
}

TEST_CASE("the same results in every process") {
  std::array<char, 4096> self{};
  REQUIRE(::readlink("/proc/self/exe", self.data(), self.size() - 1) > 0);
  auto run = [&] {
    const std::string command = "'" + std::string(self.data()) + "' --no-skip --test-case=workload --no-version --minimal 2>&1";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    REQUIRE(pipe);
    std::string out;
    std::array<char, 65536> buffer{};
    for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0;) out.append(buffer.data(), n);
    return out;
  };
  const std::string first = run();
  CHECK(first.size() > 10000);
  for (int i = 0; i < 2; ++i) {
    const std::string again = run();
    if (again == first) continue;
    std::size_t at = 0;
    while (at < std::min(first.size(), again.size()) && first[at] == again[at]) ++at;
    const auto line = [&](const std::string& s) { return s.substr(s.rfind('\n', at) + 1, s.find('\n', at) - s.rfind('\n', at) - 1); };
    CHECK(line(again) == line(first));
  }
}
