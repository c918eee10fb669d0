#include "lang/workspace/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/session/loop_flows.hpp"
#include "engine/session/variation.hpp"
#include "lang/elaborate/shaping.hpp"
#include "lang/syntax/printer.hpp"
#include "lang/workspace/session_data.hpp"

namespace kron {

namespace {

std::optional<std::uint32_t> varied_slot(const session::Analysis& a, const std::string& path) {
  const auto v = a.flat.top ? model::find_modifiable(a.flat, path) : std::nullopt;
  if (!v || !(path.ends_with(']') || model::declaration(a.flat, *v).sizes.empty()) || !adjustable(a, v->value)) return std::nullopt;
  return v->value;
}

// The diagnostics that came after so many.
Diagnostics taken_from(Diagnostics& all, std::size_t first) {
  Diagnostics before, after;
  for (std::size_t i = 0; i < all.list().size(); ++i) (i < first ? before : after).add(all.list()[i]);
  all = std::move(before);
  return after;
}

class Sweeping {
 public:
  using OpenChoice = std::function<bool(const simulate::StateChoice&)>;
  Sweeping(Session& s, const SweepPlan& p, session::Engine& engine, OpenChoice open) : session_(s), plan_(p), engine_(engine), open_choice_(std::move(open)) {
    sweep_.rows.resize(p.sets.size());
    singular_.resize(p.sets.size());
    stopped_.resize(p.sets.size());
  }

  // False, with diagnostics: it cannot begin.
  bool run() {
    if (!names_exist()) return false;
    for (again_ = true; again_;) {
      again_ = false;
      sweep_.translations = 0;
      done_ = 0;
      std::map<std::vector<std::optional<double>>, std::size_t> place;
      std::vector<std::vector<std::size_t>> groups;  // sets with the same structure, in the order of their first ones
      for (std::size_t i = 0; i < plan_.sets.size(); ++i) {
        std::vector<std::optional<double>> key;
        for (std::size_t k : structural_) key.push_back(is_any(k, i) ? std::nullopt : std::optional(plan_.sets[i][k]));
        const auto [at, fresh] = place.try_emplace(key, groups.size());
        if (fresh) groups.emplace_back();
        groups[at->second].push_back(i);
      }
      // First those whose numbers shape nothing: an analysis with such a one serves all of them.
      std::ranges::stable_partition(groups, [&](const auto& sets) { return std::ranges::any_of(structural_, [&](std::size_t k) { return is_any(k, sets.front()); }); });
      for (std::size_t g = 0; g < groups.size() && !again_; ++g) {
        if (is_interrupted()) return true;
        if (!run_group(groups[g], g == 0)) return false;
      }
    }
    for (std::size_t k : structural_) sweep_.structural.push_back(plan_.parameters[k]);
    return true;
  }
  Sweep result() { return std::move(sweep_); }

 private:
  static constexpr const char* origin = "sweep";
  bool is_interrupted() const { return plan_.options.interrupt && plan_.options.interrupt->load(std::memory_order_relaxed); }

  // Whether the set has one of the numbers that all give the same equations, of a parameter that shapes them where it is 0, 1, -1 or a right angle.
  bool is_any(std::size_t parameter, std::size_t set) const {
    const auto looked_at = shaping_.find(parameter);
    return looked_at != shaping_.end() && !elaborate::is_shaping(looked_at->second, plan_.sets[set][parameter]);
  }

  // Whether the sets have numbers of it that are part of the equations.
  bool some_shape(std::size_t parameter, std::uint32_t slot) {
    const model::SlotFlags looked_at = session_.analysis().flat.flags[slot];
    return std::ranges::any_of(plan_.sets, [&](const std::vector<double>& set) { return elaborate::is_shaping(looked_at, set[parameter]); });
  }

  // A name that no analysis has as a number may still be one that an assignment reaches: the first set says.
  bool names_exist() {
    for (std::size_t k = 0; k < plan_.parameters.size(); ++k) {
      const auto open = model::find_modifiable(session_.analysis().flat, plan_.parameters[k]);
      if (open && !has_value(session_.analysis(), open->value)) session_.set_parameter(plan_.parameters[k], plan_.sets.front()[k], origin);
      const auto slot = varied_slot(session_.analysis(), plan_.parameters[k]);
      if (!slot) structural_.push_back(k);
      const auto v = model::find_modifiable(session_.analysis().flat, plan_.parameters[k]);
      if (v && (slot ? some_shape(k, *slot) : only_shapes(session_.analysis(), v->value))) shaping_.emplace(k, session_.analysis().flat.flags[v->value]);
      if (slot && shaping_.contains(k)) structural_.push_back(k);
      const bool is_variable = v && session_.analysis().flat.variability[v->value] > model::Variability::parameter;
      if (slot || (v && !is_variable)) continue;
      const std::size_t told = session_.diagnostics().list().size();
      if (session_.set_parameter(plan_.parameters[k], plan_.sets.front()[k], origin)) continue;
      stand_at(place(plan_.parameter_places, k), told);
      return false;
    }
    return true;
  }

  // Sets that share what is structure. False, with diagnostics, where the names to be tabulated do not exist, or the first group's model is
  // none. With another parameter found to be structure nothing was run.
  bool run_group(const std::vector<std::size_t>& sets, bool first) {
    Diagnostics& all = session_.diagnostics();
    const std::size_t told = all.list().size();
    ++sweep_.translations;
    bool good = true;
    for (std::size_t k : structural_) good = good && session_.set_parameter(plan_.parameters[k], plan_.sets[sets.front()][k], origin);
    const std::shared_ptr<const session::Analysis> a = good ? session_.analysis_to_run() : nullptr;
    if (a && !a->complete) all.append(a->diagnostics);
    if (!a || !a->complete) {
      const bool whole = first && structural_.empty();  // not the numbers are to blame
      if (!whole) all_fail(sets, taken_from(all, told));
      return !whole;
    }
    std::vector<std::uint32_t> slots;
    varied_.clear();
    for (std::size_t k = 0; k < plan_.parameters.size(); ++k) {
      const bool any = is_any(k, sets.front());
      if (!any && std::ranges::find(structural_, k) != structural_.end()) continue;
      const auto slot = varied_slot(*a, plan_.parameters[k]);
      if (slot) slots.push_back(*slot), varied_.push_back(k);
      else if (again_ = true; any) shaping_.erase(k);
      else structural_.push_back(k);
    }
    if (again_) return true;
    std::vector<model::Bound> values;
    if (find_values(values)) batch(a, sets, std::move(slots), std::move(values));
    else if (!sized_) return false;
    else return all_fail(sets, taken_from(all, told)), true;
    if (session::closes_loops(a->flat)) run_alone(sets);
    return begin_again(sets);
  }

  // Runs that stopped at once although others of their group did not: at an angle where an axis has zeros other equations of a loop are spare.
  // As a single run, each is analysed with its own numbers.
  void run_alone(const std::vector<std::size_t>& sets) {
    Diagnostics& all = session_.diagnostics();
    const std::vector<std::size_t> varied = std::exchange(varied_, {});
    const std::map<std::string, double> before = session_.overrides();
    bool any = false;
    for (std::size_t i : sets) {
      if (!std::exchange(stopped_[i], std::uint8_t{0}) || varied.empty() || is_interrupted()) continue;
      const std::size_t told = all.list().size();
      any = true;
      bool good = true;
      for (std::size_t k : varied) good = good && session_.set_parameter(plan_.parameters[k], plan_.sets[i][k], origin);
      const std::shared_ptr<const session::Analysis> a = good ? session_.analysis_to_run() : nullptr;
      std::vector<model::Bound> values;
      if (a && a->complete && find_values(values)) {
        ++sweep_.translations;
        sweep_.rows[i] = {};
        --done_;
        batch(a, {i}, {}, std::move(values));
        stopped_[i] = 0;
      }
      taken_from(all, told);
    }
    if (any) session_.restore_overrides(before);
    varied_ = varied;
  }

  // Runs whose choice of states became singular, as a single run does: with states chosen on the way. False, and `again_`, as run_group().
  bool begin_again(const std::vector<std::size_t>& sets) {
    std::map<std::vector<std::string>, std::pair<simulate::StateChoice, std::vector<std::size_t>>> runs;  // by what there is to choose from
    for (std::size_t i : sets)
      if (auto choice = std::exchange(singular_[i], std::nullopt)) {
        auto& [first, list] = runs[choice->among];
        list.push_back(i);
        first = std::move(*choice);
      }
    const std::vector<std::string> before = session_.options().open_choice;
    bool good = true;
    for (const auto& [among, run] : runs) {
      const auto& [choice, list] = run;
      if (!good || again_ || is_interrupted() || !open_choice_(choice)) continue;
      tell_begun_again(choice, std::nullopt, std::to_string(list.size()) + (list.size() == 1 ? " run" : " runs"), plan_.command, session_.diagnostics());
      for (std::size_t i : list) sweep_.rows[i] = {};
      done_ -= list.size();
      good = run_group(list, false);
      session_.options().open_choice = before;
    }
    return good;
  }

  // Their sizes are those of the first model that is one.
  bool find_values(std::vector<model::Bound>& to) {
    std::vector<std::vector<std::uint32_t>> sizes;
    for (const syntax::ExprPtr& e : plan_.values) {
      const std::size_t told = session_.diagnostics().list().size();
      const auto q = with_derivatives(session_.analysis().flat, session_.current_quantity(*e, session_.diagnostics()), *e, session_.diagnostics());
      if (!q) return stand_at(place(plan_.value_places, sizes.size()), told), false;
      sizes.push_back(q->sizes);
      to.insert(to.end(), q->elements.begin(), q->elements.end());
    }
    if (!std::exchange(sized_, true)) sweep_.sizes = sizes;
    if (sweep_.sizes == sizes) return true;
    session_.diagnostics().error("E0502", plan_.command, "the arrays to tabulate have other sizes with these parameters");
    return false;
  }

  Span place(const std::vector<Span>& list, std::size_t k) const { return k < list.size() ? list[k] : plan_.command; }
  // Errors that were told after so many stand where the command names what they are about.
  void stand_at(Span place, std::size_t told) {
    Diagnostics& all = session_.diagnostics();
    const Diagnostics list = taken_from(all, told);
    for (Diagnostic d : list.list()) {
      d.span = place;
      all.add(std::move(d));
    }
  }

  void all_fail(const std::vector<std::size_t>& sets, const Diagnostics& why) {
    for (std::size_t i : sets) {
      sweep_.rows[i].state = SweepRow::State::failed;
      sweep_.rows[i].why = why;
    }
    done_ += sets.size();
  }

  void batch(const std::shared_ptr<const session::Analysis>& a, const std::vector<std::size_t>& sets, std::vector<std::uint32_t> slots,
             std::vector<model::Bound> values) {
    session::Variation variation(engine_, a, session_.number_overrides(), std::move(slots), session_.options().backend,
                                 plan_.options.precision > 15);
    const session::Readings readings(a, std::move(values), variation.mutex());
    simulate::Options options = plan_.options;
    if (plan_.options.progress)
      options.progress = [&](double share) {
        plan_.options.progress((static_cast<double>(done_) + share * static_cast<double>(sets.size())) /
                               static_cast<double>(plan_.sets.size()));
      };
    const auto supply = [&](std::size_t n) {
      SweepRow& row = sweep_.rows[sets[n]];
      std::vector<double> numbers;
      for (std::size_t k : varied_) numbers.push_back(plan_.sets[sets[n]][k]);
      auto p = variation.problem(numbers, row.why);
      if (!p) row.state = SweepRow::State::failed;
      return p;
    };
    const auto deliver = [&](std::size_t n, simulate::Problem& p, simulate::Result& r) { keep(sets[n], readings, p, r); };
    const simulate::BatchCounters c = simulate::simulate_batch(sets.size(), supply, options, plan_.batch, deliver);
    sweep_.counters.threads = std::max(sweep_.counters.threads, c.threads);
    sweep_.counters.runs += c.runs;
    sweep_.counters.in_lanes += c.in_lanes;
    sweep_.counters.solve_s += c.solve_s;
    done_ += sets.size();
  }

  void keep(std::size_t set, const session::Readings& readings, simulate::Problem& p, simulate::Result& r) {
    SweepRow& row = sweep_.rows[set];
    if (r.trouble.kind == simulate::Trouble::interrupted) return;
    for (std::size_t k = 0; k < r.free_values.size(); ++k) p.parameters[p.free_parameters[k]] = r.free_values[k];
    const simulate::Trajectory& t = r.trajectory;
    row.steps = r.counters.steps;
    row.end = t.size() > 0 ? t.time().back() : plan_.options.start;
    if (plan_.series && t.size() > 0) {
      row.time.assign(t.time().begin(), t.time().end());
      row.series = readings.series(p, t);
    }
    if (!r.ok()) {
      explain_trouble(r.trouble, plan_.options.start, plan_.command, row.why);
      singular_[set] = r.trouble.choice;
      stopped_[set] = stopped_at_once(r);
      row.state = SweepRow::State::failed;
      return;
    }
    row.values = readings.last(p, t);
    row.state = are_numbers(row) ? SweepRow::State::done : SweepRow::State::failed;
  }

  // Tells of the first one that is none, as `:value` does.
  bool are_numbers(SweepRow& row) const {
    const auto bad = std::ranges::find_if(row.values, [](double v) { return !std::isfinite(v); });
    if (bad == row.values.end()) return true;
    std::size_t left = static_cast<std::size_t>(bad - row.values.begin()), k = 0;
    const auto elements = [&] { return std::accumulate(sweep_.sizes[k].begin(), sweep_.sizes[k].end(), std::size_t{1}, std::multiplies<>()); };
    for (; left >= elements(); ++k) left -= elements();
    tell_no_number(row.why, place(plan_.value_places, k), syntax::print(*plan_.values[k]), sweep_.sizes[k].empty(), *bad, " at the end");
    row.values.clear();
    return false;
  }

  Session& session_;
  const SweepPlan& plan_;
  session::Engine& engine_;
  OpenChoice open_choice_;
  Sweep sweep_;
  std::vector<std::optional<simulate::StateChoice>> singular_;  // by set, where its run failed by it
  std::vector<std::uint8_t> stopped_;                           // by set: its run failed before its second point
  std::vector<std::size_t> structural_, varied_;  // of the parameters
  std::map<std::size_t, model::SlotFlags> shaping_;  // of the structural ones: by some of their numbers only; by which
  bool again_ = false;                            // with other groups: a parameter was found to be structural
  std::size_t done_ = 0;                          // sets of earlier groups
  bool sized_ = false;                            // sweep_.sizes is known
};

}  // namespace

std::optional<Sweep> Session::sweep(const SweepPlan& plan) {
  const std::map<std::string, double> before = overrides();
  const std::vector<std::string> open = options().open_choice;
  Sweeping sweeping(*this, plan, data_->engine, [&](const simulate::StateChoice& c) { return data_->open_choice(c); });
  const bool good = sweeping.run();
  restore_overrides(before);
  options().open_choice = open;
  if (!good) return std::nullopt;
  return sweeping.result();
}

}  // namespace kron
