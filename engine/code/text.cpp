#include "engine/code/text.hpp"

#include <utility>

namespace kron::code {

std::string wrapped(const Text& t, Binding at_least) { return t.binding >= at_least ? t.text : "(" + t.text + ")"; }

Text negative(Text t) {
  if (t.text == "0") return t;
  return {"-" + wrapped(t, t.binding == Binding::product ? Binding::product : Binding::power), Binding::sign, {}};
}

Text sum(const Text& a, const Text& b, bool minus) {
  if (minus) return {wrapped(a, Binding::sum) + " - " + wrapped(b, Binding::product), Binding::sum, {}};
  const std::string right = wrapped(b, Binding::sum);
  if (right[0] == '-') return {wrapped(a, Binding::sum) + " - " + right.substr(1), Binding::sum, {}};
  return {wrapped(a, Binding::sum) + " + " + right, Binding::sum, {}};
}

Text product(const Text& a, const Text& b) {
  if (a.text == b.text) return power(a, {"2", Binding::atom, {}});
  if (!b.reciprocal.empty()) return {wrapped(a, Binding::product) + "/" + b.reciprocal, Binding::product, {}};
  if (!a.reciprocal.empty()) return {wrapped(b, Binding::product) + "/" + a.reciprocal, Binding::product, {}};
  return {wrapped(a, Binding::product) + "*" + wrapped(b, Binding::product), Binding::product, {}};
}

Text quotient(const Text& a, const Text& b) {
  return {wrapped(a, Binding::product) + "/" + wrapped(b, Binding::power), Binding::product, {}};
}

Text reciprocal(const Text& a) {
  return {"1/" + wrapped(a, Binding::power), Binding::product, wrapped(a, Binding::power)};
}

Text power(const Text& base, const Text& exponent) {
  const bool plain =
      exponent.binding == Binding::atom ||
      (exponent.binding == Binding::sign && exponent.text.find_first_not_of("-0123456789.") == std::string::npos);
  return {wrapped(base, Binding::atom) + "^" + (plain ? exponent.text : "(" + exponent.text + ")"), Binding::power, {}};
}

Text call(Fn fn, std::span<const Text> v) {
  const auto infix = [&](const char* op, Binding own, Binding operand) {
    return Text{wrapped(v[0], operand) + op + wrapped(v[1], operand), own, {}};
  };
  switch (fn) {
    case Fn::lt:
      return infix(" < ", Binding::relation, Binding::sum);
    case Fn::le:
      return infix(" <= ", Binding::relation, Binding::sum);
    case Fn::eq:
      return infix(" == ", Binding::relation, Binding::sum);
    case Fn::and_:
      return infix(" and ", Binding::and_, Binding::and_);
    case Fn::or_:
      return infix(" or ", Binding::or_, Binding::or_);
    case Fn::not_:
      return {"not " + wrapped(v[0], Binding::relation), Binding::not_, {}};
    case Fn::select:
      return {"if " + wrapped(v[0], Binding::or_) + " then " + wrapped(v[1], Binding::or_) + " else " + v[2].text,
              Binding::choice,
              {}};
    default:
      break;
  }
  std::string s = std::string(info(fn).text.empty() ? info(fn).id : info(fn).text) + "(";
  for (std::size_t i = 0; i < v.size(); ++i) s += (i == 0 ? "" : ", ") + v[i].text;
  return {s + ")", Binding::atom, {}};
}

}  // namespace kron::code
