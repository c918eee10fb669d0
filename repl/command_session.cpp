// :write, :load, :reset, :undo, :redo, :history, :time, :set, :get, :quit
#include <chrono>

#include "lang/syntax/parser.hpp"
#include "repl/block_text.hpp"
#include "repl/files.hpp"
#include "repl/shell.hpp"
#include "repl/text.hpp"

namespace kron::repl {

bool do_write(Shell& shell, Arguments& a, Reply& reply) {
  const Span place = a.place();
  const auto path = a.word("a file name");
  if (!path || !a.end()) return false;
  if (!path->ends_with(".eq")) {
    a.error("E0506", place, "`" + *path + "` is no model file").help = "`:write` makes a .eq file; `:save` writes results";
    return false;
  }
  if (const auto why = write_file(*path, shell.session().workspace().text())) {
    a.error("E0505", place, *why);
    return false;
  }
  reply.text = "wrote " + plural(shell.session().workspace().statements().size(), "statement") + " to " + *path + "\n";
  reply.confirmation = true;
  reply.json.set("file", *path);
  return true;
}

bool do_load(Shell& shell, Arguments& a, Reply& reply) {
  const Span place = a.place();
  const auto path = a.word("a file name");
  if (!path || !a.end()) return false;
  FileText file = read_file(*path);
  if (!file.why.empty()) {
    a.error("E0504", place, file.why);
    return false;
  }
  const syntax::Parsed parsed = syntax::parse(sources::add(*path, std::move(file.text)));
  shell.session().diagnostics().append(parsed.diagnostics);
  if (parsed.diagnostics.has_errors()) return false;
  const std::size_t step = shell.session().workspace().steps();
  shell.session().reset();
  shell.session().folder(folder_of(*path).empty() ? "." : folder_of(*path));
  std::size_t commands = 0;
  for (const auto& s : parsed.statements) commands += s->kind == syntax::StmtKind::command;
  const bool good = shell.run_model(parsed.statements);
  shell.session().workspace().fold(step, ":load " + *path);
  reply.text = "loaded " + plural(shell.session().workspace().statements().size(), "statement") + " from " + *path;
  if (commands) reply.text += "; its " + plural(commands, "command") + (commands == 1 ? " was" : " were") + " not run";
  reply.text += "\n";
  reply.confirmation = true;
  reply.json.set("file", *path);
  return good;
}

bool do_reset(Shell& shell, Arguments& a, Reply& reply) {
  if (!a.end()) return false;
  shell.session().reset();
  reply.text = "the workspace is empty\n";
  reply.confirmation = true;
  return true;
}

bool do_undo(Shell& shell, Arguments& a, Reply& reply) {
  if (!a.end()) return false;
  std::string what;
  if (!shell.session().undo(what)) {
    a.error("E0507", a.whole(), "there is nothing to take back");
    return false;
  }
  reply.text = "taken back: " + what + "\n";
  reply.confirmation = true;
  return true;
}

bool do_redo(Shell& shell, Arguments& a, Reply& reply) {
  if (!a.end()) return false;
  std::string what;
  if (!shell.session().redo(what)) {
    a.error("E0507", a.whole(), "there is nothing to make again");
    return false;
  }
  reply.text = "made again: " + what + "\n";
  reply.confirmation = true;
  return true;
}

bool do_history(Shell& shell, Arguments& a, Reply& reply) {
  if (!a.end()) return false;
  const auto steps = shell.session().workspace().history();
  if (steps.empty()) reply.text = "no edits\n";
  const std::size_t digits = std::to_string(steps.size()).size();
  for (std::size_t i = 0; i < steps.size(); ++i)
    reply.text += padded(std::to_string(i + 1), digits, true) + (steps[i].undone ? "  (undone) " : "  ") + steps[i].what + "\n";
  return true;
}

bool do_time(Shell& shell, Arguments& a, Reply& reply) {
  if (a.empty()) return a.misuse(a.place(), "`:time` wants a command"), false;
  const Span place = a.place();
  const std::string rest = a.rest();
  const std::size_t begin = rest.front() == ':' ? 1 : 0;
  const std::size_t blank = rest.find_first_of(" \t", begin);
  const std::string name = rest.substr(begin, blank == std::string::npos ? blank : blank - begin);
  const std::string text = blank == std::string::npos ? "" : rest.substr(rest.find_first_not_of(" \t", blank));
  const auto before = shell.session().current_analysis();
  const auto start = std::chrono::steady_clock::now();
  const bool ok = shell.dispatch(name, text, place, reply);
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  reply.confirmation = false;
  reply.text += "`:" + name + "` took " + seconds(took) + "\n";
  if (shell.session().current_analysis() != before) reply.text += phases_text(shell.session().phases());
  reply.json.set("seconds", took);
  return ok;
}

namespace {

const Option* option_argument(Arguments& a) {
  const Span place = a.place();
  const auto name = a.word("the name of an option");
  if (!name) return nullptr;
  if (const Option* o = find_option(*name)) return o;
  std::vector<std::string> names;
  for (const Option& o : option_table()) names.emplace_back(o.name);
  const std::string near = closest(*name, names);
  a.error("E0508", place, "there is no option `" + *name + "`").help =
      near.empty() ? "options are " + joined(names) : "did you mean `" + near + "`?";
  return nullptr;
}

}  // namespace

bool do_set(Shell& shell, Arguments& a, Reply& reply) {
  const Option* option = option_argument(a);
  if (!option) return false;
  const Span place = a.place();
  const auto value = a.word("a value");
  if (!value || !a.end()) return false;
  if (const auto right = option->set(shell.options(), *value)) {
    a.error("E0509", place, "`" + *value + "` is no value of the option `" + std::string(option->name) + "`").help = "give " + *right;
    return false;
  }
  shell.session().options() = shell.options().analysis;
  reply.json.set("name", option->name).set("value", option->get(shell.options()));
  return true;
}

bool do_get(Shell& shell, Arguments& a, Reply& reply) {
  TextTable table({"option", "value", "values", "meaning"});
  if (a.empty()) {
    for (const Option& o : option_table()) table.row({std::string(o.name), o.get(shell.options()), std::string(o.values), std::string(o.summary)});
    reply.text = table.text();
    return true;
  }
  const Option* option = option_argument(a);
  if (!option || !a.end()) return false;
  reply.text = std::string(option->name) + " = " + option->get(shell.options()) + "\n";
  return true;
}

bool do_quit(Shell& shell, Arguments& a, Reply&) {
  shell.quit = a.end();
  return shell.quit;
}

}  // namespace kron::repl
