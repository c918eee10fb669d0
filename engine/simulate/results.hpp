// engine/simulate/results.hpp: result files. A file is written beside its name and then renamed, so that a full disk or
// a crash leaves the old one whole.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace kron::simulate {

struct ResultTable {
  struct Column {
    std::string name, unit, doc;
    std::vector<double> values;  // one per point; one value in all: does not change (parameter)
    std::string alias_of;        // for MAT: stored once, with
    int alias_sign = 1;
  };
  std::vector<double> time;
  std::vector<Column> columns;  // without time
};

// By ending: .csv (RFC 4180, header row, numbers that read back exactly), .json (an object name -> array),
// .mat (MATLAB v4, the four matrices Aclass, name, description, dataInfo + data_1, data_2 that Modelica tools write).
// Returns nothing, or why it could not be written.
// The message fits E0601; where the ending is the reason (result_ending_known says no) it fits E0602.
std::optional<std::string> write_results(const ResultTable&, const std::string& path);
bool result_ending_known(const std::string& path);

}  // namespace kron::simulate
