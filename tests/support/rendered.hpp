// What a session's errors look like to a user.
#pragma once
#include <string>

#include "lang/workspace/kron.hpp"

namespace kron {

inline std::string rendered(Session& s) {
  std::string all;
  for (const Diagnostic& d : s.diagnostics().list())
    if (d.severity == Severity::error) all += render(d);
  return all;
}

}  // namespace kron
