// repl/modes.hpp: what the program does besides running scripts: check, simulate, sweep, fmt, test. Each returns the exit status.
#pragma once
#include "repl/invocation.hpp"
#include "repl/shell.hpp"

namespace kron::repl {

int run_check(Shell&, const Invocation&);
int run_simulate(Shell&, const Invocation&);
int run_sweep(Shell&, const Invocation&);
int run_fmt(const Invocation&);
int run_tests(Shell&, const Invocation&);

// Reads a file and parses it into the shell's session folder; nothing with the message printed.
struct Loaded {
  std::vector<syntax::StmtPtr> statements;
  bool ok = false;
};
Loaded load_file(Shell&, const std::string& path);

}  // namespace kron::repl
