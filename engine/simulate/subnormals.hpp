// engine/simulate/subnormals.hpp: numbers below 2.2e-308, which lie far from where something happens: before a front that spreads, behind one that
// has decayed. Processors take a hundred cycles for an operation on one, so vectors of them made large circuits ten times slower where nothing moved.
#pragma once
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace kron::simulate {

// While it lives, operations of this thread take such numbers for zero, and give zero for them.
class ZeroSubnormals {
 public:
#if defined(__SSE2__)
  ZeroSubnormals() : before_(_mm_getcsr()) {
    constexpr unsigned flush_results = 0x8000, ignore_operands = 0x0040;  // FTZ, DAZ
    _mm_setcsr(before_ | flush_results | ignore_operands);
  }
  ~ZeroSubnormals() { _mm_setcsr(before_); }
#else
  ZeroSubnormals() = default;
#endif
  ZeroSubnormals(const ZeroSubnormals&) = delete;
  ZeroSubnormals& operator=(const ZeroSubnormals&) = delete;

#if defined(__SSE2__)
 private:
  unsigned before_;
#endif
};

}  // namespace kron::simulate
