// engine/model/connections.hpp: connection sets as equations.
//   in    a flat model with its instances and their equations; the one that was made before, or none, and what both have in common
//   out   its connection equations: potentials of a set are equal to its first one, flows of a set sum up to zero. Inputs are those that
//         nothing is connected to, of the top
//   cost  union-find over all slots; where the connections are those of before, one pass over their equations
#pragma once
#include "engine/model/instances.hpp"

namespace kron::model {

void add_connections(FlatModel&, const FlatModel* before, const CommonInstances&);

}  // namespace kron::model
