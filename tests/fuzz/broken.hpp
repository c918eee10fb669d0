// tests/fuzz/broken.hpp: a property that does not hold ends the program, as a crash would.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace kron::fuzz {

[[noreturn]] inline void broken(const char* what, std::string_view text, const std::string& result) {
  std::fprintf(stderr, "%s\n--- text\n%.*s\n--- result\n%s\n", what, static_cast<int>(text.size()), text.data(), result.c_str());
  std::abort();
}

}  // namespace kron::fuzz
