#include "engine/session/event_dependence.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "engine/session/system.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

using code::Op;
using code::Ref;
using simulate::EventModel;
using simulate::EventTerm;

namespace {

// By node: the step whose unknown it is.
std::vector<std::uint32_t> steps_by_unknown(const code::Builder& tape) {
  std::vector<std::uint32_t> step(tape.nodes().size(), none);
  for (std::uint32_t k = 0; k < tape.steps().size(); ++k)
    for (const std::uint32_t u : tape.steps()[k].unknowns()) step[u] = k;
  return step;
}

}  // namespace

void find_driven(const code::Builder& tape, std::span<const Ref> roots, EventModel& model) {
  if (std::none_of(model.terms.begin(), model.terms.end(), simulate::is_searched)) return;
  const auto& nodes = tape.nodes();
  std::vector<bool> driven(nodes.size()), moves(nodes.size());
  const std::vector<std::uint32_t> step_of = steps_by_unknown(tape);
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const code::Node& node = nodes[n];
    bool on = node.op == Op::input && tape.inputs()[node.payload].kind == code::InputKind::time;
    bool move = on || node.op == Op::unknown || (node.op == Op::input && tape.inputs()[node.payload].kind == code::InputKind::state);
    for (const Ref a : tape.arguments(node)) {
      on = on || driven[a.node()];
      move = move || moves[a.node()];
    }
    on = on || (move && node.op == Op::call && (node.fn == Fn::sin || node.fn == Fn::cos || node.fn == Fn::tan));
    moves[n] = move;
    if (step_of[n] != none) {
      const code::SolveStep& step = tape.steps()[step_of[n]];
      on = step.newton;
      step.each_read([&](Ref r) { on = on || (r.node() < n && driven[r.node()]); });
    }
    driven[n] = on;
  }
  for (EventTerm& t : model.terms) t.driven = simulate::is_searched(t) && driven[roots[t.root].node()];
}

namespace {

// Calls f(node) for what a node is computed from; of an input that holds an answer, the root that gives it.
template <class F>
void each_source(const code::Builder& tape, std::span<const Ref> roots, const EventModel& model,
                 const std::vector<std::uint32_t>& step_of, std::uint32_t n, F&& f) {
  const code::Node& node = tape.nodes()[n];
  for (const Ref a : tape.arguments(node)) f(a.node());
  if (step_of[n] != none) tape.steps()[step_of[n]].each_read([&](Ref r) { f(r.node()); });
  if (node.op != Op::input || tape.inputs()[node.payload].kind != code::InputKind::discrete) return;
  const std::size_t at = tape.inputs()[node.payload].index;
  if (at >= model.variable(0)) f(roots[model.remembered[at - model.variable(0)].root].node());
  else if (at >= model.term(0)) f(roots[model.terms[at - model.term(0)].root].node());
}

bool is_relation(const EventTerm& x) { return x.kind == EventTerm::Kind::relation; }

}  // namespace

// Strongly connected components of what relations are computed from, with an edge from each input that holds an answer to the root that
// gives it.
void find_circles(const code::Builder& tape, std::span<const Ref> roots, EventModel& model) {
  if (std::none_of(model.terms.begin(), model.terms.end(), is_relation)) return;
  const auto& nodes = tape.nodes();
  const std::vector<std::uint32_t> step_of = steps_by_unknown(tape);
  const auto each = [&](std::uint32_t n, auto&& f) { each_source(tape, roots, model, step_of, n, f); };
  std::vector<std::uint32_t> number(nodes.size(), none), open, reached;
  const auto reach = [&](std::uint32_t n) {
    if (number[n] != none) return;
    number[n] = 0;
    open.push_back(n);
  };
  for (const EventTerm& x : model.terms)
    if (is_relation(x)) reach(roots[x.root].node());
  while (!open.empty()) {
    reached.push_back(open.back());
    open.pop_back();
    each(reached.back(), reach);
  }
  std::sort(reached.begin(), reached.end());
  for (std::uint32_t k = 0; k < reached.size(); ++k) number[reached[k]] = k;
  std::vector<std::uint32_t> holds(model.terms.size(), none);  // by term: the input
  structure::Incidence uses;
  structure::Matching self;
  self.size = uses.columns = static_cast<std::uint32_t>(reached.size());
  std::vector<std::uint32_t> row;
  for (std::uint32_t k = 0; k < reached.size(); ++k) {
    row.assign(1, k);
    each(reached[k], [&](std::uint32_t n) { row.push_back(number[n]); });
    uses.add_row(row);
    self.of_row.push_back(k);
    self.of_column.push_back(k);
    const code::Node& node = nodes[reached[k]];
    if (node.op != Op::input || tape.inputs()[node.payload].kind != code::InputKind::discrete) continue;
    const std::size_t at = tape.inputs()[node.payload].index;
    if (at >= model.term(0) && at < model.variable(0)) holds[at - model.term(0)] = reached[k];
  }
  const structure::Blocks circles = structure::block_lower_triangular(uses, self);
  std::vector<std::uint32_t> circle(nodes.size(), none);
  for (std::uint32_t b = 0; b < circles.size(); ++b)
    for (std::uint32_t i = circles.begin[b]; i < circles.begin[b + 1]; ++i)
      if (circles.begin[b + 1] - circles.begin[b] > 1) circle[reached[circles.row[i]]] = b;
  std::unordered_map<std::uint32_t, std::uint32_t> first;  // by node that a curve is drawn over: the first of its borders
  for (std::uint32_t k = 0; k < model.terms.size(); ++k) {
    EventTerm& x = model.terms[k];
    if (!is_relation(x) || holds[k] == none || circle[holds[k]] == none) continue;
    x.circle = circle[holds[k]];
    Ref along = roots[x.root];  // of position - border the position: what the circle changes
    bool negative = along.negative();
    const code::Node& node = nodes[along.node()];
    if (node.op == Op::add) {
      const bool a = circle[node.a.node()] == x.circle, b = circle[node.b.node()] == x.circle;
      if (a != b) {
        along = a ? node.a : node.b;
        negative = negative != along.negative();
      }
    }
    x.falling = negative;
    x.curve = first.try_emplace(along.node(), k).first->second;
  }
}

}  // namespace kron::session
