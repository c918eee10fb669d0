// From a Builder's nodes to items: live nodes only, signs and integer powers spelt out, each item with its section.
#include <algorithm>

#include "engine/code/layout.hpp"

namespace kron::code {
namespace {

using Value = Graph::Step::Value;

class Lowering {
 public:
  Lowering(const Builder& b, const Roots& roots) : b_(b), roots_(roots), item_(b.size(), Graph::none) {}

  Graph run(LoweredRoots& out) {
    index_unknowns();
    mark_live();
    number_open(out);
    for (std::uint32_t n = 0; n < b_.size(); ++n)
      if (live_[n]) lower_node(n);
    for (std::size_t s = 0; s < b_.steps().size(); ++s)
      if (live_step_[s] != Graph::none) lower_step(live_step_[s]);
    for (auto [from, to] : {std::pair{&roots_.derivative, &out.derivative}, std::pair{&roots_.event, &out.event}, std::pair{&roots_.output, &out.output},
                            std::pair{&roots_.parameter, &out.parameter}})
      for (Ref r : *from) to->push_back(value(r));
    for (const ChosenRoot& c : roots_.chosen) {
      out.chosen.emplace_back();
      for (Ref r : c.alternative) out.chosen.back().push_back(value(r));
    }
    for (std::size_t s = 0; s < b_.steps().size(); ++s)
      if (open_[s]) open_residuals(b_.steps()[s], out.derivative);
    find_sections();
    find_late_sections(out);
    return std::move(g_);
  }

 private:
  void index_unknowns() {
    unknown_step_.assign(b_.size(), {Graph::none, 0});
    for (std::uint32_t s = 0; s < b_.steps().size(); ++s) {
      const SolveStep& step = b_.steps()[s];
      for (std::uint32_t c = 0; c < step.unknowns().size(); ++c) unknown_step_[step.unknowns()[c]] = {s, c};
    }
  }

  void mark(Ref r) {
    if (live_[r.node()]) return;
    live_[r.node()] = true;
    pending_.push_back(r.node());
  }
  void mark_step(std::uint32_t s) {
    if (live_step_[s] != Graph::none) return;
    live_step_[s] = static_cast<std::uint32_t>(g_.steps.size());
    const SolveStep& step = b_.steps()[s];
    g_.steps.emplace_back();
    g_.steps.back().source = &step;
    g_.steps.back().item = Graph::none;
    g_.steps.back().unknown.assign(step.unknowns().size(), Graph::none);
    step.each_read([&](Ref r) { mark(r); });
  }
  // The step's equations are to hold; nothing solves them.
  void open_step(std::uint32_t s) {
    if (open_[s]) return;
    open_[s] = true;
    for (Ref r : b_.steps()[s].right()) mark(r);
    if (!b_.steps()[s].newton)
      for (const Entry& e : b_.steps()[s].matrix()) mark(e.value);
  }
  void number_open(LoweredRoots& out) {
    first_open_.assign(open_.size(), 0);
    for (std::uint32_t s = 0; s < open_.size(); ++s) {
      if (!open_[s]) continue;
      first_open_[s] = roots_.inputs[static_cast<std::size_t>(InputKind::state)] + static_cast<std::uint32_t>(out.opened.size());
      for (std::uint32_t u : b_.steps()[s].unknowns()) {
        live_[u] = true;
        out.opened.push_back({u, b_.steps()[s].block});
      }
    }
  }
  void open_residuals(const SolveStep& s, std::vector<Value>& out) {
    if (s.newton) {
      for (Ref r : s.nonlinear.residual) out.push_back(value(r));
      return;
    }
    const std::size_t first = out.size();
    for (Ref r : s.linear.rhs) out.push_back(-value(r));
    for (const Entry& e : s.linear.matrix) {
      Value& sum = out[first + e.row];
      const std::uint32_t product = instruction(Kernel::mul, item_[e.value.node()], item_[s.linear.unknowns[e.column]]);
      if (sum.negative == e.value.negative())
        sum.item = instruction(Kernel::add, sum.item, product);
      else
        sum = {e.value.negative() ? instruction(Kernel::sub, sum.item, product) : instruction(Kernel::sub, product, sum.item), false};
    }
  }
  // Zero is all that such a block can give, where it gives anything: whether it does is looked at, though nobody reads it.
  bool only_watches(const LinearStep& s) const {
    return s.guarded() && std::all_of(s.solution.begin(), s.solution.end(), [&](Ref r) { return b_.is_zero(r); });
  }
  void mark_live() {
    live_.assign(b_.size(), false);
    live_step_.assign(b_.steps().size(), Graph::none);
    open_.assign(b_.steps().size(), false);
    for (Ref r : roots_.derivative) mark(r);
    for (const ChosenRoot& c : roots_.chosen)
      for (Ref r : c.alternative) mark(r);
    mark_pending(roots_.open);  // what only outputs need is not opened
    for (const auto* list : {&roots_.event, &roots_.output, &roots_.parameter})
      for (Ref r : *list) mark(r);
    for (std::uint32_t s = 0; s < b_.steps().size(); ++s)
      if (only_watches(b_.steps()[s].linear)) mark_step(s);
    mark_pending(false);
  }
  void mark_pending(bool open) {
    while (!pending_.empty()) {
      const Node& n = b_.nodes()[pending_.back()];
      const std::uint32_t index = pending_.back();
      pending_.pop_back();
      if (n.op == Op::unknown && unknown_step_[index].first != Graph::none) {
        const auto [s, column] = unknown_step_[index];
        if (open_[s] || (open && may_open(b_.steps()[s]))) {
          open_step(s);
          continue;
        }
        mark_step(s);
        if (b_.steps()[s].linear.guarded()) mark(b_.steps()[s].linear.solution[column]);
      }
      for (Ref r : b_.arguments(n)) mark(r);
    }
  }

  std::uint32_t make(const Item& item) {
    g_.items.push_back(item);
    return static_cast<std::uint32_t>(g_.items.size() - 1);
  }
  std::uint32_t instruction(Kernel kernel, std::uint32_t a, std::uint32_t b = 0, Fn fn = {}) {
    return make({.kind = Item::Kind::instruction, .kernel = kernel, .fn = fn, .a = a, .b = b});
  }
  // The item of r with its sign computed: an own instruction where it is negative.
  std::uint32_t plain(Ref r) {
    const std::uint32_t i = item_[r.node()];
    if (!r.negative()) return i;
    if (negated_.size() < g_.items.size()) negated_.resize(g_.items.size() + 1024, Graph::none);
    if (negated_[i] == Graph::none) {
      const std::uint32_t made = instruction(Kernel::neg, i);
      negated_[i] = made;
      return made;
    }
    return negated_[i];
  }
  Value value(Ref r) const { return {item_[r.node()], r.negative()}; }

  // x^n by binary powers: ceil(log2 n) squarings and at most as many products.
  std::uint32_t lower_power(std::uint32_t x, std::int32_t exponent) {
    auto n = static_cast<std::uint64_t>(std::llabs(exponent));
    std::optional<std::uint32_t> r;
    for (std::uint32_t square = x;; square = instruction(Kernel::mul, square, square)) {
      if (n & 1) r = r ? instruction(Kernel::mul, *r, square) : square;
      n >>= 1;
      if (n == 0) break;
    }
    return exponent < 0 ? instruction(Kernel::inv, *r) : *r;
  }

  std::uint32_t lower_call(const Node& n) {
    const auto args = b_.arguments(n);
    if (args.size() <= 2 && info(n.fn).arity > 0) {
      const std::uint32_t a = plain(args[0]), b = args.size() > 1 ? plain(args[1]) : 0;
      return instruction(Kernel::call, a, b, n.fn);
    }
    std::vector<std::uint32_t> items;
    for (Ref r : args) items.push_back(plain(r));
    const auto place = static_cast<std::uint32_t>(g_.more.size());
    g_.more.insert(g_.more.end(), items.begin(), items.end());
    return instruction(Kernel::call, place, static_cast<std::uint32_t>(items.size()), n.fn);
  }

  void lower_node(std::uint32_t index) {
    const Node& n = b_.nodes()[index];
    switch (n.op) {
      case Op::constant:
        item_[index] = make({.kind = Item::Kind::constant, .a = n.payload});
        break;
      case Op::input:
        item_[index] = make({.kind = Item::Kind::input, .section = section_index(n.section), .a = n.payload});
        break;
      case Op::unknown:
        lower_unknown(index);
        break;
      case Op::add:
        item_[index] = instruction(n.b.negative() ? Kernel::sub : Kernel::add, item_[n.a.node()], item_[n.b.node()]);
        break;
      case Op::mul:
        item_[index] = instruction(Kernel::mul, item_[n.a.node()], item_[n.b.node()]);
        break;
      case Op::div:
        item_[index] = instruction(Kernel::div, item_[n.a.node()], item_[n.b.node()]);
        break;
      case Op::inv:
        item_[index] = instruction(Kernel::inv, item_[n.a.node()]);
        break;
      case Op::pow_int:
        item_[index] = lower_power(item_[n.a.node()], static_cast<std::int32_t>(n.payload));
        break;
      case Op::pow: {
        const std::uint32_t a = plain(n.a), b = plain(n.b);
        item_[index] = instruction(Kernel::pow, a, b);
        break;
      }
      case Op::call:
        item_[index] = lower_call(n);
        break;
    }
  }
  static std::uint8_t section_index(Section s) { return static_cast<std::uint8_t>(s); }

  void lower_unknown(std::uint32_t index) {
    const auto [s, column] = unknown_step_[index];
    if (s != Graph::none && open_[s]) {
      item_[index] = make({.kind = Item::Kind::input, .section = section_index(Section::dynamic), .a = Graph::none, .b = first_open_[s] + column});
      return;
    }
    const auto step = s == Graph::none ? Graph::none : live_step_[s];
    if (step != Graph::none && b_.steps()[s].linear.guarded()) {
      item_[index] = lower_take(step, column, b_.steps()[s].linear.solution[column]);
      return;
    }
    item_[index] = make(
        {.kind = Item::Kind::unknown, .section = section_index(b_.nodes()[index].section), .a = step, .b = column});
    if (step != Graph::none) g_.steps[step].unknown[column] = item_[index];
  }

  // The step's own item comes before its first unknown: it reads only nodes that are made before them.
  std::uint32_t lower_take(std::uint32_t step, std::uint32_t column, Ref solution) {
    if (g_.steps[step].item == Graph::none) lower_step(step);
    const auto place = static_cast<std::uint32_t>(g_.more.size()), take = static_cast<std::uint32_t>(g_.takes.size());
    g_.more.push_back(item_[solution.node()]);
    g_.more.push_back(g_.steps[step].item);
    g_.takes.push_back({step, column, solution.negative()});
    return instruction(Kernel::take, place, take);
  }

  void lower_step(std::uint32_t s) {
    Graph::Step& step = g_.steps[s];
    if (step.item != Graph::none) return;
    const SolveStep& source = *step.source;
    for (const Entry& e : source.matrix()) step.matrix.push_back(value(e.value));
    for (Ref r : source.right()) step.right.push_back(value(r));
    for (Ref r : source.nonlinear.start) step.start.push_back(value(r));
    for (const Pins& p : source.pins())
      for (Ref r : p.value) step.pinned.push_back(value(r));
    for (const Watch& w : source.linear.watch) {
      const bool sum = w.kind == Watch::Kind::sum, ratio = w.kind == Watch::Kind::ratio;
      step.watch.push_back({w.kind, item_[w.value.node()], item_[(sum || ratio ? w.a : w.value).node()], item_[(sum ? w.b : w.value).node()]});
    }
    step.item = make({.kind = Item::Kind::step, .section = section_index(source.section), .a = s});
    for (std::uint32_t u : step.unknown)
      if (u != Graph::none) g_.items[u].a = step.item;
  }

  // An item is as late as what it reads. Items are in order except that a step comes after its unknowns: with such ones repeat until
  // nothing moves (twice, unless an unknown was announced for an earlier section than its step turned out to have).
  void find_sections() {
    const bool in_order = std::none_of(g_.items.begin(), g_.items.end(), [](const Item& i) { return i.kind == Item::Kind::unknown; });
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t i = 0; i < g_.items.size(); ++i) {
        std::uint8_t s = g_.items[i].section;
        if (!(g_.items[i].kind == Item::Kind::unknown && g_.items[i].a == Graph::none))
          g_.each_read(i, [&](std::uint32_t r) { s = std::max(s, g_.items[r].section); });
        if (g_.items[i].kind == Item::Kind::step) s = std::max<std::uint8_t>(s, parameter_section);
        moved |= s != g_.items[i].section && !in_order;
        g_.items[i].section = s;
      }
    }
  }

  // What derivatives do not need is computed where it is looked for events, or where a result is stored.
  void find_late_sections(const LoweredRoots& roots) {
    std::vector<std::uint8_t> wanted(g_.items.size(), output_section);
    std::vector<std::uint32_t> open;
    const auto want = [&](std::uint32_t i, std::uint8_t section) {
      if (wanted[i] <= section || g_.items[i].section < dynamic_section) return;
      wanted[i] = section;
      open.push_back(i);
    };
    const auto close = [&](std::uint8_t section) {
      while (!open.empty()) {
        const std::uint32_t i = open.back();
        open.pop_back();
        if (!(g_.items[i].kind == Item::Kind::unknown && g_.items[i].a == Graph::none))
          g_.each_read(i, [&](std::uint32_t r) { want(r, section); });
      }
    };
    for (const Value& v : roots.derivative) want(v.item, dynamic_section);
    for (const auto& alternatives : roots.chosen)
      for (const Value& v : alternatives) want(v.item, dynamic_section);
    close(dynamic_section);
    for (const Value& v : roots.event) want(v.item, event_section);
    close(event_section);
    for (std::uint32_t i = 0; i < g_.items.size(); ++i)
      if (g_.items[i].section == dynamic_section) g_.items[i].section = wanted[i];
  }

  const Builder& b_;
  const Roots& roots_;
  Graph g_;
  std::vector<bool> live_, open_;  // by node; by step: opened
  std::vector<std::uint32_t> live_step_, pending_, item_, negated_, first_open_;  // first_open_: by step, the state that its first unknown is
  std::vector<std::pair<std::uint32_t, std::uint32_t>> unknown_step_;
};

}  // namespace

// Where a step stands in the middle of code that it is not sure of (guards), it stays.
bool may_open(const SolveStep& s) {
  return s.section == Section::dynamic && s.pins().empty() && !s.linear.guarded() && !s.linear.tentative;
}

Graph lower(const Builder& b, const Roots& roots, LoweredRoots& out) { return Lowering(b, roots).run(out); }

}  // namespace kron::code
