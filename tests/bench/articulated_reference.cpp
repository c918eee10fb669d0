// The hand-written algorithm as a library of its own, made by each compiler there is with all its optimisations.
#include "tests/support/articulated.hpp"

extern "C" void kron_reference_accelerations(const kron::test::ArticulatedModel& model, kron::test::ArticulatedState* states, const double* q,
                                             const double* dq, double* ddq) {
  kron::test::articulated_accelerations(model, states, q, dq, ddq);
}
