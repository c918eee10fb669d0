#include "repl/files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace kron::repl {

namespace fs = std::filesystem;

FileText read_file(const std::string& path) {
  FileText out;
  const bool standard = path == "-";
  std::error_code problem;
  if (!standard && fs::is_directory(path, problem)) return {"", "`" + path + "` is a folder, not a file"};
  std::FILE* file = standard ? stdin : std::fopen(path.c_str(), "rb");
  const std::string name = standard ? "standard input" : "`" + path + "`";
  if (!file) return {"", "cannot read " + name + ": " + std::strerror(errno)};
  char buffer[1 << 16];
  for (std::size_t n; out.why.empty() && (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) {  // devices may have no end
    if (std::memchr(buffer, '\0', n)) out.why = name + " is no text file: it holds zero bytes";
    if (out.text.size() + n > 0xfffffff0u) out.why = name + " is too large: a text may have 4 GB";
    out.text.append(buffer, n);
  }
  if (std::ferror(file)) out.why = "cannot read " + name + ": " + std::strerror(errno);
  if (!standard) std::fclose(file);
  if (out.text.starts_with("\xEF\xBB\xBF")) out.text.erase(0, 3);  // byte order mark
  return out;
}

std::optional<std::string> write_file(const std::string& path, const std::string& text) {
  std::error_code problem;
  const fs::path target = fs::is_symlink(path, problem) ? fs::weakly_canonical(path, problem) : fs::path(path);
  const std::string beside = target.string() + ".part" + std::to_string(getpid());
  auto fail = [&](int error) {
    std::remove(beside.c_str());
    return "cannot write `" + path + "`: " + std::strerror(error);
  };
  std::FILE* file = std::fopen(beside.c_str(), "wb");
  if (!file) return fail(errno);
  bool ok = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  ok = std::fflush(file) == 0 && ok;
  const int error = errno;
  std::fclose(file);
  if (!ok) return fail(error);
  struct stat old {};
  if (stat(target.c_str(), &old) == 0) chmod(beside.c_str(), old.st_mode & 07777);
  if (std::rename(beside.c_str(), target.c_str()) != 0) return fail(errno);
  return std::nullopt;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return "";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string state_file(const std::string& name) {
  fs::path folder;
  if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state) folder = fs::path(state) / "kron";
  else if (const char* home = std::getenv("HOME"); home && *home) folder = fs::path(home) / ".local/state/kron";
  else return {};
  std::error_code problem;
  fs::create_directories(folder, problem);
  return problem ? std::string() : (folder / name).string();
}

}  // namespace kron::repl
