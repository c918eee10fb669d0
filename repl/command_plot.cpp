// :plot, :incidence
#include <algorithm>
#include <unordered_map>

#include "engine/session/system.hpp"
#include "lang/syntax/printer.hpp"
#include "repl/block_text.hpp"
#include "repl/kept_sweep.hpp"
#include "repl/model_text.hpp"
#include "repl/plot.hpp"
#include "repl/shell.hpp"
#include "repl/text.hpp"

namespace kron::repl {

namespace {

// The curves of one argument: one, or one for each element of an array.
bool curves_of(Arguments& a, const Word& w, std::vector<Curve>& curves) {
  const syntax::ExprPtr e = a.expression(w);
  const auto q = e ? a.quantity(w, true) : std::nullopt;
  if (!q) return false;
  const std::string name = e->kind == syntax::ExprKind::reference ? reference_text(*e) : syntax::print(*e);
  const std::string unit = unit_of(a.session(), *e, *q);
  for (std::size_t i = 0; i < q->elements.size(); ++i)
    curves.push_back({name + subscript_text(q->sizes, i), unit, {}, a.session().sampler()->series(q->elements[i])});
  return true;
}

// `:plot sweep [NAME...]`: the columns asked for, or nothing with an error.
std::optional<std::vector<std::size_t>> sweep_columns(Arguments& a, const KeptSweep& k, const std::vector<Word>& names) {
  std::vector<std::size_t> columns;
  for (const Word& w : names) {
    const syntax::ExprPtr e = a.expression(w);
    if (!e) return std::nullopt;
    const std::string name = e->kind == syntax::ExprKind::reference ? reference_text(*e) : syntax::print(*e);
    const auto begin = k.heading.begin() + static_cast<std::ptrdiff_t>(k.parameters), at = std::find(begin, k.heading.end(), name);
    if (at == k.heading.end()) {
      a.error("E0519", w.span, "the last sweep has no column `" + name + "`").help = "it has " + joined({begin, k.heading.end()}, ", ", 8);
      return std::nullopt;
    }
    columns.push_back(static_cast<std::size_t>(at - k.heading.begin()));
  }
  return columns;
}

struct PlotWords {
  bool sweep = false;
  std::vector<Word> names;
  std::optional<Word> against, file;
};

bool read_plot(Arguments& a, PlotWords& p) {
  p.sweep = a.keyword("sweep");
  while (!a.empty()) {
    const bool vs = a.keyword("vs"), to = !vs && a.keyword("to");
    if (!vs && !to) {
      p.names.push_back(a.take());
      continue;
    }
    if (a.empty()) return a.misuse(a.place(), vs ? "`vs` wants a name" : "`to` wants a file name"), false;
    (vs ? p.against : p.file) = a.take();
  }
  if (p.sweep && p.against) return a.misuse(p.against->span, "a sweep is drawn over its first parameter, or over time"), false;
  if (p.names.empty() && !p.sweep) a.misuse(a.place(), "`:plot` wants a name");
  return !p.names.empty() || p.sweep;
}

bool make_figure(Arguments& a, const PlotWords& p, Figure& f) {
  const auto time = a.session().result()->trajectory.time();
  std::vector<double> x(time.begin(), time.end());
  f.x_name = "time";
  f.x_unit = "s";
  if (p.against && p.against->text != "time") {
    std::vector<Curve> against;
    if (!curves_of(a, *p.against, against)) return false;
    if (against.size() != 1) return a.error("E0502", p.against->span, "`vs` wants one scalar, this is an array"), false;
    x = against[0].y;
    f.x_name = against[0].name;
    f.x_unit = against[0].unit;
  }
  for (const Word& w : p.names)
    if (!curves_of(a, w, f.curves)) return false;
  for (Curve& c : f.curves) c.x = x;
  return true;
}

bool fail(Arguments& a, Span place, const PlotProblem& p) {
  a.error(p.code, place, p.message).help = p.help;
  return false;
}

bool wrote(const Word& file, Reply& reply) {
  reply.text = "wrote " + file.text + "\n";
  reply.confirmation = true;
  reply.json.set("file", file.text);
  return true;
}

}  // namespace

bool do_plot(Shell& shell, Arguments& a, Reply& reply) {
  PlotWords p;
  if (!read_plot(a, p)) return false;
  const bool there = p.sweep ? shell.last_sweep != nullptr : shell.session().result() && shell.session().result()->trajectory.size() > 0;
  if (!there) {
    a.error("E0503", p.names.empty() ? a.whole() : p.names.front().span, p.sweep ? "there is no sweep to plot" : "there is no result to plot").help =
        p.sweep ? "run `:sweep …` first" : "run `:simulate until …` first";
    return false;
  }
  Figure f;
  if (p.sweep) {
    const auto columns = sweep_columns(a, *shell.last_sweep, p.names);
    if (!columns) return false;
    f = figure_of(*shell.last_sweep, *columns);
  } else if (!make_figure(a, p, f)) {
    return false;
  }
  if (p.file) {
    const auto problem = plot_to_file(f, p.file->text);
    return problem ? fail(a, p.file->span, *problem) : wrote(*p.file, reply);
  }
  const Terminal& t = shell.terminal();
  const std::size_t height = t.output ? std::clamp<std::size_t>(t.height > 2 ? t.height - 2 : 0, 12, 28) : 24;
  reply.text = draw(f, {t.width, height, t.colour && !shell.json()});
  return true;
}

// ---- incidence ----------------------------------------------------------------------------------------------------------------------

namespace {

using Points = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Rows of the system that blocks solve, against their unknowns: in the order of the model, and in the order of the blocks.
struct Pattern {
  std::size_t size = 0;
  Points before, after;
};

Pattern pattern_of(const session::Analysis& a) {
  Pattern p;
  std::unordered_map<std::string, std::uint32_t> row_of;  // label to place in the order of the blocks
  std::unordered_map<std::uint32_t, std::uint32_t> column_of;
  std::vector<std::uint32_t> unknowns;
  std::uint32_t n = 0;
  for (const session::Block& b : a.blocks) {
    const std::vector<std::string> labels = session::equation_labels(a, b);
    for (std::size_t i = 0; i < b.unknowns.size(); ++i, ++n) {
      row_of[labels[i]] = n;
      column_of[b.unknowns[i].value] = n;
      unknowns.push_back(b.unknowns[i].value);
    }
  }
  p.size = n;
  std::sort(unknowns.begin(), unknowns.end());
  std::uint32_t row = 0;
  for (const session::SystemRow& r : a.system->rows) {
    const auto at = row_of.find(session::label(*a.system, r));
    if (at == row_of.end()) continue;
    for (std::uint32_t v : a.system->columns(r)) {
      const auto c = column_of.find(v);
      if (c == column_of.end()) continue;
      const auto before = std::lower_bound(unknowns.begin(), unknowns.end(), v) - unknowns.begin();
      p.before.emplace_back(row, static_cast<std::uint32_t>(before));
      p.after.emplace_back(at->second, c->second);
    }
    ++row;
  }
  return p;
}

}  // namespace

bool do_incidence(Shell& shell, Arguments& a, Reply& reply) {
  std::optional<Word> file;
  if (a.keyword("to")) {
    if (a.empty()) return a.misuse(a.place(), "`to` wants a file name"), false;
    file = a.take();
  }
  const auto analysis = a.end() ? analysed(shell, a) : nullptr;
  if (!analysis || !analysis->system) return false;
  const Pattern p = pattern_of(*analysis);
  if (file) {
    const auto problem = plot_to_file({{"as written", p.size, p.size, p.before}, {"sorted into blocks", p.size, p.size, p.after}}, file->text);
    return problem ? fail(a, file->span, *problem) : wrote(*file, reply);
  }
  const std::size_t width = std::min<std::size_t>(shell.terminal().width - 4, 60);
  reply.text = plural(p.size, "equation") + " (down) and unknowns (across), as written:\n" + draw_pattern(p.size, p.size, p.before, width) +
               "sorted into blocks:\n" + draw_pattern(p.size, p.size, p.after, width);
  return true;
}

}  // namespace kron::repl
