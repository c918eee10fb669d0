// engine/base/function.hpp: the scalar functions, one table for the language, the symbolic forms and the tape.
//   KRON_FUNCTION(id, text, arity): `text` is the name in the language; "" where only operators reach it.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace kron {

#define KRON_FUNCTIONS(X)                                                                                              \
  X(sin, "sin", 1) X(cos, "cos", 1) X(tan, "tan", 1) X(asin, "asin", 1) X(acos, "acos", 1) X(atan, "atan", 1)          \
  X(sinh, "sinh", 1) X(cosh, "cosh", 1) X(tanh, "tanh", 1) X(exp, "exp", 1) X(log, "log", 1) X(log10, "log10", 1)      \
  X(sqrt, "sqrt", 1) X(abs, "abs", 1) X(sign, "sign", 1) X(floor, "floor", 1) X(ceil, "ceil", 1)                       \
  X(atan2, "atan2", 2) X(min, "min", 2) X(max, "max", 2) X(mod, "mod", 2) X(rem, "rem", 2) X(div, "div", 2)            \
  X(lt, "", 2) X(le, "", 2) X(eq, "", 2) /* relations: 1 or 0; >, >=, != are written with these and not_ */            \
  X(and_, "", 2) X(or_, "", 2) X(not_, "", 1)                                                                          \
  X(select, "", 3)                   /* select(c, a, b): a where c is non-zero, else b */                              \
  X(no_event, "noEvent", 1)          /* value of its argument; relations inside make no events */                      \
  X(relax, "relax", 1)               /* value of its argument; mark for ordering (language.md section 6) */            \
  X(residue, "residue", 1)           /* value zero; mark for tearing */                                                \
  X(homotopy, "homotopy", 2)         /* actual, simplified */                                                          \
  X(interpolate, "interpolate", -1)  /* (x, x1..xn, y1..yn): piecewise linear, ends extended linearly */               \
  X(interpolate_slope, "", -1)       /* its derivative by x */                                                         \
  X(edge, "", 1) X(sample, "", 2) /* of events: never on a tape (model/events.hpp) */                                  \
  X(delay, "", 3)                    /* expression, delay, its largest value or 0: never on a tape (model/events.hpp) */ \
  X(history, "", -1)                 /* (time, place, order): what a delayed expression was (code/history.hpp) */      \
  X(initial, "initial", 0) X(terminal, "terminal", 0)

enum class Fn : std::uint8_t {
#define X(id, text, arity) id,
  KRON_FUNCTIONS(X)
#undef X
};

struct FunctionInfo {
  Fn fn;
  std::string_view id, text;
  int arity;  // -1: any
};
const FunctionInfo& info(Fn);
inline bool takes_any_number(Fn fn) { return fn == Fn::interpolate || fn == Fn::interpolate_slope || fn == Fn::history; }
std::optional<Fn> function_named(std::string_view text);  // by its name in the language

}  // namespace kron
