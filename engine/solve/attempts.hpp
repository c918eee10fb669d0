// engine/solve/attempts.hpp: Markowitz once more, with equally cheap pivots in another order, or chosen by other counts: luck should not decide
// what a model costs.
#pragma once
#include <string>
#include <vector>

#include "engine/solve/ends.hpp"
#include "engine/solve/ordering.hpp"

namespace kron::solve {

struct Attempt {
  std::string name;  // behind that of the candidate it is an attempt of
  Ties ties{};
  Compared compared{};
};

class Attempts {
 public:
  explicit Attempts(const OrderingProblem&);  // which has to stay; so has this while its attempts are made
  std::vector<Attempt> of_block(std::uint32_t unknowns) const;  // which has so many, whatever the view adds
  std::vector<Attempt> of_end(Ends::Effort) const;  // of a ladder; the first is as it comes

 private:
  void add_counted(std::vector<Attempt>&, Compared, const std::string& how) const;

  const OrderingProblem& problem_;
  TieOrder form_, neighbours_, kind_, quantity_;  // the last two: empty in a block without kinds
};

}  // namespace kron::solve
