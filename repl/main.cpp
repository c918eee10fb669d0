#ifdef KRON_MIMALLOC
#include <mimalloc.h>
#endif

#include "repl/program.hpp"

int main(int argc, char** argv) {
#ifdef KRON_MIMALLOC
  mi_option_enable(mi_option_large_os_pages);  // a model of 100,000 components fills a gigabyte: half the system's time went into pages of 4 kB
  mi_option_set(mi_option_eager_commit_delay, 0);  // from the start: a third fewer page faults where models are edited
#endif
  return kron::repl::run_program(argc, argv);
}
