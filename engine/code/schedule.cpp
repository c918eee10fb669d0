// The order of the items of each region: list scheduling that runs equal operations together.
//   An item is ready when what it reads in its own region is done; ready items wait in one queue per operation, and
//   always the longest queue is emptied, with what becomes ready for it meanwhile. Cost O(items + reads).
//   Items are ordered piece by piece of the tape: what an edit adds behind them changes nothing.
#include <algorithm>
#include <bit>
#include <utility>

#include "engine/code/layout.hpp"

namespace kron::code {
namespace {

constexpr std::size_t step_key = 7, take_key = 63;
std::size_t key_of(const Item& it) {
  if (it.kind == Item::Kind::step) return step_key;
  if (it.kernel == Kernel::take) return take_key;
  return it.kernel == Kernel::call ? 8 + static_cast<std::size_t>(it.fn) : static_cast<std::size_t>(it.kernel);
}
static_assert(8 + static_cast<std::size_t>(Fn::terminal) < take_key);

class Scheduler {
 public:
  Scheduler(const Graph& g, const Placement& p, std::size_t first, std::size_t end)
      : g_(g), p_(p), first_(static_cast<std::uint32_t>(first)), end_(static_cast<std::uint32_t>(end)) {}

  void run(Order& result) {
    build_users();
    std::vector<std::vector<std::uint32_t>> ready(p_.regions.size());
    for (std::uint32_t i = first_; i < end_; ++i)
      if (is_done_by_running(i) && waiting_[i - first_] == 0) ready[p_.region[i]].push_back(i);
    result.resize(p_.regions.size());
    for (std::size_t r = 0; r < p_.regions.size(); ++r)
      if (!ready[r].empty()) order(ready[r], result[r]);
  }

 private:
  bool is_done_by_running(std::uint32_t i) const {
    return p_.region[i] != Graph::none && (g_.items[i].kind == Item::Kind::instruction || g_.items[i].kind == Item::Kind::step);
  }

  // What item `user` waits for when it reads `read`: the pair of items that stand for the two in their common region.
  template <class F>
  void dependency(std::uint32_t user, std::uint32_t read, F&& f) const {
    if (g_.items[read].kind == Item::Kind::unknown) read = g_.items[read].a;
    if (read < first_ || !is_done_by_running(read)) return;
    std::uint32_t ru = p_.region[user], rr = p_.region[read];
    while (ru != rr) {
      const std::uint32_t du = p_.regions[ru].depth, dr = p_.regions[rr].depth;
      if (du == 0 && dr == 0) return;  // an earlier section
      if (du >= dr) user = p_.regions[ru].step_item, ru = p_.regions[ru].parent;
      if (dr >= du) read = p_.regions[rr].step_item, rr = p_.regions[rr].parent;
    }
    if (user != read) f(user, read);
  }

  // From the last item to the first, so that the users of each are met in their order.
  void build_users() {
    const std::size_t n = end_ - first_;
    users_.assign(n, none);
    waiting_.assign(n, 0);
    uses_.reserve(2 * n);
    const auto note = [&](std::uint32_t user, std::uint32_t read) {
      uses_.push_back({user, std::exchange(users_[read - first_], static_cast<std::uint32_t>(uses_.size()))});
      ++waiting_[user - first_];
    };
    for (std::uint32_t i = end_; i-- > first_;)
      if (is_done_by_running(i)) g_.each_read(i, [&](std::uint32_t r) { dependency(i, r, note); });
  }

  void order(const std::vector<std::uint32_t>& ready, std::vector<std::uint32_t>& result) {
    for (auto& q : queue_) q.items.clear(), q.head = 0;
    std::uint64_t filled = 0;
    const auto push = [&](std::uint32_t i) {
      const std::size_t k = key_of(g_.items[i]);
      queue_[k].items.push_back(i);
      filled |= std::uint64_t{1} << k;
    };
    for (std::uint32_t i : ready) push(i);
    while (filled != 0) {
      std::size_t best = step_key, most = 0;  // a step runs when nothing else can
      for (std::uint64_t m = filled & ~(std::uint64_t{1} << step_key); m != 0; m &= m - 1) {
        const auto k = static_cast<std::size_t>(std::countr_zero(m));
        if (queue_[k].waiting() > most) best = k, most = queue_[k].waiting();
      }
      Queue& q = queue_[best];
      while (q.waiting() != 0) {
        const std::uint32_t i = q.items[q.head++];
        result.push_back(i);
        for (std::uint32_t u = users_[i - first_]; u != none; u = uses_[u].next)
          if (--waiting_[uses_[u].user - first_] == 0) push(uses_[u].user);
        if (best == step_key) break;
      }
      if (q.waiting() == 0) q.items.clear(), q.head = 0, filled &= ~(std::uint64_t{1} << best);
    }
  }

  struct Queue {
    std::vector<std::uint32_t> items;
    std::size_t head = 0;
    std::size_t waiting() const { return items.size() - head; }
  };
  const Graph& g_;
  const Placement& p_;
  const std::uint32_t first_, end_;
  static constexpr std::uint32_t none = Graph::none;
  struct Use {
    std::uint32_t user = 0, next = 0;  // next: of the same item, or none
  };
  std::vector<Use> uses_;
  std::vector<std::uint32_t> users_, waiting_;  // from the first item on: its first use, or none; what it waits for
  std::array<Queue, 64> queue_;
};

}  // namespace

void schedule(const Graph& g, const Placement& p, std::size_t first, std::size_t end, Order& order) {
  Scheduler(g, p, first, end).run(order);
}

}  // namespace kron::code
