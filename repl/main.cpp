#include "repl/program.hpp"

int main(int argc, char** argv) { return kron::repl::run_program(argc, argv); }
