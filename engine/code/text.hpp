// engine/code/text.hpp: expressions as text with few parentheses, in the language's own syntax.
#pragma once
#include <span>
#include <string>

#include "engine/base/function.hpp"

namespace kron::code {

// How tightly the outermost operator of a text binds (language.md section 5).
enum class Binding : std::uint8_t { choice, or_, and_, not_, relation, sum, product, sign, power, atom };

struct Text {
  std::string text;
  Binding binding = Binding::atom;
  std::string reciprocal;  // of `1/x` the x, ready to follow a `/`: so a product with it prints as a quotient
};

std::string wrapped(const Text&, Binding at_least);
Text negative(Text);
Text sum(const Text& a, const Text& b, bool minus);
Text product(const Text& a, const Text& b);
Text quotient(const Text& a, const Text& b);
Text reciprocal(const Text& a);
Text power(const Text& base, const Text& exponent);
Text call(Fn, std::span<const Text> arguments);

}  // namespace kron::code
