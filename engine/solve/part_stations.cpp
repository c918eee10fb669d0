#include "engine/solve/part_stations.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <ranges>
#include <set>
#include <unordered_map>

#include "engine/solve/flow.hpp"

namespace kron::solve {
namespace {

// Pairs that a torn one leads to without passing through others, nearest first.
class Nearest {
 public:
  static constexpr std::size_t few = 512;
  explicit Nearest(const GroupPairs& g) : g_(g), mark_(g.rows.size(), 0) {}

  // Goes through the torn ones among so many pairs, as long as `f`, told how far each is, asks for more.
  template <class F>
  void torn(std::uint32_t from, std::size_t near, F&& f) {
    ++stamp_;
    queue_.assign(1, {from, 0});
    for (std::size_t k = 0; k < queue_.size() && k < near; ++k)
      for (std::uint32_t q : g_.next[queue_[k].first]) {
        if (mark_[q] == stamp_) continue;
        mark_[q] = stamp_;
        if (!g_.torn[q]) queue_.emplace_back(q, queue_[k].second + 1);
        else if (!f(q, queue_[k].second)) return;
      }
  }
  bool is_met(std::uint32_t k) const { return mark_[k] == stamp_; }

 private:
  const GroupPairs& g_;
  std::vector<std::uint32_t> mark_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> queue_;
  std::uint32_t stamp_ = 0;
};

// Whether the row holds the torn pair's unknown.
bool stands_in(const OrderingProblem& p, const GroupPairs& g, std::uint32_t torn, std::uint32_t row) {
  return std::ranges::any_of(p.system->rows[row], [&](const auto& e) { return e.column == g.unknowns[torn][0]; });
}

// Each torn pair with the rows of that one.
template <class F>
GroupPairs with_rows(const OrderingProblem& p, GroupPairs g, F&& of) {
  const std::vector<std::vector<std::uint32_t>> rows = g.rows;
  bool changed = false;
  for (std::uint32_t t = 0; t < rows.size(); ++t) {
    if (!g.torn[t]) continue;
    g.rows[t] = rows[of(t)];
    changed = changed || of(t) != t;
  }
  if (changed) find_flow(g, p);
  return g;
}

// Torn pairs of one row and one unknown each, the nearest ones. Nothing where there are rows that no unknown which is left leads to: those of
// closed loops, whose forces lead to others only.
std::optional<GroupPairs> torn_apart(const OrderingProblem& p, GroupPairs g) {
  const std::size_t n = g.rows.size();
  for (std::size_t k = 0; k < n; ++k)
    while (g.torn[k] && g.rows[k].size() > 1) {
      g.rows.push_back({g.rows[k].back()});
      g.unknowns.push_back({g.unknowns[k].back()});
      g.torn.push_back(true);
      g.rows[k].pop_back();
      g.unknowns[k].pop_back();
    }
  if (g.rows.size() > n) find_flow(g, p);
  struct Wish {
    std::uint32_t distance, torn, row;
    auto operator<=>(const Wish&) const = default;
  };
  std::vector<std::uint32_t> left;
  for (std::uint32_t k = 0; k < g.rows.size(); ++k)
    if (g.torn[k]) left.push_back(k);
  std::vector<std::uint32_t> row_of(g.rows.size(), none);
  std::vector<bool> taken(g.rows.size(), false);
  Nearest nearest(g);
  std::size_t near = Nearest::few;
  while (!left.empty()) {
    std::vector<Wish> wishes;
    for (std::uint32_t t : left) {
      if (!taken[t] && stands_in(p, g, t, g.rows[t][0])) {
        wishes.push_back({0, t, t});
        continue;
      }
      nearest.torn(t, near, [&](std::uint32_t q, std::uint32_t distance) {
        if (!taken[q]) wishes.push_back({distance, t, q});
        return static_cast<bool>(taken[q]);
      });
    }
    if (wishes.empty()) {  // a whole tree of bodies may hang between a joint and its row
      if (near >= g.rows.size()) return std::nullopt;
      near *= 4;
      continue;
    }
    std::ranges::sort(wishes);
    for (const auto& [distance, t, q] : wishes)
      if (row_of[t] == none && !taken[q]) {
        row_of[t] = q;
        taken[q] = true;
      }
    std::erase_if(left, [&](std::uint32_t t) { return row_of[t] != none; });
  }
  return with_rows(p, std::move(g), [&](std::uint32_t t) { return row_of[t]; });
}

// Which pairs pass motion on.
class Motion {
 public:
  Motion(const OrderingProblem& p, const GroupPairs& g) : g_(g), n_(static_cast<std::uint32_t>(g.rows.size())), from_(n_, no_part) {
    Graph before(n_);
    for (std::uint32_t k = 0; k < n_; ++k) {
      part_.push_back(p.part[g.rows[k][0]]);
      each_next(k, [&](std::uint32_t q) { before[q].push_back(k); });
    }
    depth_ = longest_paths_of_components(before);
  }

  // Empty where nothing flows back, as between velocities.
  std::vector<bool> run() {
    std::vector<std::uint32_t> order(n_);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t k) { return depth_[k]; });
    find_ways(order);
    if (std::ranges::none_of(ways_, [&](const auto& x) { return ways_.contains({x.first.second, x.first.first}); })) return {};
    find_movers();
    std::vector<bool> moves(n_, false);
    const auto passes_to = [&](std::uint32_t k, std::uint32_t q) {
      if (part_[q] == no_part || part_[q] == from_[k]) return static_cast<bool>(moves[q]);
      return from_[k] == no_part || movers_[part_[q]].contains(from_[k]);  // nothing but torn unknowns lead to k: they are motion
    };
    for (std::uint32_t k : std::views::reverse(order)) each_next(k, [&](std::uint32_t q) { moves[k] = moves[k] || passes_to(k, q); });
    return moves;
  }

 private:
  template <class F>
  void each_next(std::uint32_t k, F&& f) const {
    if (!g_.torn[k])
      for (std::uint32_t q : g_.next[k])
        if (!g_.torn[q]) f(q);
  }

  // From part to part, through connections, too.
  void find_ways(const std::vector<std::uint32_t>& order) {
    for (std::uint32_t k : order) {
      if (part_[k] != no_part) from_[k] = part_[k];
      each_next(k, [&](std::uint32_t q) {
        if (part_[q] == no_part) from_[q] = from_[k];
        else if (from_[k] != no_part && part_[q] != from_[k])
          ways_.try_emplace({from_[k], part_[q]}, Times{depth_[k], depth_[k]}).first->second.latest = depth_[k];
      });
    }
  }
  // Of the two ways between neighbours the later one is of forces, which follow from the motion. What goes one way only is motion unless
  // the part gets its own from there: forces go past a joint in which they do nothing.
  void find_movers() {
    struct Way { std::uint32_t earliest, from, to; };
    std::vector<Way> one_way;
    for (const auto& [way, times] : ways_) {
      const auto& [from, to] = way;
      if (const auto back = ways_.find({to, from}); back == ways_.end()) one_way.push_back({times.earliest, from, to});
      else if (times.latest < back->second.latest) movers_[to].insert(from);
    }
    std::ranges::stable_sort(one_way, {}, &Way::earliest);
    for (const auto& [earliest, from, to] : one_way)
      if (!gets_motion(from, to)) movers_[to].insert(from);
  }
  bool gets_motion(std::uint32_t part, std::uint32_t by) {
    constexpr std::size_t near = 64;  // parts
    std::vector<std::uint32_t> queue = {part};
    for (std::size_t k = 0; k < queue.size() && k < near; ++k)
      for (std::uint32_t from : movers_[queue[k]]) {
        if (from == by) return true;
        if (std::ranges::find(queue, from) == queue.end()) queue.push_back(from);
      }
    return false;
  }

  const GroupPairs& g_;
  std::uint32_t n_;
  std::vector<std::uint32_t> part_, from_;  // from: its own, or that which a connection's pair takes from
  std::vector<std::uint32_t> depth_;        // the longest path there
  struct Times { std::uint32_t earliest = 0, latest = 0; };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Times> ways_;      // from one part to another
  std::unordered_map<std::uint32_t, std::set<std::uint32_t>> movers_;  // of a part
};

// Level by level; the torn pairs of a level behind all else of it: first those inside of a part, as what a joint adds to the motion that it
// takes over, then those on the part's side towards the root.
class Places {
 public:
  Places(const OrderingProblem& p, const GroupPairs& g, const std::vector<bool>& motion, const PairLevels& levels)
      : p_(p), g_(g), motion_(motion), levels_(levels), n_(static_cast<std::uint32_t>(g.rows.size())) {
    place_torn();
  }

  Stations stations() const {
    std::vector<std::vector<std::uint32_t>> at(1 + *std::ranges::max_element(place_));
    for (std::uint32_t k = 0; k < n_; ++k) at[place_[k]].push_back(k);
    Stations all;
    bool open = false;
    for (const auto& some : at) {
      if (some.empty()) continue;
      if (!open) all.emplace_back();
      all.back().insert(all.back().end(), some.begin(), some.end());
      open = !g_.torn[some[0]];
    }
    return all;
  }

  GroupPairs with_rows_in_time() const {
    std::vector<std::uint32_t> torn;
    for (std::uint32_t k = 0; k < n_; ++k)
      if (g_.torn[k]) torn.push_back(k);
    std::ranges::stable_sort(torn, {}, [&](std::uint32_t k) { return place_[k]; });
    const std::vector<std::uint32_t> found = rows_of(torn);
    std::map<std::uint32_t, std::vector<std::uint32_t>> unknowns, rows;  // torn pairs, by array of the unknowns
    for (std::size_t k = 0; k < torn.size(); ++k) {
      unknowns[array(torn[k])].push_back(torn[k]);
      rows[array(torn[k])].push_back(found[k]);
    }
    std::vector<std::uint32_t> of(n_, none);
    for (auto& [a, list] : rows) {  // elements in order, or a symmetric matrix would not be eliminated as one
      std::ranges::sort(list, {}, [&](std::uint32_t k) { return g_.rows[k][0]; });
      std::ranges::sort(unknowns[a], {}, [&](std::uint32_t k) { return g_.unknowns[k][0]; });
      for (std::size_t k = 0; k < list.size(); ++k) of[unknowns[a][k]] = list[k];
    }
    return with_rows(p_, g_, [&](std::uint32_t t) { return of[t]; });
  }

 private:
  enum Stage : std::uint32_t { not_torn, inside, outside, stages };
  std::uint32_t array(std::uint32_t torn) const { return p_.unknown_group[g_.unknowns[torn][0]]; }

  void place_torn() {
    struct Torn {
      std::uint32_t level = 0;
      bool inside = false;
    };
    std::unordered_map<std::uint32_t, Torn> of_array;
    for (std::uint32_t k = 0; k < n_; ++k) {
      if (!g_.torn[k]) continue;
      Torn& t = of_array[array(k)];
      for (std::uint32_t q : g_.next[k]) {
        if (!motion_[q]) continue;
        t.level = std::max(t.level, levels_.of_part[q]);
        t.inside = t.inside || std::ranges::all_of(g_.before[q], [&](std::uint32_t x) { return g_.torn[x] && array(x) == array(k); });
      }
    }
    for (std::uint32_t k = 0; k < n_; ++k) {
      std::uint32_t level = levels_.of_pair[k];
      Stage stage = not_torn;
      if (g_.torn[k]) {
        const Torn& t = of_array[array(k)];
        if (t.level > 0) level = t.level;
        stage = t.inside ? inside : outside;
      }
      place_.push_back(level / 2 * stages + stage);
    }
  }

  // Of each of the torn pairs, outermost first, the one whose rows become its own.
  std::vector<std::uint32_t> rows_of(const std::vector<std::uint32_t>& torn) const {
    std::vector<bool> taken(n_, false);
    std::vector<std::uint32_t> of;
    Nearest nearest(g_);
    for (std::uint32_t t : torn) {
      const auto in_time = [&](std::uint32_t q) {
        return !taken[q] && std::ranges::all_of(g_.before[q], [&](std::uint32_t x) { return !flows_back(x) || known_at(x) <= place_[t]; });
      };
      std::vector<std::uint32_t> rows;
      if (stands_in(p_, g_, t, g_.rows[t][0]) && in_time(t)) rows.push_back(t);
      nearest.torn(t, Nearest::few, [&](std::uint32_t q, std::uint32_t) {
        if (in_time(q)) rows.push_back(q);
        return true;
      });
      const auto follows = [&](std::uint32_t q) {
        return std::ranges::all_of(g_.before[q], [&](std::uint32_t x) { return !flows_back(x) || nearest.is_met(x); });
      };
      const auto best = std::ranges::find_if(rows, follows);
      of.push_back(best != rows.end() ? *best : rows.empty() ? none : rows[0]);
      if (of.back() != none) taken[of.back()] = true;
    }
    for (std::uint32_t& x : of)
      if (x == none) {
        x = *std::ranges::find_if(torn, [&](std::uint32_t q) { return !taken[q]; });
        taken[x] = true;
      }
    return of;
  }
  bool flows_back(std::uint32_t k) const { return !g_.torn[k] && !motion_[k]; }
  // What flows back to a part before this begins is known with the torn pairs before it.
  std::uint32_t known_at(std::uint32_t k) const {
    const std::uint32_t begin = levels_.of_pair[k] / 2 * stages;
    return levels_.of_pair[k] % 2 || begin == 0 ? begin : begin - 1;
  }

  const OrderingProblem& p_;
  const GroupPairs& g_;
  const std::vector<bool>& motion_;
  const PairLevels& levels_;
  std::uint32_t n_;
  std::vector<std::uint32_t> place_;  // by pair
};

}  // namespace

std::optional<PartStations> part_stations(const OrderingProblem& p, const GroupPairs& pairs) {
  const std::optional<GroupPairs> g = torn_apart(p, pairs);
  if (!g) return std::nullopt;
  const std::vector<bool> motion = Motion(p, *g).run();
  if (motion.empty()) return std::nullopt;
  const std::optional<PairLevels> levels = pair_levels(p, *g, motion);
  if (!levels) return std::nullopt;
  const Places places(p, *g, motion, *levels);
  return PartStations{places.with_rows_in_time(), places.stations()};
}

}  // namespace kron::solve
