// tests/program/run.hpp: runs the built program in a folder of its own.
#pragma once
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace kron::test {

struct Outcome {
  int status = -1;
  std::string out, err;
  std::map<std::string, std::string> files;  // made or changed in the folder

  std::vector<nlohmann::json> objects() const;      // of standard output, one a line
  std::vector<nlohmann::json> diagnostics() const;  // of standard error
};

struct Invocation {
  std::vector<std::string> arguments;               // FILE stands for the path of `text`, written to m.eq
  std::string text;
  std::string input;                                // standard input
  std::map<std::string, std::string> files;         // further files in the folder
  std::map<std::string, std::string> environment;
  std::string output = {};                          // standard output goes to this path instead, e.g. /dev/full
  std::size_t largest_file = 0;                     // bytes that a file may have, as on a full disk; 0: any
};

Outcome run(const Invocation&);
Outcome run_script(const std::string& text, const std::vector<std::string>& before = {});  // kron [before...] FILE
nlohmann::json last_object(const std::string& script);  // of kron --json FILE; status must be 0

}  // namespace kron::test
