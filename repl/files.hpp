// repl/files.hpp: whole text files in and out.
#pragma once
#include <optional>
#include <string>

namespace kron::repl {

struct FileText {
  std::string text, why;              // why: a message, empty where it was read
};
FileText read_file(const std::string& path);  // "-" is standard input; a binary file is refused

// Written beside its name and renamed, so that a full disk leaves the old file whole. Returns why it could not be written.
std::optional<std::string> write_file(const std::string& path, const std::string& text);

std::string folder_of(const std::string& path);        // "" for a bare name

// $XDG_STATE_HOME/kron/NAME, made where the folder is missing; empty where there is no home.
std::string state_file(const std::string& name);

}  // namespace kron::repl
