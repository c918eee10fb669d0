// Index reduction: Pantelides (1988), with the termination test first. The states among what it leaves: states.cpp.
#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/model/algebra.hpp"
#include "engine/session/closed_position.hpp"
#include "engine/session/closing_rates.hpp"
#include "engine/session/known_derivatives.hpp"
#include "engine/session/loop_flows.hpp"
#include "engine/session/redundancy.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

using model::forms;
using model::Operand;
using model::OperandKind;
using model::SlotFlag;

std::uint32_t chain_base(const System& s, std::uint32_t v) {
  while (s.antiderivative[v] != none) v = s.antiderivative[v];
  return v;
}

namespace {

// ---- structurally possible at all? ------------------------------------------------------------------------------------------

// Of the first of these roots of which a variable has one: its hint.
std::string hint_text(const System& s, std::span<const std::uint32_t> roots) {
  std::vector<const std::string*> hint(s.variables(), nullptr);
  for (std::uint32_t u = 0; u < s.flat->slots; ++u) {
    if (!s.unknown[u] || s.representative[u].sign == 0 || hint[s.representative[u].root.value] != nullptr) continue;
    if (const auto& d = model::declaration(*s.flat, VarId{u}); !d.hint.empty()) hint[s.representative[u].root.value] = &d.hint;
  }
  const auto found = std::ranges::find_if(roots, [&](std::uint32_t v) { return hint[v] != nullptr; });
  return found == roots.end() ? "" : *hint[*found];
}

// All derivatives of a variable count as one column: the system can be solved after differentiation exactly if the rows and
// these columns match perfectly.
class Solvability {
 public:
  explicit Solvability(const System& s) : s_(s) { prepare(); }

  bool holds() const { return matching_.size == graph_.rows() && matching_.size == graph_.columns; }

  void report(Diagnostics& d) {
    const structure::Parts parts = structure::dulmage_mendelsohn(graph_, matching_);
    const bool some_missing = report_under(parts, d);
    report_over(parts, some_missing, d);
  }

 private:
  void prepare() {
    number_.assign(s_.variables(), none);
    for (std::uint32_t v = 0; v < s_.variables(); ++v)
      if (s_.unknown[v] && s_.is_root(v) && s_.antiderivative[v] == none) {
        number_[v] = static_cast<std::uint32_t>(base_.size());
        base_.push_back(v);
      }
    graph_.columns = static_cast<std::uint32_t>(base_.size());
    std::vector<std::uint32_t> columns;
    for (const SystemRow& r : s_.rows) {
      columns.clear();
      for (std::uint32_t c : s_.columns(r)) columns.push_back(number_[chain_base(s_, c)]);
      std::sort(columns.begin(), columns.end());
      columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
      graph_.add_row(columns);
    }
    matching_ = structure::match(graph_);
  }

  // False: there are as many equations as unknowns there.
  bool report_under(const structure::Parts& parts, Diagnostics& diagnostics) {
    const structure::Incidence& g = graph_;
    const structure::Matching& m = matching_;
    std::vector<std::uint32_t> columns, rows;
    for (std::uint32_t c = 0; c < g.columns; ++c)
      if (parts.column[c] == structure::Parts::under) columns.push_back(c);
    if (columns.empty()) return false;
    std::uint32_t first = columns.front();
    for (std::uint32_t c : columns)
      if (m.of_column[c] == structure::free_end) { first = c; break; }
    const std::optional<std::uint32_t> input = open_input(columns);
    if (input) first = number_[s_.representative[*input].root.value];
    for (std::uint32_t r = 0; r < g.rows(); ++r)
      if (parts.row[r] == structure::Parts::under) rows.push_back(r);
    const std::uint32_t v = input.value_or(base_[first]);
    auto& d = diagnostics.error("E0301", place(*s_.flat, VarId{v < s_.flat->variables() ? v : 0}),
                       "too few equations: " + std::to_string(rows.size()) + " for " + unknowns(columns, first, name(s_, v)));
    d.label = "`" + name(s_, v) + (input ? "` is an input that nothing gives" : "` may take any value");
    for (std::size_t k = 0; k < rows.size() && k < 6; ++k)
      d.notes.push_back({place(*s_.flat, EqId{s_.rows[rows[k]].origin}), "`" + label(s_, s_.rows[rows[k]]) + "`"});
    const std::size_t missing = columns.size() - rows.size();
    d.help = missing == 1 ? "one equation more is needed" : std::to_string(missing) + " equations more are needed";
    std::vector<std::uint32_t> roots{v};
    for (std::uint32_t c : columns) roots.push_back(base_[c]);
    if (input) {
      d.help += "; connect the input, or write an equation for it";
      return true;
    }
    const std::string open = unconnected_hint(*s_.flat, members(v, columns));
    if (!open.empty()) roots.resize(1);  // what the others' declarations advise is beside the point
    for (const std::string& hint : {open, hint_text(s_, roots)})
      if (!hint.empty()) d.help += "; " + hint;
    return true;
  }

  // What the columns stand for, `first` before all.
  std::vector<VarId> members(std::uint32_t first, const std::vector<std::uint32_t>& columns) const {
    std::vector<VarId> list{VarId{first}};
    for (std::uint32_t v = 0; v < s_.flat->slots; ++v) {
      const Representative& r = s_.representative[v];
      if (s_.unknown[v] && r.sign != 0 && std::ranges::binary_search(columns, number_[chain_base(s_, r.root.value)])) list.emplace_back(v);
    }
    return list;
  }

  // Of one of the columns: an input that no equation names but those of its own component. Any of the columns could be the one that is left.
  std::optional<std::uint32_t> open_input(const std::vector<std::uint32_t>& columns) const {
    const FlatModel& m = *s_.flat;
    std::vector<bool> open(m.slots, false);
    for (std::uint32_t v = 0; v < m.slots; ++v) {
      const Representative& r = s_.representative[v];
      if (!s_.unknown[v] || r.sign == 0) continue;
      const model::Instance& i = m.instances[model::instance_of(m, model::SlotId{v})];
      open[v] = (i.type->flags[v - i.slot_base] & SlotFlag::input) && number_[chain_base(s_, r.root.value)] != none &&
                std::ranges::binary_search(columns, number_[chain_base(s_, r.root.value)]);
    }
    if (std::ranges::find(open, true) == open.end()) return {};
    const auto is_within = [&](std::uint32_t inner, std::uint32_t outer) {
      while (inner != outer && inner != 0) inner = m.instances[inner].parent;
      return inner == outer;
    };
    for (std::uint32_t e = 0; e < m.equations.size(); ++e)
      for (Operand o : m.bound(m.equations[e]))
        if (o.kind() == OperandKind::value && o.index() < m.slots && open[o.index()] &&
            !is_within(model::instance_of(m, EqId{e}), model::instance_of(m, model::SlotId{o.index()})))
          open[o.index()] = false;
    const auto found = std::ranges::find(open, true);
    return found == open.end() ? std::nullopt : std::optional(static_cast<std::uint32_t>(found - open.begin()));
  }

  void report_over(const structure::Parts& parts, bool some_missing, Diagnostics& diagnostics) {
    const structure::Incidence& g = graph_;
    const structure::Matching& m = matching_;
    std::vector<std::uint32_t> rows, columns;
    for (std::uint32_t r = 0; r < g.rows(); ++r)
      if (parts.row[r] == structure::Parts::over) rows.push_back(r);
    if (rows.empty()) return;
    for (std::uint32_t c = 0; c < g.columns; ++c)
      if (parts.column[c] == structure::Parts::over) columns.push_back(c);
    std::uint32_t first = rows.back();
    for (std::uint32_t r : rows)
      if (m.of_row[r] == structure::free_end) first = r;
    auto& d = diagnostics.error("E0302", place(*s_.flat, EqId{s_.rows[first].origin}),
                       "too many equations: " + std::to_string(rows.size()) + " for " +
                           (columns.empty() ? "no unknown" : unknowns(columns, columns[0], name(s_, base_[columns[0]]))));
    d.label = "`" + label(s_, s_.rows[first]) + (rows.size() > 1 ? "` is one too many, or one of those below" : "` is one too many");
    std::size_t shown = 0;
    for (std::uint32_t r : rows)
      if (r != first && ++shown <= 6)
        d.notes.push_back({place(*s_.flat, EqId{s_.rows[r].origin}), "`" + label(s_, s_.rows[r]) + "`"});
    const std::size_t extra = rows.size() - columns.size();
    if (some_missing) d.help = "first mend what is too few above: nothing may be too many then";
    else if (rows.size() == 1) d.help = "take it out, or leave one of its variables free";
    else d.help = extra == 1 ? "take one of these equations out, or leave one more variable free"
                             : "take " + std::to_string(extra) + " of these equations out";
    std::vector<EqId> equations;
    for (std::uint32_t r : rows)
      if (s_.rows[r].origin != none) equations.emplace_back(s_.rows[r].origin);
    if (const std::string hint = loop_hint(*s_.flat, equations); !hint.empty()) d.help += "; " + hint;
    if (const std::string hint = open_flow_hint(*s_.flat, equations); columns.empty() && !hint.empty() && !some_missing) d.help = hint;
  }

  // "the 7 unknowns `a`, `b`, …": the one that is told of first, by the name that it is told by.
  std::string unknowns(const std::vector<std::uint32_t>& columns, std::uint32_t first, const std::string& its_name) {
    constexpr std::size_t most = 5;
    std::string out = "the " + std::to_string(columns.size()) + (columns.size() > 1 ? " unknowns `" : " unknown `") + its_name + "`";
    std::size_t shown = 1;
    for (std::size_t k = 0; k < columns.size() && shown < most; ++k)
      if (columns[k] != first) {
        out += ", `" + name(s_, base_[columns[k]]) + "`";
        ++shown;
      }
    return out + (columns.size() > most ? ", …" : "");
  }

  const System& s_;
  structure::Incidence graph_;
  structure::Matching matching_;
  std::vector<std::uint32_t> number_, base_;
};

// ---- Pantelides --------------------------------------------------------------------------------------------------------------

class Pantelides {
 public:
  explicit Pantelides(System& s) : s_(s) { prepare(); }

  // Nothing is to be differentiated, and the rows give the highest derivatives. They then match chain by chain, too: Solvability holds.
  bool is_regular() const { return matching_.size == original_ && matching_.size == visible_columns_; }

  void hand_over() {
    s_.regular = std::move(visible_);
    s_.regular_matching = std::move(matching_);
  }

  // Terminates because Solvability held [Pantelides 1988, theorem 5.1], where a derivative has the highest derivatives of its row's variables.
  // Where these drop out, as of closings in axes that are kept, it may go on without end: the row that has then become too long is given.
  std::optional<std::uint32_t> run() {
    find_rows();
    for (std::uint32_t r = 0; r < original_; ++r) {
      if (matching_.of_row[r] != structure::free_end) continue;
      std::uint32_t row = r;
      while (!augment(row)) {
        row = differentiate(row);
        if (too_long_) return too_long_;
      }
    }
    return std::nullopt;
  }

 private:
  void prepare() {
    original_ = static_cast<std::uint32_t>(s_.rows.size());
    hidden_.assign(s_.variables(), false);
    for (std::uint32_t v = 0; v < s_.variables(); ++v) {
      hidden_[v] = s_.derivative[v] != none;
      visible_columns_ += s_.unknown[v] && s_.is_root(v) && !hidden_[v];
    }
    visible_.columns = static_cast<std::uint32_t>(s_.variables());
    std::vector<std::uint32_t> shown;
    for (const SystemRow& r : s_.rows) {
      shown.clear();
      for (std::uint32_t c : s_.columns(r))
        if (!hidden_[c]) shown.push_back(c);
      visible_.add_row(shown);
    }
    matching_ = structure::match(visible_);
  }

  void find_rows() {
    incidence_.reserve(s_.rows.size());
    for (const SystemRow& r : s_.rows) {
      const auto columns = s_.columns(r);
      incidence_.emplace_back(columns.begin(), columns.end());
    }
  }

  bool augment(std::uint32_t root) {
    return search_.find(root, matching_, [&](std::uint32_t r) -> const auto& { return incidence_[r]; }, [&](std::uint32_t c) { return hidden_[c]; });
  }

  void assign(std::uint32_t r, std::uint32_t c) {
    matching_.of_row[r] = c;
    matching_.of_column[c] = r;
  }

  // Differentiates the variables and rows reached; the next row to match is the derivative of `row`.
  std::uint32_t differentiate(std::uint32_t row) {
    std::vector<std::uint32_t> columns = search_.columns(), rows = search_.rows(), made;
    std::ranges::sort(columns);
    for (std::uint32_t c : columns) add_derivative(c);
    std::ranges::sort(rows);
    for (std::uint32_t r : rows) {
      made.push_back(add_row_derivative(r));
      if (too_long_) return row;
    }
    for (std::uint32_t d : made) {  // a matched pair (r, c) becomes (r', c')
      const std::uint32_t c = matching_.of_row[s_.rows[d].previous];
      if (c != structure::free_end) assign(d, s_.derivative[c]);
    }
    return s_.rows[row].next;
  }

  void add_derivative(std::uint32_t c) {
    if (s_.derivative[c] != none) { hidden_[c] = true; return; }
    const auto d = static_cast<std::uint32_t>(s_.variables());
    s_.representative.push_back({VarId{d}, 1, 0});
    s_.unknown.push_back(1);
    s_.integral.push_back(c);
    s_.derivative[c] = d;
    s_.derivative_sign[c] = 1;
    s_.derivative.push_back(none);
    s_.derivative_sign.push_back(1);
    s_.antiderivative.push_back(c);
    hidden_[c] = true;
    hidden_.push_back(false);
    matching_.of_column.push_back(structure::free_end);
  }

  std::uint32_t add_row_derivative(std::uint32_t r) {
    if (s_.rows[r].next != none) return s_.rows[r].next;
    const SystemRow old = s_.rows[r];
    const auto ops = s_.bound(old);
    const std::vector<Operand> operands(ops.begin(), ops.end());
    const auto constant = [&](Operand o) { return is_constant(s_, o) || is_axis(s_, old, o); };
    for (Operand o : operands)  // every variable of it needs its derivative
      if (o.kind() == OperandKind::value && s_.unknown[o.index()] && s_.derivative[o.index()] == none && !constant(o))
        add_derivative(o.index());
    constexpr std::uint32_t often = 4;
    constexpr std::size_t longest = 20'000;  // nodes; a tenth derivative of a rotation's entries has hundreds
    if (old.times >= often && model::postorder(forms().exprs(), forms().root(old.form)).size() > longest) too_long_ = r;
    if (too_long_ || old.times >= 200) {
      too_long_ = too_long_.value_or(r);
      return r;
    }
    model::Bound d = forms().time_derivative(forms().unmarked(old.form), operands, constant);
    std::vector<Member> members;  // of der(v): v's, once more differentiated
    for (Operand o : d.operands) {
      Member m{o.index(), 0};
      for (std::size_t k = 0; k < operands.size(); ++k)
        if (operands[k].kind() == o.kind() && operands[k].index() == o.index()) m = s_.members[old.first + k];
      if (o.kind() == OperandKind::value) m.shift += o.order();
      members.push_back(m);
    }
    apply_chains(d);
    SystemRow meta;
    meta.origin = old.origin;
    meta.times = old.times + 1;
    meta.previous = r;
    meta.axes = old.axes;
    add_row(s_, d.form, d.operands, meta, members);
    const auto id = static_cast<std::uint32_t>(s_.rows.size() - 1);
    s_.rows[r].next = id;
    const auto columns = s_.columns(s_.rows[id]);
    incidence_.emplace_back(columns.begin(), columns.end());
    matching_.of_row.push_back(structure::free_end);
    return id;
  }

  // value(v, 1) to ±value(derivative of v)
  void apply_chains(model::Bound& b) {
    std::vector<model::Replacement> with(b.operands.size());
    bool negative = false;
    for (std::size_t k = 0; k < b.operands.size(); ++k) {
      Operand& o = b.operands[k];
      with[k].placeholder = static_cast<std::int32_t>(k);
      if (o.kind() != OperandKind::value || o.order() == 0) continue;
      const std::uint32_t v = o.index();
      with[k].sign = s_.derivative_sign[v];
      negative = negative || with[k].sign < 0;
      o = Operand::value(model::SlotId{s_.derivative[v]});
    }
    if (!negative) return;
    std::vector<std::uint32_t> order;
    b.form = forms().specialise(b.form, with, order);
    std::vector<Operand> kept;
    for (std::uint32_t k : order) kept.push_back(b.operands[k]);
    b.operands = std::move(kept);
  }

  System& s_;
  std::optional<std::uint32_t> too_long_;
  std::uint32_t original_ = 0, visible_columns_ = 0;
  std::vector<std::vector<std::uint32_t>> incidence_;
  structure::Incidence visible_;
  structure::Matching matching_;
  std::vector<bool> hidden_;
  structure::NearestFree search_;
};

// Where the slope of straight lines was differentiated once more.
void report_jumps(const System& s, Diagnostics& d) {
  const model::Exprs& e = model::forms().exprs();
  for (const SystemRow& row : s.rows) {
    if (row.next == none) continue;
    const auto nodes = model::postorder(e, model::forms().root(model::forms().unmarked(row.form)));
    if (std::none_of(nodes.begin(), nodes.end(), [&](model::NodeId n) { return e[n].op == model::ExprOp::call && e[n].fn == Fn::interpolate_slope; }))
      continue;
    auto& w = d.warning("W0318", place(s, row), "`" + model::label(*s.flat, EqId{row.origin}) + "` is differentiated twice, but the slope of `interpolate` jumps at its points");
    w.label = "the impulses that belong to these jumps are left out";
    w.help = "give a curve whose slope is continuous";
  }
}

// Whether a derivative is a state for good though its variable is none, nor a candidate.
bool has_speed_alone(const System& s) {
  std::vector<bool> chosen = s.state;
  for (const DynamicSet& set : s.sets)
    for (std::uint32_t v : set.candidates) chosen[v] = true;
  for (std::uint32_t v = 0; v < s.variables(); ++v)
    if (s.state[v] && s.antiderivative[v] != none && !chosen[s.antiderivative[v]]) return true;
  return false;
}

}  // namespace

bool reduce_index(System& s, Diagnostics& d, LoopRepeats& repeats) {
  if (repeats.closings.look() == Closings::Look::now) {
    if (!repeats.numbers) repeats.closings.found(repeated_closings(s), false);
    else if (auto found = repeated_where_closed(s, *repeats.bindings, *repeats.numbers)) repeats.closings.found(std::move(*found), true);
    else d.error("E0401", {}, "no position was found in which the loops are closed");
    return false;
  }
  if (Pantelides p(s); p.is_regular()) {
    p.hand_over();
    d.append(s.warnings);
    d.append(s.open_warnings);
    choose_states(s, d, repeats);
    return !d.has_errors();
  }
  Solvability solvable(s);
  const bool settled = !solvable.holds() && settle_redundancy(s, d, repeats);
  if (!settled) d.append(s.warnings);
  const bool holds = settled || solvable.holds();
  if (!holds) solvable.report(d);
  if (const Diagnostic* e = d.first_error(); !settled && !(e && e->code == "E0301")) d.append(s.open_warnings);
  if (!holds) return false;
  if (const auto endless = Pantelides(s).run()) {
    const SystemRow& row = s.rows[*endless];
    auto& e = d.error("E0303", place(s, row), "`" + model::label(*s.flat, model::EqId{row.origin}) + "` is to be differentiated more than " +
                                                  std::to_string(row.times) + " times, without end");
    e.help = "constraints seem to depend on each other at each level of differentiation; where loops close, take a joint that leaves more open";
    return false;
  }
  report_jumps(s, d);
  choose_states(s, d, repeats);
  if (d.has_errors()) return false;
  std::optional<System> chosen;
  if (!s.divided.empty() || s.wished) chosen = s;
  const bool known = use_known_derivatives(s, d, repeats);
  if (d.has_errors() || !chosen || (known && !(s.wished && has_speed_alone(s)))) return !d.has_errors();
  s = std::move(*chosen);  // with whole sets, each of one class, they may do
  s.undivided = s.by_class = true;
  while (!s.rows.empty() && s.rows.back().set != none) s.rows.pop_back();
  choose_states(s, d, repeats);
  if (!d.has_errors()) use_known_derivatives(s, d, repeats);
  return !d.has_errors();
}

}  // namespace kron::session
