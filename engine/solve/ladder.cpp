#include "engine/solve/ladder.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>

namespace kron::solve {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

// ---- stations --------------------------------------------------------------------------------------------------------------------

// Torn pairs of one array of unknowns, as those of a spherical joint, belong to one station.
struct TornArrays {
  std::vector<std::uint32_t> first;                // of each torn pair's array; of other pairs none
  std::vector<std::vector<std::uint32_t>> members; // by first
};
TornArrays torn_arrays(const OrderingProblem& p, const GroupPairs& g) {
  TornArrays a{std::vector<std::uint32_t>(g.rows.size(), none), std::vector<std::vector<std::uint32_t>>(g.rows.size())};
  std::vector<std::uint32_t> of_array;
  for (std::uint32_t t = 0; t < g.rows.size(); ++t) {
    if (!g.torn[t]) continue;
    const std::uint32_t array = p.unknown_group[g.unknowns[t].front()];
    if (array >= of_array.size()) of_array.resize(array + std::size_t{1}, none);
    if (of_array[array] == none) of_array[array] = t;
    a.first[t] = of_array[array];
    a.members[a.first[t]].push_back(t);
  }
  return a;
}

// By path sets: as many steps as these have members, which is quadratic in the length of chains.
class PathStations {
 public:
  PathStations(const GroupPairs& g, const TornArrays& torn) : g_(g), torn_(torn), forward_(g.rows.size(), 0), backward_(g.rows.size(), 0) {}

  // Nothing where that takes more steps.
  std::optional<Stations> run(std::size_t most_steps = std::numeric_limits<std::size_t>::max()) {
    struct Key { std::size_t size; std::uint32_t torn; };
    std::vector<Key> keys;
    std::vector<std::vector<std::uint32_t>> paths(g_.rows.size());
    for (std::uint32_t t = 0; t < g_.rows.size(); ++t) {
      if (torn_.members[t].empty()) continue;
      std::vector<std::uint32_t>& path = paths[t];
      for (std::uint32_t one : torn_.members[t]) {
        const std::vector<std::uint32_t> own = path_set(one);
        path.insert(path.end(), own.begin(), own.end());
        if (steps_ > most_steps) return std::nullopt;
      }
      std::sort(path.begin(), path.end());
      path.erase(std::unique(path.begin(), path.end()), path.end());
      keys.push_back({path.empty() ? std::numeric_limits<std::size_t>::max() : path.size(), t});
    }
    std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
      return a.size != b.size ? a.size < b.size : a.torn < b.torn;
    });
    std::vector<bool> taken(g_.rows.size(), false);
    Stations stations;
    for (const Key& k : keys) {
      std::vector<std::uint32_t> s;
      for (std::uint32_t p : paths[k.torn])
        if (!taken[p]) {
          taken[p] = true;
          s.push_back(p);
        }
      for (std::uint32_t t : torn_.members[k.torn]) {
        s.push_back(t);
        taken[t] = true;
      }
      stations.push_back(std::move(s));
    }
    std::vector<std::uint32_t> rest;
    for (std::uint32_t p = 0; p < g_.rows.size(); ++p)
      if (!taken[p]) rest.push_back(p);
    if (!rest.empty()) stations.push_back(std::move(rest));
    return stations;
  }

 private:
  // Pairs reachable from t that also reach t's rows, without passing through other torn pairs.
  std::vector<std::uint32_t> path_set(std::uint32_t t) {
    ++stamp_;
    reach(t, g_.next, forward_);
    reach(t, g_.before, backward_);
    std::vector<std::uint32_t> both;
    for (std::uint32_t p : visited_)  // of the backward search
      if (forward_[p] == stamp_) both.push_back(p);
    return both;
  }

  void reach(std::uint32_t t, const std::vector<std::vector<std::uint32_t>>& edges, std::vector<std::uint32_t>& mark) {
    visited_.clear();
    std::vector<std::uint32_t> stack = {t};
    while (!stack.empty()) {
      const std::uint32_t x = stack.back();
      stack.pop_back();
      for (std::uint32_t y : edges[x]) {
        if (g_.torn[y] || mark[y] == stamp_) continue;
        mark[y] = stamp_;
        ++steps_;
        visited_.push_back(y);
        stack.push_back(y);
      }
    }
  }

  const GroupPairs& g_;
  const TornArrays& torn_;
  std::vector<std::uint32_t> forward_, backward_, visited_;
  std::uint32_t stamp_ = 0;
  std::size_t steps_ = 0;
};

// The same for many torn pairs, in linear time: each pair is labelled with the nearest torn pair upstream and downstream; the torn
// pairs form a tree, in which a parent moves what its children are fixed to; the station of a pair is the lowest torn pair above both
// its labels, and stations go by the size of their subtrees.
class TreeStations {
 public:
  TreeStations(const GroupPairs& g, const TornArrays& torn)
      : g_(g), torn_(torn), up_(g.rows.size(), none), down_(g.rows.size(), none) {}

  std::optional<Stations> run() {
    label(g_.next, up_);
    label(g_.before, down_);
    const auto n = static_cast<std::uint32_t>(g_.rows.size());
    find_parents();
    if (!find_depths()) return std::nullopt;
    std::vector<std::vector<std::uint32_t>> members(n);
    std::vector<std::size_t> size(n, 0);
    std::vector<std::uint32_t> rest;
    for (std::uint32_t p = 0; p < n; ++p) {
      if (g_.torn[p]) continue;
      const std::uint32_t t = meet(up_[p], down_[p]);
      if (t == none) rest.push_back(p);
      else members[t].push_back(p);
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t t = 0; t < n; ++t)
      if (!torn_.members[t].empty()) {
        order.push_back(t);
        size[t] = members[t].size();
      }
    std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return depth_[x] > depth_[y]; });
    for (std::uint32_t t : order)
      if (parent_[t] != none) size[parent_[t]] += size[t];
    for (std::size_t& s : size)
      if (s == 0) s = std::numeric_limits<std::size_t>::max();  // loop forces last
    std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return size[x] != size[y] ? size[x] < size[y] : x < y; });
    Stations stations;
    for (std::uint32_t t : order) {
      members[t].insert(members[t].end(), torn_.members[t].begin(), torn_.members[t].end());
      stations.push_back(std::move(members[t]));
    }
    if (!rest.empty()) stations.push_back(std::move(rest));
    return stations;
  }

 private:
  void label(const std::vector<std::vector<std::uint32_t>>& edges, std::vector<std::uint32_t>& of) const {
    std::vector<std::uint32_t> queue;
    for (std::uint32_t t = 0; t < g_.rows.size(); ++t)
      if (g_.torn[t]) {
        of[t] = torn_.first[t];
        queue.push_back(t);
      }
    for (std::size_t k = 0; k < queue.size(); ++k)
      for (std::uint32_t y : edges[queue[k]])
        if (of[y] == none) {
          of[y] = of[queue[k]];
          queue.push_back(y);
        }
  }
  // Of the torn pairs next to one, a parent moves what it is fixed to, and forces come back from there: the pair that both meet leads to the
  // parent's rows. What children and it meet in, forces, does not lead to the children's.
  void find_parents() {
    struct Meeting {
      std::uint32_t other, torn, pair;
      auto operator<=>(const Meeting&) const = default;
    };
    const auto n = static_cast<std::uint32_t>(g_.rows.size());
    std::vector<Meeting> meetings;
    for (std::uint32_t t = 0; t < n; ++t)
      if (g_.torn[t])
        for (std::uint32_t q : g_.next[t])
          for (std::uint32_t p : g_.before[q])
            if (!g_.torn[p] && !g_.torn[q] && up_[p] != torn_.first[t] && up_[p] != none) meetings.push_back({up_[p], torn_.first[t], q});
    std::sort(meetings.begin(), meetings.end());
    meetings.erase(std::unique(meetings.begin(), meetings.end()), meetings.end());
    parent_.assign(n, none);
    std::vector<std::uint32_t> any(n, none);  // where no one leads there
    std::vector<std::uint32_t> leads(n, none);  // to the rows of this torn pair
    for (std::size_t k = 0; k < meetings.size(); ++k) {
      const auto& [other, torn, pair] = meetings[k];
      if (k == 0 || other != meetings[k - 1].other) mark_near(other, leads);
      any[torn] = std::min(any[torn], other);
      if (leads[pair] == other) parent_[torn] = std::min(parent_[torn], other);
    }
    for (std::uint32_t t = 0; t < n; ++t)
      if (parent_[t] == none) parent_[t] = any[t];
  }
  // Pairs that lead to the rows of the torn pair, the nearest ones.
  void mark_near(std::uint32_t torn, std::vector<std::uint32_t>& leads) const {
    constexpr std::size_t near = 512;
    std::vector<std::uint32_t> queue = torn_.members[torn];
    for (std::size_t k = 0; k < queue.size() && k < near; ++k)
      for (std::uint32_t p : g_.before[queue[k]])
        if (!g_.torn[p] && leads[p] != torn) {
          leads[p] = torn;
          queue.push_back(p);
        }
  }
  bool find_depths() {  // false: the parents run in a circle
    depth_.assign(parent_.size(), none);
    for (std::uint32_t t = 0; t < parent_.size(); ++t) {
      std::vector<std::uint32_t> path;
      std::uint32_t at = t;
      while (at != none && depth_[at] == none) {
        depth_[at] = none - 1;  // on the path
        path.push_back(at);
        at = parent_[at];
      }
      if (at != none && depth_[at] == none - 1) return false;
      std::uint32_t d = at == none ? 0 : depth_[at] + 1;
      while (!path.empty()) {
        depth_[path.back()] = d++;
        path.pop_back();
      }
    }
    return true;
  }
  std::uint32_t meet(std::uint32_t x, std::uint32_t y) const {
    if (x == none || y == none) return x == none ? y : x;
    std::uint32_t a = x, b = y;
    while (a != b) {
      std::uint32_t& lower = depth_[a] >= depth_[b] ? a : b;
      if (parent_[lower] == none) return x;
      lower = parent_[lower];
    }
    return a;
  }

  const GroupPairs& g_;
  const TornArrays& torn_;
  std::vector<std::uint32_t> up_, down_, parent_, depth_;
};

// ---- elimination pair by pair ---------------------------------------------------------------------------------------------------

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
  }

  void run(const Stations& all) {
    std::vector<std::uint32_t> waiting;
    if (joins_shifts(options_.order))
      for (std::uint32_t p : *options_.shifts) {
        done_[p] = true;
        eliminate(p);
      }
    for (std::size_t k = 0;; ++k) {
      if (options_.before) options_.before(all.size() - k);
      if (k == all.size()) return;
      std::vector<std::uint32_t> station = all[k];
      station.insert(station.end(), waiting.begin(), waiting.end());
      waiting = do_station(std::move(station));
    }
  }

 private:
  struct Key {
    bool torn = false;
    std::uint32_t distance = 0;
    bool plain = false;  // its equations have no known part
    std::uint32_t degree = 0;
    std::size_t operations = 0;
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
    while (!todo.empty() && !e_.exhausted()) {
      std::vector<Key> keys;
      for (std::uint32_t p : todo)
        if (has_pivot(p)) keys.push_back({g_.torn[p], distance_[p], options_.order != StationOrder::degree && plain(p), degree(p), 0, p});
      if (keys.empty()) break;
      std::sort(keys.begin(), keys.end());
      std::size_t ties = 1;
      while (ties < keys.size() && keys[ties].same_rank(keys[0])) ++ties;
      if (ties > 1) {
        for (std::size_t k = 0; k < ties; ++k) keys[k].operations = new_operations(keys[k].pair);
        std::sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(ties));
      }
      if (g_.torn[keys[0].pair] && by_parts(options_.order))
        while (const std::optional<std::uint32_t> p = between(keys[0].pair)) take(*p, todo);
      take(keys[0].pair, todo);
    }
    return todo;
  }

  void take(std::uint32_t p, std::vector<std::uint32_t>& todo) {
    std::erase(todo, p);
    done_[p] = true;
    eliminate(p);
  }

  // A pair that makes no fill where the torn pair would make it: its rows hold unknowns only that the torn pair's hold, or its unknowns
  // stand only where the torn ones do. Or one of two that are so but for a third pair at which both arrive, from one copy of an array to
  // the next: of two copies one goes. Of any station.
  std::optional<std::uint32_t> between(std::uint32_t torn) {
    std::set<std::uint32_t> held, holding;
    const auto each_held = [&](std::uint32_t p, auto&& f) {
      for (std::uint32_t r : g_.rows[p])
        if (e_.active(r))
          for (const auto& x : e_.row(r)) f(pair_of_unknown_[x.column]);
    };
    const auto each_holding = [&](std::uint32_t p, auto&& f) {
      for (std::uint32_t c : g_.unknowns[p])
        if (e_.unsolved(c))
          for (std::uint32_t r : e_.holders(c)) f(pair_of_row_[r]);
    };
    each_held(torn, [&](std::uint32_t q) { held.insert(q); });
    each_holding(torn, [&](std::uint32_t q) { holding.insert(q); });
    if (const auto p = inside(held, each_held)) return p;
    return inside(holding, each_holding);
  }
  template <class Each>
  std::optional<std::uint32_t> inside(const std::set<std::uint32_t>& all, Each&& each_neighbour) const {
    constexpr std::size_t most_copies = 8;  // of one array in a row: further on are other parts
    std::unordered_map<std::uint32_t, std::uint32_t> copy_of;
    const auto can_go = [&](std::uint32_t p) { return !g_.torn[p] && !done_[p] && has_pivot(p); };
    const auto outside = [&](std::uint32_t p) {
      std::set<std::uint32_t> out;
      each_neighbour(p, [&](std::uint32_t q) {
        if (q != p && !all.contains(q)) out.insert(q);
      });
      return out;
    };
    for (std::uint32_t p : all) {
      std::uint32_t at = p;
      for (std::size_t k = 0; k < most_copies && can_go(at); ++k) {
        const std::set<std::uint32_t> out = outside(at);
        if (out.empty()) return p;
        if (out.size() > 1) break;
        at = *out.begin();
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
    const auto offer = [&](std::uint32_t r) {
      if (const auto it = of_row.find(r); it != of_row.end()) {
        queue.erase(it->second);
        of_row.erase(it);
      }
      if (const std::optional<Choice> best = best_in_row(r, p)) {
        queue.insert(*best);
        of_row.emplace(r, *best);
      }
    };
    for (std::uint32_t r : g_.rows[p]) offer(r);
    while (!queue.empty() && !e_.exhausted()) {
      const Choice best = *queue.begin();
      offer(best.row);
      if (*queue.begin() != best) continue;
      e_.eliminate(best.row, best.unknown);
      offer(best.row);
      for (std::uint32_t r : e_.changed())
        if (pair_of_row_[r] == p) offer(r);
    }
  }
  std::optional<Choice> best_in_row(std::uint32_t r, std::uint32_t p) const {
    std::optional<Choice> best;
    if (!e_.active(r)) return best;
    for (const auto& x : e_.row(r)) {
      if (pair_of_unknown_[x.column] != p) continue;
      const Choice k{x.value.node() != 1, std::uint64_t{e_.row_count(r)} * e_.column_count(x.column), r, x.column};
      if (!best || k < *best) best = k;
    }
    return best;
  }

  Elimination& e_;
  const OrderingProblem& p_;
  const GroupPairs& g_;
  const LadderOptions& options_;
  std::vector<std::uint32_t> pair_of_row_, pair_of_unknown_, mark_, distance_;
  std::vector<bool> done_;
  std::uint32_t stamp_ = 0;
};

}  // namespace

Stations ladder_stations(const OrderingProblem& p, const GroupPairs& g, bool even) {
  constexpr std::size_t long_paths = 128;  // steps for each pair
  const TornArrays torn = torn_arrays(p, g);
  std::optional<Stations> paths = PathStations(g, torn).run(long_paths * g.rows.size());
  if (paths && (!even || !lopsided(*paths))) return std::move(*paths);
  if (std::optional<Stations> tree = TreeStations(g, torn).run()) return std::move(*tree);
  return paths ? std::move(*paths) : *PathStations(g, torn).run();
}

std::optional<Stations> tree_stations(const OrderingProblem& p, const GroupPairs& g) {
  const TornArrays torn = torn_arrays(p, g);
  return TreeStations(g, torn).run();
}

namespace {
struct Sizes {
  std::size_t pairs = 0, most = 0;  // of all stations, of the largest
};
Sizes sizes(const Stations& all) {
  Sizes s;
  for (const auto& station : all) {
    s.pairs += station.size();
    s.most = std::max(s.most, station.size());
  }
  return s;
}
}  // namespace

bool lopsided(const Stations& all) {
  const Sizes s = sizes(all);
  return 8 * s.most > s.pairs;
}

bool takes_long(const Stations& all) {
  constexpr std::size_t for_each_pair = 128;  // comparisons
  const Sizes s = sizes(all);
  return s.most * s.most > for_each_pair * s.pairs;
}

void run_ladder(Elimination& e, const OrderingProblem& p, const GroupPairs& g, const Stations& s, const LadderOptions& options) {
  Ladder(e, p, g, options).run(s);
}

}  // namespace kron::solve
