#include "repl/editor.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>
#include <utility>

#include <readline/history.h>
#include <readline/readline.h>

#include "lang/syntax/parser.hpp"
#include "repl/completion.hpp"
#include "repl/files.hpp"
#include "repl/version.hpp"

namespace kron::repl {

namespace {

constexpr int history_length_limit = 2000;

// readline's callbacks take no argument of ours.
struct Reader {
  Shell* shell = nullptr;
  std::vector<std::string> candidates;
  std::optional<std::string> line;
  bool ready = false;
};
Reader& reader() {
  static Reader r;
  return r;
}

char* next_candidate(const char*, int state) {
  static std::size_t at = 0;
  if (state == 0) at = 0;
  const auto& list = reader().candidates;
  return at < list.size() ? strdup(list[at++].c_str()) : nullptr;
}

// readline decides by itself where the word begins; candidates are cut or extended to fit what it has.
char** attempt(const char* text, int start, int end) {
  rl_attempted_completion_over = 1;
  const std::string_view line(rl_line_buffer, std::strlen(rl_line_buffer));
  const Completions c = complete(*reader().shell, line, static_cast<std::size_t>(end));
  if (c.files) {
    rl_attempted_completion_over = 0;
    return nullptr;
  }
  std::vector<std::string>& list = reader().candidates;
  list.clear();
  const auto from = static_cast<std::size_t>(start);
  for (const std::string& s : c.candidates) {
    if (c.begin <= from) list.push_back(s.substr(std::min(s.size(), from - c.begin)));
    else list.push_back(std::string(line.substr(from, c.begin - from)) + s);
  }
  if (c.open) rl_completion_append_character = '\0';
  return list.empty() ? nullptr : rl_completion_matches(text, next_candidate);
}

void take_line(char* text) {
  Reader& r = reader();
  r.ready = true;
  if (text) r.line = text;
  std::free(text);
  rl_callback_handler_remove();
}

enum class Got { line, dropped, end };

// SIGINT waits while this is alive, so that it cannot come between looking at the flag and going to sleep.
class HeldInterrupts {
 public:
  HeldInterrupts() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, &before_);
  }
  ~HeldInterrupts() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  HeldInterrupts(const HeldInterrupts&) = delete;
  HeldInterrupts& operator=(const HeldInterrupts&) = delete;
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
};

// One line from the terminal. Ctrl-C drops what is typed.
Got read_line(const std::string& prompt, std::string& line) {
  Reader& r = reader();
  r.ready = false;
  r.line.reset();
  interrupted() = false;
  const HeldInterrupts held;
  rl_callback_handler_install(prompt.c_str(), take_line);
  while (!r.ready) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    const int n = ppoll(&input, 1, nullptr, &held.before());
    if (interrupted()) {
      interrupted() = false;
      std::fputs("^C\n", stdout);  // before readline goes back to the start of the line
      std::fflush(stdout);
      rl_callback_sigcleanup();
      rl_callback_handler_remove();
      return Got::dropped;
    }
    if (n < 0 && errno == EINTR) {
      rl_resize_terminal();
      continue;
    }
    if (n < 0) return Got::end;
    rl_callback_read_char();
  }
  if (!r.line) return Got::end;
  line = *r.line;
  return Got::line;
}

std::string prompt_text(const Terminal& t, const char* text) {
  if (!t.colour) return text;
  return std::string("\001\033[1;34m\002") + text + "\001\033[0m\002";
}

class History {
 public:
  History() : file_(state_file("history")) {
    using_history();
    history_comment_char = '#';
    history_multiline_entries = 1;
    history_write_timestamps = 1;  // a line of its own before each entry: entries may have several lines
    stifle_history(history_length_limit);
    if (!file_.empty()) read_history(file_.c_str());
  }
  ~History() {
    if (!file_.empty() && added_ > 0) history_truncate_file(file_.c_str(), history_length_limit);
  }
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  void add(const std::string& text) {
    if (text.find_first_not_of(" \t\n") == std::string::npos) return;
    const HIST_ENTRY* last = history_length > 0 ? history_get(history_base + history_length - 1) : nullptr;
    if (last && text == last->line) return;
    add_history(text.c_str());
    ++added_;
    if (file_.empty()) return;
    if (append_history(1, file_.c_str()) != 0) write_history(file_.c_str());  // no file yet
  }

 private:
  std::string file_;
  std::size_t added_ = 0;
};

void prepare_readline(Shell& shell) {
  reader().shell = &shell;
  rl_readline_name = "kron";
  rl_attempted_completion_function = attempt;
  static char breaks[] = " \t\n\"'=+-*/^(){},;<>!";
  rl_completer_word_break_characters = breaks;
  rl_catch_signals = 0;  // Ctrl-C is ours
  rl_variable_bind("enable-bracketed-paste", "on");
}

// Lines as they come, until they are something whole. A command stands for itself, whatever the lines before it left open.
class Lines {
 public:
  template <class F>
  void add(const std::string& line, F&& whole) {
    std::string longer = text_.empty() ? line : text_ + "\n" + line;
    if (syntax::ends_in_command(longer) && !text_.empty()) {
      whole(std::exchange(text_, {}));
      longer = line;
    }
    text_ = std::move(longer);
    if (!syntax::incomplete(text_)) whole(std::exchange(text_, {}));
  }
  bool empty() const { return text_.empty(); }
  void clear() { text_.clear(); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void interact_on_terminal(Shell& shell) {
  prepare_readline(shell);
  History history;
  const std::string first = prompt_text(shell.terminal(), "kron> "), more = prompt_text(shell.terminal(), "  ... ");
  if (shell.options().logging != "quiet" && !shell.json()) shell.say("Kron " + std::string(version) + "  —  :help lists the commands, :quit or Ctrl-D leaves\n");
  Lines lines;
  while (!shell.quit && shell.output_good()) {
    std::string line;
    const Got got = read_line(lines.empty() ? first : more, line);
    if (got == Got::end) {
      shell.say("\n");
      break;
    }
    if (got == Got::dropped) {
      lines.clear();
      continue;
    }
    lines.add(line, [&](const std::string& text) {
      history.add(text);
      enter(shell, text);
    });
  }
  shell.output_good();
}

// Lines from a pipe after `-i`: no prompt, no history.
void interact_on_pipe(Shell& shell) {
  Lines lines;
  for (std::string line; !shell.quit && shell.output_good() && std::getline(std::cin, line);)
    lines.add(line, [&](const std::string& text) { enter(shell, text); });
  if (!lines.empty() && !shell.quit) enter(shell, lines.text());
}

}  // namespace

void interact(Shell& shell) {
  shell.interactive = true;
  if (shell.terminal().input) interact_on_terminal(shell);
  else interact_on_pipe(shell);
}

}  // namespace kron::repl
