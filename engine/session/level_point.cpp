#include "engine/session/level_point.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/session/discrete.hpp"
#include "engine/session/loop_flows.hpp"

namespace kron::session {

using model::forms;
using model::Operand;
using model::OperandKind;

namespace {

// Rows by what they hold of variables that are not given.
class OpenRows {
 public:
  OpenRows(const System& s, const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& variables)
      : s_(s), rows_(rows), open_(rows.size(), 0), array_(rows.size()) {
    for (std::uint32_t v : variables) holders_.try_emplace(v);
    std::unordered_map<std::uint32_t, std::uint32_t> number;  // of the array of a first equation
    for (std::uint32_t k = 0; k < rows.size(); ++k) {
      for (std::uint32_t v : s.columns(s.rows[rows[k]]))
        if (const auto at = holders_.find(v); at != holders_.end()) {
          at->second.push_back(k);
          ++open_[k];
        }
      const std::uint32_t first = model::group(*s.flat, EqId{s.rows[rows[k]].origin});
      array_[k] = number.try_emplace(first, static_cast<std::uint32_t>(arrays_.size())).first->second;
      if (array_[k] == arrays_.size()) arrays_.emplace_back();
      arrays_[array_[k]].rows.push_back(k);
    }
    for (std::uint32_t k = 0; k < rows.size(); ++k)
      if (open_[k] == 1) count(k);
  }

  // Calls give(row, variable) for each that is to be given; false: it cannot. Where no row is left that could give one, the next of `to_draw`
  // that is open still is drawn.
  template <class F>
  void run(const std::vector<std::uint32_t>& to_draw, F&& give) {
    std::size_t array = 0, row = 0, drawn = 0;
    while (true) {
      if (array < whole_.size())
        for (std::uint32_t k : arrays_[whole_[array++]].rows) try_row(k, give);
      else if (row < single_.size())
        try_row(single_[row++], give);
      else if (drawn < to_draw.size())
        close(to_draw[drawn++]);
      else
        return;
    }
  }

 private:
  struct Array {
    std::vector<std::uint32_t> rows;
    std::size_t ready = 0;  // rows that have come to one open variable
  };

  void count(std::uint32_t k) {
    single_.push_back(k);
    if (Array& a = arrays_[array_[k]]; ++a.ready == a.rows.size()) whole_.push_back(array_[k]);
  }

  template <class F>
  void try_row(std::uint32_t k, F&& give) {
    if (open_[k] != 1) return;  // another row has given its variable
    const auto columns = s_.columns(s_.rows[rows_[k]]);
    const std::uint32_t v = *std::ranges::find_if(columns, [&](std::uint32_t c) { return holders_.contains(c); });
    if (give(rows_[k], v)) close(v);
  }

  // It has a value now.
  void close(std::uint32_t v) {
    const auto closed = holders_.extract(v);
    if (closed.empty()) return;
    for (std::uint32_t i : closed.mapped())
      if (--open_[i] == 1) count(i);
  }

  const System& s_;
  const std::vector<std::uint32_t>& rows_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> holders_;  // of open variables: positions of rows
  std::vector<std::uint32_t> open_, array_;                               // by position: how many are open; number in arrays_
  std::vector<Array> arrays_;
  std::vector<std::uint32_t> whole_, single_;  // arrays and positions in the order in which they came to one open variable each
};

}  // namespace

void LevelPoint::give(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& variables) {
  const model::FlatModel& m = *s_.flat;
  const auto is_alone = [&](std::uint32_t v) {  // no element of an array
    return (v == 0 || model::group(m, VarId{v - 1}) != model::group(m, VarId{v})) &&
           (v + 1 == m.slots || model::group(m, VarId{v + 1}) != model::group(m, VarId{v}));
  };
  std::vector<std::uint32_t> coordinates;
  for (std::uint32_t v : variables) {
    const bool is_in_chain = s_.antiderivative[v] != none || s_.derivative[v] != none;
    if (is_in_chain && v < m.slots && is_alone(v) && connector_of(m, v) == 0) coordinates.push_back(v);
  }
  OpenRows(s_, rows, variables).run(coordinates, [&](std::uint32_t row, std::uint32_t variable) { return give(row, variable); });
}

bool LevelPoint::give(std::uint32_t r, std::uint32_t variable) {
  const SystemRow& row = s_.rows[r];
  const Operand o = Operand::value(model::SlotId{variable});
  const auto bound = s_.bound(row);
  const auto k = static_cast<std::uint32_t>(std::ranges::find(bound, o.bits, &Operand::bits) - bound.begin());
  const model::Linear& l = forms().linear(forms().unmarked(row.form), k);
  if (!l.linear || values_.contains(o.bits)) return false;
  const auto used = forms().placeholders(l.coefficient);
  if (!std::ranges::all_of(used, [&](std::uint32_t i) { return is_constant(s_, bound[i]); })) return false;
  std::vector<code::Ref> values(bound.size());
  const auto emit = [&](model::NodeId n) {
    for (std::uint32_t i : forms().placeholders(n)) values[i] = at(bound[i]);
    return templates_.emit(tape_, n, values);
  };
  const code::Ref pivot = emit(l.coefficient);
  if (code::is_zero(tape_.fingerprint(pivot))) return false;
  values_.emplace(o.bits, tape_.div(-emit(l.rest), pivot));
  given_.emplace(r, variable);
  return true;
}

void LevelPoint::give_all_but(const std::vector<bool>& equations) {
  const std::vector<std::uint8_t> preference = state_preferences(s_);
  std::vector<std::uint32_t> rows, variables;
  for (std::uint32_t r = 0; r < s_.rows.size(); ++r)
    if (s_.rows[r].origin != none && !equations[s_.rows[r].origin]) rows.push_back(r);
  for (std::uint32_t v = 0; v < s_.variables(); ++v) {
    if (!s_.unknown[v] || !s_.is_root(v) || preference[v] > static_cast<std::uint8_t>(model::StateSelect::default_)) continue;
    variables.push_back(v);
  }
  give(rows, variables);
}

std::uint32_t LevelPoint::given_by(std::uint32_t row) const {
  const auto at = given_.find(row);
  return at == given_.end() ? none : at->second;
}

std::vector<code::Ref> LevelPoint::at(const SystemRow& row) {
  std::vector<code::Ref> values;
  for (Operand o : s_.bound(row)) values.push_back(at(o));
  return values;
}

LevelMatrix LevelPoint::jacobian(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns) {
  LevelMatrix m(rows, columns);
  std::unordered_map<std::uint32_t, std::uint32_t> position;
  for (std::uint32_t c = 0; c < columns.size(); ++c) position.emplace(columns[c], c);
  std::vector<LevelMatrix::Cell> cells;
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    const SystemRow& row = s_.rows[rows[r]];
    const auto ops = s_.bound(row);
    const std::vector<code::Ref> values = at(row);
    cells.clear();
    for (std::uint32_t k = 0; k < ops.size(); ++k) {
      if (ops[k].kind() != OperandKind::value) continue;
      const auto column = position.find(ops[k].index());
      if (column == position.end()) continue;
      const model::NodeId partial = forms().partial(row.form, k);
      const auto used = forms().placeholders(partial);
      const bool constant = std::ranges::all_of(used, [&](std::uint32_t i) { return is_constant(s_, ops[i]); });
      const code::Fingerprint x = tape_.fingerprint(templates_.emit(tape_, partial, values));
      if (!code::is_zero(x)) cells.push_back({column->second, constant, x});
    }
    std::ranges::sort(cells, {}, &LevelMatrix::Cell::column);
    for (const LevelMatrix::Cell& x : cells) m.put(r, x);
  }
  return m;
}

code::Ref LevelPoint::residual(const SystemRow& row) {
  return templates_.emit(tape_, forms().root(forms().unmarked(row.form)), at(row));
}

std::vector<std::pair<Operand, std::uint32_t>> LevelPoint::drawn() const {
  std::vector<std::pair<Operand, std::uint32_t>> list;
  for (const auto& [bits, value] : values_)
    if (tape_.nodes()[value.node()].op == code::Op::input) {
      Operand o;
      o.bits = bits;
      list.emplace_back(o, value.node());
    }
  std::ranges::sort(list, {}, [](const auto& x) { return std::pair{x.second, x.first.bits}; });
  return list;
}

std::vector<bool> LevelPoint::needed_by(const std::vector<code::Ref>& values) const {
  std::vector<bool> needed(tape_.size(), false);
  for (const code::Ref r : values) needed[r.node()] = true;
  for (std::size_t n = tape_.size(); n-- > 0;)
    if (needed[n])
      for (const code::Ref a : tape_.arguments(tape_.nodes()[n])) needed[a.node()] = true;
  return needed;
}

std::vector<code::Ref> LevelPoint::of_these_alone(const std::vector<code::Ref>& values, const std::vector<std::uint32_t>& nodes) const {
  enum Of : std::uint8_t { nothing = 0, these = 1, others = 2 };
  std::vector<std::uint8_t> of(tape_.size(), nothing);
  for (const std::uint32_t n : nodes) of[n] = these;
  for (std::size_t n = 0; n < tape_.size(); ++n) {
    const code::Node& node = tape_.nodes()[n];
    if (of[n] == nothing && (node.op == code::Op::input || node.op == code::Op::unknown)) of[n] = others;
    for (const code::Ref a : tape_.arguments(node)) of[n] |= of[a.node()];
  }
  std::vector<code::Ref> list;
  std::ranges::copy_if(values, std::back_inserter(list), [&](code::Ref r) { return of[r.node()] == these; });
  return list;
}

// Of a parameter that others give.
std::optional<code::Ref> LevelPoint::computed(Operand o) {
  if (numbers_ && o.kind() != OperandKind::time) {
    const bool is_known = o.kind() != OperandKind::value || (o.index() < s_.flat->slots && s_.flat->variability[o.index()] <= model::Variability::parameter);
    if (const double x = is_known ? numbers_->operand(o) : std::nan(""); std::isfinite(x)) return tape_.constant(x);
    return std::nullopt;
  }
  constexpr std::uint32_t deepest = 1000;
  if (!bindings_ || o.kind() != OperandKind::value || o.index() >= s_.flat->slots || depth_ > deepest) return std::nullopt;
  if (s_.flat->variability[o.index()] > model::Variability::parameter) return std::nullopt;
  const FlatModel::FlatBinding* b = bindings_->find(model::BindingKind::value, o.index());
  const auto fixed = s_.flat->axes.fixed.find(o.index());
  if (fixed != s_.flat->axes.fixed.end() && fixed->second) return tape_.constant(*fixed->second);
  if (const auto drawn = s_.flat->axes.point.find(o.index()); drawn != s_.flat->axes.point.end()) return tape_.constant(drawn->second);
  if (b == nullptr || (bindings_->is_leaf(*b) && fixed == s_.flat->axes.fixed.end())) return std::nullopt;
  ++depth_;
  std::vector<code::Ref> values;
  for (Operand x : bindings_->operands(*b)) values.push_back(at(x));
  --depth_;
  return templates_.emit(tape_, forms().root(forms().unmarked(b->form)), values);
}

code::Ref LevelPoint::at(Operand o) {
  if (const auto known = values_.find(o.bits); known != values_.end()) return known->second;
  const std::optional<code::Ref> value = computed(o);
  const auto place = values_.emplace(o.bits, value.value_or(code::Ref{})).first;
  if (value) return *value;
  if (o.kind() == OperandKind::constant) {
    const model::ConstantValue& c = model::constant(model::ConstId{o.index()});
    return place->second = c.is_pi ? tape_.pi() : tape_.constant(c.value);
  }
  const std::uint64_t name = o.has_slot() ? key(s_, o.index()) : o.kind() == OperandKind::time ? 0x77 : discrete_key(s_, o);
  return place->second = tape_.input(code::InputKind::state, 0, name);
}

}  // namespace kron::session
