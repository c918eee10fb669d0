// engine/code/selection.hpp: steps of which some unknowns are given (tape.hpp, Pins). Private to the room.
//   choose    by Gaussian elimination with complete pivoting over the scaled columns: what takes no pivot is given. Of
//             alternatives to be kept one is solved for only where the others leave no pivot to speak of
//   judge     D = inverse(A_solved) A_given, scaled: how much the solved alternatives move with the given ones. Its entry (i, j)
//             is also the ratio of the determinants after and before an exchange of i and j, so exchanges at the largest entry
//             while it exceeds 1 end, at a set of (nearly) maximum volume [Goreinov, Oseledets, Savostyanov et al. 2010]
//   regularity  of what is solved for, of the highest level, whose matrix is that of the point: 1 / |inverse(A) b|, b_i of the size of the
//             largest entry of row i, for a few b that no column is likely to be
//   cost      judging: one solution with the factors at hand for each slot
#pragma once
#include "engine/base/hash.hpp"
#include "engine/code/engine.hpp"

namespace kron::code {

template <class T>
void Engine<T>::chosen(std::uint32_t selection) {
  const auto now = choice_of(selection);
  for (const ChosenRootPlan& c : program->chosen)
    if (c.selection == selection) derivative_roots[c.root] = c.alternative[now[c.slot]];
  for (std::uint32_t s = 0; s < steps.size(); ++s)
    for (const StepPlan::Pins& p : program->steps[s].pins)
      if (p.selection == selection) {
        partition(s);
        break;
      }
}

template <class T>
void Engine<T>::partition(std::uint32_t s) {
  const StepPlan& plan = program->steps[s];
  StepState<T>& state = steps[s];
  constexpr std::uint32_t pinned = ~0u;
  std::vector<std::uint32_t> number(plan.columns, 0);
  for (const StepPlan::Pins& p : plan.pins)
    for (std::uint32_t k : choice_of(p.selection)) number[p.column[k]] = pinned;
  state.free.clear();
  for (std::uint32_t c = 0; c < plan.columns; ++c) {
    if (number[c] == pinned) continue;
    number[c] = static_cast<std::uint32_t>(state.free.size());
    state.free.push_back(c);
  }
  state.solved_entries.clear();
  state.given_entries.clear();
  for (StepPlan::Load l : plan.matrix) {
    if (number[l.column] == pinned) {
      state.given_entries.push_back(l);
    } else {
      l.column = number[l.column];
      state.solved_entries.push_back(l);
    }
  }
  state.shape = std::make_unique<MatrixShape>(shape_of(plan.size, state.solved_entries));
  state.solver.reset(*state.shape);
  state.matrix.resize(state.shape->stored());
  state.solved = state.factored = state.regular = false;
}

template <class T>
void Engine<T>::give(std::uint32_t s) {
  const StepPlan& plan = program->steps[s];
  for (const StepPlan::Pins& p : plan.pins) {
    const auto now = choice_of(p.selection);
    for (std::uint32_t k = 0; k < p.value.size(); ++k) reg[plan.unknowns + p.column[now[k]]] = value(p.value[k]);
  }
}

// A row's entries, by column: few of many columns, where a mechanism is large.
template <class T>
using SelectionRow = std::vector<std::pair<std::uint32_t, T>>;

// row - factor * pivot_row, without the pivot's column.
template <class T>
void subtract(SelectionRow<T>& row, const T& factor, const SelectionRow<T>& pivot_row, std::uint32_t pivot_column, SelectionRow<T>& sum) {
  sum.clear();
  auto mine = row.begin();
  for (const auto& [column, value] : pivot_row) {
    for (; mine != row.end() && mine->first < column; ++mine) sum.push_back(*mine);
    const bool both = mine != row.end() && mine->first == column;
    if (column != pivot_column) sum.emplace_back(column, (both ? mine->second : T(0)) - factor * value);
    if (both) ++mine;
  }
  sum.insert(sum.end(), mine, row.end());
  row.swap(sum);
}

// Complete pivoting over the columns of one class after the other; returns which columns took a pivot.
template <class T>
std::vector<bool> pivot_columns(std::vector<SelectionRow<T>>& a, std::size_t columns, const std::vector<int>& rank) {
  using std::abs;
  std::vector<bool> row_done(a.size(), false), taken(columns, false);
  constexpr double least[] = {0, 1e-3, 1e-6, 0};  // by class: rows were scaled to 1
  struct Largest {
    T size{0};
    std::uint32_t column = 0;
  };
  std::vector<Largest> largest(a.size());
  std::size_t left = a.size();
  SelectionRow<T> sum;
  for (int r = 0; r < 4; ++r) {
    const auto look = [&](std::size_t i) {
      largest[i] = {};
      for (const auto& [column, value] : a[i])
        if (!taken[column] && rank[column] <= r)
          if (const T x = abs(value); x > largest[i].size) largest[i] = {x, column};
    };
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!row_done[i]) look(i);
    while (left > 0) {
      std::size_t p = 0;
      T most(0);
      for (std::size_t i = 0; i < a.size(); ++i)
        if (!row_done[i] && largest[i].size > most) most = largest[p = i].size;
      if (!(most > T(least[r]))) break;
      const std::uint32_t c = largest[p].column;
      const auto in_column = [c](SelectionRow<T>& row) {
        const auto at = std::ranges::lower_bound(row, c, {}, [](const auto& e) { return e.first; });
        return at != row.end() && at->first == c ? &at->second : nullptr;
      };
      row_done[p] = taken[c] = true;
      --left;
      const T pivot = *in_column(a[p]);
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (row_done[i]) continue;
        const T* x = in_column(a[i]);
        if (x == nullptr || *x == 0) continue;
        const T factor = *x / pivot;
        subtract(a[i], factor, a[p], c, sum);
        look(i);
      }
    }
  }
  for (std::size_t j = columns; j-- > 0 && left > 0;)  // singular whatever is chosen: the last ones
    if (!taken[j]) taken[j] = true, --left;
  return taken;
}

template <class T>
void Engine<T>::settle(std::uint32_t s, std::span<const T> at) {
  using std::abs;
  const StepPlan& plan = program->steps[s];
  StepState<T>& state = steps[s];
  std::vector<int> rank(plan.columns, 0);  // unknowns that are no alternatives first
  std::vector<T> scale(plan.columns, T(1));
  for (std::uint32_t c = 0; plan.newton && c < plan.columns; ++c)
    reg[plan.unknowns + c] = !at.empty() ? at[c] : state.has_accepted ? state.accepted[c] : value(plan.start[c]);
  for (const StepPlan::Pins& p : plan.pins)
    for (std::uint32_t k = 0; k < p.column.size(); ++k) {
      scale[p.column[k]] = T(p.scale[k]);
      rank[p.column[k]] = p.keep.empty() || !p.keep[k] ? 1 : 2;
    }
  if (plan.newton) {
    if (plan.residual_region != 0) run(plan.residual_region);
    if (plan.jacobian_region != 0) run(plan.jacobian_region);
  }
  std::vector<SelectionRow<T>> a(plan.size);
  for (const StepPlan::Load& l : plan.matrix) a[l.row].emplace_back(l.column, value(l.value) * scale[l.column]);
  for (SelectionRow<T>& row : a) {
    std::ranges::stable_sort(row, {}, [](const auto& e) { return e.first; });
    std::size_t n = 0;  // entries of one column are terms
    for (std::size_t k = 0; k < row.size(); ++k)
      if (n > 0 && row[n - 1].first == row[k].first) row[n - 1].second += row[k].second;
      else row[n++] = row[k];
    row.resize(n);
    T largest(0);
    for (const auto& e : row) largest = std::max(largest, T(abs(e.second)));
    if (largest > 0)
      for (auto& e : row) e.second /= largest;
  }
  const std::vector<bool> taken = pivot_columns(a, plan.columns, rank);
  for (const StepPlan::Pins& p : plan.pins) {
    std::vector<T>& values = settled[p.selection];
    if (at.empty() ? open[p.selection].empty() : p.level > 0 || values.empty()) continue;
    if (at.empty()) values = std::exchange(open[p.selection], {});
    else
      for (std::uint32_t k = 0; k < p.column.size(); ++k) values[k] = at[p.column[k]];
    const auto now = choice_of(p.selection);
    std::uint32_t slot = 0;
    for (std::uint32_t k = 0; k < p.column.size() && slot < now.size(); ++k)
      if (!taken[p.column[k]]) now[slot++] = k;
    for (std::uint32_t k = 0; slot < now.size(); ++k)  // no more are free: any others
      if (std::find(now.begin(), now.begin() + slot, k) == now.begin() + slot) now[slot++] = k;
    std::sort(now.begin(), now.end());
    chosen(p.selection);
    for (const StepPlan& other : program->steps)
      for (const StepPlan::Pins& q : other.pins)
        for (std::uint32_t k = 0; q.selection == p.selection && k < now.size(); ++k)
          reg[q.value[k].reg()] = values[q.level * q.column.size() + now[k]];
  }
}

// The step of a selection's lowest level, and which of its pins.
template <class T>
std::optional<std::pair<std::uint32_t, std::uint32_t>> Engine<T>::leader(std::uint32_t selection) const {
  for (std::uint32_t s = 0; s < program->steps.size(); ++s)
    for (std::uint32_t k = 0; k < program->steps[s].pins.size(); ++k)
      if (const StepPlan::Pins& p = program->steps[s].pins[k]; p.selection == selection && p.level == 0) return std::pair{s, k};
  return std::nullopt;
}

// d: by slot, the derivatives of the free columns by it. False: the step has no factors.
template <class T>
bool Engine<T>::derivatives(std::uint32_t s, std::uint32_t pins, std::vector<T>& d) {
  const StepPlan& plan = program->steps[s];
  StepState<T>& state = steps[s];
  if (!state.regular) return false;
  const StepPlan::Pins& p = plan.pins[pins];
  const auto now = choice_of(p.selection);
  d.assign(now.size() * plan.size, T(0));
  std::vector<std::pair<std::uint32_t, std::uint32_t>> slot_of(now.size());  // by column
  for (std::uint32_t k = 0; k < now.size(); ++k) slot_of[k] = {p.column[now[k]], k};
  std::sort(slot_of.begin(), slot_of.end());
  for (const StepPlan::Load& l : state.given_entries) {
    const auto at = std::lower_bound(slot_of.begin(), slot_of.end(), std::pair{l.column, 0u});
    if (at != slot_of.end() && at->first == l.column) d[std::size_t{at->second} * plan.size + l.row] -= value(l.value);
  }
  for (std::uint32_t k = 0; k < now.size(); ++k) state.solver.solve(d.data() + std::size_t{k} * plan.size);
  return true;
}

template <class T>
T Engine<T>::strain(std::uint32_t selection) {
  using std::abs;
  const auto lead = leader(selection);
  if (!lead) return T(0);
  const StepPlan& plan = program->steps[lead->first];
  const StepPlan::Pins& p = plan.pins[lead->second];
  std::vector<T> d;
  if (!derivatives(lead->first, lead->second, d)) return std::numeric_limits<T>::infinity();
  const auto now = choice_of(selection);
  const std::vector<std::uint32_t>& free = steps[lead->first].free;
  T most(0);
  for (std::uint32_t k = 0; k < p.column.size(); ++k) {
    const auto at = std::lower_bound(free.begin(), free.end(), p.column[k]);
    if (at == free.end() || *at != p.column[k]) continue;
    for (std::uint32_t j = 0; j < now.size(); ++j) {
      const T x = abs(d[std::size_t{j} * plan.size + static_cast<std::size_t>(at - free.begin())]) * T(p.scale[now[j]] / p.scale[k]);
      if (!(x <= most)) most = x;
    }
  }
  return most;
}

template <class T>
T Engine<T>::regularity(std::uint32_t selection) {
  using std::abs;
  using std::sqrt;
  std::optional<std::uint32_t> top;
  std::uint32_t level = 0;
  for (std::uint32_t s = 0; s < program->steps.size(); ++s)
    for (const StepPlan::Pins& p : program->steps[s].pins)
      if (p.selection == selection && (!top || (!program->steps[s].newton && p.level > level))) top = s, level = p.level;
  if (!top) return T(1);
  StepState<T>& state = steps[*top];
  if (!state.regular) return T(0);
  const std::size_t n = program->steps[*top].size;
  std::vector<T> size(n, T(0)), x(n);
  for (const StepPlan::Load& l : state.solved_entries) size[l.row] = std::max(size[l.row], T(abs(state.matrix[l.place])));
  constexpr std::size_t few = 3;
  T largest(1);
  for (std::size_t k = 0; k < few; ++k) {
    for (std::size_t i = 0; i < n; ++i) x[i] = size[i] * (static_cast<double>(mix(few * i + k) % 1024) / 512 - 1);
    state.solver.solve(x.data());
    T sum(0);
    for (const T& v : x) sum += v * v;
    largest = std::max(largest, T(sum / static_cast<int>(n)));
  }
  return 1 / sqrt(largest);
}

template <class T>
bool Engine<T>::exchange(std::uint32_t selection) {
  using std::abs;
  const auto lead = leader(selection);
  if (!lead) return false;
  const auto [s, pins] = *lead;
  const StepPlan& plan = program->steps[s];
  const StepPlan::Pins& p = plan.pins[pins];
  if (plan.newton && plan.jacobian_region != 0 && run(plan.jacobian_region) != Status::ok) return false;
  bool any = false;
  std::vector<T> d;
  for (;;) {
    if (factor(s) != Factored::ok || !derivatives(s, pins, d)) return any;
    const auto now = choice_of(selection);
    const std::vector<std::uint32_t>& free = steps[s].free;
    T most(1.05);  // each exchange enlarges the determinant by that at least, so there are finitely many
    std::uint32_t in = 0, out = 0;
    for (std::uint32_t k = 0; k < p.column.size(); ++k) {
      const auto at = std::lower_bound(free.begin(), free.end(), p.column[k]);
      if (at == free.end() || *at != p.column[k]) continue;
      for (std::uint32_t j = 0; j < now.size(); ++j) {
        const T x = abs(d[std::size_t{j} * plan.size + static_cast<std::size_t>(at - free.begin())]) * T(p.scale[now[j]] / p.scale[k]);
        if (x > most) most = x, in = k, out = j;
      }
    }
    if (!(most > T(1.05))) break;
    now[out] = in;
    partition(s);
    any = true;
  }
  const auto now = choice_of(selection);
  std::sort(now.begin(), now.end());
  if (any) chosen(selection);
  return any;
}

}  // namespace kron::code
