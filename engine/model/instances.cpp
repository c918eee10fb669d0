#include "engine/model/instances.hpp"

#include <algorithm>

#include "engine/base/hash.hpp"

namespace kron::model {
namespace {

constexpr std::uint32_t none = FlatModel::none;

class Tree {
 public:
  Tree(FlatModel& m, const FlatModel* before) : m_(m), before_(before) {}

  CommonInstances run() {
    if (before_ != nullptr) m_.instances.reserve(before_->instances.size() + before_->instances.size() / 8);
    stack_ = {{m_.top.get(), 0, 0, 0, 0, 0, before_ != nullptr ? 0 : none, 0x6b726f6e}};
    while (!stack_.empty()) {
      const Pending p = stack_.back();
      stack_.pop_back();
      if (p.before != none && before_->instances[p.before].type == p.type) copy(p);
      else add(p);
    }
    find_ends();
    return std::move(common_);
  }

 private:
  struct Pending {
    const Blueprint* type;
    std::uint32_t parent, child, slot, equation, initial;
    std::uint32_t before;  // at the same path, or none
    std::uint64_t key;
  };

  std::uint32_t next() const { return static_cast<std::uint32_t>(m_.instances.size()); }

  void add(const Pending& p) {
    const std::uint32_t id = next();
    if (p.before != none) common_.changed.emplace_back(p.before, id);
    m_.instances.push_back({p.type, p.parent, p.child, p.slot, p.equation, p.initial, id + 1, operands_, p.key});
    operands_ += static_cast<std::uint32_t>(p.type->operands.size());
    match(p);
    for (std::size_t i = p.type->children.size(); i-- > 0;) {  // last first: the stack turns the order round
      const Child& c = p.type->children[i];
      const std::uint32_t before = child_before_.empty() ? none : child_before_[i];
      stack_.push_back({c.type.get(), id, static_cast<std::uint32_t>(i), p.slot + c.slot_base, p.equation + c.equation_base,
                        p.initial + c.initial_base, before, before == none ? key(p.key, c) : before_->instances[before].key});
    }
  }
  static std::uint64_t key(std::uint64_t path, const Child& c) {
    std::uint64_t key = combine(path, c.name.hash());
    for (std::uint32_t x : c.index) key = combine(key, x);
    return key;
  }

  // The subtree of an instance that is what it was.
  void copy(const Pending& p) {
    const Instance& root = before_->instances[p.before];
    const std::uint32_t id = next(), count = root.end - p.before, operand_base = root.operand_base;
    for (std::uint32_t k = p.before; k < root.end; ++k) {
      Instance i = before_->instances[k];
      i.parent += id - p.before;
      i.slot_base += p.slot - root.slot_base;
      i.equation_base += p.equation - root.equation_base;
      i.initial_base += p.initial - root.initial_base;
      i.end += id - p.before;
      i.operand_base += operands_ - operand_base;
      m_.instances.push_back(i);
    }
    m_.instances[id].parent = p.parent;
    m_.instances[id].child = p.child;
    const Instance& last = m_.instances.back();
    operands_ = last.operand_base + static_cast<std::uint32_t>(last.type->operands.size());
    auto& parts = common_.parts;
    if (!parts.empty() && parts.back().before + parts.back().count == p.before && parts.back().now + parts.back().count == id)
      parts.back().count += count;
    else parts.push_back({p.before, id, count});
  }

  // Which children were there before, side by side; where they differ, some came or went, or one has changed its name.
  void match(const Pending& p) {
    child_before_.clear();
    if (p.before == none) return;
    constexpr std::size_t few = 64;
    const std::vector<Child>&now = p.type->children, &then = before_->instances[p.before].type->children;
    child_before_.assign(now.size(), none);
    std::uint32_t instance = p.before + 1;  // of then[j]
    std::size_t i = 0, j = 0;
    const auto same = [&](std::size_t a, std::size_t b) {
      return a < now.size() && b < then.size() && now[a].name == then[b].name && now[a].index == then[b].index;
    };
    const auto leave_out = [&](std::size_t count) {
      for (; count > 0; --count, ++j) instance = before_->instances[instance].end;
    };
    while (i < now.size() && j < then.size()) {
      if (same(i, j)) {
        child_before_[i++] = instance;
        leave_out(1);
        continue;
      }
      std::size_t came = 1, went = 1;
      if (!same(i + 1, j + 1))
        for (std::size_t k = 1; k <= few; ++k) {
          if (same(i + k, j)) came = k, went = 0;
          else if (same(i, j + k)) came = 0, went = k;
          else continue;
          break;
        }
      i += came;
      leave_out(went);
    }
  }

  // One that was added ends where its last child does.
  void find_ends() {
    for (std::uint32_t k = next(); k-- > 1;) {
      std::uint32_t& end = m_.instances[m_.instances[k].parent].end;
      end = std::max(end, m_.instances[k].end);
    }
  }

  FlatModel& m_;
  const FlatModel* before_;
  CommonInstances common_;
  std::vector<Pending> stack_;
  std::vector<std::uint32_t> child_before_;  // of the children of one instance
  std::uint32_t operands_ = 0;               // of the instances so far
};

}  // namespace

CommonInstances add_instances(FlatModel& m, const FlatModel* before) { return Tree(m, before).run(); }

Bases bases(const FlatModel& m, std::size_t instance) {
  if (instance < m.instances.size()) {
    const Instance& i = m.instances[instance];
    return {i.slot_base, i.equation_base, i.initial_base, i.operand_base};
  }
  const Instance& last = m.instances.back();
  const auto own = static_cast<std::uint32_t>(last.type->operands.size());
  return {m.slots, m.top->total_equations, m.top->total_initial, last.operand_base + own};
}

}  // namespace kron::model
