// Loops of connections as they were made in the elaboration before: most of the text of a model in arrays.
#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/scoped.hpp"

namespace kron::elaborate {
using syntax::Expr;
using syntax::ExprKind;

namespace {

// Made of numbers and the iterator: of nothing that another statement could change.
bool is_of_iterator(const Expr& x, Name iterator) {
  switch (x.kind) {
    case ExprKind::number: return true;
    case ExprKind::reference: return x.path.size() == 1 && x.path[0].subscripts.empty() && x.path[0].name == iterator;
    case ExprKind::unary:
    case ExprKind::binary: return std::ranges::all_of(x.args, [&](const syntax::ExprPtr& a) { return is_of_iterator(*a, iterator); });
    default: return false;
  }
}

bool is_plain(const syntax::Stmt& connect, Name iterator) {
  return connect.kind == syntax::StmtKind::connect && connect.refs.size() == 2 && std::ranges::all_of(connect.refs, [&](const syntax::ExprPtr& end) {
    return end->kind == ExprKind::reference && std::ranges::all_of(end->path, [&](const syntax::Part& p) {
             return std::ranges::all_of(p.subscripts, [&](const syntax::ExprPtr& x) { return is_of_iterator(*x, iterator); });
           });
  });
}

bool is_plain_loop(const syntax::Stmt& s) {
  return s.iterators.size() == 1 && s.iterators[0].range && !s.body.empty() &&
         std::ranges::all_of(s.body, [&](const syntax::StmtPtr& c) { return is_plain(*c, s.iterators[0].name); });
}

}  // namespace

// None: it is no component of the class.
std::optional<KeptLoop::Part> ClassBuilder::part_of_loop(Name component) const {
  const auto m = own(component);
  if (!m) return std::nullopt;
  const MemberInfo& info = out_->members[*m];
  if (info.kind != MemberInfo::Kind::component || info.is_shadow || info.total == 0) return std::nullopt;
  const auto first = out_->types.begin() + info.first;
  return KeptLoop::Part{component, b_.children[info.first].slot_base, info.sizes, {first, first + info.total}};
}

void ClassBuilder::loop_and_keep(const syntax::StmtPtr& s, Walk& w) {
  const std::size_t connections = b_.connections.size(), joined = joined_order_.size(), told = c_.report.sink->list.list().size();
  std::size_t edge = out_->graph.connects.size();
  const std::size_t before = beside_connections();
  std::vector<std::size_t> edges;  // behind each connection
  {
    const ScopedValue<std::vector<std::size_t>*> listen(edges_, &edges);
    statement(*s, w);
  }
  if (!is_plain_loop(*s) || beside_connections() != before || c_.report.sink->list.list().size() != told) return;
  const Evaluator::Run run = w.e.run(s->iterators[0], {});
  if (run.values || edges.empty() || edges.size() != run.count * s->body.size()) return;
  KeptLoop k{s, run.first, run.step, run.count, {}, {}, {}};
  std::vector<std::array<std::uint32_t, 2>> parts;  // by statement
  for (const syntax::StmtPtr& c : s->body) {
    parts.emplace_back();
    for (std::size_t end = 0; end < 2; ++end) {
      const Name name = c->refs[end]->path[0].name;
      auto at = std::ranges::find(k.parts, name, &KeptLoop::Part::component);
      if (at == k.parts.end()) {
        auto part = part_of_loop(name);
        if (!part) return;
        at = k.parts.insert(at, std::move(*part));
      }
      parts.back()[end] = static_cast<std::uint32_t>(at - k.parts.begin());
    }
  }
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const model::Connection& c = b_.connections[connections + i];
    if (!c.signals.empty()) return;
    k.made.push_back({c, parts[i % parts.size()], static_cast<std::uint32_t>(edges[i] - edge)});
    const std::size_t first = k.records.size();
    for (; edge < edges[i]; ++edge) k.records.push_back({out_->graph.connects[edge].a, out_->graph.connects[edge].b});
    pairs += first_pair(std::span(k.records).subspan(first), c) ? 1 : 0;
  }
  if (joined_order_.size() - joined != pairs) return;  // arrays of connectors: each is connected by itself
  kept_->loops.keep(std::move(k));
}

// False: it is to be elaborated.
bool ClassBuilder::loop_as_before(const syntax::Stmt& s, Walk& w) {
  KeptLoop* k = kept_->loops.find(s);
  if (k == nullptr || is_broken(connect_edges_, k->records.size())) return false;
  const Evaluator::Run run = w.e.run(s.iterators[0], {});
  if (run.values || run.first != k->first || run.step != k->step || run.count != k->count) return false;
  std::vector<std::uint32_t> moved;  // by part
  for (const KeptLoop::Part& was : k->parts) {
    const auto is = part_of_loop(was.component);
    if (!is || is->sizes != was.sizes || is->types != was.types) return false;
    moved.push_back(is->slot - was.slot);
  }
  const auto records_of = [&](std::size_t& next, const KeptLoop::Made& m) {
    next += m.records;
    return std::span(k->records).subspan(next - m.records, m.records);
  };
  const auto by = [&](const KeptLoop::Made& m, model::SlotPair x) { return model::SlotPair{x.first + moved[m.part[0]], x.second + moved[m.part[1]]}; };
  std::size_t next = 0;
  for (const KeptLoop::Made& m : k->made)  // nothing twice, but what another statement connects
    if (const auto first = first_pair(records_of(next, m), m.connection); first && joined_.contains(key_of(by(m, *first)))) return false;
  next = 0;
  b_.connections.reserve(b_.connections.size() + k->made.size());
  for (const KeptLoop::Made& m : k->made) {
    const auto records = records_of(next, m);
    if (const auto first = first_pair(records, m.connection)) note_joined(by(m, *first));
    model::Connection& c = b_.connections.emplace_back(m.connection);
    for (model::SlotPair& x : c.potentials) x = by(m, x);
    for (model::FlowPair& x : c.flows) x.first.slot += moved[m.part[0]], x.second.slot += moved[m.part[1]];
    for (const model::SlotPair& x : records) out_->graph.connects.push_back({by(m, x).first, by(m, x).second, connect_edges_++});
  }
  kept_->loops.keep(std::move(*k));
  return true;
}

}  // namespace kron::elaborate
