#include <doctest/doctest.h>

#include <set>
#include <unordered_set>
#include <vector>

#include "engine/base/function.hpp"
#include "engine/base/hash.hpp"
#include "engine/base/id.hpp"
#include "engine/base/key_map.hpp"
#include "engine/base/name.hpp"
#include "engine/base/number.hpp"

using namespace kron;

// Saved results and the order of canonical choices depend on these values: they must never change unnoticed.
TEST_CASE("hash: pinned values") {
  static_assert(mix(0) == 0xe220a8397b1dcdafull);  // first output of splitmix64 with seed 0
  static_assert(mix(0x9e3779b97f4a7c15ull) == 0x6e789e6aa1b965f4ull);  // its second
  CHECK(hash_text("") == 0xc3817c016ba4ff30ull);
  CHECK(hash_text("resistor") == 0x45c52346972fa501ull);
  CHECK(combine(1, 2) == 0x95b1520519270fafull);
  CHECK(content_hash(Rational(0)) == 0xbd5572cfee6d515cull);
  CHECK(content_hash(Rational(-1)) == 0xc4ec84eae44cdff5ull);
  CHECK(content_hash(Rational(1, 3)) == 0x55c2553bfad9add0ull);
  CHECK(Name("resistor").hash() == hash_text("resistor"));
}

TEST_CASE("hash: what differs hashes differently") {
  std::set<std::uint64_t> seen;
  std::size_t made = 0;
  auto add = [&](std::uint64_t h) {
    seen.insert(h);
    ++made;
  };
  for (std::uint64_t a = 0; a < 60; ++a)
    for (std::uint64_t b = 0; b < 60; ++b) add(combine(a, b));
  for (std::uint64_t a = 0; a < 20; ++a)
    for (std::uint64_t b = 0; b < 20; ++b) add(combine(combine(7, a), b));
  for (int p = -300; p < 300; ++p)
    for (int q = 1; q < 4; ++q)
      if (q == 1 || p % q != 0) add(content_hash(Rational(p, q)));
  std::string text;
  for (int i = 0; i < 300; ++i) add(hash_text(text += 'a'));
  for (char c = 1; c < 127; ++c) add(hash_text(std::string(2, c) + '!'));
  add(hash_text(std::string_view("\0", 1)));
  add(hash_text(std::string_view("\0\0", 2)));
  CHECK(seen.size() == made);
  CHECK(content_hash(Rational(2, 4)) == content_hash(Rational(1, 2)));
}

TEST_CASE("numbers by key: the first one of each key, for keys that share a place too") {
  for (const std::size_t most : {0u, 1u, 2u, 7u, 1000u}) {
    KeyMap map(most);
    CHECK(map.find(0) == KeyMap::none);
    for (std::uint32_t k = 0; k < most; ++k) CHECK(map.emplace(std::uint64_t{k} << 40, k) == k);
    for (std::uint32_t k = 0; k < most; ++k) {
      CHECK(map.emplace(std::uint64_t{k} << 40, k + 1) == k);
      CHECK(map.find(std::uint64_t{k} << 40) == k);
      CHECK(map.find((std::uint64_t{k} << 40) + 1) == KeyMap::none);
    }
  }
}

TEST_CASE("names: equal exactly when the texts are") {
  CHECK(Name().empty());
  CHECK(Name("") == Name());
  CHECK(Name().str().empty());
  CHECK(Name("a") == Name(std::string("a")));
  CHECK(Name("a") == Name(std::string_view("ab").substr(0, 1)));
  CHECK(Name("a") != Name("A"));
  CHECK(Name(std::string("a\0b", 3)) != Name("a"));
  CHECK(Name(std::string("a\0b", 3)).str().size() == 3);
  const std::string& early = Name("early").str();
  const char* address = early.data();
  std::unordered_set<Name> all;
  for (int i = 0; i < 20000; ++i) all.insert(Name("name" + std::to_string(i)));
  CHECK(all.size() == 20000);
  for (int i = 0; i < 20000; i += 371) {
    const std::string text = "name" + std::to_string(i);
    CHECK(all.contains(Name(text)));
    CHECK(Name(text).str() == text);
    CHECK(Name(text).hash() == hash_text(text));
  }
  CHECK(early.data() == address);  // texts do not move
}

TEST_CASE("names: numbers in them are compared as numbers") {
  const std::string in_order[] = {"", "R", "R2", "R02.i", "R2.i", "R3", "R10", "R10a2", "R10a10", "R[2]", "R[10]", "R[10].i", "Ra", "r1"};
  for (std::size_t i = 0; i < std::size(in_order); ++i)
    for (std::size_t k = 0; k < std::size(in_order); ++k) {
      CAPTURE(in_order[i]);
      CAPTURE(in_order[k]);
      CHECK(natural_less(in_order[i], in_order[k]) == (i < k));
    }
  const std::string long_digits(400, '9');
  CHECK(natural_less("x" + long_digits, "x1" + long_digits));
}

TEST_CASE("ids: tables are indexed by their own kind") {
  struct AppleTag;
  using Apple = Id<AppleTag>;
  Table<Apple, std::string> t(2, "x");
  const Apple third = t.push_back("y");
  CHECK(third == Apple{2u});
  CHECK(t[third] == "y");
  CHECK(t.contains(third));
  CHECK_FALSE(t.contains(Apple{3u}));
  Apple next = third;
  CHECK(++next == Apple{3u});
  CHECK(third < next);
  t.resize(5, "z");
  CHECK(t[Apple{4u}] == "z");
  static_assert(!std::is_convertible_v<int, Apple>);
  static_assert(!std::is_convertible_v<std::size_t, Apple>);
}

TEST_CASE("functions: one table, in the order of the codes") {
  std::set<std::string_view> texts;
  std::size_t count = 0;
#define X(fn_id, name, n)                              \
  {                                                    \
    const FunctionInfo& f = info(Fn::fn_id);           \
    CHECK(f.fn == Fn::fn_id);                          \
    CHECK(f.id == #fn_id);                             \
    CHECK(f.text == name);                             \
    CHECK(f.arity == (n));                             \
    CHECK(static_cast<std::size_t>(f.fn) == count++);  \
    if (!f.text.empty()) {                             \
      CHECK(texts.insert(f.text).second);              \
      CHECK(function_named(f.text) == Fn::fn_id);      \
    }                                                  \
  }
  KRON_FUNCTIONS(X)
#undef X
  for (const char* none : {"", "lt", "and_", "select", "Sin", "sin ", "interpolate_slope", "nothing"})
    CHECK_FALSE(function_named(none));
}
