#include "repl/modes.hpp"

#include <chrono>
#include <cstdio>

#include "lang/syntax/parser.hpp"
#include "lang/syntax/printer.hpp"
#include "repl/files.hpp"
#include "repl/model_text.hpp"
#include "repl/text.hpp"

namespace kron::repl {

Loaded load_file(Shell& shell, const std::string& path) {
  FileText file = read_file(path);
  Session& s = shell.session();
  if (!file.why.empty()) {
    s.diagnostics().error("E0504", {}, file.why);
    shell.print_diagnostics();
    return {};
  }
  s.folder(path == "-" ? "." : folder_of(path).empty() ? "." : folder_of(path));
  const auto begin = std::chrono::steady_clock::now();
  syntax::Parsed parsed = syntax::parse(sources::add(path == "-" ? "stdin" : path, std::move(file.text)));
  s.spent_parsing(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  s.diagnostics().append(parsed.diagnostics);
  shell.print_diagnostics();
  return {std::move(parsed.statements), !parsed.diagnostics.has_errors()};
}

namespace {

bool load_model(Shell& shell, const std::string& path) {
  const Loaded file = load_file(shell, path);
  return file.ok && shell.run_model(file.statements);
}

int status(Shell& shell, bool ok) { return shell.output_good() && ok ? 0 : 1; }

}  // namespace

int run_check(Shell& shell, const Invocation& i) {
  if (!load_model(shell, i.files.front())) return 1;
  Session& s = shell.session();
  const session::Analysis& a = s.analysis();
  s.diagnostics().append(a.diagnostics);
  const bool complete = a.complete && !a.diagnostics.has_errors(), good = complete && s.check_numbers();
  if (!complete && !a.diagnostics.has_errors()) s.diagnostics().error("E0515", {}, "the model is incomplete");
  shell.print_diagnostics();
  Reply reply;
  reply.confirmation = true;
  if (good) {
    reply.text = i.files.front() + ": " + plural(a.flat.equations.size(), "equation") + ", " + plural(a.states.size(), "state") + ", " +
                 plural(a.blocks.size(), "block") + ": nothing to complain about\n";
    reply.json.set("equations", a.flat.equations.size()).set("states", a.states.size()).set("blocks", a.blocks.size());
  }
  if (good || shell.json()) shell.print(reply, "check", good);
  return status(shell, good);
}

int run_simulate(Shell& shell, const Invocation& i) {
  if (!load_model(shell, i.files.front())) return 1;
  std::string command;
  auto add = [&](const char* word, const std::string& value) {
    if (!value.empty()) command += (command.empty() ? "" : " ") + std::string(word) + " " + value;
  };
  add("until", i.until);
  add("every", i.every);
  add("points", i.points);
  add("tol", i.tolerance);
  add("method", i.method);
  bool ok = shell.run_command("simulate", command, {});
  if (!i.output.empty() && shell.session().result()) {
    Reply saved;
    const bool written = shell.dispatch("save", "\"" + i.output + "\"", {}, saved);
    shell.print_diagnostics();
    if (!shell.json()) shell.print(saved, "save", written);
    ok &= written;
  }
  return status(shell, ok);
}

int run_sweep(Shell& shell, const Invocation& i) {
  std::string command;
  for (const std::string& v : i.vary) {  // NAME=A:B:N
    const std::size_t equal = v.find('='), first = v.find(':', equal), second = v.find(':', first + 1);
    if (equal == std::string::npos || first == std::string::npos || second == std::string::npos) {
      std::fprintf(stderr, "--vary: `%s` is not of the form NAME=A:B:N\n", v.c_str());
      return 2;
    }
    command += v.substr(0, equal) + " from " + v.substr(equal + 1, first - equal - 1) + " to " + v.substr(first + 1, second - first - 1) +
               " points " + v.substr(second + 1) + " ";
  }
  command += "values";
  for (const std::string& name : i.values) command += " " + name;
  if (!i.output.empty()) command += " to \"" + i.output + "\"";
  if (!load_model(shell, i.files.front())) return 1;
  if (!i.until.empty()) shell.until = i.until;
  return status(shell, shell.run_command("sweep", command, {}));
}

int run_fmt(const Invocation& i) {
  int worst = 0;
  for (const std::string& path : i.files) {
    FileText file = read_file(path);
    if (!file.why.empty()) {
      std::fprintf(stderr, "error[E0504]: %s\n", file.why.c_str());
      worst = 1;
      continue;
    }
    const std::string before = file.text;
    const syntax::Parsed parsed = syntax::parse(sources::add(path == "-" ? "stdin" : path, std::move(file.text)));
    for (const Diagnostic& d : parsed.diagnostics.list()) std::fputs(i.json ? (diagnostic_json(d) + "\n").c_str() : render(d).c_str(), stderr);
    if (parsed.diagnostics.has_errors()) {  // a text that is not understood stays as it is
      worst = 1;
      continue;
    }
    const std::string after = syntax::print(parsed.statements);
    if (path == "-" && !i.only_check) {
      std::fputs(after.c_str(), stdout);
    } else if (after != before && i.only_check) {
      std::printf("%s\n", path.c_str());
      worst = 1;
    } else if (after != before) {
      if (const auto why = write_file(path, after)) {
        std::fprintf(stderr, "error[E0505]: %s\n", why->c_str());
        worst = 1;
      }
    }
  }
  if (std::fflush(stdout) != 0) worst = 1;
  return worst;
}

}  // namespace kron::repl
