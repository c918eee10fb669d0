// :simulate
#include <algorithm>
#include <string>
#include <vector>

#include "repl/model_text.hpp"
#include "repl/shell.hpp"
#include "repl/text.hpp"

namespace kron::repl {

bool read_method(Arguments& a, simulate::Options& o) {
  const Span at = a.place();
  const auto name = a.word("a method");
  if (!name) return false;
  const auto m = simulate::method_named(*name);
  if (m) o.method = *m;
  else a.misuse(at, "`" + *name + "` is no integration method").help = simulate::methods_help;
  return m.has_value();
}

namespace {

bool take(std::optional<double> v, double& target) {
  if (v) target = *v;
  return v.has_value();
}

bool positive(Arguments& a, Span at, std::string_view what, double v) {
  if (v > 0) return true;
  a.misuse(at, "`" + std::string(what) + "` wants a number above 0");
  return false;
}

bool read_positive(Arguments& a, std::string_view what, std::string_view unit, double& target) {
  const Span at = a.place();
  return take(a.number(what, unit), target) && positive(a, at, what, target);
}

bool read_run_setting(Arguments& a, simulate::Options& o) {
  double v = 0;
  if (a.keyword("from")) return take(a.number("from", "s"), o.start);
  if (a.keyword("until")) return take(a.number("until", "s"), o.stop);
  if (a.keyword("tol")) return read_positive(a, "tol", "1", o.tolerance);
  if (a.keyword("method")) return read_method(a, o);
  if (a.keyword("every")) {
    if (!read_positive(a, "every", "s", v)) return false;
    o.every = v;
    return true;
  }
  if (a.keyword("step")) {
    if (!read_positive(a, "step", "s", v)) return false;
    o.step = v;
    return true;
  }
  if (a.keyword("points")) {
    const auto n = a.count("points");
    o.points = n.value_or(o.points);
    o.every.reset();
    return n.has_value();
  }
  if (a.keyword("precision")) {
    const auto n = a.count("precision");
    o.precision = static_cast<unsigned>(std::min<std::size_t>(n.value_or(15), 1000));
    return n.has_value();
  }
  const Word& w = *a.peek();
  Diagnostic& d = a.misuse(w.span, "`:simulate` does not understand `" + w.text + "`");
  if (plain_number(w.text)) d.help = "write `:simulate until " + w.text + "`";
  return false;
}

bool is_output_setting(std::string_view word) { return word == "points" || word == "every"; }

Json final_states(Session& s) {
  Json j = Json::object();
  const session::Analysis& a = *s.result_analysis();
  const simulate::Trajectory& t = s.result()->trajectory;
  if (t.size() == 0) return j;
  const auto last = t.state(t.size() - 1);
  for (std::size_t i = 0; i < a.states.size() && a.states[i].set < 0 && i < last.size(); ++i)
    j.set(session::name(a, a.states[i].variable), last[i]);
  for (std::size_t k = 0; k < a.sets.size(); ++k) {
    const auto states = session::chosen(a, k, t.choice_of_point(t.size() - 1));
    for (std::size_t i = 0; i < states.size(); ++i) j.set(session::name(a, states[i]), last[a.sets[k].first + i]);
  }
  return j;
}

void report_figures(Shell& shell, const simulate::Options& o, Reply& reply) {
  const simulate::Result& r = *shell.session().result();
  const simulate::Counters& c = r.counters;
  const auto time = r.trajectory.time();
  const double stop = time.empty() ? o.start : time.back();
  if (shell.json()) {
    reply.json.set("start", o.start).set("stop", stop).set("points", time.size()).set("steps", c.steps).set("rhs_evals", c.rhs_evals)
        .set("jacobian_evals", c.jacobian_evals).set("newton_iters", c.newton_iters).set("error_test_fails", c.error_test_fails)
        .set("events", c.events).set("time_events", c.time_events).set("state_events", c.state_events).set("state_switches", c.state_switches).set("guard_events", c.guard_events)
        .set("init_s", c.init_s).set("solve_s", c.solve_s).set("final", final_states(shell.session()))
        .set("method", simulate::to_text(r.used)).set("algebraic", c.algebraic);
    if (r.terminated) reply.json.set("terminated", *r.terminated);
    return;
  }
  if (time.empty()) return;  // it did not come to start
  reply.text = "time " + number(o.start) + " to " + number(stop) + ": " + plural(time.size(), "point") + ", " +
               plural(c.steps, "step") + " of " + std::string(simulate::to_text(r.used));
  if (c.algebraic) reply.text += " with " + plural(c.algebraic, "algebraic unknown");
  if (c.events) {
    reply.text += ", " + plural(c.events, "event");
    if (c.time_events && c.state_events) reply.text += " (" + std::to_string(c.time_events) + " in time, " + std::to_string(c.state_events) + " of states)";
  }
  if (c.relaxation_sweeps) reply.text += ", " + plural(c.relaxation_sweeps, "sweep") + " of relaxation";
  if (c.relaxation_failures) reply.text += " (" + plural(c.relaxation_failures, "time") + " without success: by LU)";
  if (c.state_switches) reply.text += ", " + plural(c.state_switches, "change", "changes") + " of states";
  if (shell.shows_times()) reply.text += ", " + seconds(c.init_s + c.solve_s);
  if (r.terminated) reply.text += "; ended by the model: " + *r.terminated;
  reply.text += "\n";
  reply.confirmation = true;
}

}  // namespace

bool do_simulate(Shell& shell, Arguments& a, Reply& reply) {
  simulate::Options o = shell.simulation_options();
  std::vector<std::string> given;
  while (!a.empty()) {
    const Word setting = *a.peek();
    if (!read_run_setting(a, o)) return false;
    for (const std::string& other : given) {
      const bool twice = other == setting.text;
      if (!twice && !(is_output_setting(other) && is_output_setting(setting.text))) continue;
      a.misuse(setting.span, twice ? "`" + other + "` is given twice" : "`" + other + "` and `" + setting.text + "` both say how many points there are");
      return false;
    }
    given.push_back(setting.text);
  }
  if (!(o.stop >= o.start)) {
    a.misuse(a.whole(), "the run would end at " + number(o.stop) + ", before its start at " + number(o.start));
    return false;
  }
  const simulate::Result* before = shell.session().result();
  bool ok = false;
  {
    Progress bar(shell.terminal().error && !shell.json() && shell.options().logging != "quiet", "simulating");
    o.progress = [&](double fraction) { bar.show(fraction); };
    ok = shell.session().simulate(o, a.whole());
  }
  if (shell.session().result() != before) report_figures(shell, o, reply);
  return ok;
}

}  // namespace kron::repl
