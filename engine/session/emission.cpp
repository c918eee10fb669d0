#include "engine/session/emission.hpp"

#include <algorithm>
#include <bit>

#include "engine/base/hash.hpp"
#include "engine/session/sorting.hpp"

namespace kron::session {

using code::InputKind;
using model::BindingKind;
using model::forms;
using model::Operand;
using model::OperandKind;

BlockKeys::BlockKeys(const System& s, const VariableTable& t, const Bindings& b, const TearHints& h, const std::vector<std::uint32_t>& state_input)
    : s_(s), table_(t), bindings_(b), hints_(h), state_input_(state_input), parameter_(s.flat->slots, 0) {}

std::uint64_t BlockKeys::surroundings(const Options& o) {
  std::uint64_t h = combine(hash_text(o.solve), hash_text(o.relaxation));
  h = combine(h, !s_.left_out.empty());
  for (std::uint32_t v = 0; v < state_input_.size(); ++v)
    if (state_input_[v] != none) h = combine(h, key(s_, v));
  return s_.discrete ? combine(h, of_events()) : h;
}

// What is an input of its own until the next event, and the equations that may be emitted before all blocks.
std::uint64_t BlockKeys::of_events() {
  const FlatModel& m = *s_.flat;
  std::uint64_t h = combine(m.events.size(), m.discrete.size());
  for (const FlatModel::EventTerm& e : m.events) h = combine(h, e.key);
  for (const auto* list : {&m.discrete, &m.remembered})
    for (std::uint32_t v : *list) h = combine(h, m.keys[v]);
  for (std::size_t k = 0; k < s_.discrete->equation.size(); ++k) {
    const model::FlatEquation& e = m.equations[s_.discrete->equation[k]];
    h = combine(combine(h, m.keys[s_.discrete->slot[k]]), forms().content_hash(e.form));
    for (Operand o : m.bound(e)) h = combine(combine(h, of_name(o)), of_operand(o));
  }
  return h;
}

std::uint64_t BlockKeys::of_row(const SortedProblem& p, std::uint32_t k, bool coupled) {
  const SystemRow& row = s_.rows[p.block_row[k]];
  std::uint64_t h = row.key;
  for (Operand o : s_.bound(row)) h = absorb(h, of_operand(o));
  h = absorb(h, of_unknown(p.block_unknown[k]) ^ std::uint64_t{p.wanted[p.block_unknown[k]]});
  return coupled ? absorb(absorb(h, of_coupled_row(p.block_row[k])), of_array(p.block_unknown[k])) : h;
}

void BlockKeys::of_rows(const SortedProblem& p, std::uint32_t first, std::uint32_t last, std::vector<std::uint64_t>& keys) {
  auto b = static_cast<std::size_t>(std::ranges::upper_bound(p.block_begin, first) - p.block_begin.begin()) - 1;
  for (std::uint32_t k = first; k < last; ++k) {
    while (p.block_begin[b + 1] <= k) ++b;
    keys[k] = of_row(p, k, p.block_begin[b + 1] - p.block_begin[b] > 1);
  }
}

// Beside what is in the key of the row.
std::uint64_t BlockKeys::of_operand(Operand o) {
  switch (o.kind()) {
    case OperandKind::value: {
      const std::uint32_t v = o.index();
      if (s_.unknown[v]) return state_input_[v] != none ? 1 : 2;
      return s_.flat->variability[v] > model::Variability::parameter ? 3 : of_parameter(v);
    }
    case OperandKind::start: return of_start(o.index());
    case OperandKind::event: {  // iterations read what it compares, but what decides that in turn
      std::uint64_t h = 4;
      for (Operand x : s_.flat->bound(s_.flat->events[o.index()].argument)) {
        if (x.kind() == OperandKind::event) continue;
        h = absorb(h, of_operand(x));
        if (x.kind() != OperandKind::value || !s_.unknown[x.index()]) continue;
        const Representative& r = s_.representative[x.index()];
        h = absorb(h, r.sign == 0 ? static_cast<std::uint64_t>(r.constant) : key(s_, r.root.value) + (r.sign < 0 ? 1 : 0));
      }
      return h;
    }
    default: return 4;
  }
}

std::uint64_t BlockKeys::of_unknown(std::uint32_t root) {
  const VariableInfo& i = table_[root];
  std::uint64_t h = combine(key(s_, root), std::bit_cast<std::uint64_t>(i.nominal));
  h = combine(combine(h, std::bit_cast<std::uint64_t>(i.minimum)), std::bit_cast<std::uint64_t>(i.maximum));
  if (i.start_slot != none) h = absorb(absorb(h, key(s_, i.start_slot)), of_start(i.start_slot) + (i.start_sign < 0 ? 1 : 0));
  return absorb(h, (hints_.torn(root) ? 1u : 0u) | (hints_.by_hand(root) ? 2u : 0u) | (i.vague ? 4u : 0u));
}

std::uint64_t BlockKeys::of_binding(const FlatModel::FlatBinding& b) {
  std::uint64_t h = forms().content_hash(b.form);
  for (Operand o : bindings_.operands(b)) h = absorb(absorb(h, of_name(o)), of_operand(o));
  return h;
}

std::uint64_t BlockKeys::of_name(Operand o) const {
  const auto kind = static_cast<std::uint64_t>(o.kind());
  if (o.kind() == OperandKind::event) return absorb(kind, s_.flat->events[o.index()].key);
  if (o.has_slot()) return absorb(kind, key(s_, o.index()));
  if (o.kind() != OperandKind::constant) return kind;
  const auto& c = model::constant(model::ConstId{o.index()});
  return absorb(kind, c.is_pi ? 0x9e3779b9 : c.hash);
}

// Depth first along the bindings with an explicit stack, as in ParameterRefs.
std::uint64_t BlockKeys::of_parameter(std::uint32_t slot) {
  if (parameter_[slot] != 0) return parameter_[slot];
  const std::size_t waiting = open_.size();
  open_.push_back(slot);
  while (open_.size() > waiting) {
    const std::uint32_t s = open_.back();
    const auto* b = parameter_[s] == 0 ? bindings_.find(BindingKind::value, s) : nullptr;
    if (parameter_[s] == 0 && b == nullptr) parameter_[s] = 5;
    else if (const auto fixed = s_.flat->axes.fixed.find(s); parameter_[s] == 0 && fixed != s_.flat->axes.fixed.end())
      parameter_[s] = (fixed->second ? content_hash(*fixed->second) : of_binding(*b)) | 16;
    else if (parameter_[s] == 0 && (bindings_.is_leaf(*b) || (s_.flat->flags[s] & model::SlotFlag::free))) parameter_[s] = 6;
    bool wait = false;
    for (std::size_t k = 0; parameter_[s] == 0 && k < b->count; ++k)
      if (const Operand o = bindings_.operands(*b)[k]; o.kind() == OperandKind::value && parameter_[o.index()] == 0) {
        open_.push_back(o.index());
        wait = true;
      }
    if (wait) continue;
    if (parameter_[s] == 0) parameter_[s] = of_binding(*b) | 8;
    open_.pop_back();
  }
  return parameter_[slot];
}

std::uint64_t BlockKeys::of_start(std::uint32_t slot) {
  const auto* b = bindings_.find(BindingKind::start, slot);
  return b == nullptr ? 5 : bindings_.is_leaf(*b) ? 6 : of_binding(*b) | 8;
}

// What the order of pivots in a coupled block depends on: arrays, parts, the names by which rows know the unknowns, marks.
std::uint64_t BlockKeys::of_coupled_row(std::uint32_t r) {
  const SystemRow& row = s_.rows[r];
  std::uint64_t h = (hints_.residue(row) ? 1u : 0u) | (hints_.residue_by_hand(row) ? 2u : 0u);
  if (row.origin != none) {
    h = absorb(h, of_equation_array(row.origin));
    if (row.origin < s_.flat->connection_equations) h = absorb(h, instance_of(row.origin).key);
  }
  const auto operands = s_.bound(row);
  const auto members = s_.members_of(row);
  for (std::size_t k = 0; k < operands.size(); ++k)
    if (operands[k].kind() == OperandKind::value && s_.unknown[operands[k].index()])
      h = absorb(h, of_member(members[k].variable) + members[k].shift);
  return h;
}

std::uint64_t BlockKeys::of_member(std::uint32_t v) {
  if (member_.empty()) member_.assign(s_.variables(), 0);
  if (member_[v] == 0) member_[v] = absorb(absorb(key(s_, v), of_array(v)), of_aliases(v));
  return member_[v];
}

std::uint64_t BlockKeys::of_array(std::uint32_t v) const {
  std::uint64_t order = 0;
  for (; v >= s_.flat->slots; ++order) v = s_.integral[v - s_.flat->slots];
  return s_.flat->keys[s_.flat->array[v]] + order;
}

// Of an equation that is no connection's. Neighbours mostly have the same one.
const model::Instance& BlockKeys::instance_of(std::uint32_t e) {
  const model::Instance& last = s_.flat->instances[instance_];
  if (e - last.equation_base >= last.type->equations.size()) instance_ = model::instance_of(*s_.flat, EqId{e});
  return s_.flat->instances[instance_];
}

// By its first equation.
std::uint64_t BlockKeys::of_equation_array(std::uint32_t e) {
  const FlatModel& m = *s_.flat;
  if (e >= m.connection_equations) {
    const std::uint32_t first = m.connection_info[e - m.connection_equations].group;
    const auto& c = m.connection_info[first - m.connection_equations];
    return absorb(absorb(m.keys[c.a], m.keys[c.b]), (c.flow ? 1u : 0u) | (c.outside ? 2u : 0u));
  }
  const model::Instance& i = instance_of(e);
  const std::uint32_t first = e - i.type->equations[e - i.equation_base].element;
  if (equation_array_.empty()) equation_array_.assign(m.connection_equations, 0);
  std::uint64_t& known = equation_array_[first];
  if (known == 0) {
    const model::Equation& x = i.type->equations[first - i.equation_base];
    std::uint64_t h = absorb(absorb(i.key, hash_text(x.label.str())), forms().content_hash(x.form));
    for (Operand o : m.bound(m.equations[first])) h = absorb(h, of_name(o));
    known = h;
  }
  return known;
}

// Of the equations that tie the variable, or what it is a derivative of, to others.
std::uint64_t BlockKeys::of_aliases(std::uint32_t v) const {
  std::uint64_t h = 0;
  const auto read = [](const BlockKeys& k, std::uint32_t root) { return k.aliases_.empty() ? 0 : k.aliases_[root]; };
  for (;; v = s_.integral[v - s_.flat->slots]) {
    const std::uint32_t root = s_.representative[v].root.value;
    h = absorb(h, read(*this, root) + read(*other_, root));
    if (v < s_.flat->slots) return h;
  }
}

void BlockKeys::read_aliases(std::size_t first, std::size_t last) {
  const FlatModel& m = *s_.flat;
  if (aliases_.empty()) aliases_.assign(s_.variables(), 0);
  for (const AliasEdge& e : std::span(s_.alias_edges).subspan(first, last - first)) {
    std::uint64_t h = absorb(absorb(m.keys[e.a], m.keys[e.b]), static_cast<std::uint64_t>(e.relaxed));
    h = absorb(absorb(h, of_array(e.a)), absorb(of_array(e.b), of_equation_array(e.equation)));
    if (e.equation >= m.connection_equations && !m.connection_info[e.equation - m.connection_equations].flow)
      h = absorb(h, m.keys[m.connection_info[e.equation - m.connection_equations].a]);
    aliases_[s_.representative[e.a].root.value] += mix(h);
  }
}

std::optional<std::uint32_t> MovedSlots::operator()(std::uint32_t slot) {
  if (slot >= before_.keys.size()) return std::nullopt;  // made by the index reduction
  const std::uint64_t wanted = before_.keys[slot];
  const auto is = [&](std::uint32_t now) { return now < now_.slots && now_.keys[now] == wanted; };
  for (const std::uint32_t shift : shifts_)
    if (is(slot + shift)) return slot + shift;
  const auto found = [&](std::uint32_t now) {
    if (shifts_.size() < few) shifts_.push_back(now - slot);
    return now;
  };
  for (std::uint32_t d = 1; d <= few; ++d)
    for (const std::uint32_t near : {slot + d, slot - d})
      if (is(near)) return found(near);
  if (!by_key_) {
    by_key_.emplace(now_.slots);
    for (std::uint32_t v = 0; v < now_.slots; ++v) by_key_->emplace(now_.keys[v], v);
  }
  const std::uint32_t it = by_key_->find(wanted);
  if (it == KeyMap::none) return std::nullopt;
  return found(it);
}

// ---- the emitter's side ---------------------------------------------------------------------------------------------------------

namespace {

// The inputs of a tape's beginning, with the slots as they are now. False: a slot has gone.
bool take_inputs(const Analysis& before, const code::Builder& tape, MovedSlots& moved, InputNumbers& numbers) {
  for (const code::Input& i : tape.inputs()) {
    const auto take = [&](const std::vector<std::uint32_t>& old, std::vector<std::uint32_t>& list, auto& number) {
      const std::optional<std::uint32_t> slot = moved(old[i.index]);
      if (!slot || i.index != list.size()) return false;
      number.add(*slot, i.index);
      list.push_back(*slot);
      return true;
    };
    const InputNumbers& old = *before.inputs_of_tape;
    if (i.kind == InputKind::parameter && !take(old.parameters, numbers.parameters, numbers.parameter_of)) return false;
    if (i.kind == InputKind::start && !take(old.starts, numbers.starts, numbers.start_of)) return false;
    if (i.kind == InputKind::signal && !take(old.signals, numbers.signals, numbers.signal_of)) return false;
  }
  return true;
}

}  // namespace

void Emitter::resume(const Emission& before, const Bindings& bindings, InputNumbers& inputs, Helper& helper,
                     Later<std::shared_ptr<code::Builder>> copy) {
  resume_ = {&before, &bindings, &inputs, &helper, std::move(copy)};
}

// Finds the order, and the first blocks that are what they were. Notes the keys of all, for the next emission.
std::size_t Emitter::kept(const SortedProblem& p, std::vector<std::uint32_t>& order, const std::vector<std::uint32_t>& state_input,
                          const Options& options) {
  if (resume_.bindings == nullptr || !s_.sets.empty()) {
    order = emission_order(s_, p);
    return 0;
  }
  constexpr std::uint32_t piece = 256;
  const auto rows = static_cast<std::uint32_t>(p.block_row.size());
  std::vector<std::uint64_t> row_keys(rows);
  const auto no_keys = [&] { return BlockKeys(s_, table_, *resume_.bindings, hints_, state_input); };
  std::array<BlockKeys, 2> keys{no_keys(), no_keys()};  // by thread
  keys[0].share_aliases(keys[1]);
  keys[1].share_aliases(keys[0]);
  const std::size_t edges = p.blocks() < rows ? s_.alias_edges.size() : 0, pieces = std::min<std::size_t>(edges, 16);
  resume_.helper->share(1 + pieces, [&](std::size_t k, std::size_t who) {
    if (k == 0) order = emission_order(s_, p);
    else keys[who].read_aliases((k - 1) * edges / pieces, k * edges / pieces);
  });
  resume_.helper->share((rows + piece - 1) / piece, [&](std::size_t k, std::size_t who) {
    const auto first = static_cast<std::uint32_t>(k) * piece;
    keys[who].of_rows(p, first, std::min(first + piece, rows), row_keys);
  });
  out_.surroundings = keys[0].surroundings(options);
  out_.emitted.reserve(order.size());
  for (std::uint32_t b : order) {
    std::uint64_t key = p.block_begin[b + 1] - p.block_begin[b];
    for (std::uint32_t k = p.block_begin[b]; k < p.block_begin[b + 1]; ++k) key = absorb(key, row_keys[k]);
    out_.emitted.push_back({.key = mix(key), .block = b, .computed = 0, .end = {}});
  }
  const Emission* before = resume_.before;
  if (!before->of || before->surroundings != out_.surroundings) return 0;
  const auto [mine, theirs] = std::mismatch(out_.emitted.begin(), out_.emitted.end(), before->blocks.begin(), before->blocks.end(),
                                            [](const EmittedBlock& x, const EmittedBlock& y) { return x.key == y.key; });
  const auto same = static_cast<std::size_t>(mine - out_.emitted.begin());
  if (same == 0) return 0;
  code::Builder tape = resume_.copy ? std::move(*resume_.copy.get()) : code::Builder(*before->of->tape);
  tape.cut(before->blocks[same - 1].end);
  MovedSlots moved(before->of->flat, *s_.flat);
  InputNumbers inputs;
  if (!take_inputs(*before->of, tape, moved, inputs)) return 0;
  const auto computed = std::span(before->computed).first(before->blocks[same - 1].computed);
  std::vector<ParameterRefs::Computed> restored;
  for (const ParameterRefs::Computed& c : computed) {
    const std::optional<std::uint32_t> slot = moved(c.what.index());
    if (!slot) return 0;
    restored.push_back({c.what.kind() == OperandKind::value ? Operand::value(model::SlotId{*slot}) : Operand::start(model::SlotId{*slot}), c.value});
  }
  for (const ParameterRefs::Computed& c : restored) parameters_.restore(c);
  *resume_.inputs = std::move(inputs);
  tape_ = std::move(tape);
  out_.beginning = {before->of->tape, before->blocks[same - 1].end};
  out_.early = before->early;
  for (std::size_t k = 0; k < out_.early.size(); ++k)
    if (out_.early[k]) early_[s_.discrete->slot[k]] = *out_.early[k];
  std::size_t step = 0;
  for (std::size_t k = 0; k < same; ++k) {
    EmittedBlock& e = out_.emitted[k];
    e.end = before->blocks[k].end;
    e.computed = before->blocks[k].computed;
    for (; step < e.end.steps; ++step) tape_.number_step(step, e.block);
    keep(p, e.block, *before->of, before->blocks[k].block);
  }
  return same;
}

// A block as it was, with the numbers that its rows and unknowns have now.
void Emitter::keep(const SortedProblem& p, std::uint32_t b, const Analysis& before, std::uint32_t old) {
  const auto whole = resume_.before->whole.find(old);
  const Block& was = whole == resume_.before->whole.end() ? before.blocks[old] : whole->second;
  Block& is = out_.blocks[b];
  const std::uint32_t first = p.block_begin[b];
  if (!was.solving) {  // as most are
    const std::uint32_t v = p.block_unknown[first];
    take_assignment(is, p.block_row[first], v);
    out_.variable[v] = before.variable_ref[was.unknowns[0].value];
    return;
  }
  is = was;
  rows_.clear();
  for (std::uint32_t k = 0; k < was.unknowns.size(); ++k) {
    const std::uint32_t v = p.block_unknown[first + k];
    rows_.push_back(p.block_row[first + k]);
    is.equations[k] = EqId{s_.rows[rows_[k]].origin};
    is.unknowns[k] = VarId{v};
    out_.variable[v] = before.variable_ref[was.unknowns[k].value];
  }
  is.rows.clear();
  name_rows(is, rows_);
  if (was.solving->torn.empty() && was.solving->relaxed.empty()) return;
  const auto now = [&](VarId v) { return is.unknowns[static_cast<std::size_t>(std::ranges::lower_bound(was.unknowns, v) - was.unknowns.begin())]; };
  Solving how = *was.solving;
  for (VarId& v : how.torn) v = now(v);
  for (VarId& v : how.relaxed) v = now(v);
  is.solving = std::make_shared<const Solving>(std::move(how));
}

}  // namespace kron::session
