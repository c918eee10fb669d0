// How many events a run has must follow from the model, not from the tolerance: no model takes more than 1.3 times the events that a run at a tenth of its
// tolerance takes. Over the reference models and the examples that have events.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "lang/workspace/kron.hpp"

namespace {
namespace fs = std::filesystem;

std::vector<fs::path> models_and_examples() {
  std::vector<fs::path> all;
  for (const char* folder : {"/tests/reference", "/examples"})
    for (const auto& entry : fs::directory_iterator(std::string(KRON_SOURCE_DIR) + folder))
      if (entry.path().extension() == ".eq") all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

// Of the model's experiment, or of the first `:simulate until …` of an example.
double stop_of(const fs::path& path, kron::Session& s) {
  if (s.experiment().stop) return *s.experiment().stop;
  std::ifstream file(path);
  for (std::string line, word; std::getline(file, line);) {
    std::istringstream words(line);
    double stop = 0;
    if (!(words >> word) || word != ":simulate" || !(words >> word) || word != "until" || !(words >> stop)) continue;
    return words >> word && word == "[ms]" ? stop * 1e-3 : stop;
  }
  return 1;
}

// Chaotic, so no number of bounces is right.
bool left_out(const std::string& file) { return file == "billiard.eq"; }

bool has_events(kron::Session& s) {
  const auto& a = s.analysis();
  return a.complete && (!a.flat.events.empty() || !a.flat.actions.empty());
}

}  // namespace

TEST_CASE("events are no more than at a tenth of the tolerance") {
  std::size_t compared = 0;
  for (const fs::path& path : models_and_examples()) {
    const std::string file = path.filename().string();
    CAPTURE(file);
    kron::Session session({.library_path = {std::string(KRON_SOURCE_DIR) + "/stdlib"}});
    session.folder(path.parent_path().string());
    if (!session.load(path.string()) || !has_events(session)) continue;
    const double stop = std::min(stop_of(path, session), 100.0);
    std::vector<std::size_t> counts;
    for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
      kron::simulate::Options o;
      if (left_out(file)) continue;
      o.stop = stop;
      o.points = 20;
      o.tolerance = tolerance;
      CAPTURE(tolerance);
      CHECK(session.simulate(o));
      counts.push_back(session.result()->counters.events);
    }
    for (std::size_t k = 0; k + 1 < counts.size(); ++k) {
      CAPTURE(k);
      CHECK(static_cast<double>(counts[k]) <= 1.3 * static_cast<double>(counts[k + 1]));
    }
    std::string text;
    for (std::size_t n : counts) text += " " + std::to_string(n);
    if (text.find_first_not_of(" 0") != std::string::npos) MESSAGE(file, ":", text);
    compared += !counts.empty() && counts.back() > 0;
  }
  CHECK(compared > 15);
}
