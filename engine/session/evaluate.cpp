#include "engine/session/evaluate.hpp"

#include <cmath>
#include <unordered_map>

#include "engine/base/small.hpp"
#include "engine/model/algebra.hpp"

namespace kron::session {
namespace {

double interpolate(std::span<const double> a, bool slope) {
  const std::size_t n = (a.size() - 1) / 2;
  const auto x = a.subspan(1, n), y = a.subspan(1 + n, n);
  if (n == 0) return 0;
  if (n == 1) return slope ? 0 : y[0];
  std::size_t i = 1;
  while (i + 1 < n && a[0] >= x[i]) ++i;
  const double k = (y[i] - y[i - 1]) / (x[i] - x[i - 1]);
  return slope ? k : y[i - 1] + k * (a[0] - x[i - 1]);
}

}  // namespace

double apply_function(Fn fn, std::span<const double> a) {
  switch (fn) {
    case Fn::sin: return std::sin(a[0]);
    case Fn::cos: return std::cos(a[0]);
    case Fn::tan: return std::tan(a[0]);
    case Fn::asin: return std::asin(a[0]);
    case Fn::acos: return std::acos(a[0]);
    case Fn::atan: return std::atan(a[0]);
    case Fn::sinh: return std::sinh(a[0]);
    case Fn::cosh: return std::cosh(a[0]);
    case Fn::tanh: return std::tanh(a[0]);
    case Fn::exp: return std::exp(a[0]);
    case Fn::log: return std::log(a[0]);
    case Fn::log10: return std::log10(a[0]);
    case Fn::sqrt: return std::sqrt(a[0]);
    case Fn::abs: return std::abs(a[0]);
    case Fn::sign: return a[0] > 0 ? 1 : a[0] < 0 ? -1 : 0;
    case Fn::floor: return std::floor(a[0]);
    case Fn::ceil: return std::ceil(a[0]);
    case Fn::atan2: return std::atan2(a[0], a[1]);
    case Fn::min: return std::fmin(a[0], a[1]);
    case Fn::max: return std::fmax(a[0], a[1]);
    case Fn::mod: return a[0] - std::floor(a[0] / a[1]) * a[1];
    case Fn::rem: return a[0] - std::trunc(a[0] / a[1]) * a[1];
    case Fn::div: return std::trunc(a[0] / a[1]);
    case Fn::lt: return a[0] < a[1];
    case Fn::le: return a[0] <= a[1];
    case Fn::eq: return a[0] == a[1];
    case Fn::and_: return a[0] != 0 && a[1] != 0;
    case Fn::or_: return a[0] != 0 || a[1] != 0;
    case Fn::not_: return a[0] == 0;
    case Fn::select: return a[0] != 0 ? a[1] : a[2];
    case Fn::no_event: case Fn::relax: case Fn::homotopy: return a[0];
    case Fn::residue: return 0;
    case Fn::interpolate: return interpolate(a, false);
    case Fn::interpolate_slope: return interpolate(a, true);
    case Fn::edge: case Fn::sample: case Fn::delay: case Fn::history: case Fn::initial: case Fn::terminal: return 0;
  }
  return 0;
}

namespace {

double number(const model::Exprs& e, model::NodeId literal) {
  for (int small : {0, 1, -1})
    if (e.is(literal, small)) return small;
  return to_double(e.literal_value(literal));
}

double evaluate_node(const model::Exprs& e, model::NodeId n, std::span<const double> a, const std::function<double(std::uint32_t)>& placeholder) {
  switch (e[n].op) {
    case model::ExprOp::literal: return number(e, n);
    case model::ExprOp::placeholder: return placeholder(e.placeholder_of(n));
    case model::ExprOp::operand: break;  // forms hold none
    case model::ExprOp::add: return a[0] + a[1];
    case model::ExprOp::sub: return a[0] - a[1];
    case model::ExprOp::mul: return a[0] * a[1];
    case model::ExprOp::div: return a[0] / a[1];
    case model::ExprOp::neg: return -a[0];
    case model::ExprOp::pow: return std::pow(a[0], a[1]);
    case model::ExprOp::call: return apply_function(e[n].fn, a);
  }
  return 0;
}

// The nodes of an expression in the order in which they are computed, and where in it the arguments of each stand. Expressions of forms are
// never changed, so neither are their plans; as the forms they are for one thread.
struct Plan {
  std::vector<model::NodeId> nodes;
  std::vector<std::uint32_t> arguments;  // node after node
  std::vector<double> literals;          // by node, else 0
};

const Plan& plan_of(const model::Exprs& e, model::NodeId root) {
  static std::unordered_map<model::NodeId, Plan> plans;
  const auto [it, is_new] = plans.try_emplace(root);
  Plan& plan = it->second;
  if (!is_new) return plan;
  plan.nodes = model::postorder(e, root);
  std::unordered_map<model::NodeId, std::uint32_t> position;
  for (std::uint32_t k = 0; k < plan.nodes.size(); ++k) {
    position.emplace(plan.nodes[k], k);
    for (model::NodeId x : e.args(plan.nodes[k])) plan.arguments.push_back(position.at(x));
    plan.literals.push_back(e[plan.nodes[k]].op == model::ExprOp::literal ? number(e, plan.nodes[k]) : 0);
  }
  return plan;
}

}  // namespace

double evaluate(model::NodeId root, const std::function<double(std::uint32_t)>& placeholder) {
  const model::Exprs& e = model::forms().exprs();
  if (e.args(root).empty()) return evaluate_node(e, root, {}, placeholder);  // most are one number
  const Plan& plan = plan_of(e, root);
  Small<double, 24> value;
  Small<double, 8> a;
  auto argument = plan.arguments.begin();
  for (std::uint32_t node = 0; node < plan.nodes.size(); ++node) {
    const model::NodeId n = plan.nodes[node];
    if (e[n].op == model::ExprOp::literal) {
      value.push_back(plan.literals[node]);
      continue;
    }
    a.clear();
    for (std::uint32_t k = e[n].count; k > 0; --k) a.push_back(value[*argument++]);
    value.push_back(evaluate_node(e, n, {a.data(), a.size()}, placeholder));
  }
  return value.back();
}

}  // namespace kron::session
