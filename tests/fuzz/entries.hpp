// tests/fuzz/entries.hpp: what the fuzzers feed. Each entry takes any bytes and must come back: no crash, no hang, no exception, and
// the properties it checks hold. libFuzzer drives them (target.cpp), and in the normal build the test `fuzz` runs the corpus.
#pragma once
#include <string_view>

namespace kron::fuzz {

void parse(std::string_view);      // parser and printer: what parses is printed, parsed again and is the same; printing is idempotent
void elaborate(std::string_view);  // model text through elaboration, flattening, reduction, sorting, solving
void commands(std::string_view);   // a whole script, its simulations cut off after a moment
void numbers(std::string_view);    // numbers and units as text

struct Entry {
  const char* name;                // and the folder of its corpus
  void (*run)(std::string_view);
};
inline constexpr Entry entries[] = {{"parse", parse}, {"elaborate", elaborate}, {"commands", commands}, {"numbers", numbers}};

}  // namespace kron::fuzz
