// repl/editor.hpp: the interactive session: prompt, line editing and history by readline.
#pragma once
#include <string>
#include <vector>

#include "repl/shell.hpp"

namespace kron::repl {

void interact(Shell&);

// One entry at the prompt: model text, commands, or a bare expression, whose value is shown. False where something failed.
bool enter(Shell&, const std::string& text);

}  // namespace kron::repl
