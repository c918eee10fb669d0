#include <algorithm>
#include <set>

#include "engine/solve/ladder.hpp"

namespace kron::solve {
namespace {

// Rows queued by their best admissible entry; a row is looked at again when it changed or when it comes up with an old cost.
class Markowitz {
 public:
  Markowitz(Elimination& e, const OrderingProblem& p, const std::function<bool(std::uint32_t, code::Ref)>& admissible)
      : e_(e), p_(p), admissible_(admissible), known_(p.system->rows.size()) {}

  void run() {
    for (std::uint32_t r = 0; r < known_.size(); ++r)
      if (e_.active(r)) offer(r);
    while (!queue_.empty()) {
      const auto [cost, r] = *queue_.begin();
      const Cost now = best(r);
      if (now.cost != cost) { offer(r); continue; }
      const auto [row, column] = among_ties(cost, r, now.column);
      withdraw(row);
      e_.eliminate(row, column);
      const std::vector<std::uint32_t> changed = e_.changed();
      for (std::uint32_t t : changed) offer(t);
    }
  }

 private:
  static constexpr std::uint64_t impossible = ~0ull;
  static constexpr std::size_t ties_tried = 6;
  struct Cost {
    std::uint64_t cost = impossible;  // Markowitz count, then units first
    std::uint32_t column = 0;
  };

  Cost best(std::uint32_t r) const {
    Cost b;
    for (const auto& x : e_.row(r)) {
      if (!admissible_(r, x.value)) continue;
      const std::uint64_t count = std::uint64_t{e_.row_count(r) - 1} * (e_.column_count(x.column) - 1);
      const std::uint64_t cost = 2 * count + (x.value.node() != 1);
      if (cost < b.cost) b = {cost, x.column};
    }
    return b;
  }

  // Of the first few rows with the same cost the one whose elimination makes fewest new operations.
  std::pair<std::uint32_t, std::uint32_t> among_ties(std::uint64_t cost, std::uint32_t row, std::uint32_t column) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ties = {{row, column}};
    if (cost > 1)
      for (auto it = std::next(queue_.begin()); it != queue_.end() && it->first == cost && ties.size() < ties_tried; ++it)
        if (const Cost c = best(it->second); c.cost == cost) ties.emplace_back(it->second, c.column);
    if (ties.size() == 1) return ties[0];
    std::size_t least = ~std::size_t{0};
    std::pair<std::uint32_t, std::uint32_t> chosen = ties[0];
    for (const auto& [r, c] : ties) {
      const std::size_t before = p_.tape->size();
      e_.mark();
      e_.eliminate(r, c);
      const std::size_t made = p_.tape->size() - before;
      e_.undo();
      if (made < least) { least = made; chosen = {r, c}; }
    }
    return chosen;
  }

  void withdraw(std::uint32_t r) {
    if (known_[r]) queue_.erase({*known_[r], r});
    known_[r].reset();
  }
  void offer(std::uint32_t r) {
    withdraw(r);
    if (const Cost c = best(r); c.cost != impossible) {
      queue_.emplace(c.cost, r);
      known_[r] = c.cost;
    }
  }

  Elimination& e_;
  const OrderingProblem& p_;
  const std::function<bool(std::uint32_t, code::Ref)>& admissible_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> queue_;
  std::vector<std::optional<std::uint64_t>> known_;
};

}  // namespace

void run_markowitz(Elimination& e, const OrderingProblem& p, const std::function<bool(std::uint32_t, code::Ref)>& admissible) {
  Markowitz(e, p, admissible).run();
}

}  // namespace kron::solve
