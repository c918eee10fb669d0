// repl/options.hpp: the options of `:set` (commands.md section 4), one table for setting, showing, help and completion.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/session/analysis.hpp"

namespace kron::repl {

struct Options {
  session::Options analysis;
  simulate::Method method = simulate::Method::automatic;
  std::optional<double> tolerance;       // absent: the default
  std::optional<std::size_t> points;
  unsigned precision = 15;
  unsigned threads = 0;                  // of sweeps; 0: as many as the machine has
  bool events = true;
  bool go_on_after_error = false;        // onerror continue
  std::string logging = "info";          // quiet | info | debug
};

struct Option {
  std::string_view name, values, summary;
  std::function<std::string(const Options&)> get;
  // Nothing where the text was taken, else what would be right.
  std::function<std::optional<std::string>(Options&, std::string_view)> set;
};

const std::vector<Option>& option_table();
const Option* find_option(std::string_view name);

}  // namespace kron::repl
