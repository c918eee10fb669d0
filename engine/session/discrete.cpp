#include "engine/session/discrete.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "engine/base/hash.hpp"
#include "engine/session/event_dependence.hpp"
#include "engine/session/in_time.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

using code::Op;
using code::Ref;
using model::forms;
using model::Operand;
using model::OperandKind;
using simulate::EventModel;
using simulate::EventTerm;

namespace {

std::uint32_t place_in(std::span<const std::uint32_t> sorted, std::uint32_t slot) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), slot);
  return at != sorted.end() && *at == slot ? static_cast<std::uint32_t>(at - sorted.begin()) : none;
}

// ---- order

class DiscreteSorter {
 public:
  DiscreteSorter(const FlatModel& m, Diagnostics& d) : m_(m), d_(d) {}

  DiscreteOrder run() {
    if (!moments_are_meant()) return {};
    structure::Incidence solvable, all;
    solvable.columns = all.columns = static_cast<std::uint32_t>(m_.discrete.size());
    for (std::size_t k = 0; k < m_.discrete_equations.size(); ++k) {
      const auto [reads, gives] = columns(k);
      all.add_row(reads);
      solvable.add_row(gives);
    }
    const structure::Matching match = structure::match(solvable);
    if (!complete(match)) return {};
    const structure::Blocks blocks = structure::block_lower_triangular(all, match);
    DiscreteOrder order;
    for (std::size_t b = 0; b + 1 < blocks.begin.size(); ++b) {
      if (blocks.begin[b + 1] - blocks.begin[b] > 1 || reads_itself(blocks.row[blocks.begin[b]])) {
        circle({blocks.row.begin() + blocks.begin[b], blocks.row.begin() + blocks.begin[b + 1]}, match);
        continue;
      }
      order.equation.push_back(m_.discrete_equations[blocks.row[blocks.begin[b]]]);
      order.slot.push_back(m_.discrete[blocks.column[blocks.begin[b]]]);
    }
    return order;
  }

 private:
  // What changes at events only has no derivative, and what does not has a value before an event only at one.
  bool moments_are_meant() {
    const auto continuous = std::span<const std::uint32_t>(m_.remembered).subspan(m_.discrete.size());
    const auto differentiated = [&](std::uint32_t v) {
      while (v != none && v >= m_.slots) v = m_.integral[v - m_.slots];
      return v;
    };
    bool any = !continuous.empty(), good = true;
    for (std::uint32_t v = m_.slots; v < m_.slots + m_.integral.size(); ++v) any = any || place_in(m_.discrete, differentiated(v)) != none;
    if (!any) return true;
    std::vector<bool> at_events(m_.equations.size());
    for (const std::uint32_t e : m_.discrete_equations) at_events[e] = true;
    for (std::uint32_t e = 0; e < m_.equations.size(); ++e)
      for (const Operand o : m_.bound(m_.equations[e])) {
        if (o.kind() == OperandKind::pre && !at_events[e] && place_in(continuous, o.index()) != none) {
          auto& d = d_.error("E0325", place(m_, EqId{e}), "`pre(" + name(m_, VarId{o.index()}) + ")` outside of a `when`: the variable does not change at events only");
          d.help = "in a `when` it is the value before the event; what a variable was some time ago is `delay(x, T)`";
          good = false;
        }
        if (o.kind() != OperandKind::value || o.index() < m_.slots) continue;
        const std::uint32_t base = differentiated(o.index());
        if (place_in(m_.discrete, base) == none) continue;
        const std::string own = "`" + name(m_, VarId{base}) + "`";
        auto& d = d_.error("E0324", place(m_, EqId{e}), own + " changes at events only: it has no derivative");
        const auto given = std::find(m_.given.begin(), m_.given.end(), base);
        if (given != m_.given.end()) {
          d.notes.push_back({place(m_, EqId{m_.discrete_equations[static_cast<std::size_t>(given - m_.given.begin())]}), "given a value by a `when` here"});
          d.help = "a state gets a new value by `reinit " + name(m_, VarId{base}) + " = …`";
        }
        good = false;
      }
    return good;
  }

  // The variables that equation k reads, and those that it can be solved for.
  std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> columns(std::size_t k) const {
    const model::FlatEquation& e = m_.equations[m_.discrete_equations[k]];
    const model::FormId form = forms().unmarked(e.form);
    const auto operands = m_.bound(e);
    std::vector<std::uint32_t> reads, gives;
    for (std::uint32_t p : forms().occurring(form)) {
      const Operand o = operands[p];
      const std::uint32_t at = o.kind() == OperandKind::value ? place_in(m_.discrete, o.index()) : none;
      if (at == none) continue;
      reads.push_back(at);
      const bool can = m_.given[k] == none ? forms().isolate(form, p) && forms().isolate(form, p)->divisors.empty() : m_.given[k] == o.index();
      if (can) gives.push_back(at);
    }
    return {reads, gives};
  }

  // A `when` whose new value needs the variable itself.
  bool reads_itself(std::uint32_t k) const {
    const model::FlatEquation& e = m_.equations[m_.discrete_equations[k]];
    if (m_.given[k] == none) return false;
    const model::FormId form = forms().unmarked(e.form);
    const auto operands = m_.bound(e);
    for (std::uint32_t p : forms().occurring(form))
      if (operands[p] == Operand::value(model::SlotId{m_.given[k]}) && !(forms().isolate(form, p) && forms().isolate(form, p)->divisors.empty())) return true;
    return false;
  }

  bool complete(const structure::Matching& match) {
    bool good = true;
    for (std::uint32_t r = 0; r < m_.discrete_equations.size(); ++r) {  // b = not b: can be solved for nothing
      if (match.of_row[r] != structure::free_end) continue;
      const auto [reads, gives] = columns(r);
      const auto own = std::find_if(reads.begin(), reads.end(), [&](std::uint32_t c) { return match.of_column[c] == structure::free_end; });
      if (!gives.empty() || own == reads.end()) continue;
      const EqId e{m_.discrete_equations[r]};
      const std::string variable = name(m_, VarId{m_.discrete[*own]});
      auto& d = d_.error("E0322", place(m_, e), "`" + variable + "` depends on itself");
      d.help = "write `pre(" + variable + ")` where the value before the event is meant";
      good = false;
    }
    if (!good) return false;
    for (std::uint32_t c = 0; c < m_.discrete.size(); ++c)
      if (match.of_column[c] == structure::free_end) {
        const std::string own = "`" + name(m_, VarId{m_.discrete[c]}) + "`";
        const bool input = is_input(m_.discrete[c]);
        auto& d = d_.error("E0320", place(m_, VarId{m_.discrete[c]}), input ? "the input " + own + " is not connected" : "no equation gives " + own);
        d.help = input ? "connect it, or give it a value where its component is declared" : "a variable that changes at events only needs an equation of its own, or a `when` that gives it a value";
        good = false;
      }
    for (std::uint32_t r = 0; r < m_.discrete_equations.size(); ++r)
      if (match.of_row[r] == structure::free_end) {
        const EqId e{m_.discrete_equations[r]};
        auto& d = d_.error("E0321", place(m_, e), "`" + label(m_, e) + "` gives no variable a value that others do not give");
        d.help = m_.given[r] == none ? "one equation for each discrete variable: `b = …`" : "a variable is given a value by one `when` alone; `elsewhen` takes further conditions";
        good = false;
      }
    return good;
  }

  bool is_input(std::uint32_t slot) const {
    const model::Instance& i = m_.instances[model::instance_of(m_, model::SlotId{slot})];
    return i.type->flags[slot - i.slot_base] & model::SlotFlag::input;
  }

  void circle(const std::vector<std::uint32_t>& rows, const structure::Matching& match) {
    const std::string first = name(m_, VarId{m_.discrete[match.of_row[rows[0]]]});
    auto& d = d_.error("E0322", place(m_, EqId{m_.discrete_equations[rows[0]]}),
                       rows.size() == 1 ? "`" + first + "` depends on itself" : "`" + first + "` depends on itself through " + std::to_string(rows.size() - 1) + " other discrete variables");
    constexpr std::size_t most = 6;
    for (std::size_t k = 1; k < rows.size() && k <= most; ++k)
      d.notes.push_back({place(m_, EqId{m_.discrete_equations[rows[k]]}), "through `" + name(m_, VarId{m_.discrete[match.of_row[rows[k]]]}) + "`"});
    d.help = "write `pre(" + first + ")` where the value before the event is meant";
  }

  const FlatModel& m_;
  Diagnostics& d_;
};

// ---- roots

class EventEmitter {
 public:
  EventEmitter(const System& s, code::Builder& tape, solve::Templates& templates, const std::function<Ref(Operand)>& value, Diagnostics& d)
      : s_(s), m_(*s.flat), tape_(tape), templates_(templates), value_(value), d_(d), time_(tape) {}

  EventRoots run(const DiscreteOrder& order) {
    for (std::size_t k = 0; k < order.equation.size(); ++k) new_value(order.equation[k], order.slot[k]);
    for (const FlatModel::EventTerm& t : m_.events) term(t);
    out_.model.variables = m_.discrete.size();
    for (std::size_t k = 0; k < m_.remembered.size(); ++k) {
      const std::uint32_t slot = m_.remembered[k];
      const bool discrete = k < m_.discrete.size();
      const model::ValueType type = declaration(m_, VarId{slot}).type;
      out_.model.remembered.push_back({root(discrete ? new_[slot] : value_(Operand::value(model::SlotId{slot}))), discrete, true,
                                       discrete && type == model::ValueType::integer, discrete && type == model::ValueType::real});
    }
    for (const FlatModel::FlatAction& a : m_.actions) action(a);
    out_.model.roots = out_.roots.size();
    const auto& inputs = tape_.inputs();
    out_.model.lives = std::any_of(inputs.begin(), inputs.end(), [](const code::Input& i) { return i.kind == code::InputKind::discrete && i.index == simulate::EventModel::live; });
    find_driven(tape_, out_.roots, out_.model);
    find_circles(tape_, out_.roots, out_.model);
    return std::move(out_);
  }

 private:
  std::uint32_t root(Ref r) {
    out_.roots.push_back(r);
    return static_cast<std::uint32_t>(out_.roots.size() - 1);
  }

  Ref value(Operand o) {
    if (o.kind() == OperandKind::value)
      if (const auto it = new_.find(o.index()); it != new_.end()) return it->second;
    return value_(o);
  }
  Ref expression(const model::FlatEquation& x) {
    std::vector<Ref> values;
    for (Operand o : m_.bound(x)) values.push_back(value(o));
    return templates_.emit(tape_, forms().root(forms().unmarked(x.form)), values);
  }

  void new_value(std::uint32_t equation, std::uint32_t slot) {
    if (const auto made = emit_discrete(m_, equation, slot, tape_, templates_, [this](Operand o) { return std::optional(value(o)); })) new_[slot] = *made;
  }

  void term(const FlatModel::EventTerm& t) {
    EventTerm x;
    x.kind = static_cast<EventTerm::Kind>(t.kind);
    x.strict = t.strict;
    Ref argument = expression(t.argument);
    if (t.kind == model::EventKind::delay) {
      x.delayed = root(argument);
      root(expression(t.largest));
      argument = tape_.sub(value_(Operand::time()), expression(t.interval));
    }
    x.root = root(argument);
    if (t.kind == model::EventKind::sample) root(expression(t.interval));
    if (t.kind == model::EventKind::edge) {
      const auto operands = m_.bound(t.argument);
      x.at_start = std::any_of(operands.begin(), operands.end(), [](Operand o) { return o.kind() == OperandKind::initial; });
    }
    if (t.kind == model::EventKind::relation || t.kind == model::EventKind::floor || t.kind == model::EventKind::delay) {
      if (const auto line = time_.line(argument)) {
        x.slope = root(line->slope);
        root(line->value);
      } else if (t.kind != model::EventKind::delay) {
        x.size = root(size(argument));
      }
    }
    if (t.kind == model::EventKind::table)
      if (const auto line = time_.line(argument)) {
        x.slope = root(line->slope);
        root(line->value);
        x.rows = static_cast<std::uint32_t>(out_.roots.size());
        for (const model::FlatEquation& row : t.rows) root(expression(row));
        x.row_count = static_cast<std::uint32_t>(t.rows.size());
      }
    out_.model.terms.push_back(x);
  }

  // The sum of the absolute values of a sum's terms.
  Ref size(Ref r) {
    std::vector<Ref> open{r}, terms;
    constexpr std::size_t most = 8;
    while (!open.empty()) {
      const Ref x = open.back();
      open.pop_back();
      const code::Node node = tape_.nodes()[x.node()];
      if (node.op == Op::add && terms.size() + open.size() < most) {
        open.push_back(node.a);
        open.push_back(node.b);
      } else {
        const code::Constant* c = tape_.constant_of(x);
        terms.push_back(c ? tape_.constant(std::fabs(c->number)) : tape_.call(Fn::abs, {x.negative() ? -x : x}));
      }
    }
    return tape_.sum(terms);
  }

  void action(const FlatModel::FlatAction& a) {
    simulate::EventAction x;
    x.kind = static_cast<simulate::EventAction::Kind>(a.kind);
    x.trigger = root(expression(a.trigger));
    for (const model::FlatEquation& v : a.values) root(expression(v));
    x.told = static_cast<std::uint32_t>(a.values.size());
    if (a.kind == model::Action::Kind::reinit) {
      x.value = root(expression(a.value));
      const Representative& r = s_.representative[a.slot];
      const std::string own = "`" + name(m_, VarId{a.slot}) + "`";
      if (r.sign == 0 || !s_.unknown[a.slot] || !s_.state[r.root.value]) {
        auto& d = d_.error("E0323", a.span, "`reinit` needs a state, and " + own + " is none");
        d.help = "only what is integrated can be set anew: a variable whose derivative appears, and one for each that is free to move where constraints tie them";
        return;
      }
      x.sign = r.sign;
      for (std::uint32_t v = 0; v < r.root.value; ++v) x.state += s_.state[v];
    }
    out_.model.actions.push_back(x);
  }

  const System& s_;
  const FlatModel& m_;
  code::Builder& tape_;
  solve::Templates& templates_;
  const std::function<Ref(Operand)>& value_;
  Diagnostics& d_;
  InTime time_;
  std::unordered_map<std::uint32_t, Ref> new_;  // by slot: what the discrete variables become
  EventRoots out_;
};

}  // namespace

std::optional<Ref> emit_discrete(const FlatModel& m, std::uint32_t equation, std::uint32_t slot, code::Builder& tape, solve::Templates& templates,
                                 const OperandValue& value) {
  const model::FlatEquation& e = m.equations[equation];
  const model::FormId form = forms().unmarked(e.form);
  const auto operands = m.bound(e);
  const auto live = forms().occurring(form);
  const auto own = std::find_if(live.begin(), live.end(), [&](std::uint32_t p) { return operands[p] == Operand::value(model::SlotId{slot}); });
  if (own == live.end() || !forms().isolate(form, *own)) return std::nullopt;
  std::vector<Ref> values(operands.size(), code::zero);
  for (std::uint32_t p : live) {
    if (p == *own) continue;
    const auto x = value(operands[p]);
    if (!x) return std::nullopt;
    values[p] = *x;
  }
  return templates.emit(tape, forms().isolate(form, *own)->value, values);
}

std::uint64_t discrete_key(const System& s, Operand o) {
  const std::uint64_t own = o.kind() == OperandKind::event ? s.flat->events[o.index()].key : o.kind() == OperandKind::value ? key(s, o.index()) : 0x1417;
  return combine(own, static_cast<std::uint64_t>(o.kind()));
}

std::uint32_t discrete_input(const FlatModel& m, Operand o) {
  switch (o.kind()) {
    case OperandKind::initial: return EventModel::initial;
    case OperandKind::terminal: return EventModel::terminal;
    case OperandKind::event: return EventModel::first_term + o.index();
    default: return EventModel::first_term + static_cast<std::uint32_t>(m.events.size()) + place_in(m.discrete, o.index());
  }
}

std::uint32_t pre_input(const FlatModel& m, std::uint32_t slot) {
  const std::span<const std::uint32_t> all(m.remembered);
  const auto n = m.discrete.size();
  const std::uint32_t at = place_in(all.first(n), slot);
  return at != none ? at : static_cast<std::uint32_t>(n) + place_in(all.subspan(n), slot);
}

DiscreteOrder sort_discrete(const FlatModel& m, Diagnostics& d) { return DiscreteSorter(m, d).run(); }

EventRoots emit_events(const System& s, const DiscreteOrder& order, code::Builder& tape, solve::Templates& templates,
                       const std::function<Ref(Operand)>& value, Diagnostics& d) {
  return EventEmitter(s, tape, templates, value, d).run(order);
}

}  // namespace kron::session
