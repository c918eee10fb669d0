#include <algorithm>
#include <chrono>
#include <cmath>
#include <unordered_set>

#include "engine/base/hash.hpp"
#include "engine/session/emit.hpp"
#include "engine/session/evaluate.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

using code::Ref;
using model::Operand;
using model::OperandKind;
using model::SlotFlag;

std::string_view to_text(BlockKind k) {
  return k == BlockKind::explicit_ ? "explicit" : k == BlockKind::linear ? "linear" : "nonlinear";
}

std::string_view to_text(SolveMethod m) {
  switch (m) {
    case SolveMethod::assign: return "assign";
    case SolveMethod::relaxed: return "relaxed";
    case SolveMethod::torn: return "torn";
    case SolveMethod::automatic: return "auto";
    case SolveMethod::dense: return "dense";
    case SolveMethod::sparse: return "sparse";
    case SolveMethod::newton: return "newton";
  }
  return "";
}

namespace {

class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double s = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return s;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Rows against the unknowns that `is_unknown` admits.
structure::Incidence incidence(const System& s, const std::vector<std::uint32_t>& rows, const std::vector<bool>& is_unknown) {
  structure::Incidence g;
  g.columns = static_cast<std::uint32_t>(s.variables());
  std::vector<std::uint32_t> columns;
  for (std::uint32_t r : rows) {
    s.columns(s.rows[r], columns);
    std::erase_if(columns, [&](std::uint32_t c) { return !is_unknown[c]; });
    g.add_row(columns);
  }
  return g;
}

SortedProblem sorted(const System& s, const structure::Incidence& g, const structure::Matching& m,
                     const std::vector<std::uint32_t>& rows) {
  const structure::Blocks blocks = structure::block_lower_triangular(g, m);
  SortedProblem p;
  p.system = &s;
  p.rows = rows;
  p.block_begin = blocks.begin;
  for (std::uint32_t r : blocks.row) p.block_row.push_back(rows[r]);
  p.block_unknown = blocks.column;
  return p;
}

// The blocks that `wanted` variables need, directly or through others.
SortedProblem restricted(const System& s, const SortedProblem& p, const std::vector<std::uint32_t>& wanted) {
  std::vector<std::uint32_t> block_of(s.variables(), none), columns;
  for (std::uint32_t b = 0; b < p.blocks(); ++b)
    for (std::uint32_t k = p.block_begin[b]; k < p.block_begin[b + 1]; ++k) block_of[p.block_unknown[k]] = b;
  std::vector<bool> needed(p.blocks(), false);
  for (std::uint32_t v : wanted)
    if (block_of[v] != none) needed[block_of[v]] = true;
  for (std::uint32_t b = p.blocks(); b-- > 0;) {  // blocks need only earlier ones
    if (!needed[b]) continue;
    for (std::uint32_t k = p.block_begin[b]; k < p.block_begin[b + 1]; ++k) {
      s.columns(s.rows[p.block_row[k]], columns);
      for (std::uint32_t c : columns)
        if (block_of[c] != none) needed[block_of[c]] = true;
    }
  }
  SortedProblem r;
  r.system = p.system;
  for (std::uint32_t b = 0; b < p.blocks(); ++b) {
    if (!needed[b]) continue;
    for (std::uint32_t k = p.block_begin[b]; k < p.block_begin[b + 1]; ++k) {
      r.block_row.push_back(p.block_row[k]);
      r.block_unknown.push_back(p.block_unknown[k]);
    }
    r.block_begin.push_back(static_cast<std::uint32_t>(r.block_row.size()));
  }
  return r;
}

// Nodes that the roots need, through solve steps.
std::vector<bool> live_nodes(const code::Builder& t, const std::vector<Ref>& roots) {
  std::vector<bool> live(t.size(), false), step_live(t.steps().size(), false);
  std::vector<std::uint32_t> step_of(t.size(), none), stack;
  for (std::uint32_t k = 0; k < t.steps().size(); ++k) {
    const auto& s = t.steps()[k];
    for (std::uint32_t u : s.unknowns()) step_of[u] = k;
  }
  auto push = [&](Ref r) {
    if (!live[r.node()]) {
      live[r.node()] = true;
      stack.push_back(r.node());
    }
  };
  for (Ref r : roots) push(r);
  while (!stack.empty()) {
    const std::uint32_t n = stack.back();
    stack.pop_back();
    for (Ref a : t.arguments(t.nodes()[n])) push(a);
    const std::uint32_t k = step_of[n];
    if (k == none) continue;
    if (const auto& own = t.steps()[k]; own.linear.guarded())
      push(own.linear.solution[static_cast<std::size_t>(std::ranges::find(own.linear.unknowns, n) - own.linear.unknowns.begin())]);
    if (step_live[k]) continue;
    step_live[k] = true;
    const auto& s = t.steps()[k];
    s.each_read(push);
    if (!s.linear.guarded())
      for (std::uint32_t u : s.unknowns()) push(Ref{u << 1});
  }
  return live;
}

}  // namespace

struct Engine::Data {
  solve::Templates templates;
  solve::Memory memory;
  std::unordered_set<std::uint64_t> block_keys;     // of the analysis before
  std::unordered_set<std::uint64_t> row_keys;
  std::shared_ptr<const code::Program> program, initial_program;
};

Engine::Engine() : data_(std::make_unique<Data>()) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

namespace {

// One analysis, stage by stage.
class Line {
 public:
  Line(Engine::Data& keep, const Options& options) : keep_(keep), options_(options), a_(std::make_shared<Analysis>()) {}

  std::shared_ptr<const Analysis> run(std::shared_ptr<const model::Blueprint> top) {
    Stopwatch total;
    a_->flat = model::flatten(std::move(top), a_->diagnostics);
    a_->phases.flatten = watch_.lap();
    auto system = std::make_shared<System>(reduce(a_->flat, a_->diagnostics));
    system_ = system;
    a_->system = system;
    a_->phases.match = watch_.lap();
    const bool solvable = !a_->diagnostics.has_errors() && reduce_index(*system, a_->diagnostics);
    a_->phases.index = watch_.lap();
    copy_reduction();
    if (solvable) sort_and_solve();
    a_->complete = !a_->diagnostics.has_errors();
    if (a_->complete) compile();
    reuse();
    a_->reuse.seconds = total.lap();
    return a_;
  }

 private:
  void copy_reduction() {
    a_->representative = system_->representative;
    a_->equation_used = system_->equation_used;
    a_->aliases = system_->aliases;
    a_->block_of.assign(system_->variables(), none);
    a_->output_of.assign(system_->variables(), none);
    for (const SystemRow& r : system_->rows)
      if (r.next == none && r.times > 0)
        a_->differentiated.push_back({model::label(a_->flat, EqId{r.origin}), r.times,
                                      "it constrains variables whose derivatives appear"});
    for (std::uint32_t v = 0; v < a_->flat.slots; ++v)
      if ((a_->flat.flags[v] & SlotFlag::input) && a_->flat.variability[v] == model::Variability::continuous)
        a_->inputs.push_back(VarId{v});
  }

  void sort_and_solve() {
    bindings_ = std::make_unique<Bindings>(a_->flat);
    numbers_ = std::make_unique<Numbers>(a_->flat, *bindings_, no_overrides_, &a_->diagnostics);
    table_ = std::make_unique<VariableTable>(*system_, *bindings_, *numbers_);
    list_states();
    find_free_parameters();
    dynamic_problem();
    if (!a_->diagnostics.has_errors()) initial_problem();
  }

  void list_states() {
    state_input_.assign(system_->variables(), none);
    for (std::uint32_t v = 0; v < system_->variables(); ++v) {
      if (system_->dummy[v]) a_->dummy.push_back(VarId{v});
      if (!system_->state[v]) continue;
      state_input_[v] = static_cast<std::uint32_t>(a_->states.size());
      const VariableInfo& i = (*table_)[v];
      const double start = i.start_slot == none ? 0 : i.start_sign * numbers_->start(i.start_slot);
      a_->states.push_back({VarId{v}, start, i.fixed, -1});
    }
  }

  void dynamic_problem() {
    std::vector<std::uint32_t> rows(system_->rows.size());
    for (std::uint32_t r = 0; r < rows.size(); ++r) rows[r] = r;
    is_unknown_.assign(system_->variables(), false);
    std::size_t unknowns = 0;
    for (std::uint32_t v = 0; v < system_->variables(); ++v) {
      is_unknown_[v] = system_->unknown[v] && system_->is_root(v) && !system_->state[v];
      unknowns += is_unknown_[v];
    }
    graph_ = incidence(*system_, rows, is_unknown_);
    matching_ = structure::match(graph_);
    a_->phases.match += watch_.lap();
    if (matching_.size != rows.size() || matching_.size != unknowns) return unmatched(rows);
    SortedProblem p = sorted(*system_, graph_, matching_, rows);
    p.wanted = wanted(p);
    p.assertions = changing_assertions();
    a_->phases.blt = watch_.lap();
    auto tape = std::make_shared<code::Builder>();
    auto inputs = std::make_shared<InputNumbers>();
    inputs_ = inputs;
    a_->inputs_of_tape = inputs;
    ParameterRefs parameters(*system_, *bindings_, *inputs_, *tape, keep_.templates, a_->diagnostics);
    Emitted e = Emitter(*system_, *table_, parameters, *tape, keep_.templates, keep_.memory, a_->diagnostics)
                    .run(p, state_input_, options_, false);
    a_->blocks = std::move(e.blocks);
    a_->variable_ref = std::move(e.variable);
    a_->assertions = std::move(e.assertions);
    a_->tape = tape;
    for (std::uint32_t b = 0; b < a_->blocks.size(); ++b)
      for (VarId v : a_->blocks[b].unknowns) a_->block_of[v.value] = b;
    a_->phases.solve = watch_.lap();
  }

  // Those that more than parameters decide; Engine::problem looks at the others.
  std::vector<std::uint32_t> changing_assertions() {
    const auto known = [&](Operand o) {
      if (o.kind() == OperandKind::constant || o.kind() == OperandKind::start) return true;
      return o.kind() == OperandKind::value && o.index() < a_->flat.slots && !is_free_[o.index()] &&
             a_->flat.variability[o.index()] <= model::Variability::parameter;
    };
    std::vector<std::uint32_t> changing;
    for (std::uint32_t k = 0; k < a_->flat.assertions.size(); ++k) {
      const auto ops = a_->flat.bound(a_->flat.assertions[k].condition);
      (std::all_of(ops.begin(), ops.end(), known) ? a_->fixed_assertions : changing).push_back(k);
    }
    return changing;
  }

  // Unknowns that the states' derivatives need, as far as the structure tells.
  std::vector<bool> wanted(const SortedProblem& p) const {
    std::vector<bool> w(system_->variables(), false);
    for (const State& s : a_->states) w[system_->derivative[s.variable.value]] = true;
    std::vector<std::uint32_t> columns;
    for (std::uint32_t b = p.blocks(); b-- > 0;) {
      const auto begin = p.block_begin[b], end = p.block_begin[b + 1];
      const auto used = [&](std::uint32_t k) { return w[p.block_unknown[k]]; };
      bool any = false;
      for (std::uint32_t k = begin; k < end; ++k) any = any || used(k);
      for (std::uint32_t k = begin; any && k < end; ++k) {
        system_->columns(system_->rows[p.block_row[k]], columns);
        for (std::uint32_t c : columns)
          if (!std::binary_search(p.block_unknown.begin() + begin, p.block_unknown.begin() + end, c)) w[c] = true;
      }
    }
    return w;
  }

  void unmatched(const std::vector<std::uint32_t>& rows) {
    for (std::uint32_t r = 0; r < rows.size(); ++r)
      if (matching_.of_row[r] == structure::free_end) {
        auto& d = a_->diagnostics.error("E0303", place(a_->flat, EqId{system_->rows[rows[r]].origin}),
                                        "after index reduction `" + label(*system_, system_->rows[rows[r]]) +
                                            "` determines nothing");
        d.help = "the model may be over-determined at some level of differentiation";
        return;
      }
    a_->diagnostics.error("E0303", {}, "after index reduction some variables are not determined");
  }

  // ---- initialisation -----------------------------------------------------------------------------------------------------

  // The model's rows, the initial equations, fixed starts, then start values of states as far as freedom is left.
  void initial_problem() {
    auto s = std::make_shared<System>(*system_);
    free_parameters(*s);
    std::vector<bool> is_unknown(s->variables(), false);
    for (std::uint32_t v = 0; v < s->variables(); ++v) is_unknown[v] = s->unknown[v] && s->is_root(v);
    std::vector<std::uint32_t> taken(s->rows.size());
    for (std::uint32_t r = 0; r < taken.size(); ++r) taken[r] = r;
    structure::Incidence g = incidence(*s, taken, is_unknown);
    structure::Matching m = matching_;  // the dynamic one: it leaves just the states free
    m.of_row.resize(g.rows(), structure::free_end);
    for (std::uint32_t r = static_cast<std::uint32_t>(system_->rows.size()); r < g.rows(); ++r) {
      const std::uint32_t own = bound_parameter_[r - system_->rows.size()];  // each binding gives its parameter
      m.of_row[r] = own;
      m.of_column[own] = r;
      ++m.size;
    }
    std::vector<std::uint32_t> mark(s->variables(), 0);
    std::uint32_t stamp = 0;
    const auto offer = [&](std::uint32_t row) {
      std::vector<std::uint32_t> columns;
      s->columns(s->rows[row], columns);
      std::erase_if(columns, [&](std::uint32_t c) { return !is_unknown[c]; });
      g.add_row(columns);
      const bool fits = structure::augment(g, g.rows() - 1, m, {}, mark, ++stamp);
      taken.push_back(row);
      if (fits) return true;
      taken.pop_back();  // put the graph back
      g.begin.pop_back();
      g.column.resize(g.begin.back());
      m.of_row.resize(g.rows());
      return false;
    };
    for (std::uint32_t k = 0; k < a_->flat.initial_equations.size(); ++k) {
      const auto& eq = a_->flat.initial_equations[k];
      SystemRow meta;
      meta.origin = none;
      add_row(*s, eq.form, a_->flat.bound(eq), meta);
      if (!offer(static_cast<std::uint32_t>(s->rows.size() - 1))) too_many("the initial equation `" + model::initial_label(a_->flat, k) + "`", {});
      else ++a_->initial_equations;
    }
    std::vector<bool> done(s->variables(), false);
    for (std::uint32_t v : table_->fixed()) {
      const Representative& r = s->representative[v];
      if (r.sign == 0 || done[r.root.value]) continue;
      done[r.root.value] = true;
      add_start(*s, v, v);
      if (!offer(static_cast<std::uint32_t>(s->rows.size() - 1)))
        too_many("`" + model::name(a_->flat, VarId{v}) + "(fixed)`", place(a_->flat, VarId{v}));
      else ++a_->initial_equations;
    }
    for (const State& st : a_->states) {
      if (done[st.variable.value]) continue;
      const VariableInfo& i = (*table_)[st.variable.value];
      add_start(*s, i.start_slot == none ? st.variable.value : i.start_slot, i.start_slot);
      if (!offer(static_cast<std::uint32_t>(s->rows.size() - 1))) s->rows.pop_back();
    }
    if (a_->diagnostics.has_errors()) return;
    emit_initial(s, g, m, taken);
  }

  // parameter(fixed = false) is an unknown of the initialisation, and so is every parameter bound to an expression of one.
  void find_free_parameters() {
    is_free_.assign(a_->flat.slots, false);
    for (std::uint32_t v = 0; v < a_->flat.slots; ++v)
      if ((a_->flat.flags[v] & SlotFlag::free) && a_->flat.variability[v] == model::Variability::parameter) {
        is_free_[v] = true;
        free_.push_back(v);
      }
    if (free_.empty()) return;
    for (bool more = true; more;) {
      more = false;
      for (std::uint32_t v = 0; v < a_->flat.slots; ++v) {
        const auto* b = is_free_[v] ? nullptr : bindings_->find(model::BindingKind::value, v);
        if (!b || a_->flat.variability[v] != model::Variability::parameter) continue;
        const auto ops = bindings_->operands(*b);
        const bool depends = std::any_of(ops.begin(), ops.end(), [&](Operand o) {
          return o.kind() == OperandKind::value && o.index() < a_->flat.slots && is_free_[o.index()];
        });
        if (!depends) continue;
        is_free_[v] = more = true;
        bound_parameter_.push_back(v);
      }
    }
  }

  void free_parameters(System& s) {
    for (std::uint32_t v : free_) s.unknown[v] = 1;
    for (std::uint32_t v : bound_parameter_) s.unknown[v] = 1;
    model::Exprs& e = model::forms().exprs();
    for (std::uint32_t v : bound_parameter_) {  // v - value = 0
      const auto* b = bindings_->find(model::BindingKind::value, v);
      const auto n = model::forms().arity(b->form);
      const model::FormId form =
          model::forms().intern_placeholders(e.sub(model::forms().root(model::forms().unmarked(b->form)), e.placeholder(n)));
      std::vector<Operand> ops(bindings_->operands(*b).begin(), bindings_->operands(*b).end());
      ops.push_back(Operand::value(model::SlotId{v}));
      SystemRow meta;
      meta.origin = none;
      add_row(s, form, ops, meta);
    }
  }

  // variable = its start value. Without a start value: = 0.
  void add_start(System& s, std::uint32_t variable, std::uint32_t start_slot) {
    model::Exprs& e = model::forms().exprs();
    SystemRow meta;
    meta.origin = none;
    static const model::FormId with = model::forms().intern_placeholders(e.sub(e.placeholder(0), e.placeholder(1)));
    static const model::FormId without = model::forms().intern_placeholders(e.placeholder(0));
    if (start_slot != none) {
      const Operand ops[] = {Operand::value(model::SlotId{variable}), Operand::start(model::SlotId{start_slot})};
      add_row(s, with, ops, meta);
    } else {
      const Operand ops[] = {Operand::value(model::SlotId{variable})};
      add_row(s, without, ops, meta);
    }
  }

  bool determined(const structure::Matching& m, std::uint32_t v) {
    if (m.of_column[v] != structure::free_end) return true;
    auto& d = a_->diagnostics.error("E0310", place(a_->flat, VarId{v}),
                                    "no initial equation determines the parameter `" + model::name(a_->flat, VarId{v}) + "(fixed = false)`");
    d.help = "write an `initial` equation for it, or give it a value";
    return false;
  }

  void too_many(const std::string& what, Span at) {
    auto& d = a_->diagnostics.error("E0311", at, "too many initial conditions: " + what + " is one more than the model leaves free");
    d.help = "take it or another initial condition out";
  }

  void emit_initial(const std::shared_ptr<System>& s, const structure::Incidence& g, const structure::Matching& m,
                    const std::vector<std::uint32_t>& rows) {
    std::vector<std::uint32_t> wanted;
    for (const State& st : a_->states) wanted.push_back(st.variable.value);
    wanted.insert(wanted.end(), free_.begin(), free_.end());
    // Only what the states need is solved; the rest would repeat the dynamic problem.
    const SortedProblem p = restricted(*s, sorted(*s, g, m, rows), wanted);
    auto tape = std::make_shared<code::Builder>();
    ParameterRefs parameters(*s, *bindings_, *inputs_, *tape, keep_.templates, a_->diagnostics);
    const std::vector<std::uint32_t> no_states(s->variables(), none);
    Emitted e = Emitter(*s, *table_, parameters, *tape, keep_.templates, keep_.memory, a_->diagnostics).run(p, no_states, options_, true);
    a_->initial_blocks = std::move(e.blocks);
    initial_system_ = s;
    for (const State& st : a_->states) initial_roots_.push_back(e.variable[st.variable.value]);
    for (std::uint32_t v : free_) {
      if (!determined(m, v)) continue;
      auto [it, is_new] = inputs_->parameter_of.emplace(v, static_cast<std::uint32_t>(inputs_->parameters.size()));
      if (is_new) inputs_->parameters.push_back(v);
      a_->free_parameters.push_back(it->second);
      initial_roots_.push_back(e.variable[v]);
    }
    a_->initial_tape = tape;
  }

  // ---- programs -------------------------------------------------------------------------------------------------------------

  void compile() {
    code::Roots roots;
    for (const State& st : a_->states) {
      const std::uint32_t v = st.variable.value, d = system_->derivative[v];
      const Ref r = a_->variable_ref[d];
      roots.derivative.push_back(system_->derivative_sign[v] < 0 ? -r : r);
    }
    for (std::uint32_t v = 0; v < system_->variables(); ++v)
      if (is_unknown_[v]) {
        a_->output_of[v] = static_cast<std::uint32_t>(a_->output_variables.size());
        a_->output_variables.push_back(VarId{v});
        roots.output.push_back(a_->variable_ref[v]);
      }
    for (const CheckedAssertion& x : a_->assertions) {
      roots.output.push_back(x.condition);
      roots.output.insert(roots.output.end(), x.values.begin(), x.values.end());
    }
    for (auto kind : {code::InputKind::parameter, code::InputKind::start, code::InputKind::signal, code::InputKind::discrete})
      roots.inputs[static_cast<std::size_t>(kind)] = static_cast<std::uint32_t>(input_list(kind).size());
    roots.inputs[static_cast<std::size_t>(code::InputKind::state)] = static_cast<std::uint32_t>(a_->states.size());
    sections(roots.derivative);
    a_->phases.solve += watch_.lap();
    a_->program = code::compile(*a_->tape, roots);
    code::Roots initial;
    initial.inputs = roots.inputs;
    initial.inputs[static_cast<std::size_t>(code::InputKind::state)] = 0;
    initial.derivative = initial_roots_;
    a_->initial_program = code::compile(*a_->initial_tape, initial);
    a_->phases.code = watch_.lap();
  }

  const std::vector<std::uint32_t>& input_list(code::InputKind k) const {
    switch (k) {
      case code::InputKind::parameter: return inputs_->parameters;
      case code::InputKind::start: return inputs_->starts;
      case code::InputKind::signal: return inputs_->signals;
      default: return inputs_->discretes;
    }
  }

  void sections(const std::vector<Ref>& derivative) {
    const std::vector<bool> live = live_nodes(*a_->tape, derivative);
    for (Block& b : a_->blocks) {
      bool is_dynamic = false, is_live = false;
      for (VarId v : b.unknowns) {
        const Ref r = a_->variable_ref[v.value];
        is_dynamic = is_dynamic || a_->tape->section(r) == code::Section::dynamic;
        is_live = is_live || live[r.node()];
      }
      b.section = !is_dynamic ? "parameter" : is_live ? "dynamic" : "output";
    }
  }

  void reuse() {
    Reuse& r = a_->reuse;
    std::unordered_set<std::uint64_t> blocks, rows;
    r.equations_total = a_->flat.equations.size();
    for (const SystemRow& row : system_->rows) {
      const std::uint64_t k = row_key(*system_, row);
      rows.insert(k);
      r.equations_changed += !keep_.row_keys.contains(k);
    }
    for (const Block& b : a_->blocks) {
      blocks.insert(b.key);
      if (keep_.block_keys.contains(b.key)) {
        ++r.blocks_reused;
      } else {
        ++r.blocks_rebuilt;
        if (r.reasons.size() < 8)
          r.reasons.push_back("the block of `" + name(*system_, b.unknowns[0].value) + "` has new equations or unknowns");
      }
    }
    for (const auto* pair : {&keep_.program, &keep_.initial_program}) {
      const auto& now = pair == &keep_.program ? a_->program : a_->initial_program;
      if (!now) continue;
      if (*pair && code::fingerprint(**pair) == code::fingerprint(*now)) ++r.code_reused;
      else ++r.code_rebuilt;
    }
    keep_.block_keys = std::move(blocks);
    keep_.row_keys = std::move(rows);
    keep_.program = a_->program;
    keep_.initial_program = a_->initial_program;
  }

  Engine::Data& keep_;
  const Options& options_;
  std::shared_ptr<Analysis> a_;
  std::shared_ptr<System> system_, initial_system_;
  std::unique_ptr<Bindings> bindings_;
  std::unique_ptr<Numbers> numbers_;
  std::unique_ptr<VariableTable> table_;
  std::shared_ptr<InputNumbers> inputs_;
  std::map<std::uint32_t, double> no_overrides_;
  std::vector<std::uint32_t> state_input_;
  std::vector<bool> is_unknown_;
  std::vector<bool> is_free_;  // by slot: in free_ or bound_parameter_
  structure::Incidence graph_;
  structure::Matching matching_;
  std::vector<Ref> initial_roots_;
  std::vector<std::uint32_t> free_, bound_parameter_;  // slots: parameters that the initialisation determines
  Stopwatch watch_;
};

}  // namespace

std::shared_ptr<const Analysis> Engine::analyse(std::shared_ptr<const model::Blueprint> top, const Options& options) {
  return Line(*data_, options).run(std::move(top));
}

std::string name(const Analysis& a, VarId v) { return name(*a.system, v.value); }

// ---- numbers for a run ------------------------------------------------------------------------------------------------------------

namespace {

// Parameters, starts and nominal values that are infinite or no number: those that are so by their own expression.
void check_finite(const FlatModel& m, const Bindings& bindings, Numbers& numbers, const std::map<std::uint32_t, double>& overrides,
                  Diagnostics& diagnostics) {
  const auto tell = [&](const std::string& what, double x, Span place) {
    auto& d = diagnostics.error("E0411", place, what + (std::isnan(x) ? " is not a number" : " is infinite"));
    d.help = "a division by zero, a number over 1e308, or a function outside its domain gives this";
  };
  const auto finite_operands = [&](const FlatModel::FlatBinding& b) {
    const auto ops = bindings.operands(b);
    return std::all_of(ops.begin(), ops.end(), [&](Operand o) { return std::isfinite(numbers.operand(o)); });
  };
  for (const FlatModel::FlatBinding& b : m.bindings) {
    if (&b != bindings.find(b.kind, b.slot)) continue;  // another one wins
    const std::string_view attribute = b.kind == model::BindingKind::start ? "the start value of " : "the nominal value of ";
    if (b.kind == model::BindingKind::value) {
      if (m.variability[b.slot] > model::Variability::parameter || overrides.contains(b.slot)) continue;
      if (const double x = numbers.value(b.slot); !std::isfinite(x) && finite_operands(b))
        tell("the parameter `" + model::name(m, VarId{b.slot}) + "`", x, b.span);
    } else if (b.kind == model::BindingKind::start || b.kind == model::BindingKind::nominal) {
      if (const auto x = numbers.bound(b.kind, b.slot); !std::isfinite(*x) && finite_operands(b))
        tell(std::string(attribute) + "`" + model::name(m, VarId{b.slot}) + "`", *x, b.span);
    }
  }
  for (const auto& [slot, x] : overrides)
    if (!std::isfinite(x)) tell("the parameter `" + model::name(m, VarId{slot}) + "`", x, place(m, VarId{slot}));
}

simulate::AssertionText text_of(const FlatModel& m, const FlatModel::FlatAssertion& a) {
  const model::Assertion& s = statement(m, a);
  const std::string path = model::path(m, a.instance);
  simulate::AssertionText text{path.empty() ? s.text : "`" + path + "`: " + s.text, {}, {print(m, a.condition), s.span}};
  for (const model::FlatEquation& v : a.values) text.values.push_back(print(m, v));
  return text;
}

// The assertions that parameters alone decide.
void check_assertions(const Analysis& a, Numbers& numbers, Diagnostics& diagnostics) {
  const FlatModel& m = a.flat;
  const auto value = [&](const model::FlatEquation& x) {
    const auto ops = m.bound(x);
    return evaluate(model::forms().root(model::forms().unmarked(x.form)), [&](std::uint32_t k) { return numbers.operand(ops[k]); });
  };
  for (std::uint32_t k : a.fixed_assertions) {
    const FlatModel::FlatAssertion& x = m.assertions[k];
    if (value(x.condition) != 0) continue;
    const simulate::AssertionText text = text_of(m, x);
    auto& d = diagnostics.error(simulate::code_of(simulate::Trouble::assertion), text.origin.place, text.message);
    d.label = "`" + text.origin.equation + "` does not hold";
    for (std::size_t i = 0; i < x.values.size(); ++i) d.notes.push_back({{}, "`" + text.values[i] + "` is " + kron::to_text(value(x.values[i]))});
  }
}

simulate::Origin origin(const Analysis& a, const Block& b, std::uint32_t row) {
  const EqId e = b.equations[row];
  return {b.equation_labels[row], e.value == none ? Span{} : place(a.flat, e)};
}

// The equation that a block solves for the variable; of a block solved as a whole its first one.
simulate::Origin origin(const Analysis& a, const std::vector<Block>& blocks, VarId v) {
  for (const Block& b : blocks) {
    if (std::find(b.unknowns.begin(), b.unknowns.end(), v) == b.unknowns.end()) continue;
    for (const auto& [row, unknown] : b.pivots)
      if (b.unknowns[unknown] == v) return origin(a, b, row);
    return origin(a, b, 0);
  }
  return {};
}

// The derivative of a state, or where that is a state too, the first one in the chain that is none.
VarId driver(const Analysis& a, VarId state) {
  std::uint32_t v = state.value;
  for (std::size_t k = 0; k < a.states.size() && a.system->state[v]; ++k) v = a.system->derivative[v];
  return VarId{v};
}

}  // namespace

simulate::Problem Engine::problem(std::shared_ptr<const Analysis> a, const std::map<std::uint32_t, double>& overrides,
                                  Diagnostics& diagnostics) {
  simulate::Problem p;
  p.dynamics = a->program;
  p.initial = a->initial_program;
  const Bindings bindings(a->flat);
  Numbers numbers(a->flat, bindings, overrides, &diagnostics);
  const InputNumbers& in = *a->inputs_of_tape;
  const auto exact_of = [&](model::BindingKind kind, std::uint32_t slot, double value) {
    const auto* b = bindings.find(kind, slot);
    if (b && !overrides.contains(slot))
      if (auto r = bindings.exact_constant(*b)) return *r;
    return std::isfinite(value) ? exact(value) : Rational(0);
  };
  for (std::uint32_t s : in.parameters) {
    p.parameters.push_back(numbers.value(s));
    p.exact_parameters.push_back(exact_of(model::BindingKind::value, s, p.parameters.back()));
  }
  for (std::uint32_t s : in.starts) {
    p.starts.push_back(numbers.start(s));
    p.exact_starts.push_back(exact_of(model::BindingKind::start, s, p.starts.back()));
  }
  for (std::uint32_t s : in.signals) {
    p.signals.push_back(numbers.start(s));
    p.exact_signals.push_back(exact_of(model::BindingKind::start, s, p.signals.back()));
  }
  check_finite(a->flat, bindings, numbers, overrides, diagnostics);
  if (!diagnostics.has_errors()) check_assertions(*a, numbers, diagnostics);
  const VariableTable table(*a->system, bindings, numbers);
  for (const State& s : a->states) p.nominal.push_back(table[s.variable.value].nominal);
  p.free_parameters = a->free_parameters;
  if (p.dynamics) p.choices = state_choices(*a, numbers);
  auto root = static_cast<std::uint32_t>(a->output_variables.size());
  for (const CheckedAssertion& x : a->assertions) {
    const auto values = static_cast<std::uint32_t>(x.values.size());
    p.assertions.push_back({root, values, a->tape->section(x.condition) == code::Section::dynamic});
    root += 1 + values;
  }
  p.assertion_text = [a](std::size_t k) { return text_of(a->flat, a->flat.assertions[a->assertions[k].assertion]); };
  p.state_name = [a](std::size_t k) { return name(*a, a->states[k].variable); };
  p.output_name = [a](std::size_t k) { return name(*a, a->output_variables[k]); };
  p.output_origin = [a](std::size_t k) { return origin(*a, a->blocks, a->output_variables[k]); };
  p.start_origin = [a](std::size_t k) { return origin(*a, a->initial_blocks, a->states[k].variable); };
  p.derivative_origin = [a](std::size_t k) { return origin(*a, a->blocks, driver(*a, a->states[k].variable)); };
  for (VarId v : a->output_variables) p.output_order.push_back(a->block_of[v.value]);
  p.block_origin = [a](bool initial, std::uint32_t block) {
    const auto& blocks = initial ? a->initial_blocks : a->blocks;
    return block < blocks.size() ? origin(*a, blocks[block], 0) : simulate::Origin{};
  };
  p.block_unknowns = [a](bool initial, std::uint32_t block) {
    std::vector<std::string> names;
    const auto& blocks = initial ? a->initial_blocks : a->blocks;
    if (block >= blocks.size()) return names;
    for (VarId v : blocks[block].torn.empty() ? blocks[block].unknowns : blocks[block].torn) names.push_back(name(*a, v));
    return names;
  };
  return p;
}

}  // namespace kron::session
