// Equations in loops: after the first round only the slots change, as long as the equation is made of operators, plain functions and
// references whose iterators stand in subscripts, and the same references fall together (x[k] and x[n-k] may meet).
#include "lang/elaborate/builder.hpp"

namespace kron::elaborate {
using syntax::Expr;
using syntax::ExprKind;
using syntax::Operator;

namespace {

bool plain_function(const std::string& f) {
  static const std::unordered_set<std::string> names = {"sin",  "cos",  "tan",  "asin", "acos",  "atan", "sinh", "cosh", "tanh",
                                                        "exp",  "log",  "log10", "sqrt", "abs",  "sign", "der",  "relax"};
  return names.count(f) > 0;
}

}  // namespace

// Gathers the references in order; false where the equation is of another kind.
bool ClassBuilder::template_references(const Expr& root, Evaluator& e, std::vector<const Expr*>& out) {
  std::vector<const Expr*> stack{&root};
  while (!stack.empty()) {
    const Expr& x = *stack.back();
    stack.pop_back();
    switch (x.kind) {
      case ExprKind::number: case ExprKind::quantity: break;
      case ExprKind::reference: {
        std::size_t local = 0;
        if (e.has_local(x.path[0].name, local)) return false;
        for (std::size_t p = 0; p < x.path.size(); ++p)
          for (std::size_t d = 0; d < x.path[p].subscripts.size(); ++d)
            if (e.moves(x, p, d)) return false;
        if (find(x.path[0].name, e.home.layer)) out.push_back(&x);
        else if (x.path.size() != 1 || (x.path[0].name != Name("time") && x.path[0].name != Name("pi"))) return false;
        break;
      }
      case ExprKind::unary:
        if (x.op != Operator::neg && x.op != Operator::plus) return false;
        stack.push_back(x.args[0].get());
        break;
      case ExprKind::binary:
        if (x.op > Operator::pow) return false;
        stack.push_back(x.args[1].get());
        stack.push_back(x.args[0].get());  // first, as the equation is read: of two bad references the first is told of
        break;
      case ExprKind::call:
        if (x.path.size() != 1 || x.args.size() != 1 || !x.named.empty() || !plain_function(x.path[0].name.str())) return false;
        if (c_.look_up(*e.home.file, e.home.enclosing, x.path).definition != nullptr) return false;
        stack.push_back(x.args[0].get());
        break;
      default: return false;
    }
  }
  return true;
}

// The slot of a scalar reference in this round; nullopt where it is no scalar variable of the kind met first.
std::optional<std::uint32_t> ClassBuilder::template_slot(const Expr& x, Evaluator& e, Variability& v) {
  const auto m = find(x.path[0].name, e.home.layer);
  const Reached r = reach(x.path, *m, e, x.span);
  if (r.absent || !r.sizes.empty() || r.slots.size() != 1 || r.member->type == ValueType::string || r.member->folded) return std::nullopt;
  v = r.member->variability;
  return r.slots[0];
}

// After the first round: which operand came from which reference.
void ClassBuilder::make_template(const syntax::Stmt& s, Evaluator& e) {
  Template& t = templates_[&s];
  t.state = Template::State::unfit;
  const Group& g = groups_[group_of_.at(&s)];
  if (g.equations.size() != 1 || !template_references(*s.lhs, e, t.references) || !template_references(*s.rhs, e, t.references)) return;
  for (const Expr* x : t.references) {
    Variability v{};
    const auto slot = template_slot(*x, e, v);
    if (!slot) return;
    t.slots.push_back(*slot);
    t.variability.push_back(v);
  }
  const model::Equation& q = g.equations[0];
  t.form = q.form;
  for (std::uint32_t i = 0; i < q.count; ++i) {
    const model::Operand o = b_.operands[q.first + i];
    t.operands.push_back(o);
    t.source.push_back(static_cast<std::uint32_t>(std::find(t.slots.begin(), t.slots.end(), o.index()) - t.slots.begin()));
    if (o.has_slot() && t.source.back() == t.slots.size()) return;
  }
  t.group = group_of_.at(&s);
  t.state = Template::State::fit;
}

// The same references fall together as in the first round.
bool ClassBuilder::falls_together_as(const Template& t, std::span<const std::uint32_t> slots) {
  for (std::size_t i = 0; i < slots.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if ((slots[i] == slots[k]) != (t.slots[i] == t.slots[k])) return false;
  return true;
}

void ClassBuilder::emit_template(const Template& t, const syntax::Stmt& s, std::span<const std::uint32_t> slots) {
  Group& g = groups_[t.group];
  g.ragged = g.ragged || !(g.loops == loop_sizes_);
  model::Equation q = g.equations[0];
  q.first = static_cast<std::uint32_t>(b_.operands.size());
  for (std::size_t i = 0; i < t.operands.size(); ++i) {
    const model::Operand o = t.operands[i];
    b_.operands.push_back(o.has_slot() ? model::Operand(o.kind(), slots[t.source[i]], o.order()) : o);
  }
  q.form = t.form;
  q.span = s.span;
  g.equations.push_back(q);
}

// One more round; false: it must be elaborated in full.
bool ClassBuilder::use_template(Template& t, const syntax::Stmt& s, Evaluator& e) {
  Small<std::uint32_t, 8> slots;
  for (std::size_t i = 0; i < t.references.size(); ++i) {
    Variability v{};
    const auto slot = template_slot(*t.references[i], e, v);
    if (!slot || v != t.variability[i]) return false;
    slots.push_back(*slot);
  }
  if (!falls_together_as(t, {slots.begin(), slots.size()})) return false;
  emit_template(t, s, {slots.begin(), slots.size()});
  return true;
}

// ---- rounds that follow each other evenly: the slot of each reference moves by the same number from one to the next ------------------------

bool ClassBuilder::has_templates(const std::vector<syntax::StmtPtr>& body) const {
  return std::ranges::all_of(body, [&](const syntax::StmtPtr& s) {
    const auto it = templates_.find(s.get());
    return it != templates_.end() && it->second.state == Template::State::fit;
  });
}

namespace {

// Of an iterator: a sum of it and of what does not move with it, or a multiple.
struct Evenness {
  bool even = false, moves = false;
};
Evenness in_iterator(const Expr& x, Name iterator) {
  if (x.kind == ExprKind::number) return {true, false};
  if (x.kind == ExprKind::reference) return {x.path.size() == 1 && x.path[0].subscripts.empty(), x.path[0].name == iterator};
  if (x.kind != ExprKind::binary || (x.op != Operator::add && x.op != Operator::sub && x.op != Operator::mul)) return {};
  const Evenness a = in_iterator(*x.args[0], iterator), b = in_iterator(*x.args[1], iterator);
  return {a.even && b.even && !(x.op == Operator::mul && a.moves && b.moves), a.moves || b.moves};
}

}  // namespace

// Only the first part's subscripts move, evenly, and its elements are of one kind: quantities, or components of one type.
bool ClassBuilder::moves_evenly(const Expr& reference, Name iterator, const Evaluator& e) const {
  const MemberInfo& info = out_->members[*find(reference.path[0].name, e.home.layer)];
  bool any = false;
  for (std::size_t p = 0; p < reference.path.size(); ++p)
    for (const syntax::ExprPtr& s : reference.path[p].subscripts) {
      const Evenness x = in_iterator(*s, iterator);
      if (!x.even || (x.moves && p > 0)) return false;
      any = any || x.moves;
    }
  if (!any || info.kind == MemberInfo::Kind::variable) return true;
  if (info.kind != MemberInfo::Kind::component || info.total == 0) return false;
  const auto types = std::span(out_->types).subspan(info.first, info.total);
  return std::ranges::all_of(types, [&](const auto& t) { return t == types[0]; });
}

// Each subscript of the first part lies within its dimension in this round.
bool ClassBuilder::within(const Expr& reference, Evaluator& e) const {
  const MemberInfo& info = out_->members[*find(reference.path[0].name, e.home.layer)];
  const auto& subscripts = reference.path[0].subscripts;
  if (subscripts.size() != info.sizes.size()) return false;
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const auto at = e.small(*subscripts[d]);
    if (!at || *at < 1 || *at > info.sizes[d]) return false;
  }
  return true;
}

// Rounds from this one on that need no look at their references, as all move evenly. How many were emitted; 0 where it cannot be said.
std::uint64_t ClassBuilder::even_rounds(const std::vector<syntax::StmtPtr>& body, Evaluator& e, std::size_t local, const Evaluator::Run& r,
                                        std::uint64_t from) {
  constexpr std::uint64_t few = 4;
  if (r.values || r.count - from < few || rounds_ + (r.count - from) > max_elements) return 0;
  struct Line {
    const Template* of;
    const syntax::Stmt* statement;
    Small<std::uint32_t, 8> slots, steps;  // steps are modulo 2^32
  };
  std::vector<Line> lines;
  const Name iterator = e.locals[local].name;
  for (const syntax::StmtPtr& s : body) {
    Line line{&templates_.at(s.get()), s.get(), {}, {}};
    const auto& references = line.of->references;
    const auto all = [&](auto what) { return std::ranges::all_of(references, [&](const Expr* x) { return what(*x); }); };
    const auto in_bounds = [&](const Expr& x) { return within(x, e); };
    if (!all([&](const Expr& x) { return moves_evenly(x, iterator, e); })) return 0;
    e.set_iterator(local, r, r.count - 1);
    const bool last = all(in_bounds);
    e.set_iterator(local, r, from);
    if (!last || !all(in_bounds)) return 0;
    for (std::uint64_t round = from; round < from + 2; ++round) {
      e.set_iterator(local, r, round);
      for (std::size_t k = 0; k < references.size(); ++k) {
        Variability v{};
        const auto slot = template_slot(*references[k], e, v);
        if (!slot || v != line.of->variability[k]) return 0;
        if (round == from) line.slots.push_back(*slot);
        else line.steps.push_back(*slot - line.slots[k]);
      }
    }
    lines.push_back(std::move(line));
  }
  for (std::uint64_t round = from; round < r.count; ++round) {
    for (const Line& line : lines)
      if (!falls_together_as(*line.of, {line.slots.begin(), line.slots.size()})) return round - from;
    for (Line& line : lines) {
      emit_template(*line.of, *line.statement, {line.slots.begin(), line.slots.size()});
      for (std::size_t k = 0; k < line.slots.size(); ++k) line.slots[k] += line.steps[k];
    }
    ++rounds_;
  }
  return r.count - from;
}

}  // namespace kron::elaborate
