// A tape without solve steps as a C function: an independent reader of the nodes, in the order in which they were made.
#pragma once
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "engine/code/sine.hpp"
#include "engine/code/tape.hpp"

namespace kron::test {

using CFunction = void (*)(double time, const double* states, const double* parameters, double* values);

namespace c_text_parts {

using namespace kron::code;

inline std::string exact(double x) {
  char text[64];
  std::snprintf(text, sizeof text, "(%a)", x);
  return text;
}
inline std::string name(std::uint32_t node) { return "v" + std::to_string(node); }
inline std::string text(Ref r) { return (r.negative() ? "-" : "") + name(r.node()); }

inline std::string power(const std::string& x, std::int32_t exponent) {  // by squaring, from the lowest bit
  auto n = static_cast<std::uint64_t>(std::llabs(exponent));
  std::string square = x, product;
  for (;; square = "(" + square + "*" + square + ")") {
    if (n & 1) product = product.empty() ? square : "(" + product + "*" + square + ")";
    n >>= 1;
    if (n == 0) break;
  }
  return exponent < 0 ? "1/" + product : product;
}

inline std::string table(const char* function, std::span<const Ref> args) {
  const std::size_t n = (args.size() - 1) / 2;
  std::string list;
  for (Ref r : args.subspan(1)) list += (list.empty() ? "" : ", ") + text(r);
  return std::string(function) + "(" + text(args[0]) + ", " + std::to_string(n) + ", (double[]){" + list + "})";
}

inline std::string call(Fn fn, std::span<const Ref> args) {
  const std::string a = text(args[0]), b = args.size() > 1 ? text(args[1]) : "", c = args.size() > 2 ? text(args[2]) : "";
  switch (fn) {
    case Fn::sin: return "sine(" + a + ")";
    case Fn::cos: return "cosine(" + a + ")";
    case Fn::abs: return "fabs(" + a + ")";
    case Fn::not_: return a + " == 0 ? 1.0 : 0.0";
    case Fn::and_: return a + " != 0 && " + b + " != 0 ? 1.0 : 0.0";
    case Fn::or_: return a + " != 0 || " + b + " != 0 ? 1.0 : 0.0";
    case Fn::lt: return a + " < " + b + " ? 1.0 : 0.0";
    case Fn::le: return a + " <= " + b + " ? 1.0 : 0.0";
    case Fn::eq: return a + " == " + b + " ? 1.0 : 0.0";
    case Fn::min: return b + " < " + a + " ? " + b + " : " + a;
    case Fn::max: return a + " < " + b + " ? " + b + " : " + a;
    case Fn::select: return a + " != 0 ? " + b + " : " + c;
    case Fn::sign: return a + " > 0 ? 1.0 : " + a + " < 0 ? -1.0 : " + a;
    case Fn::mod: return a + " - floor(" + a + "/" + b + ")*" + b;
    case Fn::rem: return a + " - trunc(" + a + "/" + b + ")*" + b;
    case Fn::div: return "trunc(" + a + "/" + b + ")";
    case Fn::interpolate: return table("interpolate", args);
    case Fn::interpolate_slope: return table("interpolate_slope", args);
    default: return std::string(info(fn).id) + "(" + a + (args.size() > 1 ? ", " + b : "") + ")";
  }
}

inline std::string expression(const Builder& b, const Node& n) {
  switch (n.op) {
    case Op::constant: return exact(b.constants()[n.payload].number);
    case Op::input: {
      const Input& i = b.inputs()[n.payload];
      if (i.kind == InputKind::time) return "time";
      return (i.kind == InputKind::state ? "states[" : "parameters[") + std::to_string(i.index) + "]";
    }
    case Op::add: return text(n.a) + (n.b.negative() ? " - " : " + ") + name(n.b.node());
    case Op::mul: return text(n.a) + "*" + text(n.b);
    case Op::div: return text(n.a) + "/" + text(n.b);
    case Op::inv: return "1/" + text(n.a);
    case Op::pow_int: return power(text(n.a), static_cast<std::int32_t>(n.payload));
    case Op::pow: return "pow(" + text(n.a) + ", " + text(n.b) + ")";
    case Op::call: return call(n.fn, b.arguments(n));
    case Op::unknown: break;
  }
  return "0";
}

inline constexpr const char* tables = R"(
static int segment(const double* x, int n, double at) {
  int low = 0, high = n - 1;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (at < x[middle]) high = middle; else low = middle;
  }
  return low;
}
static double interpolate_slope(double at, int n, const double* x) {
  const double* y = x + n;
  int k = segment(x, n, at);
  return (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
}
static double interpolate(double at, int n, const double* x) {
  int k = segment(x, n, at);
  return x[n + k] + (at - x[k]) * interpolate_slope(at, n, x);
}
)";

}  // namespace c_text_parts

// Tapes' sine and cosine, to a library made of a c_text.
inline void give_functions(void* library) {
  using Function = double (*)(double);
  *static_cast<Function*>(dlsym(library, "sine")) = &code::sine;
  *static_cast<Function*>(dlsym(library, "cosine")) = &code::cosine;
}

// void evaluate(double time, const double* states, const double* parameters, double* values): the roots.
inline std::string c_text(const code::Builder& b, std::span<const code::Ref> roots) {
  using namespace c_text_parts;
  std::vector<bool> live(b.size(), false);
  for (Ref r : roots) live[r.node()] = true;
  for (std::size_t n = b.size(); n-- > 0;)
    if (live[n])
      for (Ref r : b.arguments(b.nodes()[n])) live[r.node()] = true;
  std::string s = std::string("#include <math.h>\ndouble (*sine)(double), (*cosine)(double);\n") + tables +
                  "void evaluate(double time, const double* restrict states, const double* restrict parameters, double* restrict values) {\n"
                  "  (void)time; (void)states; (void)parameters;\n";
  for (std::uint32_t n = 0; n < b.size(); ++n)
    if (live[n]) s += "  const double " + name(n) + " = " + expression(b, b.nodes()[n]) + ";\n";
  for (std::size_t i = 0; i < roots.size(); ++i) s += "  values[" + std::to_string(i) + "] = " + text(roots[i]) + ";\n";
  return s + "}\n";
}

}  // namespace kron::test
