#include "engine/structure/elimination.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace kron::structure {
namespace {

constexpr std::uint32_t first_long_row = 64;

}  // namespace

Elimination::Elimination(const IntegerSystem& s, const std::vector<bool>& late)
    : rows_(s),
      history_(s.rows()),
      late_(late),
      state_(s.rows(), State::active),
      degree_(s.columns, 0),
      pivot_time_(s.columns, free_end),
      newest_(s.columns, free_end),
      gathered_for_(s.rows(), 0),
      sum_(s.columns, 0),
      touched_(s.columns, false) {
  late_.resize(s.columns, false);
  links_.reserve(s.column.size() + s.column.size() / 2);
  for (const Row r : rows_.too_large()) state_[r] = State::lost, overflow_ = true;
  for (Row r = 0; r < s.rows(); ++r)
    if (state_[r] == State::active) activate(r);
}

void Elimination::eliminate_class(bool late) {
  class_ = late;
  long_row_ = first_long_row;
  parked_in_class_ = 0;
  for (Column c = 0; c < degree_.size(); ++c) offer(c);
  for (Row r = 0; r < state_.size(); ++r)
    if (state_[r] == State::active) park_if_long(r);
  run();
  while (!parked_.empty()) {
    long_row_ = free_end;
    unpark_all();
    run();
  }
}

void Elimination::run() {
  while (!next_.empty()) {
    const auto column = static_cast<Column>(next_.top() & free_end);
    const auto degree = static_cast<std::uint32_t>(next_.top() >> 32);
    next_.pop();
    if (pivot_time_[column] != free_end || degree_[column] == 0) continue;
    if (degree < degree_[column]) offer(column);
    if (degree == degree_[column]) eliminate(column);
  }
}

void Elimination::eliminate(Column c) {
  gather(c);
  const Row p = choose(c);
  withdraw(p, State::pivot);
  const auto time = static_cast<std::uint32_t>(pivots_.size());
  pivot_time_[c] = time;
  history_.pivot(p, time);
  pivots_.push_back({p, c});
  for (const Row r : gathered_)
    if (r != p) cancel(r, p, c);
}

// The active rows that have the column.
void Elimination::gather(Column c) {
  gathered_.clear();
  const auto number = static_cast<std::uint32_t>(pivots_.size() + 1);
  for (std::uint32_t link = newest_[c]; link != free_end; link = links_[link].before) {
    const Row r = links_[link].row;
    if (state_[r] != State::active || gathered_for_[r] == number || rows_.coefficient(r, c) == 0) continue;
    gathered_for_[r] = number;
    gathered_.push_back(r);
  }
}

Row Elimination::choose(Column c) const {
  const auto rank = [&](Row r) {
    const std::int64_t a = rows_.coefficient(r, c);
    return std::tuple(a != 1 && a != -1, rows_[r].size(), r);
  };
  return *std::min_element(gathered_.begin(), gathered_.end(), [&](Row a, Row b) { return rank(a) < rank(b); });
}

void Elimination::cancel(Row r, Row p, Column c) {
  const std::optional<Combination> done = rows_.cancel(r, p, c, gained_, lost_);
  if (!done) {
    overflow_ = true;
    withdraw(r, State::lost);
    return;
  }
  history_.step(r, p, done->keep, done->take, done->divisor);
  for (const Column column : gained_) raise(column, r);
  for (const Column column : lost_) lower(column);
  if (rows_[r].empty()) {
    state_[r] = State::vanished;
    vanished_.push_back(r);
  } else {
    park_if_long(r);
  }
}

void Elimination::activate(Row r) {
  state_[r] = State::active;
  for (const Entry& e : rows_[r]) raise(e.column, r);
  if (!rows_[r].empty()) return;
  state_[r] = State::vanished;
  vanished_.push_back(r);
}

void Elimination::withdraw(Row r, State state) {
  state_[r] = state;
  for (const Entry& e : rows_[r]) lower(e.column);
}

void Elimination::raise(Column c, Row r) {
  ++degree_[c];
  links_.push_back({r, newest_[c]});
  newest_[c] = static_cast<std::uint32_t>(links_.size() - 1);
}

void Elimination::lower(Column c) {
  --degree_[c];
  offer(c);
}

void Elimination::offer(Column c) {
  if (degree_[c] != 0 && late_[c] == class_ && pivot_time_[c] == free_end) next_.push(Key{degree_[c]} << 32 | c);
}

// The bound doubles with every so many rows parked, so that few rows are parked even where all are long.
void Elimination::park_if_long(Row r) {
  if (rows_[r].size() <= long_row_) return;
  withdraw(r, State::parked);
  parked_.push_back(r);
  if (++parked_in_class_ >= long_row_) long_row_ *= 2;
}

void Elimination::unpark_all() {
  std::sort(parked_.begin(), parked_.end());
  for (const Row r : parked_) {
    if (!reduce_parked(r)) {
      overflow_ = true;
      state_[r] = State::lost;
      continue;
    }
    activate(r);
    for (const Entry& e : rows_[r]) offer(e.column);
  }
  parked_.clear();
}

// A pivot row has pivot columns of later pivots only, so that the pivots are subtracted in the order of their making.
bool Elimination::reduce_parked(Row r) {
  touched_columns_.clear();
  const auto touch = [&](Column c) {
    if (touched_[c]) return;
    touched_[c] = true;
    touched_columns_.push_back(c);
    if (pivot_time_[c] == free_end) return;
    due_.push_back(pivot_time_[c]);
    std::push_heap(due_.begin(), due_.end(), std::greater<>());
  };
  for (const Entry& e : rows_[r]) touch(e.column), sum_[e.column] = e.coefficient;
  std::int64_t constant = rows_.constant(r);
  bool exact = true;
  while (!due_.empty()) {
    std::pop_heap(due_.begin(), due_.end(), std::greater<>());
    const Pivot pivot = pivots_[due_.back()];
    due_.pop_back();
    if (!exact || sum_[pivot.column] == 0) continue;
    for (const Entry& e : rows_[pivot.row]) touch(e.column);
    exact = subtract_pivot(r, pivot.row, constant);
  }
  store_sums(r, constant);
  return exact;
}

// sum_ := keep·sum_ − take·pivot row, where the pivot column cancels.
bool Elimination::subtract_pivot(Row r, Row pivot_row, std::int64_t& constant) {
  const Column c = pivots_[history_.pivot_time(pivot_row)].column;
  const std::int64_t a = rows_.coefficient(pivot_row, c), common = std::gcd(a, sum_[c]) * (a < 0 ? -1 : 1);
  const std::int64_t keep = a / common, take = sum_[c] / common;
  bool exact = true;
  const auto combine = [&exact](std::int64_t& value, std::int64_t scale, std::int64_t factor, std::int64_t other) {
    const Wide result = static_cast<Wide>(scale) * value - static_cast<Wide>(factor) * other;
    exact = exact && fits(result);
    value = exact ? static_cast<std::int64_t>(result) : 0;
  };
  if (keep != 1)
    for (const Column other : touched_columns_) combine(sum_[other], keep, 0, 0);
  for (const Entry& e : rows_[pivot_row]) combine(sum_[e.column], 1, take, e.coefficient);
  combine(constant, keep, take, rows_.constant(pivot_row));
  history_.step(r, pivot_row, keep, take, 1);
  return exact;
}

// Back from sum_ into the row, divided by the common factor; sum_ is zero again.
void Elimination::store_sums(Row r, std::int64_t constant) {
  std::sort(touched_columns_.begin(), touched_columns_.end());
  std::vector<Entry> entries;
  std::int64_t common = std::gcd(constant, 0);
  for (const Column c : touched_columns_) {
    if (sum_[c] != 0) entries.push_back({c, sum_[c]});
    common = std::gcd(common, sum_[c]);
    sum_[c] = 0;
    touched_[c] = false;
  }
  if (common > 1 && history_.divide_last(r, common)) {
    for (Entry& e : entries) e.coefficient /= common;
    constant /= common;
  }
  rows_.assign(r, entries, constant);
}

}  // namespace kron::structure
