#include "engine/solve/ladder.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace kron::solve {
namespace {

class Ladder {
 public:
  Ladder(Elimination& e, const OrderingProblem& p, const GroupPairs& g, const LadderOptions& options)
      : e_(e), p_(p), g_(g), options_(options) {
    pair_of_row_.assign(p.row_group.size(), none);
    pair_of_unknown_.assign(p.unknown_group.size(), none);
    for (std::uint32_t k = 0; k < g.rows.size(); ++k) {
      for (std::uint32_t r : g.rows[k]) pair_of_row_[r] = k;
      for (std::uint32_t c : g.unknowns[k]) pair_of_unknown_[c] = k;
    }
    mark_.assign(g.rows.size(), 0);
    distance_.assign(g.rows.size(), none);
    done_.assign(g.rows.size(), false);
    waits_.assign(g.rows.size(), false);
    is_in_.assign(g.rows.size(), false);
    key_.resize(g.rows.size());
  }

  void run(const Stations& all) {
    std::vector<std::uint32_t> waiting;
    if (joins_shifts(options_.order))
      for (std::uint32_t p : *options_.shifts) {
        done_[p] = true;
        eliminate(p);
      }
    for (std::size_t k = 0; k < options_.first; ++k)
      for (std::uint32_t p : all[k]) {
        done_[p] = !has_pivot(p);
        if (!done_[p]) waiting.push_back(p);
      }
    for (std::size_t k = options_.first;; ++k) {
      if (options_.before) options_.before(all.size() - k);
      if (k == all.size() || e_.exhausted()) return;
      std::vector<std::uint32_t> station = all[k];
      station.insert(station.end(), waiting.begin(), waiting.end());
      waiting = do_station(std::move(station));
    }
  }

 private:
  static constexpr std::size_t few = 64;  // pairs of a station
  struct Key {
    bool torn = false;
    std::uint32_t distance = 0;
    bool plain = false;  // its equations have no known part
    std::uint32_t degree = 0;
    std::optional<std::size_t> operations;  // counted where ranks are equal; those that are not counted yet come first
    std::uint32_t pair = 0;
    auto operator<=>(const Key&) const = default;
    bool same_rank(const Key& k) const { return torn == k.torn && distance == k.distance && plain == k.plain && degree == k.degree; }
  };

  // Eliminates what can be; returns the pairs that found no pivot yet.
  std::vector<std::uint32_t> do_station(std::vector<std::uint32_t> todo) {
    std::erase_if(todo, [&](std::uint32_t p) { return done_[p]; });
    if (options_.order == StationOrder::nearest) find_distances(todo);
    if (by_parts(options_.order))
      for (std::uint32_t p : todo) distance_[p] = (*options_.levels)[p];
    for (std::uint32_t p : todo) offer(p);
    // What one pair costs depends on what the others have left in the tape; in a wide station, as of the leaves of a tree, a count is kept.
    const bool wide = todo.size() > few;
    while (!keys_.empty() && !e_.exhausted()) {
      const Key best = *keys_.begin();
      if (!best.operations && keys_.size() > 1 && best.same_rank(*std::next(keys_.begin()))) {
        count(best.pair);
        continue;
      }
      const std::uint32_t first = best.pair;
      if (g_.torn[first] && by_parts(options_.order))
        while (const std::optional<std::uint32_t> p = between(first)) take(*p);
      take(first);
      if (!wide) forget_counts();
    }
    for (std::uint32_t p : todo) withdraw(p);
    std::erase_if(todo, [&](std::uint32_t p) { return done_[p]; });
    return todo;
  }

  void take(std::uint32_t p) {
    withdraw(p);
    done_[p] = true;
    touched_.clear();
    eliminate(p);
    std::ranges::sort(touched_);
    const auto same = std::ranges::unique(touched_);
    touched_.erase(same.begin(), same.end());
    for (std::uint32_t q : touched_)
      if (waits_[q]) offer(q);
  }

  // Into the order of the station's pairs; again, where the elimination of another one has changed its rows or what stands in its columns.
  void offer(std::uint32_t p) {
    withdraw(p);
    waits_[p] = true;
    if (!has_pivot(p)) return;
    key_[p] = {g_.torn[p], distance_[p], options_.order != StationOrder::degree && plain(p), degree(p), std::nullopt, p};
    is_in_[p] = true;
    keys_.insert(key_[p]);
  }
  void count(std::uint32_t p) {
    keys_.erase(key_[p]);
    key_[p].operations = new_operations(p);
    keys_.insert(key_[p]);
  }
  void forget_counts() {
    const std::set<Key> before = std::exchange(keys_, {});
    for (Key k : before) {
      k.operations.reset();
      key_[k.pair] = *keys_.insert(keys_.end(), k);
    }
  }
  void withdraw(std::uint32_t p) {
    if (is_in_[p]) keys_.erase(key_[p]);
    is_in_[p] = waits_[p] = false;
  }
  void touch(std::uint32_t pair) {
    if (pair != none && (touched_.empty() || touched_.back() != pair)) touched_.push_back(pair);
  }

  // A pair that makes no fill where the torn pair would make it: its rows hold unknowns only that the torn pair's hold, or its unknowns
  // stand only where the torn ones do. Or one of two that are so but for a third pair at which both arrive, from one copy of an array to
  // the next: of two copies one goes. Of any station.
  std::optional<std::uint32_t> between(std::uint32_t torn) {
    // Until f says so: true.
    const auto until_held = [&](std::uint32_t p, auto&& f) {
      return std::ranges::any_of(g_.rows[p], [&](std::uint32_t r) {
        return e_.active(r) && std::ranges::any_of(e_.row(r), [&](const auto& x) { return f(pair_of_unknown_[x.column]); });
      });
    };
    const auto until_holding = [&](std::uint32_t p, auto&& f) {
      return std::ranges::any_of(g_.unknowns[p], [&](std::uint32_t c) {
        return e_.unsolved(c) && std::ranges::any_of(e_.holders(c), [&](std::uint32_t r) { return f(pair_of_row_[r]); });
      });
    };
    std::optional<std::uint32_t> found = inside(torn, until_held);
    return found ? found : inside(torn, until_holding);
  }
  template <class Until>
  std::optional<std::uint32_t> inside(std::uint32_t torn, Until&& until_neighbour) {
    constexpr std::size_t most_copies = 8;  // of one array in a row: further on are other parts
    std::set<std::uint32_t> all;
    ++stamp_;
    until_neighbour(torn, [&](std::uint32_t q) {
      all.insert(q);
      mark_[q] = stamp_;
      return false;
    });
    std::unordered_map<std::uint32_t, std::uint32_t> copy_of;
    const auto can_go = [&](std::uint32_t p) { return !g_.torn[p] && !done_[p] && has_pivot(p); };
    for (std::uint32_t p : all) {
      std::uint32_t at = p;
      for (std::size_t k = 0; k < most_copies && can_go(at); ++k) {
        std::uint32_t out = none;  // the one neighbour outside
        const bool more = until_neighbour(at, [&](std::uint32_t q) {
          if (q == at || mark_[q] == stamp_ || q == out) return false;
          return std::exchange(out, q) != none;
        });
        if (more) break;
        if (out == none) return p;
        at = out;
        if (const auto [first, is_first] = copy_of.emplace(at, p); !is_first) {
          if (first->second != p) return first->second;
          break;
        }
      }
    }
    return std::nullopt;
  }

  // Of the station's pairs, in steps from pair to pair, from what was eliminated in the stations before.
  void find_distances(const std::vector<std::uint32_t>& station) {
    for (std::uint32_t p : station) distance_[p] = none;
    std::vector<std::uint32_t> queue;
    const auto each_neighbour = [&](std::uint32_t p, auto&& f) {
      for (const auto* list : {&g_.next[p], &g_.before[p]})
        for (std::uint32_t q : *list) f(q);
    };
    for (std::uint32_t p : station) {
      bool touches = false;
      each_neighbour(p, [&](std::uint32_t q) { touches = touches || done_[q]; });
      if (!touches) continue;
      distance_[p] = 0;
      queue.push_back(p);
    }
    const std::set<std::uint32_t> members(station.begin(), station.end());
    for (std::size_t k = 0; k < queue.size(); ++k)
      each_neighbour(queue[k], [&](std::uint32_t q) {
        if (distance_[q] != none || !members.contains(q)) return;
        distance_[q] = distance_[queue[k]] + 1;
        queue.push_back(q);
      });
  }

  bool has_pivot(std::uint32_t p) const {
    return std::any_of(g_.rows[p].begin(), g_.rows[p].end(), [&](std::uint32_t r) { return best_in_row(r, p).has_value(); });
  }

  bool plain(std::uint32_t p) const {
    return std::all_of(g_.rows[p].begin(), g_.rows[p].end(), [&](std::uint32_t r) { return p_.tape->is_zero(p_.system->rhs[r]); });
  }

  // Other pairs that the elimination of this one would join.
  std::uint32_t degree(std::uint32_t p) {
    ++stamp_;
    mark_[p] = stamp_;
    std::uint32_t n = 0;
    auto meet = [&](std::uint32_t q) {
      if (mark_[q] != stamp_) {
        mark_[q] = stamp_;
        ++n;
      }
    };
    for (std::uint32_t r : g_.rows[p])
      if (e_.active(r))
        for (const auto& x : e_.row(r)) meet(pair_of_unknown_[x.column]);
    for (std::uint32_t c : g_.unknowns[p])
      if (e_.unsolved(c))
        for (std::uint32_t r : e_.holders(c)) meet(pair_of_row_[r]);
    return n;
  }

  std::size_t new_operations(std::uint32_t p) {
    const std::size_t before = p_.tape->size(), pivots = e_.pivots().size();
    e_.mark();
    eliminate(p);
    std::size_t n = p_.tape->size() - before;
    for (std::size_t k = pivots; k < e_.pivots().size(); ++k)  // and those of the back substitution to come
      for (const auto& x : e_.row(e_.pivots()[k].first))
        if (x.column != e_.pivots()[k].second) n += x.value.node() == 1 ? 1 : 2;
    e_.undo();
    return n;
  }

  // Units first, then the pivot whose row and column have fewest entries. A row is looked at again when it changed or when it comes up
  // with an old cost.
  struct Choice {
    bool other = false;
    std::uint64_t cost = 0;
    std::uint32_t row = 0, unknown = 0;
    auto operator<=>(const Choice&) const = default;
  };
  void eliminate(std::uint32_t p) {
    std::set<Choice> queue;
    std::unordered_map<std::uint32_t, Choice> of_row;
    const auto look_at = [&](std::uint32_t r) {
      if (const auto it = of_row.find(r); it != of_row.end()) {
        queue.erase(it->second);
        of_row.erase(it);
      }
      if (const std::optional<Choice> best = best_in_row(r, p)) {
        queue.insert(*best);
        of_row.emplace(r, *best);
      }
    };
    for (std::uint32_t r : g_.rows[p]) look_at(r);
    while (!queue.empty() && !e_.exhausted()) {
      const Choice best = *queue.begin();
      look_at(best.row);
      if (*queue.begin() != best) continue;
      e_.eliminate(best.row, best.unknown);
      look_at(best.row);
      for (const auto& x : e_.row(best.row)) touch(pair_of_unknown_[x.column]);
      for (std::uint32_t r : e_.changed()) {
        touch(pair_of_row_[r]);
        if (pair_of_row_[r] == p) look_at(r);
      }
    }
  }
  std::optional<Choice> best_in_row(std::uint32_t r, std::uint32_t p) const {
    std::optional<Choice> best;
    if (!e_.active(r)) return best;
    const auto look_at = [&](const LinearSystem::Entry& x) {
      const Choice k{x.value.node() != 1, std::uint64_t{e_.row_count(r)} * e_.column_count(x.column), r, x.column};
      if (!best || k < *best) best = k;
    };
    constexpr std::size_t few_entries = 16;  // for each unknown: not worth a search
    if (e_.row(r).size() <= few_entries * g_.unknowns[p].size()) {
      for (const auto& x : e_.row(r))
        if (pair_of_unknown_[x.column] == p) look_at(x);
    } else {
      for (const std::uint32_t c : g_.unknowns[p])
        if (const LinearSystem::Entry* x = e_.entry(r, c)) look_at(*x);
    }
    return best;
  }

  Elimination& e_;
  const OrderingProblem& p_;
  const GroupPairs& g_;
  const LadderOptions& options_;
  std::vector<std::uint32_t> pair_of_row_, pair_of_unknown_, mark_, distance_;
  std::vector<bool> done_;
  std::vector<bool> waits_, is_in_;     // by pair: of the station that is at work; in keys_
  std::vector<Key> key_;                // by pair
  std::set<Key> keys_;
  std::vector<std::uint32_t> touched_;  // pairs, by what was eliminated
  std::uint32_t stamp_ = 0;
};

}  // namespace

void run_ladder(Elimination& e, const OrderingProblem& p, const GroupPairs& g, const Stations& s, const LadderOptions& options) {
  Ladder(e, p, g, options).run(s);
}

}  // namespace kron::solve
