// engine/solve/ends.hpp: how many of a ladder's last stations Markowitz takes, and in which way: each end is carried out on the one
// elimination, counted from where the first one begins, and taken back, so that trying them costs no more than the stations they are of:
// where these hold most of a block that is not small there are no ends.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "engine/solve/cost.hpp"

namespace kron::solve {

struct End {
  std::size_t leave = 0;     // stations
  bool units_first = false;
  std::size_t ties = 0;      // which of the tie orders
};

class Ends {
 public:
  using Finish = std::function<void(const End&)>;                                             // eliminates what is left
  using Weigh = std::function<double(const std::vector<bool>& wanted, const Since&)>;         // what has been eliminated since then
  using Restore = std::function<void()>;                                                      // after the tape was rewound
  // `wanted`: the block's unknowns whose values are asked for. `tie_orders`: how many there are.
  Ends(Elimination& e, std::vector<bool> wanted, std::size_t tie_orders, Finish f, Weigh w, Restore r)
      : e_(e), wanted_(std::move(wanted)), tie_orders_(tie_orders), finish_(std::move(f)), weigh_(std::move(w)), restore_(std::move(r)) {}

  void at(std::size_t left);  // the ladder stands before so many stations
  End take_best();            // carries it out

 private:
  bool is_most() const;
  void begin();
  void undo();
  Elimination& e_;
  std::vector<bool> wanted_;
  std::size_t tie_orders_;
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
  void try_end(const End&);
  void try_ties(const Best&);
  std::optional<Best> best_;
};

}  // namespace kron::solve
