// engine/solve/memory.hpp: how blocks were solved before, so that trials of orderings are not repeated.
//   choices   by the block's whole content: a block that comes again is solved as it was, without trials
//   winners   of large blocks: one that an edit has changed in some places begins with the ladders that won for what it was, and is content
//             where they cost an unknown what the best of all orderings did
#pragma once
#include <deque>
#include <unordered_map>
#include <vector>

#include "engine/solve/block.hpp"
#include "engine/solve/ladder.hpp"

namespace kron::solve {

class Memory {
 public:
  struct Choice {
    bool aliases = false;
    Method method{};
    std::string name;
    std::vector<Pivot> pivots, reference;
    Torn torn;
    std::vector<Misfit> misfits;
    std::vector<Tried> tried;
    bool careful = false;
  };
  const Choice* find(std::uint64_t key) const {
    const auto it = choices_.find(key);
    return it == choices_.end() ? nullptr : &it->second;
  }
  void put(std::uint64_t key, Choice c) {
    if (choices_.size() > 100'000) choices_.clear();
    choices_[key] = std::move(c);
  }

  struct Winner {
    std::vector<std::uint64_t> unknowns;  // their keys, ascending
    std::uint64_t question = 0;           // what else was asked for; other questions have other answers
    LadderKind ladder;
    double rate = 0;                      // cost by unknown where all orderings were tried
  };
  // What is known of blocks that have most of their unknowns in common with this one.
  struct Expected {
    std::vector<LadderKind> ladders;  // that won, of the most similar block first
    double rate = 0, cost = 0;        // of that block; up to which one for this block is as good
  };
  // `unknowns`: ascending. No ladders: there are none.
  Expected expected(const std::vector<std::uint64_t>& unknowns, std::uint64_t question) const;
  void put(Winner);

 private:
  std::unordered_map<std::uint64_t, Choice> choices_;
  std::deque<Winner> winners_;  // the latest first
};

}  // namespace kron::solve
