// engine/session/kept_aliases.hpp: what the reduction before found, for a model that differs from its own beside the aliases.
//   in    the flat model, its integer rows, and what was kept
//   out   the aliases, renumbered, where they are what a search from the start would find; else nothing. Then also the rows of equations
//         that are what they were
//   keep  the integer rows are the same ones in the same order, variables that both models have stand in the same order, with the same
//         derivatives; other equations that came or went hold no variable whose value is known, so no search for known values looks at
//         them. The elimination asks for nothing else: which variable stands for a set is decided by preference and order
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

  // After renumbered(): whether variables stand for each other as then, so that rows are what they were.
  bool same_representatives(const std::vector<Representative>&) const;
  // Appends the row of an equation. False: it has to be made.
  bool take_row(System&, std::uint32_t equation);
  std::size_t rows_taken() const { return taken_; }  // in the reduction that was last
  // The first rows of the system are those of the model's equations.
  void keep_rows(const System&, std::size_t rows);

 private:
  static std::vector<std::uint32_t> others(const FlatModel&, std::span<const std::uint32_t> origin);
  bool place_variables(const FlatModel&, const std::vector<std::uint8_t>& unknown);
  bool same_shape(const structure::IntegerSystem&) const;
  bool same_columns(const structure::IntegerSystem&) const;
  bool same_others(const FlatModel&, std::span<const std::uint32_t> origin);
  bool same(const FlatModel&, std::uint32_t before, std::uint32_t now) const;  // equations
  model::Operand now(model::Operand) const;

  std::optional<AliasSearch> search_;
  std::vector<std::uint64_t> keys_;            // by variable, as in the flat model
  std::vector<std::uint8_t> unknown_;
  std::vector<std::uint32_t> derivative_;
  std::vector<model::FlatEquation> equations_;
  std::vector<model::Operand> operands_;
  std::vector<std::uint64_t> event_keys_;
  std::vector<std::uint32_t> others_;          // equations that are no integer rows
  std::vector<std::uint32_t> now_of_;          // by variable of then: the same one now, or none
  std::vector<std::uint32_t> before_of_;       // the other way round
  std::vector<std::uint32_t> equation_of_;     // by place in others_: the equation now, or none
  std::vector<std::uint32_t> same_equation_;   // by equation now: the one of then, or none
  std::vector<SystemRow> rows_;                // with places in the next three
  std::vector<model::Operand> row_operands_;
  std::vector<Member> row_members_;
  std::vector<std::uint32_t> row_columns_;
  std::vector<std::uint32_t> row_of_;          // by equation of then: in rows_, or none
  std::vector<Representative> representative_;
  std::size_t taken_ = 0;
};

}  // namespace kron::session
