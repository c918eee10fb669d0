// Libraries, lookup, the cache of classes.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "support.hpp"

using kron::elaborate::Elaborator;
using kron::test::elaborate;
using kron::test::statements;

TEST_CASE("libraries: ways to name things") {
  const struct { const char* text; const char* messages; } rows[] = {
      {"use tools\np : Part\n", ""},
      {"p : tools.Part\n", ""},
      {"use tools as t\np : t.Part\n", ""},
      {"use tools: Part\np : Part\n", ""},
      {"use tools: Part\np : Shared\n", "E0202 2:1"},
      {"use \"tools.eq\"\np : Part\n", ""},
      {"use folder\no : One\n", ""},
      {"o : folder.One\n", ""},
      {"use tools\nvariable x = offset + shifted(1) + tools.double_offset\n", ""},
      {"use tools\np : Part(mode = fast)\nq : Part(mode = Mode.fast)\n", ""},
      {"use tools\nuse other\ns : Shared\n", "E0204 3:1"},
      {"use tools\nuse other: Shared\ns : Shared\n", ""},
      {"use tools\nuse other\ns : other.Shared\n", ""},
      {"use tools\nmodel Shared\n  variable x = 5\nend\ns : Shared\n", ""},
      {"use nonsense\np : Part\n", "E0205 1:1"},
      {"use \"/\"\n", "E0262 1:1"},
      {"use \"notes.txt\"\n", "E0262 1:1"},
      {"use \"notes\"\n", "E0205 1:1"},
      {"use \"no.eq\"\n", "E0205 1:1"},
      {"use \"own.eq\"\no : Own\n", "W0205 1:1"},  // in own.eq
      {"use tools: Nothing\n", "E0206 1:1"},
      {"p : tools.Nothing\n", "E0206 1:1"},
      {"variable k = 1\nmodel A\n  variable x = k\nend\na : A\n", "E0201 3:16"},  // workspace variables are not seen
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto m = elaborate(row.text);
    INFO(m.all_messages());
    CHECK(m.messages() == std::string(row.messages));
  }
}

TEST_CASE("libraries: lists and tests") {
  Elaborator e({{kron::test::library_folder()}});
  kron::Diagnostics d;
  auto list = e.library("tools", d);
  REQUIRE(list.size() == 7);
  CHECK(list[2].name == "tools.Part");
  CHECK(list[2].kind == "model");
  CHECK(list[2].doc == "a part");
  auto tests = e.tests("folder", d);
  REQUIRE(tests.size() == 1);
  CHECK(tests[0]->text == "two");
  CHECK(e.elaborate(tests[0]->body, "").top != nullptr);
  CHECK(e.library("nowhere", d).empty());
  CHECK(d.has_errors());
  e.elaborate(statements("use tools\nmodel Mine\nend\n"), "");
  CHECK(e.has_class("Part"));
  CHECK(e.has_class("Mine"));
  CHECK(e.has_class("folder.Two"));
  CHECK_FALSE(e.has_class("Nothing"));
  CHECK_FALSE(e.has_class("shifted"));
  CHECK(e.classes().front().name == "Mine");
}

TEST_CASE("cache: a class is elaborated once") {
  const std::string base = "connector Pin\n  potential v\n  flow i\nend\nmodel R\n  p, n : Pin\n  parameter R = 1\n  parameter heat : Boolean = false\n  variable T if heat\nend\n";
  const struct { const char* text; std::size_t made; } rows[] = {
      {"a : R\nb : R\n", 2},
      {"a : R(R = 5)\nb : R(R = 6)\n", 2},
      {"a : R(R = 5)\nb : R\n", 3},               // what is modified belongs to the key
      {"a[1000] : R(R = 5)\n", 2},
      {"a : R(heat = true)\nb : R(heat = false)\nc : R(heat = true)\n", 3},
      {"for k in 1:2\nend\n", 0},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    std::string text = base;
    text.replace(text.find("  variable T if heat\n"), 21, "  hot : Pin if heat\n");
    const auto m = elaborate(text + row.text);
    INFO(m.all_messages());
    REQUIRE(m.good());
    CHECK(m.result.classes_elaborated == row.made);
  }
}

TEST_CASE("cache: an edit costs what it touches") {
  Elaborator e({{kron::test::library_folder()}});
  auto text = [](const char* a, const char* rest) { return statements(std::string("model A\n  parameter k = 1\n  variable x = k + ") + a + "\nend\nmodel B\n  a : A\nend\nmodel C\n  variable y = 1\nend\n" + rest); };
  auto first = text("1", "b : B\nc : C\n");
  auto r = e.elaborate(first, "");
  REQUIRE(r.top);
  CHECK(r.classes_elaborated == 3);
  r = e.elaborate(first, "");
  CHECK(r.classes_elaborated == 0);
  const auto key = r.top->key;
  // another statement at top level
  auto second = first;
  second.push_back(statements("variable z = 1\n").front());
  r = e.elaborate(second, "");
  REQUIRE(r.top);
  CHECK(r.classes_elaborated == 0);
  CHECK(r.top->key != key);
  // class A is replaced: B, which uses it, is made again, C is not
  auto third = first;
  third[0] = text("2", "").front();
  r = e.elaborate(third, "");
  REQUIRE(r.top);
  CHECK(r.classes_elaborated == 2);
  // and back: what was kept for the old statement may be used again or not, but the result is the same
  r = e.elaborate(first, "");
  REQUIRE(r.top);
  CHECK(r.top->key == key);
}

TEST_CASE("cache: a failed class is tried again, warnings are given again") {
  Elaborator e(kron::elaborate::Settings{});
  auto bad = statements("model A\n  variable x = nothing\nend\na : A\n");
  CHECK(e.elaborate(bad, "").top == nullptr);
  CHECK(e.elaborate(bad, "").diagnostics.error_count() == 1);
  auto good = statements("model A\n  variable v : m/s = 1\n  variable x : m\n  x = v\nend\na : A\n");
  CHECK(e.elaborate(good, "").diagnostics.list().size() == 1);
  CHECK(e.elaborate(good, "").diagnostics.list().size() == 1);
}

TEST_CASE("cache: a library's file that changes is read again") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "kron_elaborate_change";
  fs::create_directories(folder);
  auto write = [&](const char* value) { std::ofstream(folder / "lib.eq") << "model A\n  variable x[" << value << "]\nend\n"; };
  write("2");
  Elaborator e({{folder.string()}});
  auto text = statements("use lib\na : A\n");
  auto r = e.elaborate(text, "");
  REQUIRE(r.top);
  CHECK(r.top->slots == 2);
  write("33");
  fs::last_write_time(folder / "lib.eq", fs::file_time_type::clock::now() + std::chrono::seconds(5));
  CHECK(e.elaborate(text, "").top->slots == 2);  // until somebody wants it
  REQUIRE(e.files_changed());
  e.read_files_again();
  r = e.elaborate(text, "");
  REQUIRE(r.top);
  CHECK(r.top->slots == 33);
  CHECK(e.files_read_again() == std::vector<std::string>{(folder / "lib.eq").string()});
}

TEST_CASE("libraries: a library uses what lies beside the script") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "kron_elaborate_beside";
  fs::create_directories(folder / "base");
  fs::create_directories(folder / "built");
  std::ofstream(folder / "base" / "a.eq") << "function f(x) = 2 * x\n";
  std::ofstream(folder / "built" / "b.eq") << "use base\nmodel M\n  variable y = f(time)\nend\n";
  Elaborator e(kron::elaborate::Settings{});
  const auto r = e.elaborate(statements("use built\nm : M\n"), folder.string());
  CHECK(r.top != nullptr);
  fs::remove_all(folder);
}

TEST_CASE("quantities of commands") {
  Elaborator e(kron::elaborate::Settings{});
  auto text = statements("model A\n  variable x[2] = {1, time}\n  variable v : V = 1\nend\na : A\nparameter p = 2\n");
  REQUIRE(e.elaborate(text, "").top);
  auto ask = [&](const char* s) {
    kron::Diagnostics d;
    auto list = statements(std::string("variable q = ") + s + "\n");
    return e.quantity(*list.front()->value, d);
  };
  auto q = ask("a.x");
  REQUIRE(q);
  CHECK(q->sizes == std::vector<std::uint32_t>{2});
  CHECK(q->elements.size() == 2);
  CHECK(ask("a.v")->unit == "V");
  CHECK(ask("2 * a.v")->unit == "V");
  CHECK(ask("der(a.x[2]) + p")->elements.size() == 1);
  CHECK_FALSE(ask("nothing"));
  CHECK_FALSE(ask("a"));
}
