#include "engine/solve/stations.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <span>

namespace kron::solve {
namespace {

// Torn pairs of one array of unknowns, as those of a spherical joint, belong to one station.
struct TornArrays {
  std::vector<std::uint32_t> first;                // of each torn pair's array; of other pairs none
  std::vector<std::vector<std::uint32_t>> members; // by first
  std::vector<bool> own;                           // by first: the unknowns stand in their own rows
};
TornArrays torn_arrays(const OrderingProblem& p, const GroupPairs& g) {
  TornArrays a{std::vector<std::uint32_t>(g.rows.size(), none), std::vector<std::vector<std::uint32_t>>(g.rows.size()), std::vector<bool>(g.rows.size(), false)};
  std::vector<std::uint32_t> of_array;
  for (std::uint32_t t = 0; t < g.rows.size(); ++t) {
    if (!g.torn[t]) continue;
    const std::uint32_t array = p.unknown_group[g.unknowns[t].front()];
    if (array >= of_array.size()) of_array.resize(array + std::size_t{1}, none);
    if (of_array[array] == none) of_array[array] = t;
    a.first[t] = of_array[array];
    a.members[a.first[t]].push_back(t);
    for (std::uint32_t r : g.rows[t])
      for (const auto& e : p.system->rows[r])
        if (std::ranges::find(g.unknowns[t], e.column) != g.unknowns[t].end()) a.own[a.first[t]] = true;
  }
  return a;
}

// Torn pairs that a path leads back to, as those of joints, and the tree that they make.
struct Tree {
  std::vector<std::uint32_t> order;                 // first torn pairs, leaves before what carries them
  std::vector<std::vector<std::uint32_t>> members;  // by first torn pair: the pairs of its station, without the torn ones
  std::vector<std::uint32_t> parent;                // by first torn pair: the one that carries it
};

// The torn pair at the least distance upstream and downstream of each pair, of the `sources`, earlier ones first.
struct Labels {
  Labels(const GroupPairs& g, const TornArrays& torn, const std::vector<std::uint32_t>& sources)
      : up(nearest(g, torn, sources, g.next)), down(nearest(g, torn, sources, g.before)) {}
  std::vector<std::uint32_t> up, down;

 private:
  static std::vector<std::uint32_t> nearest(const GroupPairs& g, const TornArrays& torn, const std::vector<std::uint32_t>& sources,
                                            const std::vector<std::vector<std::uint32_t>>& edges) {
    std::vector<std::uint32_t> of(g.rows.size(), none), queue;
    for (std::uint32_t first : sources)
      for (std::uint32_t t : torn.members[first]) {
        of[t] = first;
        queue.push_back(t);
      }
    for (std::size_t k = 0; k < queue.size(); ++k)
      for (std::uint32_t y : edges[queue[k]])
        if (of[y] == none && !g.torn[y]) {
          of[y] = of[queue[k]];
          queue.push_back(y);
        }
    return of;
  }
};

// By path sets: as many steps as these have members, which is quadratic in the length of chains.
class PathSets {
 public:
  PathSets(const GroupPairs& g, const TornArrays& torn) : g_(g), torn_(torn), forward_(g.rows.size(), 0), backward_(g.rows.size(), 0) {}

  // Nothing where that takes more steps. Torn pairs without a path, not even from an unknown to the row that it stands in, are `closing`.
  std::optional<Tree> run(std::size_t most_steps, std::vector<bool>& closing) {
    const std::size_t n = g_.rows.size();
    struct Key { std::size_t size; std::uint32_t torn; };
    std::vector<Key> keys;
    std::vector<std::vector<std::uint32_t>> paths(n);
    std::vector<std::uint32_t> path_of(n, none);  // by pair: the last torn pair with a path through it
    for (std::uint32_t t = 0; t < n; ++t) {
      if (torn_.members[t].empty()) continue;
      std::vector<std::uint32_t>& path = paths[t];
      for (std::uint32_t one : torn_.members[t]) {
        for (std::uint32_t p : path_set(one)) {
          if (path_of[p] == t) continue;
          path_of[p] = t;
          path.push_back(p);
        }
        if (steps_ > most_steps) return std::nullopt;
      }
      closing[t] = path.empty() && !torn_.own[t];
      if (!closing[t]) keys.push_back({path.size(), t});
    }
    std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
      return a.size != b.size ? a.size < b.size : a.torn < b.torn;
    });
    Tree tree{{}, std::vector<std::vector<std::uint32_t>>(n), std::vector<std::uint32_t>(n, none)};
    std::vector<std::uint32_t> outermost(n, none);  // by pair: the largest torn pair so far with a path through it
    for (const Key& k : keys) {
      tree.order.push_back(k.torn);
      for (std::uint32_t p : paths[k.torn]) {
        if (outermost[p] == none) tree.members[k.torn].push_back(p);
        else if (tree.parent[outermost[p]] == none) tree.parent[outermost[p]] = k.torn;
        outermost[p] = k.torn;
      }
      std::ranges::sort(tree.members[k.torn]);
    }
    return tree;
  }

  // Whether a path leads from the torn pairs to their own rows, as far as one can see: a path is short, as the nearest body is near.
  bool has_path(std::uint32_t first) {
    constexpr std::size_t near = 512;
    return torn_.own[first] || std::ranges::any_of(torn_.members[first], [&](std::uint32_t t) { return !path_set(t, near).empty(); });
  }

 private:
  // Pairs reachable from t that also reach t's rows, without passing through other torn pairs. Of the nearest ones only, `most`.
  std::vector<std::uint32_t> path_set(std::uint32_t t, std::size_t most = std::numeric_limits<std::size_t>::max()) {
    ++stamp_;
    reach(t, g_.next, forward_, most);
    reach(t, g_.before, backward_, most);
    std::vector<std::uint32_t> both;
    for (std::uint32_t p : visited_)  // of the backward search
      if (forward_[p] == stamp_) both.push_back(p);
    return both;
  }

  void reach(std::uint32_t t, const std::vector<std::vector<std::uint32_t>>& edges, std::vector<std::uint32_t>& mark, std::size_t most) {
    visited_.clear();
    const auto go_on = [&](std::uint32_t x) {
      for (std::uint32_t y : edges[x]) {
        if (visited_.size() >= most) return;
        if (g_.torn[y] || mark[y] == stamp_) continue;
        mark[y] = stamp_;
        ++steps_;
        visited_.push_back(y);
      }
    };
    go_on(t);
    for (std::size_t k = 0; k < visited_.size() && visited_.size() < most; ++k) go_on(visited_[k]);
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
class NearestTree {
 public:
  NearestTree(const GroupPairs& g, const TornArrays& torn, const std::vector<bool>& closing)
      : g_(g), torn_(torn), closing_(closing), labels_(g, torn, sources(torn, closing)) {}

  std::optional<Tree> run() {
    const auto n = static_cast<std::uint32_t>(g_.rows.size());
    find_parents();
    if (!find_depths(parent_, depth_)) return std::nullopt;
    Tree tree{{}, std::vector<std::vector<std::uint32_t>>(n), {}};
    std::vector<std::size_t> size(n, 0);
    for (std::uint32_t p = 0; p < n; ++p) {
      if (g_.torn[p] || labels_.up[p] == none || labels_.down[p] == none) continue;
      tree.members[meet(labels_.up[p], labels_.down[p])].push_back(p);
    }
    for (std::uint32_t t = 0; t < n; ++t)
      if (!torn_.members[t].empty() && !closing_[t]) {
        tree.order.push_back(t);
        size[t] = tree.members[t].size();
      }
    std::stable_sort(tree.order.begin(), tree.order.end(), [&](auto x, auto y) { return depth_[x] > depth_[y]; });
    for (std::uint32_t t : tree.order)
      if (parent_[t] != none) size[parent_[t]] += size[t];
    std::stable_sort(tree.order.begin(), tree.order.end(), [&](auto x, auto y) { return size[x] != size[y] ? size[x] < size[y] : x < y; });
    tree.parent = std::move(parent_);
    return tree;
  }

  // False: the parents run in a circle.
  static bool find_depths(const std::vector<std::uint32_t>& parent, std::vector<std::uint32_t>& depth) {
    depth.assign(parent.size(), none);
    for (std::uint32_t t = 0; t < parent.size(); ++t) {
      std::vector<std::uint32_t> path;
      std::uint32_t at = t;
      while (at != none && depth[at] == none) {
        depth[at] = none - 1;  // on the path
        path.push_back(at);
        at = parent[at];
      }
      if (at != none && depth[at] == none - 1) return false;
      std::uint32_t d = at == none ? 0 : depth[at] + 1;
      while (!path.empty()) {
        depth[path.back()] = d++;
        path.pop_back();
      }
    }
    return true;
  }

 private:
  // Of the torn pairs next to one, a parent moves what it is fixed to, and forces come back from there: the pair that both meet leads to the
  // parent's rows. What children and it meet in, forces, does not lead to the children's.
  void find_parents() {
    struct Meeting {
      std::uint32_t other, torn, pair;
      auto operator<=>(const Meeting&) const = default;
    };
    const auto n = static_cast<std::uint32_t>(g_.rows.size());
    std::vector<Meeting> meetings;
    constexpr std::size_t near = 1024;  // of thousands that meet in one pair
    for (std::uint32_t t = 0; t < n; ++t)
      if (g_.torn[t] && !closing_[torn_.first[t]])
        for (std::uint32_t q : g_.next[t])
          for (std::uint32_t p : std::span(g_.before[q]).first(std::min(near, g_.before[q].size())))
            if (!g_.torn[p] && !g_.torn[q] && labels_.up[p] != torn_.first[t] && labels_.up[p] != none)
              meetings.push_back({labels_.up[p], torn_.first[t], q});
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
  std::uint32_t meet(std::uint32_t x, std::uint32_t y) const {
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
  static std::vector<std::uint32_t> sources(const TornArrays& torn, const std::vector<bool>& closing) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t t = 0; t < torn.first.size(); ++t)
      if (!torn.members[t].empty() && !closing[t]) all.push_back(t);
    return all;
  }

  const std::vector<bool>& closing_;
  const Labels labels_;
  std::vector<std::uint32_t> parent_, depth_;
};

// Where what closes loops goes: after all else; or before the torn pair that carries the loop, when the loop's own have gone.
enum class Closing : std::uint8_t { last, carried };

// Stations of a tree and of what closes loops in it.
class ClosedTree {
 public:
  ClosedTree(const GroupPairs& g, const TornArrays& torn, const std::vector<bool>& closing, Tree tree)
      : g_(g), torn_(torn), closing_(closing), tree_(std::move(tree)), labels_(g, torn, tree_.order) {}

  // Nothing where no loop is carried and loops are to be. `even`: what leads to the rows of loops, as positions that are differentiated,
  // goes with the joints that move it, and not to the end with what closes them there.
  std::optional<Stations> run(Closing when, bool even) {
    const auto n = static_cast<std::uint32_t>(g_.rows.size());
    const auto end = static_cast<std::uint32_t>(tree_.order.size());
    place_.assign(n, end);
    for (std::uint32_t k = 0; k < end; ++k) {
      place_[tree_.order[k]] = k;
      for (std::uint32_t p : tree_.members[tree_.order[k]]) place_[p] = k;
    }
    NearestTree::find_depths(tree_.parent, depth_);
    std::vector<Loop> loops;
    for (std::uint32_t t = 0; t < n; ++t)
      if (!torn_.members[t].empty() && closing_[t]) loops.push_back(when == Closing::carried ? loop(t) : Loop{t, end});
    if (when == Closing::carried && std::ranges::none_of(loops, [](const Loop& l) { return l.carried; })) return std::nullopt;
    const std::vector<bool> last = even ? std::vector<bool>(n, false) : of_loops_at_the_end(loops);
    for (std::uint32_t p = 0; p < n; ++p) {
      if (place_[p] < end || g_.torn[p] || last[p]) continue;
      const std::uint32_t up = labels_.up[p], down = labels_.down[p];
      if (const std::uint32_t t = up == none ? down : down == none ? up : meet(up, down); t != none) place_[p] = place_[t];
    }
    std::vector<Stations> before(end + std::size_t{1});  // what closes loops, by the station that follows
    closed_.assign(n, false);
    for (const Loop& l : loops) {
      std::vector<std::uint32_t>& station = before[l.place].emplace_back(l.carried ? between(l) : std::vector<std::uint32_t>{});
      station.insert(station.end(), torn_.members[l.torn].begin(), torn_.members[l.torn].end());
    }
    Stations joints(end + std::size_t{1}), all;
    for (std::uint32_t p = 0; p < n; ++p)
      if (!g_.torn[p] && !closed_[p]) joints[place_[p]].push_back(p);
    for (std::uint32_t k = 0; k <= end; ++k) {
      std::ranges::move(before[k], std::back_inserter(all));
      if (k < end) std::ranges::copy(torn_.members[tree_.order[k]], std::back_inserter(joints[k]));
      if (!joints[k].empty()) all.push_back(std::move(joints[k]));
    }
    return all;
  }

 private:
  struct Loop {
    std::uint32_t torn = 0;            // the first of the pairs that close it
    std::uint32_t place = 0;           // of the station that follows
    bool carried = false;              // by that one
    std::set<std::uint32_t> joints{};  // next to it
  };
  Loop loop(std::uint32_t torn) const {
    Loop l{torn};
    for (std::uint32_t t : torn_.members[torn]) {
      for (std::uint32_t q : g_.next[t]) l.joints.insert(labels_.down[q] != none ? labels_.down[q] : labels_.up[q]);
      for (std::uint32_t p : g_.before[t]) l.joints.insert(labels_.up[p] != none ? labels_.up[p] : labels_.down[p]);
    }
    l.joints.erase(none);
    std::uint32_t carrier = l.joints.size() > 1 ? *l.joints.begin() : none;  // of one the other side is held by nothing that moves
    for (std::uint32_t t : l.joints) {
      if (carrier != none) carrier = meet(carrier, t);
      while (tree_.parent[t] != none) t = tree_.parent[t];
      l.place = std::max(l.place, place_[t] + 1);
    }
    if (l.joints.empty()) l.place = static_cast<std::uint32_t>(tree_.order.size());
    if (carrier == none) return l;
    l.carried = true;
    l.place = place_[carrier];
    return l;
  }
  // Pairs without a station that lead to the rows of loops that nothing carries, but to no others.
  std::vector<bool> of_loops_at_the_end(const std::vector<Loop>& loops) const {
    const auto leading = [&](bool carried) {
      std::vector<bool> lead(g_.rows.size(), false);
      std::vector<std::uint32_t> queue;
      for (const Loop& l : loops)
        if (l.carried == carried) queue.insert(queue.end(), torn_.members[l.torn].begin(), torn_.members[l.torn].end());
      for (std::size_t k = 0; k < queue.size(); ++k)
        for (std::uint32_t p : g_.before[queue[k]])
          if (!g_.torn[p] && place_[p] == tree_.order.size() && !lead[p]) {
            lead[p] = true;
            queue.push_back(p);
          }
      return lead;
    };
    std::vector<bool> last = leading(false);
    const std::vector<bool> carried = leading(true);
    for (std::size_t p = 0; p < last.size(); ++p) last[p] = last[p] && !carried[p];
    return last;
  }
  // Pairs through which what closes a loop acts on the joints of the loop, or they on its rows, of the station that follows.
  std::vector<std::uint32_t> between(const Loop& l) {
    std::vector<std::uint32_t> out;
    std::set<std::uint32_t> joints;
    for (std::uint32_t t : l.joints)
      for (; t != none && place_[t] < l.place; t = tree_.parent[t]) joints.insert(t);
    const auto go = [&](const auto& from, const auto& from_joints) {
      std::set<std::uint32_t> reached;
      std::vector<std::uint32_t> queue = torn_.members[l.torn];
      for (std::size_t k = 0; k < queue.size(); ++k)
        for (std::uint32_t p : from[queue[k]])
          if (!g_.torn[p] && place_[p] <= l.place && reached.insert(p).second) queue.push_back(p);
      queue.clear();
      for (std::uint32_t j : joints) std::ranges::copy(torn_.members[j], std::back_inserter(queue));
      for (std::size_t k = 0; k < queue.size(); ++k)
        for (std::uint32_t p : from_joints[queue[k]])
          if (reached.erase(p)) {
            queue.push_back(p);
            if (place_[p] != l.place || closed_[p]) continue;
            closed_[p] = true;
            out.push_back(p);
          }
    };
    go(g_.next, g_.before);
    go(g_.before, g_.next);
    return out;
  }
  std::uint32_t meet(std::uint32_t x, std::uint32_t y) const {
    while (x != y) {
      std::uint32_t& lower = depth_[x] >= depth_[y] ? x : y;
      if (tree_.parent[lower] == none) return none;
      lower = tree_.parent[lower];
    }
    return x;
  }

  const GroupPairs& g_;
  const TornArrays& torn_;
  const std::vector<bool>& closing_;
  Tree tree_;
  const Labels labels_;
  std::vector<std::uint32_t> place_, depth_;  // by pair: the place of its station in the order; in the tree
  std::vector<bool> closed_;                  // goes with what closes a loop
};

}  // namespace

namespace {
std::optional<Stations> by_tree(const OrderingProblem& p, const GroupPairs& g, Closing when) {
  const TornArrays torn = torn_arrays(p, g);
  std::vector<bool> closing(g.rows.size(), false);
  PathSets sets(g, torn);
  for (std::uint32_t t = 0; t < g.rows.size(); ++t) closing[t] = !torn.members[t].empty() && !sets.has_path(t);
  std::optional<Tree> tree = NearestTree(g, torn, closing).run();
  if (!tree) return std::nullopt;
  return ClosedTree(g, torn, closing, std::move(*tree)).run(when, true);
}

std::optional<Stations> by_paths(const OrderingProblem& p, const GroupPairs& g, Closing when, std::size_t most_steps) {
  const TornArrays torn = torn_arrays(p, g);
  std::vector<bool> closing(g.rows.size(), false);
  std::optional<Tree> tree = PathSets(g, torn).run(most_steps, closing);
  if (!tree) return std::nullopt;
  return ClosedTree(g, torn, closing, std::move(*tree)).run(when, false);
}

std::optional<Stations> stations(const OrderingProblem& p, const GroupPairs& g, bool even, Closing when) {
  // Steps for each pair. What carries a loop is seen better from path sets than from the nearest torn pairs: 100 four-bars on each other cost
  // 93,039 operations by these, 110,251 without, by Markowitz with no stations.
  const std::size_t long_paths = when == Closing::carried ? 1024 : 128;
  std::optional<Stations> paths = by_paths(p, g, when, long_paths * g.rows.size());
  if (paths && (!even || !lopsided(*paths))) return paths;
  std::optional<Stations> tree = by_tree(p, g, when);
  return tree ? tree : paths;
}
}  // namespace

Stations ladder_stations(const OrderingProblem& p, const GroupPairs& g, bool even) {
  if (std::optional<Stations> s = stations(p, g, even, Closing::last)) return std::move(*s);
  return *by_paths(p, g, Closing::last, std::numeric_limits<std::size_t>::max());
}

std::optional<Stations> loops_first_stations(const OrderingProblem& p, const GroupPairs& g, bool even) {
  return stations(p, g, even, Closing::carried);
}

bool lopsided(const Stations& all) {
  std::size_t pairs = 0, most = 0;  // of the largest
  for (const auto& station : all) {
    pairs += station.size();
    most = std::max(most, station.size());
  }
  return 8 * most > pairs;
}

}  // namespace kron::solve
