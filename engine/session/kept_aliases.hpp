// engine/session/kept_aliases.hpp: what the reduction before found, for a model that has most of its equations.
//   in    the flat model, and what was kept of the one before
//   out   equations that are what they were: their integer rows, and the rows of those whose variables stand for the same ones as then;
//         the aliases, renumbered, where they are what a search from the start would find, or those near the edit searched and the others
//         renumbered; else nothing
//   keep  variables that both models have stand in the same order, with the same derivatives, and so do the equations. Aliases: the integer
//         rows are the same ones; other equations that came or went hold no variable whose value is known, so no search for known values
//         looks at them. The elimination asks for nothing else: which variable stands for a set is decided by preference and order
//   cost  one comparison of the equations that the flat model does not know to be the same; those it knows are taken in stretches
#pragma once
#include <optional>
#include <span>

#include "engine/session/system.hpp"

namespace kron::session {

// Of one reduction. Rows: those of equations, `collected` of them, then derivatives of aliases and known values.
struct AliasSearch {
  structure::IntegerSystem rows;
  std::vector<std::uint32_t> origin;  // equation of each row; none: a differentiated alias
  std::size_t collected = 0;
  structure::Aliases found;
};

// Which of the variables that are equal represents them: a variable that is differentiated, and never a derivative where a plain variable
// is there.
inline std::uint8_t preference(const FlatModel& m, std::uint32_t v) {
  return static_cast<std::uint8_t>((v < m.slots ? 2 : 0) + (m.derivative[v] != none));
}

class KeptAliases {
 public:
  // Finds what the model has in common with the one before. `no_alias`: by equation, that it is no integer row; empty: none.
  void compare(const FlatModel&, const std::vector<std::uint8_t>& unknown, const std::vector<bool>& no_alias);
  // Stretches of equations that are the same, ascending; others may be.
  const std::vector<FlatModel::Stretch>& stretches() const { return equations_known_; }
  // Appends the integer rows of a stretch, with where they come from, and the edges that they are.
  void take_integer_rows(structure::IntegerSystem&, std::vector<std::uint32_t>& origin, std::vector<AliasEdge>&, const FlatModel::Stretch&);
  // False: the equation is new. Otherwise its integer row, if it is one, is appended.
  bool take_integer_row(structure::IntegerSystem&, std::uint32_t equation);
  // After the integer rows of all equations: what the search would add to them, and find.
  bool take_aliases(const FlatModel&, AliasSearch&);
  // The same where integer rows came or went: what they reach over integer rows and derivatives is searched, by itself. `differentiated`:
  // unknowns, ascending.
  bool search_near_edit(const FlatModel&, const std::vector<std::uint8_t>& unknown, const std::vector<bool>& no_alias,
                        std::span<const std::uint32_t> differentiated, AliasSearch&);
  void keep(const System&, const std::vector<bool>& no_alias, AliasSearch);
  void forget() { search_.reset(); }

  // After compare(): which variables stand for the same ones as then. `plain`: as the aliases say, without exceptions.
  void compare_representatives(const std::vector<Representative>&, bool plain);
  // Whether a stretch has the rows that it had, all of them. They are appended.
  bool take_rows(System&, const FlatModel::Stretch&);
  // Appends the row of an equation. False: it has to be made.
  bool take_row(System&, std::uint32_t equation);
  // In the reduction that was last.
  std::size_t rows_taken() const { return taken_; }
  bool aliases_taken() const { return aliases_taken_; }
  // The first rows of the system are those of the model's equations.
  void keep_rows(const System&, std::size_t rows, bool plain);

 private:
  bool place_variables(const FlatModel&, const std::vector<std::uint8_t>& unknown, const std::vector<FlatModel::Stretch>& known);
  bool knows_variables(const FlatModel::Stretch&) const;  // of connection equations
  bool same_derivatives(const FlatModel&) const;
  void place_equations(const FlatModel&);
  void place_equations(const FlatModel&, const FlatModel::Stretch& then_and_now, std::uint32_t count);
  bool is_quiet(const FlatModel&) const;
  std::vector<std::uint32_t> near_edit(const FlatModel&, const AliasSearch&, std::vector<std::uint32_t>& rows) const;
  bool led_away(const std::vector<std::uint32_t>& place) const;
  bool gave_values(const std::vector<std::uint32_t>& place, const structure::Aliases& now) const;
  bool same(const FlatModel&, std::uint32_t before, std::uint32_t now) const;  // equations
  std::span<const model::Operand> bound_before(std::uint32_t e) const { return std::span(operands_).subspan(equations_[e].first, equations_[e].count); }
  model::Operand now(model::Operand o) const { return o.has_slot() ? model::Operand(o.kind(), now_of_[o.index()], o.order()) : o; }

  std::optional<AliasSearch> search_;
  std::shared_ptr<const model::Blueprint> top_;
  std::vector<AliasEdge> edges_;
  std::vector<std::uint64_t> keys_;            // by variable, as in the flat model
  std::vector<std::uint8_t> unknown_;
  std::vector<std::uint32_t> integral_;
  std::uint32_t slots_ = 0;
  std::vector<model::FlatEquation> equations_;
  std::vector<model::Operand> operands_;
  std::vector<std::uint64_t> event_keys_;
  std::vector<bool> no_alias_;
  std::vector<std::uint32_t> integer_row_;     // by equation of then: in the search, or none
  std::vector<std::uint32_t> now_of_;          // by variable of then: the same one now, or none
  std::vector<std::uint32_t> before_of_;       // the other way round
  std::vector<std::uint32_t> equation_now_;    // by equation of then: the same one now, or none
  std::vector<std::uint32_t> equation_before_; // the other way round
  std::vector<std::uint32_t> came_, went_;     // equations that are not the same: now, then
  std::vector<FlatModel::Stretch> equations_known_;
  bool discrete_ = false;                      // some variables were
  std::size_t integer_rows_taken_ = 0;
  std::vector<std::uint8_t> moved_;            // by variable now: it stands for another one
  bool any_moved_ = false;
  std::vector<SystemRow> rows_;                // with places in the next three
  std::vector<model::Operand> row_operands_;
  std::vector<Member> row_members_;
  std::vector<std::uint32_t> row_columns_;
  std::vector<std::uint32_t> row_of_;          // by equation of then: in rows_, or none
  std::vector<Representative> representative_;
  bool plain_ = false, redundant_ = false;     // representatives are what the aliases say; some equations were left out
  std::size_t taken_ = 0;
  bool aliases_taken_ = false;
};

}  // namespace kron::session
