// engine/base/hash.hpp: content hashes. They depend on content only, never on addresses, so that two runs and two
// sessions that hold the same text agree; 64 bits, so that equal means equal for any model that fits in memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kron {

// Finaliser of splitmix64 (Steele, Lea, Flood 2014): a bijection of 64-bit words.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

[[gnu::always_inline]] constexpr std::uint64_t combine(std::uint64_t seed, std::uint64_t v) { return mix(seed ^ (mix(v) + (seed << 6))); }

// As combine(), with one multiplication: where there are many words, which are hashes or small numbers, before a combine() or mix().
constexpr std::uint64_t absorb(std::uint64_t h, std::uint64_t word) {
  h = (h ^ word) * 0x9e3779b97f4a7c15ull;
  return h ^ (h >> 32);
}

// Of many words, in four lanes: a single one would wait for each step before the next.
template <class Words>
constexpr std::uint64_t combine_all(std::uint64_t seed, const Words& words) {
  std::uint64_t lane[4] = {seed, seed + 1, seed + 2, seed + 3};
  std::size_t k = 0;
  for (const auto w : words) {
    lane[k & 3] = combine(lane[k & 3], static_cast<std::uint64_t>(w));
    ++k;
  }
  return combine(combine(combine(lane[0], lane[1]), combine(lane[2], lane[3])), k);
}

constexpr std::uint64_t hash_text(std::string_view s) {
  std::uint64_t h = 0xcbf29ce484222325ull;  // FNV-1a, then mixed
  for (char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return mix(h ^ s.size());
}

}  // namespace kron
