// repl/version.hpp: the program's version.
#pragma once
#include <string_view>

namespace kron::repl {

inline constexpr std::string_view version = "0.1.0";

}  // namespace kron::repl
