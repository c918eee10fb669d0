// engine/solve/fill.hpp: how much a block fills up when it is eliminated, from its pattern alone.
#pragma once
#include "engine/solve/elimination.hpp"

namespace kron::solve {

// An elimination in a good order (approximate minimum degree on the pattern with a full diagonal) [Amestoy, Davis, Duff 1996: AMD of
// SuiteSparse]. An estimate from above: it knows no values, so no zeros that come about and no ±1.
struct Fill {
  double products = 0;  // multiplications
  double front = 0;     // unknowns at most that a pivot's row holds beside its own: few in what is long or a tree, whatever its size
};
Fill fill_of(const LinearSystem&);

}  // namespace kron::solve
