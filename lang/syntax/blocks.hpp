// lang/syntax/blocks.hpp: pieces to statements: bodies are put into the blocks that hold them.
//   in    the layout of a text
//   out   its statements. A block without `end`, an `end` without block and a statement where it cannot stand are
//   reported. A
//         first line that does not parse still opens its block, so that its `end` finds it.
#pragma once
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "lang/syntax/ast.hpp"
#include "lang/syntax/layout.hpp"

namespace kron::syntax {

struct Blocks {
  std::vector<StmtPtr> statements;
  bool is_open = false;  // a block was open at the end of the text
};

Blocks build_blocks(SourceId, std::string_view text, Layout, Diagnostics&);

}  // namespace kron::syntax
