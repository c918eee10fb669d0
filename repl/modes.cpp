#include "repl/modes.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

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

// For a command of the program: false where there is nothing for it to do.
bool load_model(Shell& shell, const std::string& path, const char* command) {
  const Loaded file = load_file(shell, path);
  if (file.ok && shell.run_model(file.statements)) return true;
  if (shell.json()) shell.print({}, command, false);
  return false;
}

// A result's file that cannot be is told of before a run, not behind it.
bool can_hold_results(Shell& shell, const std::string& path) {
  Diagnostics& all = shell.session().diagnostics();
  std::error_code ignored;
  const std::string folder = folder_of(path);
  const bool known = has_result_ending(all, {}, path);
  if (known && (folder.empty() || std::filesystem::is_directory(folder, ignored))) return true;
  if (known) all.error("E0601", {}, "cannot write `" + path + "`: there is no folder `" + folder + "`");
  shell.print_diagnostics();
  if (shell.json()) shell.print({}, "simulate", false);
  return false;
}

int status(Shell& shell, bool ok) { return shell.output_good() && ok ? 0 : 1; }

}  // namespace

int run_check(Shell& shell, const Invocation& i) {
  if (!load_model(shell, i.files.front(), "check")) return 1;
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
  if (!i.output.empty() && !can_hold_results(shell, i.output)) return 1;
  if (!load_model(shell, i.files.front(), "simulate")) return 1;
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
    if (!shell.json() || !written) shell.print(saved, "save", written);
    ok &= written;
  }
  return status(shell, ok);
}

namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// Names and expressions between commas outside of brackets, each as one word of a command.
std::string words_of(const std::string& list) {
  std::string words, word;
  int deep = 0;
  const auto end = [&] {
    const bool one = word.find_first_of(" \t") == std::string::npos;
    if (!word.empty()) words += one ? " " + word : " (" + word + ")";
    word.clear();
  };
  for (const char c : list) {
    if (c == '(' || c == '[' || c == '{') ++deep;
    if (c == ')' || c == ']' || c == '}') --deep;
    if (c == ',' && deep == 0) end();
    else word += c;
  }
  end();
  return words;
}

// --vary NAME=A:B:N and its kind as the command's words; nothing: not understood.
std::optional<std::string> axis_words(const std::string& vary) {
  const std::size_t equal = vary.find('=');
  if (equal == std::string::npos || equal == 0) return std::nullopt;
  const std::string name = vary.substr(0, equal), rest = vary.substr(equal + 1);
  const auto parts = split(rest, ':');
  if (std::any_of(parts.begin(), parts.end(), [](const std::string& p) { return p.empty(); })) return std::nullopt;
  if (parts.size() == 3 && parts[0] == "uniform") return name + " uniform from " + parts[1] + " to " + parts[2];
  if (parts.size() == 3 && parts[0] == "normal") return name + " normal mean " + parts[1] + " sd " + parts[2];
  const bool logarithmic = parts.size() == 4 && parts[3] == "log";
  if (parts.size() == 3 || logarithmic)
    return name + " from " + parts[0] + " to " + parts[1] + " points " + parts[2] + (logarithmic ? " log" : "");
  if (parts.size() != 1) return std::nullopt;
  std::string words = name + " in";
  for (const std::string& v : split(rest, ',')) {
    if (v.empty()) return std::nullopt;
    words += " " + v;
  }
  return words;
}

}  // namespace

int run_sweep(Shell& shell, const Invocation& i) {
  std::string command;
  const auto add = [&](const char* word, const std::string& value) {
    if (!value.empty()) command += std::string(word) + " " + value + " ";
  };
  for (const std::string& v : i.vary) {
    const auto words = axis_words(v);
    if (!words) {
      std::fprintf(stderr,
                   "--vary: `%s` is not of the form NAME=A:B:N, NAME=A:B:N:log, NAME=V,V,..., NAME=uniform:A:B or NAME=normal:MEAN:SD\n",
                   v.c_str());
      return 2;
    }
    command += *words + " ";
  }
  add("samples", i.samples);
  add("seed", i.seed);
  add("until", i.until);
  add("tol", i.tolerance);
  add("method", i.method);
  command += "values";
  for (const std::string& list : i.values) command += words_of(list);
  if (!i.output.empty()) command += " to \"" + i.output + "\"";
  if (!i.trajectories.empty()) command += " trajectories \"" + i.trajectories + "\"";
  if (!load_model(shell, i.files.front(), "sweep")) return 1;
  if (!i.threads.empty()) shell.options().threads = static_cast<unsigned>(std::stoul(i.threads));
  return status(shell, shell.run_command("sweep", command, {}));
}

namespace {

struct Formatted {
  Diagnostics diagnostics;
  std::string text;      // of standard input
  bool changed = false;  // would be, where files are only checked
};

Formatted format_file(const std::string& path, bool only_check) {
  Formatted f;
  FileText file = read_file(path);
  if (!file.why.empty()) {
    f.diagnostics.error("E0504", {}, file.why);
    return f;
  }
  const std::string before = file.text;
  const syntax::Parsed parsed = syntax::parse(sources::add(path == "-" ? "stdin" : path, std::move(file.text)));
  f.diagnostics.append(parsed.diagnostics);
  if (f.diagnostics.has_errors()) return f;  // a text that is not understood stays as it is
  const std::string after = syntax::print(parsed.statements);
  f.changed = after != before;
  if (path == "-") f.text = after;
  else if (f.changed && !only_check)
    if (const auto why = write_file(path, after)) f.diagnostics.error("E0505", {}, *why);
  return f;
}

}  // namespace

int run_fmt(const Invocation& i) {
  int worst = 0;
  for (const std::string& path : i.files) {
    const Formatted f = format_file(path, i.only_check);
    for (const Diagnostic& d : f.diagnostics.list()) std::fputs(i.json ? (diagnostic_json(d) + "\n").c_str() : render(d).c_str(), stderr);
    const bool failed = f.diagnostics.has_errors(), ok = !failed && !(i.only_check && f.changed);
    if (!ok) worst = 1;
    if (i.json) {
      Json j = Json::object().set("command", "fmt").set("ok", ok).set("file", path);
      if (failed) {
        j.set("error", error_json(*f.diagnostics.first_error()));
      } else {
        j.set("changed", f.changed);
        if (path == "-") j.set("text", f.text);
      }
      std::printf("%s\n", j.dump().c_str());
    } else if (!failed && path == "-" && !i.only_check) {
      std::fputs(f.text.c_str(), stdout);
    } else if (!failed && f.changed && i.only_check) {
      std::printf("%s\n", path.c_str());
    }
  }
  if (std::fflush(stdout) != 0) worst = 1;
  return worst;
}

}  // namespace kron::repl
