// engine/simulate/jacobian.hpp: the Jacobian of the states' derivatives by coloured directional derivatives.
//   in    the pattern of the derivative roots
//   out   colours: two columns of one colour share no row, so one direction gives the values of both
//         [Curtis, Powell, Reid 1974]
//   how   greedy in order of falling column count; cost O(sum over rows of row length squared)
//   keep  every diagonal entry of a state is in the pattern: I - gamma*J is formed in place. One of an algebraic unknown is there only where
//         its row speaks of it: a zero on the diagonal would mislead KLU's choice of pivots
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/code/program.hpp"

namespace kron::simulate {

struct JacobianPlan {
  std::size_t size = 0;
  std::vector<std::int64_t> column_begin, row;  // compressed columns, rows ascending
  std::vector<std::uint32_t> colour;            // of each column
  std::vector<std::uint32_t> members, group;    // columns by colour; group[c] … group[c + 1] are those of colour c
  std::size_t colours() const { return group.empty() ? 0 : group.size() - 1; }
  std::size_t entries() const { return row.size(); }
};

JacobianPlan plan_jacobian(const code::Pattern&, std::size_t algebraic = 0);  // so many last unknowns are

// Dense LU costs n^3/3; KLU pays for its bookkeeping. Measured on tridiagonal systems: equal up to 12 states, 1.4 times
// faster at 20, 11 times at 100.
bool prefer_sparse(const JacobianPlan&);

// values[k] belongs to row[k]. The machine's last evaluation must have been the derivative at (t, y).
class JacobianValues {
 public:
  explicit JacobianValues(JacobianPlan plan);
  const JacobianPlan& plan() const { return plan_; }
  code::Status evaluate(code::Machine<double>&, double t, std::span<const double> y, std::span<double> values);

 private:
  JacobianPlan plan_;
  std::vector<double> seeds_, lanes_;
};

}  // namespace kron::simulate
