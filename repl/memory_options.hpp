// repl/memory_options.hpp: how the program asks the system for memory; the benchmarks of edits do so, too.
#pragma once
#ifdef KRON_MIMALLOC
#include <mimalloc.h>
#endif

namespace kron::repl {

inline void set_memory_options() {
#ifdef KRON_MIMALLOC
  // Small pages: a system that runs on another one has some at hand, while each large one is asked for, 5 ms where it has to be found first. A
  // program that had just begun took twice as long for a model of 100,000 equations with large ones, and as long once all had been met.
  mi_option_disable(mi_option_large_os_pages);
  mi_option_set(mi_option_eager_commit_delay, 0);  // from the start: a third fewer page faults where models are edited
#if MI_MALLOC_VERSION < 210
  mi_option_set(mi_option_decommit_delay, 60'000);  // ms: what one edit frees the next one needs, a tenth of its time
#endif
#endif
}

}  // namespace kron::repl
