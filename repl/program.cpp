#include "repl/program.hpp"

#include <cstdio>

#include "repl/editor.hpp"
#include "repl/files.hpp"
#include "repl/modes.hpp"

namespace kron::repl {

namespace {

bool run_file(Shell& shell, const std::string& path) {
  const Loaded file = load_file(shell, path);
  return file.ok && shell.run(file.statements);
}

// -e texts, then files, then the session where one is wanted.
int run_session(Shell& shell, const Invocation& i) {
  bool ok = true;
  const bool go_on = i.interactive;
  shell.session().folder(".");
  for (std::size_t k = 0; k < i.texts.size() && !shell.quit && (ok || go_on); ++k) ok &= shell.run_text("-e", i.texts[k]);
  for (std::size_t k = 0; k < i.files.size() && !shell.quit && (ok || go_on); ++k) ok &= run_file(shell, i.files[k]);
  ok &= shell.quit || shell.apply_sets();
  shell.print_diagnostics();
  const bool nothing_given = i.texts.empty() && i.files.empty();
  if (shell.quit || !shell.output_good()) return ok && shell.output_good() ? 0 : 1;
  if (nothing_given && !i.interactive && !shell.terminal().input) return run_file(shell, "-") && shell.output_good() ? 0 : 1;
  if (nothing_given || i.interactive) interact(shell);
  return ok && shell.output_good() ? 0 : 1;
}

}  // namespace

int run_program(int argc, char** argv) {
  const Reading reading = read_command_line(argc, argv);
  if (reading.status) return *reading.status;
  const Invocation& i = reading.invocation;
  catch_signals();
  if (i.mode == Invocation::fmt) return run_fmt(i);
  Shell shell({i.json, i.quiet, i.verbose, i.sets, library_settings()});
  switch (i.mode) {
    case Invocation::check: return run_check(shell, i);
    case Invocation::simulate: return run_simulate(shell, i);
    case Invocation::test: return run_tests(shell, i);
    case Invocation::sweep: return run_sweep(shell, i);
    default: return run_session(shell, i);
  }
}

}  // namespace kron::repl
