#include "repl/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "repl/text.hpp"

namespace kron::repl {

Terminal Terminal::look() {
  Terminal t;
  t.input = isatty(STDIN_FILENO) != 0;
  t.output = isatty(STDOUT_FILENO) != 0;
  t.error = isatty(STDERR_FILENO) != 0;
  const char* term = std::getenv("TERM");
  const bool dumb = !term || std::strcmp(term, "dumb") == 0;
  const char* no_colour = std::getenv("NO_COLOR");
  t.colour = t.output && !dumb && !(no_colour && *no_colour);
  winsize size{};
  if (t.output && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    t.width = size.ws_col;
    t.height = size.ws_row;
  } else if (const char* columns = std::getenv("COLUMNS")) {
    const long n = std::strtol(columns, nullptr, 10);
    if (n > 0) t.width = static_cast<std::size_t>(n);
  }
  t.width = std::clamp<std::size_t>(t.width, 20, 400);
  return t;
}

std::atomic<bool>& interrupted() {
  static std::atomic<bool> flag{false};
  return flag;
}

namespace {
void on_interrupt(int signal_number) {
  if (interrupted().exchange(true)) {
    std::signal(signal_number, SIG_DFL);
    std::raise(signal_number);
  }
}
}  // namespace

void catch_signals() {
  interrupted() = false;  // made before a handler needs it
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

void Output::write(std::string_view text) {
  if (error_ != 0 || text.empty()) return;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) error_ = errno ? errno : EIO;
}

bool Output::flush() {
  if (error_ == 0 && std::fflush(stdout) != 0) error_ = errno ? errno : EIO;
  return error_ == 0;
}

std::string Output::why() const { return error_ == 0 || error_ == EPIPE ? "" : std::strerror(error_); }

void Progress::show(std::optional<double> fraction) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (!on_ || now - begin_ < 300ms || (drawn_ && now - last_ < 100ms)) return;
  last_ = now;
  drawn_ = true;
  const std::string time = seconds(std::chrono::duration<double>(now - begin_).count());
  if (!fraction) {
    std::fprintf(stderr, "\r%s %s ", title_.c_str(), time.c_str());
    std::fflush(stderr);
    return;
  }
  constexpr int cells = 30;
  const int full = std::clamp(static_cast<int>(*fraction * cells), 0, cells);
  std::string bar;
  for (int i = 0; i < cells; ++i) bar += i < full ? "█" : "░";
  std::fprintf(stderr, "\r%s %s %3.0f %%  %s ", title_.c_str(), bar.c_str(), 100 * std::clamp(*fraction, 0.0, 1.0), time.c_str());
  std::fflush(stderr);
}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

}  // namespace kron::repl
