// Where each item runs: in its section, or in the body of a Newton step.
//   Take the graph in which a step reads its residual and Jacobian and an unknown reads its step. Only a Newton step
//   closes cycles in it, so the body of one is its strongly connected component [Tarjan 1972, with an explicit stack]:
//   what depends on its unknowns and is needed for its residual or Jacobian. In a component of several steps the one
//   added last is the outermost; without it and its unknowns the rest is searched again for inner ones. Cost O(items)
//   per level of nesting. No body reaches over the end of a piece of the tape, so pieces are placed one after the other.
#include <algorithm>
#include <stdexcept>

#include "engine/code/layout.hpp"

namespace kron::code {
namespace {

// Components of more than one item among `members`, each item with in[item] == mark.
class Components {
 public:
  // Of items behind `first`.
  Components(const Graph& g, const std::vector<std::uint32_t>& in, std::uint32_t first)
      : g_(g), in_(in), first_(first), order_(in.size() - first, 0), low_(in.size() - first, 0) {}

  std::vector<std::vector<std::uint32_t>> find(const std::vector<std::uint32_t>& members, std::uint32_t mark) {
    for (std::uint32_t i : members) order(i) = 0;
    mark_ = mark;
    found_.clear();
    for (std::uint32_t i : members)
      if (order(i) == 0) visit(i);
    return std::move(found_);
  }

 private:
  struct Frame {
    std::uint32_t item, begin, end;  // reads still to follow: reads_[begin, end)
  };
  void enter(std::uint32_t i) {
    order(i) = low(i) = ++counter_;
    stack_.push_back(i);
    const auto begin = static_cast<std::uint32_t>(reads_.size());
    g_.each_read(i, [&](std::uint32_t r) {
      if (r >= first_ && in_[r] == mark_) reads_.push_back(r);
    });
    frames_.push_back({i, begin, static_cast<std::uint32_t>(reads_.size())});
  }
  void visit(std::uint32_t root) {
    enter(root);
    while (!frames_.empty()) {
      Frame& f = frames_.back();
      if (f.begin < f.end) {
        const std::uint32_t r = reads_[--f.end];
        reads_.pop_back();
        if (order(r) == 0)
          enter(r);
        else if (order(r) != closed)
          low(f.item) = std::min(low(f.item), order(r));
        continue;
      }
      const std::uint32_t i = f.item;
      frames_.pop_back();
      if (!frames_.empty()) low(frames_.back().item) = std::min(low(frames_.back().item), low(i));
      if (low(i) == order(i)) close(i);
    }
  }
  void close(std::uint32_t root) {
    const auto first = std::find(stack_.rbegin(), stack_.rend(), root).base() - 1;
    if (stack_.end() - first > 1) found_.emplace_back(first, stack_.end());
    for (auto it = first; it != stack_.end(); ++it) order(*it) = closed;
    stack_.erase(first, stack_.end());
  }

  std::uint32_t& order(std::uint32_t i) { return order_[i - first_]; }
  std::uint32_t& low(std::uint32_t i) { return low_[i - first_]; }

  static constexpr std::uint32_t closed = 0xffffffff;
  const Graph& g_;
  const std::vector<std::uint32_t>& in_;
  std::uint32_t first_;
  std::vector<std::uint32_t> order_, low_, stack_, reads_;
  std::vector<Frame> frames_;
  std::vector<std::vector<std::uint32_t>> found_;
  std::uint32_t mark_ = 0, counter_ = 0;
};

class Placing {
 public:
  Placing(const Graph& g, Placement& p) : g_(g), p_(p) {}

  void run(const std::vector<std::uint8_t>& section, std::uint32_t end) {
    const auto first = static_cast<std::uint32_t>(p_.region.size());
    p_.region.resize(end);
    p_.bodies.resize(g_.steps.size());
    bool bodies = false;
    for (std::uint32_t i = first; i < end; ++i) {
      p_.region[i] = section[i] == unwanted ? Graph::none : section[i];
      bodies = bodies || (section[i] != unwanted && g_.items[i].kind == Item::Kind::step && g_.steps[g_.items[i].a].source->newton);
    }
    if (!bodies) return;
    Components components(g_, p_.region, first);
    std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> open(sections);
    for (std::uint32_t s = 0; s < sections; ++s) open[s].first = s;
    for (std::uint32_t i = first; i < end; ++i)
      if (p_.region[i] != Graph::none) open[p_.region[i]].second.push_back(i);
    while (!open.empty()) {
      const auto [region, members] = std::move(open.back());
      open.pop_back();
      for (const auto& component : components.find(members, region)) make_body(component, region, open);
    }
  }

 private:
  std::uint32_t make_region(std::uint32_t parent, std::uint32_t step_item) {
    constexpr std::uint32_t deepest = 16;  // each level runs in the iterations of the one around it, by calls
    if (p_.regions[parent].depth == deepest) throw std::logic_error("Newton steps nested too deep");
    p_.regions.push_back({parent, step_item, p_.regions[parent].depth + 1});
    return static_cast<std::uint32_t>(p_.regions.size() - 1);
  }

  void make_body(const std::vector<std::uint32_t>& component, std::uint32_t parent,
                 std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>>& open) {
    std::uint32_t outer = Graph::none;
    for (std::uint32_t i : component)
      if (g_.items[i].kind == Item::Kind::step && (outer == Graph::none || later(i, outer))) outer = i;
    if (outer == Graph::none || !g_.steps[g_.items[outer].a].source->newton)
      throw std::logic_error("a linear solve step depends on its own unknowns");
    const std::uint32_t s = g_.items[outer].a;
    const std::uint32_t residual = make_region(parent, outer), jacobian = make_region(parent, outer);
    p_.bodies[s] = {residual, jacobian};
    std::pair<std::uint32_t, std::vector<std::uint32_t>> first{residual, {}}, second{jacobian, {}};
    for (std::uint32_t i : component)
      if (i != outer && !(g_.items[i].kind == Item::Kind::unknown && g_.items[i].a == outer)) p_.region[i] = jacobian;
    collect_residual(s, residual, jacobian);
    for (std::uint32_t i : component)
      if (p_.region[i] != parent) (p_.region[i] == residual ? first : second).second.push_back(i);
    open.push_back(std::move(first));
    open.push_back(std::move(second));
  }
  bool later(std::uint32_t x, std::uint32_t y) const {  // was step item x added after y? Both lie in the Builder's list
    return g_.steps[g_.items[x].a].source > g_.steps[g_.items[y].a].source;
  }

  // What the residual needs moves from the Jacobian's region to the residual's.
  void collect_residual(std::uint32_t s, std::uint32_t residual, std::uint32_t jacobian) {
    std::vector<std::uint32_t> pending;
    const auto take = [&](std::uint32_t i) {
      if (p_.region[i] != jacobian) return;
      p_.region[i] = residual;
      pending.push_back(i);
    };
    for (const Graph::Step::Value& v : g_.steps[s].right) take(v.item);
    while (!pending.empty()) {
      const std::uint32_t i = pending.back();
      pending.pop_back();
      g_.each_read(i, take);
    }
  }

  const Graph& g_;
  Placement& p_;
};

}  // namespace

void place(const Graph& g, const std::vector<std::uint8_t>& section, std::size_t end, Placement& p) {
  Placing(g, p).run(section, static_cast<std::uint32_t>(end));
}

}  // namespace kron::code
