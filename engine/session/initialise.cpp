#include "engine/session/initialise.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "engine/session/dynamic_sets.hpp"
#include "engine/session/sorting.hpp"

namespace kron::session {

using model::Operand;
using model::OperandKind;
using model::SlotFlag;

namespace {

SystemRow of_initialisation() {
  SystemRow meta;
  meta.origin = none;
  return meta;
}

}  // namespace

Initialisation::Initialisation(Analysis& a, const System& dynamic, const Bindings& bindings, const VariableTable& table)
    : a_(a), dynamic_(dynamic), bindings_(bindings), table_(table) {
  find_free_parameters();
}

void Initialisation::find_free_parameters() {
  const FlatModel& m = a_.flat;
  is_free_.assign(m.slots, false);
  for (std::uint32_t v = 0; v < m.slots; ++v)
    if ((m.flags[v] & SlotFlag::free) && m.variability[v] == model::Variability::parameter) {
      is_free_[v] = true;
      free_.push_back(v);
    }
  if (free_.empty()) return;
  for (bool more = true; more;) {
    more = false;
    for (std::uint32_t v = 0; v < m.slots; ++v) {
      const auto* b = is_free_[v] ? nullptr : bindings_.find(model::BindingKind::value, v);
      if (!b || m.variability[v] != model::Variability::parameter) continue;
      if (free_among(*b) == none) continue;
      is_free_[v] = more = true;
      bound_parameter_.push_back(v);
    }
  }
}

void Initialisation::run(std::shared_ptr<System> rows, const structure::Matching& dynamic, InputNumbers& inputs, solve::Templates& templates,
                         solve::Memory& memory, const Options& options) {
  system_ = std::move(rows);
  while (!system_->rows.empty() && system_->rows.back().set != none) system_->rows.pop_back();  // offered again, last
  free_parameters();
  if (!free_.empty()) check_discrete_starts();
  is_unknown_.assign(system_->variables(), false);
  for (std::uint32_t v = 0; v < system_->variables(); ++v) is_unknown_[v] = system_->unknown[v] && system_->is_root(v);
  model_rows_ = static_cast<std::uint32_t>(system_->rows.size());
  system_->sets = dynamic_.sets;
  system_->sets.insert(system_->sets.end(), dynamic_.determined.begin(), dynamic_.determined.end());
  system_->sets = merged_sets(system_->sets);  // what somebody said of one piece's candidates counts for all
  list_conditions();
  for (;;) {
    choose(dynamic);
    auto tape = std::make_shared<code::Builder>();
    Diagnostics diagnostics;
    ParameterRefs parameters(*system_, bindings_, inputs, *tape, templates, diagnostics);
    Emitter emitter(*system_, table_, parameters, *tape, templates, memory, diagnostics);
    Emitted e = emitter.run(problem(), std::vector<std::uint32_t>(system_->variables(), none), {}, options, true);
    if (!e.singular.empty() && (drop_one(e.singular.front()) || prefer_one(e.singular.front()))) continue;
    for (const SingularBlock& b : e.singular) emitter.diagnose(b);
    a_.diagnostics.append(diagnostics);
    a_.initial_tape = tape;
    return take(std::move(e), inputs);
  }
}

void Initialisation::free_parameters() {
  System& s = *system_;
  for (std::uint32_t v : free_) s.unknown[v] = 1;
  for (std::uint32_t v : bound_parameter_) s.unknown[v] = 1;
  for (std::uint32_t v : bound_parameter_) add_bound(*bindings_.find(model::BindingKind::value, v), v);
  if (!free_.empty()) find_columns(s);
}

// What it is bound to, less the variable.
void Initialisation::add_bound(const FlatModel::FlatBinding& b, std::uint32_t variable) {
  model::Exprs& e = model::forms().exprs();
  const auto n = model::forms().arity(b.form);
  const model::FormId form = model::forms().intern_placeholders(e.sub(model::forms().root(model::forms().unmarked(b.form)), e.placeholder(n)));
  std::vector<Operand> ops(bindings_.operands(b).begin(), bindings_.operands(b).end());
  ops.push_back(Operand::value(model::SlotId{variable}));
  add_row(*system_, form, ops, of_initialisation());
}

// A parameter among its operands that the start of a run finds: what is bound so holds with it. none: there is none.
std::uint32_t Initialisation::free_among(const FlatModel::FlatBinding& b) const {
  const auto ops = bindings_.operands(b);
  const auto it = std::ranges::find_if(ops, [&](Operand o) { return o.kind() == OperandKind::value && o.index() < is_free_.size() && is_free_[o.index()]; });
  return it == ops.end() ? none : it->index();
}

// Where a run starts from them before it has found any parameter.
void Initialisation::check_discrete_starts() {
  for (const std::uint32_t v : a_.flat.discrete) {
    const auto* b = bindings_.find(model::BindingKind::start, v);
    const std::uint32_t p = b ? free_among(*b) : none;
    if (p == none) continue;
    auto& d = a_.diagnostics.error("E0224", b->span, "`" + model::name(a_.flat, VarId{p}) + "` is computed by initial equations, and the start value of `" +
                                                        model::name(a_.flat, VarId{v}) + "`, which changes at events only, must be known before");
    d.help = "write an `initial` equation for it in place of the start value";
  }
}

// Each binding gives its parameter.
void Initialisation::match_bindings(std::uint32_t rows) {
  matching_.of_row.resize(model_rows_, structure::free_end);
  for (std::uint32_t r = rows; r < model_rows_; ++r) {
    const std::uint32_t own = bound_parameter_[r - rows];
    matching_.of_row[r] = own;
    matching_.of_column[own] = r;
    ++matching_.size;
  }
}

void Initialisation::list_conditions() {
  for (std::uint32_t k = 0; k < a_.flat.initial_equations.size(); ++k) {
    if (!a_.flat.discrete_initial.empty() && a_.flat.discrete_initial[k]) continue;
    const auto& eq = a_.flat.initial_equations[k];
    SystemRow meta = of_initialisation();
    meta.initial = k;
    conditions_.push_back({Condition::equation, static_cast<std::uint32_t>(system_->rows.size()), k});
    add_row(*system_, eq.form, a_.flat.bound(eq), meta);
  }
  for (std::uint32_t k = 0; k < dynamic_.left_out.size() + dynamic_.half_turns.size(); ++k) {
    const SystemRow& row = closing(k);
    conditions_.push_back({Condition::closing, static_cast<std::uint32_t>(system_->rows.size()), k});
    SystemRow meta = of_initialisation();
    meta.origin = row.origin;
    add_row(*system_, row.form, dynamic_.bound(row), meta);
  }
  std::vector<bool> done(system_->variables(), false);
  conditions_.reserve(conditions_.size() + table_.fixed().size() + a_.states.size());
  for (std::uint32_t v : table_.fixed()) {
    const Representative& r = system_->representative[v];
    if (r.sign != 0) done[r.root.value] = true;
    add_start(r.sign != 0 ? Condition::fixed : Condition::constant, v, v);
  }
  // What nobody has fixed: positions before speeds, as a condition on speeds is met by speeds; what somebody said before a library's 0.
  std::uint32_t levels = 1;
  for (const State& st : a_.states) levels = std::max(levels, level(st.variable.value) + 1);
  for (const DynamicSet& set : dynamic_.sets) levels = std::max(levels, set.level + 1);
  enum class Start { told, vague, nobody };
  // Those that wishes chose in a loop come after others, as sets do.
  std::vector<bool> chosen(system_->variables(), false);
  for (const StateChoice& c : dynamic_.choices)
    for (std::uint32_t v : c.held) chosen[chain_base(dynamic_, v)] = true;
  const auto complete = [&](std::uint32_t at, Start which) {
    for (const bool in_loop : {false, true})
      for (const State& st : a_.states) {
        const VariableInfo& i = table_[st.variable.value];
        const Start its = i.start_slot == none ? Start::nobody : i.vague ? Start::vague : Start::told;
        const bool now = its == which && level(st.variable.value) == at && chosen[chain_base(dynamic_, st.variable.value)] == in_loop;
        if (st.set < 0 && !done[st.variable.value] && now)
          add_start(Condition::completion, which == Start::nobody ? st.variable.value : i.start_slot, i.start_slot);
      }
  };
  for (std::uint32_t at = 0; at < levels; ++at) {
    complete(at, Start::told);
    complete(at, Start::vague);
    complete_sets(at);  // after these: what carries a loop has a part in its equations, and none in what they leave free
  }
  for (std::uint32_t at = 0; at < levels; ++at) complete(at, Start::nobody);
}

// How many times it is a derivative.
std::uint32_t Initialisation::level(std::uint32_t v) const {
  std::uint32_t n = 0;
  for (; dynamic_.antiderivative[v] != none; v = dynamic_.antiderivative[v]) ++n;
  return n;
}

// What is left free in the dynamic sets: which of their candidates keep their start values is chosen when the values are known, for all
// pieces of a set at once. Each row holds all candidates, as conditions may determine any of them.
void Initialisation::complete_sets(std::uint32_t at) {
  for (std::uint32_t set = 0; set < system_->sets.size(); ++set) {
    if (system_->sets[set].level != at) continue;
    std::vector<Operand> operands;
    for (std::uint32_t v : system_->sets[set].candidates) operands.push_back(Operand::value(model::SlotId{v}));
    const model::FormId form = sum_of(static_cast<std::uint32_t>(operands.size()));
    for (std::uint32_t slot = 0; slot < system_->sets[set].states(); ++slot) {
      SystemRow meta = of_initialisation();
      meta.set = set;
      meta.slot = slot;
      conditions_.push_back({Condition::completion, static_cast<std::uint32_t>(system_->rows.size()), none});
      add_row(*system_, form, operands, meta);
    }
  }
}

// variable = its start value. Without a start value: = 0.
void Initialisation::add_start(Condition::Kind kind, std::uint32_t variable, std::uint32_t start_slot) {
  model::Exprs& e = model::forms().exprs();
  static const model::FormId with = model::forms().intern_placeholders(e.sub(e.placeholder(0), e.placeholder(1)));
  static const model::FormId without = model::forms().intern_placeholders(e.placeholder(0));
  conditions_.push_back({kind, static_cast<std::uint32_t>(system_->rows.size()), variable});
  if (start_slot != none) {
    const auto* b = bindings_.find(model::BindingKind::start, start_slot);
    if (!b || free_among(*b) == none) return add_start_row(*system_, with, variable, start_slot, of_initialisation());
    return add_bound(*b, variable);
  }
  add_row(*system_, without, std::array{Operand::value(model::SlotId{variable})}, of_initialisation());
}

const SystemRow& Initialisation::closing(std::uint32_t k) const {
  const auto left_out = static_cast<std::uint32_t>(dynamic_.left_out.size());
  return k < left_out ? dynamic_.left_out[k] : dynamic_.half_turns[k - left_out];
}

SurplusCondition::Condition Initialisation::named(const Condition& c) const {
  switch (c.kind) {
    case Condition::equation: return {"the initial equation `" + model::initial_label(a_.flat, c.of) + "`", model::initial_place(a_.flat, c.of)};
    case Condition::fixed:
    case Condition::constant: return {"`" + name(*system_, c.of) + "(fixed)`", place(a_.flat, VarId{c.of})};
    case Condition::closing: return {"`" + label(dynamic_, closing(c.of)) + "`", place(dynamic_, closing(c.of))};
    case Condition::completion: break;
  }
  return {};
}

// Rows of the problem: the model's, then the conditions that fit.
void Initialisation::choose(const structure::Matching& dynamic) {
  surplus_rows_.clear();
  a_.surplus.clear();
  rows_.reserve(system_->rows.size());
  rows_.resize(model_rows_);
  for (std::uint32_t r = 0; r < rows_.size(); ++r) rows_[r] = r;
  graph_ = {};
  matching_ = dynamic;
  const auto rows = static_cast<std::uint32_t>(std::count_if(dynamic_.rows.begin(), dynamic_.rows.end(), [](const SystemRow& r) { return r.set == none; }));
  for (std::uint32_t r = rows; r < dynamic_.rows.size(); ++r) {  // the choices come last
    matching_.of_column[matching_.of_row[r]] = structure::free_end;
    --matching_.size;
  }
  matching_.of_row.resize(rows);
  match_bindings(rows);
  mark_.assign(system_->variables(), 0);
  stamp_ = 1;
  for (const Condition& c : conditions_) {
    if (c.kind == Condition::closing || c.kind == Condition::constant) {
      left_over(c, {});
      continue;
    }
    if (!c.dependent && offer(c.row, c.kind != Condition::completion)) continue;
    if (c.kind != Condition::completion) left_over(c, c.dependent ? c.determining : reached());
  }
}

// Takes a row of the system where it determines something that the rows taken leave free: one of its own unknowns, as most start values
// do, or one at the end of an alternating path through the graph of the rows taken. What a search without success has seen leads later ones
// nowhere either: each of these columns has its row, whose columns are among them. `told`: reached() will be asked for.
bool Initialisation::offer(std::uint32_t row, bool told) {
  columns_.clear();
  for (std::uint32_t c : system_->columns(system_->rows[row]))
    if (is_unknown_[c]) columns_.push_back(c);
  const auto own = std::ranges::find_if(columns_, [&](std::uint32_t c) { return matching_.of_column[c] == structure::free_end; });
  if (own != columns_.end()) {
    matching_.of_column[*own] = static_cast<structure::Row>(rows_.size());
    matching_.of_row.push_back(*own);
    ++matching_.size;
    rows_.push_back(row);
    if (graph_.rows() > 0) graph_.add_row(columns_);
    return true;
  }
  if (graph_.rows() == 0) graph_ = incidence(*system_, rows_, is_unknown_);
  graph_.add_row(columns_);
  if (told) ++stamp_;
  if (structure::augment(graph_, graph_.rows() - 1, matching_, {}, mark_, stamp_)) {
    ++stamp_;
    rows_.push_back(row);
    return true;
  }
  graph_.begin.pop_back();  // put the graph back
  graph_.column.resize(graph_.begin.back());
  matching_.of_row.resize(graph_.rows());
  return false;
}

// The rows that determine what the row refused last would.
std::vector<std::uint32_t> Initialisation::reached() const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t v = 0; v < mark_.size(); ++v)
    if (mark_[v] == stamp_ && matching_.of_column[v] != structure::free_end) found.push_back(rows_[matching_.of_column[v]]);
  std::sort(found.begin(), found.end());
  return found;
}

void Initialisation::left_over(const Condition& c, const std::vector<std::uint32_t>& determining) {
  SurplusCondition s{named(c), {}, {}, {}, c.kind == Condition::closing, c.kind == Condition::constant};
  for (const Condition& other : conditions_)
    if (other.row != c.row && std::binary_search(determining.begin(), determining.end(), other.row)) s.rivals.push_back(named(other));
  for (std::uint32_t r : determining)
    if (r < model_rows_ && system_->rows[r].origin != none) {
      s.constrained = s.rivals.empty() && (s.constrained || system_->rows[r].times > 0 || system_->rows[r].next != none);
      s.equations.push_back({"`" + label(*system_, system_->rows[r]) + "`", place(*system_, system_->rows[r])});
      s.origins.push_back(EqId{system_->rows[r].origin});
    }
  surplus_rows_.push_back(c.row);
  a_.surplus.push_back(std::move(s));
}

// Of rows that depend on each other the condition offered last goes. False: none of them is a condition.
bool Initialisation::drop_one(const SingularBlock& b) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t k : b.what.rows) rows.push_back(b.rows[k]);
  std::sort(rows.begin(), rows.end());
  if (rows.empty() || rows.back() < model_rows_) return false;
  const auto c = std::find_if(conditions_.begin(), conditions_.end(), [&](const Condition& x) { return x.row == rows.back(); });
  c->dependent = true;
  c->determining = b.rows;
  std::sort(c->determining.begin(), c->determining.end());
  return true;
}

// What rows leave open that depend on each other, as where a part lies whose loop moves with it: its start value counts before those of others, which
// these rows follow from. False: it has none that was not tried.
bool Initialisation::prefer_one(const SingularBlock& b) {
  for (std::uint32_t k : b.what.unknowns) {
    const std::uint32_t v = b.unknowns[k];
    const auto is_its = [&](const Condition& c) {
      return c.kind == Condition::completion && c.of != none && !c.preferred && system_->representative[c.of].sign != 0 && system_->representative[c.of].root.value == v;
    };
    const auto its = std::ranges::find_if(conditions_, is_its);
    if (its == conditions_.end() || std::ranges::find(rows_, its->row) != rows_.end()) continue;
    its->preferred = true;
    const auto first = std::ranges::find(conditions_, Condition::completion, &Condition::kind);
    std::rotate(first, its, its + 1);
    return true;
  }
  return false;
}

bool Initialisation::determined(std::uint32_t v) {
  if (matching_.of_column[v] != structure::free_end) return true;
  auto& d = a_.diagnostics.error("E0310", place(a_.flat, VarId{v}),
                                 "no initial equation determines the parameter `" + model::name(a_.flat, VarId{v}) + "(fixed = false)`");
  d.help = "write an `initial` equation for it, or give it a value";
  return false;
}

// The blocks that states, free parameters and surplus conditions need; the rest would repeat the dynamic problem.
SortedProblem Initialisation::problem() const {
  const System& s = *system_;
  std::vector<std::uint32_t> wanted;
  for (const State& st : a_.states) wanted.push_back(st.variable.value);
  for (const StateSet& set : a_.sets)
    for (VarId v : set.candidates) wanted.push_back(v.value);
  wanted.insert(wanted.end(), free_.begin(), free_.end());
  for (std::uint32_t r : surplus_rows_) {
    const auto columns = s.columns(s.rows[r]);
    wanted.insert(wanted.end(), columns.begin(), columns.end());
  }
  // Iterations of which nobody said where they begin: here guesses of others go through all rows (guesses.hpp), as all is known at the start.
  // But for those that relations have a say in: which answers hold a run finds out with the states.
  const auto is_eventful = [&](const Block& b) {
    return std::ranges::any_of(b.equations, [&](EqId e) {
      return e.value < a_.flat.equations.size() &&
             std::ranges::any_of(a_.flat.bound(a_.flat.equations[e.value]), [](Operand o) { return o.kind() == OperandKind::event; });
    });
  };
  for (const Block& b : a_.blocks)
    if (b.kind == BlockKind::nonlinear && !is_eventful(b))
      for (VarId v : b.how().torn)
        if (table_[v.value].start_slot == none || table_[v.value].vague) wanted.push_back(v.value);
  SortedProblem p = sorted_for(s, matching_, rows_, is_unknown_, wanted);
  p.surplus = surplus_rows_;
  return p;
}

// Blocks of the dynamic problem of which the initial problem has solved unknowns already begin there: from start values they could find
// another solution than the one that the initial conditions hold for.
void Initialisation::start_iterations(const Emitted& e) {
  std::vector<bool> solved;
  for (const Block& b : a_.blocks) {
    if (b.kind != BlockKind::nonlinear) continue;
    if (solved.empty()) {
      solved.assign(system_->variables(), false);
      for (const Block& initial : a_.initial_blocks)
        for (VarId v : initial.unknowns) solved[v.value] = true;
    }
    for (VarId v : b.how().torn)
      if (v.value < solved.size() && solved[v.value]) {
        a_.iteration_starts.push_back(v);
        roots_.push_back(e.variable[v.value]);
      }
  }
}

// An iteration takes the slopes of its rows, and of what jumps they say nothing: it would end with answers of before.
void Initialisation::check_jumps() {
  for (const Block& b : a_.initial_blocks) {
    if (b.unknowns.size() < 2) continue;
    for (const VarId v : b.unknowns) {
      if (v.value >= a_.flat.slots || a_.flat.variability[v.value] != model::Variability::parameter) continue;
      if (model::declaration(a_.flat, v).type == model::ValueType::real) continue;
      auto& d = a_.diagnostics.error("E0224", place(a_.flat, v), "the parameter `" + model::name(a_.flat, v) + "` has a part in the initial equations that determine it, and changes by jumps");
      d.help = "write it as a variable, which is decided together with them";
    }
  }
}

void Initialisation::take(Emitted e, InputNumbers& inputs) {
  a_.initial_blocks = std::move(e.blocks);
  check_jumps();
  const auto given = std::count_if(conditions_.begin(), conditions_.end(), [](const Condition& c) { return c.kind != Condition::completion; });
  a_.initial_equations = static_cast<std::size_t>(given) - a_.surplus.size();
  for (const State& st : a_.states) roots_.push_back(e.variable[st.variable.value]);
  for (std::uint32_t v : free_) {
    if (!determined(v)) continue;
    const auto [input, is_new] = inputs.parameter_of.add(v, static_cast<std::uint32_t>(inputs.parameters.size()));
    if (is_new) inputs.parameters.push_back(v);
    a_.free_parameters.push_back(input);
    roots_.push_back(e.variable[v]);
  }
  for (const StateSet& set : a_.sets)
    for (VarId v : set.candidates) roots_.push_back(e.variable[v.value]);
  start_iterations(e);
  pinned_ = std::move(e.pinned);
  for (const SurplusRow& s : e.surplus) {
    roots_.push_back(s.off);
    roots_.push_back(s.size);
  }
  for (const SurplusCondition& s : a_.surplus) {
    if (s.closes_loop || s.constant) continue;  // N0317 tells of it; an element that is always zero, as in a plane, goes without saying
    auto& d = a_.diagnostics.note("N0316", s.own.place, s.own.label + " is one initial condition more than the model leaves free");
    for (const auto& r : s.rivals) d.notes.push_back({r.place, r.label});
    for (std::size_t k = 0; s.rivals.empty() && k < s.equations.size() && k < 4; ++k) d.notes.push_back({s.equations[k].place, s.equations[k].label});
    d.help = "a run starts only where it agrees with the others";
    if (s.constrained) d.help += "; " + std::string(constrained_hint);
  }
}

}  // namespace kron::session
