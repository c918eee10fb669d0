#include "engine/session/programs.hpp"

#include <algorithm>

#include "engine/session/system.hpp"
#include "engine/session/values.hpp"

namespace kron::session {

using code::Ref;

namespace {

// Nodes that the roots need, through solve steps: in one pass from the end of the tape, but for what an iteration needs that was made
// behind its unknowns.
class LiveNodes {
 public:
  explicit LiveNodes(const code::Builder& t) : t_(t), live_(t.size(), 0), step_live_(t.steps().size(), false) {
    if (!t.steps().empty()) unknown_.resize(t.size());
    for (std::uint32_t k = 0; k < t.steps().size(); ++k)
      for (std::uint32_t c = 0; c < t.steps()[k].unknowns().size(); ++c) unknown_[t.steps()[k].unknowns()[c]] = {k, c};
  }

  std::vector<std::uint8_t> of(const std::vector<Ref>& roots) {
    for (Ref r : roots) want(r);
    std::size_t k = t_.steps().size();
    for (std::size_t n = t_.size(); n-- > 0;) {
      for (; k > 0 && t_.steps()[k - 1].position > n; --k)
        if (std::ranges::any_of(t_.steps()[k - 1].unknowns(), [&](std::uint32_t u) { return live_[u]; })) want_step(k - 1);
      if (!live_[n]) continue;
      const code::Node& node = t_.nodes()[n];
      want_arguments(node);
      if (node.op != code::Op::unknown || unknown_[n].step == none) continue;
      const auto [own, column] = unknown_[n];
      if (t_.steps()[own].linear.guarded()) want(t_.steps()[own].linear.solution[column]);
      if (step_live_[own]) continue;
      want_step(own);
      n = t_.steps()[own].position;
      k = own;
    }
    return std::move(live_);
  }

 private:
  void want(Ref r) { live_[r.node()] = 1; }
  void want_arguments(const code::Node& n) {
    if (n.op == code::Op::add || n.op == code::Op::mul) {  // as most are
      want(n.a);
      want(n.b);
      return;
    }
    for (Ref a : t_.arguments(n)) want(a);
  }
  void want_step(std::size_t k) {
    if (step_live_[k]) return;
    step_live_[k] = true;
    const code::SolveStep& s = t_.steps()[k];
    s.each_read([&](Ref r) { want(r); });
    if (!s.linear.guarded())
      for (std::uint32_t u : s.unknowns()) live_[u] = 1;
  }

  struct Unknown {
    std::uint32_t step = none, column = 0;
  };
  const code::Builder& t_;
  std::vector<std::uint8_t> live_;  // by node
  std::vector<bool> step_live_;
  std::vector<Unknown> unknown_;  // by node; empty: there are no steps
};

class DynamicRoots {
 public:
  DynamicRoots(Analysis& a, const std::vector<bool>& is_unknown) : a_(a), system_(*a.system), is_unknown_(is_unknown) {}

  code::Roots run() {
    derivatives();
    outputs();
    roots_.event = a_.event_roots;
    sections();
    return std::move(roots_);
  }

 private:
  Ref derivative(VarId v) const {
    const Ref r = a_.variable_ref[system_.derivative[v.value]];
    return system_.derivative_sign[v.value] < 0 ? -r : r;
  }

  void derivatives() {
    for (const State& st : a_.states) roots_.derivative.push_back(derivative(st.variable));
    for (const StateSet& set : a_.sets)
      for (std::uint32_t k = 0; k < set.slots; ++k) {
        roots_.chosen.push_back({set.first + k, set.selection, k, {}});
        for (VarId v : set.candidates) roots_.chosen.back().alternative.push_back(derivative(v));
      }
  }

  void outputs() {
    for (std::uint32_t v = 0; v < system_.variables(); ++v)
      if (is_unknown_[v]) add_output(v);
    for (std::uint32_t v : a_.flat.discrete) add_output(v);
    for (const CheckedAssertion& x : a_.assertions) {
      roots_.output.push_back(x.condition);
      roots_.output.insert(roots_.output.end(), x.values.begin(), x.values.end());
    }
  }
  void add_output(std::uint32_t v) {
    a_.output_of[v] = static_cast<std::uint32_t>(a_.output_variables.size());
    a_.output_variables.push_back(VarId{v});
    roots_.output.push_back(a_.variable_ref[v]);
  }

  void sections() {
    std::vector<Ref> derivative = roots_.derivative;
    for (const code::ChosenRoot& c : roots_.chosen) derivative.insert(derivative.end(), c.alternative.begin(), c.alternative.end());
    const std::vector<std::uint8_t> live = LiveNodes(*a_.tape).of(derivative);
    std::vector<Ref>& rates = roots_.parameter;
    for (const Wave& w : a_.waves)
      if (live[w.node]) rates.push_back(w.rate);
    std::sort(rates.begin(), rates.end());
    rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
    mark_what_matters(live);
    for (Block& b : a_.blocks) {
      bool is_dynamic = false, is_live = false;
      for (VarId v : b.unknowns) {
        const Ref r = a_.variable_ref[v.value];
        is_dynamic = is_dynamic || a_.tape->section(r) == code::Section::dynamic;
        is_live = is_live || live[r.node()];
      }
      b.section = !is_dynamic ? BlockSection::parameter : is_live ? BlockSection::dynamic : BlockSection::output;
    }
  }

  // Events that change no derivative need no new start of an integrator.
  void mark_what_matters(const std::vector<std::uint8_t>& live) {
    simulate::EventModel& m = a_.events;
    for (simulate::EventTerm& t : m.terms) t.matters = false;
    for (simulate::Remembered& r : m.remembered) r.matters = false;
    if (m.terms.empty() && m.remembered.empty()) return;
    for (std::uint32_t n = 0; n < live.size(); ++n) {
      const code::Node& node = a_.tape->nodes()[n];
      if (!live[n] || node.op != code::Op::input) continue;
      const code::Input& input = a_.tape->inputs()[node.payload];
      if (input.kind == code::InputKind::pre) m.remembered[input.index].matters = true;
      if (input.kind != code::InputKind::discrete || input.index < m.term(0)) continue;
      if (input.index < m.variable(0)) m.terms[input.index - m.term(0)].matters = true;
      else m.remembered[input.index - m.variable(0)].matters = true;
    }
  }

  Analysis& a_;
  const System& system_;
  const std::vector<bool>& is_unknown_;
  code::Roots roots_;
};

}  // namespace

code::Roots with_inputs(const Analysis& a, code::Roots roots) {
  const auto set = [&](code::InputKind kind, std::size_t count) {
    roots.inputs[static_cast<std::size_t>(kind)] = static_cast<std::uint32_t>(count);
  };
  set(code::InputKind::parameter, a.inputs_of_tape->parameters.size());
  set(code::InputKind::start, a.inputs_of_tape->starts.size());
  set(code::InputKind::signal, a.inputs_of_tape->signals.size());
  set(code::InputKind::state, a.states.size());
  if (!a.flat.hybrid()) return roots;
  set(code::InputKind::discrete, a.events.inputs());
  set(code::InputKind::pre, a.events.remembered.size());
  return roots;
}

code::Roots roots_of_dynamics(Analysis& a, const std::vector<bool>& is_unknown) { return DynamicRoots(a, is_unknown).run(); }

}  // namespace kron::session
