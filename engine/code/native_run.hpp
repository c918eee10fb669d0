// engine/code/native_run.hpp: run a region's machine code. Private to the room.
#pragma once
#include "engine/code/engine.hpp"

namespace kron::code {

// Where a watch does not hold or a step fails the interpreter computes the region, and what it says counts.
template <class T>
Status Engine<T>::run_native(std::uint32_t region, const Native::Region& code) {
  if constexpr (std::is_same_v<T, double>) {
    if (!expect_trust(code)) return interpret(region);
    const Statistics before = statistics;
    partial = true;
    for (const Native::Piece& piece : code.pieces) {
      bool good = true;
      switch (piece.kind) {
        case Native::Piece::Kind::code:
          good = (*code.functions[piece.index])(reg.data(), native.frame(), native_functions(), native.loop_memory());
          break;
        case Native::Piece::Kind::step:
          good = run_step(piece.index) == Status::ok;
          break;
        case Native::Piece::Kind::table:
          interpret(program->runs[piece.index]);
          break;
      }
      if (good) continue;
      statistics = before;
      return interpret(region);
    }
  }
  return Status::ok;
}

// False: a step is known not to be trusted. Of the others that is what the machine code finds out.
template <class T>
bool Engine<T>::expect_trust(const Native::Region& code) {
  for (std::uint32_t s : code.early)
    if (!early_trusted(s)) return false;
  if (distrusted_steps != 0)
    for (std::uint32_t s : code.guarded)
      if (steps[s].distrusted) return false;
  if (cold_steps == 0) return true;
  for (std::uint32_t s : code.trusted)
    if (steps[s].cold) return false;
  for (std::uint32_t s : code.guarded) {
    cold_steps -= steps[s].cold;
    steps[s].cold = steps[s].solved = steps[s].factored = false;
  }
  return true;
}

// The values that machine code kept to itself, at a point that was evaluated.
template <class T>
void Engine<T>::complete(std::uint32_t region) {
  for (std::uint32_t i = program->regions[region].begin; i < program->regions[region].end; ++i) {
    const Run& run = program->runs[i];
    if (run.kernel != Kernel::step) {
      interpret(run);
    } else if (const StepPlan& plan = program->steps[run.result]; plan.residual_region != 0) {
      complete(plan.residual_region);
      complete(plan.jacobian_region);
    }
  }
}

// While it lives all registers of the dynamic section are up to date.
template <class T>
class InterpretAll {
 public:
  explicit InterpretAll(Engine<T>& e) : e_(e) {
    if (e.partial) e.complete(dynamic_section);
    e.partial = false;
    e.interpreted = true;
  }
  ~InterpretAll() { e_.interpreted = false; }
  InterpretAll(const InterpretAll&) = delete;
  InterpretAll& operator=(const InterpretAll&) = delete;

 private:
  Engine<T>& e_;
};

}  // namespace kron::code
