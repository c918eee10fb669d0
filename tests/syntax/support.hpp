// tests/syntax/support.hpp: texts in, trees and short summaries of them out.
#pragma once
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "lang/syntax/parser.hpp"
#include "lang/syntax/printer.hpp"

namespace kron::syntax::test {

inline Parsed parse_text(const std::string& text) { return parse(sources::add("test.eq", text)); }

inline std::string rendered(const Diagnostics& d) {
  std::string out;
  for (const Diagnostic& each : d.list()) out += render(each);
  return out;
}

// "E0110 2:5": codes and places, one blank between.
std::string summary(const Diagnostics&);

// An expression as a nested list: `a + b * c` is (+ a (* b c)).
std::string shape(const Expr&);
std::string shape(const std::string& expression);  // or the summary of its errors

bool same(const std::vector<StmtPtr>& a, const std::vector<StmtPtr>& b);

// A text for every construct of the language, named.
struct Snippet {
  const char* name;
  const char* text;
};
const std::vector<Snippet>& corpus();

}  // namespace kron::syntax::test
