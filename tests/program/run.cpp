#include "tests/program/run.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kron::test {

namespace fs = std::filesystem;

namespace {

std::string slurp(const fs::path& p) {
  std::ifstream f(p, std::ios::binary);
  std::stringstream s;
  s << f.rdbuf();
  return s.str();
}

void spill(const fs::path& p, const std::string& text) { std::ofstream(p, std::ios::binary) << text; }

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "kron-test-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

void redirect(const fs::path& p, int flags, int to) {
  const int f = open(p.c_str(), flags, 0644);
  if (f < 0) _exit(126);
  dup2(f, to);
}

void limit_files(std::size_t bytes) {
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, SIG_IGN);  // so that writing fails, as it does when a disk is full
}

[[noreturn]] void become_program(const Invocation& i, const fs::path& folder, std::vector<std::string> arguments) {
  if (chdir((folder / "work").c_str()) != 0) _exit(126);
  redirect(folder / "in", O_RDONLY, STDIN_FILENO);
  redirect(i.output.empty() ? folder / "out" : fs::path(i.output), O_WRONLY | O_CREAT, STDOUT_FILENO);
  redirect(folder / "err", O_WRONLY | O_CREAT, STDERR_FILENO);
  setenv("HOME", (folder / "work").c_str(), 1);
  unsetenv("COLUMNS");
  if (i.largest_file > 0) limit_files(i.largest_file);
  for (const auto& [name, value] : i.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (std::string& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  alarm(120);
  execv(KRON_PROGRAM, argv.data());
  _exit(127);
}

std::vector<nlohmann::json> lines(const std::string& text) {
  std::vector<nlohmann::json> list;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    nlohmann::json j = nlohmann::json::parse(line, nullptr, false);
    REQUIRE_MESSAGE(!j.is_discarded(), line);
    list.push_back(std::move(j));
  }
  return list;
}

}  // namespace

std::vector<nlohmann::json> Outcome::objects() const { return lines(out); }
std::vector<nlohmann::json> Outcome::diagnostics() const { return lines(err); }

Outcome run(const Invocation& i) {
  Folder folder;
  fs::create_directory(folder.path / "work");
  spill(folder.path / "in", i.input);
  spill(folder.path / "work/m.eq", i.text);
  for (const auto& [name, text] : i.files) spill(folder.path / "work" / name, text);
  std::vector<std::string> arguments{"kron"};
  for (std::string a : i.arguments) {
    if (a == "FILE") a = "m.eq";
    arguments.push_back(a);
  }
  const pid_t child = fork();
  if (child == 0) become_program(i, folder.path, std::move(arguments));
  int status = 0;
  waitpid(child, &status, 0);
  Outcome o;
  o.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  o.out = slurp(folder.path / "out");
  o.err = slurp(folder.path / "err");
  for (const auto& entry : fs::directory_iterator(folder.path / "work"))
    if (entry.is_regular_file()) o.files[entry.path().filename().string()] = slurp(entry.path());
  return o;
}

Outcome run_script(const std::string& text, const std::vector<std::string>& before) {
  Invocation i;
  i.arguments = before;
  i.arguments.push_back("FILE");
  i.text = text;
  return run(i);
}

nlohmann::json last_object(const std::string& script) {
  const Outcome o = run_script(script, {"--json"});
  CAPTURE(script);
  CAPTURE(o.err);
  REQUIRE(o.status == 0);
  const auto list = o.objects();
  REQUIRE_FALSE(list.empty());
  return list.back();
}

}  // namespace kron::test
