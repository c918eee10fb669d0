// The order of the items of each region: list scheduling that runs equal operations together.
//   An item is ready when what it reads in its own region is done; ready items wait in one queue per operation, and
//   always the longest queue is emptied, with what becomes ready for it meanwhile. Cost O(items + reads).
#include <algorithm>
#include <bit>

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
  Scheduler(const Graph& g, const Placement& p) : g_(g), p_(p) {}

  std::vector<std::vector<std::uint32_t>> run() {
    build_users();
    std::vector<std::vector<std::uint32_t>> ready(p_.regions.size()), result(p_.regions.size());
    for (std::uint32_t i = 0; i < g_.items.size(); ++i)
      if (is_done_by_running(i) && waiting_[i] == 0) ready[p_.region[i]].push_back(i);
    for (std::size_t r = 0; r < p_.regions.size(); ++r) order(ready[r], result[r]);
    return result;
  }

 private:
  bool is_done_by_running(std::uint32_t i) const {
    return g_.items[i].kind == Item::Kind::instruction || g_.items[i].kind == Item::Kind::step;
  }

  // What item `user` waits for when it reads `read`: the pair of items that stand for the two in their common region.
  template <class F>
  void dependency(std::uint32_t user, std::uint32_t read, F&& f) const {
    if (g_.items[read].kind == Item::Kind::unknown) read = g_.items[read].a;
    if (!is_done_by_running(read)) return;
    std::uint32_t ru = p_.region[user], rr = p_.region[read];
    while (ru != rr) {
      const std::uint32_t du = p_.regions[ru].depth, dr = p_.regions[rr].depth;
      if (du == 0 && dr == 0) return;  // an earlier section
      if (du >= dr) user = p_.regions[ru].step_item, ru = p_.regions[ru].parent;
      if (dr >= du) read = p_.regions[rr].step_item, rr = p_.regions[rr].parent;
    }
    if (user != read) f(user, read);
  }

  void build_users() {
    const auto n = static_cast<std::uint32_t>(g_.items.size());
    begin_ = std::vector<std::uint32_t>(std::size_t{n} + 1);
    waiting_ = std::vector<std::uint32_t>(n);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;  // user, read
    all.reserve(2 * std::size_t{n});
    const auto note = [&](std::uint32_t user, std::uint32_t read) { all.emplace_back(user, read); };
    for (std::uint32_t i = 0; i < n; ++i)
      if (is_done_by_running(i)) g_.each_read(i, [&](std::uint32_t r) { dependency(i, r, note); });
    for (const auto& [user, read] : all) ++begin_[read + 1], ++waiting_[user];
    for (std::size_t i = 0; i < n; ++i) begin_[i + 1] += begin_[i];
    users_.resize(begin_[n]);
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (const auto& [user, read] : all) users_[next[read]++] = user;
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
        for (std::uint32_t u = begin_[i]; u < begin_[i + 1]; ++u)
          if (--waiting_[users_[u]] == 0) push(users_[u]);
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
  std::vector<std::uint32_t> begin_, users_, waiting_;
  std::array<Queue, 64> queue_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> schedule(const Graph& g, const Placement& p) { return Scheduler(g, p).run(); }

}  // namespace kron::code
