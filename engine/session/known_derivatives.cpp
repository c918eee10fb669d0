#include "engine/session/known_derivatives.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "engine/session/closings.hpp"
#include "engine/session/dynamic_sets.hpp"
#include "engine/session/loop_flows.hpp"
#include "engine/session/redundancy.hpp"

namespace kron::session {

using model::Bound;
using model::forms;
using model::Operand;

namespace {

using Known = FlatModel::KnownDerivatives;

// Derivatives of b - a = 0, vectors of two connectors whose axes are the same where it holds.
class ClosingVector {
 public:
  ClosingVector(const FlatModel& m, const Known& k) : known_(k) {
    const std::uint32_t own = connector_of(m, k.axes);
    for (const Operand o : m.bound(m.equations[k.equation]))
      if (o.has_slot() && connector_of(m, o.index()) != own) to_b_ = m.instances[connector_of(m, o.index())].slot_base - m.instances[own].slot_base;
  }
  bool has_two_ends() const { return to_b_ != none; }

  // Along the axes: that of b minus that of a. Else in the world's axes.
  Bound residual(std::uint32_t element, std::uint32_t order, bool along_axes) {
    rate_ = known_.rates[order - 1];
    if (along_axes) return forms().intern(e_, e_.sub(slot(rate_ + to_b_ + element), slot(rate_ + element)));
    model::NodeId sum = e_.literal(0);
    for (std::uint32_t k = 0; k < known_.count; ++k) sum = e_.add(sum, e_.sub(in_world(to_b_, k, element), in_world(0, k, element)));
    return forms().intern(e_, sum);
  }

 private:
  model::NodeId slot(std::uint32_t s) { return e_.operand(Operand::value(model::SlotId{s})); }
  // What component k along the axes adds to an element.
  model::NodeId in_world(std::uint32_t end, std::uint32_t k, std::uint32_t element) {
    return e_.mul(slot(known_.axes + end + k * known_.count + element), slot(rate_ + end + k));
  }

  const Known& known_;
  std::uint32_t to_b_ = none;  // slots from a's to b's
  std::uint32_t rate_ = 0;     // first slot of a's
  model::Exprs e_;
};

class KnownRows {
 public:
  explicit KnownRows(System& s) : s_(s), m_(*s.flat) {}

  // False: the known ones do not do, and the system is what it was.
  bool run(Diagnostics& d, LoopRepeats& repeats) {
    find_known();
    if (replaced_.empty()) return true;
    System derived = s_;
    for (std::uint32_t r : replaced_) put(r);
    for (std::uint32_t r : replaced_) {
      if (!is_empty(s_.rows[r])) continue;
      if (!repeats.closings.look_for_open(m_)) tells_nothing(s_.rows[r], d);
      return true;
    }
    const bool all_tell = std::ranges::all_of(replaced_, [&](std::uint32_t r) { return s_.rows[r].columns > 0; });
    if (all_tell && find_needed()) {
      const std::vector<std::vector<std::uint32_t>> times = times_of_sets();
      drop();
      if (settle_sets(s_, times, [&](const SystemRow& r) { return is_known(r.origin); })) return true;
    }
    s_ = std::move(derived);
    return false;
  }

 private:
  // The positions that an equation holds do not depend, to first order, on what it is to determine: it repeats others, or stops what could move.
  void tells_nothing(const SystemRow& row, Diagnostics& diagnostics) const {
    auto& d = diagnostics.error("E0302", place(s_, row), "too many equations: no velocity depends on `" + model::label(m_, EqId{row.origin}) + "`, but it is to determine");
    const std::vector<std::uint8_t> wish = state_preferences(s_);
    std::set<std::uint32_t> told;
    constexpr std::size_t most = 3;
    for (std::uint32_t v = 0; v < s_.variables() && told.size() < most; ++v)
      if (s_.dummy[v] && wish[chain_base(s_, v)] > static_cast<std::uint8_t>(model::StateSelect::default_) && told.insert(chain_base(s_, v)).second)
        d.message += (told.size() > 1 ? ", `" : " `") + name(s_, chain_base(s_, v)) + "`";
    if (told.empty()) d.message += " others";
    d.label = "its derivative is 0 = 0";
    d.help = "take it out";
    const EqId equation{row.origin};
    if (const std::string hint = loop_hint(m_, {&equation, 1}); !hint.empty()) d.help += "; " + hint;
  }

  const Known* known(std::uint32_t equation) const {
    if (equation == none) return nullptr;
    auto k = std::ranges::upper_bound(m_.known_derivatives, equation, {}, &Known::equation);
    if (k == m_.known_derivatives.begin()) return nullptr;
    --k;
    return equation < k->equation + k->count ? &*k : nullptr;
  }
  const Known* known(const SystemRow& row) const {
    const Known* k = known(row.origin);
    return k != nullptr && row.times > 0 && row.times <= k->orders() ? k : nullptr;
  }
  bool is_known(std::uint32_t equation) const { return known(equation) != nullptr; }

  // By set, how often its rows are differentiated.
  std::vector<std::vector<std::uint32_t>> times_of_sets() const {
    std::vector<std::vector<std::uint32_t>> list;
    for (const DynamicSet& set : s_.sets) {
      list.emplace_back();
      for (std::uint32_t r : set.rows) list.back().push_back(s_.rows[r].times);
    }
    return list;
  }

  void find_known() {
    std::map<std::pair<const Known*, std::uint32_t>, std::vector<std::uint32_t>> found;  // rows by array and order
    for (std::uint32_t r = 0; r < s_.rows.size(); ++r)
      if (const Known* k = known(s_.rows[r])) found[{k, s_.rows[r].times}].push_back(r);
    for (const auto& [array, rows] : found) {
      const Known& k = *array.first;
      std::vector<bool> left_out(k.count, true);
      for (std::uint32_t r : rows) left_out[s_.rows[r].origin - k.equation] = false;
      const bool along_axes = s_.rows[rows.front()].axes != none || fits(s_, k, left_out);
      if (!derivative_is_known(m_, k, along_axes)) continue;
      replaced_.insert(replaced_.end(), rows.begin(), rows.end());
      if (!along_axes) in_world_.insert(rows.begin(), rows.end());
    }
    std::ranges::sort(replaced_);
  }

  // In place of the row, with its place in the chain of derivatives.
  void put(std::uint32_t r) {
    const SystemRow row = s_.rows[r];
    const Known& k = *known(row);
    const Bound b = known_derivative(m_, k, row.origin - k.equation, row.times, !in_world_.contains(r));
    add_row(s_, b.form, b.operands, row);
    s_.rows[r] = s_.rows.back();
    s_.rows.pop_back();
  }

  // A derivative that no statement has: index reduction made it.
  bool is_made(std::uint32_t v) const { return v >= m_.variables() && s_.unknown[v] && s_.is_root(v); }
  bool is_derived(std::uint32_t r) const { return s_.rows[r].times > 0 && !std::ranges::binary_search(replaced_, r); }

  // Which of the rows and variables that index reduction made are asked for, by what is asked for in any case. False: the others are not
  // as many rows as variables.
  bool find_needed() {
    std::vector<std::uint32_t> column(s_.variables(), none);
    std::vector<std::uint32_t> row_of, made;
    structure::Incidence g;
    std::vector<std::uint32_t> list;
    const auto made_in = [&](std::uint32_t r) {
      list.clear();
      for (std::uint32_t c : s_.columns(s_.rows[r])) {
        if (!is_made(c)) continue;
        if (column[c] == none) {
          column[c] = static_cast<std::uint32_t>(made.size());
          made.push_back(c);
        }
        list.push_back(column[c]);
      }
    };
    for (std::uint32_t r = 0; r < s_.rows.size(); ++r) {
      if (!is_derived(r)) continue;
      made_in(r);
      row_of.push_back(r);
      g.add_row(list);
    }
    std::vector<std::uint32_t> open;  // columns that are needed
    std::vector<bool> needed;
    const auto need = [&](std::uint32_t c) {
      if (needed.size() <= c) needed.resize(c + 1, false);
      if (!needed[c]) open.push_back(c);
      needed[c] = true;
    };
    for (std::uint32_t r = 0; r < s_.rows.size(); ++r) {
      if (is_derived(r)) continue;
      made_in(r);
      for (std::uint32_t c : list) need(c);
    }
    const auto integrate = [&](std::uint32_t v) {
      if (const std::uint32_t d = s_.derivative[v]; d != none && is_made(d) && column[d] != none) need(column[d]);
    };
    for (std::uint32_t v = 0; v < s_.variables(); ++v)
      if (s_.state[v]) integrate(v);
    for (const DynamicSet& set : s_.sets) std::ranges::for_each(set.candidates, integrate);
    g.columns = static_cast<std::uint32_t>(made.size());
    needed.resize(made.size(), false);
    const structure::Matching matching = structure::match(g);
    std::vector<bool> kept(row_of.size(), false);
    const auto keep = [&](std::uint32_t r) {
      if (kept[r]) return;
      kept[r] = true;
      for (std::uint32_t c : g[r]) need(c);
    };
    for (std::uint32_t r = 0; r < row_of.size(); ++r)
      if (matching.of_row[r] == structure::free_end) keep(r);
    while (!open.empty()) {
      const std::uint32_t c = open.back();
      open.pop_back();
      if (matching.of_column[c] != structure::free_end) keep(matching.of_column[c]);
    }
    gone_.assign(s_.rows.size(), false);
    unneeded_.clear();
    for (std::uint32_t r = 0; r < row_of.size(); ++r) gone_[row_of[r]] = !kept[r];
    for (std::uint32_t c = 0; c < made.size(); ++c)
      if (!needed[c]) unneeded_.push_back(made[c]);
    return static_cast<std::size_t>(std::ranges::count(gone_, true)) == unneeded_.size();
  }

  void drop() {
    for (std::uint32_t v : unneeded_) {
      s_.unknown[v] = 0;
      s_.dummy[v] = false;
      s_.derivative[s_.antiderivative[v]] = none;
    }
    std::vector<std::uint32_t> number(s_.rows.size(), none);
    std::uint32_t kept = 0;
    for (std::uint32_t r = 0; r < s_.rows.size(); ++r)
      if (!gone_[r]) number[r] = kept++;
    const auto renumber = [&](std::uint32_t& r) { if (r != none) r = number[r]; };
    for (std::uint32_t r = 0; r < s_.rows.size(); ++r) {
      if (gone_[r]) continue;
      SystemRow row = s_.rows[r];
      renumber(row.previous);
      renumber(row.next);
      s_.rows[number[r]] = row;
    }
    s_.rows.resize(kept);
    for (DynamicSet& set : s_.sets)
      for (std::uint32_t& r : set.rows) renumber(r);
  }

  System& s_;
  const FlatModel& m_;
  std::vector<std::uint32_t> replaced_;  // rows, ascending
  std::set<std::uint32_t> in_world_;     // those of them whose elements are not those along the axes
  std::vector<bool> gone_;               // by row
  std::vector<std::uint32_t> unneeded_;  // variables
};

}  // namespace

bool fits(const System& s, const Known& known, const std::vector<bool>& left_out) {
  if (known.axes == none) return true;
  const auto is_zero = [&](std::uint32_t row, std::uint32_t column) {
    const Representative& r = s.representative[known.axes + row * known.count + column];
    return r.sign == 0 && r.constant == 0;
  };
  for (std::uint32_t i = 0; i < known.count; ++i)
    for (std::uint32_t k = 0; left_out[i] && k < known.count; ++k)
      if (k != i && !(is_zero(i, k) && is_zero(k, i))) return false;
  return true;
}

Bound known_derivative(const FlatModel& m, const Known& k, std::uint32_t element, std::uint32_t order, bool along_axes) {
  if (!k.rates.empty()) return ClosingVector(m, k).residual(element, order, along_axes);
  const model::FlatEquation& d = k.residuals[(order - 1) * k.count + element];
  const auto operands = m.bound(d);
  return {d.form, {operands.begin(), operands.end()}};
}

bool derivative_is_known(const FlatModel& m, const Known& k, bool along_axes) {
  return k.orders() > 0 && (k.rates.empty() ? along_axes : ClosingVector(m, k).has_two_ends());
}

bool use_known_derivatives(System& s, Diagnostics& d, LoopRepeats& repeats) {
  return s.flat->known_derivatives.empty() || KnownRows(s).run(d, repeats);
}

}  // namespace kron::session
