// The seeds and the inputs that once broke something, through the same entries as the fuzzers.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/entries.hpp"

TEST_CASE("fuzz: the corpus runs through every entry") {
  namespace fs = std::filesystem;
  for (const kron::fuzz::Entry& entry : kron::fuzz::entries) {
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(fs::path(KRON_SOURCE_DIR) / "tests/fuzz/corpus" / entry.name)) files.push_back(file.path());
    std::sort(files.begin(), files.end());
    CHECK(!files.empty());
    for (const fs::path& file : files) {
      const std::string name = file.string();
      CAPTURE(name);
      std::ifstream in(file, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      entry.run(text);
    }
  }
}
