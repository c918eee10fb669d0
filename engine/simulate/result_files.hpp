// engine/simulate/result_files.hpp: the formats behind write_results().
#pragma once
#include <cstdio>
#include <optional>
#include <string>

#include "engine/simulate/results.hpp"

namespace kron::simulate {

// Into an open file. Returns what went wrong.
std::optional<std::string> write_csv(const ResultTable&, std::FILE*);
std::optional<std::string> write_json(const ResultTable&, std::FILE*);
// Into a file that does not exist yet or may be overwritten.
std::optional<std::string> write_mat(const ResultTable&, const std::string& path);

// The column that `index` stands for, and the product of the signs on the way; a name that is no column stands for
// itself.
struct Alias {
  std::size_t column = 0;
  int sign = 1;
  bool time = false;  // the column is time
};
std::vector<Alias> resolve_aliases(const ResultTable&);
// A column's value at a point, aliases followed.
double value_at(const ResultTable&, const Alias&, std::size_t point);

}  // namespace kron::simulate
