// repl/memory_options.hpp: how the program asks the system for memory; the benchmarks of edits do so, too.
#pragma once
#ifdef KRON_MIMALLOC
#include <mimalloc.h>
#endif

namespace kron::repl {

inline void set_memory_options() {
#ifdef KRON_MIMALLOC
  mi_option_enable(mi_option_large_os_pages);  // a model of 100,000 components fills a gigabyte: half the system's time went into pages of 4 kB
  mi_option_set(mi_option_eager_commit_delay, 0);  // from the start: a third fewer page faults where models are edited
#if MI_MALLOC_VERSION < 210
  mi_option_set(mi_option_decommit_delay, 1000);  // ms: what one edit frees the next one needs; 4 % of an edit of a chain of 100 bodies
#endif
#endif
}

}  // namespace kron::repl
