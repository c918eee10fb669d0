// The regularity of a choice of states along a run: its Jacobian from the forms, at the run's values.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "engine/code/klu.hpp"
#include "engine/session/evaluate.hpp"
#include "engine/session/values.hpp"

namespace kron::session {

using model::Operand;
using model::OperandKind;

namespace {

struct Source {
  enum From : std::uint8_t { number, time, state, output } from = number;
  std::uint32_t index = 0;
  double value = 0;
};

struct Entry {
  std::uint32_t row = 0, column = 0;
  model::NodeId node;
  std::vector<Source> sources;  // of its placeholders
};

// [J of the dependent ones | J of the states], dense by rows.
struct Jacobian {
  std::uint32_t rows = 0, columns = 0;
  std::vector<Entry> entries;
};

// B in [A | B] becomes inverse(A) * B; false: A is singular.
bool eliminate(std::vector<double>& m, std::uint32_t rows, std::uint32_t columns) {
  std::vector<std::uint32_t> filled;  // columns of the pivot's row
  for (std::uint32_t k = 0; k < rows; ++k) {
    std::uint32_t pivot = k;
    for (std::uint32_t r = k + 1; r < rows; ++r)
      if (std::abs(m[r * columns + k]) > std::abs(m[pivot * columns + k])) pivot = r;
    if (!(std::abs(m[pivot * columns + k]) > 0)) return false;
    for (std::uint32_t c = 0; pivot != k && c < columns; ++c) std::swap(m[k * columns + c], m[pivot * columns + c]);
    filled.clear();
    for (std::uint32_t c = k; c < columns; ++c)
      if (m[k * columns + c] != 0) filled.push_back(c);
    for (std::uint32_t r = 0; r < rows; ++r) {
      const double f = r == k ? 0 : m[r * columns + k] / m[k * columns + k];
      if (f == 0) continue;
      for (std::uint32_t c : filled) m[r * columns + c] -= f * m[k * columns + c];
    }
  }
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t c = rows; c < columns; ++c) m[r * columns + c] /= m[r * columns + r];
  return true;
}

// Sum of the squares of inverse(A) * B; nothing: A is singular. Dense where that is faster.
std::optional<double> dense_squares(const Jacobian& j, std::span<const double> values) {
  std::vector<double> m(static_cast<std::size_t>(j.rows) * j.columns);
  for (std::size_t k = 0; k < values.size(); ++k) m[j.entries[k].row * j.columns + j.entries[k].column] = values[k];
  if (!eliminate(m, j.rows, j.columns)) return std::nullopt;
  double sum = 0;
  for (std::uint32_t r = 0; r < j.rows; ++r)
    for (std::uint32_t c = j.rows; c < j.columns; ++c) sum += m[r * j.columns + c] * m[r * j.columns + c];
  return sum;
}
std::optional<double> sparse_squares(const Jacobian& j, std::span<const double> values) {
  std::vector<std::vector<std::pair<std::uint32_t, double>>> columns(j.columns);
  for (std::size_t k = 0; k < values.size(); ++k) columns[j.entries[k].column].emplace_back(j.entries[k].row, values[k]);
  code::MatrixShape shape{j.rows, false, {0}, {}};
  std::vector<double> a;
  for (std::uint32_t c = 0; c < j.rows; ++c) {
    for (const auto& [row, value] : columns[c]) {
      shape.row.push_back(row);
      a.push_back(value);
    }
    shape.column_begin.push_back(static_cast<std::int64_t>(shape.row.size()));
  }
  code::Klu lu(shape);
  const code::Factored f = lu.factor(a);
  if (f == code::Factored::singular) return std::nullopt;
  if (f != code::Factored::ok) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  std::vector<double> x(j.rows);
  for (std::uint32_t c = j.rows; c < j.columns; ++c) {
    std::fill(x.begin(), x.end(), 0.0);
    for (const auto& [row, value] : columns[c]) x[row] = value;
    lu.solve(x.data());
    for (double v : x) sum += v * v;
  }
  return sum;
}

double regularity(const Jacobian& j, double t, std::span<const double> states, std::span<const double> outputs) {
  constexpr std::uint32_t few = 40;
  std::vector<double> values;
  values.reserve(j.entries.size());
  for (const Entry& e : j.entries)
    values.push_back(evaluate(e.node, [&](std::uint32_t k) {
      const Source& s = e.sources[k];
      switch (s.from) {
        case Source::time: return t;
        case Source::state: return states[s.index];
        case Source::output: return outputs[s.index];
        default: return s.value;
      }
    }));
  const std::optional<double> sum = j.rows <= few ? dense_squares(j, values) : sparse_squares(j, values);
  if (!sum) return 0;
  return std::isnan(*sum) ? 1 : 1 / std::sqrt(1 + *sum);
}

class Sources {
 public:
  Sources(const Analysis& a, Numbers& numbers) : a_(a), numbers_(numbers), state_of_(a.system->variables(), none) {
    for (std::uint32_t k = 0; k < a.states.size() && a.states[k].set < 0; ++k) state_of_[a.states[k].variable.value] = k;
  }
  Source of(Operand o) {
    if (o.kind() == OperandKind::time) return {Source::time};
    const std::uint32_t v = o.index();
    if (o.kind() == OperandKind::value && v >= a_.system->flat->variables() && !a_.system->unknown[v]) return {};  // gone: in no derivative
    if (o.kind() != OperandKind::value || !a_.system->unknown[v]) return {Source::number, 0, numbers_.operand(o)};
    if (state_of_[v] != none) return {Source::state, state_of_[v]};
    return {Source::output, a_.output_of[v]};
  }

 private:
  const Analysis& a_;
  Numbers& numbers_;
  std::vector<std::uint32_t> state_of_;
};

Jacobian jacobian(const Analysis& a, const StateChoice& choice, Sources& sources) {
  std::vector<std::uint32_t> columns = choice.dependent;
  columns.insert(columns.end(), choice.states.begin(), choice.states.end());
  std::unordered_map<std::uint32_t, std::uint32_t> position;
  for (std::uint32_t c = 0; c < columns.size(); ++c) position.emplace(columns[c], c);
  Jacobian j;
  j.rows = static_cast<std::uint32_t>(choice.rows.size());
  j.columns = static_cast<std::uint32_t>(columns.size());
  for (std::uint32_t r = 0; r < j.rows; ++r) {
    const SystemRow& row = choice.rows[r];
    const auto ops = a.system->bound(row);
    for (std::uint32_t k = 0; k < ops.size(); ++k) {
      if (ops[k].kind() != OperandKind::value) continue;
      const auto at = position.find(ops[k].index());
      if (at == position.end()) continue;
      Entry e{r, at->second, model::forms().partial(row.form, k), {}};
      for (Operand o : ops) e.sources.push_back(sources.of(o));
      j.entries.push_back(std::move(e));
    }
  }
  return j;
}

}  // namespace

std::vector<simulate::StateChoice> state_choices(const Analysis& a, Numbers& numbers) {
  std::vector<simulate::StateChoice> list;
  Sources sources(a, numbers);
  for (const StateChoice& choice : a.system->choices) {
    simulate::StateChoice made;
    for (std::uint32_t v : choice.states) made.states.push_back(name(*a.system, chain_base(*a.system, v)));
    for (std::uint32_t v : choice.dependent) made.dependent.push_back(name(*a.system, chain_base(*a.system, v)));
    for (std::uint32_t v : choice.among) made.among.push_back(name(*a.system, chain_base(*a.system, v)));
    const EqId origin{choice.rows.front().origin};
    made.origin = {model::label(a.flat, origin), place(a.flat, origin)};
    made.regularity = [j = jacobian(a, choice, sources)](double t, std::span<const double> states, std::span<const double> outputs) {
      return regularity(j, t, states, outputs);
    };
    list.push_back(std::move(made));
  }
  return list;
}

}  // namespace kron::session
