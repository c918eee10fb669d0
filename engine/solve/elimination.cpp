#include "engine/solve/elimination.hpp"

#include <algorithm>

#include "engine/base/waiting.hpp"
#include "engine/code/common_factor.hpp"

namespace kron::solve {

using code::Ref;
using Entry = LinearSystem::Entry;

namespace {
using Holders = Elimination::Holders;

void insert(Holders& sorted, std::uint32_t v) {
  const std::uint32_t* it = std::lower_bound(sorted.begin(), sorted.end(), v);
  if (it != sorted.end() && *it == v) return;
  const auto at = it - sorted.begin();
  sorted.push_back(v);
  std::copy_backward(sorted.begin() + at, sorted.end() - 1, sorted.end());
  sorted[static_cast<std::size_t>(at)] = v;
}
void erase(Holders& sorted, std::uint32_t v) {
  std::uint32_t* it = std::lower_bound(sorted.begin(), sorted.end(), v);
  if (it == sorted.end() || *it != v) return;
  std::move(it + 1, sorted.end(), it);
  sorted.pop_back();
}
const Entry* find(const LinearSystem::Row& row, std::uint32_t column) {
  const Entry* it = std::lower_bound(row.begin(), row.end(), column, [](const Entry& e, std::uint32_t c) { return e.column < c; });
  return it != row.end() && it->column == column ? it : nullptr;
}

// Entry minus product. What an entry was before is seldom wanted otherwise: of z + f*x and f*y, f known early, z + f*(x - y) is left, as
// where a matrix is shifted from both sides.
Ref reduced(code::Builder& t, Ref entry, Ref product) {
  const code::Node n = t.nodes()[entry.node()];
  if (n.op == code::Op::add)
    for (const auto& [u, z] : {std::pair{n.a, n.b}, std::pair{n.b, n.a}})
      if (const Ref both = code::common_factor(t, entry.negative() ? -u : u, -product); !t.is_zero(both))
        return t.add(entry.negative() ? -z : z, both);
  return t.sub(entry, product);
}
}  // namespace

Elimination::Elimination(code::Builder& tape, LinearSystem system, const std::vector<Pivot>& reference)
    : first_(tape.size()), tape_(tape), system_(std::move(system)), columns_(system_.rows.size()), active_(system_.rows.size(), true) {
  for (const auto& row : system_.rows)
    if (!row.empty() && row.back().column >= columns_.size()) columns_.resize(row.back().column + 1);  // more unknowns than rows
  for (const auto& row : system_.rows) given_ += row.size();
  unsolved_.assign(columns_.size(), true);
  for (std::uint32_t r = 0; r < system_.rows.size(); ++r)
    for (const Entry& e : system_.rows[r]) columns_[e.column].push_back(r);
  if (!reference.empty()) refer_to(reference);
}

void Elimination::refer_to(const std::vector<Pivot>& reference) {
  reference_.assign(columns_.size(), code::zero);
  const auto residual = [&](std::uint32_t r) {
    Ref sum = system_.rhs[r];
    for (const Entry& e : system_.rows[r]) sum = tape_.sub(sum, tape_.mul(e.value, reference_[e.column]));
    return sum;
  };
  for (const auto& [r, c] : reference) reference_[c] = tape_.mul(residual(r), tape_.inv(find(system_.rows[r], c)->value));
  for (std::uint32_t r = 0; r < system_.rows.size(); ++r) system_.rhs[r] = residual(r);
}

const Entry* Elimination::entry(std::uint32_t r, std::uint32_t c) const { return find(system_.rows[r], c); }

void Elimination::mark() { trials_.push_back({tape_.size(), pivots_.size(), entries_, behind_, {}}); }

// Rows in the order opposite to that in which they were changed. A pivot row is as it was, but its columns did not list it any more.
void Elimination::undo() {
  Trial& trial = trials_.back();
  for (std::size_t k = trial.rows.size(); k-- > 0;) {
    SavedRow& s = trial.rows[k];
    if (s.was_pivot) {
      active_[s.row] = true;
      for (const Entry& e : system_.rows[s.row]) insert(columns_[e.column], s.row);
      continue;
    }
    relist(s.row, system_.rows[s.row], s.entries);
    system_.rows[s.row] = std::move(s.entries);
    system_.rhs[s.row] = s.rhs;
  }
  while (pivots_.size() > trial.pivots) {
    unsolved_[pivots_.back().second] = true;
    pivots_.pop_back();
  }
  tape_.rewind(trial.nodes);
  entries_ = trial.entries;
  behind_ = trial.behind;
  trials_.pop_back();
}

// The columns of `from` list the row; now those of `to` do.
void Elimination::relist(std::uint32_t row, const LinearSystem::Row& from, const LinearSystem::Row& to) {
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    if (j == to.size() || (i < from.size() && from[i].column < to[j].column)) erase(columns_[from[i++].column], row);
    else if (i == from.size() || to[j].column < from[i].column) insert(columns_[to[j++].column], row);
    else ++i, ++j;
  }
}

void Elimination::eliminate(std::uint32_t r, std::uint32_t c) {
  constexpr std::size_t kept_for_one = 8;  // so many entries of rows that are kept for undo() count as one that was taken: a long row that changes often costs memory
  still_wanted();
  if (!trials_.empty()) trials_.back().rows.push_back({r, true, {}, {}});
  active_[r] = false;
  unsolved_[c] = false;
  pivots_.emplace_back(r, c);
  for (const Entry& e : system_.rows[r]) erase(columns_[e.column], r);
  behind_ = behind_ || fills_up(system_.rows[r].size() * columns_[c].size());
  if (behind_) {  // given up: nobody looks at what it gives
    changed_.clear();
    return;
  }
  changed_.assign(columns_[c].begin(), columns_[c].end());
  const Ref inverse = tape_.inv(find(system_.rows[r], c)->value);  // one division a pivot, shared by everything it divides
  for (std::uint32_t t : changed_) {
    const Ref factor = tape_.mul(find(system_.rows[t], c)->value, inverse);
    if (trials_.empty()) before_ = system_.rows[t];  // each row keeps its own memory: short ones would come by that of a long one
    else std::swap(before_, system_.rows[t]);
    system_.rows[t].clear();
    const Ref rhs = system_.rhs[t];
    combine(t, r, c, factor);
    if (trials_.empty()) continue;
    entries_ += before_.size() / kept_for_one;
    trials_.back().rows.push_back({t, false, std::move(before_), rhs});
  }
  columns_[c].clear();
  if (trials_.empty()) keep_pace();
}

void Elimination::keep_pace() {
  constexpr std::size_t telling = 3;  // of the parts: the first ones say little
  const std::size_t part = pivots_.size() * pace_.size() / system_.rows.size();
  if (part == 0 || pace_[part - 1] != 0) return;
  pace_[part - 1] = nodes();
  if (!best_ || part <= telling || (*best_)[part - 1] == 0) return;
  // The other may have most of its work at its end: it is taken to go at least at an even pace.
  const auto share = static_cast<double>(part - telling) / static_cast<double>(pace_.size() - telling);
  const auto made = [&](const Pace& p, std::size_t k) { return static_cast<double>(p[k - 1] - p[telling - 1]); };
  const double other = std::max(made(*best_, part), share * made(*best_, pace_.size()));
  const double many = part <= pace_.size() / 2 ? 1.6 : 1.2;  // stations are of different size
  behind_ = behind_ || made(pace_, part) > many * other;
}

// row[target] = before_ - factor * row[pivot_row]
void Elimination::combine(std::uint32_t target, std::uint32_t pivot_row, std::uint32_t column, Ref factor) {
  const LinearSystem::Row& pivot = system_.rows[pivot_row];
  const Entry *x = before_.begin(), *y = pivot.begin();
  const Entry *const x_end = before_.end(), *const y_end = pivot.end();
  merged_.clear();
  entries_ += pivot.size();
  spent_ += pivot.size();
  while (x != x_end || y != y_end) {
    if (y == y_end || (x != x_end && x->column < y->column)) {  // a row of thousands may lose one entry after the other
      const Entry* const to = y == y_end ? x_end : std::lower_bound(x + 1, x_end, y->column, [](const Entry& e, std::uint32_t c) { return e.column < c; });
      merged_.insert(merged_.end(), x, to);
      x = to;
      continue;
    }
    const std::uint32_t c = y->column;
    const bool both = x != x_end && x->column == c;
    if (c == column) { ++y; x += both; continue; }
    const Ref product = tape_.mul(factor, y->value);
    const Ref value = both ? reduced(tape_, x->value, product) : -product;
    if (!tape_.is_zero(value)) {
      merged_.push_back({c, value});
      if (!both) insert(columns_[c], target);
    } else if (both) {
      erase(columns_[c], target);
    }
    ++y;
    x += both;
  }
  system_.rows[target].append(merged_.data(), merged_.size());
  system_.rhs[target] = tape_.sub(system_.rhs[target], tape_.mul(factor, system_.rhs[pivot_row]));
}

void Elimination::substitute_back(std::vector<Ref>& values, std::size_t first) {
  for (std::size_t k = pivots_.size(); k-- > first;) {
    const auto [r, c] = pivots_[k];
    Ref sum = system_.rhs[r], pivot;
    for (const Entry& e : system_.rows[r]) {
      if (e.column == c) pivot = e.value;
      else sum = tape_.sub(sum, tape_.mul(e.value, values[e.column]));
    }
    values[c] = tape_.mul(sum, tape_.inv(pivot));
  }
  if (reference_.empty()) return;
  for (std::size_t k = first; k < pivots_.size(); ++k) {
    Ref& value = values[pivots_[k].second];
    value = tape_.add(value, reference_[pivots_[k].second]);
  }
}

}  // namespace kron::solve
