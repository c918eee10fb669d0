// Parameters whose numbers are part of the equations: constants, what `final` makes constant, and zeros and ones that shape equations.
//   constant c = 5, final p = 5   every element that is written as a number is that number wherever it is read
//   parameter p @structure        only elements written as 0, 1 or -1 are; p stays a parameter, and an edit from or to such a number elaborates
//                                 again. "Written" is judged through modifications: of r = {L, 0, 0} the last two are, whatever L is
//   parameter p : rad @structure  an angle: only 0 is; but other such parameters that are computed from p are judged by its numbers, 90 [deg]
//                                 or -pi/2, as sine and cosine of a multiple of a right angle are 0, 1 or -1 (`mapped`)
//   parameter p                   none is; but where a modification n = p, or r = {p, 0, 0}, copies p to a parameter so marked, it has the zeros that p
//                                 is written as; a direction (: 1) has the ±1, too, and an angle the multiples of a right angle
#include <cmath>
#include <limits>

#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/scoped.hpp"
#include "lang/elaborate/shaping.hpp"

namespace kron::elaborate {

// `final p = constant` makes a parameter a constant.
void ClassBuilder::fold_final(std::uint32_t index, MemberInfo& info) {
  if (info.variability != Variability::parameter) return;
  const Member& m = members_[index];
  if (m.statement->is_final && m.statement->value) {
    Evaluator e(c_, home(m.layer), Mode::structural);
    if (e.variability(*m.statement->value) == Variability::constant) info.variability = Variability::constant;
  }
  for (const Item& i : descend(m.items, {info.name, 0, 1, 0, {}}).whole) {
    if (!i.mod->value) continue;
    if (i.mod->is_final && evaluate(i, {Ask::constant, {}, 0, nullptr, nullptr, {}}).known->numbers[0] != 0) info.variability = Variability::constant;
    break;
  }
  if (!env_.items.empty() && final_outside(info.name)) {
    const Answer a = ask(Ask::constant, info.name, 0, nullptr);
    if (a.known && a.known->numbers[0] != 0) info.variability = Variability::constant;
  }
}

bool ClassBuilder::final_outside(Name name) {
  if (env_.parent == nullptr) return false;
  for (const Item& i : env_.parent->descend(env_.items, {name, 0, 1, 0, {}}).whole)
    if (i.mod->value) return i.mod->is_final;
  return false;
}

// ---- elements that are numbers ------------------------------------------------------------------------------------------------------

namespace {
// How an element is written: 2, 90 [deg] or 1/4; pi/2, which takes computing; or a parameter that is a number for others.
const Rational plain_number(1), computed_number(2), passed_number(3);

bool is_unit(const Rational& r) { return denominator(r) == 1 && abs(r) <= 1; }
// But for rounding.
bool is_one(const Rational& r) {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  return std::fabs(std::fabs(to_double(r)) - 1) <= rounding;
}

bool is_of_unit(const Member& m, const char* unit) { return m.statement->type_text && m.statement->type_text->text == unit; }
}  // namespace

bool ClassBuilder::shapes_equations(std::uint32_t index) const {
  static const Name structure("structure");
  const auto& list = members_[index].statement->annotations;
  return std::any_of(list.begin(), list.end(), [](const syntax::Annotation& a) { return a.name == structure; });
}

void ClassBuilder::fold_elements(std::uint32_t index) {
  Member& m = members_[index];
  if (m.folded || m.folding || m.is_component || env_.shadow != nullptr) return;  // an outer component has other numbers than its stand-in
  prepare(index);
  MemberInfo& info = out_->members[index];
  const bool shape = shapes_equations(index), constant = info.variability == Variability::constant;
  const bool number = info.type == ValueType::real || info.type == ValueType::integer;
  if ((info.prefix != syntax::Prefix::parameter && info.prefix != syntax::Prefix::constant) || !number || !(shape || constant)) return;
  ScopedValue<bool> guard(m.folding, true);
  const bool angle = is_of_unit(m, "rad"), direction = is_of_unit(m, "1");
  const std::uint64_t n = count(sizes_of(index));
  const std::optional<Known> k = elements_given_alone(index) ? literals(index, shape && (angle || direction) ? Ask::literals : Ask::zeros) : std::nullopt;
  m.folded = true;
  if (shape) marks_[index] |= angle || direction ? model::SlotFlag::structural : model::SlotFlag::zero_shapes | model::SlotFlag::one_shapes;
  if (!k || k->numbers.empty()) return;
  FoldedElements elements(n), written(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = 2 * i % k->numbers.size();  // missing leading dimensions repeat
    const Rational &how = k->numbers[at], &here = k->numbers[at + 1];
    if (how == 0 || m.alone.contains(static_cast<std::uint32_t>(i))) continue;
    if (how == plain_number && (constant || (angle ? here == 0 : is_unit(here)))) elements[i] = here;
    if (how == passed_number && (direction ? is_unit(here) : here == 0)) elements[i] = here;
    if (how == computed_number && shape && direction && is_one(here)) elements[i] = here < 0 ? -1 : 1;  // {0, 0, 2} by its length
    if (constant || angle || direction) written[i] = here;
  }
  m.written = std::move(written);
  info.folded = std::make_shared<const FoldedElements>(std::move(elements));
}

// A parameter whose numbers are in no equation.
bool ClassBuilder::is_symbol(std::uint32_t index) {
  const MemberInfo& info = out_->members[index];
  const bool number = info.type == ValueType::real || info.type == ValueType::integer;
  return info.prefix == syntax::Prefix::parameter && number && info.variability == Variability::parameter && !shapes_equations(index);
}

// The number that such a parameter is for one that gets its value as it is.
std::optional<Rational> ClassBuilder::number_for_others(std::uint32_t index, std::uint32_t element, Ask kind) {
  Member& m = members_[index];
  if (m.folding || env_.shadow != nullptr) return std::nullopt;
  std::optional<FoldedElements>& known = m.for_others[kind == Ask::zeros];
  if (!known) {
    ScopedValue<bool> guard(m.folding, true);
    const std::uint64_t n = count(sizes_of(index));
    const std::optional<Known> k = elements_given_alone(index) ? literals(index, kind) : std::nullopt;
    FoldedElements found(n);
    for (std::size_t i = 0; k && !k->numbers.empty() && i < n; ++i) {
      const std::size_t at = 2 * i % k->numbers.size();
      const Rational &how = k->numbers[at], &here = k->numbers[at + 1];
      const bool counts = here == 0 || (kind == Ask::literals && is_shaping(to_double(here)));
      if (how != 0 && counts && !m.alone.contains(static_cast<std::uint32_t>(i))) found[i] = here;
    }
    known = std::move(found);
  }
  marks_[index] |= model::SlotFlag::zero_shapes;
  if (kind == Ask::literals) marks_[index] |= model::SlotFlag::one_shapes;
  return (*known)[element];
}

// Finds the elements that a modification or an assignment gives by their own number, as r[1] := 0.4: those are symbols. False: no element is to be
// judged, as which ones are given is computed, initial equations compute the value, or the array is too large.
bool ClassBuilder::elements_given_alone(std::uint32_t index) {
  if (count(sizes_of(index)) > max_elements || is_free(index)) return false;
  std::set<std::uint32_t>& elements = members_[index].alone;
  const auto is_number = [](const syntax::ExprPtr& x) { return x->kind == syntax::ExprKind::number; };
  for (const Items* items : {&std::as_const(env_.items), &std::as_const(members_[index].items)})
    for (const Item& i : *items) {
      if (!gives_elements(i, index)) continue;
      const syntax::Part& part = i.mod->path[i.offset];
      if (!std::ranges::all_of(part.subscripts, is_number)) return false;
      Evaluator e(c_, i.origin->home(i.layer), Mode::structural);
      const Selection s = e.select(sizes_of(index), part.subscripts, 0, i.mod->span);
      elements.insert(s.offsets.begin(), s.offsets.end());
    }
  return true;
}

// What the value that holds is written as: the environment's, the extends clauses', the declaration's own. What a parameter that shapes equations
// is made of in its own class shapes them only where that says so: of a body with an inertia of zero the inertia is a symbol.
std::optional<Known> ClassBuilder::literals(std::uint32_t index, Ask kind) {
  const Member& m = members_[index];
  const auto rank = static_cast<std::uint32_t>(m.declared->sizes.size());
  if (const Answer a = ask(kind, m.declared->name, rank, nullptr); a.known) return *a.known;
  if (const Answer a = own_answer(index, kind); a.known) return *a.known;
  if (!m.statement->value) return std::nullopt;
  return literals_of(*m.statement->value, home(m.layer), is_symbol(index) ? std::optional(kind) : std::nullopt);
}

Known ClassBuilder::literals_of(const syntax::Expr& x, const Home& at, std::optional<Ask> of_others) {
  ScopedValue<std::optional<std::uint32_t>> distinct(c_.unknowns, c_.unknowns.value_or(0));
  Evaluator e(c_, at, Mode::shape);
  const Value v = e.value(x);
  Known k;
  k.shape.sizes = v.sizes;
  k.shape.sizes.push_back(2);
  std::vector<std::tuple<std::size_t, Context::Origin, bool>> copies;  // place, what is copied, with another sign
  for (NodeId n : v.nodes) {
    const auto r = v.record ? std::nullopt : number_of(c_, n);
    const bool negative = c_.pool[n].op == model::ExprOp::neg;
    if (!r && of_others)
      if (const Context::Origin o = c_.origin_of(negative ? c_.pool.args(n)[0] : n); o.builder != nullptr) copies.emplace_back(k.numbers.size(), o, negative);
    k.numbers.push_back(!r ? Rational(0) : c_.pool.if_literal(n) != nullptr ? plain_number : computed_number);
    k.numbers.push_back(r ? *r : Rational(0));
  }
  for (const auto& [place, o, negative] : copies)
    if (const auto number = o.builder->number_for_others(o.member, o.element, *of_others)) {
      k.numbers[place] = passed_number;
      k.numbers[place + 1] = negative ? Rational(-*number) : *number;
    }
  return k;
}

// A number that was computed and may be rounded: no literal, so that nothing takes it for one that is exact.
NodeId written_number(Context& c, const Rational& x) {
  static const Rational pi = exact(3.141592653589793);
  return c.pool.mul(c.pool.literal(x / pi), c.pool.operand(model::Operand::constant(model::pi_id())));
}

// A scalar of a variable: its slot, or the number that stands for it.
NodeId ClassBuilder::element_node(const Reached& r, std::uint32_t slot) {
  if (r.member->folded && r.at.size() == 1) {
    const std::size_t element = slot - r.at[0].base - r.member->first;
    if (element < r.member->folded->size() && (*r.member->folded)[element]) return c_.pool.literal(*(*r.member->folded)[element]);
  }
  return c_.pool.operand(model::Operand::value(model::SlotId{slot}));
}

}  // namespace kron::elaborate
