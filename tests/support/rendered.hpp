// What a session's errors look like to a user.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "lang/workspace/kron.hpp"

namespace kron {

inline std::string rendered(Session& s) {
  std::string all;
  for (const Diagnostic& d : s.diagnostics().list())
    if (d.severity == Severity::error) all += render(d);
  return all;
}

inline std::string codes(Session& s) {
  std::string list;
  for (const Diagnostic& d : s.diagnostics().list()) list += (list.empty() ? "" : " ") + d.code;
  return list;
}

inline bool has_code(Session& s, std::string_view code) {
  const auto& all = s.diagnostics().list();
  return std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) { return d.code == code; });
}

inline void check_said(Session& s, const std::vector<const char*>& said) {
  const std::string text = rendered(s);
  CAPTURE(text);
  for (const char* what : said) CHECK_MESSAGE(text.find(what) != std::string::npos, what);
}

}  // namespace kron
