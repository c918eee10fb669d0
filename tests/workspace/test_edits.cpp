#include <doctest/doctest.h>

#include "tests/workspace/edits.hpp"

using namespace kron;

TEST_CASE("workspace: what an edit leaves") {
  const struct {
    const char *name, *before, *edit, *after, *codes;
  } rows[] = {
      {"a declaration is replaced in place", "variable x\nvariable y", "variable x = 3", "variable x = 3\nvariable y\n", ""},
      {"a component is replaced in place", "R1 : Resistor(R = 5)\nconnect R1.p, V.p", "R1 : Resistor(R = 7)",
       "R1 : Resistor(R = 7)\nconnect R1.p, V.p\n", ""},
      {"one name of several", "p, n : Pin", "n : Resistor", "p : Pin\nn : Resistor\n", ""},
      {"several names at once", "a : A\nb : B", "b, a : C", "b, a : C\n", ""},
      {"a labelled equation", "law :: x = 1\ny = 2", "law :: x = 3", "law :: x = 3\ny = 2\n", ""},
      {"an automatic label", "x = 1\ny = 2", "e1 :: x = 5", "x = 5\ny = 2\n", ""},
      {"a class", "model M\n  variable x = 1\nend", "model M\n  variable x = 2\nend", "model M\n  variable x = 2\nend\n", ""},
      {"an assignment", "parameter k = 1\nk := 2", "k := 3", "parameter k = 1\nk := 3\n", ""},
      {"a later assignment wins", "A[1] := 3\nA := {5, 6}", "A[1] := 4", "A := {5, 6}\nA[1] := 4\n", ""},
      {"an array assignment takes its elements' place", "A[1] := 3", "A := {5, 6}", "A := {5, 6}\n", ""},
      {"a new declaration ends old assignments", "parameter k = 1\nk := 2", "parameter k = 4", "parameter k = 4\n", ""},
      {"delete a component with its connections", "R1 : R\nR2 : R\nconnect R1.p, R2.p\nconnect R1.n, R2.n, g.p\nR1.R := 2\ntear R1.i",
       "delete R1", "R2 : R\nconnect R2.n, g.p\n", ""},
      {"delete inside a loop", "r : R\ns[3] : S\nfor k in 1:3\n  connect r.p, s[k].p\nend", "delete r", "s[3] : S\n", ""},
      {"delete an equation", "x = 1\ny = 2", "delete e1", "e2 :: y = 2\n", ""},
      {"delete an equation of a loop", "for k in 1:3\n  a[k] = 1\n  b[k] = 2\nend", "delete e1", "for k in 1:3\n  e2 :: b[k] = 2\nend\n", ""},
      {"delete one of several names", "p, n : Pin", "delete p", "n : Pin\n", ""},
      {"delete a class", "model M\nend", "delete M", "", ""},
      {"delete a connection, ends in any order", "connect a, b, c\nconnect a, b", "delete connect c, a, b", "connect a, b\n", ""},
      {"delete an end everywhere", "connect a.p, b.p\nconnect a.p, b.n, c.p", "delete connect a.p", "connect b.n, c.p\n", ""},
      {"tear and untear", "tear x", "untear x", "", ""},
      {"untear of a class's tear", "", "untear a.x", "untear a.x\n", ""},
      {"experiment once", "experiment stop = 1", "experiment stop = 2", "experiment stop = 2\n", ""},
      {"use once", "use electrical\nvariable x", "use electrical", "use electrical\nvariable x\n", ""},
      // refused: nothing changes
      {"unknown name", "variable x", "delete y", "variable x\n", "E0510"},
      {"a class in use", "model M\nend\nm : M", "delete M", "model M\nend\nm : M\n", "E0511"},
      {"a type in use", "record P\n  variable x\nend\nvariable q : P", "delete P", "record P\n  variable x\nend\nvariable q : P\n", "E0511"},
      {"not exactly these ends", "connect a, b, c", "delete connect a, b", "connect a, b, c\n", "E0512"},
      {"a part", "variable x[2]", "delete x[1]", "variable x[2]\n", "E0513"},
      {"a label where a variable stands", "variable x", "x :: x = 1", "variable x\n", "E0514"},
      {"a variable where a label stands", "law :: x = 1", "variable law", "law :: x = 1\n", "E0514"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Workspace w;
    CHECK(feed(w, row.before) == "");
    const std::string before = w.text();
    CHECK(feed(w, row.edit) == row.codes);
    CHECK(w.text() == row.after);
    std::string what;
    if (*row.codes) continue;
    CHECK(w.undo(what));
    CHECK(w.text() == before);
    CHECK(w.redo(what));
    CHECK(w.text() == row.after);
  }
}

TEST_CASE("workspace: labels are given once") {
  Workspace w;
  feed(w, "x = 1\ny = 2\nz = 3");
  CHECK(all_labels(w) == "e1 e2 e3");
  feed(w, "delete e2\nu = 4");
  CHECK(all_labels(w) == "e1 e3 e4");
  std::string what;
  w.undo(what);
  feed(w, "v = 5");
  CHECK(all_labels(w) == "e1 e3 e5");
  CHECK(w.text() == "x = 1\ne3 :: z = 3\ne5 :: v = 5\n");
}

TEST_CASE("workspace: a declaration moves an automatic label out of its way") {
  Workspace w;
  CHECK(feed(w, "x = 1\nvariable e1") == "");
  CHECK(all_labels(w) == "e2");
  CHECK(feed(w, "variable e3\ny = 2") == "");
  CHECK(all_labels(w) == "e2 e4");
}

TEST_CASE("workspace: a group taken back leaves no trace") {
  Workspace w;
  feed(w, "x = 1\ny = 2");
  std::string what;
  w.undo(what);
  const std::size_t revision = w.revision();
  w.begin();
  feed(w, "a = 1\nb = 2\ndelete e1");
  CHECK(w.pending() == 3);
  w.rollback();
  CHECK(w.text() == "x = 1\n");
  CHECK(w.revision() == revision);
  CHECK(w.redo(what));
  CHECK(w.text() == "x = 1\ny = 2\n");
  feed(w, "z = 3");
  CHECK(all_labels(w) == "e1 e2 e3");
}

TEST_CASE("workspace: history marks what was undone") {
  Workspace w;
  feed(w, "variable x\nx = 1\nmodel M\n  variable y = 1\nend");
  std::string what;
  w.undo(what);
  CHECK(what == "model M …");
  const auto steps = w.history();
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].what == "variable x");
  CHECK_FALSE(steps[1].undone);
  CHECK(steps[2].undone);
}

TEST_CASE("workspace: reset is an edit") {
  Workspace w;
  feed(w, "variable x\nx = 1");
  w.clear();
  CHECK(w.text() == "");
  feed(w, "y = 1");
  CHECK(all_labels(w) == "e1");
  std::string what;
  w.undo(what);
  CHECK(w.undo(what));
  CHECK(what == ":reset");
  CHECK(w.text() == "variable x\nx = 1\n");
}

TEST_CASE("workspace: steps folded into one") {
  Workspace w;
  feed(w, "variable a");
  const std::size_t from = w.steps();
  w.clear();
  feed(w, "variable b\nb = 1\nvariable c");
  w.fold(from, ":load m.eq");
  CHECK(w.steps() == from + 1);
  std::string what;
  CHECK(w.undo(what));
  CHECK(what == ":load m.eq");
  CHECK(w.text() == "variable a\n");
  CHECK(w.redo(what));
  CHECK(w.text() == "variable b\nb = 1\nvariable c\n");
}

TEST_CASE("workspace: which statements replace something") {
  Workspace w;
  feed(w, "variable a\nlaw :: a = 1\nmodel M\nend\na.start := 1");
  const struct { const char* text; bool yes; } rows[] = {
      {"variable b", false}, {"variable a", true}, {"a = 2", false}, {"law :: a = 2", true}, {"e7 :: a = 2", false},
      {"model M\nend", true}, {"model N\nend", false}, {"delete a", true}, {"a.start := 2", false}, {"connect a, b", false}};
  for (const auto& row : rows) CHECK(w.replaces(*statements_of(row.text).front()) == row.yes);
}
