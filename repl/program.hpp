// repl/program.hpp: the program `kron` (commands.md). main() apart, everything lives here so that tests can link it.
#pragma once

namespace kron::repl {

int run_program(int argc, char** argv);  // the process's exit status

}  // namespace kron::repl
