#include "lang/syntax/piece_parser.hpp"

#include "lang/syntax/actions.hpp"
#include "lang/syntax/grammar.hpp"

namespace kron::syntax {
namespace {

// Whether the rule matched; its errors are reported.
template <class Rule>
bool run(SourceId source, std::string_view text, std::size_t begin, std::size_t end, Builder& builder,
         Diagnostics& out) {
  using Input = tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy, tao::pegtl::eol::lf, const char*>;
  Input in(text.data() + begin, text.data() + end, "");
  try {
    return tao::pegtl::parse<Rule, Action, Control>(in, builder);
  } catch (const Stopped& s) {
    out.add(explain(source, text.substr(0, end), begin, builder.offset(s.at), s.expected));
  } catch (const Failure& f) { out.add(f.diagnostic); }
  return false;
}

}  // namespace

ParsedPiece parse_piece(SourceId source, std::string_view text, std::size_t begin, std::size_t end, Diagnostics& out) {
  Builder builder(source, text);
  if (!run<grammar::piece>(source, text, begin, end, builder, out)) return {};
  builder.stmt->span = {source, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  return {std::move(builder.stmt), builder.kind};
}

ExprPtr parse_whole_expression(SourceId source, std::string_view text, std::size_t begin, std::size_t end,
                               Diagnostics& out) {
  Builder builder(source, text);
  if (!run<grammar::whole_expression>(source, text, begin, end, builder, out)) return nullptr;
  return builder.pop();
}

}  // namespace kron::syntax
