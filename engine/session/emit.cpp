#include "engine/session/emit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/hash.hpp"
#include "engine/session/discrete.hpp"
#include "engine/session/guesses.hpp"
#include "engine/session/loop_flows.hpp"
#include "engine/session/sorting.hpp"

namespace kron::session {

using code::InputKind;
using code::Ref;
using model::BindingKind;
using model::forms;
using model::Operand;
using model::OperandKind;
using model::SlotFlag;

namespace {
constexpr std::uint64_t live_key = 0x11fe;
std::optional<double> given_nominal(std::uint32_t v, Numbers& numbers) {
  const auto x = numbers.bound(BindingKind::nominal, v);
  return x && std::abs(*x) > 0 ? std::optional(std::abs(*x)) : std::nullopt;
}
}  // namespace

std::vector<double> nominal_values(const System& s, const Bindings& b, Numbers& numbers) {
  std::vector<double> nominal(s.variables(), 1);
  for (std::uint32_t v = 0; v < s.flat->slots; ++v) {
    const Representative& r = s.representative[v];
    if (!b.has_limits(v) || (!s.unknown[v] && !(s.flat->flags[v] & SlotFlag::free)) || r.sign == 0) continue;
    if (const auto x = given_nominal(v, numbers)) nominal[r.root.value] = *x;
  }
  return nominal;
}

VariableTable::VariableTable(const System& s, const Bindings& b, Numbers& numbers) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<int> rank(s.variables(), -1);
  info_.assign(s.variables(), VariableInfo{none, 1, false, false, 1, -infinite, infinite});
  for (std::uint32_t v = 0; v < s.flat->slots; ++v) {
    const bool is_free = s.flat->flags[v] & SlotFlag::free;  // a parameter that initial equations determine
    if (!s.unknown[v] && !is_free) continue;
    const bool is_fixed = s.unknown[v] && (s.flat->flags[v] & SlotFlag::fixed);
    if (is_fixed) fixed_.push_back(v);
    const Representative& r = s.representative[v];
    if (r.sign == 0) continue;
    VariableInfo& i = info_[r.root.value];
    const auto* start = b.find(BindingKind::start, v);
    if (start || is_fixed) {  // a fixed one counts most, then one that was given where the variable is used
      const bool own = v == r.root.value, modified = start && is_modified(*s.flat, *start);
      if (const int here = (is_fixed ? 4 : 0) + (modified ? 2 : 0) + (own ? 1 : 0); here > rank[r.root.value]) {
        rank[r.root.value] = here;
        i.start_slot = v;
        i.start_sign = r.sign;
        i.fixed = is_fixed;
        i.vague = !is_fixed && !modified && start && forms().exprs().is(forms().root(start->form), 0);
      }
    }
    if (!b.has_limits(v)) continue;
    if (auto x = numbers.bound(BindingKind::minimum, v)) (r.sign > 0 ? i.minimum : i.maximum) = r.sign * *x;
    if (auto x = numbers.bound(BindingKind::maximum, v)) (r.sign > 0 ? i.maximum : i.minimum) = r.sign * *x;
    if (const auto x = given_nominal(v, numbers)) i.nominal = *x;
  }
}

Emitter::Emitter(const System& s, const VariableTable& t, ParameterRefs& p, code::Builder& tape, solve::Templates& templates,
                 solve::Memory& memory, Diagnostics& d)
    : s_(s), table_(t), parameters_(p), tape_(tape), templates_(templates), memory_(memory), checks_(tape), identities_(s), hints_(s), d_(d) {}

Emitter::~Emitter() = default;

void Emitter::here(Here h) {
  checks_.here(h.inputs);
  here_.emplace(std::move(h));
}

// The unknowns' nodes in the order of the tape: what stands between two of them may read the first.
void Emitter::note_values(const std::vector<std::uint32_t>& unknowns) {
  std::vector<std::pair<Ref, double>> list;
  for (std::uint32_t v : unknowns) list.emplace_back(out_.variable[v], here_->value(v));
  std::sort(list.begin(), list.end());
  for (const auto& [r, x] : list) checks_.here(r, x);
}

// Relax marks that were dropped. Whoever uses the installed library cannot change its marks and is not told of them.
void Emitter::misfits(const solve::BlockSolution& s, const std::vector<std::uint32_t>& rows,
                      const std::vector<std::uint32_t>& unknowns, const Options& options) {
  for (const auto& [r, k] : s.misfits) {
    if (r >= rows.size()) continue;
    const SystemRow& row = s_.rows[rows[r]];
    const Span at = place(s_, row);
    if (at.known() && !options.library.empty() && sources::file(at.source).starts_with(options.library)) continue;
    d_.warning("W0315", at,
               "`relax` of `" + name(s_, named(row, unknowns[k])) + "` in `" + label(s_, row) + "` is dropped: without this pair the relaxed form is structurally singular")
        .help = "the equations are solved all the same; take the mark out or put it elsewhere";
  }
}

// The variable by which the row names a root.
std::uint32_t Emitter::named(const SystemRow& row, std::uint32_t root) const {
  const auto operands = s_.bound(row);
  for (std::size_t k = 0; k < operands.size(); ++k)
    if (operands[k].kind() == OperandKind::value && operands[k].index() == root)
      if (const Member m = s_.members_of(row)[k]; m.shift == 0) return m.variable;
  return root;
}

Emitted Emitter::run(const SortedProblem& sorted, const std::vector<std::uint32_t>& state_input,
                     const std::vector<std::uint32_t>& set_input, const Options& options, bool initial) {
  initial_ = initial;
  set_input_ = set_input;
  out_.variable.assign(s_.variables(), code::zero);
  const SortedProblem p = hints_.gathered(sorted);
  if (!initial_) hints_.report(p, d_);
  content_ = combine(hash_text(options.solve), hash_text(options.relaxation));
  out_.blocks.resize(p.blocks());
  std::vector<std::uint32_t> order;
  const std::size_t first = out_.kept = kept(p, order, state_input, options), told = d_.list().size();
  if (first == 0) tape_.expect(2 * order.size());  // mostly an operation or two for each
  for (std::uint32_t v = 0; v < state_input.size(); ++v)
    if (state_input[v] != none) out_.variable[v] = tape_.input(InputKind::state, state_input[v], key(s_, v));
  if (s_.discrete && first == 0) discrete_variables();
  for (std::size_t k = first; k < order.size(); ++k) {
    block(p, order[k], options);
    if (initial_) done_.push_back(order[k]);
    if (out_.emitted.empty()) continue;
    out_.emitted[k].computed = parameters_.computed().size();
    out_.emitted[k].end = tape_.end();
  }
  if (d_.list().size() > told || tape_.problem() || !out_.singular.empty()) out_.emitted.clear();  // it is to be told again
  assertions(p.assertions);
  closings(p);
  for (std::uint32_t r : p.surplus) out_.surplus.push_back(surplus(s_.rows[r]));
  for (std::uint32_t v : s_.flat->discrete) out_.variable[v] = discrete(Operand::value(model::SlotId{v}));
  if (s_.discrete && !initial_) out_.events = emit_events(s_, *s_.discrete, tape_, templates_, [this](Operand o) { return value(o); }, d_);
  const auto changes = [](const simulate::EventTerm& x) { return x.matters && simulate::is_searched(x); };
  set_followers_apart(p);
  if (!initial_) out_.waves = waves(tape_, std::any_of(out_.events.model.terms.begin(), out_.events.model.terms.end(), changes));
  return std::move(out_);
}

Ref Emitter::value(Operand o) {
  if (o.kind() != OperandKind::value || !s_.unknown[o.index()]) return known(o);
  const Representative& r = s_.representative[o.index()];
  if (r.sign == 0) return tape_.constant(Rational(r.constant));
  const Ref root = out_.variable[r.root.value];
  return r.sign < 0 ? -root : root;
}

Ref Emitter::expression(const model::FlatEquation& x) {
  Small<Ref, 8> values;
  for (Operand o : s_.flat->bound(x)) values.push_back(value(o));
  return templates_.emit(tape_, model::forms().root(model::forms().unmarked(x.form)), std::span(values.data(), values.size()));
}

void Emitter::assertions(const std::vector<std::uint32_t>& list) {
  for (std::uint32_t k : list) {
    const FlatModel::FlatAssertion& a = s_.flat->assertions[k];
    CheckedAssertion checked{k, expression(a.condition), {}};
    if (checked.condition == code::one) continue;
    for (const model::FlatEquation& v : a.values) checked.values.push_back(expression(v));
    out_.assertions.push_back(std::move(checked));
  }
}

// Positions to a tenth of a millimetre a metre, angles to a thousandth: what is apart by more is in another assembly.
void Emitter::closings(const SortedProblem& p) {
  if (p.closings.empty()) return;
  const Ref share = tape_.constant(Rational(1, 10'000)), least = tape_.constant(Rational(1, 100'000)), angle = tape_.constant(Rational(1, 1000));
  for (const auto& [equation, plain] : p.closings) {
    const auto ends = s_.flat->bound(plain);
    Ref most = angle;
    if (ends.size() == 2)
      most = tape_.add(least, tape_.mul(share, tape_.add(tape_.call(Fn::abs, {value(ends[0])}), tape_.call(Fn::abs, {value(ends[1])}))));
    const Ref condition = tape_.call(Fn::le, {tape_.call(Fn::abs, {expression(plain)}), most});
    if (condition != code::one) out_.assertions.push_back({.condition = condition, .values = {}, .closing = equation});
  }
}

SurplusRow Emitter::surplus(const SystemRow& row) {
  const std::span<const Operand> bound = s_.bound(row);
  std::vector<Ref> values;
  for (Operand o : bound) values.push_back(value(o));
  const auto size_of = [&](Ref r) { return tape_.call(Fn::abs, {r}); };
  Ref size = code::zero;
  for (std::uint32_t k = 0; k < bound.size(); ++k) {
    Ref term = size_of(values[k]);
    if (bound[k].kind() == OperandKind::value && s_.unknown[bound[k].index()])
      term = tape_.add(term, tape_.constant(table_[s_.representative[bound[k].index()].root.value].nominal));
    const Ref slope = templates_.emit(tape_, model::forms().partial(row.form, k), values);
    size = tape_.add(size, tape_.mul(size_of(slope), term));
  }
  return {templates_.emit(tape_, model::forms().root(model::forms().unmarked(row.form)), values), size};
}

Ref Emitter::known(Operand o) {
  switch (o.kind()) {
    case OperandKind::value: {
      const std::uint32_t v = o.index();
      if (s_.unknown[v]) return out_.variable[v];
      switch (s_.flat->variability[v]) {
        case model::Variability::continuous: return parameters_.signal(v);
        case model::Variability::discrete:
          if (const auto early = early_.find(v); early != early_.end()) return early->second;
          return s_.flat->flags[v] & model::SlotFlag::input ? parameters_.signal(v) : discrete(o);
        default: return parameters_.parameter(v);
      }
    }
    case OperandKind::start: return parameters_.start(o.index());
    case OperandKind::pre: return tape_.input(code::InputKind::pre, pre_input(*s_.flat, o.index()), combine(key(s_, o.index()), 0x9e3));
    case OperandKind::constant: return parameters_.constant(model::ConstId{o.index()});
    case OperandKind::time: return parameters_.time();
    case OperandKind::initial: return initial_ ? code::one : discrete(o);
    case OperandKind::terminal: return initial_ ? code::zero : discrete(o);
    case OperandKind::event: return discrete(o);
  }
  return code::zero;
}

// Those whose equations read nothing continuous: then the equations of the blocks have the relations themselves, and no answer that is
// out of date makes a block singular on the way to the one that fits.
void Emitter::discrete_variables() {
  const auto early = [&](Operand o) -> std::optional<Ref> {
    if (o.kind() == OperandKind::time) return std::nullopt;
    if (o.kind() != OperandKind::value) return known(o);
    if (o.index() >= s_.flat->slots || s_.unknown[o.index()]) return std::nullopt;
    const bool varies = s_.flat->variability[o.index()] > model::Variability::parameter && !(s_.flat->flags[o.index()] & model::SlotFlag::input);
    return varies && !early_.contains(o.index()) ? std::nullopt : std::optional(known(o));
  };
  for (std::size_t k = 0; k < s_.discrete->equation.size(); ++k) {
    out_.early.push_back(emit_discrete(*s_.flat, s_.discrete->equation[k], s_.discrete->slot[k], tape_, templates_, early));
    if (out_.early[k]) early_[s_.discrete->slot[k]] = *out_.early[k];
  }
}

Ref Emitter::discrete(Operand o) { return tape_.input(code::InputKind::discrete, discrete_input(*s_.flat, o), discrete_key(s_, o)); }

// Only where it reads what the rows read: other variables need not be computed before the block.
std::optional<Ref> Emitter::live(Operand o, const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& unknowns,
                                 const solve::BlockProblem::Inside& inside) {
  const FlatModel::EventTerm& t = s_.flat->events[o.index()];
  if (t.kind != model::EventKind::relation) return std::nullopt;
  const auto is_read = [&](Operand root) {
    return std::any_of(rows.begin(), rows.end(), [&](std::uint32_t r) { return std::ranges::find(s_.bound(s_.rows[r]), root) != s_.bound(s_.rows[r]).end(); });
  };
  bool any = false;
  std::vector<Ref> values;
  for (const Operand x : s_.flat->bound(t.argument)) {
    if (x.kind() != OperandKind::value || !s_.unknown[x.index()]) {
      values.push_back(known(x));
      continue;
    }
    const Representative& r = s_.representative[x.index()];
    if (r.sign == 0) {
      values.push_back(tape_.constant(Rational(r.constant)));
      continue;
    }
    const bool own = std::binary_search(unknowns.begin(), unknowns.end(), r.root.value);
    if (!own && !is_read(Operand::value(model::SlotId{r.root.value}))) return std::nullopt;
    const std::optional<Ref> root = own ? inside(r.root.value) : out_.variable[r.root.value];
    if (!root) return std::nullopt;
    any = any || own;
    values.push_back(r.sign < 0 ? -*root : *root);
  }
  if (!any) return std::nullopt;
  const Ref argument = templates_.emit(tape_, forms().root(forms().unmarked(t.argument.form)), values);
  const Ref answer = tape_.call(t.strict ? Fn::lt : Fn::le, {code::zero, argument});
  return tape_.call(Fn::select, {tape_.input(code::InputKind::discrete, simulate::EventModel::live, live_key), answer, discrete(o)});
}

Ref Emitter::start_of(std::uint32_t root) {
  const VariableInfo& i = table_[root];
  if (i.start_slot != none) {
    const Ref r = parameters_.start(i.start_slot);
    return i.start_sign < 0 ? -r : r;
  }
  return code::zero;
}

// Of an unknown of the initial program without a start value.
std::optional<solve::Guess> Emitter::guess(const SortedProblem& p, std::uint32_t root) {
  const auto each_unknown = [&](std::uint32_t b, auto&& f) {
    for (std::uint32_t k = p.block_begin[b]; k < p.block_begin[b + 1]; ++k) f(p.block_unknown[k]);
  };
  if (!guesses_) {
    std::vector<bool> computed(s_.variables(), false);
    for (std::uint32_t b : done_) each_unknown(b, [&](std::uint32_t v) { computed[v] = true; });
    told_ = done_.size();
    const auto start = [&](std::uint32_t v) -> std::optional<Guesses::Start> {
      if (computed[v]) return Guesses::Start{out_.variable[v], false};
      return table_[v].start_slot != none ? std::optional(Guesses::Start{start_of(v), table_[v].vague}) : std::nullopt;
    };
    guesses_ = std::make_unique<Guesses>(s_, tape_, templates_, Guesses::Sources{[this](Operand o) { return known(o); }, start});
  }
  for (; told_ < done_.size(); ++told_) each_unknown(done_[told_], [&](std::uint32_t v) { guesses_->computed(v, out_.variable[v]); });
  return guesses_->of(root);
}

// How large a candidate is beside the others. What its errors may be, as a spring says with a nominal angle of 1e-4 rad, is no matter here: a
// rocker's angle that is taken for small stays a state at its dead point. So those of one unit are of one size, others that have one not much
// smaller.
double Emitter::size_among(const std::vector<std::uint32_t>& candidates, std::uint32_t v) const {
  constexpr double least = 0.1;
  double same = table_[v].nominal, all = same;
  const auto unit_of = [&](std::uint32_t x) -> const Name& { return declaration(*s_.flat, VarId{chain_base(s_, x)}).unit; };  // all are derivatives of one order
  const Name& unit = unit_of(v);
  if (unit.str().empty()) return same;
  for (std::uint32_t other : candidates) {
    all = std::max(all, table_[other].nominal);
    if (unit_of(other) == unit) same = std::max(same, table_[other].nominal);
  }
  return std::max(same, least * all);
}

// The candidates among the block's unknowns, some of which are given: with the values of states, or initially of start values.
std::vector<code::Pins> Emitter::pins(const std::vector<std::uint32_t>& choice_rows, const std::vector<std::uint32_t>& unknowns) {
  std::vector<code::Pins> list;
  for (std::size_t k = 0; k < choice_rows.size(); ++k) {
    const std::uint32_t number = s_.rows[choice_rows[k]].set;
    const DynamicSet& set = s_.sets[number];
    const bool is_new = k == 0 || s_.rows[choice_rows[k - 1]].set != number;
    if (is_new) {
      code::Pins p;
      p.selection = initial_ ? static_cast<std::uint32_t>(out_.pinned.starts.size()) : set.selection;
      p.level = initial_ ? 0 : set.level;
      if (initial_) out_.pinned.starts.emplace_back();
      std::vector<bool> told;
      for (std::uint32_t v : set.candidates) {
        const auto at = std::lower_bound(unknowns.begin(), unknowns.end(), v);
        if (at == unknowns.end() || *at != v) {  // initially: determined by something else
          if (!initial_) not_to_choose(v);
          continue;
        }
        p.column.push_back(static_cast<std::uint32_t>(at - unknowns.begin()));
        p.scale.push_back(size_among(set.candidates, v));
        if (!initial_) continue;
        p.keep.push_back(table_[v].start_slot != none);
        told.push_back(p.keep.back() && !table_[v].vague);
        out_.pinned.starts.back().push_back(start_of(v));
      }
      // What somebody wrote for this model goes before a library's 0: a start speed for one of eighty joints is meant.
      if (std::find(told.begin(), told.end(), true) != told.end()) p.keep = told;
      list.push_back(std::move(p));
    }
    const auto slot = static_cast<std::uint32_t>(list.back().value.size());
    const std::uint32_t input = initial_ ? out_.pinned.inputs++ : set_input_[number] + slot;
    list.back().value.push_back(tape_.input(InputKind::state, input, combine(key(s_, set.candidates[slot]), 0x51a7e)));
  }
  return list;
}

// A selection holds at all levels of differentiation, so its candidates are unknowns of one block at each.
void Emitter::not_to_choose(std::uint32_t candidate) {
  if (d_.has_errors()) return;
  auto& d = d_.error("E0303", place(*s_.flat, VarId{chain_base(s_, candidate)}),
                     "`" + name(s_, candidate) + "` is not determined together with the other variables that states are chosen from");
  d.help = "say which are states: `stateSelect = always`";
}

// The first guess of a candidate without a start value: off zero, where the constraints are often singular.
Ref Emitter::pinned_start(std::uint32_t root) {
  const VariableInfo& i = table_[root];
  return !initial_ || i.start_slot != none ? start_of(root) : tape_.constant(0.6 * i.nominal);
}

solve::BlockSolution Emitter::at_start(const std::vector<std::uint32_t>& unknowns) {
  solve::BlockSolution s;
  for (std::uint32_t v : unknowns) s.values.push_back(start_of(v));
  return s;
}

// What each row is, for messages.
void Emitter::name_rows(Block& b, std::span<const std::uint32_t> rows) const {
  const auto plain = [](const SystemRow& r) { return r.times == 0 && r.initial == none && r.set == none && r.origin != none; };
  if (std::all_of(rows.begin(), rows.end(), [&](std::uint32_t r) { return plain(s_.rows[r]); })) return;
  for (std::uint32_t r : rows) {
    const SystemRow& row = s_.rows[r];
    b.rows.push_back({row.times, row.initial, row.set, row.slot, none});
    if (row.origin != none || row.initial != none || row.set != none) continue;
    const auto operands = s_.bound(row);
    const auto v = std::find_if(operands.begin(), operands.end(), [&](Operand o) { return o.kind() == OperandKind::value && s_.unknown[o.index()]; });
    if (v != operands.end()) b.rows.back().variable = v->index();
  }
}

// The value of an unknown that one formula isolates, as most do: what solve() gives, without its preparations. Null: solve() is to be
// asked.
std::optional<Ref> Emitter::assigned(const SystemRow& row, std::uint32_t unknown) {
  const auto operands = s_.bound(row);
  const model::FormId form = forms().unmarked(row.form);
  const auto live = forms().occurring(form);
  const auto own = std::find_if(live.begin(), live.end(), [&](std::uint32_t k) { return operands[k] == Operand::value(model::SlotId{unknown}); });
  if (own == live.end()) return std::nullopt;
  const auto& isolated = forms().isolate(form, *own);
  if (!isolated) return std::nullopt;
  values_.assign(operands.size(), code::zero);
  for (std::uint32_t k : live)
    if (k != *own) values_[k] = known(operands[k]);
  for (model::NodeId d : isolated->divisors)
    if (tape_.is_zero(templates_.emit(tape_, d, values_))) return std::nullopt;
  return templates_.emit(tape_, isolated->value, values_);
}

// What is told of a block that one formula computes.
void Emitter::take_assignment(Block& out, std::uint32_t r, std::uint32_t unknown) const {
  out.kind = BlockKind::explicit_;
  out.method = SolveMethod::assign;
  out.initial = initial_;
  out.equations = {EqId{s_.rows[r].origin}};
  out.unknowns = {VarId{unknown}};
  name_rows(out, {&r, 1});
  out.key = combine(combine(content_, s_.rows[r].key), key(s_, unknown));
}

bool Emitter::assignment(const SortedProblem& p, std::uint32_t b) {
  const std::uint32_t r = p.block_row[p.block_begin[b]], unknown = p.block_unknown[p.block_begin[b]];
  const SystemRow& row = s_.rows[r];
  if (row.set != none || (!initial_ && !s_.left_out.empty())) return false;
  const std::optional<Ref> value = assigned(row, unknown);
  if (!value) return false;
  if (!d_.has_errors() && tape_.problem()) divided_by_zero({r}, {unknown});
  out_.variable[unknown] = *value;
  take_assignment(out_.blocks[b], r, unknown);
  if (here_) note_values({unknown});
  return true;
}

void Emitter::block(const SortedProblem& p, std::uint32_t b, const Options& options) {
  const std::uint32_t first = p.block_begin[b], last = p.block_begin[b + 1];
  if (last - first == 1 && assignment(p, b)) return;
  std::vector<std::uint32_t> rows, choice_rows;
  for (std::uint32_t k = first; k < last; ++k) (s_.rows[p.block_row[k]].set == none ? rows : choice_rows).push_back(p.block_row[k]);
  const std::vector<std::uint32_t> unknowns(p.block_unknown.begin() + first, p.block_unknown.begin() + last);
  solve::BlockProblem problem;
  for (std::uint32_t r : rows) problem.rows.push_back({s_.rows[r].form, s_.bound(s_.rows[r]), {}});
  problem.unknowns = unknowns;
  problem.known = [this](Operand o) { return known(o); };
  problem.key = [this](std::uint32_t v) { return key(s_, v); };
  if (s_.discrete)
    problem.live = [&](Operand o, const solve::BlockProblem::Inside& inside) { return live(o, rows, unknowns, inside); };
  problem.info = [&](std::uint32_t v) {
    const VariableInfo& i = table_[v];
    const bool pinned = std::any_of(problem.pins.begin(), problem.pins.end(), [&](const code::Pins& x) {
      return std::any_of(x.column.begin(), x.column.end(), [&](std::uint32_t c) { return unknowns[c] == v; });
    });
    return solve::UnknownInfo{pinned ? pinned_start(v) : start_of(v), i.nominal, i.minimum, i.maximum, i.start_slot != none, i.vague};
  };
  if (initial_) problem.guess = [&](std::uint32_t v) { return guess(p, v); };
  if (!rows.empty()) problem.pins = pins(choice_rows, unknowns);
  problem.number = b;
  problem.method = options.solve;
  problem.relaxation = options.relaxation;
  if (p.wanted.size() == s_.variables())
    for (std::uint32_t v : unknowns) problem.wanted.push_back(p.wanted[v]);
  for (std::uint32_t k = 0; rows.size() > 1 && k < rows.size(); ++k) {
    if (hints_.torn(unknowns[k])) problem.torn.push_back(k);
    if (hints_.residue(s_.rows[rows[k]])) problem.residues.push_back(k);
    if (std::isfinite(table_[unknowns[k]].minimum) || std::isfinite(table_[unknowns[k]].maximum)) problem.bounded.push_back(k);
    problem.torn_by_hand = problem.torn_by_hand || hints_.by_hand(unknowns[k]) || hints_.residue_by_hand(s_.rows[rows[k]]);
  }
  problem.checks = &checks_;
  problem.loops = !initial_ && !s_.left_out.empty();
  problem.stuck = here_ && here_->stuck(unknowns[0]);
  problem.memory = &memory_;
  problem.helper = resume_.helper;
  for (std::uint32_t r : rows) {
    problem.row_group.push_back(identities_.group_of_row(r));
    problem.row_part.push_back(identities_.part_of_row(r));
    problem.row_key.push_back(identities_.key_of_row(r));
  }
  for (std::uint32_t v : unknowns) problem.unknown_group.push_back(identities_.group_of_unknown(v));
  std::vector<std::uint64_t> members;
  if (rows.size() > 1) {
    std::vector<std::size_t> end;
    for (std::uint32_t r : rows) {
      for (const Member& m : s_.members_of(s_.rows[r])) members.push_back(identities_.token(m));
      end.push_back(members.size());
    }
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::size_t begin = k == 0 ? 0 : end[k - 1];
      problem.rows[k].members = std::span(members).subspan(begin, end[k] - begin);
    }
  }
  problem.member_key = [this](std::uint64_t m) { return combine(key(s_, static_cast<std::uint32_t>(m)), m >> 32); };
  problem.member_group = [this](std::uint64_t m) { return identities_.group_of_member(m); };
  problem.kind = [this](std::uint64_t m) -> const std::string& { return identities_.kind(m); };
  problem.place = [this](std::uint64_t m) { return identities_.place(m); };
  problem.beginning = [this](std::uint64_t m, std::uint32_t elements) { return identities_.beginning(m, elements); };
  problem.neighbours = [this](std::uint64_t m, std::vector<solve::BlockProblem::Neighbour>& out) { identities_.neighbours(m, out); };
  const solve::BlockSolution s = rows.empty() ? at_start(unknowns) : solve::solve(problem, tape_, templates_);
  if (!d_.has_errors() && tape_.problem()) divided_by_zero(rows, unknowns);
  if (!initial_) misfits(s, rows, unknowns, options);
  Block out;
  out.kind = static_cast<BlockKind>(s.kind);
  out.method = static_cast<SolveMethod>(s.method);
  Solving how;
  how.ordering = s.ordering;
  how.residues.assign(s.residues.begin(), s.residues.end());
  how.core = s.core;
  how.guards = s.guards;
  for (const auto& [equation, unknown] : s.pivots) how.pivots.push_back({equation, unknown});
  for (const solve::Tried& t : s.tried) how.tried.push_back({t.name, t.mul, t.add, t.div, t.core, t.rejected});
  for (std::uint32_t k : s.relaxed) how.relaxed.push_back(VarId{unknowns[k]});
  for (std::uint32_t k : s.torn) how.torn.push_back(VarId{unknowns[k]});
  out.solving = std::make_shared<const Solving>(std::move(how));
  out.initial = initial_;
  std::uint64_t content = content_;
  rows.insert(rows.end(), choice_rows.begin(), choice_rows.end());
  for (std::uint32_t r : rows) {
    out.equations.push_back(EqId{s_.rows[r].origin});
    content = combine(content, s_.rows[r].key);
  }
  name_rows(out, rows);
  for (std::uint32_t v : unknowns) {
    out.unknowns.push_back(VarId{v});
    content = combine(content, key(s_, v));
  }
  out.key = content;
  if (s.singular) out_.singular.push_back({*s.singular, rows, unknowns});
  else
    for (std::size_t k = 0; k < unknowns.size(); ++k) out_.variable[unknowns[k]] = s.values[k];
  if (here_) note_values(unknowns);
  out_.blocks[b] = std::move(out);
}

// Only the first such operation is known: told once.
void Emitter::divided_by_zero(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& unknowns) {
  const SystemRow& row = s_.rows[rows[0]];
  auto& d = d_.error("E0313", place(s_, row),
                     *tape_.problem() + (rows.size() == 1 ? " where `" + label(s_, row) + "` is solved for `"
                                                          : " in the block of " + std::to_string(rows.size()) + " equations that gives `") +
                         name(s_, unknowns[0]) + "`");
  d.help = "a divisor is zero whatever the values";
}

void Emitter::diagnose(const SingularBlock& block) {
  const auto& [x, rows, unknowns] = block;
  const std::uint32_t v = x.unknowns.empty() ? unknowns[0] : unknowns[x.unknowns[0]];
  std::string list;
  for (std::size_t k = 0; k < x.unknowns.size() && k < 5; ++k)
    list += (k > 0 ? ", `" : "`") + name(s_, unknowns[x.unknowns[k]]) + "`";
  if (x.unknowns.size() > 5) list += ", …";
  const std::string unknown_name = name(s_, v);
  const auto dot = unknown_name.find('.');
  const std::string what = dot == std::string::npos ? unknown_name : unknown_name.substr(0, dot);
  auto& d = d_.error("E0312", place(*s_.flat, VarId{v < s_.flat->variables() ? v : 0}),
                     rows.size() == 1
                         ? "`" + label(s_, s_.rows[rows[0]]) + "` does not determine `" + unknown_name + "`"
                         : "`" + what + "` floats: 1 of its " + std::to_string(rows.size()) +
                               " equations follows from the others");
  d.label = list.empty() ? "" : list + " may take any value";
  for (std::size_t k = 0; k < x.rows.size() && k < 6; ++k)
    d.notes.push_back({place(s_, s_.rows[rows[x.rows[k]]]),
                       "`" + label(s_, s_.rows[rows[x.rows[k]]]) + "` depends on the others"});
  for (std::uint32_t k : x.unknowns) {
    for (std::uint32_t u = 0; u < s_.flat->slots && d.help.empty(); ++u)
      if (s_.unknown[u] && s_.representative[u].sign != 0 && s_.representative[u].root.value == unknowns[k])
        d.help = declaration(*s_.flat, VarId{u}).hint;
    if (!d.help.empty()) break;
  }
  if (d.help.empty()) {
    std::vector<EqId> origins;
    for (std::uint32_t r : rows)
      if (s_.rows[r].origin != none) origins.push_back(EqId{s_.rows[r].origin});
    d.help = loop_hint(*s_.flat, origins);
  }
  if (d.help.empty() && rows.size() > 1)
    d.help = "one of these equations says nothing that the others do not say: replace it by one that determines `" + unknown_name + "`";
}

}  // namespace kron::session
