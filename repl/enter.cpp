#include "lang/syntax/parser.hpp"
#include "repl/editor.hpp"

namespace kron::repl {

namespace {

bool is_expression(SourceId source) {
  Diagnostics ignored;
  return syntax::parse_expression(source, ignored) && !ignored.has_errors();
}

}  // namespace

bool enter(Shell& shell, const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return true;
  const SourceId source = sources::add("input", text);
  const syntax::Parsed parsed = syntax::parse(source);
  if (parsed.diagnostics.has_errors() && is_expression(source)) {
    std::string expression = text;
    expression.erase(expression.find_last_not_of(" \t\r\n;") + 1);
    return shell.run_command("value", "(" + expression + ")", {source, 0, static_cast<std::uint32_t>(text.size())});
  }
  shell.session().diagnostics().append(parsed.diagnostics);
  shell.print_diagnostics();
  return !parsed.diagnostics.has_errors() && shell.run(parsed.statements);
}

}  // namespace kron::repl
