#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "engine/base/diagnostic.hpp"

using namespace kron;

namespace {

std::uint32_t offset_of(SourceId s, std::string_view part) {
  const auto at = sources::text(s).find(part);
  REQUIRE(at != std::string::npos);
  return static_cast<std::uint32_t>(at);
}

Span span_of(SourceId s, std::string_view part) {
  const std::uint32_t begin = offset_of(s, part);
  return {s, begin, begin + static_cast<std::uint32_t>(part.size())};
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out(1);
  for (char c : text) {
    if (c == '\n') out.emplace_back();
    else out.back() += c;
  }
  return out;
}

// Bytes of UTF-8 as code points.
std::vector<std::string> characters(const std::string& s) {
  std::vector<std::string> out;
  for (char c : s) {
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) out.emplace_back();
    if (!out.empty()) out.back() += c;
  }
  return out;
}

// The characters of the quoted line that stand above the carets.
std::string above_carets(const Diagnostic& d) {
  const auto text = lines(render(d));
  REQUIRE(text.size() >= 3);
  const auto code = characters(text[1]);
  const auto first = text[2].find('^'), last = text[2].rfind('^');
  REQUIRE(first != std::string::npos);
  REQUIRE(std::string_view(text[2]).substr(first, last - first + 1).find_first_not_of('^') == std::string_view::npos);
  std::string out;
  for (std::size_t i = first; i <= last && i < code.size(); ++i) out += code[i];
  return out;
}

Diagnostic at(Span span, std::string label = {}) {
  Diagnostic d;
  d.code = "E0001";
  d.message = "text";
  d.span = span;
  d.label = std::move(label);
  return d;
}

}  // namespace

TEST_CASE("sources: positions count characters, lines end at a line feed") {
  const SourceId s = sources::add("f.eq", "a = 1\r\nµ·x = 2\n\n  ä\nlast");
  const struct { std::string name; std::uint32_t offset, line, column; } rows[] = {
      {"begin", 0, 1, 1}, {"=", 2, 1, 3}, {"carriage return", 5, 1, 6}, {"line feed", 6, 1, 7}, {"µ", 7, 2, 1}, {"·", 9, 2, 2},
      {"x", 11, 2, 3}, {"end of line 2", 16, 2, 8}, {"empty line", 17, 3, 1}, {"line 4", 18, 4, 1}, {"ä", 20, 4, 3}, {"after ä", 22, 4, 4},
      {"last", 23, 5, 1}, {"end", 27, 5, 5}, {"past the end", 28, 5, 5}, {"far past the end", 4000000000u, 5, 5},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const Position p = sources::position(s, row.offset);
    CHECK(p.line == row.line);
    CHECK(p.column == row.column);
  }
  CHECK(sources::line(s, 1) == "a = 1");
  CHECK(sources::line(s, 2) == "µ·x = 2");
  CHECK(sources::line(s, 3).empty());
  CHECK(sources::line(s, 4) == "  ä");
  CHECK(sources::line(s, 5) == "last");
  CHECK(sources::line(s, 0).empty());
  CHECK(sources::line(s, 6).empty());
  CHECK(sources::file(s) == "f.eq");
}

TEST_CASE("sources: odd texts") {
  const SourceId empty = sources::add("empty", "");
  CHECK(sources::position(empty, 0).line == 1);
  CHECK(sources::position(empty, 9).column == 1);
  CHECK(sources::line(empty, 1).empty());
  CHECK(sources::quote({empty, 0, 5}).empty());
  const SourceId feed = sources::add("feed", "x\n");
  CHECK(sources::position(feed, 2).line == 2);
  CHECK(sources::position(feed, 2).column == 1);
  CHECK(sources::line(feed, 2).empty());
  const SourceId returns = sources::add("returns", "\r\n\r\nx");
  CHECK(sources::line(returns, 1).empty());
  CHECK(sources::position(returns, 4).line == 3);
}

TEST_CASE("sources: quotes and joined spans") {
  const SourceId s = sources::add("f", "connect a, b\nx = 1"), t = sources::add("g", "other");
  CHECK(sources::quote(span_of(s, "a, b")) == "a, b");
  CHECK(sources::quote({s, 8, 8}).empty());
  CHECK(sources::quote({s, 16, 4000}) == " 1");
  CHECK(sources::quote({s, 500, 600}).empty());
  CHECK(sources::quote({s, 9, 3}).empty());
  const Span a = span_of(s, "a"), x = span_of(s, "x = 1");
  CHECK(join(a, x) == Span{s, a.begin, x.end});
  CHECK(join(x, a) == Span{s, a.begin, x.end});
  CHECK(join(a, Span{}) == a);
  CHECK(join(Span{}, a) == a);
  CHECK(join(a, Span{t, 0, 5}) == a);
  CHECK_FALSE(join(Span{}, Span{}).known());
}

TEST_CASE("sources: texts stay where they are") {
  const SourceId s = sources::add("stays", "short");
  const char* text = sources::text(s).data();
  for (int i = 0; i < 2000; ++i) sources::add("more", "x = " + std::to_string(i));
  CHECK(sources::text(s).data() == text);
  CHECK(sources::line(s, 1).data() == text);
}

TEST_CASE("diagnostics: the whole text") {
  const SourceId s = sources::add("rc.eq", "model M\nrc : Capacitor(C = 1e-6)\nend\n");
  Diagnostic d = at(span_of(s, "rc"), "`rc.n.v` may take any value");
  d.code = "E0312";
  d.message = "`rc` floats";
  d.notes = {{span_of(s, "end"), "this one"}, {{}, "somewhere"}};
  d.help = "add a ground";
  CHECK(render(d) ==
        "rc.eq:2:1: error[E0312]: `rc` floats\n"
        "  2 | rc : Capacitor(C = 1e-6)\n"
        "    | ^^ `rc.n.v` may take any value\n"
        "  note: rc.eq:3:1: this one\n"
        "  note: somewhere\n"
        "  help: add a ground\n");
}

TEST_CASE("diagnostics: an unknown place, no code, no label") {
  Diagnostic d;
  d.severity = Severity::warning;
  d.message = "careful";
  CHECK(render(d) == "warning: careful\n");
  d.severity = Severity::note;
  d.code = "N0001";
  CHECK(render(d) == "note[N0001]: careful\n");
}

TEST_CASE("diagnostics: the carets stand under the span") {
  const SourceId s = sources::add("f.eq", "\tx\t= µ·größe + 1\r\nfirst = {1,\n  2}\nend");
  const struct { std::string name; Span span; std::string above; } rows[] = {
      {"after a tab", span_of(s, "x"), "x"},
      {"after two tabs", span_of(s, "= µ"), "= µ"},
      {"letters of two bytes", span_of(s, "größe"), "größe"},
      {"behind them", span_of(s, "+ 1"), "+ 1"},
      {"over several lines: to the end of the first", span_of(s, "{1,\n  2}"), "{1,"},
      {"nothing: one caret", {s, offset_of(s, "first"), offset_of(s, "first")}, "f"},
      {"backwards: one caret", {s, offset_of(s, "first") + 2, offset_of(s, "first")}, "r"},
      {"the end of a line: one caret behind it", {s, offset_of(s, "\r\n"), offset_of(s, "\r\n") + 2}, ""},
      {"the line feed", {s, offset_of(s, "\nfirst"), offset_of(s, "\nfirst") + 1}, ""},
      {"the end of the text", {s, offset_of(s, "end") + 3, offset_of(s, "end") + 3}, ""},
      {"past the end", {s, 9000, 9001}, ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    CHECK(above_carets(at(row.span)) == row.above);
  }
}

TEST_CASE("diagnostics: of a very long line the part around the place is shown") {
  std::mt19937 random(7);
  std::string text;
  std::vector<std::uint32_t> begins;
  for (int i = 0; i < 400; ++i) {
    begins.push_back(static_cast<std::uint32_t>(text.size()));
    text += (i % 3 == 0 ? "µ" : "x") + std::to_string(i) + (i % 7 == 0 ? "\t" : " ");
  }
  const SourceId s = sources::add("long.eq", text);
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    const Span span{s, begins[i], begins[i + 1] - 1};
    const std::string out = render(at(span, "here"));
    CHECK(above_carets(at(span)) == sources::quote(span));
    for (const std::string& line : lines(out)) CHECK(characters(line).size() <= 180);
  }
  const Span everything{s, 0, static_cast<std::uint32_t>(text.size())};
  CHECK(lines(render(at(everything)))[2].size() < 180);
  const Span end{s, static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(text.size())};
  CHECK(above_carets(at(end)).empty());
}

TEST_CASE("diagnostics: control characters and broken UTF-8 are harmless") {
  const SourceId s = sources::add("bad.eq", std::string("a\x1b[31m\x7f b \xff\xc3 c\x80\x80 end\0more", 24));
  for (std::uint32_t i = 0; i < 30; ++i) {
    const std::string out = render(at({s, i, i + 1}, "here"));
    CHECK(lines(out).size() == 4);
    for (char c : out) CHECK((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
  }
}

TEST_CASE("diagnostics: a list counts its errors") {
  const SourceId s = sources::add("f", "x");
  Diagnostics d;
  CHECK_FALSE(d.has_errors());
  d.warning("W1", {s, 0, 1}, "w").help = "h";
  CHECK_FALSE(d.has_errors());
  d.error("E1", {s, 0, 1}, "e").label = "l";
  d.note("N1", {}, "n");
  CHECK(d.error_count() == 1);
  Diagnostics sum;
  sum.append(d);
  sum.append(d);
  CHECK(sum.error_count() == 2);
  REQUIRE(sum.list().size() == 6);
  CHECK(sum.list()[0].help == "h");
  CHECK(sum.list()[4].label == "l");
  CHECK(sum.list()[5].severity == Severity::note);
  sum.clear();
  CHECK_FALSE(sum.has_errors());
  CHECK(sum.list().empty());
}

TEST_CASE("diagnostics: every code is listed once, with a title and an explanation") {
  std::set<std::string_view> seen;
  std::string_view last;
  for (const CodeInfo& c : diagnostic_codes()) {
    CAPTURE(c.code);
    CHECK(c.code.size() == 5);
    CHECK(std::string_view("EWN").find(c.code[0]) != std::string_view::npos);
    CHECK(c.code.substr(1).find_first_not_of("0123456789") == std::string_view::npos);
    CHECK(seen.insert(c.code).second);
    CHECK(last < c.code);
    last = c.code;
    CHECK_FALSE(c.title.empty());
    CHECK_FALSE(c.explanation.empty());
    CHECK(find_diagnostic_code(c.code) == &c);
  }
  CHECK(find_diagnostic_code("E9999") == nullptr);
  CHECK(find_diagnostic_code("") == nullptr);
}

TEST_CASE("closest: at most a third of the letters wrong, the nearest, then the first by alphabet") {
  const struct { std::string word; std::vector<std::string> candidates; std::string found; } rows[] = {
      {"resistr", {"capacitor", "resistor"}, "resistor"},
      {"resitsor", {"resistor"}, "resistor"},  // two letters swapped: one mistake
      {"x", {"y"}, ""},
      {"ab", {"ac"}, ""},
      {"abc", {"abd"}, "abd"},
      {"abc", {"acb"}, "acb"},
      {"abc", {"xyz"}, ""},
      {"abcdef", {"abcdxy", "abcdefgh"}, "abcdefgh"},
      {"abcdef", {"abcdefgh", "abcdxy"}, "abcdefgh"},
      {"abcdef", {"abcdefg", "abcdefgh"}, "abcdefg"},
      {"abcdef", {"abcdef"}, ""},
      {"", {"a"}, ""},
      {"abc", {}, ""},
      {"speed", {"sped", "speeds", "spee"}, "sped"},
      {std::string(70, 'a'), {std::string(71, 'a')}, ""},
      {std::string(64, 'a'), {std::string(63, 'a') + "b"}, std::string(63, 'a') + "b"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.word);
    CHECK(closest(row.word, row.candidates) == row.found);
  }
  std::mt19937 random(3);
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) {
    std::string n;
    for (int k = 0; k < 6; ++k) n += static_cast<char>('a' + random() % 3);
    names.push_back(n);
  }
  const std::string found = closest("abcabc", names);
  for (int i = 0; i < 20; ++i) {  // the order of the candidates does not matter
    std::shuffle(names.begin(), names.end(), random);
    CHECK(closest("abcabc", names) == found);
  }
}
