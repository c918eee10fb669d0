// engine/session/engine_data.hpp: what an Engine keeps between analyses. Private to this room.
#pragma once
#include "engine/base/helper.hpp"
#include "engine/base/key_set.hpp"
#include "engine/code/compiler.hpp"
#include "engine/session/emission.hpp"
#include "engine/session/kept_aliases.hpp"
#include "engine/session/numbering.hpp"

namespace kron::session {

// What shows which parts of an analysis are those of another one.
struct Marks {
  KeySet blocks, rows;
  std::array<std::uint64_t, 2> programs{};  // fingerprints; 0: there was none
};

struct Engine::Data {
  solve::Templates templates;
  solve::Memory memory;
  std::shared_ptr<const Analysis> before;           // the last one
  KeptAliases aliases;                              // of the reduction before
  Emission emission;                                // the last one of an analysis
  Marks seen;                                       // of the last one
  code::Compiler compiler;                          // of the dynamics
  std::shared_ptr<jit::Cache> machine_code = std::make_shared<jit::Cache>();
  std::unique_ptr<Numbering> numbering;             // of the analysis asked for last
  Helper helper;                                    // nobody else uses `compiler` and `seen`; the first to go
};

}  // namespace kron::session
