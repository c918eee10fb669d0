#include "engine/base/function.hpp"

#include <array>

namespace kron {
namespace {
constexpr std::array functions = {
#define X(id, text, arity) FunctionInfo{Fn::id, #id, text, arity},
    KRON_FUNCTIONS(X)
#undef X
};
}  // namespace

const FunctionInfo& info(Fn fn) { return functions[static_cast<std::size_t>(fn)]; }

std::optional<Fn> function_named(std::string_view text) {
  if (text.empty()) return std::nullopt;
  for (const FunctionInfo& f : functions)
    if (f.text == text) return f.fn;
  return std::nullopt;
}

}  // namespace kron
