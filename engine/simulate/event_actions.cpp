// What a `when` does besides equations: states set anew, assertions, the end of the run.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "engine/code/precision.hpp"
#include "engine/simulate/run.hpp"

namespace kron::simulate {

using std::isfinite;

namespace {

std::string short_text(double x) {  // to six digits
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::general, 6).ptr};
}

}  // namespace

// The text of a `terminate`, with its values.
template <class T>
std::string EventLoopOf<T>::farewell(std::size_t action) const {
  if (!run_.problem.event_names.action) return "";
  const EventNames::Named named = run_.problem.event_names.action(action);
  std::string text = named.text;
  for (std::size_t i = 0; i < named.values.size(); ++i)
    text += (i == 0 ? ": " : ", ") + named.values[i] + " = " + short_text(static_cast<double>(roots_[m_.actions[action].trigger + 1 + i]));
  return text;
}

// An assertion of a `when` does not hold.
template <class T>
void EventLoopOf<T>::broken(std::size_t action, const T& t) {
  Trouble& trouble = run_.result.trouble;
  trouble = {};
  trouble.kind = Trouble::assertion;
  trouble.time = static_cast<double>(t);
  trouble.message = "an assertion does not hold";
  const EventAction& a = m_.actions[action];
  for (std::uint32_t i = 0; i < a.told; ++i) trouble.values.push_back(static_cast<double>(roots_[a.trigger + 1 + i]));
  if (!run_.problem.event_names.action) return;
  EventNames::Named named = run_.problem.event_names.action(action);
  trouble.message = std::move(named.text);
  trouble.unknowns = std::move(named.values);
  trouble.origin = {std::move(named.condition), named.place};
}

// The actions whose triggers are true; true where a state got another value. None: an assertion fails, or they give no number or two values.
template <class T>
std::optional<bool> EventLoopOf<T>::act(const T& t, std::vector<T>& y) {
  std::vector<std::pair<std::size_t, T>> given;  // actions
  for (std::size_t k = 0; k < m_.actions.size(); ++k) {
    const EventAction& a = m_.actions[k];
    if (roots_[a.trigger] == 0) continue;
    if (a.kind == EventAction::Kind::terminate) {
      if (!terminated_) run_.result.terminated = farewell(k);
      terminated_ = true;
    } else if (a.kind == EventAction::Kind::assertion) {
      broken(k, t);
      return std::nullopt;
    } else {
      given.emplace_back(k, T(a.sign * roots_[a.value]));
    }
  }
  bool any = false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto& [k, value] = given[i];
    const std::uint32_t state = m_.actions[k].state;
    const std::string name = run_.problem.state_name ? run_.problem.state_name(state) : "state " + std::to_string(state);
    const Namer named = [&](std::size_t action) {
      EventNames::Named x = run_.problem.event_names.action ? run_.problem.event_names.action(action) : EventNames::Named{};
      x.text = "reinit " + name;
      return x;
    };
    const auto other = std::find_if(given.begin(), given.begin() + i, [&](const auto& x) { return m_.actions[x.first].state == state && x.second != value; });
    if (!isfinite(value)) {
      accuse(t, Trouble::not_a_number, "`reinit` gives `" + name + "` no finite number", named, {&k, 1});
      return std::nullopt;
    }
    if (other != given.begin() + i) {
      const std::size_t both[] = {k, other->first};
      accuse(t, Trouble::event_iteration,
             "`reinit` gives `" + name + "` two values at once: " + to_text(static_cast<double>(other->second)) + " and " + to_text(static_cast<double>(value)),
             named, both);
      return std::nullopt;
    }
    any = std::exchange(y[state], value) != value || any;
  }
  return any;
}

template std::optional<bool> EventLoopOf<double>::act(const double&, std::vector<double>&);
template std::optional<bool> EventLoopOf<code::Float50>::act(const code::Float50&, std::vector<code::Float50>&);
template std::optional<bool> EventLoopOf<code::Float100>::act(const code::Float100&, std::vector<code::Float100>&);
template std::optional<bool> EventLoopOf<code::Float250>::act(const code::Float250&, std::vector<code::Float250>&);

}  // namespace kron::simulate
