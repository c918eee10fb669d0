#include <dlfcn.h>

#include <cmath>
#include <stdexcept>

#include "engine/simulate/run.hpp"
#include "lang/workspace/kron.hpp"
#include "tests/bench/figures.hpp"
#include "tests/bench/models.hpp"
#include "tests/support/articulated.hpp"

namespace kron::bench {
namespace {

using Reference = void (*)(const test::ArticulatedModel&, test::ArticulatedState*, const double*, const double*, double*);

struct Compiled {
  std::string compiler;
  Reference accelerations = nullptr;
};

// The reference of each compiler; KRON_REFERENCES: name=library, ...
std::vector<Compiled> references() {
  std::vector<Compiled> list;
  std::string text = KRON_REFERENCES;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size()), mid = text.find('=', at);
    const std::string library = text.substr(mid + 1, end - mid - 1);
    void* handle = dlopen(library.c_str(), RTLD_NOW);
    if (handle == nullptr) throw std::runtime_error(dlerror());
    list.push_back({text.substr(at, mid - at), reinterpret_cast<Reference>(dlsym(handle, "kron_reference_accelerations"))});
    at = end + 1;
  }
  return list;
}

// What models.hpp's chain and tree are made of.
test::ArticulatedModel bodies(int n, bool tree) {
  test::ArticulatedModel m;
  m.gravity = {0, -9.80665, 0};
  const test::Vector c{0.3, 0.02, 0.05};
  for (int k = 1; k <= n; ++k) {
    test::ArticulatedBody b;
    b.parent = k == 1 ? -1 : tree ? k / 2 - 1 : k - 2;
    b.axis = k % 2 == 0 ? 2 : 1;
    if (k > 1) b.r = {0.7, 0, 0};
    b.m = 1;
    b.c = c;
    b.J = {0.1 + c[1] * c[1] + c[2] * c[2], 0.01 - c[0] * c[1], 0.02 - c[0] * c[2], 0.2 + c[0] * c[0] + c[2] * c[2], 0.03 - c[1] * c[2],
           0.3 + c[0] * c[0] + c[1] * c[1]};
    m.bodies.push_back(b);
  }
  return m;
}

void forward_dynamics(Table& table, int n, bool tree, const std::vector<Compiled>& compilers) {
  const std::string name = (tree ? "forward dynamics, tree of " : "forward dynamics, chain of ") + std::to_string(n);
  if (!table.wants(name)) return;
  table.begin(name);
  Session s(elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}});
  const auto count = static_cast<std::size_t>(n);
  s.options().backend = code::Backend::machine_code;
  if (!s.run_text(tree ? tree_of_bodies(n) : chain_of_bodies(n)) || !s.simulate({.stop = 1e-9, .points = 1})) throw std::runtime_error("the model does not run");
  const simulate::Problem& p = *s.result_problem();
  code::Machine<double> machine(p.dynamics, code::Backend::machine_code);
  simulate::set_inputs(machine, p);
  machine.run_parameters();
  // Which state is which: angle or speed of which joint.
  std::vector<double> y(2 * count), der(2 * count), q(count), dq(count), ddq(count);
  std::vector<std::size_t> angle(count), speed(count);
  for (std::size_t i = 0; i < 2 * count; ++i) {
    const std::string state = p.state_name(i);
    const auto k = static_cast<std::size_t>(std::stoi(state.substr(state.find('[') + 1))) - 1;
    const bool is_angle = state.ends_with("phi");
    (is_angle ? angle : speed)[k] = i;
    y[i] = is_angle ? 0.3 + 0.1 * std::sin(static_cast<double>(k)) : 0.5 * std::cos(static_cast<double>(k));
    (is_angle ? q : dq)[k] = y[i];
  }
  const test::ArticulatedModel model = bodies(n, tree);
  std::vector<test::ArticulatedState> states(count);
  Pair best;
  std::string against;
  for (const Compiled& c : compilers) {
    const auto times = best_times(0.3, [&] { machine.derivative(0, y, der); }, [&] { c.accelerations(model, states.data(), q.data(), dq.data(), ddq.data()); });
    for (std::size_t k = 0; k < count; ++k)
      if (!(std::fabs(der[speed[k]] - ddq[k]) <= 1e-8 * (1 + std::fabs(ddq[k])) * static_cast<double>(n))) throw std::runtime_error("the reference gives other accelerations");
    if (times[1] < best.reference) against = "by hand, " + c.compiler + " -O3 -march=native";
    best.take(times[0], times[1]);
  }
  table.end(best.own, best.reference, against);
}

// One Jacobian of the chain, by machine code and by the interpreter.
void jacobian(Table& table, int n) {
  const std::string name = "Jacobian, chain of " + std::to_string(n);
  if (!table.wants(name)) return;
  table.begin(name);
  Session s(elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}});
  if (!s.run_text(chain_of_bodies(n)) || !s.simulate({.stop = 1e-9, .points = 1})) throw std::runtime_error("the model does not run");
  const simulate::Problem& p = *s.result_problem();
  const simulate::JacobianPlan plan = simulate::plan_jacobian(code::state_pattern(*p.dynamics));
  std::vector<double> y(plan.size, 0.3), der(plan.size), values(plan.entries()), others(plan.entries());
  simulate::JacobianValues jacobian(plan);
  const auto machine_by = [&](code::Backend b) {
    code::Machine<double> m(p.dynamics, b);
    simulate::set_inputs(m, p);
    m.run_parameters();
    return m;
  };
  code::Machine<double> native = machine_by(code::Backend::machine_code), interpreter = machine_by(code::Backend::interpreter);
  native.derivative(0, y, der);
  interpreter.derivative(0, y, der);
  const auto times = best_times(0.3, [&] { jacobian.evaluate(native, 0, y, values); }, [&] { jacobian.evaluate(interpreter, 0, y, others); });
  if (values != others) throw std::runtime_error("the Jacobians differ");
  table.end(times[0], times[1], "the interpreter");
}

}  // namespace

void mechanics_figures(Table& table) {
  const auto compilers = references();
  for (const int n : {1, 2, 3, 6, 10, 30, 100, 1000}) forward_dynamics(table, n, false, compilers);
  forward_dynamics(table, 30, true, compilers);
  for (const int n : {10, 30}) jacobian(table, n);
}

}  // namespace kron::bench
