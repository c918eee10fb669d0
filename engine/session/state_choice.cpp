// The regularity of the choices of states along a run, from the forms at the run's values.
//   J = [A | B], A of the dependent variables, B of the states. A is put into block-lower-triangular form: a choice is singular where one of
//   its blocks is. The blocks' own measures say how near that is however many blocks there are, and cost what the blocks cost.
//   |inverse(A) B|^2 by block, exactly where there are few states; else from few directions of the states, +1 or -1 each, whose mean square is
//   that sum but for cross terms [Hutchinson 1990].
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "engine/base/hash.hpp"
#include "engine/code/linear.hpp"
#include "engine/session/evaluate.hpp"
#include "engine/session/values.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

using model::Operand;
using model::OperandKind;

namespace {

constexpr std::uint32_t most_directions = 4;

struct Source {
  enum From : std::uint8_t { number, time, state, output, late } from = number;  // late: a parameter, once the start of a run has found those that are free
  std::uint32_t index = 0;
  double value = 0;
};

class Sources {
 public:
  // `late`: parameters that free ones may have a say in, as they are met.
  Sources(const Analysis& a, Numbers& numbers, std::vector<Operand>& late)
      : a_(a), numbers_(numbers), late_(late), state_of_(a.system->variables(), none) {
    for (std::uint32_t k = 0; k < a.states.size() && a.states[k].set < 0; ++k) state_of_[a.states[k].variable.value] = k;
  }
  Source of(Operand o) {
    if (o.kind() == OperandKind::time) return {Source::time};
    const std::uint32_t v = o.index();
    if (o.kind() == OperandKind::value && v >= a_.system->flat->variables() && !a_.system->unknown[v]) return {};  // gone: in no derivative
    if (o.kind() == OperandKind::value && v < a_.flat.slots && !a_.system->unknown[v] && !a_.free_parameters.empty()) {
      late_.push_back(o);
      return {Source::late, static_cast<std::uint32_t>(late_.size() - 1)};
    }
    if (o.kind() != OperandKind::value || !a_.system->unknown[v]) return {Source::number, 0, numbers_.operand(o)};
    if (state_of_[v] != none) return {Source::state, state_of_[v]};
    return {Source::output, a_.output_of[v]};
  }

 private:
  const Analysis& a_;
  Numbers& numbers_;
  std::vector<Operand>& late_;
  std::vector<std::uint32_t> state_of_;
};

// The numbers of late sources, for a run's values of the free parameters.
class LateNumbers {
 public:
  LateNumbers(std::shared_ptr<const Analysis> a, Overrides overrides) : a_(std::move(a)), overrides_(std::move(overrides)) {}
  std::vector<Operand> operands;
  std::span<const double> values(std::span<const double> free) {
    if (operands.empty() || (!values_.empty() && std::ranges::equal(free, free_))) return values_;
    free_.assign(free.begin(), free.end());
    for (std::size_t k = 0; k < free.size() && k < a_->free_parameters.size(); ++k)
      overrides_[a_->inputs_of_tape->parameters[a_->free_parameters[k]]] = free[k];
    Numbers numbers(a_->flat, *a_->bindings, overrides_);
    values_.clear();
    for (Operand o : operands) values_.push_back(numbers.operand(o));
    return values_;
  }

 private:
  std::shared_ptr<const Analysis> a_;
  Overrides overrides_;
  std::vector<double> free_, values_;
};

// Where a run is.
struct At {
  double t;
  std::span<const double> states, outputs, late;
  double operator()(const Source& s) const {
    switch (s.from) {
      case Source::time: return t;
      case Source::state: return states[s.index];
      case Source::output: return outputs[s.index];
      case Source::late: return late[s.index];
      default: return s.value;
    }
  }
};

// A coefficient: a number, or a node of the forms, of the operands of its row.
struct Entry {
  std::uint32_t row = 0, column = 0;  // row in the block; dependent variables, then states
  std::size_t place = 0;              // in the block's stored matrix
  model::NodeId node;
  std::optional<double> number;
};

struct Block {
  std::vector<std::uint32_t> columns;         // dependent variables that it determines
  std::vector<std::vector<Source>> operands;  // by row
  std::vector<Entry> own, given;              // coefficients of its columns, and of others
  code::MatrixShape shape;
  std::unique_ptr<code::LinearSolver<double>> solver;  // of more than one row
  bool regular = false;                                // always: one row, a number as its coefficient
};

std::optional<double> number(model::NodeId node) {
  bool is = true;
  const double value = evaluate(node, [&](std::uint32_t) {
    is = false;
    return 1.0;
  });
  return is ? std::optional(value) : std::nullopt;
}

class Measure {
 public:
  Measure(const Analysis& a, const StateChoice& choice, Sources& sources)
      : dependent_(static_cast<std::uint32_t>(choice.dependent.size())), states_(static_cast<std::uint32_t>(choice.states.size())) {
    std::unordered_map<std::uint32_t, std::uint32_t> column_of;
    for (const auto* list : {&choice.dependent, &choice.states})
      for (std::uint32_t c : *list) column_of.emplace(c, static_cast<std::uint32_t>(column_of.size()));
    const auto column = [&](Operand o) {
      const auto at = o.kind() == OperandKind::value ? column_of.find(o.index()) : column_of.end();
      return at == column_of.end() ? none : at->second;
    };
    structure::Incidence incidence;
    incidence.columns = dependent_;
    for (const SystemRow& row : choice.rows) {
      std::vector<std::uint32_t> columns;
      for (Operand o : a.system->bound(row))
        if (const std::uint32_t c = column(o); c < dependent_) columns.push_back(c);
      incidence.add_row(columns);
    }
    structure::Matching m = structure::match(incidence);
    structure::Blocks parts = structure::block_lower_triangular(incidence, m);
    if (m.size < dependent_) {  // singular everywhere
      parts = {.begin = {0, dependent_}, .row = std::vector<std::uint32_t>(dependent_), .column = {}};
      std::iota(parts.row.begin(), parts.row.end(), 0u);
      parts.column = parts.row;
    }
    for (std::uint32_t k = 0; k < parts.size(); ++k) {
      const auto of = [&](const std::vector<std::uint32_t>& list) {
        return std::span(list).subspan(parts.begin[k], parts.begin[k + 1] - parts.begin[k]);
      };
      Block& block = blocks_.emplace_back();
      const auto rows = of(parts.row), columns = of(parts.column);
      block.columns.assign(columns.begin(), columns.end());
      first_row_.push_back(rows.front());
      for (std::uint32_t r = 0; r < rows.size(); ++r) {
        const SystemRow& row = choice.rows[rows[r]];
        const auto ops = a.system->bound(row);
        std::vector<Source>& operands = block.operands.emplace_back();
        for (Operand o : ops) operands.push_back(sources.of(o));
        for (std::uint32_t p = 0; p < ops.size(); ++p) {
          const std::uint32_t c = column(ops[p]);
          if (c == none) continue;
          const bool own = std::ranges::binary_search(columns, c);
          const model::NodeId coefficient = model::forms().partial(row.form, p);
          (own ? block.own : block.given).push_back({r, c, 0, coefficient, number(coefficient)});
        }
      }
      lay_out(block);
    }
    leave_out_ends();
    for (std::uint32_t k = 0; k < blocks_.size(); ++k)
      if (!blocks_[k].regular) watched_.push_back(k);
  }

  std::size_t watched() const { return watched_.size(); }
  std::uint32_t first_row(std::size_t k) const { return first_row_[watched_[k]]; }
  std::span<const std::uint32_t> dependent(std::size_t k) const { return blocks_[watched_[k]].columns; }
  // The states among its block's coefficients; empty: it has others' dependent variables alone.
  std::vector<std::uint32_t> states(std::size_t k) const {
    std::vector<std::uint32_t> list;
    for (const Entry& e : blocks_[watched_[k]].given)
      if (e.column >= dependent_) list.push_back(e.column - dependent_);
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }

  void operator()(const At& at, std::span<double> result) {
    const std::uint32_t directions = std::min(states_, most_directions);
    change_.assign(std::size_t{dependent_} * directions, 0.0);
    for (std::size_t k = 0, next = 0; k < blocks_.size(); ++k) {
      const double value = measure(blocks_[k], at, directions);
      if (next < watched_.size() && watched_[next] == k) result[next++] = value;
    }
  }

 private:
  static void lay_out(Block& b) {
    constexpr std::uint32_t few = 40;
    b.shape.size = static_cast<std::uint32_t>(b.columns.size());
    b.shape.dense = b.shape.size <= few;
    b.regular = b.shape.size == 1 && b.own.size() == 1 && b.own.front().number.value_or(0) != 0;
    const auto local = [&](const Entry& e) {
      return static_cast<std::uint32_t>(std::ranges::lower_bound(b.columns, e.column) - b.columns.begin());
    };
    if (b.shape.dense) {
      for (Entry& e : b.own) e.place = std::size_t{e.row} * b.shape.size + local(e);
    } else {
      std::ranges::sort(b.own, {}, [&](const Entry& e) { return std::pair{e.column, e.row}; });
      b.shape.column_begin.assign(b.shape.size + 1, 0);
      for (std::size_t k = 0; k < b.own.size(); ++k) {
        b.own[k].place = k;
        b.shape.row.push_back(b.own[k].row);
        ++b.shape.column_begin[local(b.own[k]) + 1];
      }
      std::partial_sum(b.shape.column_begin.begin(), b.shape.column_begin.end(), b.shape.column_begin.begin());
    }
    if (b.shape.size > 1) b.solver = std::make_unique<code::LinearSolver<double>>(b.shape);
  }
  // Blocks that are regular always and that no other kind of block needs.
  void leave_out_ends() {
    std::vector<bool> needed(dependent_);
    std::deque<Block> kept;
    std::vector<std::uint32_t> first;
    for (std::size_t k = blocks_.size(); k-- > 0;) {
      Block& b = blocks_[k];
      if (b.regular && !needed[b.columns.front()]) continue;
      for (const Entry& e : b.given)
        if (e.column < dependent_) needed[e.column] = true;
      first.push_back(first_row_[k]);
      kept.push_front(std::move(b));
      if (kept.front().solver) kept.front().solver->reset(kept.front().shape);
    }
    blocks_ = std::move(kept);
    first_row_.assign(first.rbegin(), first.rend());
  }

  // +1 or -1 for each state in each direction; where there are few states, one direction for each.
  double direction(std::uint32_t state, std::uint32_t d, std::uint32_t directions) const {
    if (states_ == directions) return state == d ? 1 : 0;
    return mix(std::uint64_t{state} * most_directions + d) % 2 == 0 ? 1 : -1;
  }

  double measure(Block& b, const At& at, std::uint32_t directions) {
    const std::size_t n = b.columns.size();
    const auto value = [&](const Entry& e) {
      return e.number ? *e.number : evaluate(e.node, [&](std::uint32_t k) { return at(b.operands[e.row][k]); });
    };
    matrix_.assign(b.shape.stored(), 0.0);
    for (const Entry& e : b.own) matrix_[e.place] += value(e);
    code::Factored f = code::Factored::ok;
    if (n > 1) f = b.solver->factor(matrix_);
    else if (matrix_[0] == 0) f = code::Factored::singular;
    right_.assign(n * directions, 0.0);
    for (const Entry& e : b.given) {
      const double coefficient = value(e);
      for (std::uint32_t d = 0; d < directions; ++d)
        right_[d * n + e.row] -= coefficient * (e.column < dependent_ ? change_[std::size_t{e.column} * directions + d]
                                                                      : direction(e.column - dependent_, d, directions));
    }
    if (f != code::Factored::ok) return f == code::Factored::singular ? 0 : 1;
    double sum = 0;
    for (std::uint32_t d = 0; d < directions; ++d) {
      if (n > 1) b.solver->solve(right_.data() + d * n);
      else right_[d] /= matrix_[0];
      for (std::size_t i = 0; i < n; ++i) {
        const double x = right_[d * n + i];
        change_[std::size_t{b.columns[i]} * directions + d] = x;
        sum += x * x;
      }
    }
    if (states_ > directions) sum /= directions;
    return std::isnan(sum) ? 1 : 1 / std::sqrt(1 + sum);
  }

  std::uint32_t dependent_, states_;
  std::deque<Block> blocks_;  // solvers point at their shapes
  std::vector<std::uint32_t> first_row_;  // by block
  std::vector<std::size_t> watched_;
  std::vector<double> change_, matrix_, right_;  // change_: of the dependent variables, by direction
};

void watch_fixed_choices(const std::shared_ptr<const Analysis>& analysis, Numbers& numbers, const Overrides& overrides, simulate::Problem& p) {
  const Analysis& a = *analysis;
  auto late = std::make_shared<LateNumbers>(analysis, overrides);
  Sources sources(a, numbers, late->operands);
  auto measures = std::make_shared<std::deque<Measure>>();
  const auto name_of = [&](std::uint32_t v) { return name(*a.system, chain_base(*a.system, v)); };
  for (const StateChoice& choice : a.system->choices) {
    const Measure& m = measures->emplace_back(a, choice, sources);
    for (std::size_t k = 0; k < m.watched(); ++k) {
      simulate::StateChoice made;
      for (std::uint32_t c : m.states(k)) made.states.push_back(name_of(choice.states[c]));
      if (made.states.empty())
        for (std::uint32_t v : choice.states) made.states.push_back(name_of(v));
      for (std::uint32_t c : m.dependent(k)) made.dependent.push_back(name_of(choice.dependent[c]));
      for (std::uint32_t v : choice.among) made.among.push_back(name_of(v));
      if (choice.of_pieces && p.divided) made.among = p.divided->among;
      made.of_pieces = choice.of_pieces;
      for (std::uint32_t c : m.dependent(k)) {
        const std::uint32_t rate = a.system->derivative[chain_base(*a.system, choice.dependent[c])];
        if (choice.of_pieces && rate != none && a.output_of[rate] != none) made.rates.push_back(a.output_of[rate]);
      }
      const EqId origin{choice.rows[m.first_row(k)].origin};
      made.origin = {model::label(a.flat, origin), place(a.flat, origin)};
      p.choices.push_back(std::move(made));
    }
  }
  p.regularity = [measures, late](double t, std::span<const double> states, std::span<const double> outputs, std::span<const double> free,
                                  std::span<double> result) {
    const At at{t, states, outputs, late->values(free)};
    for (Measure& m : *measures) {
      m(at, result.first(m.watched()));
      result = result.subspan(m.watched());
    }
  };
}

// Pieces of sets: where such a one alone does not determine what the others leave to it, its choice is not enough.
void watch_pieces(const Analysis& a, simulate::Problem& p) {
  const System& s = *a.system;
  if (!p.divided) return;
  for (const DynamicSet& set : s.sets) {
    if (set.whole == none || set.level > 0) continue;
    simulate::StateChoice made = *p.divided;
    made.selection = set.selection;
    for (std::uint32_t v : set.candidates) made.dependent.push_back(name(s, v));
    const EqId origin{s.rows[set.rows.front()].origin};
    made.origin = {model::label(a.flat, origin), place(a.flat, origin)};
    p.choices.push_back(std::move(made));
  }
  // What needs no choice, though its rate may depend on those of the states as 1 / x: the far joint of two rods that come to lie in one line.
  for (std::uint32_t v : s.given) {
    const std::uint32_t rate = s.derivative[v];
    if (rate == none || a.output_of[rate] == none) continue;
    simulate::StateChoice made = *p.divided;
    made.by_rates = true;
    made.rates = {a.output_of[rate]};
    made.dependent = {name(s, v)};
    p.choices.push_back(std::move(made));
  }
}
// States of no set that are derivatives of states.
void list_speeds(const Analysis& a, simulate::Problem& p) {
  for (std::uint32_t k = 0; k < a.states.size(); ++k)
    if (a.states[k].set < 0 && a.system->antiderivative[a.states[k].variable.value] != none) p.speeds.push_back(k);
}

}  // namespace

void watch_choices(const std::shared_ptr<const Analysis>& analysis, Numbers& numbers, const Overrides& overrides, simulate::Problem& p) {
  const Analysis& a = *analysis;
  p.choices.clear();
  p.regularity = nullptr;
  p.speeds.clear();
  if (!a.system->choices.empty()) watch_fixed_choices(analysis, numbers, overrides, p);
  watch_pieces(a, p);
  if (std::ranges::any_of(p.choices, [](const simulate::StateChoice& c) { return !c.rates.empty(); })) list_speeds(a, p);
}

}  // namespace kron::session
