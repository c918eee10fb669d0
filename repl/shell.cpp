#include "repl/shell.hpp"

#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "lang/syntax/parser.hpp"
#include "repl/block_text.hpp"
#include "repl/text.hpp"

namespace kron::repl {

using syntax::StmtKind;
using syntax::StmtPtr;

elaborate::Settings library_settings() {
  namespace fs = std::filesystem;
  elaborate::Settings s;
  if (const char* path = std::getenv("KRON_PATH")) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::size_t colon = rest.find(':');
      if (colon != 0) s.library_path.emplace_back(rest.substr(0, colon));
      rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
    }
  }
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  for (const fs::path& at : {program.parent_path() / "../share/kron/stdlib", program.parent_path() / "stdlib"})
    if (!program.empty() && fs::is_directory(at, ignored)) s.library_path.push_back(at.lexically_normal().string());
  return s;
}

Shell::Shell(Settings settings)
    : settings_(std::move(settings)), terminal_(Terminal::look()), session_(settings_.libraries) {
  if (settings_.quiet) options_.logging = "quiet";
  if (settings_.verbose) options_.logging = "debug";
  session_.while_waiting([this] {
    const auto shown = std::make_shared<Progress>(terminal_.error && !json() && options_.logging != "quiet", "analysing");
    return [shown] {
      shown->show(std::nullopt);
      return !interrupted();
    };
  });
}

// ---- running ------------------------------------------------------------------------------------------------------------------------

bool Shell::run_text(const std::string& file, std::string text) {
  const auto begin = std::chrono::steady_clock::now();
  const syntax::Parsed parsed = syntax::parse(sources::add(file, std::move(text)));
  session_.spent_parsing(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  session_.diagnostics().append(parsed.diagnostics);
  print_diagnostics();
  return !parsed.diagnostics.has_errors() && run(parsed.statements);
}

bool Shell::run(const std::vector<StmtPtr>& statements) {
  bool all = true, model_good = true;
  session_.workspace().reserve(statements);
  for (const StmtPtr& s : statements) {
    if (s->kind != StmtKind::command) {
      model_good &= session_.queue(s);
      continue;
    }
    model_good &= session_.settle();
    print_diagnostics();
    all &= model_good;
    if (!model_good && !options_.go_on_after_error) return false;
    model_good = true;
    session_.take_new_files();
    print_diagnostics();
    const bool done = run_command(s->name.str(), s->text, s->span);
    all &= done;
    if (quit || !output_good()) return all && output_good();
    if (!done && !options_.go_on_after_error) return false;
  }
  model_good &= session_.settle();
  print_diagnostics();
  return all && model_good;
}

bool Shell::run_model(const std::vector<StmtPtr>& statements) {
  bool good = true;
  session_.workspace().reserve(statements);
  for (const StmtPtr& s : statements)
    if (s->kind != StmtKind::command && s->kind != StmtKind::test) good &= session_.queue(s);
  good &= session_.settle();
  good = good && apply_sets();
  print_diagnostics();
  return good;
}

bool Shell::apply_sets() {
  if (sets_done_) return true;
  sets_done_ = true;
  bool good = true;
  for (const auto& [path, text] : settings_.sets) {
    if (text == "true" || text == "false") {
      good &= session_.set_parameter(path, text == "true" ? 1 : 0);
      continue;
    }
    const char first = text.front();
    if (first == '{' || std::isalpha(static_cast<unsigned char>(first))) {  // no number: a vector, an element of an enumeration
      good &= session_.run_text(path + " := " + text, "--set");
      continue;
    }
    Arguments value(session_, "--set", text, Span{});
    const auto v = value.number(path);
    good &= v && session_.set_parameter(path, *v);
  }
  return good;
}

bool Shell::dispatch(const std::string& name, const std::string& text, Span span, Reply& reply) {
  const std::size_t errors = session_.diagnostics().error_count();
  const Command* command = find_command(name);
  bool ok = false;
  if (!command) {
    session_.diagnostics().error("E0501", span, "there is no command `:" + name + "`").help = "`:help` lists the commands";
  } else if (apply_sets()) {
    Arguments arguments(session_, name, text, span);
    try {
      ok = arguments.good() && command->run(*this, arguments, reply);
    } catch (const std::exception& e) {
      ok = false;
      session_.diagnostics().error("E0599", span, "internal error in `:" + name + "`: " + e.what()).help =
          "this is a fault of Kron, not of the model: please report it with the model";
    }
  }
  if (!ok && session_.diagnostics().error_count() == errors)
    session_.diagnostics().error("E0598", span, "`:" + name + "` did not succeed");
  return ok;
}

bool Shell::run_command(const std::string& name, const std::string& text, Span span) {
  interrupted() = false;
  Reply reply;
  const auto before = session_.current_analysis();
  const bool ok = dispatch(name, text, span, reply);
  if (options_.logging == "debug" && session_.current_analysis() != before && !json())
    std::fprintf(stderr, "analysis:\n%s", phases_text(session_.phases()).c_str());
  print_diagnostics();
  print(reply, name, ok);
  return ok;
}

simulate::Options Shell::simulation_options() {
  simulate::Options o;
  const elaborate::Experiment& e = session_.experiment();
  o.start = e.start.value_or(0);
  o.stop = e.stop.value_or(1);
  if (e.interval) o.every = *e.interval;
  if (options_.points) o.points = *options_.points;
  o.tolerance = e.tolerance.value_or(options_.tolerance.value_or(1e-6));
  o.method = options_.method;
  if (e.method)
    if (auto m = simulate::method_named(*e.method)) o.method = *m;
  o.precision = options_.precision;
  o.events = options_.events;
  o.interrupt = &interrupted();
  return o;
}

// ---- printing -----------------------------------------------------------------------------------------------------------------------

namespace {
std::string_view severity_text(Severity s) {
  return s == Severity::error ? "error" : s == Severity::warning ? "warning" : "note";
}
}  // namespace

Json error_json(const Diagnostic& d) { return Json::object().set("code", d.code).set("message", d.message); }

std::string diagnostic_json(const Diagnostic& d) {
  Json j = Json::object();
  j.set("severity", severity_text(d.severity)).set("code", d.code).set("message", d.message);
  const Position p = d.span.known() ? sources::position(d.span.source, d.span.begin) : Position{};
  j.set("file", d.span.known() ? sources::file(d.span.source) : "").set("line", p.line).set("column", p.column);
  Json notes = Json::array();
  for (const DiagnosticNote& n : d.notes) {
    std::string text = n.text;
    if (n.span.known()) {
      const Position at = sources::position(n.span.source, n.span.begin);
      text = sources::file(n.span.source) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + text;
    }
    notes.push(text);
  }
  j.set("notes", std::move(notes));
  if (!d.help.empty()) j.set("help", d.help);
  return j.dump();
}

void Shell::print_diagnostics() {
  Diagnostics& all = session_.diagnostics();
  if (all.list().empty()) return;
  if (const Diagnostic* first = all.first_error()) first_error_ = *first;
  std::string text;
  constexpr std::size_t most = 100;
  std::size_t shown = 0, hidden = 0;
  for (const Diagnostic& d : all.list()) {
    if (d.severity != Severity::error && options_.logging == "quiet") continue;
    if (json()) text += diagnostic_json(d) + "\n";
    else if (shown++ < most) text += render(d);
    else ++hidden;
  }
  if (hidden > 0) text += "… and " + std::to_string(hidden) + " more messages like these\n";
  all.clear();
  if (capture_) {
    *capture_ += text;
    return;
  }
  output_.flush();  // what was said before comes before it
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

Json Shell::reply_object(const Reply& reply, const std::string& command, bool ok, const Diagnostic* error) {
  Json j = Json::object();
  j.set("command", command).set("ok", ok);
  if (error) j.set("error", error_json(*error));
  j.merge(reply.json);
  const Command* c = find_command(command);
  if (ok && c && c->schema.find("text") != std::string_view::npos) j.set("text", reply.text);
  return j;
}

void Shell::print(const Reply& reply, const std::string& command, bool ok) {
  if (json()) {
    say(reply_object(reply, command, ok, ok || first_error_.code.empty() ? nullptr : &first_error_).dump() + "\n");
    return;
  }
  if (reply.confirmation && options_.logging == "quiet") return;
  if (!reply.text.empty()) say(reply.text.back() == '\n' ? reply.text : reply.text + "\n");
}

void Shell::say(const std::string& text) {
  if (capture_) *capture_ += text;
  else output_.write(text);
}

bool Shell::output_good() {
  if (output_.flush()) return true;
  if (!write_error_told_ && !output_.why().empty())
    std::fprintf(stderr, "error[E0505]: cannot write to standard output: %s\n", output_.why().c_str());
  write_error_told_ = true;
  return false;
}

}  // namespace kron::repl
