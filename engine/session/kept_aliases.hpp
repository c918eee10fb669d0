// engine/session/kept_aliases.hpp: aliases and known values of the reduction before, for a model that differs from it beside them.
//   in    the flat model, its integer rows, and what was kept
//   out   the aliases, renumbered, where they are what a search from the start would find; else nothing
//   keep  the integer rows are the same ones in the same order, variables that both models have stand in the same order, with the same
//         derivatives; other equations that came or went hold no variable whose value is known, so no search for known values looks at them.
//         The elimination asks for nothing else: which variable stands for a set is decided by preference and order
//   cost  a comparison of rows and operands
#pragma once
#include <optional>

#include "engine/session/system.hpp"

namespace kron::session {

// Of one reduction. Rows: those of equations, `collected` of them, then derivatives of aliases and known values.
struct AliasSearch {
  structure::IntegerSystem rows;
  std::vector<std::uint32_t> origin;  // equation of each row; none: a differentiated alias
  std::size_t collected = 0;
  structure::Aliases found;
};

class KeptAliases {
 public:
  // What the search would add to these rows, and find.
  std::optional<AliasSearch> renumbered(const FlatModel&, const std::vector<std::uint8_t>& unknown, const structure::IntegerSystem& rows,
                                        const std::vector<std::uint32_t>& origin);
  void keep(const FlatModel&, const std::vector<std::uint8_t>& unknown, AliasSearch);
  void forget() { search_.reset(); }

 private:
  struct Other {  // an equation that is no integer row
    std::uint32_t equation = 0;
    model::FormId form;
    std::uint32_t first = 0, count = 0;
  };
  static std::vector<Other> others(const FlatModel&, std::span<const std::uint32_t> origin);
  bool place_variables(const FlatModel&, const std::vector<std::uint8_t>& unknown);
  bool same_rows(const structure::IntegerSystem&) const;
  bool same_others(const FlatModel&, std::span<const std::uint32_t> origin);
  bool same(const FlatModel&, const Other& before, const Other& now) const;
  model::Operand now(model::Operand) const;

  std::optional<AliasSearch> search_;
  std::vector<std::uint64_t> keys_;            // by variable, as in the flat model
  std::vector<std::uint8_t> unknown_;
  std::vector<std::uint32_t> derivative_;
  std::vector<Other> others_;
  std::vector<model::Operand> operands_;       // of others_
  std::vector<std::uint32_t> now_of_;          // by variable of then: the same one now, or none
  std::vector<std::uint32_t> before_of_;       // the other way round
  std::vector<std::uint32_t> equation_of_;     // by place in others_: the equation now, or none
};

}  // namespace kron::session
