// lang/elaborate/overdetermined.hpp: which connections of records with residuals close a loop, and which end of a branch is nearer the root.
//   in    the elaborated top class: branches, connections, roots of every instance
//   out   answers for each instance that differ from the defaults (nothing broken, everything rooted); null where none does
//   how   union-find over branches, then connections in order of text; breadth first from the roots
#pragma once
#include <memory>

#include "lang/elaborate/builder.hpp"

namespace kron::elaborate {

std::unique_ptr<GraphAnswers> graph_answers(const Elaboration& top);
bool same(const GraphAnswers&, const GraphAnswers&);

}  // namespace kron::elaborate
