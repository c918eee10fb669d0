// repl/terminal.hpp: what the program knows of the terminal: width, colours, Ctrl-C, a progress bar, writing that may fail.
#pragma once
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kron::repl {

struct Terminal {
  bool input = false, output = false, error = false;  // is a terminal
  bool colour = false;                                // of output
  std::size_t width = 80, height = 24;
  static Terminal look();                             // width follows the window, else COLUMNS, else 80
};

// Ctrl-C sets the flag; long work looks at it. A second Ctrl-C while the flag is set ends the program.
std::atomic<bool>& interrupted();
void catch_signals();  // SIGINT to the flag, SIGPIPE ignored (a closed pipe is an error of writing)

// Standard output. After the first failure nothing more is written.
class Output {
 public:
  void write(std::string_view);
  bool flush();                                       // false: writing failed, now or before
  bool failed() const { return error_ != 0; }
  std::string why() const;                            // of the failure, for a message; empty for a closed pipe
 private:
  int error_ = 0;
};

// A bar on standard error, drawn when the work takes longer than 0.3 s and wiped at the end.
class Progress {
 public:
  Progress(bool on, std::string title) : on_(on), title_(std::move(title)) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(std::optional<double> fraction);  // without one: the time only

 private:
  bool on_, drawn_ = false;
  std::string title_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), last_ = begin_;
};

}  // namespace kron::repl
