#include "repl/invocation.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "repl/version.hpp"

namespace kron::repl {

namespace {

// A number, perhaps with a unit, or an expression in parentheses: what the session's commands take.
std::string looks_like_number(const std::string& text) {
  const bool expression = text.starts_with("(") || text.find('[') != std::string::npos;
  double v = 0;
  if (expression || CLI::detail::lexical_cast(text, v)) return {};
  return "`" + text + "` is no number";
}

std::string looks_positive(const std::string& text) {  // CLI11's own check names the largest double
  double v = 0;
  if (CLI::detail::lexical_cast(text, v) && v > 0) return {};
  return "`" + text + "` is no number above 0";
}

void add_simulate(CLI::App& app, Invocation& i) {
  CLI::App* s = app.add_subcommand("simulate", "simulate a file's model, ignoring its commands");
  s->add_option("FILE", i.files, "the model")->required()->expected(1)->type_name("");
  s->add_option("--until", i.until, "end of the run")->type_name("T")->check(looks_like_number);
  auto* every = s->add_option("--every", i.every, "distance of output points")->type_name("H")->check(looks_like_number);
  s->add_option("--points", i.points, "number of output intervals")->type_name("N")->check(looks_positive)->excludes(every);
  s->add_option("--tol", i.tolerance, "relative tolerance")->type_name("R")->check(looks_positive);
  s->add_option("--method", i.method, "integrator")->check(CLI::IsMember({"auto", "bdf", "adams", "ida", "rk45", "euler"}));
  s->add_option("-o,--output", i.output, "result file: .csv, .mat or .json")->type_name("FILE");
}

void add_sweep(CLI::App& app, Invocation& i) {
  CLI::App* s = app.add_subcommand("sweep", "simulate for every set of parameters, a row each");
  s->add_option("FILE", i.files, "the model")->required()->expected(1)->type_name("");
  s->add_option("--vary", i.vary, "parameter and range")->type_name("NAME=A:B:N[:log]|V,...|uniform:A:B|normal:M:S")->required()->take_all()->allow_extra_args(false);
  s->add_option("--values", i.values, "names to tabulate at the end of each run")->type_name("NAMES")->required()->take_all()->allow_extra_args(false);
  s->add_option("--samples", i.samples, "how many of each distribution")->type_name("N")->check(looks_positive);
  s->add_option("--seed", i.seed, "of the samples")->type_name("S")->check(CLI::NonNegativeNumber);
  s->add_option("--until", i.until, "end of each run")->type_name("T")->check(looks_like_number);
  s->add_option("--tol", i.tolerance, "relative tolerance")->type_name("R")->check(looks_positive);
  s->add_option("--method", i.method, "integrator")->check(CLI::IsMember({"auto", "bdf", "adams", "ida", "rk45", "euler"}));
  s->add_option("--threads", i.threads, "runs at a time")->type_name("N")->check(CLI::Range(1, 1024));
  s->add_option("-o,--output", i.output, "table: a .csv file")->type_name("FILE");
  s->add_option("--trajectories", i.trajectories, "every output point of every run: a .csv file")->type_name("FILE");
}

void add_others(CLI::App& app, Invocation& i) {
  CLI::App* check = app.add_subcommand("check", "parse, elaborate and analyse; run no command of the file");
  check->add_option("FILE", i.files, "the model")->required()->expected(1)->type_name("");
  CLI::App* fmt = app.add_subcommand("fmt", "canonical layout, in place");
  fmt->add_option("FILE", i.files, "files; - is standard input to standard output")->required()->type_name("");
  fmt->add_flag("--check", i.only_check, "change nothing; status 1 where a file would change");
  CLI::App* test = app.add_subcommand("test", "run the test blocks of files and libraries");
  test->add_option("FILE", i.files, "files or libraries")->required()->type_name("");
}

void add_session(CLI::App& app, Invocation& i, std::vector<std::string>& sets) {
  app.add_flag("--json", i.json, "one JSON object per command on standard output, one per diagnostic on standard error");
  app.add_flag("--quiet", i.quiet, "results and errors only");
  app.add_flag("--verbose", i.verbose, "tell more");
  app.add_option("--set", sets, "set a parameter after loading")->type_name("PATH=VALUE")->take_all()->allow_extra_args(false)->check([](const std::string& s) {
    const std::size_t at = s.find('=');
    return at == std::string::npos || at == 0 || at + 1 == s.size() ? "`" + s + "` is not of the form path=value" : std::string();
  });
  app.add_option("-e,--eval", i.texts, "run text (may repeat; before files)")->type_name("TEXT")->take_all()->allow_extra_args(false);
  app.add_flag("-i,--interactive", i.interactive, "stay in the session afterwards");
  app.add_option("FILE", i.files, "scripts to run; - is standard input")->type_name("");
}

}  // namespace

Reading read_command_line(int argc, const char* const* argv) {
  Reading r;
  std::vector<std::string> sets;
  CLI::App app("Kron: an equation-based modelling language.\nWithout a file: an interactive session.", "kron");
  app.set_version_flag("--version", "kron " + std::string(version));
  app.set_help_flag("-h,--help", "this text");
  app.fallthrough();
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(34);
  add_session(app, r.invocation, sets);
  add_others(app, r.invocation);
  add_simulate(app, r.invocation);
  add_sweep(app, r.invocation);
  for (CLI::App* s : app.get_subcommands({})) s->fallthrough();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int status = app.exit(e, std::cout, std::cerr);
    r.status = status == 0 ? 0 : 2;
    return r;
  }
  for (const std::string& s : sets) r.invocation.sets.emplace_back(s.substr(0, s.find('=')), s.substr(s.find('=') + 1));
  using Mode = Invocation::Mode;
  const std::pair<const char*, Mode> modes[] = {{"check", Mode::check}, {"simulate", Mode::simulate}, {"fmt", Mode::fmt}, {"test", Mode::test}, {"sweep", Mode::sweep}};
  for (const auto& [name, mode] : modes)
    if (app.got_subcommand(name)) r.invocation.mode = mode;
  return r;
}

}  // namespace kron::repl
