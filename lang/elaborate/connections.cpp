// connect statements: ends, shapes, kinds; expanded to pairs of scalars.
#include "engine/base/hash.hpp"
#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/scoped.hpp"
#include "lang/elaborate/text.hpp"
#include "lang/syntax/printer.hpp"

namespace kron::elaborate {
using syntax::ExprKind;
using syntax::Prefix;
using syntax::Stmt;
using Kind = ConnectorPart::Kind;

// ---- layout of a connector --------------------------------------------------------------------------------------------------------

namespace {

Kind kind_of(Prefix p, Variability v) {
  if (v <= Variability::parameter) return Kind::parameter;
  if (p == Prefix::flow) return Kind::flow;
  if (p == Prefix::input) return Kind::sink;
  if (p == Prefix::output) return Kind::source;
  return Kind::potential;
}

const Definition* equal_function(const Definition& record) {
  static const Name equal("equal");
  auto it = record.nested.find(equal);
  return it != record.nested.end() && it->second->kind == DefinitionKind::function ? it->second.get() : nullptr;
}

// The variable of a record in the connector, as T in R.T, and its first slot in the connector; null: it is none.
const MemberInfo* member_of_record(const Elaboration& e, const std::vector<Name>& path, std::uint32_t& slot) {
  const auto member = [](const Elaboration& in, Name name, MemberInfo::Kind kind) {
    const auto at = std::ranges::find_if(in.members, [&](const MemberInfo& m) { return m.name == name && m.kind == kind; });
    return at == in.members.end() ? nullptr : &*at;
  };
  if (path.size() != 2) return nullptr;
  const MemberInfo* record = member(e, path[0], MemberInfo::Kind::component);
  if (record == nullptr || record->total != 1) return nullptr;
  const MemberInfo* found = member(*e.types[record->first], path[1], MemberInfo::Kind::variable);
  if (found != nullptr) slot = e.view->children[record->first].slot_base + found->first;
  return found;
}

// Where `@axes(R.T)` beside a potential vector leads to a square matrix of its size; `@derivative(motion.v)` to vectors like it.
void add_vectors(const Elaboration& e, ConnectorLayout& out) {
  for (const MemberInfo& m : e.members) {
    if (m.kind != MemberInfo::Kind::variable || m.prefix != Prefix::potential) continue;
    ConnectorVector v{m.first, m.total, 0, {}, m.name.str()};
    const MemberInfo* matrix = member_of_record(e, m.axes, v.axes);
    if (matrix == nullptr || matrix->sizes.size() != 2 || matrix->sizes[0] != m.total || matrix->sizes[1] != m.total) continue;
    for (const std::vector<Name>& path : m.rates) {
      std::uint32_t slot = 0;
      const MemberInfo* rate = member_of_record(e, path, slot);
      if (rate == nullptr || rate->sizes != m.sizes) break;
      v.rates.push_back(slot);
    }
    out.vectors.push_back(std::move(v));
  }
}

void add_parts(const Elaboration& e, std::uint32_t base, std::uint64_t path, const std::string& before, ConnectorLayout& out) {
  for (const MemberInfo& m : e.members) {
    const std::uint64_t name = combine(path, m.name.hash());
    if (m.kind == MemberInfo::Kind::variable)
      for (std::uint32_t i = 0; i < m.total; ++i) out.parts.push_back({base + m.first + i, kind_of(m.prefix, m.variability), combine(name, i), m.type, m.enumeration});
    if (m.kind != MemberInfo::Kind::component) continue;
    for (std::uint32_t k = 0; k < m.total; ++k) {
      const Elaboration& type = *e.types[m.first + k];
      const std::uint32_t at = base + e.view->children[m.first + k].slot_base;
      if (type.view->is_record)
        if (const Definition* equal = equal_function(*type.definition)) out.records.push_back({at, type.view->slots, &type, equal, before + m.name.str()});
      add_parts(type, at, combine(name, k), before + m.name.str() + ".", out);
    }
  }
}

}  // namespace

const ConnectorLayout& connector_layout(const Elaboration& e) {
  if (!e.layout) {
    auto layout = std::make_unique<ConnectorLayout>();
    add_parts(e, 0, 0x33, {}, *layout);
    add_vectors(e, *layout);
    e.layout = std::move(layout);
  }
  return *e.layout;
}

// ---- ends -------------------------------------------------------------------------------------------------------------------------

// With an absent component nothing but that is known.
ClassBuilder::End ClassBuilder::end_of(const syntax::Expr& x, Evaluator& e) {
  if (x.kind != ExprKind::reference) c_.report.fail("E0232", x.span, "`connect` takes the names of connectors");
  const auto m = find(x.path[0].name, e.home.layer);
  std::size_t local = 0;
  if (!m || e.has_local(x.path[0].name, local)) (void)e.value(x);  // says that the name is unknown
  if (!m) c_.report.fail("E0232", x.span, quoted(x.path) + " is not a connector");
  End end;
  end.reached = reach(x.path, *m, e, x.span);
  end.expression = &x;
  if (end.reached.absent) return end;
  const MemberInfo& info = *end.reached.member;
  const MemberInfo& first = out_->members[*m];
  end.outside = x.path.size() == 1 || end.reached.outside;
  if (info.kind == MemberInfo::Kind::variable) {
    const bool signal = info.prefix == Prefix::input || info.prefix == Prefix::output;
    const bool part = info.prefix == Prefix::potential || info.prefix == Prefix::flow;
    if (!signal) not_a_connector(x, info, part);
    end.signal = true;
    end.source = (info.prefix == Prefix::output) != (first.kind == MemberInfo::Kind::variable || end.reached.outside);
    return end;
  }
  for (const Where& w : end.reached.at)
    if (!w.type->view->is_connector) not_a_connector(x, info, false);
  return end;
}

// A library's classes know why they connect what may be absent; whoever connects the flange of a joint has forgotten to ask for it.
void ClassBuilder::not_there(const End& end, Span at) {
  const MemberInfo& info = *end.reached.member;
  if (end.reached.at.empty() || end.reached.at[0].type == out_.get() || !c_.report.first("W0212", at)) return;  // or of the model itself
  auto& d = c_.report.warning("W0212", at, quoted(end.expression->path) + " is not there: its condition is false, and the connection does nothing");
  d.notes.push_back({info.span, "`" + info.name.str() + "` is declared here, with its condition"});
  d.help = "make the condition true where the component is declared, or take the connection out";
}

void ClassBuilder::not_a_connector(const syntax::Expr& x, const MemberInfo& info, bool part_of_connector) {
  std::string help;
  if (part_of_connector) help = "connect the whole connector, or write an equation";
  else if (info.kind == MemberInfo::Kind::variable) help = "quantities are set equal by an equation: `a = b`";
  auto& d = c_.report.error("E0232", x.span, quoted(x.path) + " is not a connector");
  d.help = help;
  d.notes.push_back({info.span, "it is declared here"});
  throw Failed{};
}

// The path with the numbers of this round in place of iterators.
std::string ClassBuilder::end_text(const syntax::Expr& x, Evaluator& e) {
  std::string t;
  for (const auto& p : x.path) {
    if (!t.empty()) t += '.';
    t += p.name.str();
    for (std::size_t k = 0; k < p.subscripts.size(); ++k) {
      const auto n = e.small(*p.subscripts[k]);
      t += k == 0 ? '[' : ',';
      t += n ? std::to_string(*n) : syntax::print(*p.subscripts[k]);
    }
    if (!p.subscripts.empty()) t += ']';
  }
  return t;
}

void ClassBuilder::connect(const Stmt& s, Walk& w) {
  if (w.collect != nullptr) c_.report.fail("E0231", s.span, "`connect` cannot depend on a condition that changes while the model runs");
  std::vector<End> ends;
  ends.reserve(s.refs.size());
  model::Connection c;
  std::string text;
  std::optional<End> absent;
  for (const auto& r : s.refs) {
    End end = end_of(*r, w.e);
    if (end.reached.absent) {
      if (!absent) absent = std::move(end);
      continue;
    }
    text += (text.empty() ? "" : ", ") + end_text(*r, w.e);
    ends.push_back(std::move(end));
  }
  if (absent && !ends.empty() && is_top()) not_there(*absent, s.span);
  if (ends.size() < 2) return;
  c.text = std::make_shared<const std::string>(std::move(text));
  c.span = s.span;
  std::size_t hub = 0;  // a source feeds all the others
  for (std::size_t i = 0; i < ends.size(); ++i)
    if (ends[i].signal && ends[i].source && !ends[hub].source) hub = i;
  for (std::size_t i = 0; i < ends.size(); ++i)
    if (i != hub) join(ends[hub], ends[i], c, s);
  if (c.potentials.empty() && c.flows.empty() && c.signals.empty()) return;
  b_.connections.push_back(std::move(c));
  if (edges_ != nullptr) edges_->push_back(out_->graph.connects.size());
}

// ---- kept from the elaboration before ---------------------------------------------------------------------------------------------

namespace {

bool is_scalar_component(const MemberInfo& m) { return m.kind == MemberInfo::Kind::component && !m.is_shadow && m.sizes.empty(); }

// Notes where the connector is in the class of its component. False: there is no such scalar one that all may use.
bool place_connector(KeptConnection::End& end) {
  const auto& members = end.type->members;
  const auto at = std::ranges::find(members, end.connector, &MemberInfo::name);
  if (at == members.end() || at->is_private || !is_scalar_component(*at)) return false;
  end.connector_type = end.type->types[at->first];
  end.connector_slot = end.type->view->children[at->first].slot_base;
  return true;
}

// Its component has another class, but for the connection this is the same one: only where its slots are is another place.
std::optional<std::uint32_t> shift_in(KeptConnection::End& end, const std::shared_ptr<const Elaboration>& type) {
  if (end.connector.empty()) return std::nullopt;
  KeptConnection::End now = end;
  now.type = type;
  if (!place_connector(now) || now.connector_type != end.connector_type) return std::nullopt;
  const std::uint32_t shift = now.connector_slot - end.connector_slot;
  end = std::move(now);
  return shift;
}

// Slots of the connection by so much further on each side.
void shift(model::Connection& c, std::vector<model::SlotPair>& records, std::uint32_t first, std::uint32_t second) {
  for (model::SlotPair& x : c.potentials) x.first += first, x.second += second;
  for (model::FlowPair& x : c.flows) x.first.slot += first, x.second.slot += second;
  for (model::SlotPair& x : records) x.first += first, x.second += second;
}

}  // namespace

// Its component is a scalar one, and no number in the path is to be found.
bool ClassBuilder::plain_end(const syntax::Expr& x, KeptConnection::End& end) const {
  for (const syntax::Part& p : x.path)
    if (!p.subscripts.empty()) return false;
  const auto m = own(x.path[0].name);
  if (!m) return false;
  const MemberInfo& info = out_->members[*m];
  if (!is_scalar_component(info)) return false;
  end = {info.name, *m, out_->types[info.first], {}, {}, 0};
  if (x.path.size() == 2) {
    end.connector = x.path[1].name;
    if (!place_connector(end)) end.connector = {};
  }
  return true;
}

// False: they are connected already.
bool ClassBuilder::note_joined(const model::SlotPair& pair) {
  const std::uint64_t key = key_of(pair);
  if (!joined_.insert(key).second) return false;
  joined_order_.push_back(key);
  return true;
}

void ClassBuilder::connect_and_keep(const syntax::StmtPtr& s, Walk& w) {
  const std::size_t connections = b_.connections.size(), edges = out_->graph.connects.size(), told = c_.report.sink->list.list().size();
  const std::size_t joined = joined_order_.size();
  const std::size_t before = beside_connections();
  connect(*s, w);
  KeptConnection k;
  const bool silent = c_.report.sink->list.list().size() == told;
  if (b_.connections.size() != connections + 1 || beside_connections() != before || !silent || s->refs.size() != 2) return;
  if (!plain_end(*s->refs[0], k.ends[0]) || !plain_end(*s->refs[1], k.ends[1])) return;
  k.statement = s;
  k.connection = b_.connections.back();
  if (!k.connection.signals.empty()) return;
  const auto base = [&](std::size_t end) { return b_.children[out_->members[k.ends[end].member].first].slot_base; };
  for (std::size_t e = edges; e < out_->graph.connects.size(); ++e)
    k.records.push_back({out_->graph.connects[e].a, out_->graph.connects[e].b});
  if (joined_order_.size() - joined != (first_pair(k.records, k.connection) ? 1u : 0u)) return;  // arrays of connectors
  shift(k.connection, k.records, 0 - base(0), 0 - base(1));
  kept_->connections.keep(std::move(k));
}

// False: it is to be elaborated.
bool ClassBuilder::connect_as_before(const Stmt& s) {
  KeptConnection* k = kept_->connections.find(s);
  if (k == nullptr || is_broken(connect_edges_, k->records.size())) return false;
  std::array<std::uint32_t, 2> base{}, moved{};
  for (std::size_t i = 0; i < 2; ++i) {
    KeptConnection::End& end = k->ends[i];
    if (end.member >= members_.size() || out_->members[end.member].name != end.component) {
      const auto m = own(end.component);
      if (!m) return false;
      end.member = *m;
    }
    const MemberInfo& info = out_->members[end.member];
    if (!is_scalar_component(info)) return false;
    if (const auto& type = out_->types[info.first]; type != end.type) {
      const auto by = shift_in(end, type);
      if (!by) return false;
      moved[i] = *by;
    }
    base[i] = b_.children[info.first].slot_base;
  }
  shift(k->connection, k->records, moved[0], moved[1]);
  model::Connection c = k->connection;
  std::vector<model::SlotPair> records = k->records;
  shift(c, records, base[0], base[1]);
  const auto first = first_pair(records, c);
  if (first && !note_joined(*first)) return false;  // connect() says so
  b_.connections.push_back(std::move(c));
  for (const model::SlotPair& x : records) out_->graph.connects.push_back({x.first, x.second, connect_edges_++});
  kept_->connections.keep(std::move(*k));
  return true;
}

// ---- pairs of ends ----------------------------------------------------------------------------------------------------------------

void ClassBuilder::join(const End& a, const End& b, model::Connection& c, const Stmt& s) {
  if (a.signal != b.signal)
    c_.report.fail("E0233", s.span, quoted(a.expression->path) + " and " + quoted(b.expression->path) + " do not fit: one is a signal, the other a connector");
  if (!(a.reached.sizes == b.reached.sizes))
    c_.report.fail("E0233", s.span, quoted(a.expression->path) + " and " + quoted(b.expression->path) + " differ in size: " + shape_text(a.reached.sizes) + " and " + shape_text(b.reached.sizes));
  if (a.signal) {
    const bool swapped = b.source && !a.source;
    const End &from = swapped ? b : a, &to = swapped ? a : b;
    check_connected({from.reached.member->type, from.reached.member->enumeration, syntax::print(*from.expression)},
                    {to.reached.member->type, to.reached.member->enumeration, syntax::print(*to.expression)}, s.span);
    for (std::size_t i = 0; i < a.reached.slots.size(); ++i) join_signals(a.reached.slots[i], a.source, b.reached.slots[i], b.source, c, s.span);
    return;
  }
  for (std::size_t i = 0; i < a.reached.at.size(); ++i) join_instances(a.reached.at[i], b.reached.at[i], a, b, c, s);
}

namespace {

// Pairs of parts, by position where the classes agree, else by name. Empty: they do not fit.
std::vector<std::pair<const ConnectorPart*, const ConnectorPart*>> matched(const ConnectorLayout& a, const ConnectorLayout& b) {
  std::vector<std::pair<const ConnectorPart*, const ConnectorPart*>> list;
  if (a.parts.size() != b.parts.size()) return list;
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    const ConnectorPart* q = &b.parts[i];
    for (std::size_t k = 0; q->name != a.parts[i].name && k < b.parts.size(); ++k) q = &b.parts[k];
    if (q->name != a.parts[i].name) return {};
    list.emplace_back(&a.parts[i], q);
  }
  return list;
}

}  // namespace

// An Integer may feed a Real; other types do not mix.
void ClassBuilder::check_connected(const Typed& from, const Typed& to, Span span) {
  if (from.type == to.type && from.enumeration == to.enumeration) return;
  if (from.type == ValueType::integer && to.type == ValueType::real) return;
  const auto text = [](const Typed& x) { return x.enumeration != nullptr ? x.enumeration->name.str() : std::string(type_name(x.type)); };
  const auto known = [](const Typed& x) { return x.enumeration == nullptr; };
  std::string help;
  if (known(from) && known(to)) help = "`blocks." + text(from) + "To" + text(to) + "` between them turns one into the other";
  if (from.type == ValueType::real && to.type == ValueType::boolean) help += "; of the sources, those called Boolean… (`blocks.BooleanPulse`) give Booleans";
  c_.report.fail("E0221", span, "`" + from.name + "` is of type " + text(from) + ", and `" + to.name + "` of type " + text(to), help);
}

void ClassBuilder::misfit(const End& a, const End& b, const Where& x, const Where& y, const Stmt& s) {
  auto& d = c_.report.error("E0233", s.span, quoted(a.expression->path) + " and " + quoted(b.expression->path) + " do not fit: `" + x.type->definition->name.str() + "` and `" + y.type->definition->name.str() + "` have different members");
  d.notes.push_back({x.type->definition->statement->span, "`" + x.type->definition->name.str() + "` is defined here"});
  d.notes.push_back({y.type->definition->statement->span, "`" + y.type->definition->name.str() + "` is defined here"});
  throw Failed{};
}

void ClassBuilder::join_instances(const Where& x, const Where& y, const End& a, const End& b, model::Connection& c, const Stmt& s) {
  const ConnectorLayout &p = connector_layout(*x.type), &q = connector_layout(*y.type);
  const std::size_t edges = out_->graph.connects.size(), potentials = c.potentials.size();
  const bool same = x.type == y.type;
  if (!same && p.parts.size() + q.parts.size() > 0 && matched(p, q).empty()) misfit(a, b, x, y, s);
  std::vector<bool> skip = joined_records(p, q, x.base, y.base, c, s);
  const auto pairs = same ? std::vector<std::pair<const ConnectorPart*, const ConnectorPart*>>{} : matched(p, q);
  for (std::size_t i = 0; i < p.parts.size(); ++i) {
    const ConnectorPart& u = p.parts[i];
    const ConnectorPart& v = same ? u : *pairs[i].second;
    if (!skip.empty() && skip[u.slot]) continue;
    const bool signals = (u.kind == Kind::source || u.kind == Kind::sink) && (v.kind == Kind::source || v.kind == Kind::sink);
    if (u.kind != v.kind && !signals) misfit(a, b, x, y, s);
    const std::uint32_t m = x.base + u.slot, n = y.base + v.slot;
    if (u.type != v.type || u.enumeration != v.enumeration) {
      const bool backward = signals && (v.kind == Kind::source) != b.outside && (u.kind == Kind::source) == a.outside;
      const Typed one{u.type, u.enumeration, slot_name(m)}, other{v.type, v.enumeration, slot_name(n)};
      check_connected(backward ? other : one, backward ? one : other, s.span);
    }
    switch (u.kind) {
      case Kind::potential: c.potentials.push_back({m, n}); break;
      case Kind::flow: c.flows.push_back({{m, a.outside}, {n, b.outside}}); break;
      case Kind::parameter: equal_parameters(m, n, a, b, s); break;
      default: join_signals(m, (u.kind == Kind::source) != a.outside, n, (v.kind == Kind::source) != b.outside, c, s.span);
    }
  }
  std::optional<model::SlotPair> first;
  if (edges < out_->graph.connects.size()) first = {out_->graph.connects[edges].a, out_->graph.connects[edges].b};
  else if (potentials < c.potentials.size()) first = c.potentials[potentials];
  if (!first || note_joined(*first) || !c_.report.first("W0211", s.span)) return;
  auto& d = c_.report.warning("W0211", s.span, quoted(a.expression->path) + " and " + quoted(b.expression->path) + " are connected already");
  d.help = "a second time changes nothing: take it out";
}

// Parameters of connected connectors must be equal: checked when the model runs.
void ClassBuilder::equal_parameters(std::uint32_t m, std::uint32_t n, const End& a, const End& b, const Stmt& s) {
  model::Exprs& p = c_.pool;
  const NodeId equal = p.call(Fn::eq, {p.operand(model::Operand::value(model::SlotId{m})), p.operand(model::Operand::value(model::SlotId{n}))});
  model::Assertion x;
  const auto [f, first] = form(equal, x.count);
  x.condition = f;
  x.first = first;
  x.text = "the parameters of the connected connectors " + quoted(a.expression->path) + " and " + quoted(b.expression->path) + " must be equal";
  x.span = s.span;
  b_.assertions.push_back(std::move(x));
}

// ---- signals ----------------------------------------------------------------------------------------------------------------------

std::uint32_t ClassBuilder::signal_root(std::uint32_t slot) {
  for (auto it = signal_set_.find(slot); it != signal_set_.end() && it->second != slot; it = signal_set_.find(slot)) slot = it->second;
  return slot;
}

void ClassBuilder::join_signals(std::uint32_t a, bool a_source, std::uint32_t b, bool b_source, model::Connection& c, Span span) {
  if (b_source && !a_source) std::swap(a, b);
  c.signals.push_back({a, b});
  const auto [x, y] = std::pair(a_source || !b_source ? a_source : b_source, a_source && b_source);
  if (x) signal_sources_.push_back({a, span});
  if (y) signal_sources_.push_back({b, span});
  const std::uint32_t r = signal_root(a), t = signal_root(b);
  signal_set_.emplace(r, r);
  signal_set_[t] = r;
}

// One source in each set of connected signals.
void ClassBuilder::check_sources() {
  std::unordered_map<std::uint32_t, SignalSource> of;
  for (const SignalSource& s : signal_sources_) {
    auto [it, fresh] = of.emplace(signal_root(s.slot), s);
    if (fresh || it->second.slot == s.slot) continue;
    auto& d = c_.report.error("E0234", s.span, "two outputs feed one input: `" + slot_name(it->second.slot) + "` and `" + slot_name(s.slot) + "`");
    d.notes.push_back({it->second.span, "the first connection"});
  }
}

// The path of a slot, for messages.
std::string ClassBuilder::slot_name(std::uint32_t slot) const {
  std::string name;
  const Elaboration* type = out_.get();
  while (slot >= type->view->own_slots) {
    std::size_t k = type->view->children.size();
    while (k-- > 0)
      if (type->view->children[k].slot_base <= slot && type->types[k]->view->slots > 0) break;
    if (k >= type->view->children.size()) return name;
    const model::Child& c = type->view->children[k];
    name += c.name.str();
    if (!c.index.empty()) {
      name += '[';
      for (std::size_t i = 0; i < c.index.size(); ++i) name += (i ? "," : "") + std::to_string(c.index[i]);
      name += ']';
    }
    name += '.';
    slot -= c.slot_base;
    type = type->types[k].get();
  }
  for (const MemberInfo& m : type->members)
    if (m.kind == MemberInfo::Kind::variable && slot >= m.first && slot < m.first + m.total) return name + m.name.str() + element_text(m.sizes, slot - m.first);
  return name;
}

}  // namespace kron::elaborate
