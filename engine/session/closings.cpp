#include "engine/session/closings.hpp"

#include <algorithm>

#include "engine/session/known_derivatives.hpp"
#include "engine/session/level_point.hpp"
#include "engine/session/loop_flows.hpp"

namespace kron::session {

using model::Operand;
using model::OperandKind;

namespace {

std::vector<TurnedClosing> closing_vectors(const FlatModel& m) {
  std::vector<TurnedClosing> list;
  for (const model::Instance& i : m.instances)
    for (const model::EquationGroup& g : i.type->equation_groups) {
      const std::uint32_t given = g.axes != none ? g.axes : g.derivative_axes;
      if (given == none) continue;
      const std::uint32_t equation = i.equation_base + g.first, axes = i.slot_base + given;
      const auto ends = m.bound(m.equations[equation]);
      const auto a = std::ranges::find(ends, connector_of(m, axes), [&](Operand o) { return connector_of(m, o.index()); });
      if (ends.size() != 2 || a == ends.end()) continue;
      list.push_back({equation, g.count, a->index(), ends[a == ends.begin() ? 1 : 0].index(), axes});
    }
  return list;
}

// Rows that close loops, and what gives their variables.
class ClosingRows {
 public:
  explicit ClosingRows(System& s) : s_(s), closing_(closing_equations(*s.flat)), silent_(silent_rows(s)), point_(s) {}

  std::vector<std::uint32_t> repeated() {
    point_.compute_parameters();
    give_values();
    collect();
    LevelMatrix m = point_.jacobian(rows_, columns_);
    eliminate_sparsest(m, givers_, 0, given_, [](std::uint32_t, std::uint32_t) {});
    eliminate_sparsest(m, closings_, given_, columns_.size(), [](std::uint32_t, std::uint32_t) {});
    std::vector<std::uint32_t> found;
    for (std::uint32_t k : closings_)
      if (!m.row_done[k]) found.push_back(s_.rows[rows_[k]].origin);
    for (std::uint32_t r = 0; r < s_.rows.size(); ++r)
      if (closes(r) && silent_[r]) found.push_back(s_.rows[r].origin);
    std::ranges::copy_if(s_.redundant, std::back_inserter(found), [&](std::uint32_t e) { return closing_[e]; });
    return found;
  }

 private:
  bool closes(std::uint32_t row) const { return s_.rows[row].origin != none && closing_[s_.rows[row].origin]; }

  void give_values() {
    point_.give_all_but(closing_);
    giver_.assign(s_.variables(), none);
    for (std::uint32_t r = 0; r < s_.rows.size(); ++r)
      if (const std::uint32_t v = point_.given_by(r); v != none) giver_[v] = r;
  }

  // The closing rows, and those that give variables of rows before. Columns: given variables first.
  void collect() {
    std::vector<bool> met(s_.variables(), false);
    std::vector<std::uint32_t> free;
    for (std::uint32_t r = 0; r < s_.rows.size(); ++r)
      if (closes(r) && !silent_[r]) rows_.push_back(r);
    for (std::uint32_t k = 0; k < rows_.size(); ++k) {
      (closes(rows_[k]) ? closings_ : givers_).push_back(k);
      for (std::uint32_t c : s_.columns(s_.rows[rows_[k]])) {
        if (met[c]) continue;
        met[c] = true;
        (giver_[c] == none ? free : columns_).push_back(c);
        if (giver_[c] != none) rows_.push_back(giver_[c]);
      }
    }
    given_ = columns_.size();
    columns_.insert(columns_.end(), free.begin(), free.end());
  }

  const System& s_;
  const std::vector<bool> closing_;                         // by equation
  const std::vector<bool> silent_;                          // by row: it says nothing of velocities
  LevelPoint point_;
  std::vector<std::uint32_t> giver_;                        // by variable: a row, or none
  std::vector<std::uint32_t> rows_, columns_;               // of the Jacobian
  std::vector<std::uint32_t> givers_, closings_;            // positions in rows_
  std::size_t given_ = 0;                                   // of the columns
};

// Component `axis` of T*(b - a).
model::Bound turned(const TurnedClosing& c, std::uint32_t axis) {
  model::Exprs e;
  const auto slot = [&](std::uint32_t s) { return e.operand(Operand::value(model::SlotId{s})); };
  model::NodeId sum = e.literal(0);
  for (std::uint32_t k = 0; k < c.count; ++k)
    sum = e.add(sum, e.mul(slot(c.axes + axis * c.count + k), e.sub(slot(c.b + k), slot(c.a + k))));
  return model::forms().intern(e, sum);
}

}  // namespace

bool Closings::look_for_open(const FlatModel& m) {
  if (look_ != Look::not_yet) return false;
  const std::vector<bool> closing = closing_equations(m);
  if (std::ranges::find(closing, true) == closing.end()) return false;
  look_ = Look::now;
  return true;
}

void Closings::found(std::vector<std::uint32_t> open) {
  look_ = Look::done;
  open_ = std::move(open);
  std::ranges::sort(open_);
}

bool Closings::close_again() {
  const bool any = !open_.empty();
  open_.clear();
  return any;
}

void Closings::restore(FlatModel& m) {
  for (const auto& [e, equation] : std::exchange(plain_, {})) m.equations[e] = equation;
  turned_.clear();
}

void Closings::turn(FlatModel& m) {
  restore(m);
  if (look_ == Look::not_yet || (look_ == Look::done && open_.empty())) return;
  turned_ = closing_vectors(m);
  if (look_ == Look::done)
    std::erase_if(turned_, [&](const TurnedClosing& c) {
      const auto first = std::ranges::lower_bound(open_, c.equation);
      return first == open_.end() || *first >= c.equation + c.count;
    });
  for (const TurnedClosing& c : turned_)
    for (std::uint32_t k = 0; k < c.count; ++k) {
      const model::Bound b = turned(c, k);
      model::FlatEquation& equation = m.equations[c.equation + k];
      plain_.emplace_back(c.equation + k, equation);
      equation = {b.form, static_cast<std::uint32_t>(m.operands.size()), static_cast<std::uint32_t>(b.operands.size())};
      m.operands.insert(m.operands.end(), b.operands.begin(), b.operands.end());
    }
}

std::uint32_t Closings::axes_of(std::uint32_t equation) const {
  for (const TurnedClosing& c : turned_)
    if (equation >= c.equation && equation < c.equation + c.count) return c.axes;
  return none;
}

std::vector<std::uint32_t> repeated_closings(System& s) { return ClosingRows(s).repeated(); }

bool is_axis(const System& s, const SystemRow& row, Operand o) {
  if (row.axes == none || o.kind() != OperandKind::value) return false;
  const std::uint32_t end = row.axes + model::declaration(*s.flat, VarId{row.axes}).count;
  for (std::uint32_t v = row.axes; v < end; ++v)
    if (s.representative[v].sign != 0 && s.representative[v].root.value == o.index()) return true;
  return false;
}

}  // namespace kron::session
