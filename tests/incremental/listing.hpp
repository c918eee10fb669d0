// What must be the same, byte for byte, in a session after any edits and in a new one that reads its text.
#pragma once
#include <doctest/doctest.h>

#include <string>

#include "engine/session/values.hpp"
#include "lang/syntax/parser.hpp"
#include "lang/workspace/kron.hpp"
#include "tests/support/flat_models.hpp"

namespace kron::test {

// Blocks, states, sets, what was differentiated, diagnostics, code; and whether the flat model is another one than that of its
// blueprint alone.
// Without how blocks are solved, and the code: `with_orderings` false. (An ordering is taken again for a block that was met before, whatever
// code before it has in common with it now.)
inline std::string listing(const session::Analysis& a, bool with_orderings = true) {
  std::string out;
  for (const auto* list : {&a.blocks, &a.initial_blocks})
    for (const session::Block& b : *list) {
      out += std::string(to_text(b.kind)) + " " + std::string(to_text(b.section));
      if (with_orderings) out += " " + std::string(to_text(b.method)) + " " + b.how().ordering + " core " + std::to_string(b.how().core);
      out += ":";
      for (session::VarId v : b.unknowns) out += " " + name(a, v);
      out += " |";
      for (const auto& l : equation_labels(a, b)) out += " " + l;
      if (with_orderings) {
        out += " | torn";
        for (session::VarId v : b.how().torn) out += " " + name(a, v);
        for (const auto& [r, c] : b.how().pivots) out += " " + std::to_string(r) + ":" + std::to_string(c);
      }
      out += "\n";
    }
  for (const auto& s : a.states) out += "state " + name(a, s.variable) + (s.fixed ? " fixed" : "") + "\n";
  for (const auto& set : a.sets) {
    out += "set of " + std::to_string(set.slots) + ":";
    for (session::VarId v : set.candidates) out += " " + name(a, v);
    out += "\n";
  }
  for (const auto& d : a.differentiated) out += d.label + " " + std::to_string(d.times) + " " + d.because + "\n";
  for (const auto& d : a.diagnostics.list()) out += d.code + " " + d.message + "\n";
  if (a.complete && with_orderings) out += session::code_text(a, std::nullopt);
  return out + different_from_scratch(a.flat);
}

// The starts of states and the values of all parameters; and the problem of a run, however it was made.
inline std::string numbers(Session& s) {
  const session::Analysis& a = s.analysis();
  if (!a.complete) return {};
  const session::Bindings bindings(a.flat);
  const auto overrides = s.number_overrides();
  session::Numbers values(a.flat, bindings, overrides);
  std::string out;
  for (const session::State& state : a.states) out += name(a, state.variable) + " starts at " + to_text(start(state, values)) + "\n";
  for (std::uint32_t v = 0; v < a.flat.slots; ++v)
    if (a.flat.variability[v] == model::Variability::parameter) out += name(a, session::VarId{v}) + " = " + to_text(values.value(v)) + "\n";
  if (const auto p = s.problem())
    for (const auto* list : {&p->parameters, &p->starts, &p->signals, &p->nominal}) {
      for (double x : *list) out += " " + to_text(x);
      out += "\n";
    }
  return out;
}

inline elaborate::Settings settings() { return {{KRON_SOURCE_DIR "/stdlib"}}; }

// One statement of text, applied to the session.
inline bool edit(Session& s, const std::string& text) {
  const SourceId id = sources::add("edit", text);
  const syntax::Parsed p = syntax::parse(id);
  REQUIRE_MESSAGE(!p.diagnostics.has_errors(), text);
  bool fine = true;
  for (const auto& stmt : p.statements) fine = s.apply(stmt) && fine;
  s.diagnostics().clear();
  return fine;
}

}  // namespace kron::test
