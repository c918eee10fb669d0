// engine/solve/memory.hpp: how blocks were solved before, so that trials of orderings are not repeated.
//   choices   by the block's whole content: a block that comes again is solved as it was, without trials
//   winners   of large blocks: one that an edit has changed in some places takes over the order that won for what it was (carried.hpp), and
//             is content where that costs an unknown what the best of all orderings did
#pragma once
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/solve/block.hpp"
#include "engine/solve/carried.hpp"
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
    std::optional<LadderKind> ladder;
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

  // A large block, as it was solved; its pivots are in `order`.
  struct Winner {
    std::vector<std::uint64_t> unknowns;  // their keys, ascending
    std::uint64_t question = 0;           // what else was asked for; other questions have other answers
    double rate = 0;                      // cost by unknown where all orderings were tried
    double fair = 0;                      // what it may cost: what it did then, and no more than a part costs that was added since
    Choice choice;
    NamedOrder order;
  };
  // The one that has most unknowns in common with this block, and up to which cost an order of this block is as good.
  struct Expected {
    const Winner* before = nullptr;       // null: none has most of them
    double fair = 0, most = 0;            // what it would cost in proportion; the bound
    double most_changed = 0;              // the bound where what has changed may cost more than it did
  };
  Expected expected(const std::vector<std::uint64_t>& unknowns, std::uint64_t question) const;  // `unknowns`: ascending
  void put(Winner);

 private:
  std::unordered_map<std::uint64_t, Choice> choices_;
  std::deque<Winner> winners_;  // the latest first
};

}  // namespace kron::solve
