// engine/simulate/vector_ops.hpp: the vector operations that CVODE spends its time in, as loops that the compiler
// vectorises.
//   (Those of the package are compiled without; on 9,000 states they took 60 % of a run.) Sums are formed in eight
//   lanes whatever the machine, so that results do not depend on it. Terms with the factor zero are left out.
#pragma once
#include <sundials/sundials_nvector.h>

namespace kron::simulate {

// On a serial vector, before others are cloned from it.
void use_fast_operations(N_Vector);

}  // namespace kron::simulate
