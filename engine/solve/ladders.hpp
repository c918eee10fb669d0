// engine/solve/ladders.hpp: the ladders of a block (ladder.hpp): what they pair, in which stations, and what goes with them; each is prepared
// when it is asked for.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/solve/ladder.hpp"
#include "engine/solve/views.hpp"

namespace kron::solve {

struct PreparedLadder {
  GroupPairs pairs;
  Stations stations;
  std::vector<Pivot> reference, gathered;               // flow.hpp
  std::vector<std::uint32_t> levels, shifts, all_shifts;  // of the pairs, and some of them (flow.hpp, shifts.hpp)
};

std::string aliases_kept(bool);  // as names of orderings end
std::string name_of(LadderKind);

class Ladders {
 public:
  explicit Ladders(const Views& v) : views_(v) {}
  // False: the block has no such ladder, or one that it has by other arrays or stations. That by paths is prepared before others.
  bool prepare(LadderKind);
  bool prepare_again(LadderKind);  // one that others have prepared
  const PreparedLadder& operator[](LadderKind k) const { return all_[place_of(k)]; }

  // In a very large block joined ones are better more often, and set the limit for the others.
  std::vector<Arrays> arrays_in_order(bool aliases) const;
  StationOrder only_order(LadderKind) const;  // where one is tried
  std::vector<Pivot> reference(LadderKind) const;
  // In a large block, too, those by parts whose torn pairs come in the same order as by paths.
  void take_trees_alike() { trees_alike_ = true; }

 private:
  static std::size_t place_of(LadderKind k) {
    return ((k.aliases ? 4u : 0u) + static_cast<std::size_t>(k.arrays)) * 3 + (k.tree ? 1 : k.loops_first ? 2 : 0);
  }
  PreparedLadder& at(LadderKind k) { return all_[place_of(k)]; }
  GroupPairs pairs(LadderKind);
  const GroupPairs& kept_pairs();  // of the view with aliases kept
  bool tried_before(LadderKind);

  const Views& views_;
  bool trees_alike_ = false;
  std::array<PreparedLadder, 24> all_;  // by view, arrays and stations
  std::optional<GroupPairs> kept_pairs_;
};

}  // namespace kron::solve
