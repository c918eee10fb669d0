// repl/version.hpp: the program's version, from the build.
#pragma once
#include <string_view>

namespace kron::repl {

inline constexpr std::string_view version = KRON_VERSION;

}  // namespace kron::repl
