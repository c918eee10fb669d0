// Entries that need no model: parser, printer, numbers, units.
#include <cmath>
#include <cstdlib>

#include "engine/base/number.hpp"
#include "lang/elaborate/units.hpp"
#include "lang/syntax/parser.hpp"
#include "lang/syntax/printer.hpp"
#include "tests/fuzz/broken.hpp"
#include "tests/fuzz/entries.hpp"

namespace kron::fuzz {

namespace {

std::vector<syntax::StmtPtr> parse_again(const std::string& printed, std::string_view text) {
  const syntax::Parsed again = syntax::parse(sources::add("printed", printed));
  if (again.diagnostics.has_errors()) broken("what was printed does not parse", text, printed + "\n" + render(again.diagnostics.list().front()));
  return again.statements;
}

void round_trip(const std::vector<syntax::StmtPtr>& statements, std::string_view text) {
  const std::string printed = syntax::print(statements);
  const auto again = parse_again(printed, text);
  if (again.size() != statements.size()) broken("printing changed the number of statements", text, printed);
  for (std::size_t i = 0; i < statements.size(); ++i)
    if (!syntax::same(*statements[i], *again[i])) broken("printing changed a statement", text, printed);
  if (const std::string twice = syntax::print(again); twice != printed) broken("printing is not idempotent", printed, twice);
}

void number(std::string_view text) {
  const auto read = parse_number(text);
  if (!read) return;
  const double value = to_double(*read);
  if (!std::isfinite(value)) broken("a number that was read is not finite", text, to_text(value));
  if (parse_number(to_text(*read)).value_or(*read) != *read) broken("a rational does not read back", text, to_text(*read));
  const std::string shortest = to_text(value);
  const auto again = parse_number(shortest);
  if (again && to_double(*again) != value) broken("a double does not read back", text, shortest);
}

void unit(std::string_view text) {
  std::string reason;
  const elaborate::Unit* found = elaborate::find_unit(text, reason);
  if (!found && reason.empty()) broken("a unit is refused without a reason", text, "");
  if (found) elaborate::dimension_text(found->dimension);
}

}  // namespace

void parse(std::string_view text) {
  const syntax::Parsed parsed = syntax::parse(sources::add("fuzz", std::string(text)));
  for (const Diagnostic& d : parsed.diagnostics.list()) render(d);
  if (!parsed.diagnostics.has_errors()) round_trip(parsed.statements, text);
  syntax::incomplete(text);
  Diagnostics trouble;
  const syntax::ExprPtr e = syntax::parse_expression(sources::add("expression", std::string(text)), trouble);
  if (!e && !trouble.has_errors()) broken("an expression is refused without a reason", text, "");
}

void numbers(std::string_view text) {
  number(text);
  unit(text);
  double value;
  if (text.size() < sizeof value) return;
  std::copy_n(text.data(), sizeof value, reinterpret_cast<char*>(&value));
  const std::string shortest = to_text(value);
  if (std::isfinite(value) && std::strtod(shortest.c_str(), nullptr) != value) broken("a double does not read back", shortest, "");
}

}  // namespace kron::fuzz
