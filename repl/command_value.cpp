// :value, :save
#include <algorithm>
#include <cmath>

#include "lang/syntax/printer.hpp"
#include "repl/model_text.hpp"
#include "repl/shell.hpp"
#include "repl/text.hpp"

namespace kron::repl {

namespace {

bool has_points(Session& s) { return s.result() && s.result()->trajectory.size() > 0; }

// What a value is called in the reply: a path without blanks, an expression in canonical layout.
std::string reply_name(const syntax::Expr& e) {
  return e.kind == syntax::ExprKind::reference ? reference_text(e) : syntax::print(e);
}

std::optional<std::vector<double>> numbers(Session& s, const elaborate::Quantity& q, std::optional<double> time) {
  std::vector<double> values;
  for (const model::Bound& b : q.elements) {
    std::optional<double> v;
    if (time) v = s.sampler()->value(b, *time);
    else v = s.parameter_value(b);
    if (!v) return std::nullopt;
    values.push_back(*v);
  }
  return values;
}

// The time asked for, inside the run; absent without a result.
std::optional<double> moment(Arguments& a, bool& good) {
  const auto time = a.session().result()->trajectory.time();
  if (!a.keyword("at")) return time.back();
  const Span place = a.place();
  auto t = a.number("at", "s");
  good = t.has_value();
  if (!good) return std::nullopt;
  const double slack = 1e-9 * std::max(std::fabs(time.front()), std::fabs(time.back()));
  good = *t >= time.front() - slack && *t <= time.back() + slack;
  if (good) return std::clamp(*t, time.front(), time.back());
  a.error("E0517", place, "time " + number(*t) + " is outside the last run").help =
      "it went from " + number(time.front()) + " to " + number(time.back());
  return std::nullopt;
}

// All digits of a variable's last value, after a run in high precision.
std::optional<std::string> last_digits(Session& s, const syntax::Expr& e) {
  const std::vector<std::string>& digits = s.result()->trajectory.last_digits;
  const session::Analysis& a = *s.result_analysis();
  if (digits.empty() || e.kind != syntax::ExprKind::reference) return std::nullopt;
  const auto v = model::find(a.flat, reference_text(e));
  if (!v || v->value >= a.representative.size()) return std::nullopt;
  const session::Representative& r = a.representative[v->value];
  if (r.sign == 0 || r.constant != 0) return std::nullopt;
  std::size_t at = digits.size();
  for (std::size_t i = 0; i < a.states.size() && a.states[i].set < 0; ++i)
    if (a.states[i].variable == r.root) at = i;
  if (at == digits.size() && v->value < a.output_of.size() && a.output_of[v->value] != model::FlatModel::none)
    at = a.states.size() + a.output_of[v->value];
  if (at >= digits.size()) return std::nullopt;
  if (r.sign > 0) return digits[at];
  return digits[at].starts_with("-") ? digits[at].substr(1) : "-" + digits[at];
}

std::vector<std::string> value_texts(const elaborate::Quantity& q, const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (double v : values) texts.push_back(value_text(q, v));
  return texts;
}

// Whether all are numbers; the first one that is none is told of.
bool finite(Arguments& a, Span place, const std::string& name, const elaborate::Quantity& q, const std::vector<double>& values) {
  const auto bad = std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
  if (bad == values.end()) return true;
  tell_no_number(a.session().diagnostics(), place, name, q.sizes.empty(), *bad);
  return false;
}

void no_result(Arguments& a, Span place) {
  a.error("E0503", place, "there is no result to take it from").help = "run `:simulate until …` first";
}

}  // namespace

bool do_value(Shell& shell, Arguments& a, Reply& reply) {
  std::vector<Word> words;
  while (!a.empty() && !(a.at_keyword("at") && !words.empty())) words.push_back(a.take());
  if (words.empty()) {
    a.misuse(a.place(), "`:value` wants a name");
    return false;
  }
  Session& s = shell.session();
  bool good = true;
  const std::optional<double> time = has_points(s) ? moment(a, good) : std::nullopt;
  if (!time && a.at_keyword("at") && good) return no_result(a, a.place()), false;
  if (!good || !a.end()) return false;
  const bool at_end = time && *time == s.result()->trajectory.time().back();
  Json values = Json::object(), exact = Json::object();
  bool any_exact = false;
  std::string text;
  for (const Word& w : words) {
    const syntax::ExprPtr e = a.expression(w);
    const auto q = e ? a.quantity(w, true) : std::nullopt;
    if (!q) return false;
    const std::size_t errors = s.diagnostics().error_count();
    const auto v = numbers(s, *q, time);
    if (!v && s.diagnostics().error_count() == errors) no_result(a, w.span);
    if (!v) return false;
    const std::string name = reply_name(*e);
    if (!finite(a, w.span, name, *q, *v)) return false;
    if (shell.json()) values.set(name, array_json(q->sizes, *v));
    const bool is_number = q->type == model::ValueType::real || q->type == model::ValueType::integer;
    const auto digits = at_end && is_number && q->sizes.empty() ? last_digits(s, *e) : std::nullopt;
    if (digits) exact.set(name, *digits);
    any_exact |= digits.has_value();
    text += name + " = " + digits.value_or(array_text(q->sizes, value_texts(*q, *v)));
    const std::string unit = unit_of(s, *e, *q);
    text += (unit.empty() ? "" : " " + unit) + "\n";
  }
  reply.text = std::move(text);
  reply.json.set("time", time ? Json(*time) : Json()).set("values", std::move(values));
  if (any_exact) reply.json.set("digits", std::move(exact));
  return true;
}

bool do_save(Shell& shell, Arguments& a, Reply& reply) {
  const Span place = a.place();
  const auto path = a.word("a file name");
  if (!path || !a.end()) return false;
  if (!has_points(shell.session())) return no_result(a, place), false;
  if (!has_result_ending(a.session().diagnostics(), place, *path)) return false;
  const simulate::ResultTable table = result_table(shell.session(), path->ends_with(".mat"));
  if (const auto why = simulate::write_results(table, *path)) {
    a.error("E0601", place, *why);
    return false;
  }
  reply.text = "wrote " + plural(table.columns.size(), "variable") + " at " + plural(table.time.size(), "point") + " to " + *path + "\n";
  reply.confirmation = true;
  reply.json.set("file", *path);
  return true;
}

}  // namespace kron::repl
