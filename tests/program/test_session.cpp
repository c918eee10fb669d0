// The interactive session on a pseudo-terminal: prompt, continuation, completion, Ctrl-C, history kept across runs.
#include <doctest/doctest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace fs = std::filesystem;

namespace {

class PseudoTerminal {
 public:
  explicit PseudoTerminal(const fs::path& home) {
    winsize size{40, 100, 0, 0};
    child_ = forkpty(&master_, nullptr, nullptr, &size);
    if (child_ == 0) {
      setenv("HOME", home.c_str(), 1);
      setenv("TERM", "xterm", 1);
      unsetenv("XDG_STATE_HOME");
      unsetenv("COLUMNS");
      alarm(60);
      execl(KRON_PROGRAM, "kron", nullptr);
      _exit(127);
    }
    wait_for("kron> ");
  }
  ~PseudoTerminal() {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    close(master_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  void send(const std::string& text) { REQUIRE(write(master_, text.data(), text.size()) == static_cast<ssize_t>(text.size())); }

  // What was printed until `text` came (or 10 s passed: then the test fails).
  std::string wait_for(const std::string& text) {
    std::string seen;
    for (;;) {
      const std::size_t at = seen_.find(text);
      if (at != std::string::npos) {
        seen = seen_.substr(0, at);
        seen_.erase(0, at + text.size());
        return seen;
      }
      pollfd p{master_, POLLIN, 0};
      REQUIRE_MESSAGE(poll(&p, 1, 10000) > 0, "waiting for: " << text << "\nseen: " << seen_);
      char buffer[4096];
      const ssize_t n = read(master_, buffer, sizeof buffer);
      REQUIRE_MESSAGE(n > 0, "waiting for: " << text << "\nseen: " << seen_);
      seen_.append(buffer, static_cast<std::size_t>(n));
    }
  }

  int end() {
    int status = 0;
    char buffer[4096];
    while (read(master_, buffer, sizeof buffer) > 0) {}
    waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  int master_ = -1;
  pid_t child_ = -1;
  std::string seen_;
};

struct Home {
  fs::path path;
  Home() {
    std::string name = (fs::temp_directory_path() / "kron-home-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Home() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

}  // namespace

TEST_CASE("session: entries, continuation, values, Ctrl-C, the end") {
  Home home;
  PseudoTerminal t(home.path);
  t.send("variable x = 7\r");
  t.wait_for("kron> ");
  t.send("model M\r");
  t.wait_for("... ");
  t.send("variable y = 2\r");
  t.wait_for("... ");
  t.send("end\r");
  t.wait_for("kron> ");
  t.send(":show M\r");
  t.wait_for("variable y = 2");
  t.wait_for("kron> ");
  t.send("abc");
  t.wait_for("c");  // echoed: the line editor is there
  t.send("\x03");
  t.wait_for("^C");
  t.wait_for("kron> ");
  t.send("6 * 7\r");
  t.wait_for("42");
  t.wait_for("kron> ");
  t.send(":hist\t\r");
  t.wait_for("variable x = 7");
  t.wait_for("kron> ");
  t.send("exit\r");
  t.wait_for("a command begins with a colon: `:quit`");
  t.wait_for("kron> ");
  t.send("time\r");  // a name
  t.wait_for("there is no result");
  t.wait_for("kron> ");
  t.send("\x04");
  CHECK(t.end() == 0);
}

TEST_CASE("session: a long command is stopped by Ctrl-C and the session goes on") {
  Home home;
  PseudoTerminal t(home.path);
  t.send("variable x(start = 1, fixed); der(x) = -x\r");
  t.wait_for("kron> ");
  t.send(":simulate until 2e5 step 1e-3 method euler\r");
  t.wait_for("simulating");
  t.send("\x03");
  t.wait_for("E0405");
  t.wait_for("kron> ");
  t.send(":value x\r");
  t.wait_for("x = ");
  t.wait_for("kron> ");
  t.send(":quit\r");
  CHECK(t.end() == 0);
}

TEST_CASE("session: history is kept for the next one") {
  Home home;
  {
    PseudoTerminal t(home.path);
    t.send("variable first = 1\r");
    t.wait_for("kron> ");
    t.send("model M\r");
    t.wait_for("... ");
    t.send("end\r");
    t.wait_for("kron> ");
    t.send(":quit\r");
    CHECK(t.end() == 0);
  }
  std::ifstream file(home.path / ".local/state/kron/history");
  std::stringstream text;
  text << file.rdbuf();
  CHECK(text.str().find("variable first = 1\n") != std::string::npos);
  PseudoTerminal t(home.path);
  t.send("\x1b[A\x1b[A\x1b[A\r");  // up three times: `:quit`, the model, the variable
  t.wait_for("variable first = 1");
  t.wait_for("kron> ");
  t.send(":history\r");
  t.wait_for("variable first = 1");
  t.send(":quit\r");
  CHECK(t.end() == 0);
}
