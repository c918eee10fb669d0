#include "engine/code/layout.hpp"

namespace kron::code {
Pattern state_pattern(const Program&) { return {}; }
std::string print(const Builder&, std::span<const NamedRoot>, const PrintNames&) { return {}; }
}
