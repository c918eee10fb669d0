// Operation counts of the code that runs (commands.md section 3, `ops`).
//   A linear step of n unknowns that is solved by a dense LU counts n(n-1)(2n-1)/6 + n(n-1) multiplications and as many additions and
//   n(n-1)/2 + n divisions, a sparse one what its symbolic factorisation says; a Newton step counts one iteration: its body and
//   one such solve. Where columns are given at run time, as many are solved for as there are rows, of those that the pattern allows; in
//   a linear step each entry of the others is multiplied by its value.
#include <algorithm>

#include "engine/code/klu.hpp"
#include "engine/code/layout.hpp"

namespace kron::code {
namespace {

void count_call(OperationCount& c, const Run& r) {
  switch (r.fn) {
    case Fn::sqrt:
      c.sqrt += r.count;
      break;
    case Fn::sin:
    case Fn::cos:
    case Fn::tan:
    case Fn::asin:
    case Fn::acos:
    case Fn::atan:
    case Fn::atan2:
      c.trig += r.count;
      break;
    case Fn::interpolate:
    case Fn::interpolate_slope:
    case Fn::history:
      ++c.other;
      break;
    default:
      c.other += r.count;
      break;
  }
}

void count_run(OperationCount& c, const Run& r) {
  switch (r.kernel) {
    case Kernel::add:
    case Kernel::sub:
      c.add += r.count;
      break;
    case Kernel::mul:
      c.mul += r.count;
      break;
    case Kernel::div:
    case Kernel::inv:
      c.div += r.count;
      break;
    case Kernel::pow:
      c.other += r.count;
      break;
    case Kernel::call:
      count_call(c, r);
      break;
    case Kernel::neg:
    case Kernel::step:
    case Kernel::take:
      break;
  }
}

void count_solve(OperationCount& c, const MatrixShape& shape) {
  const std::size_t n = shape.size;
  if (n == 0) return;
  const LuCount lu = shape.dense ? LuCount{n * (n - 1) * (2 * n - 1) / 6 + n * (n - 1), n * (n - 1) / 2 + n} : count_lu(shape);
  c.mul += lu.products;
  c.add += lu.products;
  c.div += lu.divisions;
}

// By row, a column of its own as far as the pattern has one (augmenting paths).
class Columns {
 public:
  explicit Columns(const StepPlan& s) : held_(s.size), row_of_(s.columns, none), seen_(s.columns, none) {
    for (const StepPlan::Load& l : s.matrix) held_[l.row].push_back(l.column);
    for (std::uint32_t r = 0; r < s.size; ++r) find(r);
  }
  bool has_row(std::uint32_t column) const { return row_of_[column] != none; }

 private:
  static constexpr std::uint32_t none = ~0u;
  struct Visit {
    std::uint32_t row, next;
  };
  void find(std::uint32_t start) {
    std::vector<Visit> path{{start, 0}};
    while (!path.empty()) {
      auto& [r, next] = path.back();
      if (next == held_[r].size()) {
        path.pop_back();
        continue;
      }
      const std::uint32_t c = held_[r][next++];
      if (seen_[c] == start) continue;
      seen_[c] = start;
      if (row_of_[c] != none) {
        path.push_back({row_of_[c], 0});
        continue;
      }
      for (const Visit& v : path) row_of_[held_[v.row][v.next - 1]] = v.row;
      return;
    }
  }
  std::vector<std::vector<std::uint32_t>> held_;  // by row
  std::vector<std::uint32_t> row_of_, seen_;      // by column
};

// A step of which some columns are given.
void count_chosen(OperationCount& c, const StepPlan& s) {
  const Columns columns(s);
  std::vector<std::uint32_t> number(s.columns, 0);
  for (std::uint32_t k = 0, next = 0; k < s.columns; ++k)
    if (columns.has_row(k)) number[k] = next++;
  std::vector<StepPlan::Load> solved;
  for (StepPlan::Load l : s.matrix)
    if (columns.has_row(l.column)) {
      l.column = number[l.column];
      solved.push_back(l);
    }
  if (!s.newton) {
    c.mul += s.matrix.size() - solved.size();
    c.add += s.matrix.size() - solved.size();
  }
  count_solve(c, shape_of(s.size, solved));
}

bool is_steep(Kernel kernel, Fn fn) {
  return kernel == Kernel::pow ? is_steep(Op::pow, fn) : kernel == Kernel::call && is_steep(Op::call, fn);
}

}  // namespace

bool is_steep(Op op, Fn fn) {
  if (op == Op::pow) return true;
  if (op != Op::call) return false;
  switch (fn) {
    case Fn::exp: case Fn::sinh: case Fn::cosh: case Fn::tanh: case Fn::atan: case Fn::log: case Fn::log10:
    case Fn::min: case Fn::max: case Fn::lt: case Fn::le: case Fn::interpolate:
      return true;
    default:
      return false;
  }
}

void count_operations(Program& p) {
  for (std::uint32_t section = 0; section < sections; ++section) {
    std::vector<std::uint32_t> open{section};
    while (!open.empty()) {
      const Region region = p.regions[open.back()];
      open.pop_back();
      for (std::uint32_t i = region.begin; i < region.end; ++i) {
        const Run& r = p.runs[i];
        count_run(p.counts[section], r);
        p.steep = p.steep || (section == dynamic_section && is_steep(r.kernel, r.fn));
        if (r.kernel != Kernel::step) continue;
        const StepPlan& s = p.steps[r.result];
        if (s.guarded) continue;  // its code is counted, its LU is the exception
        if (s.pins.empty()) count_solve(p.counts[section], s.shape);
        else count_chosen(p.counts[section], s);
        if (s.newton && s.residual_region != 0) open.push_back(s.residual_region), open.push_back(s.jacobian_region);
      }
    }
  }
}

OperationCount operations(const Program& p, Section s) { return p.counts[static_cast<std::size_t>(s)]; }
bool has_steep_functions(const Program& p) { return p.steep; }
OperationCount output_operations(const Program& p) { return p.counts[output_section]; }

}  // namespace kron::code
