// engine/solve/block.hpp: one block of the sorted system, from rows and unknowns to assignments on the tape.
//   in    rows (forms bound to operands), unknowns, the tape with everything earlier blocks computed
//   out   a Ref for every unknown; how it was done
//   keep  the result depends on the block's content and names alone, not on the order of rows and unknowns (canonical.hpp)
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/helper.hpp"
#include "engine/base/name.hpp"
#include "engine/code/tape.hpp"
#include "engine/model/form.hpp"
#include "engine/solve/template.hpp"

namespace kron::solve {

struct Row {
  model::FormId form;
  std::span<const model::Operand> operands;
  std::span<const std::uint64_t> members;  // by operand: which variable of its alias set the equation names; or empty
};

struct UnknownInfo {           // asked for only where an iteration needs it
  code::Ref start;
  double nominal = 1;
  double minimum, maximum;     // infinite where there is none
  bool given = true;           // the start value; else `start` stands in for one
  bool vague = false;          // given, but what others give it counts more
};

// Where an iteration begins. open: it comes from nothing that anybody said.
struct Guess {
  code::Ref value;
  bool open = false;
};

class Checks;
class Memory;

// Unknowns of a block
constexpr std::uint32_t small_block = 130;          // up to here single pivots show in the count
constexpr std::uint32_t few_unknowns = 400;         // up to here every ordering is tried
constexpr std::uint32_t very_many_unknowns = 4000;  // beyond a trial takes time that one notices

struct BlockProblem {
  std::vector<Row> rows;
  std::vector<std::uint32_t> unknowns;                   // variable numbers, as in the operands
  std::function<code::Ref(model::Operand)> known;        // of operands that are no unknown of the block
  std::function<std::uint64_t(std::uint32_t)> key;       // of an unknown
  // A relation that an equation has as an operand, when it looks at the block's unknowns as they are while relations are live (simulate/events.hpp);
  // `inside` has the values of the block's unknowns by variable number, if they are computed yet. Nothing: it is always as it is held.
  using Inside = std::function<std::optional<code::Ref>(std::uint32_t)>;
  std::function<std::optional<code::Ref>(model::Operand, const Inside&)> live;
  std::function<UnknownInfo(std::uint32_t)> info;
  std::function<std::optional<Guess>(std::uint32_t)> guess;  // of an unknown without a start value, from other blocks; or empty
  std::uint32_t number = 0;                              // of the block, for messages at run time
  std::string method = "auto";                           // auto | tear | relax | dense | sparse
  std::string relaxation = "eliminate";                  // eliminate | iterate | jacobi
  std::vector<std::uint64_t> row_group, unknown_group;   // equal for the elements of an array
  std::vector<std::uint32_t> row_part;                   // whose equation it is; no_part (ordering.hpp): of a connection; or empty
  std::vector<std::uint64_t> other_group;                // of the unknowns: another of their arrays; set by canonical.hpp, or empty
  std::vector<std::uint64_t> row_key;                    // which equation it is, whatever it says; or empty
  std::function<std::uint64_t(std::uint64_t)> member_key;    // of a variable that a row names (Row::members), as of an unknown
  std::function<std::uint64_t(std::uint64_t)> member_group;  // array of a variable that a row names (Row::members)
  // Of a variable that a row names (Row::members): what it is, with the classes of the components that have it. With that a block is solved
  // in an order that does not depend on that of the statements, nor, but among parts of one class, on names (canonical.hpp).
  std::function<const std::string&(std::uint64_t)> kind;
  std::function<std::uint64_t(std::uint64_t)> place;         // of it among all variables
  std::function<std::uint64_t(std::uint64_t, std::uint32_t)> beginning;  // equal where so many components that have it are the same
  struct Neighbour {
    std::uint64_t member = 0, group = 0;                 // group: of the alias equation between the two
    std::uint32_t set = 0;                               // equal for equations of one set of connected potentials; or 0
    bool from_relaxed = false, relaxed = false;          // which of the two stands inside relax(…): the one asked for, the neighbour
  };
  std::function<void(std::uint64_t, std::vector<Neighbour>&)> neighbours;  // of a member: those that an equation x = ±y ties to it
  std::vector<bool> wanted;                              // unknowns that each derivative evaluation needs; empty: all
  std::vector<code::Pins> pins;                          // column: position of an unknown. There are fewer rows than unknowns then
  std::vector<std::uint32_t> torn, residues;             // positions that `tear` statements name
  std::vector<std::uint32_t> bounded;                    // positions of unknowns with a least or largest value, which an iteration keeps
  bool torn_by_hand = false;                             // there is such a statement for this block
  Checks* checks = nullptr;                              // of the tape; or none
  bool loops = false;                                    // rank is looked at in numbers, too: closed loops hold more than they need
  bool stuck = false;                                    // its pivots are to be good where the checks' point of a run is
  Memory* memory = nullptr;                              // of the session; or none
  Helper* helper = nullptr;                              // for large blocks; or none
};

enum class Kind : std::uint8_t { explicit_, linear, nonlinear };
enum class Method : std::uint8_t { assign, relaxed, torn, automatic, dense, sparse, newton };

struct Singular {                          // the block has no unique solution, whatever the numbers
  std::vector<std::uint32_t> rows;         // positions: these depend on each other
  std::vector<std::uint32_t> unknowns;     // positions: these are not determined
  bool contradictory = false;
};

struct Tried {                             // an ordering that was tried
  std::string name;
  std::size_t mul = 0, add = 0, div = 0, core = 0;  // operations for the wanted unknowns, besides those of the core's LU
  std::string rejected;                             // why, or empty
};

struct BlockSolution {
  Kind kind{};
  Method method{};
  std::string ordering;
  std::uint32_t core = 0;
  std::vector<std::uint32_t> torn, residues;                        // positions
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pivots;      // (row, unknown) positions in order of elimination
  std::vector<code::Ref> values;                                    // by unknown position
  std::vector<std::uint32_t> relaxed;                               // positions: unknowns that were relaxed
  std::vector<std::pair<std::uint32_t, std::uint32_t>> misfits;     // (row, unknown): relax marks that were dropped
  std::vector<Tried> tried;
  std::uint32_t guards = 0;                                         // conditions watched at run time
  std::optional<Singular> singular;
};

BlockSolution solve(const BlockProblem&, code::Builder&, Templates&);

}  // namespace kron::solve
