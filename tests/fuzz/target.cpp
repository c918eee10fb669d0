// One libFuzzer program for each entry: KRON_ENTRY is its name.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/entries.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kron::fuzz::KRON_ENTRY({reinterpret_cast<const char*>(data), size});
  return 0;
}
