#include "engine/solve/carried.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/base/key_map.hpp"

namespace kron::solve {
namespace {

KeyMap places(const std::vector<std::uint64_t>& names) {
  KeyMap at(names.size());
  for (std::uint32_t k = 0; k < names.size(); ++k) at.emplace(names[k], k);
  return at;
}

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

NamedOrder named(const NamedPlaces& names, const std::vector<Pivot>& pivots, const std::vector<Pivot>& reference) {
  NamedOrder o;
  for (const auto& [from, to] : {std::pair{&pivots, &o.pivots}, {&reference, &o.reference}}) {
    to->reserve(from->size());
    for (const auto& [r, c] : *from) to->emplace_back(names.row[r], names.column[c]);
  }
  return o;
}

CarriedOrder::CarriedOrder(const NamedOrder& order, const NamedPlaces& names, const LinearSystem& system)
    : system_(system), piece_of_row_(names.row.size(), no_part), piece_of_column_(names.column.size(), no_part) {
  const KeyMap row_at = places(names.row), column_at = places(names.column);
  const auto here = [&](const std::vector<NamedPivot>& list) {
    std::vector<Pivot> out;
    out.reserve(list.size());
    for (const auto& [row, column] : list) {
      const std::uint32_t r = row_at.find(row), c = column_at.find(column);
      if (r != KeyMap::none && c != KeyMap::none) out.emplace_back(r, c);
    }
    return out;
  };
  pieces_ = {here(order.pivots)};
  find_pieces();
  find_parts();
  if (!order.reference.empty()) find_reference(here(order.reference));
}

// A pivot whose row and unknown do not hang together any more is none: what led from one to the other has gone.
void CarriedOrder::find_pieces() {
  std::vector<Pivot> all = std::move(pieces_[0]);
  pieces_.clear();
  const auto rows = static_cast<std::uint32_t>(piece_of_row_.size());
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
        if (piece_of_column_[x.column] != no_part) sets->join(r, rows + x.column);
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
  for (std::uint32_t k = 0; k < pieces_.size(); ++k)
    if (pieces_[k].size() > pieces_[largest_].size()) largest_ = k;
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
    if (part != no_part && piece != no_part && piece != largest_) parts_[part].pieces.push_back(piece);
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
      if (!one || !open || !may_get[open->column] || open->value.node() != code::one.node()) continue;
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

// The parts that the step would take in.
void CarriedOrder::meet(const Elimination& e, const Pivot& p) {
  met_.clear();
  const auto add = [&](std::uint32_t part) {
    if (part != no_part && !parts_[part].placed) met_.push_back(part);
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

void CarriedOrder::place(Elimination& e, const OrderingProblem& p, const Admissible& admissible, std::uint32_t part) {
  parts_[part].placed = true;
  for (std::uint32_t piece : parts_[part].pieces)
    for (const Pivot& x : pieces_[piece]) eliminate_where_possible(e, x, admissible);
  run_markowitz(e, p, parts_[part].rows,
                [&](std::uint32_t r, std::uint32_t c, code::Ref x) { return part_of_column_[c] != no_part && admissible(r, c, x); });
}

void CarriedOrder::run(Elimination& e, const OrderingProblem& p, const Admissible& admissible) {
  if (pieces_.empty()) return;
  for (const Pivot& x : pieces_[largest_]) {
    if (e.exhausted()) return;
    meet(e, x);
    for (std::uint32_t part : met_) place(e, p, admissible, part);
    eliminate_where_possible(e, x, admissible);
  }
  for (std::uint32_t part = 0; part < parts_.size(); ++part)
    if (!parts_[part].placed) place(e, p, admissible, part);
  std::vector<std::uint32_t> left;
  for (std::uint32_t r = 0; r < e.size(); ++r)
    if (e.active(r)) left.push_back(r);
  if (!left.empty()) run_markowitz(e, p, left, admissible);
}

}  // namespace kron::solve
