#include <algorithm>
#include <set>
#include <unordered_map>

#include "engine/solve/ordering.hpp"

namespace kron::solve {
namespace {

struct PivotCost {
  std::uint64_t first = ~0ull, fill = ~0ull, tie = ~0ull;  // impossible
  friend auto operator<=>(const PivotCost&, const PivotCost&) = default;
};
constexpr PivotCost impossible{};

// Rows queued by their best admissible entry; a row is looked at again when it changed or when it comes up with an old cost.
class Markowitz {
 public:
  Markowitz(Elimination& e, const OrderingProblem& p, const Admissible& admissible, MarkowitzOptions options)
      : e_(e), p_(p), admissible_(admissible), options_(options) {}

  void run(std::span<const std::uint32_t> rows) {
    if (rows.size() > 300) compared_ = 1;  // trials pay in small blocks
    for (std::uint32_t r : rows)
      if (e_.active(r)) known_.emplace(r, impossible);
    for (std::uint32_t r : rows)
      if (e_.active(r)) offer(r);
    while (!queue_.empty()) {
      const auto [cost, r] = *queue_.begin();
      if (cost.fill > options_.limit || e_.exhausted()) break;
      const Best now = best(r);
      if (now.cost != cost) { offer(r); continue; }
      const auto [row, column] = among_first(cost, r, now.column);
      withdraw(row);
      e_.eliminate(row, column);
      const std::vector<std::uint32_t> changed = e_.changed();
      for (std::uint32_t t : changed)
        if (known_.contains(t)) offer(t);
    }
  }

 private:
  struct Best {
    PivotCost cost;
    std::uint32_t column = 0;
  };
  bool unit(code::Ref r) const { return r.node() == code::one.node(); }

  Best best(std::uint32_t r) const {
    Best b;
    std::uint64_t products = 0;  // entries that a product with costs a multiplication
    if (options_.units_first)
      for (const auto& x : e_.row(r)) products += !unit(x.value);
    for (const auto& x : e_.row(r)) {
      if (options_.given && (*options_.given)[x.column]) continue;
      PivotCost c = cost(r, x, products);
      if (c.first > b.cost.first || (c.first == b.cost.first && c.fill > b.cost.fill)) continue;
      c.tie = options_.ties(r, x.column);
      if (c < b.cost && admissible_(r, x.column, x.value)) b = {c, x.column};  // which may look at the whole row
    }
    return b;
  }
  // But for ties.
  PivotCost cost(std::uint32_t r, const LinearSystem::Entry& x, std::uint64_t products) const {
    const std::uint64_t fill = std::uint64_t{e_.row_count(r) - 1} * (e_.column_count(x.column) - 1);
    if (!options_.units_first) return {2 * fill + !unit(x.value), fill, 0};
    if (!unit(x.value)) return {~0ull >> 1, fill, 0};
    std::uint64_t factors = 0;
    for (std::uint32_t t : e_.holders(x.column)) factors += t != r && !unit(e_.entry(t, x.column)->value);
    return {products * factors, fill, 0};
  }

  // Of the first few rows the one whose elimination makes fewest new operations.
  std::pair<std::uint32_t, std::uint32_t> among_first(PivotCost cost, std::uint32_t row, std::uint32_t column) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> first = {{row, column}};
    if (cost.fill > 0 && compared_ > 1)
      for (auto it = std::next(queue_.begin()); it != queue_.end() && comparable(cost, it->first) && first.size() < compared_; ++it)
        if (const Best c = best(it->second); c.cost == it->first) first.emplace_back(it->second, c.column);
    if (first.size() == 1) return first[0];
    std::size_t least = ~std::size_t{0};
    std::pair<std::uint32_t, std::uint32_t> chosen = first[0];
    for (const auto& [r, c] : first)
      if (const std::size_t n = new_operations(r, c); n < least) {
        least = n;
        chosen = {r, c};
      }
    return chosen;
  }
  bool comparable(const PivotCost& least, const PivotCost& other) const {
    if (options_.compared == Compared::equals) return other.first == least.first && other.fill == least.fill;
    return other.first <= 2 * least.first + 2;
  }
  std::size_t new_operations(std::uint32_t row, std::uint32_t column) {
    const std::size_t before = p_.tape->size();
    e_.mark();
    e_.eliminate(row, column);
    std::size_t n = p_.tape->size() - before;
    if (options_.compared == Compared::few_in_all)
      for (const auto& x : e_.row(row))
        if (x.column != column) n += unit(x.value) ? 1 : 2;
    e_.undo();
    return n;
  }

  void withdraw(std::uint32_t r) {
    PivotCost& cost = known_[r];
    if (cost != impossible) queue_.erase({cost, r});
    cost = impossible;
  }
  void offer(std::uint32_t r) {
    withdraw(r);
    if (const Best c = best(r); c.cost != impossible) {
      queue_.emplace(c.cost, r);
      known_[r] = c.cost;
    }
  }

  Elimination& e_;
  const OrderingProblem& p_;
  const Admissible& admissible_;
  MarkowitzOptions options_;
  std::size_t compared_ = 6;
  std::set<std::pair<PivotCost, std::uint32_t>> queue_;
  std::unordered_map<std::uint32_t, PivotCost> known_;  // of the rows that take part: cost in the queue, or impossible
};

}  // namespace

bool good_pivot(const code::Builder& t, const LinearSystem::Row& row, code::Ref p) {
  const code::Constant* c = t.constant_of(p);
  if (!c) return true;
  for (const auto& e : row)
    if (const code::Constant* x = t.constant_of(e.value); x && x->number > 100 * c->number) return false;
  return true;
}

void run_markowitz(Elimination& e, const OrderingProblem& p, std::span<const std::uint32_t> rows, const Admissible& admissible,
                   MarkowitzOptions options) {
  Markowitz(e, p, admissible, options).run(rows);
}

}  // namespace kron::solve
