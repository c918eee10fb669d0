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

bool natural_less(std::string_view x, std::string_view y) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto number = [&](std::string_view& t) {  // without leading zeros
    std::size_t n = 0;
    while (n < t.size() && digit(t[n])) ++n;
    std::string_view d = t.substr(0, n);
    t.remove_prefix(n);
    while (d.size() > 1 && d[0] == '0') d.remove_prefix(1);
    return d;
  };
  const std::string_view all_x = x, all_y = y;
  while (!x.empty() && !y.empty()) {
    if (digit(x[0]) && digit(y[0])) {
      const std::string_view a = number(x), b = number(y);
      if (a.size() != b.size()) return a.size() < b.size();
      if (a != b) return a < b;
      continue;
    }
    if (x[0] != y[0]) return x[0] < y[0];
    x.remove_prefix(1), y.remove_prefix(1);
  }
  return x.empty() && y.empty() ? all_x < all_y : x.empty();
}

}  // namespace kron
