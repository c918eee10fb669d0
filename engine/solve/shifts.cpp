#include "engine/solve/shifts.hpp"

#include <algorithm>

namespace kron::solve {
namespace {

constexpr std::size_t most_copies = 16;  // of one array in a row: further on are other parts

class Shifts {
 public:
  Shifts(const OrderingProblem& p, const GroupPairs& g, Between between)
      : p_(p), g_(g), between_(between), pair_of_unknown_(p.unknown_group.size(), none), taken_(g.rows.size(), false) {
    for (std::uint32_t k = 0; k < g.rows.size(); ++k)
      for (std::uint32_t c : g.unknowns[k]) pair_of_unknown_[c] = k;
    for (std::uint32_t k = 0; k < g.rows.size(); ++k) moved_.push_back(moved(k));
  }

  std::vector<std::uint32_t> run() {
    for (std::uint32_t k = 0; k < g_.rows.size(); ++k)
      if (is_shift(k)) {
        std::vector<std::uint32_t> way = {k};
        join(way);
      }
    return std::move(out_);
  }

 private:
  // The array of which the pair's unknowns are the elements, with either sign, but for early multiples of others; none where they are not.
  std::uint32_t moved(std::uint32_t k) const {
    if (g_.torn[k]) return none;
    std::uint32_t from = none;
    for (std::uint32_t other : g_.before[k])
      if (std::all_of(g_.rows[k].begin(), g_.rows[k].end(), [&](std::uint32_t r) { return has_one_of(r, other); })) {
        if (from != none) return none;
        from = other;
      }
    const auto fits = [&](std::uint32_t r) {
      const auto& row = p_.system->rows[r];
      return has_one_of(r, k) && std::all_of(row.begin(), row.end(), [&](const auto& e) { return early(e.value); });
    };
    return from != none && std::all_of(g_.rows[k].begin(), g_.rows[k].end(), fits) ? from : none;
  }
  bool has_one_of(std::uint32_t row, std::uint32_t pair) const {
    std::size_t units = 0;
    for (const auto& e : p_.system->rows[row]) {
      if (pair_of_unknown_[e.column] != pair) continue;
      if (e.value.node() != code::one.node()) return false;
      ++units;
    }
    return units == 1;
  }
  bool early(code::Ref value) const { return p_.tape->section(value) != code::Section::dynamic; }

  // Of one array, or of elements of several.
  bool is_copy(std::uint32_t k) const {
    const auto copies_one = [&](std::uint32_t r) {
      const auto& row = p_.system->rows[r];
      return row.size() == 2 && has_one_of(r, k) && row[0].value.node() == code::one.node() && row[1].value.node() == code::one.node();
    };
    return !g_.torn[k] && std::all_of(g_.rows[k].begin(), g_.rows[k].end(), copies_one);
  }
  bool is_shift(std::uint32_t k) const { return moved_[k] != none && !is_copy(k); }

  // The shift that `way` begins with, with those behind copies of it. `way`: from there by copies.
  void join(std::vector<std::uint32_t>& way) {
    const std::uint32_t before = way.back();
    if (between_ == Between::nothing && g_.next[before].size() != 1) return;
    for (std::uint32_t at : g_.next[before]) {
      if (moved_[at] != before) continue;
      if (is_shift(at)) {
        put_together(way, at);
      } else if (way.size() < most_copies) {
        way.push_back(at);
        join(way);
        way.pop_back();
      }
    }
  }
  void put_together(const std::vector<std::uint32_t>& way, std::uint32_t behind) {
    const std::uint32_t k = way.front();
    std::vector<std::uint32_t> pairs = way;
    for (std::uint32_t by : g_.before[k]) {
      if (by == moved_[k]) continue;
      bool met = false;
      for (std::uint32_t other : g_.before[behind]) met = met || (other != moved_[behind] && meet(by, other, pairs));
      if (!met) return;
    }
    for (std::uint32_t x : pairs) {
      if (!taken_[x]) out_.push_back(x);
      taken_[x] = true;
    }
  }

  // Whether they are copies of one array, in part at least; then the copies on the ways from there.
  bool meet(std::uint32_t x, std::uint32_t y, std::vector<std::uint32_t>& pairs) const {
    const std::vector<std::uint32_t> of_x = copies(x), of_y = copies(y);
    const auto holds = [](const std::vector<std::uint32_t>& all, std::uint32_t k) {
      return std::find(all.begin(), all.end(), k) != all.end();
    };
    if (std::none_of(of_x.begin(), of_x.end(), [&](std::uint32_t k) { return holds(of_y, k); })) return false;
    for (std::uint32_t k : of_x)
      if (!holds(of_y, k) && is_copy(k)) pairs.push_back(k);
    for (std::uint32_t k : of_y)
      if (!holds(of_x, k) && is_copy(k)) pairs.push_back(k);
    return true;
  }
  // The array, those that it is a copy of, those that these are copies of.
  std::vector<std::uint32_t> copies(std::uint32_t k) const {
    std::vector<std::uint32_t> all = {k};
    for (std::size_t at = 0; at < all.size() && all.size() < most_copies; ++at)
      if (is_copy(all[at]))
        for (std::uint32_t from : g_.before[all[at]])
          if (std::find(all.begin(), all.end(), from) == all.end()) all.push_back(from);
    return all;
  }

  const OrderingProblem& p_;
  const GroupPairs& g_;
  Between between_;
  std::vector<std::uint32_t> pair_of_unknown_, moved_, out_;
  std::vector<bool> taken_;
};

}  // namespace

std::vector<std::uint32_t> joined_shifts(const OrderingProblem& p, const GroupPairs& g, Between between) {
  return Shifts(p, g, between).run();
}

}  // namespace kron::solve
