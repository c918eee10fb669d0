// engine/model/algebra.hpp: symbolic work on one expression over placeholders. The only file pair that includes GiNaC is
// algebra.cpp; nothing of GiNaC's term order, which changes from run to run, leaves it: terms and signs of what comes back are put
// into an order of our own.
#pragma once
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "engine/model/expr.hpp"

namespace kron::model {

// Nodes below `root`, arguments before users, each once.
std::vector<NodeId> postorder(const Exprs&, NodeId root);

// Total derivative: the sum over leaves of (∂root/∂leaf)·seed(leaf). Rules by a table; shared nodes are differentiated once.
// Jumps (sign, floor, relations) have derivative 0; the marks relax, residue and noEvent stay on the derivative.
NodeId differentiate(Exprs&, NodeId root, const std::function<NodeId(NodeId leaf)>& seed);

// The same expression with leaves replaced and folded again.
NodeId substitute(Exprs& to, const Exprs& from, NodeId root, const std::function<NodeId(NodeId leaf)>& leaf);

// GiNaC: an equal expression with fewer operations where expansion or cancellation finds one, else the node itself. Expressions
// above a size are returned as they are; functions are left alone.
NodeId simplify(Exprs&, NodeId);

// GiNaC: e = a·p + b with a, b free of placeholder p, found by expansion. nullopt: not of degree one (or too large to tell).
std::optional<std::pair<NodeId, NodeId>> degree_one(Exprs&, NodeId, std::uint32_t placeholder);

// GiNaC: numerator and denominator of a / b without common factors; a and b themselves where they are too large.
std::pair<NodeId, NodeId> reduced_fraction(Exprs&, NodeId a, NodeId b);

// Operations of the DAG below the node (add, mul, div, calls: one each).
std::size_t operations(const Exprs&, NodeId);

}  // namespace kron::model
