// repl/model_text.hpp: model items in words, for commands: names, values, columns of a result.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/simulate/results.hpp"
#include "lang/workspace/kron.hpp"
#include "repl/json.hpp"

namespace kron::repl {

std::vector<std::string> names_of(const session::Analysis&, std::span<const model::VarId>);
bool is_hidden(const model::FlatModel&, model::VarId);        // private

std::string value_text(const model::Declaration&, double);       // `true`, `Init.SteadyState`, 0.125
std::string value_text(const elaborate::Quantity&, double);

// The unit of a quantity: of a variable as it was declared (`rad/s`), else in SI base units; empty where it is 1 or unknown.
std::string unit_of(Session&, const syntax::Expr&, const elaborate::Quantity&);

// Row-major values as nested arrays: `{{1, 2}, {3, 4}}`, [[1,2],[3,4]].
std::string array_text(const std::vector<std::uint32_t>& sizes, const std::vector<std::string>& values);
Json array_json(const std::vector<std::uint32_t>& sizes, const std::vector<double>& values);

std::string subscript_text(const std::vector<std::uint32_t>& sizes, std::size_t element);  // "[2,1]"; "" of a scalar

// All variables of the last result as a table to be written; parameters too where wanted.
simulate::ResultTable result_table(Session&, bool parameters);

bool has_result_ending(Diagnostics&, Span place, const std::string& path);  // false with an error

// Names for completion and "did you mean": variables, components, their members, as far as `most`.
std::vector<std::string> known_names(Session&, bool components_only = false, std::size_t most = 200000);

std::string join_path(const std::string& a, const std::string& b);

}  // namespace kron::repl
