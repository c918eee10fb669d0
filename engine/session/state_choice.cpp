// The regularity of the choices of states along a run, from coefficients that a program of their own computes at the run's values.
//   J = [A | B], A of the dependent variables, B of the states. A is put into block-lower-triangular form: a choice is singular where one of
//   its blocks is. The blocks' own measures say how near that is however many blocks there are, and cost what the blocks cost.
//   |inverse(A) B|^2 by block, exactly where there are few states; else from few directions of the states, +1 or -1 each, whose mean square is
//   that sum but for cross terms [Hutchinson 1990].
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "engine/base/hash.hpp"
#include "engine/code/linear.hpp"
#include "engine/code/program.hpp"
#include "engine/model/algebra.hpp"
#include "engine/session/evaluate.hpp"
#include "engine/session/values.hpp"
#include "engine/solve/template.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

using model::Operand;
using model::OperandKind;

namespace {

constexpr std::uint32_t most_directions = 4;

// A coefficient: a number, or a node of the forms, of the operands of its row.
struct Entry {
  std::uint32_t row = 0, column = 0;  // row in the block; dependent variables, then states
  std::size_t place = 0;              // in the block's stored matrix
  model::NodeId node;
  std::optional<double> number;
};

// The same of a measure: the coefficient by its place among the program's values.
struct Term {
  std::uint32_t value = 0, column = 0;
  std::size_t place = 0;  // of a block's own: in its matrix; else its row
};

struct Block {
  std::vector<std::uint32_t> columns;         // dependent variables that it determines
  std::vector<const SystemRow*> rows;
  std::vector<Entry> own, given;              // coefficients of its columns, and of others
  code::MatrixShape shape;
  std::vector<Term> own_terms, given_terms;   // once there is a program
  bool regular = false;                       // always: one row, a number as its coefficient
  bool watched = false;
};

// What hangs on the past cannot be judged, and counts as 1.
bool hangs_on_past(model::NodeId node) {
  const model::Exprs& e = model::forms().exprs();
  return std::ranges::any_of(model::postorder(e, node), [&](model::NodeId n) {
    return e[n].op == model::ExprOp::call && (e[n].fn == Fn::history || e[n].fn == Fn::delay || e[n].fn == Fn::edge || e[n].fn == Fn::sample);
  });
}

std::optional<double> number(model::NodeId node) {
  if (hangs_on_past(node)) return 1;
  bool is = true;
  const double value = evaluate(node, [&](std::uint32_t) {
    is = false;
    return 1.0;
  });
  return is ? std::optional(value) : std::nullopt;
}

// Coefficients as a program of what they are made of: roots are its outputs.
class Coefficients {
 public:
  explicit Coefficients(const Analysis& a) : a_(a), state_of_(a.system->variables(), none) {
    for (std::uint32_t k = 0; k < a.states.size() && a.states[k].set < 0; ++k) state_of_[a.states[k].variable.value] = k;
  }
  void add(Block& b) {
    std::vector<std::vector<code::Ref>> operands;
    for (const SystemRow* row : b.rows) {
      auto& list = operands.emplace_back();
      for (Operand o : a_.system->bound(*row)) list.push_back(ref(o));
    }
    const auto term = [&](const Entry& e, std::size_t place) {
      roots_.output.push_back(e.number ? tape_.constant(*e.number) : templates_.emit(tape_, e.node, operands[e.row]));
      return Term{static_cast<std::uint32_t>(roots_.output.size() - 1), e.column, place};
    };
    for (const Entry& e : b.own) b.own_terms.push_back(term(e, e.place));
    for (const Entry& e : b.given) b.given_terms.push_back(term(e, e.row));
  }
  std::shared_ptr<const code::Program> program() const { return code::compile(tape_, roots_); }

  struct Source {
    bool is_state = false;  // else an output
    std::uint32_t index = 0;
  };
  std::vector<Source> sources;   // by state of the program: of the model
  std::vector<Operand> numbers;  // by parameter of the program

 private:
  code::Ref ref(Operand o) {
    if (o.kind() == OperandKind::time) return tape_.input(code::InputKind::time, 0, 0);
    const std::uint32_t v = o.index();
    if (o.kind() == OperandKind::value && v >= a_.flat.variables() && !a_.system->unknown[v]) return code::zero;  // gone: in no derivative
    const auto [at, is_new] = refs_.emplace(o.bits, code::Ref{});
    if (!is_new) return at->second;
    if (o.kind() == OperandKind::value && a_.system->unknown[v]) {
      const auto k = static_cast<std::uint32_t>(sources.size());
      sources.push_back(state_of_[v] != none ? Source{true, state_of_[v]} : Source{false, a_.output_of[v]});
      at->second = tape_.input(code::InputKind::state, k, k);
    } else {
      const auto k = static_cast<std::uint32_t>(numbers.size());
      numbers.push_back(o);
      at->second = tape_.input(code::InputKind::parameter, k, k);
    }
    return at->second;
  }

  const Analysis& a_;
  std::vector<std::uint32_t> state_of_;  // by variable; none
  code::Builder tape_;
  solve::Templates templates_;
  code::Roots roots_;
  std::unordered_map<std::uint32_t, code::Ref> refs_;  // by operand
};

class Measure {
 public:
  Measure(const Analysis& a, const StateChoice& choice)
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
        block.rows.push_back(&row);
        for (std::uint32_t p = 0; p < ops.size(); ++p) {
          const std::uint32_t c = column(ops[p]);
          if (c == none) continue;
          const bool own = std::ranges::binary_search(columns, c);
          const model::NodeId coefficient = model::forms().partial(model::forms().unmarked(row.form), p);
          (own ? block.own : block.given).push_back({r, c, 0, coefficient, number(coefficient)});
        }
      }
      lay_out(block);
    }
    leave_out_ends();
    for (std::uint32_t k = 0; k < blocks_.size(); ++k) {
      blocks_[k].watched = !blocks_[k].regular;
      if (blocks_[k].watched) watched_.push_back(k);
    }
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

  void add_to(Coefficients& c) {
    for (Block& b : blocks_) c.add(b);
  }
  using Directions = std::array<double, most_directions>;
  struct Scratch {
    std::vector<std::unique_ptr<code::LinearSolver<double>>> solvers;  // by block; null: of one row
    std::vector<Directions> change;                                    // of the dependent variables, then of the states
    std::vector<double> matrix, right;
  };
  Scratch scratch() const {
    Scratch s;
    for (const Block& b : blocks_) s.solvers.push_back(b.shape.size > 1 ? std::make_unique<code::LinearSolver<double>>(b.shape) : nullptr);
    s.change.resize(std::size_t{dependent_} + states_);
    for (std::uint32_t k = 0; k < states_; ++k) s.change[dependent_ + k] = directions(k);
    return s;
  }
  // `values`: of the program of coefficients.
  void operator()(std::span<const double> values, Scratch& scratch, std::span<double> result) const {
    std::size_t next = 0;
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      const Block& b = blocks_[k];
      const double sum = b.shape.size == 1 ? solve_one(b, values, scratch.change) : solve(b, values, *scratch.solvers[k], scratch);
      if (b.watched) result[next++] = measure_of(sum);
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
    }
    blocks_ = std::move(kept);
    first_row_.assign(first.rbegin(), first.rend());
  }

  // +1 or -1 for each state in each direction; where there are few states, one direction for each.
  Directions directions(std::uint32_t state) const {
    Directions list{};
    for (std::uint32_t d = 0; d < std::min(states_, most_directions); ++d) {
      const double sign = mix(std::uint64_t{state} * most_directions + d) % 2 == 0 ? 1 : -1;
      list[d] = states_ > most_directions ? sign : state == d;
    }
    return list;
  }

  // The sum of the squares of its changes, infinity where it is singular.
  static double solve_one(const Block& b, std::span<const double> values, std::vector<Directions>& change) {
    double pivot = 0;
    for (const Term& e : b.own_terms) pivot += values[e.value];
    Directions right{};
    for (const Term& e : b.given_terms) {
      const double coefficient = values[e.value];
      const Directions& by = change[e.column];
      for (std::uint32_t d = 0; d < most_directions; ++d) right[d] -= coefficient * by[d];
    }
    Directions& own = change[b.columns.front()];
    own = {};
    if (pivot == 0) return std::numeric_limits<double>::infinity();
    double sum = 0;
    for (std::uint32_t d = 0; d < most_directions; ++d) {
      own[d] = right[d] / pivot;
      sum += own[d] * own[d];
    }
    return sum;
  }
  static double solve(const Block& b, std::span<const double> values, code::LinearSolver<double>& solver, Scratch& scratch) {
    const std::size_t n = b.columns.size();
    auto& [solvers, change, matrix, right] = scratch;
    matrix.assign(b.shape.stored(), 0.0);
    for (const Term& e : b.own_terms) matrix[e.place] += values[e.value];
    right.assign(n * most_directions, 0.0);
    for (const Term& e : b.given_terms)
      for (std::uint32_t d = 0; d < most_directions; ++d) right[d * n + e.place] -= values[e.value] * change[e.column][d];
    for (const std::uint32_t c : b.columns) change[c] = {};
    const code::Factored f = solver.factor(matrix);
    if (f != code::Factored::ok) return f == code::Factored::singular ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    for (std::uint32_t d = 0; d < most_directions; ++d) {
      solver.solve(right.data() + d * n);
      for (std::size_t i = 0; i < n; ++i) {
        const double x = right[d * n + i];
        change[b.columns[i]][d] = x;
        sum += x * x;
      }
    }
    return sum;
  }
  double measure_of(double sum) const {
    if (states_ > most_directions) sum /= most_directions;
    return std::isnan(sum) ? 1 : 1 / std::sqrt(1 + sum);
  }

  std::uint32_t dependent_, states_;
  std::deque<Block> blocks_;  // solvers point at their shapes
  std::vector<std::uint32_t> first_row_;  // by block
  std::vector<std::size_t> watched_;
};

}  // namespace

// The measures of an analysis, and the program that they are computed by, which is made when a run first asks.
struct ChoiceMeasures {
  explicit ChoiceMeasures(std::shared_ptr<const Analysis> a) : analysis(std::move(a)) {}
  std::shared_ptr<const Analysis> analysis;
  std::deque<Measure> list;
  std::vector<Coefficients::Source> sources;
  std::vector<Operand> numbers;
  std::shared_ptr<const code::Program> program;
  std::once_flag compiled;

  void compile() {
    std::call_once(compiled, [&] {
      Coefficients c(*analysis);
      for (Measure& m : list) m.add_to(c);
      program = c.program();
      sources = std::move(c.sources);
      numbers = std::move(c.numbers);
    });
  }
};

namespace {

// With the parameters of one run.
class Measuring {
 public:
  Measuring(std::shared_ptr<ChoiceMeasures> m, Overrides overrides) : measures_(std::move(m)), overrides_(std::move(overrides)) {}

  void operator()(double t, std::span<const double> states, std::span<const double> outputs, std::span<const double> free, std::span<double> result) {
    if (!machine_) begin();
    if (!with_parameters_ || !std::ranges::equal(free, free_)) set_parameters(free);
    for (std::size_t k = 0; k < point_.size(); ++k) {
      const auto& source = measures_->sources[k];
      point_[k] = source.is_state ? states[source.index] : outputs[source.index];
    }
    if (machine_->output(t, point_, values_) != code::Status::ok) std::ranges::fill(values_, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < scratch_.size(); ++k) {
      const Measure& m = measures_->list[k];
      m(values_, scratch_[k], result.first(m.watched()));
      result = result.subspan(m.watched());
    }
  }

 private:
  void begin() {
    measures_->compile();
    machine_.emplace(measures_->program);
    point_.resize(measures_->sources.size());
    values_.resize(code::output_size(*measures_->program));
    for (const Measure& m : measures_->list) scratch_.push_back(m.scratch());
  }
  // `free`: what the start of the run has found for those with `fixed = false`.
  void set_parameters(std::span<const double> free) {
    const Analysis& a = *measures_->analysis;
    free_.assign(free.begin(), free.end());
    for (std::size_t k = 0; k < free.size() && k < a.free_parameters.size(); ++k) overrides_[a.inputs_of_tape->parameters[a.free_parameters[k]]] = free[k];
    Numbers numbers(a.flat, *a.bindings, overrides_);
    const auto inputs = machine_->inputs(code::InputKind::parameter);
    for (std::size_t k = 0; k < inputs.size(); ++k) inputs[k] = numbers.operand(measures_->numbers[k]);
    (void)machine_->run_parameters();
    with_parameters_ = true;
  }

  std::shared_ptr<ChoiceMeasures> measures_;
  Overrides overrides_;
  std::optional<code::Machine<double>> machine_;
  std::vector<Measure::Scratch> scratch_;
  std::vector<double> point_, values_, free_;
  bool with_parameters_ = false;
};

std::shared_ptr<ChoiceMeasures> watch_fixed_choices(const std::shared_ptr<const Analysis>& analysis, simulate::Problem& p) {
  const Analysis& a = *analysis;
  auto measures = std::make_shared<ChoiceMeasures>(analysis);
  const auto name_of = [&](std::uint32_t v) { return name(*a.system, chain_base(*a.system, v)); };
  for (const StateChoice& choice : a.system->choices) {
    const Measure& m = measures->list.emplace_back(a, choice);
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
  return measures;
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

std::shared_ptr<ChoiceMeasures> watch_choices(const std::shared_ptr<const Analysis>& analysis, simulate::Problem& p) {
  const Analysis& a = *analysis;
  p.choices.clear();
  p.speeds.clear();
  std::shared_ptr<ChoiceMeasures> measures;
  if (!a.system->choices.empty()) measures = watch_fixed_choices(analysis, p);
  watch_pieces(a, p);
  if (std::ranges::any_of(p.choices, [](const simulate::StateChoice& c) { return !c.rates.empty(); })) list_speeds(a, p);
  return measures;
}

void measure_choices(const std::shared_ptr<ChoiceMeasures>& measures, const Overrides& overrides, simulate::Problem& p) {
  p.regularity = nullptr;
  if (!measures) return;
  p.regularity = [m = std::make_shared<Measuring>(measures, overrides)](double t, std::span<const double> states, std::span<const double> outputs,
                                                                       std::span<const double> free, std::span<double> result) { (*m)(t, states, outputs, free, result); };
}

}  // namespace kron::session
