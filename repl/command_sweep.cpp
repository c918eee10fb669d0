// :sweep
#include <algorithm>
#include <cmath>
#include <limits>

#include "lang/syntax/printer.hpp"
#include "repl/files.hpp"
#include "repl/model_text.hpp"
#include "repl/shell.hpp"
#include "repl/text.hpp"

namespace kron::repl {

namespace {

struct Axis {
  Word name;
  double from = 0, to = 0;
  std::size_t points = 1;
  double at(std::size_t i) const {
    return points == 1 ? from : from + (to - from) * static_cast<double>(i) / static_cast<double>(points - 1);
  }
};

struct Plan {
  std::vector<Axis> axes;
  std::vector<Word> values;
  std::optional<Word> file;
  std::size_t rows() const {
    std::size_t n = 1;
    for (const Axis& x : axes) n = n > most / x.points ? most + 1 : n * x.points;
    return n;
  }
  static constexpr std::size_t most = 10'000'000;
};

bool read_axis(Arguments& a, Axis& x) {
  x.name = a.take();
  x.name.text.erase(std::remove(x.name.text.begin(), x.name.text.end(), ' '), x.name.text.end());
  for (const char* word : {"from", "to"}) {
    if (!a.keyword(word)) return a.misuse(a.place(), "`:sweep` wants `" + std::string(word) + "` and a number here"), false;
    const auto v = a.number(word);
    if (!v) return false;
    (word[0] == 'f' ? x.from : x.to) = *v;
  }
  if (!a.keyword("points")) return a.misuse(a.place(), "`:sweep` wants `points` and their number here"), false;
  const auto n = a.count("points");
  x.points = n.value_or(1);
  return n.has_value();
}

bool read_plan(Arguments& a, Plan& p) {
  while (!a.empty() && !a.at_keyword("values")) {
    p.axes.emplace_back();
    if (!read_axis(a, p.axes.back())) return false;
  }
  if (p.axes.empty()) return a.misuse(a.place(), "`:sweep` wants the parameter that varies"), false;
  if (!a.keyword("values")) return a.misuse(a.place(), "`:sweep` wants `values` and the names to tabulate"), false;
  while (!a.empty() && !a.at_keyword("to")) p.values.push_back(a.take());
  if (p.values.empty()) return a.misuse(a.place(), "`values` wants a name"), false;
  if (a.keyword("to")) {
    if (a.empty()) return a.misuse(a.place(), "`to` wants a file name"), false;
    p.file = a.take();
    if (!p.file->text.ends_with(".csv")) {
      a.error("E0506", p.file->span, "`" + p.file->text + "` has no ending of a table").help = "write to a .csv file";
      return false;
    }
  }
  if (p.rows() > Plan::most) return a.misuse(a.whole(), "this sweep has over ten million runs"), false;
  return a.end();
}

struct Table {
  std::vector<std::string> heading;
  std::vector<std::vector<double>> rows;
};

// The values at the end of the last run, behind the parameters of the row.
bool read_values(Arguments& a, const Plan& p, Table& t, bool names) {
  Session& s = a.session();
  const double end = s.result()->trajectory.time().back();
  for (const Word& w : p.values) {
    const auto q = a.quantity(w, true);
    if (!q) return false;
    const syntax::ExprPtr e = names ? a.expression(w) : nullptr;
    for (std::size_t i = 0; i < q->elements.size(); ++i) {
      t.rows.back().push_back(s.sampler()->value(q->elements[i], end));
      if (e) t.heading.push_back((e->kind == syntax::ExprKind::reference ? reference_text(*e) : syntax::print(*e)) + subscript_text(q->sizes, i));
    }
  }
  return true;
}

std::string csv_field(const std::string& s) {
  if (s.find_first_of(",\"\n") == std::string::npos) return s;
  std::string q = "\"";
  for (char c : s) q += c == '"' ? std::string("\"\"") : std::string(1, c);
  return q + "\"";
}

std::string csv(const Table& t) {
  std::string out;
  for (std::size_t i = 0; i < t.heading.size(); ++i) out += (i ? "," : "") + csv_field(t.heading[i]);
  out += "\r\n";
  for (const auto& row : t.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) out += (i ? "," : "") + to_text(row[i]);
    out += "\r\n";
  }
  return out;
}

void reply_table(Shell& shell, const Table& t, Reply& reply) {
  if (shell.json()) {
    Json rows = Json::array();
    for (const auto& r : t.rows) rows.push(Json(r));
    reply.json.set("columns", t.heading).set("rows", std::move(rows));
    return;
  }
  TextTable table(t.heading);
  for (std::size_t i = 0; i < t.heading.size(); ++i) table.right(i);
  for (const auto& r : t.rows) {
    std::vector<std::string> cells;
    for (double v : r) cells.push_back(number(v));
    table.row(std::move(cells));
  }
  reply.text = table.text();
}

// One run; its row is filled up with nan where it failed.
bool run_row(Shell& shell, Arguments& a, const Plan& p, std::size_t row, Table& t) {
  t.rows.emplace_back();
  std::size_t rest = row;
  for (std::size_t i = p.axes.size(); i-- > 0;) {
    t.rows.back().insert(t.rows.back().begin(), p.axes[i].at(rest % p.axes[i].points));
    rest /= p.axes[i].points;
  }
  for (std::size_t i = 0; i < p.axes.size(); ++i)
    if (!shell.session().set_parameter(p.axes[i].name.text, t.rows.back()[i])) return false;
  return shell.session().simulate(shell.simulation_options(), a.whole()) && read_values(a, p, t, t.heading.size() == p.axes.size());
}

}  // namespace

bool do_sweep(Shell& shell, Arguments& a, Reply& reply) {
  Plan p;
  if (!read_plan(a, p)) return false;
  Table t;
  for (const Axis& x : p.axes) t.heading.push_back(x.name.text);
  const auto before = shell.session().overrides();
  bool ok = true;
  {
    Progress bar(shell.terminal().error && !shell.json() && shell.options().logging != "quiet", "sweeping");
    const std::size_t rows = p.rows();
    for (std::size_t row = 0; row < rows && ok; ++row) {
      bar.show(static_cast<double>(row) / static_cast<double>(rows));
      ok = run_row(shell, a, p, row, t) && !interrupted();
    }
  }
  shell.session().restore_overrides(before);
  if (!ok && !t.rows.empty()) {
    if (interrupted()) a.error("E0405", a.whole(), "stopped by Ctrl-C after " + plural(t.rows.size() - 1, "run"));
    t.rows.pop_back();
    if (t.rows.empty()) return false;
  }
  if (p.file) {
    if (const auto why = write_file(p.file->text, csv(t))) return a.error("E0505", p.file->span, *why), false;
    reply.text = "wrote " + plural(t.rows.size(), "row") + " to " + p.file->text + "\n";
    reply.confirmation = true;
    reply.json.set("file", p.file->text);
    if (!shell.json()) return ok;
  }
  const std::string said = reply.text;
  reply_table(shell, t, reply);
  if (p.file) reply.text = said;
  return ok;
}

}  // namespace kron::repl
