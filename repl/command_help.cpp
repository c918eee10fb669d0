// :help
#include <algorithm>

#include "repl/shell.hpp"
#include "repl/text.hpp"
#include "repl/topics.hpp"

namespace kron::repl {

namespace {

std::string overview() {
  std::string text = "What has no colon in front is part of the model, what has one is an action.\n\n";
  TextTable table({"command", "what it does"});
  for (const Command& c : command_table()) table.row({":" + std::string(c.name), std::string(c.summary)});
  text += table.text() + "\n`:help :COMMAND` explains one, `:help E0312` a diagnostic code. Topics:\n";
  TextTable topics({"topic", ""});
  for (const Topic& t : topic_table()) topics.row({std::string(t.name), std::string(t.title)});
  return text + topics.text();
}

std::string command_help(const Command& c) {
  std::string text = synopsis(c) + "\n  " + std::string(c.summary) + "\n";
  if (!c.example.empty()) text += "  example: " + std::string(c.example) + "\n";
  if (c.name == "set" || c.name == "get") {
    text += "\n";
    TextTable table({"option", "values", "meaning"});
    for (const Option& o : option_table()) table.row({std::string(o.name), std::string(o.values), std::string(o.summary)});
    text += table.text();
  }
  return text + "  with --json: " + std::string(c.schema) + "\n";
}

std::string code_help(const CodeInfo& info, std::size_t width) {
  std::string text = std::string(info.code) + ": " + std::string(info.title) + "\n\n" + reflowed(info.explanation, width);
  if (!info.example.empty()) {
    text += "\nFor example:\n\n";
    std::string_view rest = info.example;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      text += "  " + std::string(rest.substr(0, end)) + "\n";
      rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
    }
  }
  return text;
}

}  // namespace

bool do_help(Shell& shell, Arguments& a, Reply& reply) {
  const std::size_t width = std::min<std::size_t>(shell.terminal().width, 100);
  if (a.empty()) {
    reply.text = overview();
    return true;
  }
  const Word w = a.take();
  if (!a.end()) return false;
  const bool colon = w.text.starts_with(":");
  const std::string name = colon ? w.text.substr(1) : w.text;
  if (!colon)
    if (const Topic* t = find_topic(name)) return reply.text = reflowed(t->text, width), true;
  if (const Command* c = find_command(name)) return reply.text = command_help(*c), true;
  if (const CodeInfo* info = find_diagnostic_code(name)) return reply.text = code_help(*info, width), true;
  if (const Option* o = find_option(name)) {
    reply.text = ":set " + std::string(o->name) + " VALUE\n  " + std::string(o->summary) + "\n  values: " + std::string(o->values) + "\n";
    return true;
  }
  std::vector<std::string> names;
  for (const Command& c : command_table()) names.emplace_back(c.name);
  for (const Topic& t : topic_table()) names.emplace_back(t.name);
  const std::string near = closest(name, names);
  a.error("E0540", w.span, "there is no help on `" + w.text + "`").help =
      near.empty() ? "`:help` lists commands and topics" : "did you mean `:help " + near + "`?";
  return false;
}

}  // namespace kron::repl
