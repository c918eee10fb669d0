#include "engine/code/machine.hpp"
#include "engine/code/precision.hpp"

namespace kron::code {
template class Machine<Float250>;
}
