// repl/completion.hpp: what may follow what is typed; knows no terminal.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "repl/shell.hpp"

namespace kron::repl {

struct Completions {
  std::size_t begin = 0;                // of the word that is completed, a byte of the line
  std::vector<std::string> candidates;  // whole replacements for the word, sorted, without doubles
  bool files = false;                   // complete with file names instead
  bool open = false;                    // a candidate may go on (a component: `.` follows): no blank behind it
};

Completions complete(Shell&, std::string_view line, std::size_t cursor);

}  // namespace kron::repl
