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
        for (const syntax::Part& p : x.path)
          if (std::any_of(p.subscripts.begin(), p.subscripts.end(), [&](const syntax::ExprPtr& s) { return e.moves(*s); })) return false;
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
        stack.push_back(x.args[0].get());
        stack.push_back(x.args[1].get());
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

// One more round; false: it must be elaborated in full.
bool ClassBuilder::use_template(Template& t, const syntax::Stmt& s, Evaluator& e) {
  Small<std::uint32_t, 8> slots;
  for (std::size_t i = 0; i < t.references.size(); ++i) {
    Variability v{};
    const auto slot = template_slot(*t.references[i], e, v);
    if (!slot || v != t.variability[i]) return false;
    slots.push_back(*slot);
  }
  for (std::size_t i = 0; i < slots.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if ((slots[i] == slots[k]) != (t.slots[i] == t.slots[k])) return false;
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
  return true;
}

}  // namespace kron::elaborate
