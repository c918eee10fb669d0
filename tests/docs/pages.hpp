// tests/docs/pages.hpp: the fenced blocks of a Markdown page.
//   ```eq                  a model or script; runs with status 0
//   ```eq more             the same, after the page's eq blocks since the last plain one
//   ```eq fail=E0301       fails with this code (or warn=W0101: runs, with this warning; shows=N0101: one or the other, with this)
//   ```eq needs=events     skipped: the program cannot do it yet
//   ```eq file=NAME        also a file for the page's later blocks
//   ```console             `$ command` or `kron> statement` lines, each with its expected output; `…` stands for anything
//   ```console load=NAME   the same, in a session that has run this file
//   ```cpp file=PATH       the text of a file of the project
// Other blocks are only text.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kron::docs {

struct Block {
  std::size_t begin = 0, end = 0;  // lines of the content, from 0, half open
  std::string kind;                // first word of the info string
  std::map<std::string, std::string> options;
  std::vector<std::string> lines;
  std::string text() const;        // with line ends
};

struct Page {
  std::filesystem::path path;
  std::vector<std::string> lines;
  std::vector<Block> blocks;
  std::string script(std::size_t block) const;  // of an eq block, with what it goes on from
};

Page read_page(const std::filesystem::path&);
std::vector<std::string> split_lines(std::string_view);
std::string join_lines(const std::vector<std::string>&);
std::string read_text(const std::filesystem::path&);  // throws where it cannot be read
void write_text(const std::filesystem::path&, const std::string&);

// The input lines of a console block, each with the output that is expected after it.
struct Step {
  bool shell = false;                 // `$ `, else `kron> ` with its `  ... ` lines
  std::string input;
  std::vector<std::string> shown;     // the input's lines as they stand in the page
  std::vector<std::string> expected;
};
std::vector<Step> steps(const Block&);

}  // namespace kron::docs
