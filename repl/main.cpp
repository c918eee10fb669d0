#include "repl/memory_options.hpp"
#include "repl/program.hpp"

int main(int argc, char** argv) {
  kron::repl::set_memory_options();
  return kron::repl::run_program(argc, argv);
}
