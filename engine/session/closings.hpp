// engine/session/closings.hpp: equations that close loops, where some follow from the rest of the model and structure does not show it.
//   problem  a loop in a plane holds more than it needs, in the directions of that plane's axis. Of positions in the world frame these are
//            no coordinates where something carries the loop about or has turned it: at each moment another combination of the
//            three equations follows from the rest
//   method   where rows depend on each other, all closing equations are looked at once, with vectors turned to axes that go with the loop,
//            T*(b - a) = 0, which the connector's class gives (`@axes`). What gives positions and directions from joints is eliminated from
//            their Jacobian, at the random point of states.cpp; closing rows with nothing of their own then follow from the others: they stay
//            open, and the others of their vector stay turned
//   keep     b - a is zero while T turns, so derivatives of such a row are T*der(b - a) = 0, …: differentiated as a product they would hold
//            factors that are zero wherever the equations hold, and with these there are no good pivots
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/model/flat_model.hpp"

namespace kron::session {

struct System;
struct SystemRow;

struct TurnedClosing {
  std::uint32_t equation = 0, count = 0;  // of the flat model, element by element
  std::uint32_t a = 0, b = 0;             // first slots of the two vectors
  std::uint32_t axes = 0;                 // first slot of the matrix that goes with a, row by row
};

class Closings {
 public:
  enum class Look : std::uint8_t { not_yet, now, done };
  Look look() const { return look_; }
  // That rows depend on each other: the next reduction is to look at the closing ones. False: it has, or there are none.
  bool look_for_open(const model::FlatModel&);
  void found(std::vector<std::uint32_t> open, bool where_closed);  // what it saw: equations of the flat model
  bool where_closed() const { return where_closed_; }              // that was at positions where the loops are closed (closed_position.hpp)
  // That the model is singular without those, too. False: none are open.
  bool close_again();

  // Puts equations of the model into the form in which the next reduction takes them; back into the one in which they are written.
  void turn(model::FlatModel&);
  void restore(model::FlatModel&);
  const std::vector<std::uint32_t>& open() const { return open_; }
  // The vectors of the open ones as they are written: what is left out of them at the start is to go on to follow from the rest.
  std::vector<std::pair<std::uint32_t, model::FlatEquation>> to_watch(const model::FlatModel&) const;
  bool is_open(std::uint32_t equation) const { return std::ranges::binary_search(open_, equation); }
  std::uint32_t axes_of(std::uint32_t equation) const;  // FlatModel::none: it is not turned

 private:
  Look look_{};
  bool where_closed_ = false;
  std::vector<std::uint32_t> open_;       // ascending
  std::vector<TurnedClosing> turned_;     // as the model has them now
  std::vector<std::pair<std::uint32_t, model::FlatEquation>> plain_;  // what was written before
};

// Whether a row that is turned takes an operand as constant when it is differentiated.
bool is_axis(const System&, const SystemRow&, model::Operand);

}  // namespace kron::session
