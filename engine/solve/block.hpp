// engine/solve/block.hpp: one block of the sorted system, from rows and unknowns to assignments on the tape.
//   in    rows (forms bound to operands), unknowns, the tape with everything earlier blocks computed
//   out   a Ref for every unknown; how it was done
//   keep  the result depends on the block's content alone (rows and unknowns come in id order; ties are broken by position)
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/code/tape.hpp"
#include "engine/model/form.hpp"
#include "engine/solve/template.hpp"

namespace kron::solve {

struct Row {
  model::FormId form;
  std::span<const model::Operand> operands;
};

struct UnknownInfo {           // asked for only where an iteration needs it
  code::Ref start;
  double nominal = 1;
  double minimum, maximum;     // infinite where there is none
};

struct BlockProblem {
  std::vector<Row> rows;
  std::vector<std::uint32_t> unknowns;                   // variable numbers, as in the operands
  std::function<code::Ref(model::Operand)> known;        // of operands that are no unknown of the block
  std::function<std::uint64_t(std::uint32_t)> key;       // of an unknown
  std::function<UnknownInfo(std::uint32_t)> info;
  std::uint32_t number = 0;                              // of the block, for messages at run time
  std::string method = "auto";                           // auto | tear | relax | dense | sparse
};

enum class Kind : std::uint8_t { explicit_, linear, nonlinear };
enum class Method : std::uint8_t { assign, relaxed, torn, automatic, dense, sparse, newton };

struct Singular {                          // the block has no unique solution, whatever the numbers
  std::vector<std::uint32_t> rows;         // positions: these depend on each other
  std::vector<std::uint32_t> unknowns;     // positions: these are not determined
  bool contradictory = false;
};

struct BlockSolution {
  Kind kind{};
  Method method{};
  std::string ordering;
  std::uint32_t core = 0;
  std::vector<std::uint32_t> torn, residues;                        // positions
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pivots;      // (row, unknown) positions in order of elimination
  std::vector<code::Ref> values;                                    // by unknown position
  std::optional<Singular> singular;
};

BlockSolution solve(const BlockProblem&, code::Builder&, Templates&);

}  // namespace kron::solve
