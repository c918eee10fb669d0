// A model of examples/, without the file's commands.
#pragma once
#include <fstream>
#include <string>

namespace kron::test {

inline std::string example(const std::string& name) {
  std::ifstream file(std::string(KRON_SOURCE_DIR "/examples/") + name);
  std::string text, line;
  while (std::getline(file, line))
    if (!line.starts_with(":")) text += line + "\n";
  return text;
}

}  // namespace kron::test
