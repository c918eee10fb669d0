// repl/invocation.hpp: the command line, read (commands.md section 1).
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kron::repl {

struct Invocation {
  enum Mode { session, check, simulate, fmt, test, sweep } mode = session;
  bool json = false, quiet = false, verbose = false, interactive = false;
  std::vector<std::pair<std::string, std::string>> sets;  // --set path=value
  std::vector<std::string> texts;                         // -e
  std::vector<std::string> files;
  // simulate
  std::string until, every, points, tolerance, method, output;
  // fmt
  bool only_check = false;
  // sweep
  std::vector<std::string> vary, values;
  std::string samples, seed, trajectories, threads;
};

// Either what to do, or a status to end with at once (help and version printed; wrong use told on standard error: 2).
struct Reading {
  Invocation invocation;
  std::optional<int> status;
};
Reading read_command_line(int argc, const char* const* argv);

}  // namespace kron::repl
