#include "lang/syntax/errors.hpp"

#include <cfloat>
#include <charconv>
#include <cmath>

#include "lang/syntax/builder.hpp"
#include "lang/syntax/characters.hpp"
#include "lang/syntax/parser.hpp"

namespace kron::syntax {
namespace {

Diagnostic make(std::string code, Span at, std::string message, std::string help = {},
                Severity severity = Severity::error) {
  Diagnostic d;
  d.severity = severity;
  d.code = std::move(code);
  d.span = at;
  d.message = std::move(message);
  d.help = std::move(help);
  return d;
}

// The decimal exponent of the first digit that is not 0 (0.012 has -2, 120 has 2), and the exponent as written; far
// outside what a double holds, so that no huge power of ten is ever computed for such a literal.
bool is_far_out(std::string_view digits) {
  const std::size_t e = std::min(digits.find_first_of("eE"), digits.size());
  const std::string_view mantissa = digits.substr(0, e);
  long exponent = 0;
  if (e < digits.size()) {
    const std::size_t from = e + (digits[e + 1] == '+' ? 2 : 1);
    const auto read = std::from_chars(digits.data() + from, digits.data() + digits.size(), exponent);
    if (read.ec != std::errc{}) return mantissa.find_first_not_of("0.") != std::string_view::npos;
  }
  const std::size_t first = mantissa.find_first_not_of("0.");
  if (first == std::string_view::npos) return false;
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const long leading =
      first < point ? static_cast<long>(point - first) - 1 : static_cast<long>(point) - static_cast<long>(first);
  return std::labs(exponent) > 100000 || leading + exponent > 309 || leading + exponent < -309;
}

bool is_zero(std::string_view digits) {
  const std::string_view mantissa = digits.substr(0, digits.find_first_of("eE"));
  return mantissa.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

bool read_number(std::string_view digits, Rational& value) {
  if (digits.size() < 18 && digits.find_first_not_of("0123456789") == std::string_view::npos) {
    std::int64_t n = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), n);
    value = n;
    return true;
  }
  value = 0;
  if (is_zero(digits)) return true;
  if (is_far_out(digits)) return false;
  const std::optional<Rational> r = parse_number(digits);
  if (!r) return false;
  value = *r;
  const bool may_be_tiny = digits.size() > 250 || digits.find_first_of("eE") != std::string_view::npos;
  return !may_be_tiny || std::abs(to_double(value)) >= DBL_MIN;
}

namespace errors {

void not_text(Diagnostics& out, Span at, char found) {
  const bool is_control = static_cast<unsigned char>(found) < 0x80;
  out.add(make("E0101", at,
               found == '\0' ? "this is no text: it holds a NUL byte"
               : is_control  ? "this is no text: it holds a control character"
                             : "this is no UTF-8 text: it holds invalid bytes",
               is_control ? "is it a binary file?" : "save the file in UTF-8"));
}

void open_bracket(Diagnostics& out, Span at, char bracket) {
  const char close = bracket == '(' ? ')' : bracket == '[' ? ']' : '}';
  out.add(make("E0102", at, ticked(bracket) + " is never closed", "a " + ticked(close) + " is missing"));
}

void wrong_bracket(Diagnostics& out, Span at, char bracket, Span open, char open_bracket) {
  Diagnostic d = make("E0103", at, ticked(bracket) + " does not close " + ticked(open_bracket));
  d.notes.push_back({open, ticked(open_bracket) + " is opened here"});
  out.add(std::move(d));
}

void stray_bracket(Diagnostics& out, Span at, char bracket) {
  out.add(make("E0103", at, ticked(bracket) + " closes nothing"));
}

void open_string(Diagnostics& out, Span at, bool is_doc) {
  out.add(make(
      "E0104", at, "this string is never closed",
      is_doc ? "close it with `\"\"\"`" : "close it with `\"` on the same line; `\"\"\"` goes over several lines"));
}

void open_comment(Diagnostics& out, Span at) {
  out.add(make("E0105", at, "this comment is never closed", "close it with `*/`"));
}

void too_deep(Diagnostics& out, Span at, std::string_view what) { out.add(too_deep(at, what)); }

Diagnostic too_deep(Span at, std::string_view what) {
  return make("E0106", at, std::string(what) + " are nested more than " + std::to_string(depth_limit) + " deep");
}

Diagnostic chain_too_long(Span at) {
  return make("E0106", at, "this expression has more than " + std::to_string(chain_limit) + " operators in a row",
              "write it as a `sum(... for k in 1:n)`, or name parts of it");
}

Diagnostic number_range(Span at, std::string_view digits) {
  const std::string shown = digits.size() > 40 ? std::string(digits.substr(0, 40)) + "..." : std::string(digits);
  if (digits.size() > 4000) return make("E0109", at, "the number " + ticked(shown) + " has more than 4000 digits");
  return make("E0109", at, "the number " + ticked(shown) + " is out of range",
              "a number other than 0 lies between 2.3e-308 and 1.7e308");
}

Diagnostic escape(Span at) {
  return make("E0117", at, "unknown escape in a string",
              R"(known are `\n`, `\t`, `\"` and `\\`; a backslash itself is `\\`)");
}

Diagnostic end_outside(Span at) {
  return make("E0130", at,
              "`end` stands for the last index in a subscript, and closes a block at the start of a statement");
}

Diagnostic tuple_place(Span at) {
  return make("E0131", at, "a list in parentheses stands only on the left of `=`, for the results of a function",
              "an array is written `{a, b}`");
}

Diagnostic assign_target(Span at) {
  return make("E0132", at, "on the left of `:=` stands a parameter or a start value, as in `R1.R := 200`",
              "an equation is written with `=`");
}

Diagnostic second_doc(Span at) { return make("E0133", at, "a second doc string", "join the two texts"); }

Diagnostic empty_unit(Span at) {
  return make("E0135", at, "the brackets behind a number hold its unit, and these are empty", "no dimension is `[1]`");
}

Diagnostic call_form(Span at) {
  return make("E0129", at, "`assert` is written without parentheses", "write `assert condition, \"text\"`");
}

Diagnostic type_behind_value(Span at) {
  return make("E0121", at, "the type stands before the `=`", "write `parameter n : Integer = 3`");
}

Diagnostic open_block(Span at, const std::string& what) {
  return make("E0122", at, ticked(what) + " has no `end`", "close it with `end`");
}

Diagnostic stray_end(Span at, const std::string& word) {
  const std::string help = word == "end"        ? ""
                           : word == "elsewhen" ? "`elsewhen` belongs to a `when`"
                                                : ticked(word) + " belongs to an `if`";
  return make("E0123", at, word == "end" ? "`end` closes nothing" : ticked(word) + " without its beginning", help);
}

Diagnostic wrong_end(Span at, const std::string& name, const std::string& what, Span opened) {
  Diagnostic d = make("E0124", at, "`end " + name + "` closes " + ticked(what), "the name after `end` may be left out");
  d.notes.push_back({opened, ticked(what) + " begins here"});
  return d;
}

Diagnostic unknown_command(Span at, std::string_view name) {
  std::vector<std::string> known;
  for (std::string_view c : command_names()) known.emplace_back(c);
  const std::string near = closest(name, known);
  return make("E0125", at, "unknown command " + ticked(":" + std::string(name)),
              near.empty() ? "`:help` lists the commands" : "did you mean `:" + near + "`?");
}

Diagnostic misplaced(Span at, const std::string& what, const std::string& where, std::string help) {
  return make("E0126", at, what + " cannot stand " + where, std::move(help));
}

Diagnostic literal_twice(Span at, const std::string& literal) {
  return make("E0207", at, ticked(literal) + " is there twice", "each element of an enumeration has a name of its own");
}

Diagnostic class_in_class(Span at, const std::string& inner, const std::string& outer) {
  return make("E0127", at, ticked(inner) + " cannot be defined inside " + ticked(outer),
              "classes stand side by side; if " + ticked(outer) + " ends before this line, its `end` is missing");
}

Diagnostic sign_at_line_start(Span at, char sign) {
  return make("W0101", at, "a line that starts with " + ticked(sign) + " begins a new statement",
              "to go on with the statement above, leave the operator at the end of its line", Severity::warning);
}

}  // namespace errors
}  // namespace kron::syntax
