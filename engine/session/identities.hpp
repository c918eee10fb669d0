// engine/session/identities.hpp: by what the solution of a block knows rows, unknowns and the variables that rows name (members), now and
// after edits: arrays they belong to, keys, components, kinds and what stands beside them in their alias sets.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/model/part_order.hpp"
#include "engine/session/system.hpp"
#include "engine/solve/block.hpp"

namespace kron::session {

class Identities {
 public:
  explicit Identities(const System& s) : s_(s), kinds_(*s.flat) {}

  // ---- rows of the system, and unknowns by their roots
  std::uint64_t group_of_row(std::uint32_t) const;
  std::uint64_t key_of_row(std::uint32_t) const;
  std::uint32_t part_of_row(std::uint32_t) const;  // its component, or none
  std::uint64_t group_of_unknown(std::uint32_t) const;

  // ---- members, by their tokens
  std::uint64_t token(Member) const;
  std::uint64_t group_of_member(std::uint64_t) const;
  const std::string& kind(std::uint64_t);  // what it is, whatever the components that have it are called
  std::uint64_t place(std::uint64_t);      // in the order of parts (part_order.hpp)
  std::uint64_t beginning(std::uint64_t, std::uint32_t elements) const;  // what has the same first elements of its name has the same
  void neighbours(std::uint64_t, std::vector<solve::BlockProblem::Neighbour>&);

 private:
  std::uint32_t connection_set(std::uint32_t equation) const;
  std::pair<std::uint32_t, unsigned> underived(std::uint64_t) const;  // slot, and the order of its derivative

  const System& s_;
  model::Kinds kinds_;
  std::unordered_map<std::uint64_t, std::string> kind_of_;
  std::optional<model::PartOrder> part_order_;
  std::vector<AliasEdge> edges_;           // both ways, by `a`
  std::vector<std::uint32_t> first_edge_;  // by `a`; empty: not made yet
};

}  // namespace kron::session
