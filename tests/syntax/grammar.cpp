#include "lang/syntax/grammar.hpp"

#include <doctest/doctest.h>

#include <tao/pegtl/contrib/analyze.hpp>

// The rules of our own: a character or text consumes, a counted rule is as its inside.
namespace tao::pegtl {
template <class Name>
struct analyze_traits<Name, kron::syntax::grammar::name_char> : analyze_any_traits<> {};
template <class Name>
struct analyze_traits<Name, kron::syntax::grammar::plain_name> : analyze_any_traits<> {};
template <class Name>
struct analyze_traits<Name, kron::syntax::grammar::number_text> : analyze_any_traits<> {};
template <class Name, class Rule>
struct analyze_traits<Name, kron::syntax::grammar::nested<Rule>> : analyze_seq_traits<Rule> {};
template <class Name, class Rule>
struct analyze_traits<Name, kron::syntax::grammar::indexed<Rule>> : analyze_seq_traits<Rule> {};
}  // namespace tao::pegtl

TEST_CASE("grammar: no rule can loop without reading on") {
  CHECK(tao::pegtl::analyze<kron::syntax::grammar::piece>() == 0);
  CHECK(tao::pegtl::analyze<kron::syntax::grammar::whole_expression>() == 0);
}
