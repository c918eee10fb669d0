// tests/reference: models of the Modelica Standard Library against published trajectories (README.md).
//   A model tests/reference/NAME.eq names its trajectory in the first line.
//   Property: every signal of the trajectory stays within a tube around the published one, a thousandth of the signal's range.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lang/workspace/kron.hpp"

namespace {
namespace fs = std::filesystem;
const fs::path reference_folder = fs::path(KRON_SOURCE_DIR) / "tests" / "reference";

struct Table {
  std::vector<std::string> names;           // the first is time
  std::vector<std::vector<double>> column;  // by name
};

// Splits at commas outside brackets: `r_0[1,2]` is one name.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : line) {
    depth += (c == '[') - (c == ']');
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else if (c != '\r')
      parts.back() += c;
  }
  return parts;
}

Table read_csv(const fs::path& path) {
  std::ifstream in(path);
  REQUIRE_MESSAGE(in, "cannot read " << path.string());
  std::string line;
  std::getline(in, line);
  Table t;
  t.names = split(line);
  t.column.resize(t.names.size());
  while (std::getline(in, line)) {
    const auto parts = split(line);
    REQUIRE(parts.size() == t.names.size());
    for (std::size_t k = 0; k < parts.size(); ++k) t.column[k].push_back(std::stod(parts[k]));
  }
  return t;
}

struct Model {
  fs::path path;
  std::string csv;
};

std::string after(const std::string& line, const std::string& prefix) {
  return line.rfind(prefix, 0) == 0 ? line.substr(prefix.size()) : std::string();
}

std::vector<Model> models() {
  std::vector<Model> all;
  for (const auto& entry : fs::directory_iterator(reference_folder)) {
    if (entry.path().extension() != ".eq") continue;
    std::ifstream in(entry.path());
    std::string first;
    std::getline(in, first);
    all.push_back({entry.path(), after(first, "// reference: ")});
  }
  std::sort(all.begin(), all.end(), [](const Model& a, const Model& b) { return a.path < b.path; });
  return all;
}

// The largest distance from the tube's middle, in units of its half-width. Where the published signal jumps (two rows of one time)
// either value is right, and so is where ours does: a row at the time of an event may be from before it.
struct Deviation {
  double largest = 0, time = 0, expected = 0, found = 0;
};
Deviation deviation(kron::Session& session, const Table& t, std::size_t signal) {
  const auto& time = t.column[0];
  const auto& value = t.column[signal];
  const auto [least, most] = std::minmax_element(value.begin(), value.end());
  const double tube = 1e-3 * std::max(*most - *least, 1e-6 * std::max(std::abs(*most), 1e-3));
  Deviation d;
  for (std::size_t k = 0; k < time.size(); ++k) {
    const auto found = session.value(t.names[signal], time[k]);
    REQUIRE_MESSAGE(found, "no value of " << t.names[signal]);
    const auto before = session.value(t.names[signal], std::max(time[k] - 1e-9 * time.back(), time.front()));
    const auto from = [&](double published) { return std::min(std::abs(*found - published), std::abs(before.value_or(*found) - published)); };
    double off = from(value[k]);
    if (k + 1 < time.size() && time[k + 1] == time[k]) off = std::min(off, from(value[k + 1]));
    if (k > 0 && time[k - 1] == time[k]) off = std::min(off, from(value[k - 1]));
    if (!(off / tube <= d.largest)) d = {off / tube, time[k], value[k], *found};
  }
  return d;
}
}  // namespace

TEST_CASE("models of the Modelica Standard Library stay in the tube around their reference") {
  std::set<std::string> compared;
  for (const Model& m : models()) {
    CAPTURE(m.path.filename().string());
    REQUIRE_FALSE(m.csv.empty());
    const Table reference = read_csv(reference_folder / "msl" / m.csv);
    kron::Session session({.library_path = {std::string(KRON_SOURCE_DIR) + "/stdlib"}});
    session.folder(reference_folder.string());
    REQUIRE(session.load(m.path.string()));
    kron::simulate::Options options;
    options.stop = reference.column[0].back();
    options.tolerance = session.experiment().tolerance.value_or(1e-8);
    REQUIRE(session.simulate(options));
    for (std::size_t k = 1; k < reference.names.size(); ++k) {
      CAPTURE(reference.names[k]);
      const Deviation d = deviation(session, reference, k);
      CAPTURE(d.time);
      CAPTURE(d.expected);
      CAPTURE(d.found);
      CHECK(d.largest <= 1);
    }
    compared.insert(m.csv);
  }
  for (const auto& entry : fs::directory_iterator(reference_folder / "msl"))  // all that are published
    CHECK_MESSAGE((entry.path().extension() != ".csv" || compared.contains(entry.path().filename().string())), entry.path().filename().string());
}
