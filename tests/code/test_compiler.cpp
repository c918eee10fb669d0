// Compiling one tape after the other: what is kept is what would be made once more.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>

#include "engine/code/compiler.hpp"
#include "unknowns.hpp"

using namespace kron;
using namespace kron::code;
using namespace kron::code::test;

namespace {

// Expressions of each other, with iterations, solved matrices and guarded code between them.
class Grown {
 public:
  explicit Grown(unsigned seed) : random_(seed) {
    for (std::uint32_t k = 0; k < 4; ++k) refs.push_back(b.input(InputKind::state, k, k + 1));
    for (std::uint32_t k = 0; k < 3; ++k) refs.push_back(b.input(InputKind::parameter, k, k + 11));
    refs.push_back(b.constant(0.375));
  }
  Grown(const Grown& other, Builder::End end, std::size_t refs_then, unsigned seed)
      : b(other.b), refs(other.refs.begin(), other.refs.begin() + static_cast<std::ptrdiff_t>(refs_then)), random_(seed) {
    b.cut(end);
  }

  void grow(std::size_t nodes) {
    while (b.size() < nodes) {
      switch (random_() % 400) {
        case 0: newton(); break;
        case 1: linear(); break;
        case 2: guarded(); break;
        default: expression();
      }
    }
  }

  Roots roots(std::size_t derivatives, std::size_t outputs) {
    Roots r;
    for (std::size_t k = 0; k < derivatives; ++k) r.derivative.push_back(refs[refs.size() / 2 + k]);
    for (std::size_t k = 0; k < outputs; ++k) r.output.push_back(any());
    r.event = {any()};
    r.inputs[static_cast<std::size_t>(InputKind::state)] = 4;
    r.inputs[static_cast<std::size_t>(InputKind::parameter)] = 3;
    return r;
  }

  Builder b;
  std::vector<Ref> refs;

 private:
  // Mostly of late: a tape of a model is like that, too.
  Ref any() {
    const std::size_t n = refs.size(), late = std::min<std::size_t>(n, 40);
    const Ref r = refs[random_() % 10 != 0 ? n - 1 - random_() % late : random_() % n];
    return random_() % 4 == 0 ? -r : r;
  }
  Ref small() { return b.call(Fn::sin, {any()}); }

  void expression() {
    switch (random_() % 6) {
      case 0: refs.push_back(small()); break;
      case 1: refs.push_back(b.mul(small(), any())); break;
      case 2: refs.push_back(b.pow_int(small(), 3)); break;
      case 3: refs.push_back(b.call(Fn::max, {any(), any()})); break;
      default: refs.push_back(b.mul(b.constant(0.5), b.add(any(), any())));
    }
  }
  void newton() {  // 2 z + sin(z) = a; what is made of z in between belongs to nobody's residual
    NewtonStep step{.size = 1};
    const Ref a = small(), z = make_unknowns(b, 1, step.unknowns, 0x1000 + b.size())[0], s = b.call(Fn::sin, {z});
    refs.push_back(b.mul(z, any()));
    step.residual = {b.sub(b.add(b.mul(b.constant(2.0), z), s), a)};
    step.jacobian = {{0, 0, b.add(b.constant(2.0), b.call(Fn::cos, {z}))}};
    step.start = {code::zero};
    b.add_newton(std::move(step), 1);
    refs.push_back(z);
  }
  void linear() {
    LinearStep step{.size = 2};
    const auto entry = small();
    step.matrix = {{0, 0, b.constant(3.0)}, {0, 1, entry}, {1, 0, -one}, {1, 1, b.constant(2.0)}};
    step.rhs = {small(), any()};
    const auto x = make_unknowns(b, 2, step.unknowns, 0x1000 + b.size());
    b.add_linear(std::move(step), 2);
    refs.insert(refs.end(), x.begin(), x.end());
  }
  void guarded() {  // s x = a by code that divides by s
    LinearStep step{.size = 1};
    const Ref s = b.add(b.constant(2.0), small()), a = any();
    const std::size_t first = b.size();
    step.matrix = {{0, 0, s}};
    step.rhs = {a};
    step.solution = {b.div(a, s)};
    step.watch = {{Watch::Kind::nonzero, s}};
    refs.push_back(b.add_guarded(std::move(step), first, std::vector<Ref>{s}, 3)[0]);
  }

  std::mt19937 random_;
};

std::shared_ptr<const Builder> tape(const Grown& g) { return std::make_shared<const Builder>(g.b); }

}  // namespace

TEST_CASE("a tape that begins like the one before: the program of compile()") {
  constexpr std::size_t common = 30'000;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    Grown first(seed);
    first.grow(common);
    const Builder::End end = first.b.end();
    const std::size_t refs = first.refs.size();
    first.grow(common + 5'000);
    const auto before = tape(first);
    const Roots roots = first.roots(3, 20);
    Compiler compiler;
    CHECK(fingerprint(*compiler.compile(before, roots)) == fingerprint(*compile(*before, roots)));
    CHECK(compiler.pieces_kept() == 0);

    Grown second(first, end, refs, seed + 100);
    second.grow(common + (seed % 2 == 0 ? 100 : 20'000));
    const auto now = tape(second);
    for (const char* kind : {"the roots of before as far as the tapes are the same", "other roots", "a derivative early on"}) {
      CAPTURE(std::string(kind));
      compiler.compile(before, roots);
      Roots wanted = *kind == 't' ? roots : second.roots(3, 20);
      for (auto* list : {&wanted.derivative, &wanted.event, &wanted.output})
        for (Ref& r : *list)
          if (r.node() >= second.b.size() || (*kind == 't' && r.node() >= end.nodes)) r = second.refs.back();
      if (*kind == 'a') wanted.derivative.push_back(second.refs[100]);
      const auto kept = compiler.compile(now, wanted, nullptr, {before, end}), anew = compile(*now, wanted);
      CHECK(fingerprint(*kept) == fingerprint(*anew));
      if (*kind == 't') CHECK(compiler.pieces_kept() >= 1);
      const auto outputs = [&](const std::shared_ptr<const Program>& p) {
        Machine<double> m(p, Backend::interpreter);
        std::ranges::copy(std::array{0.4, 1.3, -0.6}, m.inputs(InputKind::parameter).begin());
        REQUIRE(m.run_parameters() == Status::ok);
        std::vector<double> values(output_size(*p));
        REQUIRE(m.output(0, std::array{0.3, -0.7, 1.1, 0.2}, values) == Status::ok);
        return values;
      };
      const std::vector<double> x = outputs(kept), y = outputs(anew);
      CHECK(std::equal(x.begin(), x.end(), y.begin(), y.end(), [](double a, double b) { return a == b || (a != a && b != b); }));
      // One that was lowered, and for which no roots came, may be followed by another one.
      compiler.lower(before, {now, end});
      CHECK(fingerprint(*compiler.compile(now, wanted, nullptr, {before, end})) == fingerprint(*anew));
      CHECK(compiler.pieces_kept() >= 1);
      // The beginning of a tape that was not compiled last tells nothing.
      CHECK(fingerprint(*compiler.compile(before, roots, nullptr, {before, end})) == fingerprint(*compile(*before, roots)));
      CHECK(compiler.pieces_kept() == 0);
    }
  }
}

TEST_CASE("a compilation that fails leaves nothing behind") {
  Builder b;
  const Ref x = b.input(InputKind::state, 0, 1), u = b.unknown(7, Section::dynamic);
  const auto tape = std::make_shared<const Builder>(b);
  Compiler compiler;
  CHECK_THROWS_AS(compiler.compile(tape, {.derivative = {u}}), std::logic_error);
  const auto program = compiler.compile(tape, {.derivative = {x}}, nullptr, {tape, b.end()});
  CHECK(fingerprint(*program) == fingerprint(*compile(b, {.derivative = {x}})));
}
