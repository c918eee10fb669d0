// Operation counts of the code that runs (commands.md section 3, `ops`).
//   A linear step of n unknowns that is solved by a dense LU counts n(n-1)(2n-1)/6 + n(n-1) multiplications and as many additions and
//   n(n-1)/2 + n divisions, a sparse one what its symbolic factorisation says; a Newton step counts one iteration: its body and
//   one such solve.
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
  const LuCount lu = shape.dense ? LuCount{n * (n - 1) * (2 * n - 1) / 6 + n * (n - 1), n * (n - 1) / 2 + n} : count_lu(shape);
  c.mul += lu.products;
  c.add += lu.products;
  c.div += lu.divisions;
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
        count_solve(p.counts[section], s.shape);
        if (s.newton && s.residual_region != 0) open.push_back(s.residual_region), open.push_back(s.jacobian_region);
      }
    }
  }
}

OperationCount operations(const Program& p, Section s) { return p.counts[static_cast<std::size_t>(s)]; }
bool has_steep_functions(const Program& p) { return p.steep; }
OperationCount output_operations(const Program& p) { return p.counts[output_section]; }

}  // namespace kron::code
