#include "engine/solve/ends.hpp"

#include <algorithm>
#include <array>

namespace kron::solve {

void Ends::at(std::size_t left) {
  for (const bool units_first : {true, false}) {
    const End end{left, units_first};
    if (!tries(end) || e_.exhausted() || is_most()) continue;
    if (!begun_) begin();
    try_end(end);
  }
}

bool Ends::tries(const End& end) const {
  constexpr std::array<std::size_t, 6> usual = {8, 5, 3, 2, 1, 0};
  if (end.units_first && (end.leave == 0 || end.leave > few)) return false;
  if (effort_ == Effort::quick) return end.units_first ? end.leave == 2 : end.leave == 0;
  return (effort_ == Effort::usual || end.leave <= few) && std::find(usual.begin(), usual.end(), end.leave) != usual.end();
}

// The last stations may hold most of a short chain, or of a tree that is none (hundreds of arms on one body): no ends then, but other orders of
// it all. What so much of a block costs in Markowitz's order tells little: it took half of the time of all trials of a chain of ten bodies.
bool Ends::is_most() const {
  constexpr std::size_t short_block = 1200;  // unknowns that are left: of a large block
  const auto left = static_cast<double>(e_.unknowns() - e_.pivots().size()), all = static_cast<double>(e_.unknowns());
  const double most = left > short_block ? 0.25 : effort_ == Effort::thorough ? 0.6 : 0.4;
  return e_.size() > small_block && left > most * all;
}

// What the stations before need of the others is wanted, too.
void Ends::begin() {
  begun_ = true;
  e_.mark();
  since_ = {e_.nodes(), e_.pivots().size()};
  for (const auto& [r, c] : e_.pivots())
    for (const auto& x : e_.row(r))
      if (x.column < wanted_.size()) wanted_[x.column] = true;
}

void Ends::undo() {
  e_.undo();
  restore_();
}

void Ends::try_end(const End& end) {
  const std::size_t ladder = e_.pivots().size();
  e_.mark();
  finish_(end);
  const Core core = remaining(e_);
  const bool singular = std::any_of(core.rows.begin(), core.rows.end(), [&](auto r) { return e_.row(r).empty(); });
  if (!singular && !e_.exhausted())
    if (const double weight = weigh_(wanted_, since_); !best_ || weight < best_->weight || (weight == best_->weight && end.way == 0)) {
      const auto begin = e_.pivots().begin(), middle = begin + static_cast<std::ptrdiff_t>(ladder);
      best_ = {end, weight, {begin + static_cast<std::ptrdiff_t>(since_.pivots), middle}, {middle, e_.pivots().end()}};
    }
  undo();
}

End Ends::take_best() {
  if (begun_) undo();
  if (!best_) {
    finish_({});
    return {};
  }
  const Best first = *best_;
  for (const auto& [r, c] : first.ladder) e_.eliminate(r, c);
  if (first.end.leave > 0) try_ways(first.end);
  for (const auto& [r, c] : best_->rest) e_.eliminate(r, c);
  return best_->end;
}

void Ends::try_ways(End end) {
  constexpr std::size_t few_left = 200;  // unknowns: more is decided before them
  if (effort_ == Effort::thorough && e_.unknowns() - e_.pivots().size() > few_left) return;
  for (end.way = 1; end.way < ways_; ++end.way) try_end(end);
}

}  // namespace kron::solve
