#include "engine/code/machine.hpp"

namespace kron::code {
template class Machine<double>;
}
