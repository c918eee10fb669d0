#include "engine/session/closings.hpp"

#include <algorithm>
#include <map>

#include "engine/session/loop_flows.hpp"
#include "engine/session/system.hpp"

namespace kron::session {

using model::EqId;
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

void Closings::found(std::vector<std::uint32_t> open, bool where_closed) {
  look_ = Look::done;
  where_closed_ = where_closed;
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

std::vector<std::pair<std::uint32_t, model::FlatEquation>> Closings::to_watch(const FlatModel& m) const {
  std::map<std::uint32_t, model::FlatEquation> found;
  for (const std::uint32_t e : open_) {
    const std::uint32_t first = model::group(m, EqId{e});
    for (std::uint32_t k = first; k < m.equations.size() && model::group(m, EqId{k}) == first; ++k) found.emplace(k, m.equations[k]);
  }
  for (const auto& [e, equation] : plain_)
    if (const auto at = found.find(e); at != found.end()) at->second = equation;
  return {found.begin(), found.end()};
}

std::uint32_t Closings::axes_of(std::uint32_t equation) const {
  for (const TurnedClosing& c : turned_)
    if (equation >= c.equation && equation < c.equation + c.count) return c.axes;
  return none;
}

bool is_axis(const System& s, const SystemRow& row, Operand o) {
  if (row.axes == none || o.kind() != OperandKind::value) return false;
  const std::uint32_t end = row.axes + model::declaration(*s.flat, VarId{row.axes}).count;
  for (std::uint32_t v = row.axes; v < end; ++v)
    if (s.representative[v].sign != 0 && s.representative[v].root.value == o.index()) return true;
  return false;
}

}  // namespace kron::session
