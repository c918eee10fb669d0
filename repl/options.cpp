#include "repl/options.hpp"

#include <limits>
#include <sstream>

#include "engine/base/number.hpp"
#include "repl/arguments.hpp"

namespace kron::repl {
namespace {

using Refusal = std::optional<std::string>;

bool one_of(std::string_view text, std::string_view choices) {
  std::istringstream list{std::string(choices)};
  for (std::string word; list >> word;)
    if (word == text) return true;
  return false;
}

Refusal choose(std::string& target, std::string_view text, std::string_view choices) {
  if (!one_of(text, choices)) return std::string(choices);
  target = text;
  return std::nullopt;
}

Refusal choose(bool& target, std::string_view text, std::string_view yes, std::string_view no) {
  if (text != yes && text != no) return std::string(yes) + " " + std::string(no);
  target = text == yes;
  return std::nullopt;
}

std::optional<double> number_between(std::string_view text, double low, double high) {
  const auto v = plain_number(text);
  return v && *v >= low && *v <= high ? v : std::nullopt;
}

Refusal set_method(Options& o, std::string_view text) {
  const auto m = simulate::method_named(text);
  if (!m) return "auto bdf adams ida rk45 euler";
  o.method = *m;
  return std::nullopt;
}

Refusal set_tolerance(Options& o, std::string_view text) {
  const double least = o.precision > 15 ? std::numeric_limits<double>::min() : 1e-14;
  const auto v = number_between(text, least, 0.1);
  if (!v) return "a number from " + to_text(least) + " to 0.1";
  o.tolerance = *v;
  return std::nullopt;
}

Refusal set_points(Options& o, std::string_view text) {
  const auto v = number_between(text, 1, 1e9);
  if (!v || *v != static_cast<double>(static_cast<std::size_t>(*v))) return "a whole number from 1 to 1e9";
  o.points = static_cast<std::size_t>(*v);
  return std::nullopt;
}

Refusal set_precision(Options& o, std::string_view text) {
  const auto v = number_between(text, 1, simulate::most_digits);
  if (!v || *v != static_cast<double>(static_cast<unsigned>(*v))) return "a whole number of digits from 1 to " + std::to_string(simulate::most_digits);
  o.precision = static_cast<unsigned>(*v);
  return std::nullopt;
}

Refusal set_threads(Options& o, std::string_view text) {
  const auto v = number_between(text, 1, 1024);
  const bool whole = v && *v == static_cast<double>(static_cast<unsigned>(*v));
  if (text != "auto" && !whole) return "auto or a whole number from 1 to 1024";
  o.threads = text == "auto" ? 0 : static_cast<unsigned>(*v);
  return std::nullopt;
}

constexpr std::pair<std::string_view, code::Backend> backends[] = {
    {"auto", code::Backend::automatic}, {"interpreter", code::Backend::interpreter}, {"jit", code::Backend::machine_code}};

Refusal set_backend(Options& o, std::string_view text) {
  for (const auto& [name, backend] : backends)
    if (name == text) return o.analysis.backend = backend, std::nullopt;
  return "auto interpreter jit";
}
std::string backend_name(code::Backend b) {
  for (const auto& [name, backend] : backends)
    if (backend == b) return std::string(name);
  return {};
}

}  // namespace

const std::vector<Option>& option_table() {
  static const std::vector<Option> table = {
      {"solve", "auto tear relax dense sparse", "how coupled linear blocks are solved", [](const Options& o) { return o.analysis.solve; },
       [](Options& o, std::string_view t) { return choose(o.analysis.solve, t, "auto tear relax dense sparse"); }},
      {"relaxation", "eliminate iterate jacobi", "what `relax` asks for: elimination, or Gauss-Seidel or Jacobi iteration on the relaxed variables",
       [](const Options& o) { return o.analysis.relaxation; },
       [](Options& o, std::string_view t) { return choose(o.analysis.relaxation, t, "eliminate iterate jacobi"); }},
      {"method", "auto bdf adams ida rk45 euler", "the integrator",
       [](const Options& o) { return std::string(simulate::to_text(o.method)); }, set_method},
      {"backend", "auto interpreter jit", "what runs the generated code", [](const Options& o) { return backend_name(o.analysis.backend); }, set_backend},
      {"tolerance", "1e-6", "relative error of the integrator, where neither command nor experiment gives one",
       [](const Options& o) { return to_text(o.tolerance.value_or(1e-6)); }, set_tolerance},
      {"points", "500", "output intervals, where neither command nor experiment gives them",
       [](const Options& o) { return std::to_string(o.points.value_or(500)); }, set_points},
      {"precision", "15", "decimal digits; over 15 the model is evaluated in higher precision",
       [](const Options& o) { return std::to_string(o.precision); }, set_precision},
      {"threads", "auto", "how many runs of a sweep go on at a time, each on a core of its own",
       [](const Options& o) { return o.threads == 0 ? "auto" : std::to_string(o.threads); }, set_threads},
      {"events", "on off", "whether the integrator stops where a relation changes",
       [](const Options& o) { return std::string(o.events ? "on" : "off"); },
       [](Options& o, std::string_view t) { return choose(o.events, t, "on", "off"); }},
      {"onerror", "stop continue", "what a script does after an error",
       [](const Options& o) { return std::string(o.go_on_after_error ? "continue" : "stop"); },
       [](Options& o, std::string_view t) { return choose(o.go_on_after_error, t, "continue", "stop"); }},
      {"logging", "quiet info debug", "how much is said besides results", [](const Options& o) { return o.logging; },
       [](Options& o, std::string_view t) { return choose(o.logging, t, "quiet info debug"); }},
  };
  return table;
}

const Option* find_option(std::string_view name) {
  for (const Option& o : option_table())
    if (o.name == name) return &o;
  return nullptr;
}

}  // namespace kron::repl
