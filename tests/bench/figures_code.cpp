#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>

#include "engine/code/program.hpp"
#include "tests/bench/figures.hpp"
#include "tests/support/c_text.hpp"

namespace kron::bench {
namespace {

using namespace kron::code;

constexpr std::uint32_t states = 16;

struct Code {
  Builder builder;
  Roots roots;
};

// So many operations: weighted means of earlier values, mostly recent ones, and a sine or cosine in 160. Nothing grows or vanishes. No value
// lives very long: the C compiler's time grows with the square of what is alive.
Code straight_line(std::size_t size) {
  Code c;
  Builder& b = c.builder;
  std::mt19937 random(1);
  std::vector<Ref> x;
  for (std::uint32_t i = 0; i < states; ++i) x.push_back(b.input(InputKind::state, i, 100 + i));
  const auto any = [&] {
    const std::size_t kind = random() % 16, n = x.size();
    return x[kind == 0 ? random() % states : kind < 3 ? n - 1 - random() % std::min<std::size_t>(n, 512) : n - 1 - random() % std::min<std::size_t>(n, 32)];
  };
  std::vector<Ref> weights;
  for (int i = 1; i < 64; ++i) weights.push_back(b.div(b.constant(static_cast<double>(i)), b.constant(64.0)));
  const std::size_t first = b.size();
  while (b.size() < first + size) {
    const std::size_t w = random() % 63;
    const Ref p = b.mul(weights[w], any()), q = b.mul(weights[62 - w], any()), s = random() % 2 == 0 ? b.add(p, q) : b.sub(p, q);
    x.push_back(random() % 40 == 0 ? b.call(random() % 2 == 0 ? Fn::sin : Fn::cos, {s}) : s);
  }
  c.roots.derivative.assign(x.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(64, x.size())), x.end());
  return c;
}

class Library {
 public:
  Library(const std::string& source, const std::string& name) {
    folder_ = std::filesystem::temp_directory_path() / ("kron-bench-" + std::to_string(std::random_device{}()));
    std::filesystem::create_directory(folder_);
    const std::string from = folder_ / (name + ".c"), to = folder_ / (name + ".so");
    std::ofstream(from) << source;
    const auto begin = std::chrono::steady_clock::now();
    if (std::system(("gcc -O2 -ffp-contract=off -fPIC -shared -o " + to + " " + from + " -lm").c_str()) != 0) throw std::runtime_error("gcc failed");
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    handle_ = dlopen(to.c_str(), RTLD_NOW);
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
    test::give_functions(handle_);
    evaluate = reinterpret_cast<test::CFunction>(dlsym(handle_, "evaluate"));
  }
  ~Library() {
    dlclose(handle_);
    std::filesystem::remove_all(folder_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  double seconds() const { return seconds_; }
  test::CFunction evaluate = nullptr;

 private:
  std::filesystem::path folder_;
  void* handle_ = nullptr;
  double seconds_ = 0;
};

}  // namespace

void machine_code_figures(Table& table) {
  for (const std::size_t size : {1'000u, 10'000u, 100'000u}) {
    const std::string operations = std::to_string(size) + " operations";
    if (!table.wants(operations)) continue;
    table.begin(operations + ": compile");
    const Code c = straight_line(size);
    const Library reference(test::c_text(c.builder, c.roots.derivative), "code");
    std::vector<double> y(states), own(c.roots.derivative.size()), theirs(own.size());
    for (std::size_t i = 0; i < states; ++i) y[i] = 0.5 + 0.1 * static_cast<double>(i);
    double compile_s = std::numeric_limits<double>::infinity();
    std::shared_ptr<const Program> program;
    for (int round = 0; round < 5; ++round) {  // a new cache each time
      program = compile(c.builder, c.roots);
      Machine<double> m(program, Backend::machine_code);
      m.derivative(0, y, own);
      compile_s = std::min(compile_s, native_report(*program).seconds);
    }
    Machine<double> native(program, Backend::machine_code), interpreter(program, Backend::interpreter);
    const auto times = best_times(0.5, [&] { native.derivative(0, y, own); }, [&] { reference.evaluate(0, y.data(), nullptr, theirs.data()); },
                                  [&] { interpreter.derivative(0, y, own); });
    if (own != theirs) throw std::runtime_error("the C compiler's code gives other values");
    table.end(compile_s, reference.seconds(), "gcc -O2");
    table.row(operations + ": run", times[0], times[1], "gcc -O2 -ffp-contract=off");
    table.row(operations + ": run, interpreted", times[2], times[1], "gcc -O2 -ffp-contract=off");
  }
}

}  // namespace kron::bench
