#include "support.hpp"

#include <sstream>

#include "lang/syntax/parser.hpp"

namespace kron::test {
using namespace kron::model;

namespace {

std::string form_text(const FlatModel& m, FormId f, std::uint32_t first, std::uint32_t count) {
  const Bound b{f, {m.operands.begin() + first, m.operands.begin() + first + count}};
  return print(b, [&](Operand o) { return text(m, o); });
}

const char* kind_text(BindingKind k) {
  constexpr const char* names[] = {"", ".start", ".min", ".max", ".nominal"};
  return names[static_cast<std::size_t>(k)];
}

std::string listed(const Diagnostics& list, bool notes) {
  std::string out;
  for (const Diagnostic& d : list.list()) {
    if ((d.severity == Severity::note) != notes) continue;
    if (!out.empty()) out += ", ";
    out += d.code;
    if (!d.span.known()) continue;
    const Position p = sources::position(d.span.source, d.span.begin);
    out += " " + std::to_string(p.line) + ":" + std::to_string(p.column);
  }
  return out;
}

}  // namespace

std::string Model::equations() const {
  std::string out;
  for (std::uint32_t i = 0; good() && i < flat.equations.size(); ++i)
    out += label(flat, EqId{i}) + ": " + print(flat, EqId{i}) + "\n";
  return out;
}

std::string Model::initial() const {
  std::string out;
  for (std::uint32_t i = 0; good() && i < flat.initial_equations.size(); ++i) {
    const FlatEquation& e = flat.initial_equations[i];
    out += initial_label(flat, i) + ": " + form_text(flat, e.form, e.first, e.count) + " = 0\n";
  }
  return out;
}

std::string Model::bindings() const {
  std::map<std::pair<std::uint32_t, int>, std::string> last;
  if (good())
    for (const auto& b : flat.bindings)
      last[{b.slot, static_cast<int>(b.kind)}] = name(flat, VarId{b.slot}) + kind_text(b.kind) + " := " + form_text(flat, b.form, b.first, b.count) + "\n";
  std::string out;
  for (const auto& [key, text] : last) out += text;
  return out;
}

std::string Model::variables() const {
  std::string out;
  for (std::uint32_t s = 0; good() && s < flat.slots; ++s) out += (s ? " " : "") + name(flat, VarId{s});
  return out;
}

std::string Model::messages() const { return listed(result.diagnostics, false); }
std::string Model::notes() const { return listed(result.diagnostics, true); }
std::string Model::all_messages() const {
  std::string out;
  for (const Diagnostic& d : result.diagnostics.list()) out += render(d);
  return out;
}

SlotFlags Model::flags(const std::string& n) const {
  const auto v = good() ? find(flat, n) : std::nullopt;
  return v ? flat.flags[v->value] : 0;
}
Variability Model::variability(const std::string& n) const {
  const auto v = good() ? find(flat, n) : std::nullopt;
  return v ? flat.variability[v->value] : Variability::continuous;
}
const Declaration* Model::declaration(const std::string& n) const {
  const auto v = good() ? find(flat, n) : std::nullopt;
  return v ? &model::declaration(flat, *v) : nullptr;
}

std::string library_folder() { return std::string(KRON_SOURCE_DIR) + "/tests/elaborate/libraries"; }

std::vector<syntax::StmtPtr> statements(const std::string& text) {
  return syntax::parse(sources::add("test.eq", text)).statements;
}

Model elaborate(elaborate::Elaborator& e, const std::string& text, const std::string& folder) {
  Model m;
  syntax::Parsed parsed = syntax::parse(sources::add("test.eq", text));
  if (parsed.diagnostics.has_errors()) {
    m.result.diagnostics = parsed.diagnostics;
    return m;
  }
  m.result = e.elaborate(parsed.statements, folder);
  Diagnostics ignored;
  if (m.good()) m.flat = flatten(m.result.top, ignored);
  return m;
}

Model elaborate(const std::string& text, const std::string& folder) {
  elaborate::Elaborator e({{std::string(KRON_SOURCE_DIR) + "/stdlib"}});
  return elaborate(e, text, folder);
}

}  // namespace kron::test
