// engine/model/invert.hpp: an equation turned round for a placeholder that occurs once, where it is not linear in it.
#pragma once
#include <optional>

#include "engine/model/form.hpp"

namespace kron::model {

// p such that root = 0. Only operations with one real inverse are turned round (not sqrt, even powers, trigonometric functions).
std::optional<Isolated> invert(Exprs&, NodeId root, NodeId placeholder);

}  // namespace kron::model
