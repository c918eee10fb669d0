#include "engine/model/events.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/hash.hpp"
#include "engine/model/algebra.hpp"

namespace kron::model {

namespace {

// What is an operand even inside of noEvent.
bool is_operand_anywhere(Fn fn) { return fn == Fn::edge || fn == Fn::sample || fn == Fn::delay; }

bool jumps(Fn fn) {
  switch (fn) {
    case Fn::lt: case Fn::le: case Fn::floor: case Fn::ceil: case Fn::mod: case Fn::rem: case Fn::div: case Fn::abs: case Fn::sign: case Fn::eq: case Fn::min:
    case Fn::max: return true;
    default: return is_operand_anywhere(fn);
  }
}

struct Jumps {
  bool known = false, any = false, anywhere = false;
};
Jumps jumps_of(FormId f) {
  static std::vector<Jumps> list;  // by form: it is asked of every equation
  if (f.value >= list.size()) list.resize(forms().size() + 1);
  Jumps& j = list[f.value];
  if (j.known) return j;
  const Exprs& e = forms().exprs();
  for (const NodeId n : postorder(e, forms().root(f))) {
    if (e[n].op != ExprOp::call) continue;
    j.any = j.any || jumps(e[n].fn) || e[n].fn == Fn::interpolate;
    j.anywhere = j.anywhere || is_operand_anywhere(e[n].fn);
  }
  j.known = true;
  return j;
}

// What a class has to do with events; most have nothing.
struct Kind {
  bool discrete = false;  // some of its variables, or what a `when` of it gives
  bool jumps = false;     // some of its equations
  bool asks = false;      // for what was before an event, or whether the run begins or ends
};
bool asks_for_events(Operand o) {
  return o.kind() == OperandKind::pre || o.kind() == OperandKind::initial || o.kind() == OperandKind::terminal;
}
bool may_be_discrete(const Declaration& d) {
  return d.variability == Variability::discrete || (d.type != ValueType::real && d.variability == Variability::continuous);
}
Kind kind(const Blueprint& b) {
  const auto is_when = [](const Equation& e) { return e.origin == EquationOrigin::when; };
  const auto jumping = [](const Equation& e) { return may_jump(e.form); };
  return {std::ranges::any_of(b.declarations, may_be_discrete) || std::ranges::any_of(b.equations, is_when),
          std::ranges::any_of(b.equations, jumping), std::ranges::any_of(b.operands, asks_for_events)};
}

class Separator {
 public:
  Separator(FlatModel& m, Diagnostics& d) : m_(m), diagnostics_(d), is_discrete_(m.slots, false) {}

  void run() {
    find_discrete();
    const bool any = any_discrete_;
    for (std::uint32_t e = 0; any && e < m_.equations.size(); ++e) look_at(e, any);
    for (std::uint32_t k = 0; !any && k < m_.eventful.size(); ++k) {
      const Instance& i = m_.instances[m_.eventful[k]];
      for (std::uint32_t e = 0; e < i.type->equations.size(); ++e) look_at(i.equation_base + e, any);
    }
    equation_ = FlatModel::none;
    for (std::uint32_t k = 0; any && k < m_.initial_equations.size(); ++k) give_at_start(k);
    for (std::uint32_t k = 0; k < m_.initial_equations.size(); ++k)
      if (may_jump(m_.initial_equations[k].form)) {
        place_ = initial_place(m_, k);
        separate(m_.initial_equations[k]);
      }
    for (FlatModel::FlatAction& a : m_.actions) {
      place_ = a.span;
      separate(a.trigger);
      if (a.kind == Action::Kind::reinit && may_jump(a.value.form)) separate(a.value);
      for (FlatEquation& v : a.values)
        separate_as_inside(v);
    }
    for (FlatModel::FlatAssertion& a : m_.assertions) {
      place_ = statement(m_, a).span;
      separate_as_inside(a.condition);
      for (FlatEquation& v : a.values)
        separate_as_inside(v);
    }
    for (std::uint32_t s = 0; any && s < m_.slots; ++s)
      if (is_discrete_[s]) m_.discrete.push_back(s);
    m_.remembered = m_.discrete;
    find_remembered();
  }

 private:
  void look_at(std::uint32_t e, bool any_discrete) {
    const bool jumping = may_jump(m_.equations[e].form);
    if (!jumping && !any_discrete) return;
    place_ = {};
    equation_ = e;
    bool varies = jumping && separate(m_.equations[e]);
    const std::uint32_t given = target(e);
    if (!any_discrete) return;
    if (!jumping) varies = reads_continuous(m_.equations[e]);
    if (given == FlatModel::none && (varies || !reads_discrete(m_.equations[e]))) return;
    m_.discrete_equations.push_back(e);
    m_.given.push_back(given);
  }
  const Kind& kind_of(const Blueprint& b) {
    const auto [it, fresh] = kinds_.try_emplace(&b);
    if (fresh) it->second = kind(b);
    return it->second;
  }

  // Where classes ask for nothing, what is told with assertions, actions and what was separated may.
  void find_remembered() {
    const auto asks = [&](const FlatEquation& e) { return std::ranges::any_of(m_.bound(e), asks_for_events); };
    const auto tells = [&](const FlatModel::FlatAssertion& a) { return std::ranges::any_of(a.values, asks); };
    const bool any = separated_ || !m_.actions.empty() || std::ranges::any_of(m_.assertions, tells) ||
                     std::ranges::any_of(kinds_, [](const auto& k) { return k.second.asks; });
    if (!any) return;
    std::vector<std::uint32_t> others;
    for (Operand o : m_.operands) {
      if (o.kind() == OperandKind::pre && !is_discrete_[o.index()]) others.push_back(o.index());
      m_.moments = m_.moments || o.kind() == OperandKind::initial || o.kind() == OperandKind::terminal;
    }
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    m_.remembered.insert(m_.remembered.end(), others.begin(), others.end());
  }
  void find_discrete() {
    for (const std::uint32_t instance : m_.eventful) {
      const Instance& i = m_.instances[instance];
      if (!kind_of(*i.type).discrete) continue;
      for (const Declaration& d : i.type->declarations) {
        if (!may_be_discrete(d)) continue;
        const bool jumping = d.type != ValueType::real && d.variability == Variability::continuous;
        for (std::uint32_t s = i.slot_base + d.first; s < i.slot_base + d.first + d.count; ++s) {
          if (jumping) m_.variability[s] = Variability::discrete;
          is_discrete_[s] = m_.variability[s] == Variability::discrete && !(m_.flags[s] & SlotFlag::input);
          any_discrete_ = any_discrete_ || is_discrete_[s];
        }
      }
      for (std::uint32_t k = 0; k < i.type->equations.size(); ++k)
        if (const Equation& e = i.type->equations[k]; e.origin == EquationOrigin::when) {
          const std::uint32_t s = i.slot_base + e.target;
          m_.variability[s] = Variability::discrete;
          is_discrete_[s] = any_discrete_ = true;
          target_.emplace(i.equation_base + k, s);
        }
    }
  }
  std::uint32_t target(std::uint32_t equation) const {
    const auto it = target_.find(equation);
    return it == target_.end() ? FlatModel::none : it->second;
  }

  bool is_continuous(Operand o) const {
    if (o.kind() == OperandKind::time) return true;
    return o.kind() == OperandKind::value && (o.index() >= m_.slots || (m_.variability[o.index()] == Variability::continuous));
  }
  bool reads_continuous(const FlatEquation& e) const {
    const auto ops = m_.bound(e);
    return std::any_of(ops.begin(), ops.end(), [&](Operand o) { return is_continuous(o); });
  }
  bool reads_discrete(const FlatEquation& e) const {
    const auto ops = m_.bound(e);
    return std::any_of(ops.begin(), ops.end(), [&](Operand o) { return o.kind() == OperandKind::value && o.index() < m_.slots && is_discrete_[o.index()]; });
  }

  // An initial equation that can be solved for a variable that a `when` gives: x = if initial() then … else what it was.
  void give_at_start(std::uint32_t k) {
    const FlatEquation initial = m_.initial_equations[k];
    const std::vector<Operand> ops(m_.bound(initial).begin(), m_.bound(initial).end());
    for (std::uint32_t p = 0; p < ops.size(); ++p) {
      if (ops[p].kind() != OperandKind::value || ops[p].index() >= m_.slots || !is_discrete_[ops[p].index()]) continue;
      const auto at = std::find(m_.given.begin(), m_.given.end(), ops[p].index());
      if (at == m_.given.end() || !forms().isolate(initial.form, p)) continue;
      FlatEquation& e = m_.equations[m_.discrete_equations[static_cast<std::size_t>(at - m_.given.begin())]];
      const std::vector<Operand> own(m_.bound(e).begin(), m_.bound(e).end());
      const auto q = static_cast<std::uint32_t>(std::find(own.begin(), own.end(), ops[p]) - own.begin());
      if (q == own.size() || !forms().isolate(e.form, q)) continue;
      pool_.clear();
      const Exprs& from = forms().exprs();
      const auto with = [&](NodeId n, const std::vector<Operand>& operands) {
        return substitute(pool_, from, n, [&](NodeId leaf) { return pool_.operand(operands[from.placeholder_of(leaf)]); });
      };
      const NodeId first = with(forms().isolate(initial.form, p)->value, ops), later = with(forms().isolate(e.form, q)->value, own);
      const NodeId value = pool_.call(Fn::select, {pool_.operand(Operand(OperandKind::initial, 0)), first, later});
      e = put(forms().intern(pool_, pool_.sub(pool_.operand(ops[p]), value)));
      if (m_.discrete_initial.empty()) m_.discrete_initial.assign(m_.initial_equations.size(), false);
      m_.discrete_initial[k] = true;
      place_ = initial_place(m_, k);
      separate(e);
      return;
    }
  }

  // What has been made of a node: outside of noEvent, or inside.
  struct Made {
    NodeId node;
    bool varies = false;  // reads something continuous outside of noEvent
    bool done = false;
  };

  void separate_as_inside(FlatEquation& e) {  // of noEvent
    if (jumps_of(e.form).anywhere) separate(e, true);
  }
  // The expression with its jumps as operands; true where it still reads something continuous. `all_quiet`: as inside of noEvent.
  bool separate(FlatEquation& e, bool all_quiet = false) {
    const std::vector<Operand> bound(m_.bound(e).begin(), m_.bound(e).end());
    bound_ = bound;
    pool_.clear();
    const Exprs& from = forms().exprs();
    const NodeId root = forms().root(e.form);
    made_.clear();
    std::vector<std::pair<NodeId, bool>> stack{{root, all_quiet}};
    while (!stack.empty()) {
      const auto [n, quiet] = stack.back();
      Made& made = made_[key(n, quiet)];
      if (made.done) {
        stack.pop_back();
        continue;
      }
      const bool inner = quiet || (from[n].op == ExprOp::call && from[n].fn == Fn::no_event);
      bool ready = true;
      for (NodeId a : from.args(n))
        if (!made_[key(a, inner)].done) {
          ready = false;
          stack.emplace_back(a, inner);
        }
      if (!ready) continue;
      stack.pop_back();
      made_[key(n, quiet)] = make(from, n, quiet, inner);
    }
    const Made result = made_[key(root, all_quiet)];
    e = put(forms().intern(pool_, result.node));
    return result.varies;
  }
  static std::uint64_t key(NodeId n, bool quiet) { return std::uint64_t{n.value} << 1 | (quiet ? 1u : 0u); }

  FlatEquation put(const Bound& b) {
    separated_ = true;
    const auto first = static_cast<std::uint32_t>(m_.operands.size());
    m_.operands.insert(m_.operands.end(), b.operands.begin(), b.operands.end());
    return {b.form, first, static_cast<std::uint32_t>(b.operands.size())};
  }

  Made make(const Exprs& from, NodeId n, bool quiet, bool inner) {
    const ExprNode& node = from[n];
    if (node.op == ExprOp::placeholder) {
      const Operand o = bound_[from.placeholder_of(n)];
      return {pool_.operand(o), !quiet && is_continuous(o), true};
    }
    if (node.op == ExprOp::operand) return {pool_.operand(from.operand_of(n)), !quiet && is_continuous(from.operand_of(n)), true};
    if (const Rational* r = from.if_literal(n)) return {pool_.literal(*r), false, true};
    std::vector<NodeId> args;
    std::vector<bool> varying;
    for (NodeId a : from.args(n)) {
      const Made& m = made_[key(a, inner)];
      args.push_back(m.node);
      varying.push_back(m.varies);
    }
    const bool varies = std::find(varying.begin(), varying.end(), true) != varying.end();
    if (node.op == ExprOp::call && node.fn == Fn::interpolate && !quiet) pieces(args, varying);
    if (node.op == ExprOp::call && (node.fn == Fn::edge || node.fn == Fn::sample)) return {jump(node.fn, args), false, true};
    if (node.op == ExprOp::call && node.fn == Fn::delay) return {delayed(args), !quiet, true};
    if (node.op == ExprOp::call && !quiet && varies && jumps(node.fn)) {
      bool still = false;
      const NodeId value = call(node.fn, args, still);
      return {value, still, true};
    }
    return {pool_.make(node.op, node.fn, args), varies, true};
  }

  NodeId jump(Fn fn, const std::vector<NodeId>& args) {
    FlatModel::EventTerm t;
    t.kind = fn == Fn::edge ? EventKind::edge : EventKind::sample;
    return term(t, args[0], t.kind == EventKind::sample ? args[1] : NodeId{});
  }

  // A table in time bends at moments that are known: integrators step to them.
  void pieces(const std::vector<NodeId>& args, const std::vector<bool>& varying) {
    const std::size_t rows = (args.size() - 1) / 2;
    const auto is_time = [&](NodeId n) { return pool_[n].op == ExprOp::operand && pool_.operand_of(n).kind() == OperandKind::time; };
    const std::vector<NodeId> parts = postorder(pool_, args[0]);
    const auto first = varying.begin() + 1, last = first + static_cast<std::ptrdiff_t>(rows);
    if (std::none_of(parts.begin(), parts.end(), is_time) || std::find(first, last, true) != last) return;
    FlatModel::EventTerm t;
    t.kind = EventKind::table;
    for (std::size_t i = 1; i <= rows; ++i) t.rows.push_back(put(forms().intern(pool_, args[i])));
    term(t, args[0], {});
  }

  // Which piece of what is delayed is looked at changes at events; within it the value is a smooth function of time.
  NodeId delayed(const std::vector<NodeId>& args) {
    FlatModel::EventTerm t;
    t.kind = EventKind::delay;
    const NodeId place = term(t, args[0], args[1], args[2]);
    return pool_.call(Fn::history, {pool_.sub(pool_.operand(Operand::time()), args[1]), place, pool_.literal(0)});
  }

  // A function of something continuous that jumps; `varies`: what is left does not stand still between events.
  NodeId call(Fn fn, const std::vector<NodeId>& a, bool& varies) {
    switch (fn) {
      case Fn::lt: return relation(a[0], a[1], true);
      case Fn::le: return relation(a[0], a[1], false);
      case Fn::floor: return floor(a[0]);
      case Fn::ceil: return pool_.neg(floor(pool_.neg(a[0])));
      case Fn::sign:
        return pool_.call(Fn::select, {relation(pool_.literal(0), a[0], true), pool_.literal(1),
                                       pool_.call(Fn::select, {relation(a[0], pool_.literal(0), true), pool_.literal(-1), pool_.literal(0)})});
      case Fn::abs:
        varies = true;
        return pool_.call(Fn::select, {relation(a[0], pool_.literal(0), true), pool_.neg(a[0]), a[0]});
      case Fn::min: case Fn::max: {
        varies = true;
        const NodeId less = relation(a[0], a[1], true);
        return pool_.call(Fn::select, {less, a[fn == Fn::min ? 0 : 1], a[fn == Fn::min ? 1 : 0]});
      }
      case Fn::div: return truncated(pool_.div(a[0], a[1]));
      case Fn::eq: return equality(a[0], a[1]);
      case Fn::mod:
        varies = true;
        if (is_zero(a[1])) return pool_.div(a[0], a[1]);  // for the message
        return pool_.sub(a[0], pool_.mul(floor(pool_.div(a[0], a[1])), a[1]));
      default:  // rem
        varies = true;
        if (is_zero(a[1])) return pool_.div(a[0], a[1]);
        return pool_.sub(a[0], pool_.mul(truncated(pool_.div(a[0], a[1])), a[1]));
    }
  }
  bool is_zero(NodeId n) const {
    const Rational* r = pool_.if_literal(n);
    return r != nullptr && *r == 0;
  }
  // Neither is less than the other one. At the moment of a crossing that is left to rounding, so it is told.
  NodeId equality(NodeId a, NodeId b) {
    const Span at = here();
    const Bound written = forms().intern(pool_, pool_.call(Fn::eq, {a, b}));
    if (equalities_.insert((std::uint64_t{at.source.value} << 32) | at.begin).second) {
      auto& d = diagnostics_.warning("W0326", at, "`" + print(m_, put(written)) + "` compares numbers that vary: a run passes the moment at which they are equal, and need not meet it");
      d.help = "`>=` or `<=` changes when the moment is passed; what is nearly equal is `abs(a - b) < distance`";
    }
    return pool_.call(Fn::and_, {relation(a, b, false), relation(b, a, false)});
  }
  NodeId truncated(NodeId x) {
    return pool_.call(Fn::select, {relation(x, pool_.literal(0), true), pool_.neg(floor(pool_.neg(x))), floor(x)});
  }
  NodeId relation(NodeId less, NodeId more, bool strict) {
    FlatModel::EventTerm t;
    t.kind = EventKind::relation;
    t.strict = strict;
    t.written = put(forms().intern(pool_, pool_.call(strict ? Fn::lt : Fn::le, {less, more})));
    return term(t, pool_.sub(more, less), {});
  }
  NodeId floor(NodeId x) {
    FlatModel::EventTerm t;
    t.kind = EventKind::floor;
    return term(t, x, {});
  }

  NodeId term(FlatModel::EventTerm t, NodeId argument, NodeId interval, NodeId largest = {}) {
    const Bound a = forms().intern(pool_, argument);
    t.key = combine(combine(0xe7e27, static_cast<std::uint64_t>(t.kind) << 1 | (t.strict ? 1u : 0u)), content(a));
    std::string name{static_cast<char>(t.kind), static_cast<char>(t.strict)};
    append(name, a);
    for (const FlatEquation& row : t.rows) {
      const auto operands = m_.bound(row);
      const Bound r{row.form, {operands.begin(), operands.end()}};
      t.key = combine(t.key, content(r));
      append(name, r);
    }
    std::optional<Bound> b, c;
    const auto add = [&](std::optional<Bound>& to, NodeId n) {
      to = forms().intern(pool_, n);
      t.key = combine(t.key, content(*to));
      append(name, *to);
    };
    if (t.kind == EventKind::sample || t.kind == EventKind::delay) add(b, interval);
    if (t.kind == EventKind::delay) add(c, largest);
    const auto [it, fresh] = known_.emplace(std::move(name), static_cast<std::uint32_t>(m_.events.size()));
    if (fresh) {
      t.argument = put(a);
      if (b) t.interval = put(*b);
      if (c) t.largest = put(*c);
      t.place = here();
      m_.events.push_back(t);
    }
    return pool_.operand(Operand(OperandKind::event, it->second));
  }
  Span here() const { return equation_ == FlatModel::none ? place_ : place(m_, EqId{equation_}); }
  static void append(std::string& s, const Bound& b) {
    s.append(reinterpret_cast<const char*>(&b.form.value), sizeof b.form.value);
    for (Operand o : b.operands) s.append(reinterpret_cast<const char*>(&o.bits), sizeof o.bits);
  }
  std::uint64_t content(const Bound& b) const {
    std::uint64_t h = forms().content_hash(b.form);
    for (Operand o : b.operands) {
      std::uint64_t k = static_cast<std::uint64_t>(o.kind()) << 56;
      if (o.kind() == OperandKind::constant) {
        const ConstantValue& c = constant(ConstId{o.index()});
        k ^= c.is_pi ? 0x9e3779b9 : c.hash;
      } else if (o.kind() == OperandKind::event) {
        k ^= m_.events[o.index()].key;
      } else if (o.has_slot()) {
        k ^= m_.keys[o.index()];
      }
      h = combine(h, k);
    }
    return h;
  }

  FlatModel& m_;
  Diagnostics& diagnostics_;
  std::unordered_set<std::uint64_t> equalities_;  // places that have been told of
  std::vector<bool> is_discrete_;
  bool any_discrete_ = false;  // of the variables
  bool separated_ = false;     // something has been
  std::unordered_map<const Blueprint*, Kind> kinds_;
  std::unordered_map<std::uint32_t, std::uint32_t> target_;  // by equation of a `when`: the slot
  std::span<const Operand> bound_;
  Exprs pool_;
  std::unordered_map<std::uint64_t, Made> made_;
  std::unordered_map<std::string, std::uint32_t> known_;
  std::uint32_t equation_ = FlatModel::none;
  Span place_;
};

}  // namespace

bool may_jump(FormId f) { return jumps_of(f).any; }

bool has_events(const Blueprint& b) {
  const Kind k = kind(b);
  if (k.discrete || k.jumps || k.asks || !b.actions.empty()) return true;
  const auto tells = [](const Bound& v) { return jumps_of(v.form).anywhere || std::ranges::any_of(v.operands, asks_for_events); };
  const auto asserts = [&](const Assertion& a) { return jumps_of(a.condition).anywhere || std::ranges::any_of(a.values, tells); };
  return std::ranges::any_of(b.initial_equations, [](const Equation& e) { return may_jump(e.form); }) ||
         std::ranges::any_of(b.assertions, asserts);
}

void separate_events(FlatModel& m, Diagnostics& d) { Separator(m, d).run(); }

}  // namespace kron::model
