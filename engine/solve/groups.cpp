#include "engine/solve/groups.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <unordered_map>

#include "engine/solve/scalar_pairs.hpp"
#include "engine/solve/views.hpp"
#include "engine/structure/structure.hpp"

namespace kron::solve {
namespace {

class Pairing {
 public:
  Pairing(const OrderingProblem& p, bool whole, First first) : p_(p), whole_(whole), first_(first) {
    const auto count = [](const std::vector<std::uint32_t>& g) {
      return g.empty() ? 0 : *std::max_element(g.begin(), g.end()) + 1;
    };
    row_group_ = p.row_group;
    unknown_group_ = p.unknown_group;
    rows_.resize(count(row_group_));
    unknowns_.resize(count(unknown_group_));
    for (std::uint32_t r = 0; r < row_group_.size(); ++r) rows_[row_group_[r]].push_back(r);
    for (std::uint32_t c = 0; c < unknown_group_.size(); ++c) unknowns_[unknown_group_[c]].push_back(c);
    split_groups();
  }

  GroupPairs run() {
    do {
      clear();
      natural();
    } while (make_room());
    if (ScalarPairs s = scalars(); mend(s, p_, holders_)) regroup(s);
    leftovers();
    return result();
  }

 private:
  bool unit(code::Ref r) const { return r.node() == 1; }

  // An array is as many arrays as equation arrays tile it, each ± the identity on its part: a vector of six whose halves have equations
  // of their own. Likewise an equation array that unknown arrays tile. What meets a part only, and leaves a rest that nothing gives, does
  // not split: in a vector of which some entries are zero or some elements are known the others stay together. (A vector turned about x
  // has its first element from before the turn; the others have equations of their own, so the arrays before and after are split.)
  void split_groups() {
    holders_.resize(unknown_group_.size());
    for (std::uint32_t r = 0; r < row_group_.size(); ++r)
      for (const auto& e : p_.system->rows[r])
        if (unit(e.value)) holders_[e.column].push_back(r);
    waiting_ = {Waiting(rows_.size()), Waiting(unknowns_.size())};
    while (!waiting_[0].empty() || !waiting_[1].empty()) {
      const Side side = waiting_[of_rows].empty() ? of_unknowns : of_rows;
      const std::uint32_t group = waiting_[side].next();
      const std::vector<std::vector<std::uint32_t>> tiles = tiling(side, group);
      for (std::size_t k = 1; k < tiles.size(); ++k) {
        if (side == of_rows) split(rows_, row_group_, group, tiles[k]);
        else split(unknowns_, unknown_group_, group, tiles[k]);
        look_again(side, static_cast<std::uint32_t>((side == of_rows ? rows_ : unknowns_).size() - 1));
      }
      if (tiles.size() > 1) look_again(side, group);
    }
  }
  enum Side : std::uint8_t { of_rows, of_unknowns };
  class Waiting {  // groups to be looked at, each once
   public:
    Waiting() = default;
    explicit Waiting(std::size_t n) : is_(n, true), queue_(n) { std::iota(queue_.begin(), queue_.end(), 0u); }
    bool empty() const { return queue_.empty(); }
    void add(std::uint32_t g) {
      if (is_.size() <= g) is_.resize(g + 1, false);
      if (!is_[g]) queue_.push_back(g);
      is_[g] = true;
    }
    std::uint32_t next() {
      const std::uint32_t g = queue_.front();
      queue_.pop_front();
      is_[g] = false;
      return g;
    }

   private:
    std::vector<bool> is_;
    std::deque<std::uint32_t> queue_;
  };
  // A group has become smaller or new: it and what meets it by units.
  void look_again(Side side, std::uint32_t group) {
    waiting_[side].add(group);
    for (std::uint32_t x : (side == of_rows ? rows_ : unknowns_)[group]) {
      if (side == of_unknowns)
        for (std::uint32_t r : holders_[x]) waiting_[of_rows].add(row_group_[r]);
      else
        for (const auto& e : p_.system->rows[x])
          if (unit(e.value)) waiting_[of_unknowns].add(unknown_group_[e.column]);
    }
  }

  using Members = std::vector<std::uint32_t>;
  using Parts = std::map<std::uint32_t, Members>;  // of a group, by group of the other side
  const std::vector<Members>& groups(Side side) const { return side == of_rows ? rows_ : unknowns_; }
  static Side opposite(Side side) { return side == of_rows ? of_unknowns : of_rows; }

  // The members of the group by parts on each of which a group of the other side is ± the identity, with what of it is not given
  // otherwise; empty where the parts do not cover the group, or one does.
  std::vector<Members> tiling(Side side, std::uint32_t group) const {
    const Members& members = groups(side)[group];
    if (members.size() < 2) return {};
    Parts parts = identities(side, members);
    std::erase_if(parts, [&](const auto& x) { return !is_whole(side, x.first, x.second) && !rest_is_given(side, group, x.first, x.second); });
    return cover(members, parts);
  }
  static std::vector<Members> cover(const Members& members, const Parts& parts) {
    std::map<std::uint32_t, std::vector<const Members*>> with;  // member -> parts that hold it
    for (const auto& [other, part] : parts)
      if (part.size() < members.size())
        for (std::uint32_t x : part) with[x].push_back(&part);
    std::set<std::uint32_t> covered;
    std::vector<Members> tiles;
    for (std::uint32_t x : members) {
      if (covered.contains(x)) continue;
      const Members* best = nullptr;
      for (const auto* part : with[x])
        if ((!best || part->size() > best->size()) &&
            std::none_of(part->begin(), part->end(), [&](std::uint32_t y) { return covered.contains(y); }))
          best = part;
      if (!best) return {};
      covered.insert(best->begin(), best->end());
      tiles.push_back(*best);
    }
    return tiles;
  }
  // By group of the other side: the members that meet it in one unit each, and each another element.
  Parts identities(Side side, const Members& members) const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> met;  // element of the other side, member that it meets
    for (std::uint32_t x : members) each_unit(side, x, [&](std::uint32_t y) { met.emplace_back(y, x); });
    std::sort(met.begin(), met.end());
    Parts parts;
    for (std::size_t k = 0, end; k < met.size(); k = end) {
      for (end = k + 1; end < met.size() && met[end].first == met[k].first;) ++end;
      if (end == k + 1) parts[(side == of_rows ? unknown_group_ : row_group_)[met[k].first]].push_back(met[k].second);
    }
    for (auto& [other, list] : parts) std::sort(list.begin(), list.end());
    std::erase_if(parts, [](const auto& x) { return std::adjacent_find(x.second.begin(), x.second.end()) != x.second.end(); });
    return parts;
  }
  template <class F>
  void each_unit(Side side, std::uint32_t x, F&& f) const {  // what x meets by a unit
    if (side == of_unknowns)
      for (std::uint32_t r : holders_[x]) f(r);
    else
      for (const auto& e : p_.system->rows[x])
        if (unit(e.value)) f(e.column);
  }
  bool is_whole(Side side, std::uint32_t other, const Members& part) const { return part.size() == groups(opposite(side))[other].size(); }
  // Of the other group, what the part does not meet is tiled by whole groups of this side.
  bool rest_is_given(Side side, std::uint32_t group, std::uint32_t other, const Members& part) const {
    const Side there = opposite(side);
    std::set<std::uint32_t> met;
    const std::vector<std::uint32_t>& group_there = side == of_rows ? unknown_group_ : row_group_;
    for (std::uint32_t x : part)
      each_unit(side, x, [&](std::uint32_t y) {
        if (group_there[y] == other) met.insert(y);
      });
    Members rest;
    for (std::uint32_t y : groups(there)[other])
      if (!met.contains(y)) rest.push_back(y);
    Parts parts = identities(there, rest);
    std::erase_if(parts, [&](const auto& x) { return x.first == group || !is_whole(there, x.first, x.second); });
    return std::any_of(parts.begin(), parts.end(), [&](const auto& x) { return x.second.size() == rest.size(); }) || !cover(rest, parts).empty();
  }

  // No pairs; groups numbered by their first member, which does not tell who was split first.
  void clear() {
    const auto by_first = [](const auto& x, const auto& y) { return x[0] < y[0]; };
    std::sort(rows_.begin(), rows_.end(), by_first);
    std::sort(unknowns_.begin(), unknowns_.end(), by_first);
    for (std::uint32_t g = 0; g < rows_.size(); ++g)
      for (std::uint32_t r : rows_[g]) row_group_[r] = g;
    for (std::uint32_t g = 0; g < unknowns_.size(); ++g)
      for (std::uint32_t c : unknowns_[g]) unknown_group_[c] = g;
    neighbours_.assign(unknowns_.size(), {});
    for (std::uint32_t r = 0; r < row_group_.size(); ++r)
      for (const auto& e : p_.system->rows[r]) neighbours_[unknown_group_[e.column]].push_back(row_group_[r]);
    for (auto& n : neighbours_) {
      std::sort(n.begin(), n.end());
      n.erase(std::unique(n.begin(), n.end()), n.end());
    }
    partner_.assign(unknowns_.size(), none);
    of_row_.assign(rows_.size(), none);
    torn_.assign(unknowns_.size(), false);
  }

  // An array of which some elements or some equations are known fits no other as a whole. Where it is left without partner it is taken
  // apart: by a larger equation array in which it is ± the identity (of a balance of torques about three axes, one of them a driven
  // joint's, two rows give the two unknown torques), or by one that nothing else needs; or the partner of one that would fit it is,
  // and so on. What remains is for the torn. False: nothing is.
  bool make_room() {
    bool changed = false;
    seen_.resize(unknowns_.size(), 0);
    ++stamp_;
    for (std::uint32_t v = 0; v < partner_.size(); ++v) {
      if (partner_[v] != none || !make_room_for(v)) continue;
      changed = true;
      ++stamp_;
    }
    return changed;
  }
  // Does not go where a search before it has found nothing, as long as nothing has changed.
  bool make_room_for(std::uint32_t v) {
    if (seen_[v] == stamp_) return false;
    seen_[v] = stamp_;
    std::vector<std::uint32_t> queue = {v};  // any of these could go elsewhere
    for (std::size_t k = 0; k < queue.size(); ++k)
      for (std::uint32_t r : neighbours_[queue[k]]) {
        if (take_apart(queue[k], r)) return true;
        const std::uint32_t y = of_row_[r];
        if (y == none || y >= partner_.size() || seen_[y] == stamp_ || shape(r, queue[k]) != Shape::identity) continue;
        seen_[y] = stamp_;
        queue.push_back(y);
      }
    return false;
  }
  bool take_apart(std::uint32_t v, std::uint32_t r) {
    const Part part = common_part(v, r);
    const bool all_rows = part.rows.size() == rows_[r].size(), all_unknowns = part.unknowns.size() == unknowns_[v].size();
    if (part.rows.empty() || (all_rows && all_unknowns)) return false;
    if (of_row_[r] != none && !(all_unknowns && part.rows.size() > 1)) return false;
    if (!all_rows) split(rows_, row_group_, r, part.rows);
    if (!all_unknowns) split(unknowns_, unknown_group_, v, part.unknowns);
    return true;
  }
  struct Part {
    std::vector<std::uint32_t> rows, unknowns;
  };
  // Rows of r that hold one of v's unknowns each, all different, with ± 1.
  Part common_part(std::uint32_t v, std::uint32_t r) const {
    Part part;
    std::set<std::uint32_t> met;
    for (std::uint32_t row : rows_[r]) {
      const auto list = entries(row, v);
      if (list.size() != 1 || !unit(list[0].second) || !met.insert(list[0].first).second) continue;
      part.rows.push_back(row);
      part.unknowns.push_back(list[0].first);
    }
    std::sort(part.unknowns.begin(), part.unknowns.end());
    return part;
  }

  // `members` leave the group and become a new one, the last.
  static void split(std::vector<std::vector<std::uint32_t>>& groups, std::vector<std::uint32_t>& group_of, std::uint32_t group,
                    const std::vector<std::uint32_t>& members) {
    for (std::uint32_t x : members) group_of[x] = static_cast<std::uint32_t>(groups.size());
    std::erase_if(groups[group], [&](std::uint32_t x) { return group_of[x] != group; });
    groups.push_back(members);
  }

  std::vector<std::pair<std::uint32_t, code::Ref>> entries(std::uint32_t row, std::uint32_t group) const {
    std::vector<std::pair<std::uint32_t, code::Ref>> out;
    for (const auto& e : p_.system->rows[row])
      if (unknown_group_[e.column] == group) out.emplace_back(e.column, e.value);
    return out;
  }

  // ± a permutation, triangular with ± 1 on the diagonal after ordering, or neither.
  enum class Shape : std::uint8_t { identity, triangular, other };
  Shape shape(std::uint32_t rg, std::uint32_t vg) const {
    const auto &rows = rows_[rg], &unknowns = unknowns_[vg];
    if (rows.size() != unknowns.size()) return Shape::other;
    if (rows.size() <= few) return shape_of_few(rows, unknowns, vg);
    std::vector<std::vector<std::pair<std::uint32_t, code::Ref>>> left;
    bool identity = true;
    for (std::uint32_t r : rows) {
      left.push_back(entries(r, vg));
      identity = identity && left.back().size() == 1 && unit(left.back()[0].second);
    }
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> holders;  // of the unknowns
    std::vector<std::size_t> open;                                        // with one unknown left
    std::vector<std::size_t> entries_left;
    for (std::size_t k = 0; k < left.size(); ++k) {
      for (const auto& e : left[k]) holders[e.first].push_back(k);
      entries_left.push_back(left[k].size());
      if (left[k].size() == 1) open.push_back(k);
    }
    std::size_t done = 0;
    std::set<std::uint32_t> known;
    while (!open.empty()) {  // a row with one unknown left, and a unit there, gives it
      const std::size_t k = open.back();
      open.pop_back();
      const auto e = std::find_if(left[k].begin(), left[k].end(), [&](const auto& x) { return !known.contains(x.first); });
      if (e == left[k].end() || !unit(e->second)) continue;
      known.insert(e->first);
      ++done;
      for (std::size_t other : holders[e->first])
        if (--entries_left[other] == 1) open.push_back(other);
    }
    if (done < rows.size()) return Shape::other;
    return identity ? Shape::identity : Shape::triangular;
  }

  // The same for arrays as most are: entries as bits.
  static constexpr std::size_t few = 9;
  Shape shape_of_few(const Members& rows, const Members& unknowns, std::uint32_t vg) const {
    std::array<std::uint32_t, few> held{}, units{};  // by row
    bool identity = true;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      for (const auto& e : p_.system->rows[rows[k]]) {
        if (unknown_group_[e.column] != vg) continue;
        const auto bit = 1u << (std::find(unknowns.begin(), unknowns.end(), e.column) - unknowns.begin());
        held[k] |= bit;
        if (unit(e.value)) units[k] |= bit;
      }
      if (held[k] == 0) return Shape::other;
      identity = identity && std::has_single_bit(held[k]) && units[k] != 0;
    }
    std::uint32_t known = 0;
    for (bool found = true; found;) {
      found = false;
      for (std::size_t k = 0; k < rows.size(); ++k)
        if (const std::uint32_t left = held[k] & ~known; std::has_single_bit(left) && (units[k] & left)) {
          known |= left;
          found = true;
        }
    }
    if (known + 1 != 1u << rows.size()) return Shape::other;
    return identity ? Shape::identity : Shape::triangular;
  }

  // Arrays that the equations between the same arrays give as a whole come first (a cut that fixes half of a vector is a constraint,
  // not its definition), then ± identities, then ± unit triangular blocks.
  void natural() {
    const std::set<std::pair<std::uint32_t, std::uint32_t>> complete = complete_pairs();
    std::array<structure::Incidence, 3> level;
    for (auto& g : level) g.columns = static_cast<std::uint32_t>(rows_.size());
    for (std::uint32_t v = 0; v < unknowns_.size(); ++v) {
      std::array<std::vector<std::uint32_t>, 3> list;
      for (std::uint32_t r : neighbours_[v]) {
        const Shape s = shape(r, v);
        if (s == Shape::identity && complete.contains({r, v})) list[0].push_back(r);
        if (s == Shape::identity) list[1].push_back(r);
        if (s != Shape::other) list[2].push_back(r);
      }
      for (std::size_t k = 0; k < 3; ++k) level[k].add_row(list[k]);
    }
    structure::Matching m;
    if (first_ != First::scarce) {
      m.of_row.assign(unknowns_.size(), structure::free_end);
      m.of_column.assign(rows_.size(), structure::free_end);
    } else {
      m = structure::match(level[0]);
    }
    const auto n = static_cast<std::uint32_t>(unknowns_.size());
    std::vector<std::uint32_t> mark(rows_.size(), 0);
    std::uint32_t stamp = 1;
    for (std::size_t l = first_ == First::scarce ? 1 : 0; l < level.size(); ++l) {
      ++stamp;
      for (std::uint32_t k = 0; k < n; ++k) {
        const std::uint32_t v = first_ == First::last ? n - 1 - k : k;
        if (m.of_row[v] == structure::free_end && structure::augment(level[l], v, m, {}, mark, stamp)) ++stamp;
      }
    }
    for (std::uint32_t v = 0; v < unknowns_.size(); ++v)
      if (m.of_row[v] != structure::free_end) pair(v, m.of_row[v]);
      else torn_[v] = true;
  }

  // ---- scalar by scalar ------------------------------------------------------------------------------------------------------------

  // Each pair's own: a row with one unknown left gives it.
  ScalarPairs scalars() const {
    ScalarPairs s{std::vector<std::uint32_t>(unknown_group_.size(), none), std::vector<std::uint32_t>(row_group_.size(), none)};
    for (std::uint32_t v = 0; v < unknowns_.size(); ++v) {
      if (partner_[v] == none) continue;
      for (bool found = true; found;) {
        found = false;
        for (std::uint32_t r : rows_[partner_[v]]) {
          if (s.unknown_of[r] != none) continue;
          std::uint32_t left = none, count = 0;
          for (const auto& [c, value] : entries(r, v))
            if (s.row_of[c] == none) {
              ++count;
              left = unit(value) ? c : none;
            }
          if (count != 1 || left == none) continue;
          s.unknown_of[r] = left;
          s.row_of[left] = r;
          found = true;
        }
      }
    }
    return s;
  }
  // Pairs of the parts of arrays that give each other.
  void regroup(const ScalarPairs& s) {
    using ByPartner = std::map<std::pair<std::uint32_t, std::uint32_t>, Members>;
    using Numbers = std::vector<std::uint32_t>;
    const auto by_partner = [](const Numbers& of, const Numbers& partner, const Numbers& other) {
      ByPartner parts;
      for (std::uint32_t x = 0; x < of.size(); ++x) parts[{of[x], partner[x] == none ? none : other[partner[x]]}].push_back(x);
      return parts;
    };
    const ByPartner unknowns = by_partner(p_.unknown_group, s.row_of, p_.row_group);
    const ByPartner rows = by_partner(p_.row_group, s.unknown_of, p_.unknown_group);
    rows_.clear();
    unknowns_.clear();
    for (const auto& [key, list] : unknowns) unknowns_.push_back(list);
    for (const auto& [key, list] : rows) rows_.push_back(list);
    clear();
    for (std::uint32_t v = 0; v < unknowns_.size(); ++v) {
      const std::uint32_t r = s.row_of[unknowns_[v][0]];
      if (r != none) pair(v, row_group_[r]);
      else torn_[v] = true;
    }
  }

  // (row group, unknown group) where the row groups over the same arrays have together as many rows as the unknown's array.
  std::set<std::pair<std::uint32_t, std::uint32_t>> complete_pairs() const {
    std::vector<std::uint32_t> size;
    for (std::uint32_t a : p_.unknown_group) {
      if (size.size() <= a) size.resize(a + 1, 0);
      ++size[a];
    }
    std::map<std::vector<std::uint32_t>, std::size_t> rows;  // of the row groups over the same arrays
    std::vector<std::vector<std::uint32_t>> arrays(rows_.size());
    for (std::uint32_t g = 0; g < rows_.size(); ++g) {
      for (std::uint32_t r : rows_[g])
        for (const auto& e : p_.system->rows[r])
          if (size[p_.unknown_group[e.column]] > 1) arrays[g].push_back(p_.unknown_group[e.column]);
      std::sort(arrays[g].begin(), arrays[g].end());
      arrays[g].erase(std::unique(arrays[g].begin(), arrays[g].end()), arrays[g].end());
      rows[arrays[g]] += rows_[g].size();
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> out;
    for (std::uint32_t v = 0; v < unknowns_.size(); ++v)
      for (std::uint32_t r : neighbours_[v])
        if (rows.at(arrays[r]) == size[p_.unknown_group[unknowns_[v][0]]]) out.emplace(r, v);
    return out;
  }

  void pair(std::uint32_t v, std::uint32_t r) {
    partner_[v] = r;
    of_row_[r] = v;
  }

  // The nearest free row group of the same size, going from unknowns to the pairs whose rows they occur in.
  std::pair<std::uint32_t, std::uint32_t> nearest(std::uint32_t v) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> queue = {{v, 0}};
    ++stamp_;
    seen_.resize(unknowns_.size(), 0);
    seen_[v] = stamp_;
    std::pair<std::uint32_t, std::uint32_t> best{none, none};
    for (std::size_t k = 0; k < queue.size() && queue[k].second < best.first; ++k) {
      const auto [x, distance] = queue[k];
      for (std::uint32_t r : neighbours_[x]) {
        const std::uint32_t y = of_row_[r];
        if (y == none) {
          if (rows_[r].size() == unknowns_[v].size()) best = std::min(best, {distance, r});
        } else if (!torn_[y] && seen_[y] != stamp_) {
          seen_[y] = stamp_;
          queue.emplace_back(y, distance + 1);
        }
      }
    }
    return best;
  }

  void leftovers() {
    for (;;) {
      std::vector<std::array<std::uint32_t, 3>> wishes;
      for (std::uint32_t v = 0; v < unknowns_.size(); ++v)
        if (partner_[v] == none)
          if (const auto [distance, r] = nearest(v); r != none) wishes.push_back({distance, v, r});
      if (wishes.empty()) break;
      std::sort(wishes.begin(), wishes.end());
      for (const auto& [distance, v, r] : wishes)
        if (partner_[v] == none && of_row_[r] == none) pair(v, r);
    }
  }

  // Groups that found no partner of their size are taken apart: the rest of the rows and unknowns in order, one by one.
  GroupPairs result() {
    GroupPairs g;
    std::vector<std::uint32_t> loose_rows, loose_unknowns;
    std::map<std::uint32_t, std::uint32_t> of_array;
    for (std::uint32_t v = 0; v < unknowns_.size(); ++v) {
      if (partner_[v] == none) {
        loose_unknowns.insert(loose_unknowns.end(), unknowns_[v].begin(), unknowns_[v].end());
        continue;
      }
      if (const std::uint32_t array = p_.unknown_group[unknowns_[v][0]]; whole_ && !torn_[v]) {
        const auto [it, is_new] = of_array.emplace(array, static_cast<std::uint32_t>(g.rows.size()));
        if (!is_new) {
          auto &rows = g.rows[it->second], &unknowns = g.unknowns[it->second];
          rows.insert(rows.end(), rows_[partner_[v]].begin(), rows_[partner_[v]].end());
          unknowns.insert(unknowns.end(), unknowns_[v].begin(), unknowns_[v].end());
          continue;
        }
      }
      g.rows.push_back(rows_[partner_[v]]);
      g.unknowns.push_back(unknowns_[v]);
      g.torn.push_back(torn_[v]);
    }
    for (std::uint32_t r = 0; r < rows_.size(); ++r)
      if (of_row_[r] == none) loose_rows.insert(loose_rows.end(), rows_[r].begin(), rows_[r].end());
    std::sort(loose_rows.begin(), loose_rows.end());
    std::sort(loose_unknowns.begin(), loose_unknowns.end());
    for (std::size_t k = 0; k < loose_rows.size(); ++k) {
      g.rows.push_back({loose_rows[k]});
      g.unknowns.push_back({loose_unknowns[k]});
      g.torn.push_back(true);
    }
    find_flow(g, p_);
    return g;
  }

  const OrderingProblem& p_;
  bool whole_;
  First first_;
  std::vector<std::uint32_t> row_group_, unknown_group_;
  std::vector<std::vector<std::uint32_t>> rows_, unknowns_, neighbours_;
  std::vector<std::vector<std::uint32_t>> holders_;  // by unknown: rows with a unit there
  std::array<Waiting, 2> waiting_;                   // by side, while groups are split
  std::vector<std::uint32_t> partner_, of_row_;
  std::vector<bool> torn_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t stamp_ = 0;
};

}  // namespace

void find_flow(GroupPairs& g, const OrderingProblem& p) {
  std::vector<std::uint32_t> pair_of_row(p.row_group.size(), none), pair_of_unknown(p.unknown_group.size(), none);
  for (std::uint32_t k = 0; k < g.rows.size(); ++k) {
    for (std::uint32_t r : g.rows[k]) pair_of_row[r] = k;
    for (std::uint32_t c : g.unknowns[k]) pair_of_unknown[c] = k;
  }
  g.next.assign(g.rows.size(), {});
  g.before.assign(g.rows.size(), {});
  for (std::uint32_t r = 0; r < pair_of_row.size(); ++r)
    for (const auto& e : p.system->rows[r])
      if (pair_of_unknown[e.column] != pair_of_row[r]) g.next[pair_of_unknown[e.column]].push_back(pair_of_row[r]);
  for (std::uint32_t k = 0; k < g.next.size(); ++k) {
    std::sort(g.next[k].begin(), g.next[k].end());
    g.next[k].erase(std::unique(g.next[k].begin(), g.next[k].end()), g.next[k].end());
    for (std::uint32_t y : g.next[k]) g.before[y].push_back(k);
  }
}

GroupPairs pair_groups(const OrderingProblem& p, bool whole, First first) { return Pairing(p, whole, first).run(); }

std::optional<GroupPairs> without_copies(const GroupPairs& with, const View& kept, const View& plain, const Views& views) {
  const auto n = static_cast<std::uint32_t>(plain.system.rows.size());
  GroupPairs g;
  std::vector<bool> met(n, false);
  for (std::size_t k = 0; k < with.rows.size(); ++k) {
    std::vector<std::uint32_t> rows, unknowns = with.unknowns[k];
    for (std::uint32_t r : with.rows[k]) {
      if (r < n) {
        rows.push_back(r);
        continue;
      }
      const auto its = std::find_if(unknowns.begin(), unknowns.end(), [&](std::uint32_t c) {  // the copy that this x = ±y gives
        return std::any_of(kept.system.rows[r].begin(), kept.system.rows[r].end(), [&](const auto& e) { return e.column == c; });
      });
      if (its == unknowns.end()) return std::nullopt;
      unknowns.erase(its);
    }
    if (rows.empty()) continue;
    for (std::uint32_t& c : unknowns) {
      c = views.unknown(c);
      if (met[c]) return std::nullopt;
      met[c] = true;
    }
    g.rows.push_back(std::move(rows));
    g.unknowns.push_back(std::move(unknowns));
    g.torn.push_back(with.torn[k]);
  }
  find_flow(g, plain.problem);
  return g;
}

}  // namespace kron::solve
