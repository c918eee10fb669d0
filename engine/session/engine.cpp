#include <algorithm>
#include <chrono>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "engine/session/combine.hpp"
#include "engine/session/discrete.hpp"
#include "engine/session/engine_data.hpp"
#include "engine/session/initialise.hpp"
#include "engine/session/parallel_axes.hpp"
#include "engine/session/programs.hpp"
#include "engine/session/redundancy.hpp"
#include "engine/session/sorting.hpp"

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

std::string_view to_text(BlockSection s) {
  constexpr std::array<std::string_view, 4> texts{"", "parameter", "dynamic", "output"};
  return texts[static_cast<std::size_t>(s)];
}

const Solving& Block::how() const {
  static const Solving one_assignment = [] {
    Solving s;
    s.pivots = {Pivot{0, 0}};
    return s;
  }();
  return solving ? *solving : one_assignment;
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

}  // namespace

Engine::Engine() : data_(std::make_unique<Data>()) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

namespace {

// What is the same as in the analysis before, whose marks become those of this one.
Reuse compare(const Analysis& a, Marks& before, Reuse r) {
  Marks now;
  now.blocks.reserve(a.blocks.size());
  now.rows.reserve(a.system->rows.size());
  r.equations_total = a.flat.equations.size();
  for (const SystemRow& row : a.system->rows) {
    now.rows.insert(row.key);
    r.equations_changed += !before.rows.contains(row.key);
  }
  for (const Block& b : a.blocks) {
    now.blocks.insert(b.key);
    if (before.blocks.contains(b.key)) {
      ++r.blocks_reused;
    } else {
      ++r.blocks_rebuilt;
      r.equations_solved += b.equations.size() + b.how().followers.size();
      if (r.rebuilt.size() < 8) r.rebuilt.push_back(b.unknowns[0]);
    }
  }
  if (a.complete) {
    now.programs = {code::fingerprint(*a.program), code::fingerprint(*a.initial_program)};
    for (std::size_t k = 0; k < now.programs.size(); ++k) ++(now.programs[k] == before.programs[k] ? r.code_reused : r.code_rebuilt);
  } else {  // what is kept is still that of the last model that was complete
    if (a.blocks.empty()) now.blocks = std::move(before.blocks);
    now.programs = std::move(before.programs);
  }
  before = std::move(now);
  return r;
}

// One analysis, stage by stage.
class Line {
 public:
  Line(Engine::Data& keep, const Options& options) : keep_(keep), options_(options), a_(std::make_shared<Analysis>()) {
    a_->options = options;
  }

  std::shared_ptr<const Analysis> run(std::shared_ptr<const model::Blueprint> top) {
    Stopwatch total;
    if (keep_.emission.of)
      copy_ = keep_.helper.run([tape = keep_.emission.of->tape] { return std::make_shared<code::Builder>(*tape); });
    a_->flat = model::flatten(std::move(top), a_->diagnostics, keep_.before ? &keep_.before->flat : nullptr);
    if (a_->flat.hybrid()) discrete_ = std::make_shared<const DiscreteOrder>(sort_discrete(a_->flat, a_->diagnostics));
    a_->flat.axes = parallel_axes(a_->flat, false);
    a_->phases.flatten = watch_.lap();
    const Diagnostics of_flattening = a_->diagnostics;
    if (options_.closed_with) {
      a_->flat.axes = parallel_axes(a_->flat, true, *options_.closed_with);
      repeats_.closings.look_for_open(a_->flat);
    }
    while (!reduce_and_solve()) start_over(of_flattening);
    if (a_->diagnostics.has_errors() && fix_all_axes()) {
      start_over(of_flattening);
      while (!reduce_and_solve()) start_over(of_flattening);
    }
    if (a_->diagnostics.has_errors()) look_at_assertions(of_flattening);
    a_->complete = !a_->diagnostics.has_errors();
    if (a_->complete) {
      compile();
      compile_initial();
    }
    if (repeats_.closings.where_closed()) a_->left_open = repeats_.closings.open();
    repeats_.closings.restore(a_->flat);
    reuse(total.lap());
    keep_.before = a_;
    return a_;
  }

  // The dynamics of `before` once more, with pivots for a point of a run. Null: no other ones, or the numbers of inputs differ.
  std::shared_ptr<const code::Program> run_for(const Analysis& before, const simulate::OperatingPoint& point) {
    before_ = &before;
    point_ = &point;
    a_->flat = model::flatten(before.flat.top, a_->diagnostics);
    a_->flat.axes = parallel_axes(a_->flat, before.flat.axes.all, options_.closed_with.value_or(Overrides{}));
    if (options_.closed_with) repeats_.closings.found(before.left_open, true);
    if (a_->flat.hybrid()) discrete_ = std::make_shared<const DiscreteOrder>(sort_discrete(a_->flat, a_->diagnostics));
    while (!reduce_and_solve()) start_over({});
    if (a_->diagnostics.has_errors() || inputs_->parameters.size() > before.inputs_of_tape->parameters.size() || !has_states_of(before)) return nullptr;
    const code::Roots roots = with_inputs(*a_, roots_of_dynamics(*a_, is_unknown_));
    const auto alike = [&](auto list) { return (roots.*list).size() == (before.roots.*list).size(); };
    if (!alike(&code::Roots::derivative) || !alike(&code::Roots::output) || !alike(&code::Roots::event)) return nullptr;
    auto program = code::compile(*a_->tape, roots, keep_.machine_code);
    return code::fingerprint(*program) == code::fingerprint(*before.program) ? nullptr : program;
  }

 private:
  // False: a block's rank turned out to be short, and a combination of its rows, or a row of a loop that follows from them, was found that
  // shows it, or closing equations are to be looked at; all this again with it.
  bool reduce_and_solve() {
    repeats_.closings.turn(a_->flat);
    repeats_.numbers = options_.closed_with ? &*options_.closed_with : nullptr;
    std::shared_ptr<System> system;
    keep_.helper.beside([&] { system = std::make_shared<System>(reduce(a_->flat, a_->diagnostics, keep_.aliases, repeats_.closings)); },
                        [&] { a_->bindings = std::make_shared<const Bindings>(a_->flat); });
    repeats_.bindings = a_->bindings.get();
    combinations_.apply(*system);
    system->discrete = discrete_;
    system->open_choice = options_.open_choice;
    system->undivided = undivided_;
    system_ = system;
    a_->system = system;
    a_->phases.match += watch_.lap();
    const Closings::Look look = repeats_.closings.look();
    const bool solvable = !a_->diagnostics.has_errors() && reduce_index(*system, a_->diagnostics, repeats_);
    a_->phases.index += watch_.lap();
    if (repeats_.closings.look() != look) return false;
    copy_reduction();
    if (solvable && !sort_and_solve()) return false;
    if (!a_->diagnostics.has_errors() || system_->divided.empty()) return true;
    undivided_ = true;  // whatever it is, the sets' pieces are not to blame then
    return false;
  }

  // From the beginning, with the numbers of all axes. False: there are no more than before.
  bool fix_all_axes() {
    if (!a_->flat.axes.oblique) return false;
    FlatModel::Axes all = parallel_axes(a_->flat, true);
    if (all.fixed == a_->flat.axes.fixed) return false;
    repeats_.closings.restore(a_->flat);
    a_->flat.axes = std::move(all);
    repeats_ = {};
    combinations_ = {};
    offered_ = 0;
    return true;
  }

  // Parameters that an assertion forbids may be what leaves a block singular: then it says why.
  void look_at_assertions(const Diagnostics& of_flattening) {
    if (a_->fixed_assertions.empty()) return;
    Diagnostics told = of_flattening;
    check_assertions(*a_, *numbers_, told);
    if (told.error_count() > of_flattening.error_count()) a_->diagnostics = std::move(told);
  }

  void start_over(const Diagnostics& of_flattening) {
    auto next = std::make_shared<Analysis>();
    next->flat = std::move(a_->flat);
    next->diagnostics = of_flattening;
    next->phases = a_->phases;
    a_ = std::move(next);
  }

  void copy_reduction() {
    a_->representative = system_->representative;
    a_->equation_used = system_->equation_used;
    a_->aliases = system_->aliases;
    a_->block_of.assign(system_->variables(), none);
    a_->output_of.assign(system_->variables(), none);
    for (std::uint32_t k = 0; k < system_->rows.size(); ++k) {
      const SystemRow& r = system_->rows[k];
      if (r.next != none) continue;
      std::uint32_t first = k;
      while (system_->rows[first].previous != none) first = system_->rows[first].previous;
      const std::string combined = combinations_.explanation(first);
      if (r.times > 0 || !combined.empty())
        a_->differentiated.push_back({model::label(a_->flat, EqId{r.origin}), r.times,
                                      (combined.empty() ? "it constrains variables whose derivatives appear" : combined) + why_dynamic(r.origin)});
    }
    for (std::uint32_t v = 0; v < a_->flat.slots; ++v)
      if ((a_->flat.flags[v] & SlotFlag::input) && a_->flat.variability[v] == model::Variability::continuous)
        a_->inputs.push_back(VarId{v});
  }

  std::string why_dynamic(std::uint32_t origin) const {
    for (const DynamicSet& set : system_->sets) {
      if (set.level > 0 || std::none_of(set.rows.begin(), set.rows.end(), [&](std::uint32_t r) { return system_->rows[r].origin == origin; }))
        continue;
      std::string list;
      for (std::size_t k = 0; k < set.candidates.size() && k < 4; ++k) list += (k > 0 ? ", " : "") + name(*system_, set.candidates[k]);
      return "; how they depend on each other varies, so which of " + list + (set.candidates.size() > 4 ? ", …" : "") +
             (set.states() == 1 ? " is a state" : " are states") + " is chosen at run time";
    }
    return {};
  }

  bool sort_and_solve() {
    match_dynamics();
    const auto list = [&] {
      numbers_ = std::make_unique<Numbers>(a_->flat, *a_->bindings, no_overrides_);
      table_ = std::make_unique<VariableTable>(*system_, *a_->bindings, *numbers_);
      list_states();
      list_sets();
      initialisation_ = std::make_unique<Initialisation>(*a_, *system_, *a_->bindings, *table_);
    };
    SortedProblem p;
    keep_.helper.beside(list, [&] {
      if (matched_) p = sorted(*system_, graph_, matching_, rows_);
    });
    Later<std::shared_ptr<System>> rows;  // those that the initial problem begins with
    if (!point_) rows = keep_.helper.run([all = std::shared_ptr<const System>(system_), n = a_->states.size()] { return with_room(*all, n); });
    if (!dynamic_problem(std::move(p))) return false;
    if (!a_->diagnostics.has_errors() && !point_) initialisation_->run(rows.get(), matching_, *inputs_, keep_.templates, keep_.memory, options_);
    return true;
  }

  void list_states() {
    state_input_.assign(system_->variables(), none);
    set_input_.clear();
    for (std::uint32_t v = 0; v < system_->variables(); ++v) {
      if (system_->dummy[v]) a_->dummy.push_back(VarId{v});
      if (!system_->state[v]) continue;
      state_input_[v] = static_cast<std::uint32_t>(a_->states.size());
      const VariableInfo& i = (*table_)[v];
      a_->states.push_back({VarId{v}, i.start_slot, i.start_sign, i.fixed, -1});
    }
  }

  void list_sets() {
    for (const DynamicSet& set : system_->sets) {
      StateSet s;
      for (std::uint32_t v : set.candidates) s.candidates.push_back(VarId{v});
      s.slots = set.states();
      s.first = static_cast<std::uint32_t>(a_->states.size());
      s.selection = set.selection;
      s.level = set.level;
      s.because = label(*system_, system_->rows[set.rows.front()]);
      set_input_.push_back(s.first);
      for (std::uint32_t k = 0; k < s.slots; ++k) a_->states.push_back({s.candidates[k], none, 1, false, static_cast<int>(a_->sets.size())});
      a_->sets.push_back(std::move(s));
    }
  }

  void match_dynamics() {
    rows_.resize(system_->rows.size());
    std::iota(rows_.begin(), rows_.end(), 0u);
    is_unknown_.assign(system_->variables(), false);
    std::size_t unknowns = 0;
    for (std::uint32_t v = 0; v < system_->variables(); ++v) {
      is_unknown_[v] = system_->unknown[v] && system_->is_root(v) && !system_->state[v];
      unknowns += is_unknown_[v];
    }
    if (matched_already()) {
      graph_ = std::move(system_->regular);
      matching_ = std::move(system_->regular_matching);
    } else {
      graph_ = incidence(*system_, rows_, is_unknown_);
      matching_ = structure::match(graph_);
    }
    matched_ = matching_.size == rows_.size() && matching_.size == unknowns;
    a_->phases.match += watch_.lap();
  }

  bool dynamic_problem(SortedProblem p) {
    if (!matched_) {
      unmatched();
      return true;
    }
    p.wanted = wanted(p);
    p.assertions = changing_assertions();
    if (repeats_.closings.where_closed()) p.closings = repeats_.closings.to_watch(a_->flat);
    a_->phases.blt = watch_.lap();
    auto tape = std::make_shared<code::Builder>();
    auto inputs = point_ ? std::make_shared<InputNumbers>(*before_->inputs_of_tape) : std::make_shared<InputNumbers>();
    inputs_ = inputs;
    a_->inputs_of_tape = inputs;
    ParameterRefs parameters(*system_, *a_->bindings, *inputs_, *tape, keep_.templates, a_->diagnostics);
    Emitter emitter(*system_, *table_, parameters, *tape, keep_.templates, keep_.memory, a_->diagnostics);
    if (point_)
      emitter.here({point_->inputs, [this](std::uint32_t v) { return value_before(v); }, *before_, point_->blocks});
    else
      emitter.resume(keep_.emission, *a_->bindings, *inputs, keep_.helper, std::exchange(copy_, {}));
    Emitted e = emitter.run(p, state_input_, set_input_, options_, false);
    if (!e.singular.empty() && (repeats_.closings.look_for_open(a_->flat) || repeats_.closings.close_again())) return false;
    for (const SingularBlock& b : e.singular)
      if (combinations_.find(*system_, b, *a_->bindings, keep_.templates, a_->diagnostics)) return false;
    for (const SingularBlock& b : e.singular)
      if (!a_->diagnostics.has_errors() && repeated_in_loop(b)) return false;
    for (const SingularBlock& b : e.singular)
      if (!a_->diagnostics.has_errors()) emitter.diagnose(b);
    a_->blocks = std::move(e.blocks);
    a_->variable_ref = std::move(e.variable);
    a_->assertions = std::move(e.assertions);
    a_->event_roots = std::move(e.events.roots);
    a_->waves = std::move(e.waves);
    a_->events = std::move(e.events.model);
    a_->tape = tape;
    for (std::uint32_t b = 0; b < a_->blocks.size(); ++b)
      for (VarId v : a_->blocks[b].unknowns) a_->block_of[v.value] = b;
    blocks_kept_ = e.kept;
    if (point_) return true;
    keep_.emission = e.emitted.empty() ? Emission{} : Emission{e.surroundings, std::move(e.emitted), parameters.computed(), std::move(e.early), std::move(e.whole), a_};
    if (!a_->diagnostics.has_errors()) begin_to_compile(std::move(e.beginning));
    a_->phases.solve += watch_.lap();
    return true;
  }

  // The same states in the same order, sets too: what was chosen may hang on what blocks turned out to be.
  bool has_states_of(const Analysis& before) const {
    const auto same = [](const State& x, const State& y) { return x.variable == y.variable && x.set == y.set; };
    const auto alike = [](const StateSet& x, const StateSet& y) { return x.candidates == y.candidates && x.first == y.first && x.slots == y.slots; };
    return std::ranges::equal(a_->states, before.states, same) && std::ranges::equal(a_->sets, before.sets, alike);
  }

  double value_before(std::uint32_t variable) const {
    const std::uint32_t k = variable < before_->output_of.size() ? before_->output_of[variable] : none;
    return k == none ? std::nan("") : point_->outputs[k];
  }

  // The rows and unknowns are those that index reduction has matched.
  bool matched_already() const {
    if (system_->regular.rows() != system_->rows.size() || system_->regular.columns != system_->variables()) return false;
    for (std::uint32_t v = 0; v < system_->variables(); ++v)
      if (is_unknown_[v] != (system_->unknown[v] && system_->is_root(v) && system_->derivative[v] == none)) return false;
    return true;
  }

  // Rows of a loop that may go for this block's sake. False: there are none, or the ones offered for the blocks before could not go.
  bool repeated_in_loop(const SingularBlock& b) {
    if (offered_ > repeats_.leave_out.size()) return false;
    std::vector<std::uint32_t> rows;
    for (std::uint32_t k : b.what.rows) rows.push_back(b.rows[k]);
    repeats_.candidates = spare_rows(*system_, repeats_, rows);
    ++offered_;
    return !repeats_.candidates.empty();
  }

  // Those that more than parameters decide; Engine::problem looks at the others.
  std::vector<std::uint32_t> changing_assertions() {
    const auto known = [&](Operand o) {
      if (o.kind() == OperandKind::constant || o.kind() == OperandKind::start) return true;
      return o.kind() == OperandKind::value && o.index() < a_->flat.slots && !initialisation_->is_free(o.index()) &&
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
    for (const StateSet& s : a_->sets)
      for (VarId v : s.candidates) w[system_->derivative[v.value]] = true;
    std::vector<std::uint32_t> block_of(system_->variables(), none);
    for (std::uint32_t b = p.blocks(); b-- > 0;) {
      const auto begin = p.block_begin[b], end = p.block_begin[b + 1];
      bool any = false;
      for (std::uint32_t k = begin; k < end; ++k) {
        any = any || w[p.block_unknown[k]];
        block_of[p.block_unknown[k]] = b;
      }
      for (std::uint32_t k = begin; any && k < end; ++k)
        for (std::uint32_t c : system_->columns(system_->rows[p.block_row[k]]))
          if (block_of[c] != b) w[c] = true;
    }
    return w;
  }

  void unmatched() {
    for (std::uint32_t r = 0; r < rows_.size(); ++r)
      if (matching_.of_row[r] == structure::free_end) {
        auto& d = a_->diagnostics.error("E0303", place(a_->flat, EqId{system_->rows[rows_[r]].origin}),
                                        "after index reduction `" + label(*system_, system_->rows[rows_[r]]) +
                                            "` determines nothing");
        d.help = "the model may be over-determined at some level of differentiation";
        return;
      }
    a_->diagnostics.error("E0303", {}, "after index reduction some variables are not determined");
  }

  // ---- programs -------------------------------------------------------------------------------------------------------------

  // Beside what is left to do until somebody asks for the program: the initial problem, and the numbers.
  void begin_to_compile(code::Beginning beginning) {
    const auto lowered = keep_.helper.run([&compiler = keep_.compiler, tape = a_->tape, beginning = std::move(beginning)] {
      compiler.lower(tape, beginning);
      return true;
    });
    roots_ = std::make_shared<const code::Roots>(roots_of_dynamics(*a_, is_unknown_));
    ordered_ = keep_.helper.run([&compiler = keep_.compiler, roots = roots_, lowered] {
      if (lowered.get()) compiler.order(*roots);
      return true;
    });
  }
  void compile() {
    a_->roots = with_inputs(*a_, *roots_);
    const std::shared_ptr<const Analysis> now = a_;
    a_->program = keep_.helper.run([&compiler = keep_.compiler, ordered = ordered_, now, cache = keep_.machine_code] {
      return ordered.get() ? compiler.lay_out(now->roots, cache) : nullptr;
    });
  }

  void compile_initial() {
    code::Roots initial;
    initial.inputs = a_->roots.inputs;
    initial.inputs[static_cast<std::size_t>(code::InputKind::state)] = initialisation_->pinned().inputs;
    initial.derivative = initialisation_->roots();
    for (const auto& starts : initialisation_->pinned().starts) initial.parameter.insert(initial.parameter.end(), starts.begin(), starts.end());
    a_->initial_program = code::compile(*a_->initial_tape, initial, keep_.machine_code);
    a_->phases.code = watch_.lap();
  }

  void reuse(double seconds) {
    Reuse r;
    r.blocks_kept = blocks_kept_;
    r.seconds = seconds;
    a_->reuse = keep_.helper.run([&before = keep_.seen, now = std::shared_ptr<const Analysis>(a_), r] { return compare(*now, before, r); });
  }

  Engine::Data& keep_;
  const Options& options_;
  std::shared_ptr<Analysis> a_;
  std::shared_ptr<System> system_;
  Combinations combinations_;
  std::shared_ptr<const DiscreteOrder> discrete_;
  LoopRepeats repeats_;
  bool undivided_ = false;   // dynamic sets stay whole
  std::size_t offered_ = 0;  // how often candidates were
  std::size_t blocks_kept_ = 0;
  std::unique_ptr<Numbers> numbers_;
  std::unique_ptr<VariableTable> table_;
  std::unique_ptr<Initialisation> initialisation_;
  std::shared_ptr<InputNumbers> inputs_;
  const Overrides no_overrides_;
  std::vector<std::uint32_t> state_input_, set_input_;
  std::vector<std::uint32_t> rows_;  // all
  std::vector<bool> is_unknown_;
  bool matched_ = false;
  structure::Incidence graph_;
  structure::Matching matching_;
  const Analysis* before_ = nullptr;
  const simulate::OperatingPoint* point_ = nullptr;
  Later<std::shared_ptr<code::Builder>> copy_;          // of the last tape, for one emission
  std::shared_ptr<const code::Roots> roots_;            // but how many inputs there are
  Later<bool> ordered_;                                 // the compiler has done what it can with these
  Stopwatch watch_;
};

}  // namespace

std::shared_ptr<const Analysis> Engine::analyse(std::shared_ptr<const model::Blueprint> top, const Options& options) {
  data_->numbering.reset();
  return Line(*data_, options).run(std::move(top));
}

// At the same address: problems know it.
void Engine::forget() {
  std::destroy_at(data_.get());
  std::construct_at(data_.get());
}

std::shared_ptr<const code::Program> Engine::reordered(Data& data, const Analysis& a, const simulate::OperatingPoint& point) {
  return Line(data, a.options).run_for(a, point);
}

std::shared_ptr<const simulate::OpenForm> Engine::open_form(Data& data, const Analysis& a) {
  code::Roots roots = a.roots;
  roots.open = true;
  auto form = std::make_shared<simulate::OpenForm>();
  form->program = code::compile(*a.tape, roots, data.machine_code);
  std::unordered_map<std::uint32_t, std::uint32_t> by_node;
  for (std::uint32_t k = 0; k < a.output_variables.size(); ++k)
    if (const Ref r = a.variable_ref[a.output_variables[k].value]; a.tape->nodes()[r.node()].op == code::Op::unknown)
      by_node.try_emplace(r.node(), k);
  for (const code::OpenUnknown& u : code::open_unknowns(*form->program)) {
    const auto it = by_node.find(u.node);
    if (it == by_node.end()) return nullptr;
    const std::uint32_t k = it->second;
    form->unknowns.push_back({k, a.variable_ref[a.output_variables[k].value].negative()});
  }
  return form;
}

std::string name(const Analysis& a, VarId v) { return name(*a.system, v.value); }

namespace {
SystemRow row_of(const Block& b, std::size_t k) {
  SystemRow r;
  r.origin = b.equations[k].value;
  if (b.rows.empty()) return r;
  r.times = b.rows[k].times;
  r.initial = b.rows[k].initial;
  r.set = b.rows[k].set;
  r.slot = b.rows[k].slot;
  return r;
}
}  // namespace

std::string equation_label(const Analysis& a, const Block& b, std::size_t k) {
  if (!b.rows.empty() && b.rows[k].variable != none) return "initial(" + name(*a.system, b.rows[k].variable) + ")";
  return label(*a.system, row_of(b, k));
}

std::vector<std::string> equation_labels(const Analysis& a, const Block& b) {
  std::vector<std::string> list;
  for (std::size_t k = 0; k < b.equations.size(); ++k) list.push_back(equation_label(a, b, k));
  return list;
}

Span equation_place(const Analysis& a, const Block& b, std::size_t k) { return place(*a.system, row_of(b, k)); }

std::vector<VarId> chosen(const Analysis& a, std::size_t set, std::span<const std::uint32_t> choice) {
  const StateSet& s = a.sets[set];
  std::vector<std::size_t> slots;  // by selection
  for (const StateSet& x : a.sets) {
    if (x.selection >= slots.size()) slots.resize(x.selection + std::size_t{1}, 0);
    slots[x.selection] = x.slots;
  }
  std::size_t first = 0;
  for (std::size_t k = 0; k < s.selection; ++k) first += slots[k];
  std::vector<VarId> list;
  for (std::size_t k = first; k < first + s.slots && k < choice.size(); ++k) list.push_back(s.candidates[choice[k]]);
  return list;
}

std::string state_name(const Analysis& a, std::size_t k) {
  const State& state = a.states[k];
  if (state.set < 0) return name(a, state.variable);
  const StateSet& set = a.sets[static_cast<std::size_t>(state.set)];
  std::string list;
  for (VarId v : set.candidates) list += (list.empty() ? "" : "|") + name(a, v);
  return set.slots == 1 ? list : "(" + list + ")" + std::to_string(k - set.first + 1);
}

}  // namespace kron::session
