// Result files, written beside their name and renamed: an error leaves the old file whole and no new one behind.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>

#include "engine/simulate/result_files.hpp"
#include "engine/simulate/results.hpp"

namespace kron::simulate {

namespace {

namespace fs = std::filesystem;
using Refusal = std::optional<std::string>;

enum class Format { csv, json, mat };

std::optional<Format> format_of(const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  if (ending == ".csv") return Format::csv;
  if (ending == ".json") return Format::json;
  if (ending == ".mat") return Format::mat;
  return std::nullopt;
}

std::string system_message() { return std::strerror(errno); }

// What a name stands for: a link's target is replaced, not the link.
fs::path target_of(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? fs::path(path) : real;
}

// The file that is written first; removed again unless it was renamed.
class Temporary {
 public:
  explicit Temporary(const fs::path& target) : name_(target.string() + ".XXXXXX") {
    descriptor_ = ::mkstemp(name_.data());
    if (descriptor_ < 0) return;
    struct stat old {};
    const mode_t mask = ::umask(0);
    ::umask(mask);
    const bool exists = ::stat(target.c_str(), &old) == 0;
    (void)!::fchmod(descriptor_, exists ? old.st_mode & 0777 : 0666 & ~mask);
  }
  ~Temporary() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    if (!kept_) ::unlink(name_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  bool good() const { return descriptor_ >= 0; }
  const std::string& name() const { return name_; }
  int descriptor() const { return descriptor_; }
  Refusal rename_to(const fs::path& target) {
    if (::fsync(descriptor_) != 0) return system_message();
    if (::rename(name_.c_str(), target.c_str()) != 0) return system_message();
    kept_ = true;
    return std::nullopt;
  }

 private:
  std::string name_;
  int descriptor_ = -1;
  bool kept_ = false;
};

Refusal write_text(const ResultTable& table, Format format, int descriptor) {
  std::FILE* file = ::fdopen(::dup(descriptor), "wb");
  if (!file) return system_message();
  std::array<char, 1 << 16> buffer;
  std::setvbuf(file, buffer.data(), _IOFBF, buffer.size());
  Refusal problem = format == Format::csv ? write_csv(table, file) : write_json(table, file);
  if (std::fclose(file) != 0 && !problem) problem = system_message();
  return problem;
}

Refusal write_to(const ResultTable& table, Format format, const fs::path& target) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status)) return "it is a directory";
  if (fs::exists(status) && !fs::is_regular_file(status)) return "it is not a regular file";
  if (fs::exists(status) && ::access(target.c_str(), W_OK) != 0) return system_message();
  Temporary file(target);
  if (!file.good()) return system_message();
  const Refusal problem =
      format == Format::mat ? write_mat(table, file.name()) : write_text(table, format, file.descriptor());
  return problem ? problem : file.rename_to(target);
}

}  // namespace

bool result_ending_known(const std::string& path) { return format_of(path).has_value(); }

std::optional<std::string> write_results(const ResultTable& table, const std::string& path) {
  const auto format = format_of(path);
  if (!format) return "`" + path + "` should end in .csv, .json or .mat";
  try {
    const Refusal problem = write_to(table, *format, target_of(path));
    if (!problem) return std::nullopt;
    return "cannot write `" + path + "`: " + *problem;
  } catch (const std::bad_alloc&) {
    return "cannot write `" + path + "`: not enough memory";
  } catch (const std::exception& e) { return "cannot write `" + path + "`: " + e.what(); }
}

}  // namespace kron::simulate
