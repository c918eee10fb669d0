// Machine code and interpreter give the same numbers, bit for bit; so does the tape as C, compiled by the system's compiler.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/jit/assemble.hpp"
#include "random_program.hpp"
#include "same.hpp"
#include "tests/support/c_text.hpp"
#include "tests/support/sanitized.hpp"

using namespace kron;
using namespace kron::code;
using namespace kron::code::test;
using kron::test::c_text;
using kron::test::CFunction;
using kron::test::give_functions;

namespace {

using kron::code::test::same;
bool same(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return same(x, y); });
}
bool same(const Statistics& a, const Statistics& b) {
  return a.newton_iterations == b.newton_iterations && a.newton_solves == b.newton_solves && a.kinsol_solves == b.kinsol_solves &&
         a.linear_solves == b.linear_solves && a.guard_events == b.guard_events;
}

struct StatePoint {
  double t = 0;
  std::array<double, RandomProgram::states> y{};
};
StatePoint random_state_point(std::mt19937& random) {
  std::uniform_real_distribution<double> u(-2, 2);
  StatePoint q{u(random), {}};
  for (double& x : q.y) x = random() % 8 == 0 ? std::floor(u(random)) : u(random);
  return q;
}

struct NativeRunner {
  Machine<double> machine;
  std::vector<double> derivative, output, tangents;
  std::vector<Status> status;
  NativeRunner(const std::shared_ptr<const Program>& p, std::span<const double> parameters, Backend backend)
      : machine(p, backend), derivative(derivative_size(*p)), output(output_size(*p)), tangents(3 * derivative.size()) {
    machine.tolerance(1e-12);
    std::copy(parameters.begin(), parameters.end(), machine.inputs(InputKind::parameter).begin());
    status.push_back(machine.run_parameters());
  }
  void run(const StatePoint& at) {
    static constexpr std::array<double, 3 * RandomProgram::states> seeds{1, 0, 0, 0, 0, 1, 0, 0, 0.5, -1, 2, 0.25};
    status = {machine.derivative(at.t, at.y, derivative), machine.output(at.t, at.y, output)};
    std::fill(tangents.begin(), tangents.end(), 0.0);
    if (status[1] == Status::ok) status.push_back(machine.tangent(at.t, at.y, 3, seeds, tangents));
    if (status[1] == Status::ok) machine.accept();
  }
};

}  // namespace

TEST_CASE("machine code: random programs give the interpreter's numbers, counts and failures") {
  if (!jit::available()) return;
  std::mt19937 random(20261120);
  std::uniform_real_distribution<double> u(-2, 2);
  std::size_t cold = 0, failed = 0, regions = 0;
  const auto cache = std::make_shared<jit::Cache>();
  const int programs = sanitized ? 500 : 10000;
  for (int k = 0; k < programs; ++k) {
    CAPTURE(k);
    Built b = build(make_program(random, 25 + static_cast<int>(random() % (k % 100 == 0 ? 2000 : 60))));
    b.roots.output.erase(b.roots.output.begin());
    b.roots.derivative.resize(4);
    const auto program = compile(b.builder, b.roots, cache);
    const std::array parameters{u(random), u(random), u(random)};
    NativeRunner interpreter(program, parameters, Backend::interpreter), native(program, parameters, Backend::machine_code);
    for (int point = 0; point < 3; ++point) {
      const StatePoint at = random_state_point(random);
      interpreter.run(at);
      native.run(at);
      REQUIRE(interpreter.status == native.status);
      if (interpreter.status[0] == Status::ok) REQUIRE(same(interpreter.derivative, native.derivative));
      if (interpreter.status[1] == Status::ok) REQUIRE(same(interpreter.output, native.output));
      REQUIRE(same(interpreter.tangents, native.tangents));
      REQUIRE(same(interpreter.machine.statistics(), native.machine.statistics()));
      if (interpreter.status[1] == Status::ok) REQUIRE(interpreter.machine.cold_blocks() == native.machine.cold_blocks());
      cold += !native.machine.cold_blocks().empty();
      failed += native.status[1] != Status::ok;
    }
    regions += native_report(*program).regions;
  }
  CHECK(static_cast<int>(cold) > programs / 20);
  CHECK(static_cast<int>(failed) > programs / 100);
  CHECK(static_cast<int>(regions) > 2 * programs);
}

TEST_CASE("machine code: sine and cosine of one angle, computed together, are what each is alone, for any angle") {
  if (!jit::available()) return;
  Builder b;
  const Ref x = b.input(InputKind::state, 0, 1);
  const auto program = compile(b, {.output = {b.call(Fn::cos, {x}), b.call(Fn::sin, {x})}});
  Machine<double> m(program, Backend::machine_code);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> u(-10, 10);
  std::array<double, 2> value{};
  for (int k = 0; k < 300000; ++k) {
    const double at = k % 2 == 0 ? u(random) : std::bit_cast<double>(random());
    REQUIRE(m.output(0, std::array{at}, value) == Status::ok);
    if (!same(value, std::array{cosine(at), sine(at)})) {
      CAPTURE(at);
      CHECK(value[0] == cosine(at));
      CHECK(value[1] == sine(at));
    }
  }
}

// A pass up and a pass down a row of equal cells, as in chains of bodies: values of the cell, of those before, of the other pass, of parameters
// and states; here and there a cell is different.
TEST_CASE("machine code: repeated structure runs as loops, with the interpreter's numbers") {
  if (!jit::available()) return;
  std::mt19937 random(20261121);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::size_t few = 0;
  const int programs = sanitized ? 4 : 40;
  for (int k = 0; k < programs; ++k) {
    CAPTURE(k);
    struct Step {
      std::size_t op, from, a, b;
    };
    const auto make_body = [&] {
      std::vector<Step> body(4 + below(20));
      for (Step& s : body) s = {below(12), below(7), below(100), below(100)};
      return body;
    };
    const std::vector<Step> up = make_body(), down = make_body();
    const std::size_t cells = 150'000 / (up.size() + down.size()), strange = below(3) == 0 ? below(cells) : cells, stored = below(5);
    Builder b;
    std::vector<Ref> states, parameters;
    const bool regular = below(4) != 0;
    for (std::uint32_t i = 0; i < 2 * cells; ++i) states.push_back(b.input(InputKind::state, i, 10 + i));
    for (std::uint32_t i = 0; i < 3 * cells; ++i) parameters.push_back(b.input(InputKind::parameter, i, 1'000'000 + i));
    if (!regular) std::shuffle(parameters.begin(), parameters.end(), random);
    std::vector<std::vector<Ref>> first(cells), second(cells);
    const auto run = [&](const std::vector<Step>& body, std::vector<std::vector<Ref>>& made, std::size_t cell, std::size_t before, const std::vector<Ref>* other) {
      for (const Step& s : body) {
        const auto operand = [&](std::size_t kind, std::size_t which) -> Ref {
          if (kind < 3 && !made[cell].empty()) return made[cell][which % made[cell].size()];
          if (kind == 3 && before < cells) return made[before][which % made[before].size()];
          if (kind == 4 && other) return (*other)[which % other->size()];
          if (kind == 5) return parameters[3 * cell + which % 3];
          return which % 9 == 0 ? b.constant(0.75) : states[2 * cell + which % 2];
        };
        const Ref x = operand(s.from, s.a), y = operand(6 - s.from, s.b);
        const std::size_t op = cell == strange ? (s.op + 1) % 12 : s.op;
        made[cell].push_back(op < 4 ? b.add(b.mul(x, b.constant(0.3)), y) : op < 7 ? b.mul(x, y) : op < 9 ? b.sub(x, y) : op == 9 ? b.call(Fn::min, {x, y}) : op == 10 ? b.call(Fn::sin, {x}) : b.add(b.call(Fn::cos, {x}), b.call(Fn::sin, {x})));
      }
    };
    for (std::size_t c = 0; c < cells; ++c) run(up, first, c, c - 1, nullptr);
    for (std::size_t c = cells; c-- > 0;) run(down, second, c, c + 1, &first[c]);
    Roots roots;
    for (std::size_t c = 0; c < cells; ++c) {
      roots.derivative.push_back(second[c].back());
      roots.derivative.push_back(first[c].back());
      for (std::size_t i = 0; i < stored; ++i) roots.output.push_back(first[c][i % first[c].size()]);
    }
    const auto program = compile(b, roots);
    std::vector<double> y(2 * cells), der[2], output[2];
    std::vector<double> p(3 * cells);
    std::uniform_real_distribution<double> u(-1, 1);
    for (double& x : y) x = u(random);
    for (double& x : p) x = u(random);
    for (const Backend backend : {Backend::interpreter, Backend::machine_code}) {
      Machine<double> m(program, backend);
      std::copy(p.begin(), p.end(), m.inputs(InputKind::parameter).begin());
      const auto which = static_cast<std::size_t>(backend == Backend::machine_code);
      der[which].resize(y.size());
      output[which].resize(output_size(*program));
      REQUIRE(m.run_parameters() == Status::ok);
      REQUIRE(m.derivative(0, y, der[which]) == Status::ok);
      REQUIRE(m.output(0, y, output[which]) == Status::ok);
    }
    REQUIRE(same(der[0], der[1]));
    REQUIRE(same(output[0], output[1]));
    few += native_report(*program).segments.instructions < 30'000;
  }
  CHECK(static_cast<int>(few) > (sanitized ? 1 : programs / 2));  // four sanitized programs may have two
}

TEST_CASE("machine code: tangents are compiled, too, but not through a Newton step") {
  if (!jit::wide_available()) return;
  for (const bool newton : {false, true}) {
    CAPTURE(newton);
    Builder b;
    const Ref x = b.input(InputKind::state, 0, 1), z = b.unknown(2, Section::dynamic);
    if (newton)
      b.add_newton({.size = 1, .residual = {b.sub(b.mul(z, z), x)}, .jacobian = {{0, 0, b.mul(b.constant(2.0), z)}}, .unknowns = {z.node()}, .start = {one},
                    .nominal = {1}, .minimum = {0}, .maximum = {1e9}}, 0);
    const auto program = compile(b, {.derivative = {b.add(b.call(Fn::exp, {x}), newton ? z : x)}});
    Machine<double> m(program, Backend::machine_code);
    std::array<double, 1> der{}, tangent{};
    REQUIRE(m.derivative(0, std::array{1.0}, der) == Status::ok);
    const std::size_t before = native_report(*program).regions;
    REQUIRE(m.tangent(0, std::array{1.0}, 1, std::array{1.0}, tangent) == Status::ok);
    CHECK(native_report(*program).regions == before + (newton ? 0 : 1));
    CHECK(tangent[0] == doctest::Approx(std::exp(1) + (newton ? 0.5 : 1)));
  }
}

TEST_CASE("machine code: what was compiled before is used again, and an edit compiles little") {
  if (!jit::available()) return;
  const auto cache = std::make_shared<jit::Cache>();
  const auto program_with = [&](int changed) {
    Builder b;
    std::vector<Ref> x;
    for (std::uint32_t i = 0; i < 100; ++i) x.push_back(b.input(InputKind::state, i, 100 + i));
    Roots roots;
    for (int i = 0; i < 20000; ++i) {
      const auto at = [&](int k) -> Ref& { return x[static_cast<std::size_t>(k % 100)]; };
      const Ref other = i == changed ? b.call(Fn::sqrt, {at(i * 7 + 3)}) : at(i * i + 3);
      const auto p = static_cast<std::uint32_t>(i / 8);
      at(i) = b.add(b.mul(at(i), other), i % 8 == 0 ? b.input(InputKind::parameter, p, 1000 + p) : at(i + 1));
    }
    roots.derivative = x;
    return compile(b, roots, cache);
  };
  const auto assembled = [&](int changed) {
    const auto program = program_with(changed);
    Machine<double> m(program, Backend::machine_code);
    std::vector<double> y(100, 0.5), der(100);
    m.derivative(0, y, der);
    return native_report(*program).segments;
  };
  const jit::CacheCounts first = assembled(-1), again = assembled(-1), edited = assembled(10000);
  CHECK(first.assembled >= 8);
  CHECK(again.assembled == 0);
  CHECK(again.reused == first.assembled);
  CHECK(edited.assembled <= 3);
  CHECK(edited.instructions < 3 * 4096);
}

TEST_CASE("machine code: large random programs agree with the system's C compiler") {
  if (!jit::available() || std::system("cc --version > /dev/null 2>&1") != 0) return;
  const auto folder = std::filesystem::temp_directory_path() / ("kron-native-" + std::to_string(std::random_device{}()));
  std::filesystem::create_directory(folder);
  std::mt19937 random(7);
  for (int k = 0; k < 6; ++k) {
    CAPTURE(k);
    const Built b = build(make_program(random, 4000, Blocks::none));
    const std::string source = folder / ("p" + std::to_string(k) + ".c"), library = folder / ("p" + std::to_string(k) + ".so");
    std::ofstream(source) << c_text(b.builder, b.roots.derivative);
    REQUIRE(std::system(("cc -O2 -ffp-contract=off -fno-builtin -fPIC -shared -o " + library + " " + source + " -lm").c_str()) == 0);
    void* handle = dlopen(library.c_str(), RTLD_NOW);
    REQUIRE(handle != nullptr);
    give_functions(handle);
    const auto compiled = reinterpret_cast<CFunction>(dlsym(handle, "evaluate"));
    REQUIRE((compiled != nullptr));
    Machine<double> m(compile(b.builder, b.roots), Backend::machine_code);
    const std::array parameters{0.3, -1.2, 0.7};
    std::copy(parameters.begin(), parameters.end(), m.inputs(InputKind::parameter).begin());
    m.run_parameters();
    for (int point = 0; point < 20; ++point) {
      const StatePoint at = random_state_point(random);
      std::vector<double> mine(b.roots.output.size()), theirs(b.roots.derivative.size());
      REQUIRE(m.output(at.t, at.y, mine) == Status::ok);
      compiled(at.t, at.y.data(), parameters.data(), theirs.data());
      REQUIRE(same(mine, theirs));
    }
    dlclose(handle);
  }
  std::filesystem::remove_all(folder);
}
