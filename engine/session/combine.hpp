// engine/session/combine.hpp: rows whose structure looks fine while their rank is short, C·(der(a) - der(b)) in two of them for example.
//   in      a block that is singular for all values, its rows not differentiated
//   out     a combination of the rows that is free of the block's unknowns. It takes the place of one of the rows, which it and the
//           others imply; index reduction then sees the constraint. The coefficients of the combination may vary in time
//   method  elimination of the unknowns' coefficients, zeros decided on fingerprints, common factors taken out by GiNaC. What divides
//           is constant in time where there is such a choice; where it varies, the combination has poles, never false solutions
#pragma once
#include "engine/session/emit.hpp"

namespace kron::session {

class Combinations {
 public:
  // Finds one for a block of the system. False: there is none, or it says nothing; where it is a contradiction, with a diagnostic.
  bool find(const System&, const SingularBlock&, const Bindings&, solve::Templates&, Diagnostics&);
  // Puts those found into the rows that reduce() makes.
  void apply(System&) const;
  // Why row r is not what the model says; empty: it is.
  std::string explanation(std::uint32_t r) const;

 private:
  struct Combination {
    std::uint32_t row = 0;  // of the reduced system: the one replaced
    model::Bound residual;
    std::vector<std::string> labels;
  };
  std::vector<Combination> list_;
};

}  // namespace kron::session
