#include "engine/solve/cost.hpp"

#include <algorithm>
#include <numeric>

#include "engine/solve/fill.hpp"
#include "engine/structure/structure.hpp"

namespace kron::solve {

using code::Ref;

namespace {

// What the nodes made since `first` cost: those that wanted values need, and those that only stored results do. In one pass from the end
// of the tape.
class Live {
 public:
  Live(const code::Builder& t, std::size_t first) : t_(t), first_(first), use_(t.size() - first, unused) {}
  void want(Ref r) { mark(r, wanted); }
  void store(Ref r) { mark(r, stored); }
  Cost count() {
    constexpr double division = 2.5, share = 0.05;  // what only stored results need costs less, and is not counted
    Cost c;
    double seldom = 0;
    for (std::size_t k = use_.size(); k-- > 0;) {
      const Use use = use_[k];
      if (use == unused) continue;
      const code::Node& n = t_.nodes()[first_ + k];
      const bool add = n.op == code::Op::add, mul = n.op == code::Op::mul, div = n.op == code::Op::div || n.op == code::Op::inv;
      if (add || mul) {  // as most are
        mark(n.a, use);
        mark(n.b, use);
      } else {
        for (Ref r : t_.arguments(n)) mark(r, use);
      }
      if (use == wanted) c.add += add, c.mul += mul, c.div += div;
      const double weight = add || mul ? 1 : div ? division : 0;
      (n.section != code::Section::dynamic ? c.early : use == wanted ? c.dynamic : seldom) += weight;
    }
    c.dynamic += share * seldom;
    return c;
  }

 private:
  enum Use : std::uint8_t { unused, stored, wanted };
  void mark(Ref r, Use use) {
    if (r.node() >= first_) use_[r.node() - first_] = std::max(use_[r.node() - first_], use);
  }
  const code::Builder& t_;
  std::size_t first_;
  std::vector<Use> use_;
};

constexpr std::uint32_t given_column = ~0u;

// By column, its number in the matrix that is factorised. With pins there are more columns than rows: as many as the pattern can solve for
// count.
std::vector<std::uint32_t> solved_columns(const LinearSystem& matrix, std::uint32_t columns) {
  std::vector<std::uint32_t> number(columns);
  std::iota(number.begin(), number.end(), 0u);
  if (columns == matrix.rows.size()) return number;
  structure::Incidence g;
  g.columns = columns;
  std::vector<std::uint32_t> held;
  for (const auto& row : matrix.rows) {
    held.clear();
    for (const auto& x : row) held.push_back(x.column);
    g.add_row(held);
  }
  const structure::Matching m = structure::match(g);
  std::uint32_t next = 0;
  for (std::uint32_t k = 0; k < columns; ++k) number[k] = m.of_column[k] == structure::free_end ? given_column : next++;
  return number;
}

double core_cost(const Elimination& e, const Core& core) {
  std::vector<std::uint32_t> number(e.unknowns(), given_column);
  for (std::uint32_t k = 0; k < core.columns.size(); ++k) number[core.columns[k]] = k;
  LinearSystem s;
  for (std::uint32_t r : core.rows) {
    s.rows.emplace_back();
    for (const auto& x : e.row(r)) s.rows.back().push_back({number[x.column], x.value});
  }
  return lu_cost(s, static_cast<std::uint32_t>(core.columns.size()));
}

}  // namespace

double lu_cost(const LinearSystem& matrix, std::uint32_t columns) {
  const auto k = static_cast<double>(matrix.rows.size());
  std::size_t entries = 0;
  for (const auto& row : matrix.rows) entries += row.size();
  if (code::is_dense(matrix.rows.size(), entries)) return k * (k - 1) * (2 * k - 1) / 3 + 2 * k * (k - 1) + 4 * k;
  const std::vector<std::uint32_t> number = solved_columns(matrix, columns);
  LinearSystem s;
  for (const auto& row : matrix.rows) {
    s.rows.emplace_back();
    for (const auto& x : row)
      if (number[x.column] != given_column) s.rows.back().push_back({number[x.column], x.value});
  }
  constexpr double indexed = 2, loaded = 8;
  return indexed * 2 * fill_of(s).products + loaded * static_cast<double>(entries);
}

Core remaining(const Elimination& e) {
  Core c;
  for (std::uint32_t k = 0; k < e.size(); ++k)
    if (e.active(k)) c.rows.push_back(k);
  for (std::uint32_t k = 0; k < e.unknowns(); ++k)
    if (e.unsolved(k)) c.columns.push_back(k);
  return c;
}

Cost cost_of(Elimination& e, code::Builder& t, const Core& core, const CoreUnknowns& core_unknowns, const std::vector<bool>& wanted,
             Since since) {
  std::vector<Ref> values(std::max<std::size_t>(e.unknowns(), wanted.size()), code::zero);
  const std::vector<Ref> u = core_unknowns(t, core);
  for (std::size_t k = 0; k < u.size(); ++k) values[core.columns[k]] = u[k];
  e.substitute_back(values, since.pivots);
  return cost_of(e, t, core, values, wanted, since);
}

Cost cost_of(const Elimination& e, const code::Builder& t, const Core& core, const std::vector<Ref>& values,
             const std::vector<bool>& wanted, Since since) {
  Live live(t, since.nodes);
  for (std::size_t k = 0; k < wanted.size(); ++k)
    if (wanted[k]) live.want(values[k]);
  for (std::uint32_t r : core.rows) {
    for (const auto& x : e.row(r)) live.want(x.value);
    live.want(e.rhs(r));
  }
  for (std::size_t k = 0; k < wanted.size(); ++k) live.store(values[k]);
  Cost cost = live.count();
  if (!core.rows.empty()) cost.dynamic += core_cost(e, core);
  return cost;
}

}  // namespace kron::solve
