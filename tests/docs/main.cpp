// Runs the examples of README.md and docs/*.md, one test case a block, and checks that the made pages are current.
//   --update    writes the made pages, and puts what the program says now into the console blocks that differ
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <regex>

#include "tests/docs/compare.hpp"
#include "tests/docs/pages.hpp"
#include "tests/docs/reference.hpp"

namespace kron::docs {
namespace {

namespace fs = std::filesystem;
const fs::path root = KRON_SOURCE_DIR, program = KRON_PROGRAM;

struct Outcome {
  int status = -1;
  std::vector<std::string> lines;  // standard output and error
};

std::string shell_quoted(const std::string& text) {
  std::string q = "'";
  for (char c : text) q += c == '\'' ? "'\\''" : std::string(1, c);
  return q + "'";
}

// A shell command in a folder; `input` is a file for its standard input.
Outcome run(const fs::path& folder, const std::string& command, const std::string& input = "/dev/null") {
  const std::string line = "cd " + shell_quoted(folder.string()) + " && { " + command + "\n} <" + shell_quoted(input) + " 2>&1";
  std::FILE* pipe = popen(line.c_str(), "r");
  if (!pipe) return {};
  std::string text;
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), split_lines(text)};
}

// A page's scratch folder with the files that its blocks name.
fs::path folder_of(const Page& page) {
  const fs::path folder = fs::temp_directory_path() / ("kron-docs-" + std::to_string(getpid())) / page.path.stem();
  fs::create_directories(folder);
  for (std::size_t i = 0; i < page.blocks.size(); ++i)
    if (const auto it = page.blocks[i].options.find("file"); page.blocks[i].kind == "eq" && it != page.blocks[i].options.end())
      write_text(folder / it->second, page.script(i));
  return folder;
}

// The steps of a console block, one after the other. A session is run once for each of its inputs, with all inputs before it, and
// what is new is the output of that input.
std::vector<Outcome> run_steps(const Page& page, const Block& block, const std::vector<Step>& steps) {
  const fs::path folder = folder_of(page);
  const auto load = block.options.find("load");
  const std::string program_line = "kron -i " + (load == block.options.end() ? "" : load->second);
  std::vector<Outcome> outcomes;
  std::string session;
  std::size_t said = 0;
  for (const Step& step : steps) {
    if (step.shell) {
      outcomes.push_back(run(folder, step.input));
      continue;
    }
    session += step.input;
    const std::string file = (folder / "session.input").string();
    write_text(file, session);
    Outcome o = run(folder, program_line, file);
    const std::size_t all = o.lines.size();
    o.lines.erase(o.lines.begin(), o.lines.begin() + static_cast<std::ptrdiff_t>(std::min(said, all)));
    said = all;
    outcomes.push_back(std::move(o));
  }
  return outcomes;
}

void check_console(const Page& page, const Block& block) {
  const auto all = steps(block);
  const auto outcomes = run_steps(page, block, all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(all[i].input);
    const std::string actual = join_lines(outcomes[i].lines);
    CAPTURE(actual);
    CHECK(outcomes[i].status < 126);
    CHECK(same_output(all[i].expected, outcomes[i].lines));
  }
}

void check_script(const Page& page, std::size_t number) {
  const Block& block = page.blocks[number];
  const fs::path folder = folder_of(page);
  write_text(folder / "m.eq", page.script(number));
  const bool tests = block.text().rfind("test ", 0) == 0;
  const Outcome o = run(folder, tests ? "kron test m.eq" : "kron m.eq");
  std::string said = join_lines(o.lines);
  if (block.options.count("shows") > 0) {  // what only a library shows
    write_text(folder / "user.eq", "use \"m.eq\"\n");
    said += join_lines(run(folder, "kron user.eq").lines);
  }
  CAPTURE(block.text());
  CAPTURE(said);
  for (const char* option : {"fail", "warn", "shows"})
    if (const auto it = block.options.find(option); it != block.options.end()) CHECK(said.find("[" + it->second + "]") != std::string::npos);
  if (block.options.count("shows") == 0) CHECK(o.status == (block.options.count("fail") > 0 ? 1 : 0));
}

void check(const Page& page, std::size_t number) {
  const Block& block = page.blocks[number];
  if (block.kind == "eq") check_script(page, number);
  else if (block.kind == "console") check_console(page, block);
  else if (const auto it = block.options.find("file"); it != block.options.end()) CHECK(read_text(root / it->second) == block.text());
}

bool is_checked(const Block& block) { return block.kind == "eq" || block.kind == "console" || block.options.count("file") > 0; }

std::vector<Page> read_pages() {
  std::vector<fs::path> paths = {root / "README.md"};
  for (const auto& entry : fs::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Page> pages;
  for (const fs::path& path : paths) pages.push_back(read_page(path));
  return pages;
}

// Test cases are made here, one a block; the running one finds its block by its name.
struct Item {
  const Page* page;
  std::size_t block;
  std::string name;
};
std::deque<Item> items;

void run_item() {
  const char* name = doctest::getContextOptions()->currentTest->m_name;
  for (const Item& item : items)
    if (item.name == name) check(*item.page, item.block);
}

void register_blocks(const std::vector<Page>& pages) {
  for (const Page& page : pages)
    for (std::size_t b = 0; b < page.blocks.size(); ++b) {
      if (!is_checked(page.blocks[b])) continue;
      const std::string file = fs::relative(page.path, root).string();
      items.push_back({&page, b, file + ":" + std::to_string(page.blocks[b].begin)});
      doctest::detail::TestCase made(run_item, file.c_str(), static_cast<unsigned>(page.blocks[b].begin), doctest::detail::TestSuite());
      doctest::detail::regTest(made * items.back().name.c_str() * doctest::skip(page.blocks[b].options.count("needs") > 0));
    }
}

const fs::path error_file = root / "docs/errors.md", library_file = root / "docs/library.md";

// What differs from run to run, from version to version or from machine to machine.
const std::pair<std::regex, const char*> varying[] = {{std::regex("[0-9.]+ (?:m|µ|n)?s\\b"), "…"},
                                                      {std::regex("[0-9]+ steps"), "… steps"},
                                                      {std::regex("(\"(?:steps|[a-z]+_evals|newton_iters|error_test_fails|[a-z]+_s|seconds)\":)[0-9.e-]+"), "$1…"},
                                                      {std::regex("/[^ :]*/stdlib/"), "…/stdlib/"}};

// The lines of a console block with what the program says now, where that is something else.
std::vector<std::string> updated(const Page& page, const Block& block) {
  const auto all = steps(block);
  const auto outcomes = run_steps(page, block, all);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < all.size(); ++i) {
    lines.insert(lines.end(), all[i].shown.begin(), all[i].shown.end());
    auto said = outcomes[i].lines;
    while (!said.empty() && said.back().empty()) said.pop_back();
    for (std::string& line : said)
      for (const auto& [pattern, instead] : varying) line = std::regex_replace(line, pattern, instead);
    const auto& use = same_output(all[i].expected, outcomes[i].lines) ? all[i].expected : said;
    lines.insert(lines.end(), use.begin(), use.end());
  }
  return lines;
}

void update_console(Page& page) {
  std::vector<std::string> lines;
  std::size_t from = 0;
  for (const Block& block : page.blocks) {
    if (block.kind != "console") continue;
    lines.insert(lines.end(), page.lines.begin() + static_cast<std::ptrdiff_t>(from), page.lines.begin() + static_cast<std::ptrdiff_t>(block.begin));
    const auto made = updated(page, block);
    lines.insert(lines.end(), made.begin(), made.end());
    from = block.end;
  }
  lines.insert(lines.end(), page.lines.begin() + static_cast<std::ptrdiff_t>(from), page.lines.end());
  write_text(page.path, join_lines(lines));
}

void update() {
  write_text(error_file, error_page());
  write_text(library_file, library_page(root / "stdlib"));
  for (Page& page : read_pages()) update_console(page);
}

}  // namespace

TEST_CASE("docs: the made pages are current (scripts/reference makes them)") {
  CHECK(read_text(error_file) == error_page());
  CHECK(read_text(library_file) == library_page(root / "stdlib"));
}

TEST_CASE("docs: expected and actual output") {
  CHECK(same_line("a  b 0.5", "a b  0.5001"));
  CHECK(!same_line("a b 0.5", "a b 0.6"));
  CHECK(!same_line("3 blocks", "4 blocks"));
  CHECK(same_line("in … ms", "in 3.25 ms"));
  CHECK(!same_line("in … ms", "in 3.25 s"));
  CHECK(same_output({"a", "…", "c"}, {"a", "b", "b", "c", ""}));
  CHECK(!same_output({"a", "…", "c"}, {"a", "b"}));
}

}  // namespace kron::docs

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  using namespace kron::docs;
  const std::string path = program.parent_path().string() + ":" + (std::getenv("PATH") ? std::getenv("PATH") : "");
  setenv("PATH", path.c_str(), 1);
  setenv("LC_ALL", "C.UTF-8", 1);
  setenv("COLUMNS", "100", 1);
  unsetenv("KRON_PATH");
  if (argc == 2 && std::string(argv[1]) == "--update") {
    update();
    return 0;
  }
  const std::vector<Page> pages = read_pages();
  register_blocks(pages);
  doctest::Context context(argc, argv);
  const int status = context.run();
  std::error_code ignored;
  fs::remove_all(fs::temp_directory_path() / ("kron-docs-" + std::to_string(getpid())), ignored);
  return status;
}
