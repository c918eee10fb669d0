#include "engine/session/initialise.hpp"

#include <algorithm>

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
      const auto ops = bindings_.operands(*b);
      const bool depends = std::any_of(ops.begin(), ops.end(), [&](Operand o) {
        return o.kind() == OperandKind::value && o.index() < m.slots && is_free_[o.index()];
      });
      if (!depends) continue;
      is_free_[v] = more = true;
      bound_parameter_.push_back(v);
    }
  }
}

void Initialisation::run(const structure::Matching& dynamic, InputNumbers& inputs, solve::Templates& templates, solve::Memory& memory,
                         const Options& options) {
  system_ = std::make_shared<System>(dynamic_);
  free_parameters();
  const System& s = *system_;
  is_unknown_.assign(s.variables(), false);
  for (std::uint32_t v = 0; v < s.variables(); ++v) is_unknown_[v] = s.unknown[v] && s.is_root(v);
  rows_.resize(s.rows.size());
  for (std::uint32_t r = 0; r < rows_.size(); ++r) rows_[r] = r;
  graph_ = incidence(s, rows_, is_unknown_);
  matching_ = dynamic;
  match_bindings();
  mark_.assign(s.variables(), 0);
  conditions();
  if (!a_.diagnostics.has_errors()) emit(inputs, templates, memory, options);
}

void Initialisation::free_parameters() {
  System& s = *system_;
  for (std::uint32_t v : free_) s.unknown[v] = 1;
  for (std::uint32_t v : bound_parameter_) s.unknown[v] = 1;
  model::Exprs& e = model::forms().exprs();
  for (std::uint32_t v : bound_parameter_) {  // v - value = 0
    const auto* b = bindings_.find(model::BindingKind::value, v);
    const auto n = model::forms().arity(b->form);
    const model::FormId form =
        model::forms().intern_placeholders(e.sub(model::forms().root(model::forms().unmarked(b->form)), e.placeholder(n)));
    std::vector<Operand> ops(bindings_.operands(*b).begin(), bindings_.operands(*b).end());
    ops.push_back(Operand::value(model::SlotId{v}));
    add_row(s, form, ops, of_initialisation());
  }
}

// Each binding gives its parameter.
void Initialisation::match_bindings() {
  const auto rows = static_cast<std::uint32_t>(dynamic_.rows.size());
  matching_.of_row.resize(graph_.rows(), structure::free_end);
  for (std::uint32_t r = rows; r < graph_.rows(); ++r) {
    const std::uint32_t own = bound_parameter_[r - rows];
    matching_.of_row[r] = own;
    matching_.of_column[own] = r;
    ++matching_.size;
  }
}

// Takes a row of the system where it determines something that the rows taken leave free.
bool Initialisation::offer(std::uint32_t row) {
  std::vector<std::uint32_t> columns;
  system_->columns(system_->rows[row], columns);
  std::erase_if(columns, [&](std::uint32_t c) { return !is_unknown_[c]; });
  graph_.add_row(columns);
  if (structure::augment(graph_, graph_.rows() - 1, matching_, {}, mark_, ++stamp_)) {
    rows_.push_back(row);
    return true;
  }
  graph_.begin.pop_back();  // put the graph back
  graph_.column.resize(graph_.begin.back());
  matching_.of_row.resize(graph_.rows());
  return false;
}

void Initialisation::conditions() {
  const System& s = *system_;
  const auto last = [&] { return static_cast<std::uint32_t>(s.rows.size() - 1); };
  for (std::uint32_t k = 0; k < a_.flat.initial_equations.size(); ++k) {
    const auto& eq = a_.flat.initial_equations[k];
    add_row(*system_, eq.form, a_.flat.bound(eq), of_initialisation());
    if (!offer(last())) too_many("the initial equation `" + model::initial_label(a_.flat, k) + "`", {});
    else ++a_.initial_equations;
  }
  std::vector<bool> done(s.variables(), false);
  for (std::uint32_t v : table_.fixed()) {
    const Representative& r = s.representative[v];
    if (r.sign == 0 || done[r.root.value]) continue;
    done[r.root.value] = true;
    add_start(v, v);
    if (!offer(last())) too_many("`" + model::name(a_.flat, VarId{v}) + "(fixed)`", place(a_.flat, VarId{v}));
    else ++a_.initial_equations;
  }
  for (const State& st : a_.states) {
    if (done[st.variable.value]) continue;
    const VariableInfo& i = table_[st.variable.value];
    add_start(i.start_slot == none ? st.variable.value : i.start_slot, i.start_slot);
    if (!offer(last())) system_->rows.pop_back();
  }
}

// variable = its start value. Without a start value: = 0.
void Initialisation::add_start(std::uint32_t variable, std::uint32_t start_slot) {
  model::Exprs& e = model::forms().exprs();
  static const model::FormId with = model::forms().intern_placeholders(e.sub(e.placeholder(0), e.placeholder(1)));
  static const model::FormId without = model::forms().intern_placeholders(e.placeholder(0));
  if (start_slot != none) {
    const Operand ops[] = {Operand::value(model::SlotId{variable}), Operand::start(model::SlotId{start_slot})};
    add_row(*system_, with, ops, of_initialisation());
  } else {
    const Operand ops[] = {Operand::value(model::SlotId{variable})};
    add_row(*system_, without, ops, of_initialisation());
  }
}

bool Initialisation::determined(std::uint32_t v) {
  if (matching_.of_column[v] != structure::free_end) return true;
  auto& d = a_.diagnostics.error("E0310", place(a_.flat, VarId{v}),
                                 "no initial equation determines the parameter `" + model::name(a_.flat, VarId{v}) + "(fixed = false)`");
  d.help = "write an `initial` equation for it, or give it a value";
  return false;
}

void Initialisation::too_many(const std::string& what, Span at) {
  auto& d = a_.diagnostics.error("E0311", at, "too many initial conditions: " + what + " is one more than the model leaves free");
  d.help = "take it or another initial condition out";
}

void Initialisation::emit(InputNumbers& inputs, solve::Templates& templates, solve::Memory& memory, const Options& options) {
  const System& s = *system_;
  std::vector<std::uint32_t> wanted;
  for (const State& st : a_.states) wanted.push_back(st.variable.value);
  wanted.insert(wanted.end(), free_.begin(), free_.end());
  // Only what the states need is solved; the rest would repeat the dynamic problem.
  const SortedProblem p = restricted(s, sorted(s, graph_, matching_, rows_), wanted);
  auto tape = std::make_shared<code::Builder>();
  ParameterRefs parameters(s, bindings_, inputs, *tape, templates, a_.diagnostics);
  const std::vector<std::uint32_t> no_states(s.variables(), none);
  Emitted e = Emitter(s, table_, parameters, *tape, templates, memory, a_.diagnostics).run(p, no_states, options, true);
  a_.initial_blocks = std::move(e.blocks);
  for (const State& st : a_.states) roots_.push_back(e.variable[st.variable.value]);
  for (std::uint32_t v : free_) {
    if (!determined(v)) continue;
    const auto [it, is_new] = inputs.parameter_of.emplace(v, static_cast<std::uint32_t>(inputs.parameters.size()));
    if (is_new) inputs.parameters.push_back(v);
    a_.free_parameters.push_back(it->second);
    roots_.push_back(e.variable[v]);
  }
  a_.initial_tape = tape;
}

}  // namespace kron::session
