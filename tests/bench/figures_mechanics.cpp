#include <dlfcn.h>

#ifdef KRON_KDL
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#endif

#include <cmath>
#include <optional>
#include <span>
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

// Kron's program for models.hpp's chain or tree, somewhere in its motion: what references compute, too.
class Motion {
 public:
  Motion(int n, bool tree);
  void accelerations() { machine_->derivative(0, y_, der_); }
  // Throws where a reference gives other accelerations, in the order of the joints.
  void compare(std::span<const double> ddq) const;

  std::vector<double> q, dq;  // by joint

 private:
  Session session_{elaborate::Settings{{KRON_SOURCE_DIR "/stdlib"}}};
  std::optional<code::Machine<double>> machine_;
  std::vector<double> y_, der_;
  std::vector<std::size_t> speed_;  // which state is the speed of a joint
};

Motion::Motion(int n, bool tree) : q(static_cast<std::size_t>(n)), dq(q.size()), y_(2 * q.size()), der_(y_.size()), speed_(q.size()) {
  session_.options().backend = code::Backend::machine_code;
  if (!session_.run_text(tree ? tree_of_bodies(n) : chain_of_bodies(n)) || !session_.simulate({.stop = 1e-9, .points = 1}))
    throw std::runtime_error("the model does not run");
  const simulate::Problem& p = *session_.result_problem();
  machine_.emplace(p.dynamics, code::Backend::machine_code);
  simulate::set_inputs(*machine_, p);
  machine_->run_parameters();
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const std::string state = p.state_name(i);
    const auto k = static_cast<std::size_t>(std::stoi(state.substr(state.find('[') + 1))) - 1;
    if (state.ends_with("phi")) {
      y_[i] = q[k] = 0.3 + 0.1 * std::sin(static_cast<double>(k));
    } else {
      y_[i] = dq[k] = 0.5 * std::cos(static_cast<double>(k));
      speed_[k] = i;
    }
  }
}

void Motion::compare(std::span<const double> ddq) const {
  for (std::size_t k = 0; k < ddq.size(); ++k)
    if (!(std::fabs(der_[speed_[k]] - ddq[k]) <= 1e-8 * (1 + std::fabs(ddq[k])) * static_cast<double>(ddq.size())))
      throw std::runtime_error("the reference gives other accelerations");
}

void forward_dynamics(Table& table, int n, bool tree, const std::vector<Compiled>& compilers) {
  const std::string name = (tree ? "forward dynamics, tree of " : "forward dynamics, chain of ") + std::to_string(n);
  if (!table.wants(name)) return;
  table.begin(name);
  Motion motion(n, tree);
  const test::ArticulatedModel model = bodies(n, tree);
  std::vector<test::ArticulatedState> states(motion.q.size());
  std::vector<double> ddq(motion.q.size());
  Pair best;
  std::string against;
  for (const Compiled& c : compilers) {
    const auto times = best_times(0.3, [&] { motion.accelerations(); },
                                  [&] { c.accelerations(model, states.data(), motion.q.data(), motion.dq.data(), ddq.data()); });
    motion.compare(ddq);
    if (times[1] < best.reference) against = "by hand, " + c.compiler + " -O3 -march=native";
    best.take(times[0], times[1]);
  }
  table.end(best.own, best.reference, against);
}

#ifdef KRON_KDL
// Orocos KDL on the same chain: the mass matrix and its factors, or Vereshchagin's recursion without constraints, whichever is faster.
void against_kdl(Table& table, int n) {
  const std::string name = "Orocos KDL, chain of " + std::to_string(n);
  if (!table.wants(name)) return;
  table.begin(name);
  Motion motion(n, false);
  const test::ArticulatedModel model = bodies(n, false);
  // A segment ends where the next joint is, and its inertia is given there.
  const KDL::Vector along(0.7, 0, 0), gravity(model.gravity[0], model.gravity[1], model.gravity[2]);
  KDL::Chain chain;
  for (const test::ArticulatedBody& b : model.bodies) {
    const KDL::Vector c = KDL::Vector(b.c[0], b.c[1], b.c[2]) - along;
    const KDL::RotationalInertia inertia(0.1, 0.2, 0.3, 0.01, 0.02, 0.03);  // about the centre of mass: xx, yy, zz, xy, xz, yz
    chain.addSegment(KDL::Segment(KDL::Joint(b.axis == 2 ? KDL::Joint::RotZ : KDL::Joint::RotY), KDL::Frame(along), KDL::RigidBodyInertia(b.m, c, inertia)));
  }
  const auto count = static_cast<unsigned>(n);
  KDL::JntArray q(count), dq(count), ddq(count), torques(count), constraint(count);
  for (unsigned k = 0; k < count; ++k) q(k) = motion.q[k], dq(k) = motion.dq[k];
  const KDL::Wrenches forces(count, KDL::Wrench::Zero());
  KDL::ChainFdSolver_RNE by_mass_matrix(chain, gravity);
  KDL::ChainHdSolver_Vereshchagin by_recursion(chain, KDL::Twist(-gravity, KDL::Vector::Zero()), 1);
  KDL::Jacobian no_direction(1);
  KDL::JntArray no_energy(1);
  KDL::SetToZero(no_direction);
  const auto checked = [&](int status) {
    if (status != 0) throw std::runtime_error("KDL does not solve the chain");
    motion.compare({ddq.data.data(), count});
  };
  const auto mass_matrix = [&] { return by_mass_matrix.CartToJnt(q, dq, torques, forces, ddq); };
  const auto recursion = [&] { return by_recursion.CartToJnt(q, dq, ddq, no_direction, no_energy, forces, torques, constraint); };
  motion.accelerations();
  checked(mass_matrix());
  checked(recursion());
  const auto times = best_times(0.3, [&] { motion.accelerations(); }, mass_matrix, recursion);
  table.end(times[0], std::min(times[1], times[2]), times[1] < times[2] ? "KDL, mass matrix" : "KDL, Vereshchagin's recursion");
}
#else
void against_kdl(Table&, int) {}
#endif

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
  for (const int n : {6, 30, 100}) against_kdl(table, n);
  for (const int n : {10, 30}) jacobian(table, n);
}

}  // namespace kron::bench
