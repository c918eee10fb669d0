#include "lang/syntax/parser.hpp"
#include "lang/syntax/words.hpp"
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
    const std::string command = expression == "exit" ? "quit" : expression;
    if (command != "time" && syntax::is_command(command) && !shell.session().workspace().has_name(Name(expression))) {
      shell.session().diagnostics().error("E0201", {source, 0, static_cast<std::uint32_t>(expression.size())}, "nothing here is called `" + expression + "`").help =
          "a command begins with a colon: `:" + command + "`";
      shell.print_diagnostics();
      return false;
    }
    return shell.run_command("value", "(" + expression + ")", {source, 0, static_cast<std::uint32_t>(text.size())});
  }
  shell.session().diagnostics().append(parsed.diagnostics);
  shell.print_diagnostics();
  return !parsed.diagnostics.has_errors() && shell.run(parsed.statements);
}

}  // namespace kron::repl
