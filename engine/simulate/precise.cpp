#include "engine/simulate/run.hpp"

namespace kron::simulate {

void integrate_precise(const Problem&, const Options& options, Result& result) {
  result.trouble.kind = Trouble::settings;
  result.trouble.time = options.start;
  result.trouble.message = "a precision over 15 digits is not available yet";
}

}  // namespace kron::simulate
