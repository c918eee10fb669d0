// engine/solve/ends.hpp: how many of a ladder's last stations Markowitz takes, and in which way: each end is carried out on the one
// elimination, counted from where the first one begins, and taken back, so that trying them costs no more than the stations they are of:
// where these hold most of a block that is not small there are no ends.
//   quick      the last two stations, units first, or none
//   usual      from 8 stations down, with and without units first where few are left; other ways than by position for the best of them
//   thorough   from 3 stations down; all ways for the best of them
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "engine/solve/block.hpp"
#include "engine/solve/cost.hpp"

namespace kron::solve {

struct End {
  std::size_t leave = 0;     // stations
  bool units_first = false;
  std::size_t way = 0;       // which of the ways; the first is by position
};

class Ends {
 public:
  using Finish = std::function<void(const End&)>;                                             // eliminates what is left
  using Weigh = std::function<double(const std::vector<bool>& wanted, const Since&)>;         // what has been eliminated since then
  using Restore = std::function<void()>;                                                      // after the tape was rewound
  enum class Effort : std::uint8_t { quick, usual, thorough };
  // `wanted`: the block's unknowns whose values are asked for. `ways`: how many there are.
  Ends(Elimination& e, std::vector<bool> wanted, std::size_t ways, Effort effort, Finish f, Weigh w, Restore r)
      : e_(e), wanted_(std::move(wanted)), ways_(ways), effort_(effort), finish_(std::move(f)), weigh_(std::move(w)), restore_(std::move(r)) {}

  static constexpr std::size_t few = 3;  // stations that are left, where thorough ends begin
  void at(std::size_t left);  // the ladder stands before so many stations
  End take_best();            // carries it out

 private:
  bool is_most() const;
  void begin();
  void undo();
  Elimination& e_;
  std::vector<bool> wanted_;
  std::size_t ways_;
  Effort effort_;
  Finish finish_;
  Weigh weigh_;
  Restore restore_;
  Since since_;
  bool begun_ = false;
  struct Best {
    End end;
    double weight = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ladder, rest;  // pivots of the ladder's stations since the first end, and of the end
  };
  bool tries(const End&) const;
  void try_end(const End&);
  void try_ways(End);  // the others than the first
  std::optional<Best> best_;
};

}  // namespace kron::solve
