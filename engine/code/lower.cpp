// From a Builder's nodes to items: signs and integer powers spelt out, each item with the earliest section that it could run in.
#include <algorithm>

#include "engine/code/layout.hpp"

namespace kron::code {
namespace {

using Value = Graph::Step::Value;

class Lowering {
 public:
  Lowering(const Builder& b, Graph& g) : b_(b), g_(g) {}

  void run(std::size_t nodes) {
    const Graph::End begin = g_.end();
    index_unknowns(begin, nodes);
    std::size_t step = begin.steps;
    const auto lower_steps = [&](std::size_t position) {
      for (; step < g_.steps.size() && b_.steps()[step].position <= position; ++step) lower_step(static_cast<std::uint32_t>(step));
    };
    g_.of_node.resize(nodes, Graph::none);
    for (std::size_t n = begin.nodes; n < nodes; ++n) {
      lower_steps(n);
      lower_node(static_cast<std::uint32_t>(n));
    }
    lower_steps(nodes);
    g_.negated.resize(g_.items.size(), Graph::none);
    find_earliest_sections(begin.items);
  }

 private:
  void index_unknowns(const Graph::End& begin, std::size_t nodes) {
    first_ = static_cast<std::uint32_t>(begin.nodes);
    unknown_step_.assign(nodes - begin.nodes, {Graph::none, 0});
    for (auto s = static_cast<std::uint32_t>(begin.steps); s < b_.steps().size() && b_.steps()[s].position <= nodes; ++s) {
      const SolveStep& step = b_.steps()[s];
      for (std::uint32_t c = 0; c < step.unknowns().size(); ++c) unknown_step_[step.unknowns()[c] - first_] = {s, c};
      g_.steps.emplace_back();
      g_.steps.back().source = &step;
      g_.steps.back().item = Graph::none;
      g_.steps.back().unknown.assign(step.unknowns().size(), Graph::none);
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
    const std::uint32_t i = g_.of_node[r.node()];
    if (!r.negative()) return i;
    if (g_.negated.size() < g_.items.size()) g_.negated.resize(g_.items.size() + 1024, Graph::none);
    if (g_.negated[i] != Graph::none) return g_.negated[i];
    g_.negations.push_back(i);
    return g_.negated[i] = instruction(Kernel::neg, i);
  }

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
        g_.of_node[index] = make({.kind = Item::Kind::constant, .a = n.payload});
        break;
      case Op::input:
        g_.of_node[index] = make({.kind = Item::Kind::input, .section = section_index(n.section), .a = n.payload});
        break;
      case Op::unknown:
        lower_unknown(index);
        break;
      case Op::add:
        g_.of_node[index] = instruction(n.b.negative() ? Kernel::sub : Kernel::add, g_.of_node[n.a.node()], g_.of_node[n.b.node()]);
        break;
      case Op::mul:
        g_.of_node[index] = instruction(Kernel::mul, g_.of_node[n.a.node()], g_.of_node[n.b.node()]);
        break;
      case Op::div:
        g_.of_node[index] = instruction(Kernel::div, g_.of_node[n.a.node()], g_.of_node[n.b.node()]);
        break;
      case Op::inv:
        g_.of_node[index] = instruction(Kernel::inv, g_.of_node[n.a.node()]);
        break;
      case Op::pow_int:
        g_.of_node[index] = lower_power(g_.of_node[n.a.node()], static_cast<std::int32_t>(n.payload));
        break;
      case Op::pow: {
        const std::uint32_t a = plain(n.a), b = plain(n.b);
        g_.of_node[index] = instruction(Kernel::pow, a, b);
        break;
      }
      case Op::call:
        g_.of_node[index] = lower_call(n);
        break;
    }
  }
  static std::uint8_t section_index(Section s) { return static_cast<std::uint8_t>(s); }

  void lower_unknown(std::uint32_t index) {
    const auto [s, column] = unknown_step_[index - first_];
    std::uint32_t& item = g_.of_node[index];
    if (s != Graph::none && b_.steps()[s].linear.guarded())
      item = lower_take(s, column, b_.steps()[s].linear.solution[column]);
    else
      item = make({.kind = Item::Kind::unknown, .section = section_index(b_.nodes()[index].section), .a = Graph::none, .b = column});
    if (s != Graph::none) g_.steps[s].unknown[column] = item;
  }

  // The step's own item comes before its first unknown: it reads only nodes that are made before them.
  std::uint32_t lower_take(std::uint32_t step, std::uint32_t column, Ref solution) {
    if (g_.steps[step].item == Graph::none) lower_step(step);
    const auto place = static_cast<std::uint32_t>(g_.more.size()), take = static_cast<std::uint32_t>(g_.takes.size());
    g_.more.push_back(g_.of_node[solution.node()]);
    g_.more.push_back(g_.steps[step].item);
    g_.takes.push_back({step, column, solution.negative()});
    return instruction(Kernel::take, place, take);
  }

  void lower_step(std::uint32_t s) {
    Graph::Step& step = g_.steps[s];
    if (step.item != Graph::none) return;
    const SolveStep& source = *step.source;
    for (const Entry& e : source.matrix()) step.matrix.push_back(g_.value(e.value));
    for (Ref r : source.right()) step.right.push_back(g_.value(r));
    for (Ref r : source.nonlinear.start) step.start.push_back(g_.value(r));
    for (const Pins& p : source.pins())
      for (Ref r : p.value) step.pinned.push_back(g_.value(r));
    for (const Watch& w : source.linear.watch) {
      const bool sum = w.kind == Watch::Kind::sum, ratio = is_beside(w.kind);
      const auto item = [&](Ref r) { return g_.of_node[r.node()]; };
      step.watch.push_back({w.kind, item(w.value), item(sum || ratio ? w.a : w.value), item(sum ? w.b : w.value)});
    }
    step.item = make({.kind = Item::Kind::step, .section = section_index(source.section), .a = s});
    if (!source.linear.guarded())
      for (std::uint32_t u : step.unknown) g_.items[u].a = step.item;
  }

  // An item is as late as what it reads. Items are in order except that a step comes after its unknowns: with such ones repeat until
  // nothing moves (twice, unless an unknown was announced for an earlier section than its step turned out to have).
  void find_earliest_sections(std::size_t begin) {
    const auto first = g_.items.begin() + static_cast<std::ptrdiff_t>(begin);
    const bool in_order = std::none_of(first, g_.items.end(), [](const Item& i) { return i.kind == Item::Kind::unknown; });
    for (bool moved = true; moved;) {
      moved = false;
      for (auto i = static_cast<std::uint32_t>(begin); i < g_.items.size(); ++i) {
        std::uint8_t s = g_.items[i].section;
        if (!(g_.items[i].kind == Item::Kind::unknown && g_.items[i].a == Graph::none))
          g_.each_read(i, [&](std::uint32_t r) { s = std::max(s, g_.items[r].section); });
        if (g_.items[i].kind == Item::Kind::step) s = std::max<std::uint8_t>(s, parameter_section);
        moved |= s != g_.items[i].section && !in_order;
        g_.items[i].section = s;
      }
    }
  }

  const Builder& b_;
  Graph& g_;
  std::uint32_t first_ = 0;  // node
  std::vector<std::pair<std::uint32_t, std::uint32_t>> unknown_step_;  // by node, from the first one: step and column
};

}  // namespace

// Where a step stands in the middle of code that it is not sure of (guards), it stays.
bool may_open(const SolveStep& s) {
  return s.section == Section::dynamic && s.pins().empty() && !s.linear.guarded() && !s.linear.tentative;
}

// Between the unknowns of a step and the step nothing ends.
std::size_t end_of_piece(const Builder& b, std::size_t begin) {
  constexpr std::size_t nodes = 8192;  // in pieces of a half or a quarter of that runs of equal operations get short
  std::size_t end = begin + nodes;
  if (end >= b.size()) return b.size();
  const auto& steps = b.steps();
  const auto later = [](std::size_t position, const SolveStep& s) { return position < s.position; };
  for (auto s = std::upper_bound(steps.begin(), steps.end(), end, later); s != steps.end(); ++s)
    if (!s->unknowns().empty() && std::ranges::min(s->unknowns()) < end) end = s->position;
  return end;
}

void Graph::shorten(const End& e) {
  while (negations.size() > e.negations) {
    negated[negations.back()] = none;
    negations.pop_back();
  }
  items.resize(e.items);
  negated.resize(e.items);
  more.resize(e.more);
  takes.resize(e.takes);
  steps.resize(e.steps);
  of_node.resize(e.nodes);
}

void lower(const Builder& b, std::size_t nodes, Graph& g) { Lowering(b, g).run(nodes); }

}  // namespace kron::code
