// Names, labels and places of a flat model, computed from its blueprints on demand.
#include <algorithm>
#include <charconv>

#include "engine/base/hash.hpp"
#include "engine/model/flat_model.hpp"

namespace kron::model {

namespace {

template <class Count>
std::uint32_t owner(const FlatModel& m, std::uint32_t index, std::uint32_t Instance::*base, Count own) {
  auto it = std::upper_bound(m.instances.begin(), m.instances.end(), index,
                             [&](std::uint32_t i, const Instance& x) { return i < x.*base; });
  while (it != m.instances.begin()) {
    --it;
    if (index >= (*it).*base && index < (*it).*base + own(*it)) break;
  }
  return static_cast<std::uint32_t>(it - m.instances.begin());
}

const Declaration& declaration_of(const Blueprint& b, std::uint32_t slot) {
  auto it = std::upper_bound(b.declarations.begin(), b.declarations.end(), slot,
                             [](std::uint32_t s, const Declaration& d) { return s < d.first; });
  do --it;
  while (it->count == 0);
  return *it;
}

void append_subscripts(std::string& s, const std::vector<std::uint32_t>& index) {
  char digits[10];
  for (std::size_t i = 0; i < index.size(); ++i) {
    s += i == 0 ? '[' : ',';
    s.append(digits, std::to_chars(digits, digits + sizeof digits, index[i]).ptr);
  }
  if (!index.empty()) s += ']';
}

std::string element(const std::vector<std::uint32_t>& sizes, std::uint32_t number) {
  std::string s;
  if (sizes.empty()) return s;
  std::vector<std::uint32_t> index(sizes.size());
  for (std::size_t i = sizes.size(); i-- > 0;) {
    index[i] = number % sizes[i] + 1;
    number /= sizes[i];
  }
  append_subscripts(s, index);
  return s;
}

// The slot below a chain of derivatives, and how many there are.
std::pair<std::uint32_t, unsigned> base_of(const FlatModel& m, VarId v) {
  unsigned order = 0;
  std::uint32_t s = v.value;
  while (s >= m.slots) {
    s = m.integral[s - m.slots];
    ++order;
  }
  return {s, order};
}

std::string joined(std::string path, const std::string& name) {
  if (!path.empty()) path += '.';
  return path += name;
}

}  // namespace

std::uint32_t instance_of(const FlatModel& m, SlotId s) {
  return owner(m, s.value, &Instance::slot_base, [](const Instance& i) { return i.type->own_slots; });
}

std::uint32_t instance_of(const FlatModel& m, EqId e) {
  if (e.value >= m.connection_equations) return m.connection_info[e.value - m.connection_equations].instance;
  return owner(m, e.value, &Instance::equation_base,
               [](const Instance& i) { return static_cast<std::uint32_t>(i.type->equations.size()); });
}

namespace {
// What `append` makes of each component on the way to the instance.
template <class F>
std::string path_of(const FlatModel& m, std::uint32_t instance, F&& append) {
  std::vector<std::uint32_t> way;
  for (std::uint32_t i = instance; i != 0; i = m.instances[i].parent) way.push_back(i);
  std::string s;
  for (std::size_t k = way.size(); k-- > 0;) {
    if (!s.empty()) s += '.';
    append(s, m.instances[m.instances[way[k]].parent].type->children[m.instances[way[k]].child]);
  }
  return s;
}

// Of the slot, in what `path` makes of its component, which is made once.
template <class F>
std::string slot_name(const FlatModel& m, std::uint32_t slot, std::unordered_map<std::uint32_t, std::string>& paths, F&& path) {
  const std::uint32_t inst = instance_of(m, SlotId{slot});
  const Instance& i = m.instances[inst];
  const Declaration& d = declaration_of(*i.type, slot - i.slot_base);
  const auto [at, is_new] = paths.try_emplace(inst);
  if (is_new) at->second = path(inst);
  return joined(at->second, d.name.str() + element(d.sizes, slot - i.slot_base - d.first));
}
}  // namespace

std::string path(const FlatModel& m, std::uint32_t instance) {
  return path_of(m, instance, [](std::string& s, const Child& c) {
    s += c.name.str();
    append_subscripts(s, c.index);
  });
}

const Declaration& declaration(const FlatModel& m, VarId v) {
  const std::uint32_t s = base_of(m, v).first;
  const Instance& i = m.instances[instance_of(m, SlotId{s})];
  return declaration_of(*i.type, s - i.slot_base);
}

std::string name(const FlatModel& m, VarId v) { return Names(m).name(v); }

std::string Names::name(VarId v) {
  const auto [s, order] = base_of(m_, v);
  const std::string n = slot_name(m_, s, paths_, [&](std::uint32_t inst) { return path(m_, inst); });
  if (order == 0) return n;
  return order == 1 ? "der(" + n + ")" : "der(" + n + "," + std::to_string(order) + ")";
}

std::string Kinds::kind(SlotId slot) {
  return slot_name(m_, slot.value, paths_, [&](std::uint32_t inst) {
    return path_of(m_, inst, [](std::string& s, const Child& c) {
      s += c.type->class_name.str();
      if (!c.type->is_connector) return;
      s += ' ' + c.name.str();
      append_subscripts(s, c.index);
    });
  });
}

std::uint32_t group(const FlatModel& m, VarId v) {
  const auto [s, order] = base_of(m, v);
  return m.array[s] + order * m.slots;
}

Span place(const FlatModel& m, VarId v) { return declaration(m, v).span; }

namespace {
const Equation& equation_of(const FlatModel& m, EqId e, std::uint32_t& inst) {
  inst = instance_of(m, e);
  return m.instances[inst].type->equations[e.value - m.instances[inst].equation_base];
}

std::string equation_label(const FlatModel& m, std::uint32_t inst, const Equation& e) {
  const EquationGroup& g = m.instances[inst].type->equation_groups[e.group];
  const Name& label = e.origin == EquationOrigin::connection ? g.label : e.label;  // of what closes a loop: with what it holds
  return joined(path(m, inst), label.str() + element(g.sizes, e.element));
}
}  // namespace

std::string label(const FlatModel& m, EqId e) {
  if (e.value >= m.connection_equations) {
    const auto& c = m.connection_info[e.value - m.connection_equations];
    const std::string a = name(m, VarId{c.a});
    if (!c.flow) return "connect(" + a + "," + name(m, VarId{c.b}) + ")";
    if (c.connection == FlatModel::none) return "open(" + a + ")";
    return (c.outside ? "sum(-" : "sum(") + a + ")";  // a connector's flow is in one sum outside and in one inside its component
  }
  std::uint32_t inst = 0;
  const Equation& x = equation_of(m, e, inst);
  return equation_label(m, inst, x);
}

namespace {
const Equation& initial_equation(const FlatModel& m, std::uint32_t index, std::uint32_t& inst) {
  inst = owner(m, index, &Instance::initial_base, [](const Instance& i) {
    return static_cast<std::uint32_t>(i.type->initial_equations.size());
  });
  return m.instances[inst].type->initial_equations[index - m.instances[inst].initial_base];
}
}  // namespace

std::string initial_label(const FlatModel& m, std::uint32_t index) {
  std::uint32_t inst = 0;
  const Equation& e = initial_equation(m, index, inst);
  return equation_label(m, inst, e);
}

Span initial_place(const FlatModel& m, std::uint32_t index) {
  std::uint32_t inst = 0;
  return initial_equation(m, index, inst).span;
}

std::uint32_t group(const FlatModel& m, EqId e) {
  if (e.value >= m.connection_equations) return m.connection_info[e.value - m.connection_equations].group;
  std::uint32_t inst = 0;
  const Equation& x = equation_of(m, e, inst);
  return e.value - x.element;
}

Span place(const FlatModel& m, EqId e) {
  if (e.value >= m.connection_equations) {
    const auto& c = m.connection_info[e.value - m.connection_equations];
    if (c.connection == FlatModel::none) return place(m, VarId{c.a});
    return m.instances[c.instance].type->connections[c.connection].span;
  }
  std::uint32_t inst = 0;
  return equation_of(m, e, inst).span;
}

std::uint32_t component_of(const FlatModel& m, std::uint32_t instance) {
  while (m.instances[instance].parent != 0) instance = m.instances[instance].parent;
  return instance;
}
Span component_place(const FlatModel& m, std::uint32_t component) { return m.instances[0].type->children[m.instances[component].child].span; }

// ---- lookup by name -----------------------------------------------------------------------------------------------------------

namespace {

struct Step {
  std::string_view name;
  std::vector<std::uint32_t> index;
};

// Reads a whole number and the blanks around it; false: there is none.
bool read_number(std::string_view& text, std::uint32_t& n) {
  const auto trim = [&] { text.remove_prefix(std::min(text.find_first_not_of(' '), text.size())); };
  trim();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  trim();
  return true;
}

// "a.b[3].c[1,2]" to steps; nullopt where the text is no path.
std::optional<std::vector<Step>> read_path(std::string_view text) {
  std::vector<Step> steps;
  for (;;) {
    const std::size_t end = std::min(text.find_first_of(".["), text.size());
    Step s{text.substr(0, end), {}};
    text.remove_prefix(end);
    while (text.starts_with(s.index.empty() ? '[' : ',')) {
      text.remove_prefix(1);
      if (!read_number(text, s.index.emplace_back())) return std::nullopt;
    }
    if (!s.index.empty()) {
      if (!text.starts_with(']')) return std::nullopt;
      text.remove_prefix(1);
    }
    steps.push_back(std::move(s));
    if (text.empty()) return steps;
    if (!text.starts_with('.')) return std::nullopt;
    text.remove_prefix(1);
  }
}

std::optional<std::uint32_t> element_number(const Declaration& d, const std::vector<std::uint32_t>& index) {
  if (index.empty()) return 0;
  if (index.size() != d.sizes.size()) return std::nullopt;
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (index[i] < 1 || index[i] > d.sizes[i]) return std::nullopt;
    n = n * d.sizes[i] + index[i] - 1;
  }
  return n;
}

struct Found {
  std::uint32_t slot = 0;
  bool restricted = false;  // private, or protected by a `final`
};

std::optional<Found> find_slot(const FlatModel& m, std::string_view text) {
  const auto steps = read_path(text);
  if (!steps) return std::nullopt;
  const Blueprint* b = m.top.get();
  std::uint32_t base = 0;
  bool restricted = b->has_finals;
  for (std::size_t k = 0; k + 1 < steps->size(); ++k) {
    const Name n((*steps)[k].name);
    auto it = std::find_if(b->children.begin(), b->children.end(),
                           [&](const Child& c) { return c.name == n && c.index == (*steps)[k].index; });
    if (it == b->children.end()) return std::nullopt;
    base += it->slot_base;
    b = it->type.get();
    restricted = restricted || it->is_private || b->has_finals;
  }
  const Name n(steps->back().name);
  for (const Declaration& d : b->declarations)
    if (d.name == n && d.count > 0)
      if (auto i = element_number(d, steps->back().index))
        return Found{base + d.first + *i, restricted || d.is_final || (b->flags[d.first] & SlotFlag::is_private)};
  return std::nullopt;
}

}  // namespace

std::optional<VarId> find(const FlatModel& m, std::string_view text) {
  std::uint32_t order = 0;
  while (text.starts_with("der(") && text.ends_with(")")) {
    text = text.substr(4, text.size() - 5);
    std::uint32_t times = 1;
    const auto comma = text.rfind(',');
    if (comma != std::string_view::npos && text.find_first_of("])", comma) == std::string_view::npos) {
      std::string_view number = text.substr(comma + 1);
      if (!read_number(number, times) || !number.empty()) return std::nullopt;
      text = text.substr(0, comma);
    }
    order += std::min(times, max_order + 1);
    if (order > max_order) return std::nullopt;
  }
  const auto found = find_slot(m, text);
  if (!found) return std::nullopt;
  std::uint32_t v = found->slot;
  for (; order > 0; --order) {
    v = m.derivative[v];
    if (v == FlatModel::none) return std::nullopt;
  }
  return VarId{v};
}

std::optional<VarId> find_modifiable(const FlatModel& m, std::string_view text) {
  const auto found = find_slot(m, text);
  return found && !found->restricted ? std::optional(VarId{found->slot}) : std::nullopt;
}

const Assertion& statement(const FlatModel& m, const FlatModel::FlatAssertion& a) {
  return m.instances[a.instance].type->assertions[a.statement];
}

// What is no number is not subtracted: b = x < 1.
std::string print(const FlatModel& m, EqId e) {
  const FlatEquation& x = m.equations[e.value];
  const Exprs& exprs = forms().exprs();
  const NodeId root = forms().root(x.form);
  const auto operands = m.bound(x);
  if (exprs[root].op == ExprOp::sub) {
    const NodeId left = exprs.args(root)[0];
    const Operand o = exprs[left].op == ExprOp::placeholder ? operands[exprs.placeholder_of(left)] : Operand::time();
    if (o.kind() == OperandKind::value && o.index() < m.slots && declaration(m, VarId{o.index()}).type != ValueType::real)
      return text(m, o) + " = " + print(exprs, exprs.args(root)[1], [&](const ExprNode& leaf) {
               Operand inner;
               inner.bits = leaf.first;
               return text(m, leaf.op == ExprOp::placeholder ? operands[leaf.first] : inner);
             });
  }
  return print(m, x) + " = 0";
}

std::string print(const FlatModel& m, const FlatModel::EventTerm& t) {
  const std::string a = print(m, t.kind == EventKind::relation ? t.written : t.argument);
  switch (t.kind) {
    case EventKind::relation: return a;
    case EventKind::floor: return "floor(" + a + ")";
    case EventKind::edge: return "edge(" + a + ")";
    case EventKind::delay: return "delay(" + a + ", " + print(m, t.interval) + ")";
    case EventKind::table: return "interpolate(" + a + ", …)";
    case EventKind::sample: return "sample(" + a + ", " + print(m, t.interval) + ")";
  }
  return {};
}

std::string text(const FlatModel& m, Operand o) {
  switch (o.kind()) {
    case OperandKind::value: return name(m, VarId{o.index()});
    case OperandKind::start: return name(m, VarId{o.index()}) + ".start";
    case OperandKind::pre: return "pre(" + name(m, VarId{o.index()}) + ")";
    case OperandKind::constant: {
      const ConstantValue& c = constant(ConstId{o.index()});
      return c.is_pi ? "pi" : to_text(c.value);
    }
    case OperandKind::time: return "time";
    case OperandKind::initial: return "initial()";
    case OperandKind::terminal: return "terminal()";
    case OperandKind::event: return print(m, m.events[o.index()]);
  }
  return {};
}

std::string print(const FlatModel& m, const FlatEquation& x) {
  const auto operands = m.bound(x);
  return print(Bound{x.form, {operands.begin(), operands.end()}}, [&](Operand o) { return text(m, o); });
}

}  // namespace kron::model
