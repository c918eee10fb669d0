// repl/commands.hpp: the table of commands. It drives dispatch, `:help`, completion and the list in the documentation; a test
// holds it against the parser's list of names.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/simulate/simulate.hpp"
#include "repl/arguments.hpp"
#include "repl/json.hpp"

namespace kron::repl {

class Shell;

// What a command answers: text for people, fields for --json. Handlers fill what is wanted (Shell::json()).
struct Reply {
  std::string text;
  Json json = Json::object();
  bool confirmation = false;  // only says that it was done: not printed with --quiet or logging quiet
};

enum class Complete : std::uint8_t { nothing, names, classes, files, commands, options, topics };

// false: failed, with an error in the session's diagnostics. The reply is kept (a run that ended early has its figures).
using Handler = bool (*)(Shell&, Arguments&, Reply&);

struct Command {
  std::string_view name, arguments, summary;
  Complete complete;             // what its words are completed with
  std::string_view words;        // keywords among its arguments, separated by blanks
  std::string_view schema;       // fields of the JSON object, or "text"
  Handler run;
  std::string_view example;
};

const std::vector<Command>& command_table();
const Command* find_command(std::string_view name);
std::string synopsis(const Command&);  // ":value NAME... [at T]"

// Handlers, by file.
bool read_method(Arguments&, simulate::Options&);  // what stands behind `method`

bool do_simulate(Shell&, Arguments&, Reply&);
bool do_sweep(Shell&, Arguments&, Reply&);
bool do_value(Shell&, Arguments&, Reply&);
bool do_save(Shell&, Arguments&, Reply&);
bool do_plot(Shell&, Arguments&, Reply&);
bool do_animate(Shell&, Arguments&, Reply&);
bool do_blt(Shell&, Arguments&, Reply&);
bool do_states(Shell&, Arguments&, Reply&);
bool do_index(Shell&, Arguments&, Reply&);
bool do_ops(Shell&, Arguments&, Reply&);
bool do_code(Shell&, Arguments&, Reply&);
bool do_incidence(Shell&, Arguments&, Reply&);
bool do_explain(Shell&, Arguments&, Reply&);
bool do_stats(Shell&, Arguments&, Reply&);
bool do_equations(Shell&, Arguments&, Reply&);
bool do_variables(Shell&, Arguments&, Reply&);
bool do_parameters(Shell&, Arguments&, Reply&);
bool do_components(Shell&, Arguments&, Reply&);
bool do_classes(Shell&, Arguments&, Reply&);
bool do_show(Shell&, Arguments&, Reply&);
bool do_write(Shell&, Arguments&, Reply&);
bool do_load(Shell&, Arguments&, Reply&);
bool do_reset(Shell&, Arguments&, Reply&);
bool do_undo(Shell&, Arguments&, Reply&);
bool do_redo(Shell&, Arguments&, Reply&);
bool do_history(Shell&, Arguments&, Reply&);
bool do_time(Shell&, Arguments&, Reply&);
bool do_set(Shell&, Arguments&, Reply&);
bool do_get(Shell&, Arguments&, Reply&);
bool do_help(Shell&, Arguments&, Reply&);
bool do_quit(Shell&, Arguments&, Reply&);

}  // namespace kron::repl
