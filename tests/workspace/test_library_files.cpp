// Files of libraries that are written while a session goes on.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "lang/workspace/kron.hpp"

namespace fs = std::filesystem;
using kron::Session;

namespace {

class LibraryFiles {
 public:
  LibraryFiles() : folder_(fs::temp_directory_path() / "kron_library_files") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~LibraryFiles() { fs::remove_all(folder_); }
  // Each time later than the last: clocks of file systems are coarse.
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    fs::last_write_time(folder_ / name, start_ + std::chrono::seconds(++written_));
  }
  std::string path() const { return folder_.string(); }

 private:
  fs::path folder_;
  fs::file_time_type start_ = fs::file_time_type::clock::now();
  int written_ = 0;
};

std::string library_text(const std::string& k) { return "model R\n  parameter k = " + k + "\n  variable x = k\nend\n"; }

std::string told_of(Session& s) {
  std::string list;
  for (const kron::Diagnostic& d : s.diagnostics().list()) list += (list.empty() ? "" : " ") + d.code;
  s.diagnostics().clear();
  return list;
}

}  // namespace

TEST_CASE("library files: one that does not parse spoils nothing but its own `use`") {
  LibraryFiles files;
  files.write("bad.eq", "model R\n  parameter k = 2 )\nend\n");
  files.write("open.eq", "model R\n  parameter k = 2\n");
  files.write("good.eq", library_text("2"));
  for (const std::string name : {"bad", "open"}) {
    CAPTURE(name);
    Session s({{files.path()}});
    CHECK_FALSE(s.run_text("use " + name));
    CHECK(told_of(s).find("N0502") != std::string::npos);
    CHECK(s.run_text("variable y = 3"));
    CHECK(s.run_text("use good\nr : R"));
    CHECK(s.analysis().complete);
    CHECK(told_of(s) == "");
    files.write(name + ".eq", "model Q\n  variable q = 1\nend\n");
    CHECK(s.run_text("use " + name + "\nq : Q"));
    CHECK(told_of(s) == "");
  }
}

TEST_CASE("library files: what is written is taken if the model holds together with it") {
  LibraryFiles files;
  files.write("lib.eq", library_text("2"));
  Session s({{files.path()}});
  REQUIRE(s.run_text("use lib\nr : R"));
  REQUIRE(s.simulate({}));
  CHECK(*s.value("r.x") == 2);

  const auto now = [&] {
    s.take_new_files();
    REQUIRE(s.simulate({}));
    return *s.value("r.x");
  };
  files.write("lib.eq", library_text("20"));
  CHECK(now() == 20);
  CHECK(told_of(s) == "N0505");
  CHECK(now() == 20);
  CHECK(told_of(s) == "");

  const struct {
    const char *name, *text;
  } unfit[] = {{"no text of the language", "model R\n  parameter k = 2 )\nend\n"}, {"without its class", "model S\nend\n"}, {"a class that does not hold", "model R\n  variable x = nothing\nend\n"}};
  for (const auto& row : unfit) {
    CAPTURE(row.name);
    files.write("lib.eq", row.text);
    CHECK(now() == 20);
    CHECK(told_of(s) == "W0502");
    CHECK(now() == 20);  // and is not told twice
    CHECK(told_of(s) == "");
    REQUIRE(s.run_text("variable z = r.x"));
    REQUIRE(s.run_text("r.k := 21"));
    std::string what;
    CHECK(s.undo(what));
    CHECK(now() == 20);
    REQUIRE(s.run_text("delete z"));
    CHECK(told_of(s) == "");
    REQUIRE(s.run_text("use lib"));  // looked at again
    CHECK(told_of(s) == "W0502");
  }

  files.write("lib.eq", library_text("7"));
  REQUIRE(s.run_text("variable z = r.x"));  // at an edit
  CHECK(told_of(s) == "N0505");
  CHECK(now() == 7);
  CHECK(told_of(s) == "");
}

TEST_CASE("library files: those that the model does not use are not spoken of") {
  LibraryFiles files;
  files.write("lib.eq", library_text("2"));
  files.write("other.eq", library_text("3"));
  Session s({{files.path()}});
  REQUIRE(s.run_text("use lib\nr : R"));
  REQUIRE(s.run_text("use other: R"));  // … and no longer
  std::string what;
  REQUIRE(s.undo(what));
  REQUIRE(s.run_text("variable y = r.x"));
  files.write("other.eq", "model )");
  REQUIRE(s.run_text("variable z = r.x"));
  CHECK(told_of(s) == "");
}

TEST_CASE("library files: a file that a used one uses") {
  LibraryFiles files;
  files.write("part.eq", library_text("2"));
  files.write("whole.eq", "use part\nmodel Q\n  r : R\nend\n");
  Session s({{files.path()}});
  REQUIRE(s.run_text("use whole\nq : Q"));
  REQUIRE(s.simulate({}));
  CHECK(*s.value("q.r.x") == 2);
  files.write("part.eq", "model R\n");
  s.take_new_files();
  CHECK(told_of(s) == "W0502");
  files.write("part.eq", library_text("5"));
  s.take_new_files();
  CHECK(told_of(s) == "N0505");
  REQUIRE(s.simulate({}));
  CHECK(*s.value("q.r.x") == 5);
}

TEST_CASE("library files: a name that came after the last run") {
  Session s{kron::elaborate::Settings{}};
  REQUIRE(s.run_text("variable x = 1"));
  REQUIRE(s.simulate({}));
  REQUIRE(s.run_text("variable y = 2\nmodel B\n  variable z = 3\nend\nb : B"));
  for (const char* name : {"y", "b.z", "x + y"}) {
    CAPTURE(name);
    CHECK_FALSE(s.value(name));
    CHECK(told_of(s) == "E0503");
  }
  CHECK_FALSE(s.value("nothing"));
  CHECK(told_of(s) == "E0201");
  CHECK(*s.value("x") == 1);
}
