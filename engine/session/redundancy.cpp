#include "engine/session/redundancy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <unordered_map>
#include <utility>

#include "engine/session/loop_flows.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

using model::Operand;
using model::OperandKind;
using model::SlotFlag;

namespace {

class Settling {
 public:
  Settling(System& s, LoopRepeats& repeats) : s_(s), repeats_(repeats), closing_(closing_equations(*s.flat)) {
    repeats.rates = closing_rates(s);
    silent_.assign(s.flat->equations.size(), false);
    for (std::uint32_t r = 0; r < s.rows.size(); ++r)
      if (repeats.rates.silent[r]) silent_[s.rows[r].origin] = true;
    for (std::uint32_t e = 0; e < closing_.size(); ++e)
      if (closing_[e]) add_connectors(e);
    if (connectors_.empty())  // a joint closes the loop, and nothing of it is in connections
      for (std::uint32_t e : s_.redundant)
        if (!is_sum(e)) add_connectors(e);
  }

  bool run(Diagnostics& d) {
    number_columns();
    choose_repeated();
    if (!match_rows() || !open_flows()) return false;
    note(d);
    apply();
    return true;
  }

 private:
  void add_connectors(std::uint32_t equation) {
    for (Operand o : s_.flat->bound(s_.flat->equations[equation]))
      if (o.kind() == OperandKind::value && connector_of(*s_.flat, o.index()) != 0) connectors_.insert(class_of_connector(o.index()));
  }

  void number_columns() {
    number_.assign(s_.variables(), none);
    for (std::uint32_t v = 0; v < s_.variables(); ++v)
      if (s_.unknown[v] && s_.is_root(v) && s_.antiderivative[v] == none) number_[v] = columns_++;
  }

  std::vector<std::uint32_t> columns_of(const SystemRow& r) const {
    std::vector<std::uint32_t> columns;
    for (std::uint32_t c : s_.columns(r)) columns.push_back(number_[chain_base(s_, c)]);
    return columns;
  }

  // What may go: closing equations, and, as their equalities are aliases now, other equations between connectors of their kind. Most of all
  // those between potentials that are known: across a plane loop bodies stand where they stand, whatever the loop does; and those whose
  // derivatives are known to say nothing. Least of all turned ones: of those it was seen which may.
  enum Kind : std::uint8_t { other, passes_on, turned, closes, joins_known, silent, repeated };
  Kind kind(const SystemRow& r) const {
    if (r.origin == none) return other;
    if (std::ranges::find(repeats_.leave_out, r.origin) != repeats_.leave_out.end()) return repeated;
    if (silent_[r.origin]) return silent;
    if (r.axes != none) return turned;
    if (closing_[r.origin]) return closes;
    if (joins_known_potentials(r.origin)) return joins_known;
    for (Operand o : s_.flat->bound(s_.flat->equations[r.origin])) {
      if (o.kind() != OperandKind::value || o.index() >= s_.flat->slots || !s_.unknown[o.index()]) continue;
      if (s_.flat->flags[o.index()] & SlotFlag::flow) continue;
      if (in_connector(o.index())) return passes_on;
    }
    return other;
  }

  bool is_potential(Operand o) const {
    return o.kind() == OperandKind::value && o.index() < s_.flat->slots && s_.flat->variability[o.index()] == model::Variability::continuous &&
           !(s_.flat->flags[o.index()] & SlotFlag::flow) && in_connector(o.index());
  }
  // One of those.
  bool in_connector(std::uint32_t slot) const {
    return connector_of(*s_.flat, slot) != 0 && connectors_.contains(class_of_connector(slot));
  }

  // The same potential of two connectors, and both have a number.
  bool joins_known_potentials(std::uint32_t equation) const {
    std::vector<std::uint32_t> places;  // in their connectors
    for (Operand o : s_.flat->bound(s_.flat->equations[equation]))
      if (is_potential(o) && s_.representative[o.index()].sign == 0)
        places.push_back(o.index() - s_.flat->instances[connector_of(*s_.flat, o.index())].slot_base);
    std::ranges::sort(places);
    return std::ranges::adjacent_find(places) != places.end();
  }

  // The first candidate that can go together with those that are to go already.
  void choose_repeated() {
    for (std::uint32_t c : std::exchange(repeats_.candidates, {})) {
      repeats_.leave_out.push_back(c);
      const bool goes = match_rows() && std::ranges::any_of(too_many_, [&](std::uint32_t r) { return s_.rows[r].origin == c; });
      if (goes) return;
      repeats_.leave_out.pop_back();
    }
  }

  bool match_rows() {
    std::vector<Kind> kinds;
    structure::Incidence others;
    others.columns = columns_;
    too_many_.clear();
    for (const SystemRow& r : s_.rows) {
      kinds.push_back(kind(r));
      if (kinds.back() == other) others.add_row(columns_of(r));
    }
    matched_ = structure::GrowingMatching(std::move(others));
    if (matched_.matching().size < matched_.rows().rows()) return false;
    for (Kind k : {passes_on, turned, closes, joins_known, silent, repeated})
      for (const bool goes : {false, true})
        for (std::uint32_t r = 0; r < s_.rows.size(); ++r)
          if (kinds[r] == k && repeats_.rates.goes(s_.rows[r].origin) == goes && !matched_.add(columns_of(s_.rows[r]))) too_many_.push_back(r);
    return true;
  }

  // As many flows as columns are free.
  bool open_flows() {
    for (std::uint32_t r : too_many_) origins_.push_back(s_.rows[r].origin);
    std::ranges::copy_if(s_.redundant, std::back_inserter(origins_), [&](std::uint32_t e) { return !is_sum(e); });
    const std::size_t open = columns_ - matched_.matching().size;
    if (open < too_many_.size() || open == 0 || open > origins_.size()) return false;
    list_candidates();
    std::vector<bool> done(flow_sums_.size(), false);  // taken, or refused: that stays so
    const auto take = [&](std::size_t k) {
      if (done[k] || flows_.size() == open) return false;
      done[k] = true;
      if (!matched_.add(columns_of(flow_sums_[k]))) return false;
      flows_.push_back(flow_sums_[k]);
      return true;
    };
    std::vector<std::uint32_t> without = origins_;
    for (const ClosingRates::Vector& v : repeats_.rates.vectors)
      for (FlowSum& direction : still_directions(v)) {
        if (flows_.size() == open || !matched_.add(columns_of(direction))) continue;
        flows_.push_back(std::move(direction));
        without.erase(std::ranges::find_if(without, [&](std::uint32_t e) { return v.has(e); }));
      }
    // First those that pass where the equation stands, then others of its place.
    std::erase_if(without, [&](std::uint32_t e) { return std::ranges::any_of(conjugate_along_axes(e), take); });
    std::erase_if(without, [&](std::uint32_t e) {
      const std::optional<Place> place = place_of_equation(e);
      return place && std::ranges::any_of(std::views::iota(std::size_t{0}, flow_sums_.size()), [&](std::size_t k) { return place->takes(place_[k]) && take(k); });
    });
    for (std::size_t k = 0; k < flow_sums_.size(); ++k) take(k);
    return flows_.size() == open;
  }

  // Of a vector that is no longer closed in some directions: the flows along these.
  std::vector<FlowSum> still_directions(const ClosingRates::Vector& v) const {
    const auto gone = std::ranges::count_if(origins_, [&](std::uint32_t e) { return v.has(e); });
    if (gone == 0 || static_cast<std::size_t>(gone) != v.still.size()) return {};
    const std::vector<std::size_t> beside = conjugate_beside(v.equation);
    if (beside.empty() || flow_sums_.size() - beside.front() < v.goes.size()) return {};
    std::vector<FlowSum> found;
    for (const auto& direction : v.still) {
      FlowSum sum;
      for (std::uint32_t k = 0; k < direction.size(); ++k)
        for (SignedFlow f : flow_sums_[beside.front() + k]) {
          f.factor *= direction[k];
          if (const std::optional<Place> place = place_of_equation(v.equation + k); f.factor != 0 && place && place->takes(place_of_flow(f.slot)))
            sum.push_back(f);
        }
      found.push_back(std::move(sum));
    }
    return found;
  }

  // What passes where a loop is closed: that leaves the rest determined. Where nobody says where, the last ones first: what closes a
  // loop is mostly written behind it.
  void list_candidates() {
    flow_sums_ = closing_flows(*s_.flat);
    for (std::uint32_t v = s_.flat->slots; v-- > 0;)
      if (s_.flat->flags[v] & SlotFlag::flow) flow_sums_.push_back({{v, 1}});
    for (std::size_t k = 0; k < flow_sums_.size(); ++k) {
      place_.push_back(place_of_flow(flow_sums_[k].front().slot));
      for (const SignedFlow& f : flow_sums_[k])
        if (const std::uint32_t connector = connector_of(*s_.flat, f.slot); connector != 0) passing_[connector].push_back(k);
    }
  }

  // Those through connectors that the equation speaks of that do work where it, if it did not hold, would let the potentials part.
  std::vector<std::size_t> conjugate_beside(std::uint32_t equation) const {
    std::vector<std::size_t> found;
    const std::optional<Place> place = place_of_equation(equation);
    if (!place) return found;
    for (Operand o : s_.flat->bound(s_.flat->equations[equation])) {
      if (o.kind() != OperandKind::value || o.index() >= s_.flat->slots) continue;
      if (const auto at = passing_.find(connector_of(*s_.flat, o.index())); at != passing_.end())
        std::ranges::copy_if(at->second, std::back_inserter(found), [&](std::size_t k) { return place->takes(place_[k]); });
    }
    std::ranges::sort(found);
    return found;
  }
  // Where its derivatives are looked at along the axes of one of these connectors, those through that one first: seen along others the flow
  // that is open may have no such component.
  std::vector<std::size_t> conjugate_along_axes(std::uint32_t equation) const {
    std::vector<std::size_t> found = conjugate_beside(equation);
    if (const std::uint32_t along = axes_of(equation); along != none)
      std::ranges::stable_partition(found, [&](std::size_t k) { return connector_of(*s_.flat, flow_sums_[k].front().slot) == along; });
    return found;
  }
  // The connector along whose axes the equation's derivatives are looked at.
  std::uint32_t axes_of(std::uint32_t equation) const {
    const auto& list = s_.flat->known_derivatives;
    const auto known = std::ranges::find_if(list, [&](const model::FlatModel::KnownDerivatives& k) {
      return k.axes != none && k.rates.empty() && equation >= k.equation && equation - k.equation < k.count;
    });
    return known == list.end() ? none : connector_of(*s_.flat, known->axes);
  }

  // A component of a potential or flow of a connector, positions and forces being the first kind, directions and torques the second; `any`:
  // of a direction by itself. A flow does work where an equation of its place, if it did not hold, would let the potentials part. Flows
  // stand in a connector in the order of the potentials.
  static constexpr std::uint32_t any = none;
  struct Place {
    std::uint32_t kind, component;
    bool takes(const std::optional<Place>& flow) const { return flow && flow->kind == kind && (component == any || flow->component == component); }
  };
  static std::uint32_t first_of_group(const model::FlatModel& m, std::uint32_t v) {
    while (v > 0 && model::group(m, VarId{v - 1}) == model::group(m, VarId{v})) --v;
    return v;
  }
  std::optional<Place> place_of_flow(std::uint32_t flow) const {
    if (!in_connector(flow)) return std::nullopt;  // of another kind of connector
    const model::FlatModel& m = *s_.flat;
    const std::uint32_t begin = m.instances[connector_of(m, flow)].slot_base, own = first_of_group(m, flow);
    const auto kind = std::ranges::count_if(std::views::iota(begin, own), [&](std::uint32_t v) {
      return (m.flags[v] & SlotFlag::flow) && first_of_group(m, v) == v;
    });
    return Place{static_cast<std::uint32_t>(kind), flow - own};
  }
  std::optional<Place> place_of_equation(std::uint32_t equation) const {
    const model::FlatModel& m = *s_.flat;
    std::uint32_t row = equation;
    while (row > 0 && model::group(m, EqId{row - 1}) == model::group(m, EqId{equation})) --row;
    const auto kind_of = [&](const model::FlatEquation& e) {  // the potential that it names, by its place in a connector
      std::uint32_t first = none, begin = 0;
      for (Operand o : m.bound(e)) {
        if (!is_potential(o)) continue;
        const std::uint32_t base = m.instances[connector_of(m, o.index())].slot_base;
        if (o.index() - base < first) first = o.index() - base, begin = base;
      }
      return first == none ? none : first_of_group(m, begin + first) == begin ? 0 : 1;
    };
    if (const std::uint32_t kind = kind_of(m.equations[equation]); kind != none) return Place{kind, equation - row};
    const auto known = std::ranges::find(m.known_derivatives, row, &model::FlatModel::KnownDerivatives::equation);  // a direction, by itself
    if (known == m.known_derivatives.end() || known->residuals.empty() || kind_of(known->residuals[equation - row]) != 1) return std::nullopt;
    return Place{1, repeats_.closings.where_closed() ? equation - row : any};
  }

  // Of those that do not cancel out.
  std::vector<std::uint32_t> columns_of(const FlowSum& sum) const {
    std::map<std::uint32_t, double> factor;
    for (const SignedFlow& f : sum) {
      const Representative& r = s_.representative[f.slot];
      if (s_.unknown[f.slot] && r.sign != 0 && number_[r.root.value] != none) factor[number_[r.root.value]] += f.factor * r.sign;
    }
    std::vector<std::uint32_t> columns;
    for (const auto& [column, f] : factor)
      if (f != 0) columns.push_back(column);
    return columns;
  }

  static model::Bound as_expression(const FlowSum& sum) {
    model::Exprs e;
    model::NodeId n = e.literal(0);
    for (const SignedFlow& f : sum) {
      const model::NodeId flow = e.operand(Operand::value(model::SlotId{f.slot}));
      n = f.factor == -1 ? e.sub(n, flow) : e.add(n, f.factor == 1 ? flow : e.mul(e.literal(exact(f.factor)), flow));
    }
    return model::forms().intern(e, n);
  }

  // A sum of flows that follows from the others leaves a potential open, not a flow.
  bool is_sum(std::uint32_t e) const {
    return e >= s_.flat->connection_equations && s_.flat->connection_info[e - s_.flat->connection_equations].flow;
  }

  Name class_of_connector(std::uint32_t slot) const { return s_.flat->instances[connector_of(*s_.flat, slot)].type->class_name; }

  std::string text(const FlowSum& sum) const {
    std::string t;
    for (const SignedFlow& f : sum) {
      t += t.empty() ? f.factor < 0 ? "-" : "" : f.factor < 0 ? " - " : " + ";
      if (const double size = std::abs(f.factor); size != 1) t += short_text(size) + "*";
      t += name(s_, f.slot);
    }
    return t;
  }

  static std::string short_text(double x) {
    std::array<char, 32> text{};
    constexpr int digits = 4;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::general, digits).ptr};
  }

  void note(Diagnostics& d) const {
    const auto closing = std::ranges::find_if(origins_, [&](std::uint32_t e) { return closing_[e]; });
    const EqId first{closing != origins_.end() ? *closing : origins_.front()};
    std::string flows, hint;
    for (const FlowSum& sum : flows_) {
      flows += (flows.empty() ? "`" : ", `") + text(sum) + "`";
      if (hint.empty()) hint = model::declaration(*s_.flat, VarId{sum.front().slot}).hint;
    }
    const bool one = flows_.size() == 1;
    auto& n = d.note("N0317", place(*s_.flat, first),
                     "a loop holds more than it needs: no equation tells " + flows + ", so " + (one ? "it is" : "they are") + " taken as zero");
    if (closing != origins_.end()) n.label = "the loop is closed here";
    if (const std::uint32_t component = model::component_of(*s_.flat, model::instance_of(*s_.flat, first)); component != 0)
      n.notes.push_back({model::component_place(*s_.flat, component), "in component `" + model::path(*s_.flat, component) + "`"});
    for (std::size_t k = 0; k < origins_.size() && k < 6; ++k)
      n.notes.push_back({place(*s_.flat, EqId{origins_[k]}), "`" + model::label(*s_.flat, EqId{origins_[k]}) + "` follows from the rest of the loop"});
    n.help = is_rigid() ? "nothing moves in this loop: one of its connections can go" : hint;
  }

  // Whether nothing that a connector carries is told.
  bool is_rigid() const {
    const FlatModel& m = *s_.flat;
    if (flows_.empty() || std::ranges::any_of(flows_, [](const FlowSum& f) { return f.size() != 1; })) return false;
    const std::uint32_t connector = connector_of(m, flows_.front().front().slot);
    const auto& i = m.instances[connector];
    std::size_t flows = 0;
    for (std::uint32_t v = i.slot_base; v < m.slots && connector_of(m, v) == connector; ++v) flows += (m.flags[v] & model::SlotFlag::flow) ? 1 : 0;
    return flows_.size() == flows && std::ranges::all_of(flows_, [&](const FlowSum& f) { return connector_of(m, f.front().slot) == connector; });
  }

  // The other rows keep their numbers.
  void apply() {
    for (std::size_t k = 0; k < flows_.size(); ++k) {
      const model::Bound zero = as_expression(flows_[k]);
      SystemRow meta;
      meta.origin = origins_[k];
      add_row(s_, zero.form, zero.operands, meta);
      if (k >= too_many_.size()) continue;
      s_.left_out.push_back(s_.rows[too_many_[k]]);
      s_.rows[too_many_[k]] = s_.rows.back();
      s_.rows.pop_back();
    }
  }

  System& s_;
  std::vector<bool> silent_;  // by equation
  LoopRepeats& repeats_;
  std::vector<bool> closing_;
  std::set<Name> connectors_;                         // classes of those that closing equations speak of
  std::vector<std::uint32_t> number_;                 // by variable: column of its chain
  std::uint32_t columns_ = 0;
  structure::GrowingMatching matched_;
  std::vector<std::uint32_t> too_many_, origins_;
  std::vector<FlowSum> flow_sums_, flows_;    // that may be zero; that are to be
  std::vector<std::optional<Place>> place_;                              // by sum: of its first flow
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> passing_;  // by connector: sums
};

// Whether the coefficient of an unknown in the row, as the model has it, changes in time.
bool varies(const System& s, const SystemRow& row) {
  const auto& equation = s.flat->equations[row.origin];
  const auto bound = s.flat->bound(equation);
  const model::FormId form = model::forms().unmarked(equation.form);
  for (std::uint32_t k = 0; k < bound.size(); ++k) {
    if (is_constant(s, bound[k])) continue;
    const model::Linear& l = model::forms().linear(form, k);
    if (!l.linear) return true;
    for (std::uint32_t c : model::forms().placeholders(l.coefficient))
      if (!is_constant(s, bound[c])) return true;
  }
  return false;
}

}  // namespace

bool settle_redundancy(System& s, Diagnostics& d, LoopRepeats& repeats) { return Settling(s, repeats).run(d); }

std::vector<std::uint32_t> spare_rows(const System& s, const LoopRepeats& repeats, const std::vector<std::uint32_t>& rows) {
  if (s.left_out.empty()) return {};
  const std::vector<bool> closing = closing_equations(*s.flat);
  std::vector<std::pair<int, std::uint32_t>> list;  // how little we like it to go
  for (std::uint32_t r : rows) {
    const SystemRow& row = s.rows[r];
    if (row.origin == none || row.set != none) continue;
    list.emplace_back(repeats.rates.goes(row.origin) ? 0 : closing[row.origin] ? 1 : varies(s, row) ? 3 : 2, row.origin);
  }
  std::ranges::sort(list, [](const auto& x, const auto& y) { return x.first != y.first ? x.first < y.first : x.second > y.second; });
  std::vector<std::uint32_t> out;
  for (const auto& [rank, origin] : list)
    if (std::ranges::find(out, origin) == out.end()) out.push_back(origin);
  return out;
}

}  // namespace kron::session
