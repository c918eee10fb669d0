// Entries that run models: elaboration with analysis, and whole scripts.
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "repl/shell.hpp"
#include "tests/fuzz/broken.hpp"
#include "tests/fuzz/entries.hpp"

namespace kron::fuzz {

namespace {

const elaborate::Settings libraries{{KRON_SOURCE_DIR "/stdlib"}};

// Files that a script writes go to a folder of their own, and only there.
void enter_scratch_folder() {
  static const bool entered = [] {
    const auto folder = std::filesystem::temp_directory_path() / ("kron-fuzz-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    std::filesystem::current_path(folder);
    return true;
  }();
  (void)entered;
}

bool names_another_folder(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    for (const char* command : {":write", ":save", ":plot", ":animate", ":incidence", ":sweep", ":load", "use"})
      if (line.find(command) != std::string_view::npos && line.find('/') != std::string_view::npos) return true;
    at = end + 1;
  }
  return false;
}

// Presses Ctrl-C every 100 ms while it lives.
class Impatience {
 public:
  Impatience() : thread_([this] { press(); }) {}
  ~Impatience() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

 private:
  void press() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, std::chrono::milliseconds(100), [this] { return done_; })) repl::interrupted() = true;
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

void no_internal_error(const std::string& said, std::string_view text) {
  for (const char* mark : {"error[E0599]", "error[E0598]"})
    if (said.find(mark) != std::string::npos && text.find(mark) == std::string_view::npos) broken("an internal error", text, said);
}

}  // namespace

void elaborate(std::string_view text) {
  if (text.size() > 4096) return;
  Session session(libraries);
  if (!session.run_text(text, "fuzz")) return;
  session.analysis();
  for (const Diagnostic& d : session.diagnostics().list()) render(d);
}

void commands(std::string_view text) {
  if (text.size() > 4096 || names_another_folder(text)) return;
  enter_scratch_folder();
  repl::Shell shell({.json = false, .quiet = false, .verbose = false, .sets = {}, .libraries = libraries});
  std::string said;
  shell.capture(&said);
  shell.options().go_on_after_error = true;
  const Impatience impatience;
  shell.run_text("fuzz", std::string(text));
  no_internal_error(said, text);
}

}  // namespace kron::fuzz
