// lang/syntax/explain.hpp: the diagnostic for a piece that does not fit the grammar.
#pragma once
#include <string_view>

#include "engine/base/diagnostic.hpp"

namespace kron::syntax {

struct Expected {
  std::string_view code, what;
};

//   in    the text up to the end of the piece, where the piece begins, where the grammar stopped, and what it expected
//   there out   the most specific of the usual mistakes that fits, else "expected X, found Y"
Diagnostic explain(SourceId, std::string_view text, std::size_t begin, std::size_t at, const Expected&);

}  // namespace kron::syntax
