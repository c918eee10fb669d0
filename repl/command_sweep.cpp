// :sweep
#include <algorithm>
#include <cmath>

#include "lang/syntax/printer.hpp"
#include "repl/files.hpp"
#include "repl/kept_sweep.hpp"
#include "repl/model_text.hpp"
#include "repl/shell.hpp"
#include "repl/sweep_axes.hpp"
#include "repl/text.hpp"

namespace kron::repl {

namespace {

struct Wanted {
  Axes axes;
  std::vector<Word> values;
  std::optional<Word> file, trajectories;
  bool series = false;
};

std::optional<Word> read_file_name(Arguments& a, const char* what) {
  if (a.empty()) {
    a.misuse(a.place(), "`" + std::string(what) + "` wants a file name");
    return std::nullopt;
  }
  const Word w = a.take();
  if (w.text.ends_with(".csv")) return w;
  a.error("E0506", w.span, "`" + w.text + "` has no ending of a table").help = "write to a .csv file";
  return std::nullopt;
}

bool read_sweep_setting(Arguments& a, simulate::Options& o) {
  if (a.keyword("method")) return read_method(a, o);
  const Word word = a.take();
  const Span at = a.place();
  const auto v = a.number(word.text, word.text == "tol" ? "1" : "s");
  if (!v) return false;
  const bool is_end = word.text == "until";
  if (!is_end && !(*v > 0)) return a.misuse(at, "`" + word.text + "` wants a number above 0"), false;
  if (is_end && *v < o.start)
    return a.misuse(at, "the runs would end at " + number(*v) + ", before their start at " + number(o.start)), false;
  if (is_end) o.stop = *v;
  else if (word.text == "tol") o.tolerance = *v;
  else o.every = *v;
  return true;
}

bool at_setting(const Arguments& a) {
  return a.at_keyword("until") || a.at_keyword("every") || a.at_keyword("tol") || a.at_keyword("method");
}

bool read_sweep(Arguments& a, Wanted& w, simulate::Options& o) {
  while (!a.empty() && !a.at_keyword("values"))
    if (!(at_setting(a) ? read_sweep_setting(a, o) : read_axis(a, w.axes))) return false;
  if (w.axes.axes.empty()) return a.misuse(a.place(), "`:sweep` wants the parameter that varies"), false;
  if (!a.keyword("values")) return a.misuse(a.place(), "`:sweep` wants `values` and the names to tabulate"), false;
  while (!a.empty() && !a.at_keyword("to") && !a.at_keyword("trajectories")) w.values.push_back(a.take());
  if (w.values.empty()) return a.misuse(a.place(), "`values` wants a name"), false;
  while (a.at_keyword("to") || a.at_keyword("trajectories")) {
    const bool table = a.keyword("to");
    if (!table) {
      a.keyword("trajectories");
      w.series = true;
      if (a.empty() || a.at_keyword("to")) continue;  // for `:plot sweep`
    }
    auto name = read_file_name(a, table ? "to" : "trajectories");
    if (!name) return false;
    (table ? w.file : w.trajectories) = std::move(name);
  }
  if (w.axes.size() > Axes::most) return a.misuse(a.whole(), "this sweep has over ten million runs"), false;
  return a.end();
}

// Whether trajectories stay within 4 GB.
bool series_fit(Arguments& a, const Wanted& w, const SweepPlan& p) {
  constexpr double most = 5e8;
  const double points =
      p.options.every ? (p.options.stop - p.options.start) / *p.options.every + 1 : static_cast<double>(p.options.points) + 1;
  const double numbers = points * static_cast<double>(p.sets.size()) * static_cast<double>(w.values.size() + 1);
  if (!w.series || numbers <= most) return true;
  a.misuse(a.whole(), "the trajectories would have " + number(numbers) + " numbers: ask for fewer runs, points or values");
  return false;
}

// ---- the table

struct Table {
  std::vector<std::string> heading;
  std::vector<std::vector<double>> rows;
};

std::vector<std::string> headings(Arguments& a, const Wanted& w, const Sweep& s) {
  std::vector<std::string> list;
  for (const Axis& x : w.axes.axes) list.push_back(x.name.text);
  for (std::size_t k = 0; k < w.values.size() && k < s.sizes.size(); ++k) {
    const syntax::ExprPtr e = a.expression(w.values[k]);
    const std::string name = e->kind == syntax::ExprKind::reference ? reference_text(*e) : syntax::print(*e);
    std::size_t elements = 1;
    for (std::uint32_t n : s.sizes[k]) elements *= n;
    for (std::size_t i = 0; i < elements; ++i) list.push_back(name + subscript_text(s.sizes[k], i));
  }
  return list;
}

// Of the runs that were begun; a failed one has no values.
Table table_of(const KeptSweep& k) {
  Table t{k.heading, {}};
  for (std::size_t i = 0; i < k.sets.size(); ++i) {
    if (k.sweep.rows[i].state == SweepRow::State::open) continue;
    t.rows.push_back(k.sets[i]);
    t.rows.back().insert(t.rows.back().end(), k.sweep.rows[i].values.begin(), k.sweep.rows[i].values.end());
    t.rows.back().resize(t.heading.size(), std::nan(""));
  }
  return t;
}

std::string csv_field(const std::string& s) {
  if (s.find_first_of(",\"\n") == std::string::npos) return s;
  std::string q = "\"";
  for (char c : s) q += c == '"' ? std::string("\"\"") : std::string(1, c);
  return q + "\"";
}

void add_line(std::string& out, const std::vector<double>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) out += (i ? "," : "") + (std::isnan(cells[i]) ? std::string() : to_text(cells[i]));
  out += "\r\n";
}

std::string csv(const Table& t) {
  std::string out;
  for (std::size_t i = 0; i < t.heading.size(); ++i) out += (i ? "," : "") + csv_field(t.heading[i]);
  out += "\r\n";
  for (const auto& row : t.rows) add_line(out, row);
  return out;
}

void reply_table(Shell& shell, const Table& t, Reply& reply) {
  if (shell.json()) {
    Json rows = Json::array();
    for (const auto& r : t.rows) rows.push(Json(r));
    reply.json.set("columns", t.heading).set("rows", std::move(rows));
    return;
  }
  const std::shared_ptr<const session::Analysis> a = shell.session().current_analysis();
  std::vector<std::optional<model::VarId>> of;  // whose values a column has, for their names
  for (const std::string& name : t.heading) of.push_back(a && a->complete ? model::find(a->flat, name) : std::nullopt);
  TextTable table(t.heading);
  for (std::size_t i = 0; i < t.heading.size(); ++i) table.right(i);
  for (const auto& r : t.rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < r.size(); ++i) cells.push_back(std::isnan(r[i]) ? "-" : of[i] ? value_text(model::declaration(a->flat, *of[i]), r[i]) : number(r[i]));
    table.row(std::move(cells));
  }
  reply.text = table.text();
}

// One line for each output point of each run: the run, its parameters, time, values.
Table trajectories_of(const KeptSweep& k) {
  Table t{{"run"}, {}};
  const auto values = k.heading.begin() + static_cast<std::ptrdiff_t>(k.parameters);
  t.heading.insert(t.heading.end(), k.heading.begin(), values);
  t.heading.push_back("time");
  t.heading.insert(t.heading.end(), values, k.heading.end());
  for (std::size_t i = 0; i < k.sets.size(); ++i) {
    const SweepRow& r = k.sweep.rows[i];
    for (std::size_t point = 0; point < r.time.size(); ++point) {
      std::vector<double> line{static_cast<double>(i + 1)};
      line.insert(line.end(), k.sets[i].begin(), k.sets[i].end());
      line.push_back(r.time[point]);
      for (const auto& column : r.series) line.push_back(column[point]);
      t.rows.push_back(std::move(line));
    }
  }
  return t;
}

// ---- what is said besides

// The reasons of failed runs, the first ones in full.
Json tell_failures(Arguments& a, const KeptSweep& k) {
  const std::vector<std::vector<double>>& sets = k.sets;
  const Sweep& s = k.sweep;
  constexpr std::size_t most = 10;
  Json list = Json::array();
  std::size_t failed = 0;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (s.rows[i].state != SweepRow::State::failed) continue;
    const Diagnostic* error = s.rows[i].why.first_error();
    Diagnostic d = error ? *error : Diagnostic{Severity::error, "E0598", "the run did not succeed", a.whole(), {}, {}, {}};
    Json one = Json::object();
    list.push(one.set("row", i + 1).set("code", d.code).set("message", d.message));
    d.message = "run " + std::to_string(i + 1) + " (" + set_text(k, i) + ") failed: " + d.message;
    if (!d.span.known()) d.span = a.whole();
    if (++failed <= most) a.session().diagnostics().add(std::move(d));
  }
  if (failed > most) a.error("E0414", a.whole(), std::to_string(failed - most) + " more runs failed").help = "`--json` tells why each did";
  return list;
}

void tell_translations(Arguments& a, const Sweep& s) {
  if (s.structural.empty()) return;
  std::string names;
  for (std::size_t k = 0; k < s.structural.size(); ++k) names += (k ? ", `" : "`") + s.structural[k] + "`";
  a.session().diagnostics().note("N0504", a.whole(),
                                 names + " shape" + (s.structural.size() == 1 ? "s" : "") + " the equations: the model was translated " +
                                     plural(s.translations, "time"));
}

bool write(Arguments& a, const Word& file, const Table& t, const char* what, std::string& said) {
  if (const auto why = write_file(file.text, csv(t))) return a.error("E0505", file.span, *why), false;
  said += "wrote " + plural(t.rows.size(), what) + " to " + file.text + "\n";
  return true;
}

}  // namespace

bool do_sweep(Shell& shell, Arguments& a, Reply& reply) {
  Wanted w;
  SweepPlan plan;
  plan.options = shell.simulation_options();
  if (!read_sweep(a, w, plan.options)) return false;
  for (const Axis& x : w.axes.axes) {
    plan.parameters.push_back(x.name.text);
    plan.parameter_places.push_back(x.name.span);
  }
  for (const Word& v : w.values) {
    plan.value_places.push_back(v.span);
    plan.values.push_back(a.expression(v));
    if (!plan.values.back()) return false;
  }
  plan.sets = w.axes.sets();
  plan.series = w.series;
  if (!series_fit(a, w, plan)) return false;
  plan.batch.threads = shell.options().threads;
  plan.command = a.whole();
  std::optional<Sweep> s;
  {
    Progress bar(shell.terminal().error && !shell.json() && shell.options().logging != "quiet", "sweeping");
    plan.options.progress = [&](double fraction) { bar.show(fraction); };
    s = shell.session().sweep(plan);
  }
  if (!s) return false;
  const auto kept = std::make_shared<KeptSweep>();
  *kept = {plan.parameters.size(), headings(a, w, *s), std::move(plan.sets), std::move(*s), plan.series};
  shell.last_sweep = kept;
  tell_translations(a, kept->sweep);
  Json failures = tell_failures(a, *kept);
  const auto count = [&](SweepRow::State state) {
    return static_cast<std::size_t>(
        std::count_if(kept->sweep.rows.begin(), kept->sweep.rows.end(), [&](const SweepRow& r) { return r.state == state; }));
  };
  const std::size_t failed = count(SweepRow::State::failed), open = count(SweepRow::State::open);
  if (open > 0) a.error("E0405", a.whole(), "stopped by Ctrl-C after " + plural(kept->sets.size() - open, "run"));
  if (count(SweepRow::State::done) == 0 && (failed == 0 || !w.file)) return false;  // a file says that all failed: it must not stay what it was
  const Table table = table_of(*kept);
  std::string said;
  if (w.trajectories && !write(a, *w.trajectories, trajectories_of(*kept), "point", said)) return false;
  if (w.file && !write(a, *w.file, table, "row", said)) return false;
  if (shell.json() || !w.file) reply_table(shell, table, reply);
  reply.text = (w.file ? "" : reply.text) + said;
  reply.confirmation = w.file.has_value();
  if (w.file) reply.json.set("file", w.file->text);
  if (w.trajectories) reply.json.set("trajectories", w.trajectories->text);
  if (w.axes.random()) reply.json.set("seed", w.axes.seed);
  const simulate::BatchCounters& c = kept->sweep.counters;
  reply.json.set("failed", std::move(failures))
      .set("translations", kept->sweep.translations)
      .set("threads", c.threads)
      .set("in_lanes", c.in_lanes)
      .set("solve_s", c.solve_s);
  return failed == 0 && open == 0;
}

}  // namespace kron::repl
