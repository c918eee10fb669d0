// Parameters whose numbers are part of the equations: constants, what `final` makes constant, and zeros and ones that shape equations.
//   constant c = 5, final p = 5   every element that is written as a number is that number wherever it is read
//   parameter p @structure        only elements written as 0, 1 or -1 are; p stays a parameter, and an edit of it elaborates again.
//                                 "Written" is judged through modifications: of r = {L, 0, 0} the last two are, whatever L is
//   parameter p : rad @structure  an angle: only 0 is; but other such parameters that are computed from p are judged by its numbers, 90 [deg]
//                                 or -pi/2, as sine and cosine of a multiple of a right angle are 0, 1 or -1 (`mapped`)
#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/scoped.hpp"

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
// How an element is written: 2, 90 [deg] or 1/4; or pi/2, which takes computing.
const Rational plain_number(1), computed_number(2);
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
  const std::uint64_t n = count(sizes_of(index));
  const std::optional<Known> k = n > max_elements || is_free(index) || given_in_elements(index) ? std::nullopt : literals(index);
  m.folded = true;
  if (shape) structural_.insert(index);
  if (!k || k->numbers.empty()) return;
  const bool angle = m.statement->type_text && m.statement->type_text->text == "rad";
  FoldedElements elements(n), written(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = 2 * i % k->numbers.size();  // missing leading dimensions repeat
    const Rational &how = k->numbers[at], &number_here = k->numbers[at + 1];
    const bool small = denominator(number_here) == 1 && abs(number_here) <= (angle ? 0 : 1);
    if (how == plain_number && (constant || small)) elements[i] = number_here;
    if (how != 0 && (constant || angle)) written[i] = number_here;
  }
  m.written = std::move(written);
  info.folded = std::make_shared<const FoldedElements>(std::move(elements));
}

// What the value that holds is written as: the environment's, the extends clauses', the declaration's own.
std::optional<Known> ClassBuilder::literals(std::uint32_t index) {
  const Member& m = members_[index];
  const auto rank = static_cast<std::uint32_t>(m.declared->sizes.size());
  if (const Answer a = ask(Ask::literals, m.declared->name, rank, nullptr); a.known) return *a.known;
  if (const Answer a = own_answer(index, Ask::literals); a.known) return *a.known;
  if (!m.statement->value) return std::nullopt;
  return literals_of(*m.statement->value, home(m.layer));
}

Known ClassBuilder::literals_of(const syntax::Expr& x, const Home& at) {
  ScopedValue<std::optional<std::uint32_t>> distinct(c_.unknowns, c_.unknowns.value_or(0));
  Evaluator e(c_, at, Mode::shape);
  const Value v = e.value(x);
  Known k;
  k.shape.sizes = v.sizes;
  k.shape.sizes.push_back(2);
  for (NodeId n : v.nodes) {
    const auto r = v.record ? std::nullopt : number_of(c_, n);
    k.numbers.push_back(!r ? Rational(0) : c_.pool.if_literal(n) != nullptr ? plain_number : computed_number);
    k.numbers.push_back(r ? *r : Rational(0));
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
