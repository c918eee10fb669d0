// engine/solve/watches.hpp: what must hold for straight-line code to divide by a value (code::Watch).
#pragma once
#include <unordered_set>
#include <vector>

#include "engine/code/tape.hpp"
#include "engine/solve/elimination.hpp"

namespace kron::solve {

// For a division by p: its factors are not zero, its sums not what is left of a cancellation. Those in `watched` are there already.
void watch_divisor(const code::Builder&, code::Ref p, std::vector<code::Watch>&, std::unordered_set<std::uint32_t>& watched);

// A pivot made of values that cancel (positions where a constraint makes them equal, columns of a rotation) need not be a sum itself, or is one
// of terms that are zero but for rounding, too. Where it is zero but for rounding, its row has entries of ordinary size, or the block is
// singular. Of an early pivot that has sums the early entries are looked at, which costs an evaluation nothing.
void watch_beside(const code::Builder&, code::Ref p, const LinearSystem::Row& row, std::vector<code::Watch>&);

}  // namespace kron::solve
