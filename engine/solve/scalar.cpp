#include <algorithm>

#include "engine/solve/rows.hpp"

namespace kron::solve {

using code::Ref;
using model::forms;

bool is_chosen(const code::Builder& t, Ref r) {
  const auto is_select = [&](Ref x) { return t.nodes()[x.node()].op == code::Op::call && t.nodes()[x.node()].fn == Fn::select; };
  const code::Node& n = t.nodes()[r.node()];
  return is_select(r) || (n.op == code::Op::mul && (is_select(n.a) || is_select(n.b)));
}

namespace {
// Of an initial problem: where a friction holds, say, two conditions can say the same and leave another unknown open. As a step of its own it gets
// its least value then, as what a block of several leaves open does (code/deficient.hpp).
BlockSolution solve_chosen(Work& w, const model::Linear& l) {
  const WorkRow& r = w.rows[0];
  BlockSolution s;
  s.pivots = {{0, 0}};
  s.kind = Kind::linear;
  s.method = Method::dense;
  s.core = 1;
  s.torn = s.residues = {0};
  const Ref u = w.tape.unknown(w.problem.key(w.problem.unknowns[0]), w.section);
  code::LinearStep step;
  step.size = 1;
  step.unknowns = {u.node()};
  step.matrix = {{0, 0, w.templates.emit(w.tape, l.coefficient, r.values)}};
  step.rhs = {-w.templates.emit(w.tape, l.rest, r.values)};
  w.tape.add_linear(std::move(step), w.problem.number);
  s.values = {u};
  return s;
}
}  // namespace

// One equation, one unknown: isolated where that is one real value for every value of the rest, else Newton.
BlockSolution solve_scalar(Work& w) {
  const WorkRow& r = w.rows[0];
  BlockSolution s;
  s.pivots = {{0, 0}};
  auto not_there = [&] {
    s.singular = Singular{{0}, {0}, false};
    return s;
  };
  if (r.occurrences.empty()) return not_there();
  const std::uint32_t k = r.occurrences[0].placeholder;
  const auto& isolated = forms().isolate(r.form, k);
  if (!isolated) return solve_nonlinear(w);
  bool chosen = false;
  for (model::NodeId d : isolated->divisors) {
    const Ref divisor = w.templates.emit(w.tape, d, r.values);
    if (w.tape.is_zero(divisor)) return not_there();
    chosen = chosen || is_chosen(w.tape, divisor);
  }
  if (const model::Linear& l = forms().linear(r.form, k); chosen && w.problem.guess && l.linear) return solve_chosen(w, l);
  s.kind = Kind::explicit_;
  s.method = Method::assign;
  s.values = {w.templates.emit(w.tape, isolated->value, r.values)};
  return s;
}

}  // namespace kron::solve
