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
    : problem_(p), machine_(p.dynamics, p.backend), outputs_(code::output_size(*p.dynamics)), free_values_(free_values.begin(), free_values.end()),
      seen_(p.choices.size()) {
  machine_.tolerance(tolerance);
  set_inputs(machine_, p);
  set_free_parameters<double>(machine_, p, free_values);
  machine_.run_parameters(p.iteration_starts, iterations);
  if (!p.sets.empty()) machine_.guess(first);
  speeds_ = p.speeds;
  for (const StateSet& s : p.sets)
    for (std::uint32_t k = 0; s.level == 1 && k < s.slots; ++k) speeds_.push_back(s.first + k);
}

bool ChoiceWatch::evaluate(double t, std::span<const double> y) {
  return machine_.output(t, y, outputs_) == code::Status::ok;
}

// At the point evaluated last.
void ChoiceWatch::measure(double t, std::span<const double> y, std::span<double> result) {
  const std::vector<StateChoice>& choices = problem_.choices;
  std::size_t fixed = 0;
  while (fixed < choices.size() && !choices[fixed].selection && !choices[fixed].by_rates) ++fixed;
  if (fixed > 0) problem_.regularity(t, y, outputs_, free_values_, result.first(fixed));
  for (std::size_t c = fixed; c < result.size(); ++c)
    if (choices[c].selection) result[c] = machine_.regularity(*choices[c].selection);
  if (choices.empty() || !choices.back().by_rates) return;
  const bool moved = move(t, y, 0, 1, move_);
  for (std::size_t c = fixed; c < result.size(); ++c) {
    if (!choices[c].by_rates) continue;
    double sum = 0;
    for (std::uint32_t k : choices[c].rates) sum += moved ? move_[k] * move_[k] : 0;
    result[c] = 1 / std::sqrt(1 + sum);
  }
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

// change: of the outputs. Velocities are linear in those of the states, so a difference is a derivative. As many directions as there are
// states: each by itself; fewer: random ones [Hutchinson 1990]. False: there are no outputs there.
bool ChoiceWatch::move(double t, std::span<const double> y, std::size_t direction, std::size_t directions, std::vector<double>& change) {
  inner_.assign(y.begin(), y.end());
  for (std::size_t j = 0; j < speeds_.size(); ++j) {
    const std::uint64_t x = mix(directions * j + direction);
    const double one = speeds_.size() <= directions ? (j == direction ? 1 : 0) : (x % 2 == 0 ? 1 : -1) * (0.5 + static_cast<double>(x / 2 % 1024) / 1024);
    inner_[speeds_[j]] += one;
  }
  kept_ = outputs_;
  const bool known = evaluate(t, inner_);
  change = outputs_;
  outputs_ = kept_;
  for (std::size_t k = 0; k < change.size(); ++k) change[k] -= outputs_[k];
  return known;
}

bool ChoiceWatch::confirm(const StateChoice& choice, double t, std::span<const double> y) {
  if (choice.rates.empty() || speeds_.empty()) return true;
  constexpr std::size_t few = 4;
  const std::size_t directions = std::min(few, speeds_.size());
  while (moves_.size() < directions)
    if (const std::size_t d = moves_.size(); !move(t, y, d, directions, moves_.emplace_back())) return true;
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
  point_.resize(n);
  sampled_.resize(seen_.size());
  if (machine_.derivative(*time_, before_, slope_before_) != code::Status::ok) return std::nullopt;
  if (machine_.derivative(t, y, slope_after_) != code::Status::ok) return std::nullopt;
  for (int k = 1; k < samples; ++k) {
    const double s = static_cast<double>(k) / samples, at = *time_ + s * h;
    for (std::size_t i = 0; i < n; ++i) {
      const double d = y[i] - before_[i];
      point_[i] = before_[i] + s * (d + (1 - s) * ((1 - s) * (h * slope_before_[i] - d) + s * (d - h * slope_after_[i])));
    }
    if (!evaluate(at, point_)) continue;
    measure(at, point_, sampled_);
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
