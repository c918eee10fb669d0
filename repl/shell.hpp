// repl/shell.hpp: a session with its options and its channels: runs statements and commands in order, prints replies on standard
// output and diagnostics on standard error, as text or as JSON lines.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "repl/commands.hpp"
#include "repl/options.hpp"
#include "repl/terminal.hpp"

namespace kron::repl {

struct KeptSweep;

class Shell {
 public:
  struct Settings {
    bool json = false, quiet = false, verbose = false;
    std::vector<std::pair<std::string, std::string>> sets;  // --set path=value
    elaborate::Settings libraries;
  };
  explicit Shell(Settings);

  Session& session() { return session_; }
  Options& options() { return options_; }
  const Terminal& terminal() const { return terminal_; }
  bool json() const { return settings_.json; }
  // Elapsed times are for people who watch: text in a file or a pipe is the same bytes on every run. Commands that are asked for
  // times tell them always.
  bool shows_times() const { return terminal_.output; }
  bool interactive = false;
  bool quit = false;
  std::shared_ptr<const KeptSweep> last_sweep;             // or null

  // A whole text: parsed first; with syntax errors nothing runs. False where anything failed.
  bool run_text(const std::string& file, std::string text);
  // Statements in order (commands.md section 1: a script goes on as far as the next command after a failed statement).
  bool run(const std::vector<syntax::StmtPtr>&);
  bool run_model(const std::vector<syntax::StmtPtr>&);    // without its commands
  bool run_command(const std::string& name, const std::string& text, Span);
  // One command inside another one (`:time`), its reply apart.
  bool dispatch(const std::string& name, const std::string& text, Span, Reply&);
  bool apply_sets();                                       // --set, once there is a model

  void print_diagnostics();                                // and clears them
  void print(const Reply&, const std::string& command, bool ok);
  void say(const std::string& text);                       // to standard output
  bool output_good();                                      // flushes; false (with a message, once) when writing failed
  simulate::Options simulation_options();                  // from experiment and :set; commands go on top

  // Results of the commands of `kron test`: kept apart instead of printed.
  void capture(std::string* to) { capture_ = to; }

 private:
  Json reply_object(const Reply&, const std::string& command, bool ok, const Diagnostic* error);

  Settings settings_;
  Terminal terminal_;
  Session session_;
  Options options_;
  Output output_;
  std::string* capture_ = nullptr;
  bool sets_done_ = false, write_error_told_ = false;
  Diagnostic first_error_;  // of what was told last, for the JSON object of the command that failed
};

Json error_json(const Diagnostic&);  // what a failed command says of it
std::string diagnostic_json(const Diagnostic&);
// The folders of libraries: KRON_PATH, then the installed one (beside the program's folder, or beside the program where it was built).
elaborate::Settings library_settings();

}  // namespace kron::repl
