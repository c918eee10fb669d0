#include "engine/solve/carried.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/base/key_map.hpp"

namespace kron::solve {
namespace {

KeyMap places(const std::vector<std::uint64_t>& names) {
  KeyMap at(names.size());
  for (std::uint32_t k = 0; k < names.size(); ++k) at.emplace(names[k], k);
  return at;
}

bool is_unit(const LinearSystem::Entry& x) { return x.value.node() == code::one.node(); }

class Sets {  // disjoint ones
 public:
  explicit Sets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }
  std::uint32_t find(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void join(std::uint32_t x, std::uint32_t y) { parent_[std::max(find(x), find(y))] = std::min(find(x), find(y)); }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

NamedOrder named(const NamedPlaces& names, const OrderingProblem& p, const std::vector<Pivot>& pivots, const std::vector<Pivot>& reference) {
  NamedOrder o;
  o.groups.reserve(pivots.size());
  for (const auto& [r, c] : pivots) o.groups.emplace_back(p.row_group[r], p.unknown_group[c]);
  for (const auto& [from, to] : {std::pair{&pivots, &o.pivots}, {&reference, &o.reference}}) {
    to->reserve(from->size());
    for (const auto& [r, c] : *from) to->emplace_back(names.row[r], names.column[c]);
  }
  return o;
}

CarriedOrder::CarriedOrder(const NamedOrder& order, const NamedPlaces& names, const OrderingProblem& p, bool mended)
    : p_(p), system_(*p.system), piece_of_row_(names.row.size(), no_part), piece_of_column_(names.column.size(), no_part),
      is_reached_(names.column.size(), false) {
  const KeyMap row_at = places(names.row), column_at = places(names.column);
  const auto here = [&](const std::vector<NamedPivot>& list) {
    std::vector<Pivot> out;
    out.reserve(list.size());
    for (const auto& [row, column] : list) out.emplace_back(row_at.find(row), column_at.find(column));
    return out;
  };
  const auto whole = [](const Pivot& x) { return x.first != no_part && x.second != no_part; };
  static_assert(no_part == KeyMap::none);
  std::vector<Pivot> all = pair_up(order, here(order.pivots));
  if (mended) mend_pairs(all);
  std::vector<Pivot> pairs;
  pairs.reserve(all.size());
  std::ranges::copy_if(all, std::back_inserter(pairs), whole);
  find_pieces(std::move(pairs), all);
  keep_places(all);
  find_parts();
  if (order.reference.empty()) return;
  std::vector<Pivot> reference = here(order.reference);
  std::erase_if(reference, std::not_fn(whole));
  find_reference(reference);
}

// The pairs of before, no_part for what has gone. What is new takes the place of what has gone in its two arrays, if its row holds it.
std::vector<Pivot> CarriedOrder::pair_up(const NamedOrder& order, std::vector<Pivot> here) const {
  const auto rows = static_cast<std::uint32_t>(piece_of_row_.size()), columns = static_cast<std::uint32_t>(piece_of_column_.size());
  std::vector<bool> old_row(rows, false), old_column(columns, false);
  std::vector<std::uint32_t> row_group, column_group;  // by number of before
  const auto note = [](std::vector<std::uint32_t>& now, std::uint32_t then, std::uint32_t group) {
    if (then >= now.size()) now.resize(then + std::size_t{1}, no_part);
    now[then] = group;
  };
  for (std::size_t k = 0; k < here.size(); ++k) {
    const auto& [r, c] = here[k];
    if (r != no_part) note(row_group, order.groups[k].first, p_.row_group[r]);
    if (c != no_part) note(column_group, order.groups[k].second, p_.unknown_group[c]);
    if (r != no_part) old_row[r] = true;
    if (c != no_part) old_column[c] = true;
  }
  const auto now = [](const std::vector<std::uint32_t>& groups, std::uint32_t then) { return then < groups.size() ? groups[then] : no_part; };
  std::vector<std::uint32_t> new_rows;
  for (std::uint32_t r = 0; r < rows; ++r)
    if (!old_row[r]) new_rows.push_back(r);
  for (std::size_t k = 0; k < here.size() && !new_rows.empty(); ++k) {
    const std::uint32_t column = here[k].second;
    const std::uint32_t group = now(row_group, order.groups[k].first), its = now(column_group, order.groups[k].second);
    if (here[k].first != no_part || group == no_part || its == no_part) continue;
    const auto fits = [&](const LinearSystem::Entry& x) {
      return is_unit(x) && (column != no_part ? x.column == column : !old_column[x.column] && p_.unknown_group[x.column] == its);
    };
    for (std::uint32_t r : new_rows) {
      if (old_row[r] || p_.row_group[r] != group) continue;
      const LinearSystem::Entry* x = std::ranges::find_if(system_.rows[r], fits);
      if (x == system_.rows[r].end()) continue;
      here[k] = {r, x->column};
      old_row[r] = old_column[x->column] = true;
      break;
    }
  }
  return here;
}

// The row takes over an unknown of which it holds ±1, the row of that another one, and so on to an unknown that is open. Each unknown
// keeps its place in the order. `row_of`: the rows of unknowns; those that have none and are not open are not looked at.
template <class Open>
bool CarriedOrder::give_row_an_unknown(std::uint32_t row, std::vector<std::uint32_t>& row_of, const Open& open) {
  constexpr std::size_t near = 64;  // rows that are looked at
  reached_.assign(1, {row, no_part, 0});
  bool found = false;
  for (std::uint32_t k = 0; k < reached_.size() && k < near && !found; ++k)
    for (const auto& x : system_.rows[reached_[k].row]) {
      if (is_reached_[x.column] || !is_unit(x)) continue;
      found = row_of[x.column] == no_part;
      if (found && !(found = open(x.column))) continue;
      is_reached_[x.column] = true;
      reached_.push_back({row_of[x.column], x.column, k});
      if (found) break;
    }
  for (std::size_t k = 1; k < reached_.size(); ++k) is_reached_[reached_[k].column] = false;
  for (std::uint32_t k = found ? static_cast<std::uint32_t>(reached_.size()) - 1 : 0; k != 0; k = reached_[k].by)
    row_of[reached_[k].column] = reached_[reached_[k].by].row;
  return found;
}

// As where two frames that turned against each other are one: rows without a partner get one, and others another one.
void CarriedOrder::mend_pairs(std::vector<Pivot>& pairs) {
  std::vector<std::uint32_t> row_of(piece_of_column_.size(), no_part);
  std::vector<bool> has_unknown(piece_of_row_.size(), false);
  for (const auto& [r, c] : pairs)
    if (r != no_part && c != no_part) {
      row_of[c] = r;
      has_unknown[r] = true;
    }
  for (std::uint32_t row = 0; row < has_unknown.size(); ++row)
    if (!has_unknown[row]) give_row_an_unknown(row, row_of, [](std::uint32_t) { return true; });
  for (auto& [r, c] : pairs) r = c == no_part ? no_part : row_of[c];
}

// A pivot whose row and unknown do not hang together any more is none: what led from one to the other has gone.
void CarriedOrder::find_pieces(std::vector<Pivot> all, const std::vector<Pivot>& before) {
  const auto rows = static_cast<std::uint32_t>(piece_of_row_.size());
  std::vector<bool> is_old(piece_of_column_.size(), false);  // what has lost its row holds a piece together, too
  for (const Pivot& p : before)
    if (p.second != no_part) is_old[p.second] = true;
  std::optional<Sets> sets;
  const auto apart = [&](const Pivot& p) { return sets->find(p.first) != sets->find(rows + p.second); };
  do {
    if (sets) std::erase_if(all, apart);
    std::ranges::fill(piece_of_row_, no_part);
    std::ranges::fill(piece_of_column_, no_part);
    for (const auto& [r, c] : all) piece_of_row_[r] = piece_of_column_[c] = 0;
    sets.emplace(rows + piece_of_column_.size());
    for (const auto& [r, c] : all)
      for (const auto& x : system_.rows[r])
        if (is_old[x.column]) sets->join(r, rows + x.column);
  } while (std::ranges::any_of(all, apart));
  std::vector<std::uint32_t> number(rows, no_part);
  for (const auto& [r, c] : all) {
    std::uint32_t& n = number[sets->find(r)];
    if (n == no_part) {
      n = static_cast<std::uint32_t>(pieces_.size());
      pieces_.emplace_back();
    }
    pieces_[n].emplace_back(r, c);
    piece_of_row_[r] = piece_of_column_[c] = n;
  }
  std::size_t largest = 0;
  for (const auto& x : pieces_) largest = std::max(largest, x.size());
  constexpr std::size_t large = 4;  // more than this part of the largest
  const auto last = std::ranges::find_if(all.rbegin(), all.rend(), [&](const Pivot& x) { return large * pieces_[piece_of_row_[x.first]].size() > largest; });
  if (last != all.rend()) main_ = piece_of_row_[last->first];
}

// An unknown whose row has gone keeps its place in its piece: with a new row that gives it, as where a connection is another one, or with
// none yet (give_row).
void CarriedOrder::keep_places(const std::vector<Pivot>& all) {
  if (pieces_.empty()) return;
  const auto rows = static_cast<std::uint32_t>(piece_of_row_.size()), columns = static_cast<std::uint32_t>(piece_of_column_.size());
  std::vector<std::uint32_t> piece = piece_of_column_;  // of unknowns without a row, too: that of the rows that hold them
  for (std::uint32_t r = 0; r < rows; ++r)
    if (piece_of_row_[r] != no_part)
      for (const auto& x : system_.rows[r]) piece[x.column] = piece_of_row_[r];
  std::vector<std::uint32_t> row_of(columns, no_part);
  std::vector<bool> lost(columns, false);
  for (const auto& [r, c] : all) {
    if (c == no_part) continue;
    if (piece_of_column_[c] == no_part) lost[c] = piece[c] != no_part;
    else if (r != no_part && piece_of_row_[r] == piece_of_column_[c]) row_of[c] = r;
  }
  const auto is_new = [&](const LinearSystem::Entry& x) { return piece_of_column_[x.column] == no_part && !lost[x.column]; };
  std::vector<std::uint32_t> others;  // rows that give nothing that has no row
  for (std::uint32_t r = 0; r < rows; ++r) {
    if (piece_of_row_[r] != no_part) continue;
    const auto gives = [&](const LinearSystem::Entry& x) { return lost[x.column] && row_of[x.column] == no_part && is_unit(x); };
    const LinearSystem::Entry* x = std::ranges::find_if(system_.rows[r], gives);
    if (x != system_.rows[r].end()) row_of[x->column] = r;
    else if (std::ranges::none_of(system_.rows[r], is_new)) others.push_back(r);
  }
  for (std::uint32_t r : others) give_row_an_unknown(r, row_of, [&](std::uint32_t c) { return lost[c]; });
  for (auto& pivots : pieces_) pivots.clear();
  std::vector<bool> done(columns, false);
  for (const auto& [r, c] : all) {
    if (c == no_part || done[c]) continue;
    if (piece_of_column_[c] != no_part && (r == no_part || row_of[c] == no_part)) continue;  // another pair has the unknown
    done[c] = true;
    const std::uint32_t row = row_of[c], its = lost[c] || row != no_part ? piece[c] : main_;
    pieces_[its].emplace_back(row, c);
    if (row == no_part) continue;
    piece_of_row_[row] = piece_of_column_[c] = its;
    for (const auto& x : system_.rows[row])
      if (piece[x.column] != no_part && piece[x.column] != its) bridges_.emplace_back(its, piece[x.column]);
  }
}

void CarriedOrder::find_parts() {
  const auto rows = static_cast<std::uint32_t>(piece_of_row_.size()), columns = static_cast<std::uint32_t>(piece_of_column_.size());
  Sets sets(rows + columns);
  for (std::uint32_t r = 0; r < rows; ++r)
    if (piece_of_row_[r] == no_part)
      for (const auto& x : system_.rows[r])
        if (piece_of_column_[x.column] == no_part) sets.join(r, rows + x.column);
  std::vector<std::uint32_t> number(rows + columns, no_part);
  const auto part_of = [&](std::uint32_t node) {
    std::uint32_t& n = number[sets.find(node)];
    if (n == no_part) {
      n = static_cast<std::uint32_t>(parts_.size());
      parts_.emplace_back();
    }
    return n;
  };
  part_of_row_.assign(rows, no_part);
  part_of_column_.assign(columns, no_part);
  for (std::uint32_t r = 0; r < rows; ++r)
    if (piece_of_row_[r] == no_part) parts_[part_of_row_[r] = part_of(r)].rows.push_back(r);
  for (std::uint32_t c = 0; c < columns; ++c)
    if (piece_of_column_[c] == no_part) part_of_column_[c] = part_of(rows + c);
  const auto touch = [&](std::uint32_t part, std::uint32_t piece) {
    if (part != no_part && piece != no_part) parts_[part].pieces.push_back(piece);
  };
  for (std::uint32_t r = 0; r < rows; ++r)
    for (const auto& x : system_.rows[r]) {
      touch(part_of_row_[r], piece_of_column_[x.column]);
      touch(part_of_column_[x.column], piece_of_row_[r]);
    }
  for (Part& p : parts_) {
    std::sort(p.pieces.begin(), p.pieces.end());
    p.pieces.erase(std::unique(p.pieces.begin(), p.pieces.end()), p.pieces.end());
  }
}

// Rows without one give a value to the one unknown that is new, or has lost its own, where all others have one. Each comes after those
// that it reads.
void CarriedOrder::find_reference(const std::vector<Pivot>& before) {
  const auto holds = [&](const Pivot& p) {
    return std::ranges::any_of(system_.rows[p.first], [&](const auto& x) { return x.column == p.second; });
  };
  std::vector<std::uint32_t> given_by(piece_of_column_.size(), no_part);
  std::vector<bool> gives(piece_of_row_.size(), false), may_get(piece_of_column_.size(), false);
  for (std::uint32_t c = 0; c < may_get.size(); ++c) may_get[c] = piece_of_column_[c] == no_part;
  for (const Pivot& p : before) {
    if (!holds(p)) {
      may_get[p.second] = true;
      continue;
    }
    given_by[p.second] = p.first;
    gives[p.first] = true;
  }
  for (bool more = true; more;) {
    more = false;
    for (std::uint32_t r = 0; r < gives.size(); ++r) {
      if (gives[r]) continue;
      const LinearSystem::Entry* open = nullptr;
      bool one = true;
      for (const auto& x : system_.rows[r])
        if (given_by[x.column] == no_part) {
          one = open == nullptr;
          open = &x;
          if (!one) break;
        }
      if (!one || !open || !may_get[open->column] || !is_unit(*open)) continue;
      given_by[open->column] = r;
      gives[r] = more = true;
    }
  }
  enum class State : std::uint8_t { open, waiting, done };
  std::vector<State> state(given_by.size(), State::open);
  std::vector<std::uint32_t> stack;
  for (std::uint32_t first = 0; first < given_by.size(); ++first) {
    if (given_by[first] != no_part) stack.push_back(first);
    while (!stack.empty()) {
      const std::uint32_t c = stack.back();
      const bool seen = state[c] != State::open;
      if (seen) stack.pop_back();
      if (state[c] == State::waiting) reference_.emplace_back(given_by[c], c);
      state[c] = seen ? State::done : State::waiting;
      if (seen) continue;
      for (const auto& x : system_.rows[given_by[c]])
        if (given_by[x.column] != no_part && state[x.column] == State::open) stack.push_back(x.column);
    }
  }
}

// The pieces, each behind those that hang on it; the main one comes last. Gives pieces and parts their levels.
std::vector<std::uint32_t> CarriedOrder::far_pieces_first() {
  std::vector<std::vector<std::uint32_t>> parts_of(pieces_.size()), beside(pieces_.size());
  for (std::uint32_t part = 0; part < parts_.size(); ++part)
    for (std::uint32_t piece : parts_[part].pieces) parts_of[piece].push_back(part);
  for (const auto& [x, y] : bridges_) {
    beside[x].push_back(y);
    beside[y].push_back(x);
  }
  piece_level_.assign(pieces_.size(), no_part);
  std::vector<std::uint32_t> order{main_};
  piece_level_[main_] = 0;
  const auto reach = [&](std::uint32_t piece, std::uint32_t level) {
    if (piece_level_[piece] != no_part) return;
    piece_level_[piece] = level;
    order.push_back(piece);
  };
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint32_t here = order[k], level = piece_level_[here];
    for (std::uint32_t part : parts_of[here]) {
      if (parts_[part].level != no_part) continue;
      parts_[part].level = level + 1;
      for (std::uint32_t piece : parts_[part].pieces) reach(piece, level + 2);
    }
    for (std::uint32_t piece : beside[here]) reach(piece, level + 2);
  }
  for (std::uint32_t piece = 0; piece < pieces_.size(); ++piece)
    if (piece_level_[piece] == no_part) order.push_back(piece);
  std::ranges::reverse(order);
  return order;
}

// The parts that the step would take in, but for those that stand between the pivot's piece, of this level, and the main one.
void CarriedOrder::meet(const Elimination& e, const Pivot& p, std::uint32_t level) {
  met_.clear();
  const auto add = [&](std::uint32_t part) {
    if (part != no_part && !parts_[part].placed && parts_[part].level >= level) met_.push_back(part);
  };
  for (const auto& x : e.row(p.first)) add(part_of_column_[x.column]);
  for (std::uint32_t holder : e.holders(p.second)) add(part_of_row_[holder]);
  std::sort(met_.begin(), met_.end());
  met_.erase(std::unique(met_.begin(), met_.end()), met_.end());
}

namespace {
void eliminate_where_possible(Elimination& e, const Pivot& p, const Admissible& admissible) {
  const auto& [r, c] = p;
  if (!e.active(r) || !e.unsolved(c)) return;
  if (const LinearSystem::Entry* x = e.entry(r, c); x && admissible(r, c, x->value)) e.eliminate(r, c);
}
}  // namespace

void CarriedOrder::place(Elimination& e, const Admissible& admissible, std::uint32_t part) {
  parts_[part].placed = true;
  run_markowitz(e, p_, parts_[part].rows,
                [&](std::uint32_t r, std::uint32_t c, code::Ref x) { return part_of_column_[c] != no_part && admissible(r, c, x); });
}

// Where its pivot was: to a torn unknown whose residual is another one now, as another torque is zero where a joint turns about another
// axis.
void CarriedOrder::give_row(Elimination& e, const Admissible& admissible, std::uint32_t column) const {
  if (!e.unsolved(column) || !parts_[part_of_column_[column]].rows.empty()) return;
  std::uint32_t best = no_part;
  for (std::uint32_t r : e.holders(column))
    if (piece_of_row_[r] == no_part && (best == no_part || e.row_count(r) < e.row_count(best)) && admissible(r, column, e.entry(r, column)->value))
      best = r;
  if (best != no_part) e.eliminate(best, column);
}

void CarriedOrder::run(Elimination& e, const Admissible& admissible) {
  if (pieces_.empty()) return;
  for (std::uint32_t piece : far_pieces_first())
    for (const Pivot& x : pieces_[piece]) {
      if (e.exhausted()) return;
      if (x.first == no_part) {
        give_row(e, admissible, x.second);
        continue;
      }
      meet(e, x, piece_level_[piece]);
      for (std::uint32_t part : met_) place(e, admissible, part);
      eliminate_where_possible(e, x, admissible);
    }
  for (std::uint32_t part = 0; part < parts_.size(); ++part)
    if (!parts_[part].placed) place(e, admissible, part);
  std::vector<std::uint32_t> left;
  for (std::uint32_t r = 0; r < e.size(); ++r)
    if (e.active(r)) left.push_back(r);
  if (!left.empty()) run_markowitz(e, p_, left, admissible);
}

}  // namespace kron::solve
