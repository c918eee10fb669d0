// engine/session/engine_data.hpp: what an Engine keeps between analyses. Private to this room.
#pragma once
#include "engine/base/key_set.hpp"
#include "engine/code/compiler.hpp"
#include "engine/session/emission.hpp"
#include "engine/session/kept_aliases.hpp"
#include "engine/session/numbering.hpp"

namespace kron::session {

struct Engine::Data {
  solve::Templates templates;
  solve::Memory memory;
  std::shared_ptr<const Analysis> before;           // the last one
  KeptAliases aliases;                              // of the reduction before
  Emission emission;                                // the last one of an analysis
  KeySet block_keys, row_keys;                      // of the analysis before
  std::shared_ptr<const code::Program> program, initial_program;
  code::Compiler compiler;                          // of the dynamics
  std::shared_ptr<jit::Cache> machine_code = std::make_shared<jit::Cache>();
  std::unique_ptr<Numbering> numbering;             // of the analysis asked for last
};

}  // namespace kron::session
