// tests/reference: the standard library's own `test` blocks pass, and every example runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {
namespace fs = std::filesystem;
const fs::path root = KRON_SOURCE_DIR;

struct Run {
  int status;
  std::string text;
};
Run kron(const std::string& arguments) {
  const fs::path log = fs::temp_directory_path() / "kron_library_test.log";
  const std::string command =
      "KRON_PATH='" + (root / "stdlib").string() + "' '" KRON_PROGRAM "' " + arguments + " >'" + log.string() + "' 2>&1";
  const int status = std::system(command.c_str());
  std::ifstream in(log);
  return {status, std::string(std::istreambuf_iterator<char>(in), {})};
}

std::vector<fs::path> scripts(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".eq") all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}
}  // namespace

TEST_CASE("the tests of the standard library pass") {
  for (const char* library : {"thermal", "blocks", "electrical", "rotational", "translational"}) {
    CAPTURE(library);
    const Run run = kron(std::string("test ") + library);
    CHECK_MESSAGE(run.status == 0, run.text);
  }
}

TEST_CASE("every example runs") {
  for (const fs::path& script : scripts(root / "examples")) {
    CAPTURE(script.filename().string());
    const Run run = kron("'" + script.string() + "'");
    CHECK_MESSAGE(run.status == 0, run.text);
  }
}
