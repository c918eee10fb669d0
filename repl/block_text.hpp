// repl/block_text.hpp: what several commands about the analysis share.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "repl/commands.hpp"

namespace kron::repl {

// The analysis, brought up to date; null with diagnostics where the model is incomplete.
std::shared_ptr<const session::Analysis> analysed(Shell&, Arguments&);

// `block N` where it stands next: its position; inner nullopt where it was not given; outer nullopt on an error.
std::optional<std::optional<std::size_t>> block_argument(Arguments&, const session::Analysis&);

std::string phases_text(const session::Phases&);

}  // namespace kron::repl
