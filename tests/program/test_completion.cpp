#include <doctest/doctest.h>

#include "repl/completion.hpp"

using namespace kron;
using namespace kron::repl;

namespace {

const char* garage =
    "model Wheel\n  parameter r = 1\n  variable w = r\nend\n"
    "model Car\n  front : Wheel\n  rear[2] : Wheel\n  private hidden : Wheel\n  variable speed = 1\nend\n"
    "car : Car\nvariable carriage = 2\n";

std::string joined_candidates(Shell& shell, const std::string& line) {
  const Completions c = complete(shell, line, line.size());
  std::string s = c.files ? "FILES" : "";
  for (const std::string& x : c.candidates) s += (s.empty() ? "" : " ") + x;
  return s;
}

}  // namespace

TEST_CASE("completion: what may follow") {
  Shell shell({});
  REQUIRE(shell.session().run_text(garage));
  const struct {
    const char *line, *candidates;
  } rows[] = {
      {":sim", ":simulate"},
      {":re", ":redo :reset"},
      {"car", "car carriage"},
      {"x = 2 * carr", "carriage"},
      {"car.", "car.front car.rear[1] car.rear[2] car.speed"},
      {"car.fr", "car.front"},
      {"car.rear[2].", "car.rear[2].r car.rear[2].w"},
      {"c2 : C", "Car"},
      {"c2 : Car(", "front rear speed"},
      {"c2 : Car(front.r = sin(time), sp", "speed"},
      {"c2 : Car(speed = carr", "carriage"},
      {"c2 : Bus(", ""},
      {"variable y = sin(carr", "carriage"},
      {"co", "connect connector constant"},
      {"connect car.", "car.front car.rear[1] car.rear[2]"},
      {"connect car.front, car.r", "car.rear[1] car.rear[2]"},
      {":value car.sp", "car.speed"},
      {":plot (car.front.w - car.re", "car.rear[1] car.rear[2]"},
      {":plot car.speed v", "vs"},
      {":plot car.speed to ", "FILES"},
      {":save ", "FILES"},
      {":load model", "FILES"},
      {"use \"li", "FILES"},
      {":set me", "method"},
      {":set method b", "bdf"},
      {":get to", "tolerance"},
      {":simulate un", "until"},
      {":help :si", ":simulate"},
      {":help ev", "events"},
      {":time :st", ":states :stats"},
      {":nothing x", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.line);
    CHECK(joined_candidates(shell, row.line) == row.candidates);
  }
}

TEST_CASE("completion: never throws, replaces a part of the line, and candidates begin with it") {
  Shell shell({});
  REQUIRE(shell.session().run_text(garage));
  const std::string alphabet = ":abcrsu .[]1\"(,*ω=";
  std::uint32_t seed = 5;
  for (int i = 0; i < 3000; ++i) {
    std::string line;
    for (std::uint32_t n = (seed = seed * 1664525u + 1013904223u) >> 27; n > 0; --n)
      line += alphabet[(seed = seed * 1664525u + 1013904223u) / 7 % alphabet.size()];
    CAPTURE(line);
    const std::size_t cursor = line.empty() ? 0 : seed % (line.size() + 1);
    const Completions c = complete(shell, line, cursor);
    REQUIRE(c.begin <= cursor);
    for (const std::string& s : c.candidates) REQUIRE(s.starts_with(line.substr(c.begin, cursor - c.begin)));
  }
}
