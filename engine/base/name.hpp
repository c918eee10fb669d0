// engine/base/name.hpp: interned strings. Two names are equal exactly when their texts are; comparing is comparing ids.
// Order by text, not by id, wherever an order reaches the output: ids follow the order in which a session met the names.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/id.hpp"

namespace kron {

struct NameTag;
struct Name : Id<NameTag> {
  constexpr Name() = default;               // the empty text
  Name(std::string_view text);              // NOLINT: implicit on purpose
  Name(const char* text) : Name(std::string_view(text)) {}
  Name(const std::string& text) : Name(std::string_view(text)) {}
  const std::string& str() const;           // lives as long as the program
  std::uint64_t hash() const;               // hash_text(str()), stored
  bool empty() const { return value == 0; }
};

// Whether x comes before y where runs of digits count as numbers: r2 before r10.
bool natural_less(std::string_view x, std::string_view y);

}  // namespace kron

template <>
struct std::hash<kron::Name> {
  std::size_t operator()(kron::Name n) const noexcept { return n.value * 0x9e3779b97f4a7c15ull; }
};
