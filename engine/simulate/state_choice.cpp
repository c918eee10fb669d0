#include "engine/simulate/state_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/hash.hpp"
#include "engine/simulate/run.hpp"

namespace kron::simulate {

namespace {

constexpr double singular = 1e-6;  // regularity that no step can pass
constexpr double weak = 1e-3;      // of a piece of a set, which all pieces together can do without
constexpr double approach = 0.3;   // a step that may bring it to this part of its value is looked into
constexpr double lost = 0.1;       // a fall to this, and to a quarter, inside one step
constexpr double suspect = 0.05;   // a failure here has this cause
constexpr double involved = 0.5;   // the same, of a block that computes a dependent variable
constexpr int samples = 32;

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size() && k < 4; ++k) text += (k > 0 ? ", `" : "`") + names[k] + "`";
  return names.size() > 4 ? text + ", …" : text;
}

}  // namespace

ChoiceWatch::ChoiceWatch(const Problem& p, double tolerance, std::span<const double> free_values, std::span<const double> iterations,
                         std::span<const double> first)
    : problem_(p), machine_(p.dynamics, p.backend), outputs_(code::output_size(*p.dynamics)), seen_(p.choices.size()) {
  machine_.tolerance(tolerance);
  set_inputs(machine_, p);
  set_free_parameters<double>(machine_, p, free_values);
  machine_.run_parameters();
  machine_.begin_iterations(p.iteration_starts, iterations);
  if (!p.sets.empty()) machine_.guess(first);
}

bool ChoiceWatch::evaluate(double t, std::span<const double> y) {
  return machine_.output(t, y, outputs_) == code::Status::ok;
}

// At the point evaluated last.
void ChoiceWatch::measure(double t, std::span<const double> y, std::span<double> result) {
  std::size_t of_pieces = 0;
  while (of_pieces < result.size() && problem_.choices[result.size() - 1 - of_pieces].selection) ++of_pieces;
  const std::size_t fixed = result.size() - of_pieces;
  if (fixed > 0) problem_.regularity(t, y, outputs_, result.first(fixed));
  for (std::size_t c = fixed; c < result.size(); ++c) result[c] = machine_.regularity(*problem_.choices[c].selection);
}

std::optional<double> ChoiceWatch::step(double t, std::span<const double> y, std::span<const std::uint32_t> chosen) {
  if (!std::equal(chosen.begin(), chosen.end(), machine_.choice().begin(), machine_.choice().end())) {
    machine_.choose(chosen);
    before_.clear();  // the states before were others; the regularity is of all candidates
  }
  if (!evaluate(t, y)) return std::nullopt;
  machine_.accept();
  std::optional<double> found;
  std::vector<double>& now = now_;
  now.resize(seen_.size());
  measure(t, y, now);
  falling_.clear();
  moves_.clear();
  for (std::size_t c = 0; c < now.size() && !found; ++c) {
    const Seen& before = seen_[c];
    const StateChoice& choice = problem_.choices[c];
    if (now[c] < (choice.of_pieces ? weak : singular) && confirm(choice, t, y)) found = t, singular_ = c;
    else if (!before_.empty() && before.now + 1.5 * before.slope * (t - *time_) < approach * before.now)
      falling_.push_back({c, std::min(before.now, now[c]), now[c] < before.now ? t : *time_});
  }
  if (!found && !falling_.empty()) found = sample(t, y);
  for (std::size_t c = 0; c < now.size(); ++c)
    seen_[c] = {now[c], time_ ? (now[c] - seen_[c].now) / (t - *time_) : -std::numeric_limits<double>::infinity()};
  time_ = t;
  before_.assign(y.begin(), y.end());
  return found;
}

// Velocities are linear in those of the states, so a difference is a derivative. Where there are many states, few directions [Hutchinson 1990].
bool ChoiceWatch::move(double t, std::span<const double> y) {
  constexpr std::size_t few = 4;
  std::vector<std::size_t> moved;
  for (const StateSet& s : problem_.sets)
    for (std::uint32_t k = 0; s.level == 1 && k < s.slots; ++k) moved.push_back(s.first + k);
  const std::size_t directions = std::min(few, moved.size());
  inner_.assign(y.begin(), y.end());
  for (std::size_t d = 0; d < directions; ++d) {
    for (std::size_t j = 0; j < moved.size(); ++j) {
      const double one = moved.size() == directions ? (j == d ? 1 : 0) : (mix(few * j + d) % 2 == 0 ? 1 : -1);
      inner_[moved[j]] = y[moved[j]] + one;
    }
    std::vector<double>& change = moves_.emplace_back(outputs_);
    if (!evaluate(t, inner_)) return false;
    for (std::size_t k = 0; k < change.size(); ++k) change[k] = outputs_[k] - change[k];
    if (!evaluate(t, y)) return false;
  }
  return true;
}

bool ChoiceWatch::confirm(const StateChoice& choice, double t, std::span<const double> y) {
  if (choice.rates.empty() || (moves_.empty() && !move(t, y)) || moves_.empty()) return true;
  double sum = 0;
  for (const std::vector<double>& change : moves_)
    for (std::uint32_t k : choice.rates) sum += change[k] * change[k];
  return !(1 / std::sqrt(1 + sum) >= weak);
}

// Those that fall, along the cubic through the step's ends.
std::optional<double> ChoiceWatch::sample(double t, std::span<const double> y) {
  const double h = t - *time_;
  const std::size_t n = y.size();
  slope_before_.resize(n);
  slope_after_.resize(n);
  inner_.resize(n);
  sampled_.resize(seen_.size());
  if (machine_.derivative(*time_, before_, slope_before_) != code::Status::ok) return std::nullopt;
  if (machine_.derivative(t, y, slope_after_) != code::Status::ok) return std::nullopt;
  for (int k = 1; k < samples; ++k) {
    const double s = static_cast<double>(k) / samples, at = *time_ + s * h;
    for (std::size_t i = 0; i < n; ++i) {
      const double d = y[i] - before_[i];
      inner_[i] = before_[i] + s * (d + (1 - s) * ((1 - s) * (h * slope_before_[i] - d) + s * (d - h * slope_after_[i])));
    }
    if (!evaluate(at, inner_)) continue;
    measure(at, inner_, sampled_);
    for (Falling& f : falling_)
      if (sampled_[f.choice] < f.least) f.least = sampled_[f.choice], f.when = at;
  }
  for (const Falling& f : falling_)
    if (f.least < lost && f.least < 0.25 * std::max(seen_[f.choice].now, now_[f.choice])) {
      singular_ = f.choice;
      return f.when;
    }
  return std::nullopt;
}

bool ChoiceWatch::explain(double t, Trouble& trouble) const {
  std::size_t worst = singular_.value_or(0);
  for (std::size_t c = 0; c < seen_.size() && !singular_; ++c)
    if (seen_[c].now < seen_[worst].now) worst = c;
  const StateChoice& choice = problem_.choices[worst];
  const bool own_block = std::any_of(trouble.unknowns.begin(), trouble.unknowns.end(), [&](const std::string& name) {
    return std::find(choice.dependent.begin(), choice.dependent.end(), name) != choice.dependent.end();
  });
  if (!singular_ && !(seen_[worst].now < (own_block ? involved : suspect))) return false;
  trouble = {};
  trouble.kind = Trouble::state_choice;
  trouble.time = t;
  trouble.origin = choice.origin;
  trouble.suspects = choice.dependent;
  trouble.choice = choice;
  trouble.message = "the choice of states " + list(choice.states) + " has become singular: `" + choice.origin.equation +
                    "` does not determine " + list(choice.dependent) + " there";
  return true;
}

}  // namespace kron::simulate
