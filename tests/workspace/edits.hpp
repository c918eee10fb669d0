// tests/workspace/edits.hpp: text in, workspace text out.
#pragma once
#include <string>

#include "lang/syntax/parser.hpp"
#include "lang/workspace/workspace.hpp"

namespace kron {

inline std::vector<syntax::StmtPtr> statements_of(const std::string& text) {
  return syntax::parse(sources::add("test", text)).statements;
}

// Applies every statement; the codes of the errors, separated by blanks.
inline std::string feed(Workspace& w, const std::string& text) {
  Diagnostics d;
  for (const auto& s : statements_of(text)) w.apply(s, d);
  std::string codes;
  for (const Diagnostic& x : d.list()) codes += (codes.empty() ? "" : " ") + x.code;
  return codes;
}

inline std::string all_labels(const Workspace& w) {  // of top-level equations, in order
  std::string labels;
  for (const auto& s : w.statements())
    if (s->kind == syntax::StmtKind::equation) labels += (labels.empty() ? "" : " ") + s->label.str();
  return labels;
}

}  // namespace kron
