// engine/code/native.hpp: the regions of a program as machine code. Private to the room.
//   Machine code is the way on which all goes well: where a watch does not hold it is left, and the interpreter computes the whole region
//   anew, with the LU of the block. Between pieces of code the interpreter's own routines run the solve steps and tables.
//   A region is cut into segments (engine/jit) where its content says so, thus an edit changes the segments around it and no others.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/code/layout.hpp"
#include "engine/jit/cache.hpp"
#include "engine/jit/function.hpp"

namespace kron::code {

class Producers;
class Sequence;

class Native {
 public:
  struct Piece {
    enum class Kind : std::uint8_t { code, step, table } kind{};
    std::uint32_t index = 0;  // into functions; of the step; of the run
  };
  struct Region {
    std::vector<Piece> pieces;
    std::vector<std::shared_ptr<const jit::Function>> functions;
    std::vector<std::uint32_t> guarded;  // steps whose watches it looks at
    std::vector<std::uint32_t> early;    // those of them that have watches in the parameter section
    std::vector<std::uint32_t> trusted;  // guarded steps of other regions whose straight-line values it takes
    std::size_t frame = 0, loop_memory = 0;
  };

  Native(const Program&, std::shared_ptr<jit::Cache>);
  ~Native();
  // Besides the program's regions: the dynamic section without what only outputs need of it, and its tangents.
  static std::uint32_t derivatives_only(const Program& p) { return static_cast<std::uint32_t>(p.regions.size()); }
  static std::uint32_t tangents(const Program& p) { return derivatives_only(p) + 1; }
  // At several points at once (packed.hpp): the dynamic section for derivatives, and for outputs, and the output section.
  static std::uint32_t packed_derivatives(const Program& p) { return derivatives_only(p) + 2; }
  static std::uint32_t packed_dynamic(const Program& p) { return derivatives_only(p) + 3; }
  static std::uint32_t packed_output(const Program& p) { return derivatives_only(p) + 4; }
  static std::size_t count(const Program& p) { return p.regions.size() + 5; }
  // Null: there is no machine code for it. Threads may ask.
  const Region* region(std::uint32_t);
  const Region* made(std::uint32_t) const;  // null: nobody has asked for it yet
  NativeReport report() const;

 private:
  struct Compilation;
  const Program& p_;
  std::shared_ptr<jit::Cache> cache_;
  mutable std::mutex mutex_;
  std::unique_ptr<Compilation> compilation_;  // what compiling regions has in common
  std::vector<std::unique_ptr<const Region>> owned_;
  std::vector<std::atomic<const Region*>> regions_;
  NativeReport report_;
};

// The functions that machine code calls (translate.hpp).
const void* const* native_functions();

// A machine's use of it, and when it pays.
//   Interpreting an instruction takes about 0.8 ns and a run of equal ones 5 ns more; compiling one 150 ns and a region 60 us. A region is
//   compiled when interpreting it has taken as long as compiling it will: so a run never takes more than twice the time of the better way.
//   Tangents are four times as much of both.
class NativeUse {
 public:
  NativeUse(const Program&, Backend);
  const Native::Region* wanted(std::uint32_t region) {
    if (ready_[region] != nullptr) return ready_[region];
    if (left_[region] == 0 || --left_[region] != 0) return nullptr;
    return make(region);
  }
  double* frame() { return frame_.data(); }
  double* loop_memory() { return loop_memory_.data(); }

 private:
  double calls_until_it_pays(std::uint32_t region) const;
  const Native::Region* make(std::uint32_t region);
  const Program* p_;
  std::vector<const Native::Region*> ready_;
  std::vector<std::uint32_t> left_;  // evaluations until it is compiled; 0: never
  std::vector<double> frame_, loop_memory_;
};

}  // namespace kron::code
