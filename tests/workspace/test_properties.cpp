#include <doctest/doctest.h>

#include <ctime>
#include <random>

#include "tests/workspace/edits.hpp"

using namespace kron;

namespace {

// A random edit over few names, so that edits meet.
std::string random_edit(std::mt19937& random) {
  auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  auto component = [&] { return "c" + std::to_string(pick(5)); };
  auto variable = [&] { return "v" + std::to_string(pick(4)); };
  auto label = [&] { return (pick(2) ? "e" : "law") + std::to_string(pick(8)); };
  auto end = [&] { return component() + "." + (pick(2) ? "p" : "n"); };
  switch (pick(14)) {
    case 0: return component() + " : C" + std::to_string(pick(3)) + "(R = " + std::to_string(pick(100)) + ")";
    case 1: return component() + ", " + component() + "x : C1";
    case 2: return "variable " + variable() + "(start = " + std::to_string(pick(9)) + ")";
    case 3: return variable() + " = " + std::to_string(pick(100));
    case 4: return label() + " :: " + variable() + " = " + std::to_string(pick(100));
    case 5: return "connect " + end() + ", " + end() + (pick(2) ? ", " + end() : "");
    case 6: return "for k in 1:3\n  connect " + end() + ", w[k].p\n  w[k].x = " + std::to_string(pick(9)) + "\nend";
    case 7: return component() + ".R := " + std::to_string(pick(100));
    case 8: return "model C" + std::to_string(pick(3)) + "\n  variable x = " + std::to_string(pick(9)) + "\nend";
    case 9: return "delete " + (pick(2) ? component() : label());
    case 10: return "delete connect " + end();
    case 11: return "delete C" + std::to_string(pick(3));
    case 12: return (pick(2) ? "tear " : "untear ") + variable();
    default: return "// a remark\nvariable " + variable() + "  // behind it";
  }
}

}  // namespace

TEST_CASE("workspace: random edits, then all undone and redone") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    Workspace w;
    std::vector<std::string> texts{w.text()};
    std::vector<std::size_t> revisions{w.revision()};
    for (int i = 0; i < 60; ++i) {
      Diagnostics d;
      for (const auto& s : statements_of(random_edit(random)))
        if (w.apply(s, d)) {
          texts.push_back(w.text());
          revisions.push_back(w.revision());
        } else {
          REQUIRE(w.text() == texts.back());
        }
    }
    std::string what;
    for (std::size_t i = texts.size() - 1; i > 0; --i) {
      REQUIRE(w.undo(what));
      REQUIRE(w.text() == texts[i - 1]);
      REQUIRE(w.revision() == revisions[i - 1]);
    }
    CHECK_FALSE(w.undo(what));
    for (std::size_t i = 1; i < texts.size(); ++i) {
      REQUIRE(w.redo(what));
      REQUIRE(w.text() == texts[i]);
    }
    CHECK_FALSE(w.redo(what));
  }
}

TEST_CASE("workspace: its text recreates it, labels included") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(1000 + seed);
    Workspace w;
    for (int i = 0; i < 60; ++i) {
      feed(w, random_edit(random));
      std::string what;
      if (random() % 8 == 0) w.undo(what);
    }
    Workspace again;
    CAPTURE(w.text());
    CHECK(feed(again, w.text()) == "");
    CHECK(again.text() == w.text());
    CHECK(all_labels(again) == all_labels(w));
    CHECK(again.statements().size() == w.statements().size());
  }
}

TEST_CASE("workspace: an edit among 20,000 statements stays cheap") {
  Workspace w;
  std::string text;
  for (int i = 0; i < 10000; ++i) {
    const std::string k = std::to_string(i);
    text += "r" + k + " : Resistor(R = " + k + ")\nconnect r" + k + ".n, r" + std::to_string(i + 1) + ".p\n";
  }
  CHECK(feed(w, text) == "");
  CHECK(w.statements().size() == 20000);
  const auto edits = statements_of("r5000 : Resistor(R = 1)\ndelete r3\nr7.R := 3\nx = 1\ndelete connect r9.n\n");
  const std::clock_t begin = std::clock();
  Diagnostics d;
  constexpr int rounds = 50;
  for (int i = 0; i < rounds; ++i) {
    for (const auto& s : edits) w.apply(s, d);
    std::string what;
    for (std::size_t k = 0; k < edits.size(); ++k) w.undo(what);
  }
  const double each = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / rounds / 10;
  CHECK_FALSE(d.has_errors());
  MESSAGE("one edit: " << each * 1e6 << " µs");
  CHECK(each < 2e-3);  // an unoptimised build; 0.1 ms is the aim of an optimised one
}
