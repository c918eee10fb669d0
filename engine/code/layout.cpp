// Items in their scheduled order become registers, runs and operand lists.
#include "engine/code/layout.hpp"

#include <algorithm>
#include <numeric>

#include "engine/base/hash.hpp"
#include "engine/code/native.hpp"

namespace kron::code {
namespace {

class Layout {
 public:
  Layout(const Builder& b, const Graph& graph, const std::vector<std::uint8_t>& section, const Placement& placement, const Order& order,
         LoweredRoots&& roots)
      : b_(b), graph_(graph), section_(section), placement_(placement), order_(order), roots_(std::move(roots)) {}

  std::shared_ptr<const Program> run(const Roots& roots, std::shared_ptr<jit::Cache> cache) {
    size_inputs(roots);
    find_switched();
    number_steps();
    assign_leaves();
    assign_results();
    for (const std::uint32_t s : steps_) program_->steps.push_back(plan(s));
    program_->opened = std::move(roots_.opened);
    program_->operands.reserve(2 * (program_->registers - program_->names.size()));
    for (const auto& items : order_) emit(items);
    for (auto [from, to] :
         {std::pair{&roots_.derivative, &program_->derivative}, std::pair{&roots_.event, &program_->event}, std::pair{&roots_.output, &program_->output},
          std::pair{&roots_.parameter, &program_->parameter}}) {
      to->reserve(from->size());
      for (const Graph::Step::Value& v : *from) to->push_back(signed_register(v));
    }
    choices(roots);
    mark_used_jacobians();
    count_operations(*program_);
    program_->print = content();
    program_->native = std::make_shared<Native>(*program_, std::move(cache));
    return program_;
  }

 private:
  bool is_wanted(std::uint32_t item) const { return section_[item] != unwanted; }

  void number_steps() {
    number_.assign(graph_.steps.size(), Graph::none);
    for (std::uint32_t s = 0; s < graph_.steps.size(); ++s) {
      if (!is_wanted(graph_.steps[s].item)) continue;
      number_[s] = static_cast<std::uint32_t>(steps_.size());
      steps_.push_back(s);
    }
  }

  void choices(const Roots& roots) {
    for (std::size_t k = 0; k < roots.chosen.size(); ++k) {
      const ChosenRoot& c = roots.chosen[k];
      program_->chosen.push_back({c.root, c.selection, c.slot, {}});
      for (const Graph::Step::Value& v : roots_.chosen[k]) program_->chosen.back().alternative.push_back(signed_register(v));
    }
    auto& selections = program_->selections;
    for (const StepPlan& s : program_->steps)
      for (const StepPlan::Pins& p : s.pins) {
        selections.resize(std::max<std::size_t>(selections.size(), p.selection + 1));
        selections[p.selection].alternatives = static_cast<std::uint32_t>(p.column.size());
        selections[p.selection].slots = static_cast<std::uint32_t>(p.value.size());
      }
    std::uint32_t first = 0;
    for (auto& s : selections) {
      s.first = first;
      first += s.slots;
    }
  }

  // What depends on inputs that change at events only, in the order in which it runs; a second time for the bodies of Newton steps, which
  // are listed last.
  void find_switched() {
    switched_.assign(graph_.items.size(), false);
    const auto changes = [](const Input& i) { return i.kind == InputKind::discrete || i.kind == InputKind::pre; };
    const bool any = std::any_of(b_.inputs().begin(), b_.inputs().end(), changes);
    for (std::uint32_t i = 0; any && i < graph_.items.size(); ++i) {
      const Item& item = graph_.items[i];
      if (item.kind == Item::Kind::input && item.a != Graph::none) switched_[i] = changes(b_.inputs()[item.a]);
    }
    for (int round = 0; any && round < 2; ++round)
      for (const auto& items : order_)
        for (std::uint32_t i : items)
          graph_.each_read(i, [&](std::uint32_t r) {
            if (graph_.items[r].kind == Item::Kind::unknown) r = graph_.items[r].a;
            switched_[i] = switched_[i] || switched_[r];
          });
  }

  void size_inputs(const Roots& roots) {
    program_->input_size = roots.inputs;
    program_->input_size[static_cast<std::size_t>(InputKind::state)] += static_cast<std::uint32_t>(roots_.opened.size());
    for (const Input& i : b_.inputs()) {
      std::uint32_t& size = program_->input_size[static_cast<std::size_t>(i.kind)];
      size = std::max(size, i.index + 1);
    }
    program_->input_size[static_cast<std::size_t>(InputKind::time)] = 1;
  }

  void assign_leaves() {
    Program& p = *program_;
    register_.assign(graph_.items.size(), Graph::none);
    std::vector<std::uint32_t> inputs;
    for (std::uint32_t i = 0; i < graph_.items.size(); ++i) {
      const Item& item = graph_.items[i];
      if (item.kind > Item::Kind::input || !is_wanted(i)) continue;
      if (item.kind == Item::Kind::input) {
        inputs.push_back(i);
        continue;
      }
      register_[i] = static_cast<std::uint32_t>(p.constants.size());
      p.constants.push_back(b_.constants()[item.a]);
      p.names.push_back(content(p.constants.back()));
    }
    p.registers = static_cast<std::uint32_t>(p.constants.size());
    for (std::size_t k = 0; k < p.input_size.size(); ++k) {
      p.input_begin[k] = p.registers;
      p.registers += p.input_size[k];
    }
    p.names.resize(p.registers);
    for (const std::uint32_t i : inputs) assign_input(i);
  }

  void assign_input(std::uint32_t i) {
    const Item& item = graph_.items[i];
    Program& p = *program_;
    if (item.a == Graph::none) {  // an unknown
      register_[i] = p.input_begin[static_cast<std::size_t>(InputKind::state)] + item.b;
      p.names[register_[i]] = combine(0x6f70656e, item.b);
      return;
    }
    const Input& input = b_.inputs()[item.a];
    register_[i] = p.input_begin[static_cast<std::size_t>(input.kind)] + (input.kind == InputKind::time ? 0 : input.index);
    p.names[register_[i]] = input.key;
  }

  void assign_results() {
    Program& p = *program_;
    for (const std::uint32_t k : steps_) {
      const Graph::Step& s = graph_.steps[k];
      first_unknown_.push_back(p.registers);
      if (s.source->linear.guarded()) continue;
      for (const std::uint32_t u : s.unknown) register_[u] = p.registers++;
    }
    for (const auto& items : order_)
      for (std::uint32_t i : items)
        if (graph_.items[i].kind == Item::Kind::instruction) register_[i] = p.registers++;
    p.made.assign(p.registers, 0);
    for (std::uint32_t i = 0; i < register_.size(); ++i)
      if (register_[i] != Graph::none) p.made[register_[i]] = i;
  }

  Signed signed_register(const Graph::Step::Value& v) const {
    return {register_[v.item] << 1 | (v.negative ? 1u : 0u)};
  }

  StepPlan plan(std::uint32_t step) const {
    const Graph::Step& s = graph_.steps[step];
    const SolveStep& source = *s.source;
    StepPlan plan;
    plan.newton = source.newton;
    plan.columns = static_cast<std::uint32_t>(s.unknown.size());
    plan.size = source.newton ? source.nonlinear.size : source.linear.size;
    auto pinned = s.pinned.begin();
    for (const Pins& p : source.pins()) {
      plan.pins.push_back({p.selection, p.level, p.column, {}, p.scale, p.keep});
      for (std::size_t k = 0; k < p.value.size(); ++k) plan.pins.back().value.push_back(signed_register(*pinned++));
    }
    plan.block = source.block;
    plan.section = section_[s.item];
    plan.made = s.item;
    plan.unknowns = first_unknown_[number_[step]];
    const auto entries = source.matrix();
    for (std::size_t e = 0; e < entries.size(); ++e)
      if (!b_.is_zero(entries[e].value)) {
        plan.matrix.push_back({entries[e].row, entries[e].column, 0, signed_register(s.matrix[e])});
        plan.switched = plan.switched || switched_[s.matrix[e].item];
        if (!source.linear.swept.empty()) plan.swept.push_back(source.linear.swept[e]);
      }
    if (plan.pins.empty()) plan.shape = shape_of(plan.size, plan.matrix);  // else the choice makes it (StepState)
    if (plan.shape.dense) plan.swept.clear();  // an LU is faster
    for (const auto& v : s.right) plan.right.push_back(signed_register(v));
    for (const auto& v : s.start) plan.start.push_back(signed_register(v));
    if (source.newton) fill_newton(plan, source.nonlinear, placement_.bodies[step]);
    plan.guarded = source.linear.guarded();
    plan.tentative = source.linear.tentative;
    for (const bool early : {true, false}) {
      for (const Graph::Step::WatchedItem& w : s.watch)
        if ((plan.section > parameter_section && graph_.items[w.value].section <= parameter_section) == early)
          plan.watch.push_back({w.kind, register_[w.value], register_[w.a], register_[w.b]});
      if (early) plan.early_watches = static_cast<std::uint32_t>(plan.watch.size());
    }
    return plan;
  }

  static void fill_newton(StepPlan& plan, const NewtonStep& source, const Placement::Body& body) {
    plan.open = source.open;
    plan.nominal = source.nominal;
    plan.minimum = source.minimum;
    plan.maximum = source.maximum;
    plan.residual_region = body.residual;
    plan.jacobian_region = body.jacobian;
  }

  void emit(const std::vector<std::uint32_t>& items) {
    Program& p = *program_;
    const auto begin = static_cast<std::uint32_t>(p.runs.size());
    for (std::size_t i = 0; i < items.size();) {
      const Item& first = graph_.items[items[i]];
      if (first.kind == Item::Kind::step) {
        p.runs.push_back({.kernel = Kernel::step, .count = 1, .result = number_[first.a]});
        ++i;
        continue;
      }
      const bool many = is_many(first);
      std::size_t end = i + 1;
      while (!many && end < items.size() && same(first, graph_.items[items[end]])) ++end;
      emit_run(first, std::span(items).subspan(i, end - i));
      i = end;
    }
    p.regions.push_back({begin, static_cast<std::uint32_t>(p.runs.size())});
  }
  static bool is_many(const Item& i) {
    return i.kernel == Kernel::call && takes_any_number(i.fn);
  }
  static bool same(const Item& x, const Item& y) {
    return y.kind == Item::Kind::instruction && x.kernel == y.kernel && (x.kernel != Kernel::call || x.fn == y.fn);
  }

  void emit_run(const Item& first, std::span<const std::uint32_t> items) {
    Program& p = *program_;
    Run run{.kernel = first.kernel,
            .fn = first.fn,
            .count = static_cast<std::uint32_t>(items.size()),
            .result = register_[items[0]],
            .operands = static_cast<std::uint32_t>(p.operands.size())};
    const auto argument = [&](std::uint32_t item, std::uint32_t k) {  // of those that stand in Graph::more
      return register_[graph_.more[graph_.items[item].a + k]];
    };
    const auto all = [&](auto&& operand) {
      const std::size_t n = p.operands.size();
      p.operands.resize(n + items.size());
      std::ranges::transform(items, p.operands.begin() + static_cast<std::ptrdiff_t>(n), operand);
    };
    if (first.kernel == Kernel::take) {
      all([&](std::uint32_t i) { return argument(i, 0); });
      for (std::uint32_t i : items) {
        const Take& t = graph_.takes[graph_.items[i].b];
        p.operands.push_back(static_cast<std::uint32_t>(p.takes.size()));
        p.takes.push_back({number_[t.step], t.column, t.negative});
      }
    } else if (is_many(first)) {
      run.count = first.b;
      for (std::uint32_t k = 0; k < first.b; ++k) p.operands.push_back(argument(items[0], k));
    } else if (first.kernel == Kernel::call && first.fn == Fn::select) {
      for (std::uint32_t k = 0; k < 3; ++k) all([&](std::uint32_t i) { return argument(i, k); });
    } else {
      all([&](std::uint32_t i) { return register_[graph_.items[i].a]; });
      const bool two = first.kernel <= Kernel::div || first.kernel == Kernel::pow ||
                       (first.kernel == Kernel::call && info(first.fn).arity == 2);
      if (two) all([&](std::uint32_t i) { return register_[graph_.items[i].b]; });
    }
    p.runs.push_back(run);
  }

  // Is a value of a step's Jacobian region read from outside of it, other than by the step itself?
  void mark_used_jacobians() {
    std::vector<std::uint32_t> step_of(placement_.regions.size(), Graph::none);
    for (std::uint32_t s = 0; s < graph_.steps.size(); ++s)
      if (placement_.bodies[s].jacobian != 0) step_of[placement_.bodies[s].jacobian] = s;
    const auto read = [&](std::uint32_t by, std::uint32_t item) {
      for (std::uint32_t r = placement_.region[item]; r >= sections; r = placement_.regions[r].parent) {
        const std::uint32_t s = step_of[r];
        if (s == Graph::none || (by != Graph::none && (by == graph_.steps[s].item || inside(by, r)))) continue;
        program_->steps[number_[s]].jacobian_used = true;
      }
    };
    if (placement_.regions.size() == sections) return;
    for (std::uint32_t i = 0; i < graph_.items.size(); ++i)
      if (is_wanted(i)) graph_.each_read(i, [&](std::uint32_t r) { read(i, r); });
    for (const auto* list : {&roots_.derivative, &roots_.event, &roots_.output, &roots_.parameter})
      for (const auto& v : *list) read(Graph::none, v.item);
    for (const auto& alternatives : roots_.chosen)
      for (const auto& v : alternatives) read(Graph::none, v.item);
  }
  bool inside(std::uint32_t item, std::uint32_t region) const {
    std::uint32_t r = placement_.region[item];
    while (r != region && r >= sections) r = placement_.regions[r].parent;
    return r == region;
  }

  static std::uint64_t content(const Constant& c) { return c.is_pi ? 0x7069 : content_hash(c.value); }
  std::uint64_t content() const {
    const Program& p = *program_;
    std::uint64_t h = combine(0x6b726f6e, p.registers);
    for (const Constant& c : p.constants) h = combine(h, content(c));
    for (std::uint32_t n : p.input_size) h = combine(h, n);
    for (const Run& r : p.runs)
      h = combine(h, static_cast<std::uint64_t>(r.kernel) << 48 | static_cast<std::uint64_t>(r.fn) << 40 | r.count);
    h = combine_registers(h, p.operands, [](std::uint32_t r) { return r; });
    for (const Region& r : p.regions) h = combine(h, r.end);
    for (const auto* list : {&p.derivative, &p.event, &p.output, &p.parameter})
      h = combine_registers(h, *list, [](Signed s) { return s.bits; });
    for (const ChosenRootPlan& c : p.chosen) {
      h = combine(combine(h, c.root), std::uint64_t{c.selection} << 32 | c.slot);
      for (Signed s : c.alternative) h = combine(h, s.bits);
    }
    for (const StepPlan& s : p.steps) h = step_content(h, s);
    for (const Take& t : p.takes) h = combine(h, std::uint64_t{t.step} << 32 | t.column << 1 | (t.negative ? 1u : 0u));
    return h;
  }
  // Two to a word, in four lanes: these are nearly all of the program.
  template <class List, class Bits>
  static std::uint64_t combine_registers(std::uint64_t h, const List& list, Bits&& bits) {
    std::uint64_t lane[4] = {h, h + 1, h + 2, h + 3};
    const auto word = [&](std::size_t k) { return std::uint64_t{bits(list[k])} << 32 | bits(list[k + 1]); };
    std::size_t k = 0;
    for (; k + 8 <= list.size(); k += 8)
      for (std::size_t l = 0; l < 4; ++l) lane[l] = absorb(lane[l], word(k + 2 * l));
    for (; k < list.size(); ++k) lane[0] = absorb(lane[0], bits(list[k]));
    return combine(combine(combine(lane[0], lane[1]), combine(lane[2], lane[3])), list.size());
  }
  static std::uint64_t step_content(std::uint64_t h, const StepPlan& s) {
    h = combine(combine(combine(h, s.newton), s.size), s.unknowns);
    for (const StepPlan::Pins& p : s.pins) {
      h = combine(h, std::uint64_t{p.selection} << 32 | p.level);
      for (std::size_t k = 0; k < p.column.size(); ++k)
        h = combine(combine(h, std::uint64_t{p.column[k]} << 1 | (p.keep.empty() || p.keep[k] ? 1u : 0u)),
                    std::bit_cast<std::uint64_t>(p.scale[k]));
      for (Signed v : p.value) h = combine(h, v.bits);
    }
    for (bool swept : s.swept) h = combine(h, swept);
    for (bool open : s.open) h = combine(h, open);
    for (const StepPlan::WatchedValue& w : s.watch)
      h = combine(combine(h, static_cast<std::uint64_t>(w.kind) << 32 | w.value), std::uint64_t{w.a} << 32 | w.b);
    for (const StepPlan::Load& l : s.matrix)
      h = combine(combine(h, l.value.bits), std::uint64_t{l.row} << 32 | l.column);
    for (const auto* list : {&s.right, &s.start})
      for (Signed v : *list) h = combine(h, v.bits);
    for (const auto* list : {&s.nominal, &s.minimum, &s.maximum})
      for (double x : *list) h = combine(h, std::bit_cast<std::uint64_t>(x));
    return h;
  }

  const Builder& b_;
  const Graph& graph_;
  const std::vector<std::uint8_t>& section_;  // by item
  const Placement& placement_;
  const Order& order_;
  LoweredRoots roots_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  std::vector<std::uint32_t> steps_, number_;  // those of the program; by step of the graph: its number there
  std::vector<std::uint32_t> register_, first_unknown_;
  std::vector<bool> switched_;  // by item
};

}  // namespace

// Sparse ones by columns. Entries at one place add up.
MatrixShape shape_of(std::uint32_t size, std::vector<StepPlan::Load>& loads, Storage storage) {
  MatrixShape shape{.size = size, .dense = true, .column_begin = {}, .row = {}};
  shape.dense = storage != Storage::sparse && is_dense(size, loads.size());
  if (shape.dense) {
    for (StepPlan::Load& l : loads) l.place = l.row * size + l.column;
    return shape;
  }
  // By column, and by row in it: sorted by the lesser first, in as many steps as there are entries.
  std::vector<std::uint32_t> order(loads.size()), sorted(loads.size());
  std::iota(order.begin(), order.end(), 0u);
  for (const auto part : {&StepPlan::Load::row, &StepPlan::Load::column}) {
    std::vector<std::uint32_t> next;
    for (const StepPlan::Load& l : loads) {
      if (l.*part + std::size_t{2} > next.size()) next.resize(l.*part + std::size_t{2}, 0);
      ++next[l.*part + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (std::uint32_t k : order) sorted[next[loads[k].*part]++] = k;
    order.swap(sorted);
  }
  shape.column_begin.assign(size + 1, 0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    StepPlan::Load& l = loads[order[k]];
    const bool again = k > 0 && loads[order[k - 1]].column == l.column && loads[order[k - 1]].row == l.row;
    if (!again) {
      shape.row.push_back(l.row);
      ++shape.column_begin[l.column + 1];
    }
    l.place = static_cast<std::uint32_t>(shape.row.size() - 1);
  }
  for (std::uint32_t c = 0; c < size; ++c) shape.column_begin[c + 1] += shape.column_begin[c];
  return shape;
}

std::shared_ptr<const Program> lay_out(const Builder& b, const Roots& roots, const Graph& graph, const std::vector<std::uint8_t>& section,
                                       const Placement& placement, const Order& order, LoweredRoots&& values,
                                       std::shared_ptr<jit::Cache> cache) {
  return Layout(b, graph, section, placement, order, std::move(values)).run(roots, std::move(cache));
}

std::span<const OpenUnknown> open_unknowns(const Program& p) { return p.opened; }
std::size_t unknowns_to_open(const Program& p) {
  std::size_t n = 0;
  for (const StepPlan& s : p.steps)
    if (s.section == dynamic_section && s.pins.empty() && !s.guarded && !s.tentative) n += s.columns;
  return n;
}

std::size_t selections(const Program& p) { return p.selections.size(); }
std::size_t alternatives(const Program& p, std::size_t selection) { return p.selections[selection].alternatives; }
std::size_t alternatives(const Program& p) {
  std::size_t n = 0;
  for (const auto& s : p.selections) n += s.alternatives;
  return n;
}
std::size_t choice_size(const Program& p) {
  return p.selections.empty() ? 0 : p.selections.back().first + p.selections.back().slots;
}
std::size_t derivative_size(const Program& p) { return p.derivative.size(); }
std::size_t event_size(const Program& p) { return p.event.size(); }
bool is_iterated(const StepPlan& s, Iterations which) {
  return s.newton && (which == Iterations::all ? s.section != parameter_section : s.section == dynamic_section);
}
std::size_t iterated(const Program& p, Iterations which) {
  std::size_t n = 0;
  for (const StepPlan& s : p.steps)
    if (is_iterated(s, which)) n += s.columns;
  return n;
}
std::size_t output_size(const Program& p) { return p.output.size(); }
std::size_t input_size(const Program& p, InputKind k) { return p.input_size[static_cast<std::size_t>(k)]; }
std::uint64_t fingerprint(const Program& p) { return p.print; }

}  // namespace kron::code
