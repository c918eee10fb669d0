#include "engine/session/redundancy.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "engine/structure/structure.hpp"

namespace kron::session {

using model::Operand;
using model::OperandKind;
using model::SlotFlag;

std::vector<bool> closing_equations(const FlatModel& m) {
  std::vector<bool> closing(m.equations.size(), false);
  std::vector<std::vector<std::string>> texts(m.instances.size());  // of the connections that close loops
  for (std::uint32_t i = 0; i < m.instances.size(); ++i) {
    const model::Blueprint& type = *m.instances[i].type;
    for (std::uint32_t e = 0; e < type.equations.size(); ++e) {
      if (type.equations[e].origin != model::EquationOrigin::connection) continue;
      closing[m.instances[i].equation_base + e] = true;
      texts[i].push_back(type.equations[e].label.str());
    }
  }
  for (std::uint32_t k = 0; k < m.connection_info.size(); ++k) {
    const auto& c = m.connection_info[k];
    if (c.flow || texts[c.instance].empty()) continue;
    const std::string& text = m.instances[c.instance].type->connections[c.connection].text;
    closing[m.connection_equations + k] = std::ranges::find(texts[c.instance], text) != texts[c.instance].end();
  }
  return closing;
}

namespace {

class Settling {
 public:
  Settling(System& s, LoopRepeats& repeats) : s_(s), repeats_(repeats), closing_(closing_equations(*s.flat)) {
    for (std::uint32_t e = 0; e < closing_.size(); ++e)
      for (Operand o : s_.flat->bound(s_.flat->equations[e]))
        if (closing_[e] && o.kind() == OperandKind::value) connectors_.insert(s_.flat->instances[connector_of(o.index())].type->class_name.str());
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

  // What may go: closing equations, and, as their equalities are aliases now, other equations between connectors of their kind.
  enum Kind : std::uint8_t { other, passes_on, closes, repeated };
  Kind kind(const SystemRow& r) const {
    if (r.origin == none) return other;
    if (std::ranges::find(repeats_.leave_out, r.origin) != repeats_.leave_out.end()) return repeated;
    if (closing_[r.origin]) return closes;
    for (Operand o : s_.flat->bound(s_.flat->equations[r.origin])) {
      if (o.kind() != OperandKind::value || o.index() >= s_.flat->slots || !s_.unknown[o.index()]) continue;
      if (s_.flat->flags[o.index()] & SlotFlag::flow) continue;
      if (connectors_.contains(s_.flat->instances[connector_of(o.index())].type->class_name.str())) return passes_on;
    }
    return other;
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
    graph_ = {};
    graph_.columns = columns_;
    too_many_.clear();
    for (const SystemRow& r : s_.rows) {
      kinds.push_back(kind(r));
      if (kinds.back() == other) graph_.add_row(columns_of(r));
    }
    matching_ = structure::match(graph_);
    if (matching_.size < graph_.rows()) return false;
    mark_.assign(columns_, 0);
    for (Kind k : {passes_on, closes, repeated})
      for (std::uint32_t r = 0; r < s_.rows.size(); ++r)
        if (kinds[r] == k && !offer(columns_of(s_.rows[r]))) too_many_.push_back(r);
    return true;
  }

  bool offer(const std::vector<std::uint32_t>& columns) {
    graph_.add_row(columns);
    if (structure::augment(graph_, graph_.rows() - 1, matching_, {}, mark_, ++stamp_)) return true;
    graph_.begin.pop_back();
    graph_.column.resize(graph_.begin.back());
    matching_.of_row.resize(graph_.rows());
    return false;
  }

  // As many flows as columns are free.
  bool open_flows() {
    for (std::uint32_t r : too_many_) origins_.push_back(s_.rows[r].origin);
    std::ranges::copy_if(s_.redundant, std::back_inserter(origins_), [&](std::uint32_t e) { return !is_sum(e); });
    const std::size_t open = columns_ - matching_.size;
    if (open < too_many_.size() || open == 0 || open > origins_.size()) return false;
    std::vector<bool> tried(columns_, false);
    for (std::uint32_t v : candidates()) {
      const Representative& r = s_.representative[v];
      if (!s_.unknown[v] || r.sign == 0 || number_[r.root.value] == none || tried[number_[r.root.value]]) continue;
      tried[number_[r.root.value]] = true;
      if (offer({number_[r.root.value]})) flows_.push_back(v);
      if (flows_.size() == open) return true;
    }
    return false;
  }

  // The flows where a loop is closed: those of one place leave the rest determined. Where nobody says where, the last ones first: what
  // closes a loop is mostly written behind it.
  std::vector<std::uint32_t> candidates() const {
    std::vector<std::uint32_t> list;
    for (std::uint32_t e = 0; e < closing_.size(); ++e)
      for (Operand o : s_.flat->bound(s_.flat->equations[e]))
        if (closing_[e] && o.kind() == OperandKind::value) add_flows(connector_of(o.index()), list);
    for (std::uint32_t v = s_.flat->slots; v-- > 0;)
      if (s_.flat->flags[v] & SlotFlag::flow) list.push_back(v);
    return list;
  }

  // A sum of flows that follows from the others leaves a potential open, not a flow.
  bool is_sum(std::uint32_t e) const {
    return e >= s_.flat->connection_equations && s_.flat->connection_info[e - s_.flat->connection_equations].flow;
  }

  std::uint32_t connector_of(std::uint32_t slot) const {
    std::uint32_t i = model::instance_of(*s_.flat, model::SlotId{slot});
    while (i != 0 && !s_.flat->instances[i].type->is_connector) i = s_.flat->instances[i].parent;
    return i;
  }

  void add_flows(std::uint32_t instance, std::vector<std::uint32_t>& list) const {
    const model::Instance& i = s_.flat->instances[instance];
    if (instance == 0) return;
    for (std::uint32_t v = i.slot_base; v < i.slot_base + i.type->own_slots; ++v)
      if (s_.flat->flags[v] & SlotFlag::flow) list.push_back(v);
  }

  void note(Diagnostics& d) const {
    const auto closing = std::ranges::find_if(origins_, [&](std::uint32_t e) { return closing_[e]; });
    const EqId first{closing != origins_.end() ? *closing : origins_.front()};
    std::string flows, hint;
    for (std::uint32_t v : flows_) {
      flows += (flows.empty() ? "`" : ", `") + name(s_, v) + "`";
      if (hint.empty()) hint = model::declaration(*s_.flat, VarId{v}).hint;
    }
    const bool one = flows_.size() == 1;
    auto& n = d.note("N0317", place(*s_.flat, first),
                     "a loop holds more than it needs: no equation tells " + flows + ", so " + (one ? "it is" : "they are") + " taken as zero");
    if (closing != origins_.end()) n.label = "the loop is closed here";
    for (std::size_t k = 0; k < origins_.size() && k < 6; ++k)
      n.notes.push_back({place(*s_.flat, EqId{origins_[k]}), "`" + model::label(*s_.flat, EqId{origins_[k]}) + "` follows from the rest of the loop"});
    n.help = hint;
  }

  // The other rows keep their numbers.
  void apply() {
    static const model::FormId zero = model::forms().intern_placeholders(model::forms().exprs().placeholder(0));
    for (std::size_t k = 0; k < flows_.size(); ++k) {
      const Operand o = Operand::value(model::SlotId{flows_[k]});
      SystemRow meta;
      meta.origin = origins_[k];
      add_row(s_, zero, {&o, 1}, meta);
      if (k >= too_many_.size()) continue;
      s_.left_out.push_back(s_.rows[too_many_[k]]);
      s_.rows[too_many_[k]] = s_.rows.back();
      s_.rows.pop_back();
    }
  }

  System& s_;
  LoopRepeats& repeats_;
  std::vector<bool> closing_;
  std::set<std::string> connectors_;                         // classes of those that closing equations speak of
  std::vector<std::uint32_t> number_;                 // by variable: column of its chain
  std::uint32_t columns_ = 0, stamp_ = 0;
  structure::Incidence graph_;
  structure::Matching matching_;
  std::vector<std::uint32_t> mark_, too_many_, origins_, flows_;
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

std::vector<std::uint32_t> spare_rows(const System& s, const std::vector<std::uint32_t>& rows) {
  if (s.left_out.empty()) return {};
  const std::vector<bool> closing = closing_equations(*s.flat);
  std::vector<std::pair<int, std::uint32_t>> list;  // how little we like it to go
  for (std::uint32_t r : rows) {
    const SystemRow& row = s.rows[r];
    if (row.origin == none || row.set != none) continue;
    list.emplace_back(closing[row.origin] ? 0 : varies(s, row) ? 2 : 1, row.origin);
  }
  std::ranges::sort(list, [](const auto& x, const auto& y) { return x.first != y.first ? x.first < y.first : x.second > y.second; });
  std::vector<std::uint32_t> out;
  for (const auto& [rank, origin] : list)
    if (std::ranges::find(out, origin) == out.end()) out.push_back(origin);
  return out;
}

}  // namespace kron::session
