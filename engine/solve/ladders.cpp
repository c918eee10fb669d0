#include "engine/solve/ladders.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/solve/flow.hpp"
#include "engine/solve/part_stations.hpp"
#include "engine/solve/shifts.hpp"

namespace kron::solve {

namespace {

// A torn pair that nothing leads to and from is the force of a closed loop.
bool closes_loops(const Stations& stations, const GroupPairs& pairs) {
  return std::ranges::any_of(stations, [&](const auto& station) { return std::ranges::all_of(station, [&](std::uint32_t p) { return pairs.torn[p]; }); });
}
std::vector<std::uint32_t> torn_in_order(const Stations& stations, const GroupPairs& pairs) {
  std::vector<std::uint32_t> torn;
  for (const auto& station : stations)
    std::ranges::copy_if(station, std::back_inserter(torn), [&](std::uint32_t p) { return pairs.torn[p]; });
  return torn;
}

std::string order_name(StationOrder o) {
  if (joins_shifts(o)) return o == StationOrder::joined ? ", part by part, shifts joined" : ", part by part, all shifts joined";
  return o == StationOrder::degree ? "" : o == StationOrder::known ? ", known first" : o == StationOrder::nearest ? ", nearest first" : ", part by part";
}

}  // namespace

std::string aliases_kept(bool aliases) { return aliases ? ", aliases kept" : ""; }

std::string name_of(LadderKind k) {
  const char* arrays = k.arrays == Arrays::given ? "ladder" : k.arrays == Arrays::joined ? "ladder by arrays" : k.arrays == Arrays::other ? "ladder by other arrays" : "ladder by last arrays";
  const char* stations = k.tree ? ", tree" : k.loops_first ? ", loops first" : "";
  return arrays + std::string(stations) + order_name(k.order) + aliases_kept(k.aliases);
}

bool Ladders::prepare(LadderKind kind) {
  PreparedLadder& l = at(kind);
  const PreparedLadder& by_paths = at({kind.aliases, kind.arrays});
  l.pairs = &l == &by_paths ? pairs(kind) : by_paths.pairs;
  if (l.pairs.rows.size() < 2 || tried_before(kind)) return false;
  const OrderingProblem& p = views_[kind.aliases].problem;
  if (&l == &by_paths) {
    l.stations = ladder_stations(p, l.pairs, views_.large());
  } else if (kind.loops_first) {
    std::optional<Stations> s = closes_loops(by_paths.stations, by_paths.pairs) ? loops_first_stations(p, l.pairs, views_.large()) : std::nullopt;
    if (!s) return false;
    l.stations = std::move(*s);
  } else {
    std::optional<PartStations> s = part_stations(p, l.pairs);
    if (!s) return false;
    const bool alike = torn_in_order(s->stations, s->pairs) == torn_in_order(by_paths.stations, l.pairs);
    if (alike && views_.large() && !trees_alike_) return false;
    l.stations = std::move(s->stations);
    l.pairs = std::move(s->pairs);
  }
  l.reference = reference_solution(p, l.pairs, l.stations);
  l.gathered = gathered_reference(p, l.reference);
  l.levels = part_levels(p, l.pairs, l.reference);
  l.shifts = joined_shifts(p, l.pairs, Between::nothing);
  l.all_shifts = joined_shifts(p, l.pairs, Between::anything);
  return true;
}

bool Ladders::prepare_again(LadderKind kind) {
  trees_alike_ = true;
  return (!(kind.tree || kind.loops_first) || prepare({.aliases = kind.aliases, .arrays = kind.arrays})) && prepare(kind);
}

std::vector<Arrays> Ladders::arrays_in_order(bool aliases) const {
  if (!views_.has_aliases()) return {Arrays::given, Arrays::joined};
  if (!aliases) return {Arrays::given, Arrays::other};
  std::vector<Arrays> order = {Arrays::given, Arrays::joined, Arrays::other, Arrays::last};
  if (views_.very_large()) std::swap(order[0], order[1]);
  return order;
}

StationOrder Ladders::only_order(LadderKind kind) const {
  const PreparedLadder& l = (*this)[kind];
  if (l.levels.empty()) return StationOrder::nearest;
  return l.shifts.empty() ? StationOrder::parts : StationOrder::joined;
}

std::vector<Pivot> Ladders::reference(LadderKind kind) const { return by_parts(kind.order) ? (*this)[kind].reference : std::vector<Pivot>{}; }

GroupPairs Ladders::pairs(LadderKind kind) {
  if (kind.aliases && kind.arrays == Arrays::given) return kept_pairs();
  if (kind.aliases) {
    const First first = kind.arrays == Arrays::other ? First::first : kind.arrays == Arrays::last ? First::last : First::scarce;
    return pair_groups(views_[true].problem, true, first);
  }
  if (!views_.has_aliases()) return pair_groups(views_[false].problem, kind.arrays == Arrays::joined);
  if (kind.arrays == Arrays::given)
    if (auto g = without_copies(kept_pairs(), views_[true], views_[false], views_)) return std::move(*g);
  if (kind.arrays != Arrays::other) return pair_groups(views_[false].problem, true);
  OrderingProblem p = views_[false].problem;
  p.unknown_group = p.other_group;
  return pair_groups(p, true);
}

const GroupPairs& Ladders::kept_pairs() {
  if (!kept_pairs_) kept_pairs_ = pair_groups(views_[true].problem);
  return *kept_pairs_;
}

bool Ladders::tried_before(LadderKind kind) {
  for (const Arrays a : arrays_in_order(kind.aliases)) {
    if (a == kind.arrays) break;
    GroupPairs& before = at({kind.aliases, a}).pairs;
    if (before.rows.empty()) before = pairs({.aliases = kind.aliases, .arrays = a});
    if (before.rows == at(kind).pairs.rows) return true;
  }
  return false;
}

}  // namespace kron::solve
