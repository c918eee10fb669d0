#include "engine/base/name.hpp"

#include <deque>
#include <unordered_map>

#include "engine/base/hash.hpp"

namespace kron {
namespace {

struct Interner {
  struct Entry { std::string text; std::uint64_t hash; };
  std::deque<Entry> entries;  // a deque: references stay valid while it grows
  std::unordered_map<std::string_view, std::uint32_t> ids;
  Interner() { intern(""); }
  std::uint32_t intern(std::string_view text) {
    if (auto it = ids.find(text); it != ids.end()) return it->second;
    entries.push_back({std::string(text), hash_text(text)});
    auto id = static_cast<std::uint32_t>(entries.size() - 1);
    ids.emplace(entries.back().text, id);
    return id;
  }
};

Interner& interner() {
  static Interner table;
  return table;
}

}  // namespace

Name::Name(std::string_view text) : Id(interner().intern(text)) {}
const std::string& Name::str() const { return interner().entries[value].text; }
std::uint64_t Name::hash() const { return interner().entries[value].hash; }

}  // namespace kron
