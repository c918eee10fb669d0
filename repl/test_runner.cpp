// `kron test`: every test block is a workspace of its own.
#include <chrono>

#include "lang/syntax/printer.hpp"
#include "repl/modes.hpp"
#include "repl/text.hpp"

namespace kron::repl {

using syntax::StmtKind;
using syntax::StmtPtr;

namespace {

struct Outcome {
  std::string title, output;
  bool ok = false;
  double took = 0;
};

std::optional<double> value_of(Shell& shell, const syntax::Expr& e, std::optional<double> time) {
  Session& s = shell.session();
  const auto q = s.quantity(e, s.diagnostics());
  if (!q || q->elements.size() != 1) return std::nullopt;
  if (time) return s.sampler()->value(q->elements.front(), *time);
  return s.parameter_value(q->elements.front());
}

bool is_relation(const syntax::Expr& e) {
  using enum syntax::Operator;
  return e.kind == syntax::ExprKind::binary && (e.op == lt || e.op == le || e.op == gt || e.op == ge || e.op == eq || e.op == ne);
}

// What the two sides of a relation that does not hold were, and the values that the assert names.
void explain_failure(Shell& shell, const StmtPtr& s, std::optional<double> time, Diagnostic& d) {
  const syntax::Expr& c = *s->lhs;
  auto note = [&](const syntax::Expr& e) {
    if (e.kind == syntax::ExprKind::number) return;
    const auto v = value_of(shell, e, time);
    const std::string text = v ? "`" + syntax::print(e) + "` is " + to_text(*v) : "";
    if (v && std::ranges::find(d.notes, text, &DiagnosticNote::text) == d.notes.end()) d.notes.push_back({{}, text});
  };
  if (is_relation(c)) {
    note(*c.args[0]);
    note(*c.args[1]);
  }
  for (const syntax::ExprPtr& e : s->args) note(*e);
}

bool check_assert(Shell& shell, const StmtPtr& s) {
  Session& session = shell.session();
  Diagnostics& all = session.diagnostics();
  std::optional<double> time;
  const bool points = session.result() && session.result()->trajectory.size() > 0;
  if (points) time = session.result()->trajectory.time().back();
  if (s->at) {
    const auto q = session.current_quantity(*s->at, all);
    const auto t = q && q->elements.size() == 1 ? session.parameter_value(q->elements.front()) : std::nullopt;
    if (!t || !points) {
      if (!all.has_errors()) all.error("E0503", s->at->span, points ? "the time is no number" : "there is no result to look at");
      return false;
    }
    time = *t;
    const auto run = session.result()->trajectory.time();
    if (*t < run.front() || *t > run.back()) {
      all.error("E0517", s->at->span, "time " + number(*t) + " is outside the last run").help = "it went from " + number(run.front()) + " to " + number(run.back());
      return false;
    }
  }
  const std::size_t errors = all.error_count();
  const auto v = value_of(shell, *s->lhs, time);
  if (v && *v != 0) return true;
  if (!v) {
    if (all.error_count() == errors) all.error("E0503", s->lhs->span, "there is no result to look at").help = "put a `:simulate` before it";
    return false;
  }
  Diagnostic d;
  d.code = "E0560";
  d.span = s->lhs->span;
  d.message = s->text.empty() ? "`" + syntax::print(*s->lhs) + "` does not hold" : s->text;
  if (time) d.message += " (at time " + number(*time) + ")";
  explain_failure(shell, s, time, d);
  all.add(std::move(d));
  return false;
}

bool run_body(Shell& shell, const StmtPtr& test) {
  std::vector<StmtPtr> part;  // statements up to the next assert
  bool ok = true;
  auto flush = [&] {
    ok = shell.run(part) && ok;
    part.clear();
  };
  for (const StmtPtr& s : test->body) {
    if (s->kind != StmtKind::assert_) {
      part.push_back(s);
      continue;
    }
    flush();
    if (!ok) return false;
    ok = check_assert(shell, s) && ok;
    shell.print_diagnostics();
  }
  flush();
  return ok;
}

Outcome run_one(Shell& shell, const StmtPtr& test, const std::string& folder) {
  Outcome o;
  o.title = test->text;
  const auto begin = std::chrono::steady_clock::now();
  shell.session().reset();
  shell.session().folder(folder);
  const Options options = shell.options();
  shell.capture(&o.output);
  o.ok = run_body(shell, test);
  shell.capture(nullptr);
  shell.options() = options;
  shell.session().options() = options.analysis;
  shell.quit = false;
  o.took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return o;
}

void report(Shell& shell, const Outcome& o) {
  if (shell.json()) {
    shell.say(Json::object().set("command", "test").set("ok", o.ok).set("title", o.title).set("seconds", o.took).set("output", o.ok ? "" : o.output).dump() + "\n");
    return;
  }
  shell.say((o.ok ? "passed  " : "FAILED  ") + o.title + (shell.shows_times() ? "  (" + seconds(o.took) + ")" : "") + "\n");
  if (!o.ok) {
    std::size_t at = 0;
    while (at < o.output.size()) {
      const std::size_t end = std::min(o.output.find('\n', at), o.output.size());
      shell.say("    " + o.output.substr(at, end - at) + "\n");
      at = end + 1;
    }
  }
}

std::string folder_for(const std::string& path) {
  if (!path.ends_with(".eq")) return ".";
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

int run_tests(Shell& shell, const Invocation& i) {
  std::size_t passed = 0, failed = 0;
  bool read = true;
  for (const std::string& path : i.files) {
    Session& s = shell.session();
    s.folder(folder_for(path));
    s.blueprint();  // tells the elaborator the folder
    const auto tests = s.elaborator().tests(path, s.diagnostics());
    read &= !s.diagnostics().has_errors();
    shell.print_diagnostics();
    for (const StmtPtr& t : tests) {
      const Outcome o = run_one(shell, t, folder_for(path));
      ++(o.ok ? passed : failed);
      report(shell, o);
      if (!shell.output_good() || interrupted()) return 1;
    }
  }
  if (shell.json()) {
    Reply reply;
    reply.json.set("passed", passed).set("failed", failed);
    shell.print(reply, "test", failed == 0 && read);
  } else {
    shell.say(std::to_string(passed) + " passed, " + std::to_string(failed) + " failed\n");
  }
  return shell.output_good() && failed == 0 && read ? 0 : 1;
}

}  // namespace kron::repl
