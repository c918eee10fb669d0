#include "engine/base/diagnostic.hpp"
#include "tests/docs/reference.hpp"

namespace kron::docs {

namespace {

struct Group {
  std::string_view first, title;  // of the codes from `first` on
};

// Codes are numbered by the room that reports them.
constexpr Group groups[] = {{"E01", "Text"}, {"E02", "Names, classes, types, units"}, {"E03", "Equations"}, {"E04", "Simulation"},
                            {"E05", "Commands"}, {"E06", "Result files"}, {"W", "Warnings"}, {"N", "Notes"}};

bool starts(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

std::string entry(const CodeInfo& c) {
  std::string text = "### " + std::string(c.code) + ": " + std::string(c.title) + "\n\n" + std::string(c.explanation) + "\n";
  if (c.example.empty()) return text;
  return text + "\n```eq shows=" + std::string(c.code) + "\n" + std::string(c.example) + (c.example.back() == '\n' ? "" : "\n") + "```\n";
}

}  // namespace

std::string error_page() {
  std::string text =
      "# Error catalogue\n\n"
      "Every message carries a code; `:help E0102` and this page say what it means and show the smallest model that causes it. A code keeps\n"
      "its meaning from version to version. `E` is an error, `W` a warning: the model runs.\n\n"
      "Made by `scripts/reference` from `engine/base/codes/*.def`; do not edit.\n";
  const Group* current = nullptr;
  for (const CodeInfo& c : diagnostic_codes()) {
    for (const Group& g : groups)
      if (starts(c.code, g.first) && current != &g) {
        text += "\n## " + std::string(g.title) + "\n";
        current = &g;
      }
    text += "\n" + entry(c);
  }
  return text;
}

}  // namespace kron::docs
