#include "repl/commands.hpp"

namespace kron::repl {

const std::vector<Command>& command_table() {
  using enum Complete;
  static const std::vector<Command> table = {
      {"simulate", "[from T0] [until T] [every H | points N] [step H] [tol R] [method M] [precision D]",
       "brings the analysis up to date, initialises, integrates and keeps the result", nothing,
       "from until every points step tol method precision auto bdf adams ida rk45 euler",
       "start stop points steps rhs_evals jacobian_evals newton_iters error_test_fails events state_switches guard_events init_s "
       "solve_s final",
       do_simulate, ":simulate until 10 points 200"},
      {"plot", "NAME... [vs NAME] [to FILE.svg|.png|.pdf], or sweep [NAME...] [to FILE]",
       "curves of the last result, or of the last sweep, on the terminal or in a file", names, "vs to sweep", "text", do_plot, ":plot x (2*x) vs time to curve.svg"},
      {"value", "NAME... [at T]", "values from the last result, by default at its last point", names, "at", "time values", do_value,
       ":value x at 0.5"},
      {"sweep",
       "NAME from A to B points N [log] [NAME ...] [until T] [every H] [tol R] [method M] values NAME... [to FILE.csv] [trajectories [FILE.csv]], where "
       "NAME in V..., NAME uniform from A to B and NAME normal mean M sd S [samples N] [seed S] are other ways to vary one",
       "simulates for every set of parameters; a row each", names,
       "from to points log in uniform normal mean sd samples seed until every tol method values trajectories", "columns rows failed translations threads "
       "in_lanes solve_s", do_sweep, ":sweep k from 1 to 3 points 5 values x"},
      {"save", "FILE.csv|.mat|.json", "writes the last result to a file", files, "", "file text", do_save, ":save result.csv"},
      {"animate", "[to FILE.html]", "a page that shows the 3D mechanism in motion", files, "to", "file text", do_animate, ":animate to robot.html"},
      {"blt", "[block N] [all]", "the blocks in the order of computation: unknowns, equations, how each is solved", nothing,
       "block all", "equations unknowns aliases blocks", do_blt, ":blt block 2"},
      {"states", "", "the chosen states with their start values, dummy derivatives, dynamic state sets", nothing, "",
       "states dummy dynamic initial_equations", do_states, ":states"},
      {"index", "", "which equations were differentiated, how often and why", nothing, "", "equations", do_index, ":index"},
      {"ops", "", "operation counts of one evaluation of the derivatives, by section", nothing, "",
       "constant parameter dynamic output", do_ops, ":ops"},
      {"code", "[block N]", "the generated assignments", nothing, "block", "text", do_code, ":code block 1"},
      {"incidence", "[to FILE.svg|.png|.pdf]", "picture of the incidence matrix before and after sorting", files, "to", "text",
       do_incidence, ":incidence"},
      {"explain", "NAME", "how a variable is computed: alias of what, by which block and equation, and why", names, "",
       "name kind alias_of block equation state reasons", do_explain, ":explain x"},
      {"equations", "[PATTERN]", "the equations with their labels; a pattern filters labels", names, "", "text", do_equations,
       ":equations R1.*"},
      {"variables", "[PATTERN]", "the variables with units and descriptions", names, "", "text", do_variables, ":variables load.*"},
      {"parameters", "[PATTERN]", "the parameters and constants with their values", names, "", "text", do_parameters,
       ":parameters *.R"},
      {"components", "[PATTERN]", "the components with their classes; a pattern looks inside them too", names, "", "text",
       do_components, ":components"},
      {"classes", "[PATTERN]", "the classes of the workspace and of the libraries in use", classes, "", "text", do_classes,
       ":classes *Voltage"},
      {"show", "NAME", "the declaration and description of a class, component, variable or equation", classes, "", "text", do_show,
       ":show x"},
      {"write", "FILE.eq", "writes the workspace as a script that recreates it", files, "", "file text", do_write, ":write model.eq"},
      {"load", "FILE.eq", "replaces the workspace by a file's model; commands in the file are not run", files, "", "file text", do_load,
       ":load model.eq"},
      {"reset", "", "empties the workspace", nothing, "", "text", do_reset, ":reset"},
      {"undo", "", "takes the last edit back", nothing, "", "text", do_undo, ":undo"},
      {"redo", "", "makes the edit again that was taken back last", nothing, "", "text", do_redo, ":redo"},
      {"history", "", "the edits of this session", nothing, "", "text", do_history, ":history"},
      {"time", "COMMAND", "runs a command and shows the wall time of each phase", commands, "", "text", do_time,
       ":time :simulate until 1"},
      {"stats", "", "what the last analysis computed anew and what it reused, and the time of its phases", nothing, "",
       "edit phases", do_stats, ":stats"},
      {"set", "NAME VALUE", "sets an option", options, "", "text", do_set, ":set tolerance 1e-8"},
      {"get", "[NAME]", "shows options", options, "", "text", do_get, ":get method"},
      {"help", "[TOPIC | :COMMAND | CODE]", "explains a command, a topic or a diagnostic code", topics, "", "text", do_help,
       ":help :simulate"},
      {"quit", "", "ends the session", nothing, "", "text", do_quit, ":quit"},
  };
  return table;
}

const Command* find_command(std::string_view name) {
  for (const Command& c : command_table())
    if (c.name == name) return &c;
  return nullptr;
}

std::string synopsis(const Command& c) {
  std::string s = ":" + std::string(c.name);
  if (!c.arguments.empty()) s += " " + std::string(c.arguments);
  return s;
}

}  // namespace kron::repl
