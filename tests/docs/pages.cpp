#include "tests/docs/pages.hpp"

#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace kron::docs {

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string join_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string Block::text() const { return join_lines(lines); }

namespace {

void read_info(const std::string& info, Block& block) {
  std::istringstream words(info);
  words >> block.kind;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    block.options[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
  }
}

}  // namespace

Page read_page(const std::filesystem::path& path) {
  Page page{path, split_lines(read_text(path)), {}};
  bool inside = false;
  for (std::size_t i = 0; i < page.lines.size(); ++i) {
    const std::string& line = page.lines[i];
    if (line.rfind("```", 0) != 0) {
      if (inside) page.blocks.back().lines.push_back(line);
      continue;
    }
    inside = !inside;
    if (inside) {
      page.blocks.emplace_back();
      read_info(line.substr(3), page.blocks.back());
      page.blocks.back().begin = i + 1;
    } else {
      page.blocks.back().end = i;
    }
  }
  if (inside) throw std::runtime_error(path.string() + ": a block is never closed");
  return page;
}

std::string Page::script(std::size_t block) const {
  std::string text = blocks[block].text();
  bool more = blocks[block].options.count("more") > 0;
  while (more && block-- > 0) {
    const Block& before = blocks[block];
    if (before.kind != "eq" || before.options.count("fail") > 0) continue;
    text = before.text() + text;
    more = before.options.count("more") > 0;
  }
  return text;
}

std::vector<Step> steps(const Block& block) {
  std::vector<Step> all;
  for (const std::string& line : block.lines) {
    const bool shell = line.rfind("$ ", 0) == 0, session = line.rfind("kron> ", 0) == 0, more = line.rfind("  ... ", 0) == 0;
    if (shell || session) {
      all.push_back({shell, line.substr(shell ? 2 : 6) + "\n", {line}, {}});
    } else if (all.empty()) {
      throw std::runtime_error("a console block begins with `$ ` or `kron> `, not with: " + line);
    } else if (more && all.back().expected.empty()) {
      all.back().input += line.substr(6) + "\n";
      all.back().shown.push_back(line);
    } else {
      all.back().expected.push_back(line);
    }
  }
  return all;
}

}  // namespace kron::docs
