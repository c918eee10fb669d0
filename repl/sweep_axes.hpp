// repl/sweep_axes.hpp: the sets of parameters of a sweep: ranges, lists and distributions, combined.
//   what   every combination of the ranges' and lists' numbers, the last one running fastest; with distributions so many samples of each
//   why    a distribution draws from a generator of its own, seeded by the seed and its place among them: the numbers do not depend on the
//          machine, on threads, or on what else is varied; each combination meets the same samples, so combinations can be compared
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "repl/arguments.hpp"

namespace kron::repl {

struct Axis {
  enum Kind { values, uniform, normal } kind = values;
  Word name;
  std::vector<double> list;    // of `values`
  double a = 0, b = 0;         // ends, or mean and standard deviation
};

struct Axes {
  std::vector<Axis> axes;
  std::size_t samples = 1;
  std::uint64_t seed = 1;
  bool random() const;
  std::size_t size() const;                                // number of sets; more than `most`: too many
  std::vector<std::vector<double>> sets() const;           // by set, the axes' numbers
  static constexpr std::size_t most = 10'000'000;
};

// NAME from A to B points N [log] | NAME in V... | NAME uniform from A to B | NAME normal mean M sd S, and samples N, seed S. False with an
// error.
bool at_axis(const Arguments&);
bool read_axis(Arguments&, Axes&);

}  // namespace kron::repl
