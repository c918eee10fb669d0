// lang/syntax/grammar.hpp: the grammar of one piece of the layout (layout.hpp): a statement without its body, the first
// line of a block, `else`, `end`. A rule named *_tail continues what stands before it. What the rules build is in
// actions.hpp, what they say when they fail in messages.hpp. Rules choose by what comes next, so nothing built is ever
// thrown away again.
#pragma once
#include <tao/pegtl.hpp>
#include <tao/pegtl/contrib/analyze_traits.hpp>

#include "lang/syntax/characters.hpp"
#include "lang/syntax/words.hpp"

namespace kron::syntax::grammar {

namespace pegtl = tao::pegtl;
using pegtl::at;
using pegtl::eof;
using pegtl::if_must;
using pegtl::must;
using pegtl::not_at;
using pegtl::one;
using pegtl::opt;
using pegtl::plus;
using pegtl::seq;
using pegtl::sor;
using pegtl::star;

// --- characters

template <class Input>
std::string_view rest(const Input& in) {
  return {in.current(), in.size()};
}

struct name_char {  // one character of a name
  using rule_t = name_char;
  using subs_t = pegtl::empty_list;
  template <class Input>
  static bool match(Input& in) {
    const std::size_t n = name_character(rest(in), 0);
    in.bump(n);
    return n > 0;
  }
};

struct plain_name {  // a name that is no keyword
  using rule_t = plain_name;
  using subs_t = pegtl::empty_list;
  template <class Input>
  static bool match(Input& in) {
    const std::size_t n = name_length(rest(in), 0);
    if (n == 0) return false;
    const WordKind kind = word_kind(rest(in).substr(0, n));
    if (kind == WordKind::keyword || kind == WordKind::later) return false;
    in.bump(n);
    return true;
  }
};

struct number_text {
  using rule_t = number_text;
  using subs_t = pegtl::empty_list;
  template <class Input>
  static bool match(Input& in) {
    const std::size_t n = number_length(rest(in), 0);
    in.bump(n);
    return n > 0;
  }
};

// Counts the nesting of what it holds; the limit is an error of the action's state.
template <class Rule>
struct nested {
  using rule_t = nested;
  using subs_t = pegtl::type_list<Rule>;
  template <pegtl::apply_mode A, pegtl::rewind_mode M, template <typename...> class Action,
            template <typename...> class Control, class Input, class State>
  static bool match(Input& in, State& state) {
    const auto level = state.enter(in.current());
    return Control<Rule>::template match<A, M, Action, Control>(in, state);
  }
};

// Where `end` may stand for the last index.
template <class Rule>
struct indexed {
  using rule_t = indexed;
  using subs_t = pegtl::type_list<Rule>;
  template <pegtl::apply_mode A, pegtl::rewind_mode M, template <typename...> class Action,
            template <typename...> class Control, class Input, class State>
  static bool match(Input& in, State& state) {
    const auto subscript = state.enter_subscript();
    return Control<Rule>::template match<A, M, Action, Control>(in, state);
  }
};

struct line_comment : seq<pegtl::two<'/'>, star<pegtl::not_one<'\n'>>> {};
struct block_comment : seq<pegtl::string<'/', '*'>, pegtl::until<pegtl::string<'*', '/'>>> {};
struct space : star<sor<one<' ', '\t', '\n', '\r', '\f', '\v'>, line_comment, block_comment>> {};

template <char... C>
struct mark : seq<pegtl::string<C...>, space> {};
template <class Text>
struct keyword : seq<Text, not_at<name_char>, space> {};
#define KRON_KEYWORD(text) keyword<TAO_PEGTL_STRING(text)>

struct comma : mark<','> {};
struct semicolon : mark<';'> {};
struct equals : seq<not_at<pegtl::string<'=', '='>>, one<'='>, space> {};
struct colon : seq<not_at<one<':'>, one<':', '='>>, one<':'>, space> {};
struct open_round : mark<'('> {};
struct close_round : mark<')'> {};
struct open_square : mark<'['> {};
struct close_square : mark<']'> {};
struct open_brace : mark<'{'> {};
struct close_brace : mark<'}'> {};
struct name_text : plain_name {};
struct identifier : seq<name_text, space> {};

struct escape : seq<one<'\\'>, pegtl::any> {};
struct doc_quotes : pegtl::rep<3, one<'"'>> {};
struct line_string : seq<one<'"'>, star<sor<escape, pegtl::not_one<'"', '\n'>>>, one<'"'>> {};
struct doc_string : seq<doc_quotes, pegtl::until<doc_quotes, sor<escape, pegtl::any>>> {};
struct string_text : sor<doc_string, line_string> {};

// --- expressions, loosest operator last

struct expression;
struct value;
struct unary;
struct logical_not;

struct literal_number : number_text {};
struct number_end : not_at<sor<name_char, seq<one<'.'>, not_at<one<'*', '/', '^'>>>>> {};
struct unit_text : plus<pegtl::not_one<'[', ']', '\n'>> {};
struct unit_close : one<']'> {};
struct unit_tail : seq<star<one<' ', '\t'>>, one<'['>, must<unit_text, unit_close>> {};
struct literal : seq<literal_number, must<number_end>, opt<unit_tail>, space> {};
struct signed_quantity_ahead : at<one<'+', '-'>, number_text, star<one<' ', '\t'>>, one<'['>> {};
struct signed_quantity : seq<signed_quantity_ahead, one<'+', '-'>, literal> {};

struct string_literal : seq<string_text, space> {};
struct true_literal : KRON_KEYWORD("true") {};
struct false_literal : KRON_KEYWORD("false") {};
struct last_index : KRON_KEYWORD("end") {};

struct whole_dimension : seq<colon, at<one<',', ']'>>> {};
struct subscript : sor<whole_dimension, expression> {};
struct subscripts
    : seq<open_square, indexed<seq<must<subscript>, star<if_must<comma, subscript>>>>, must<close_square>> {};
struct part : seq<identifier, opt<subscripts>> {};
struct dot : seq<one<'.'>, not_at<one<'*', '/', '^'>>, space> {};
struct path : seq<part, star<if_must<dot, part>>> {};

struct iterator : seq<identifier, opt<if_must<KRON_KEYWORD("in"), expression>>> {};
struct iterators : seq<must<iterator>, star<if_must<comma, iterator>>> {};
struct comprehension_tail : seq<KRON_KEYWORD("for"), iterators> {};

struct named_argument : seq<at<identifier, equals>, identifier, equals, must<value>> {};
struct argument : sor<named_argument, expression> {};
struct further_arguments : star<if_must<comma, argument>> {};
struct argument_list : sor<seq<named_argument, further_arguments>, seq<expression, sor<comprehension_tail, further_arguments>>> {};
struct arguments : seq<open_round, opt<argument_list>, must<close_round>> {};
struct word_function_text : seq<sor<TAO_PEGTL_STRING("der"), TAO_PEGTL_STRING("initial"), TAO_PEGTL_STRING("relax"),
                                    TAO_PEGTL_STRING("residue")>,
                                not_at<name_char>> {};
struct word_function : seq<word_function_text, space, at<must<open_round>>> {};
struct reference_or_call : seq<sor<word_function, path>, opt<arguments>> {};

struct parenthesized : seq<open_round, must<expression>, star<if_must<comma, expression>>, must<close_round>> {};
struct array
    : seq<open_brace, opt<expression, sor<comprehension_tail, star<if_must<comma, expression>>>>, must<close_brace>> {};
struct matrix_row : seq<expression, star<if_must<comma, expression>>> {};
struct matrix : seq<open_square, must<matrix_row>, star<if_must<semicolon, matrix_row>>, must<close_square>> {};
struct then_word : KRON_KEYWORD("then") {};
struct else_word : KRON_KEYWORD("else") {};
struct condition;
struct if_expression
    : seq<KRON_KEYWORD("if"), must<condition, then_word, expression>,
          star<if_must<KRON_KEYWORD("elseif"), condition, then_word, expression>>, must<else_word, expression>> {};

struct primary : sor<literal, signed_quantity, string_literal, true_literal, false_literal, last_index, parenthesized,
                     array, matrix, if_expression, reference_or_call> {};
struct transpose_tail : mark<'\''> {};
struct subscript_tail : subscripts {};
struct member_tail : plus<if_must<dot, part>> {};
struct postfix : seq<primary, star<sor<transpose_tail, subscript_tail, member_tail>>> {};

struct nested_unary : nested<unary> {};
struct power_tail : if_must<mark<'^'>, nested_unary> {};
struct elem_power_tail : if_must<mark<'.', '^'>, nested_unary> {};
struct power : seq<postfix, opt<sor<power_tail, elem_power_tail>>> {};
struct negation : if_must<mark<'-'>, nested_unary> {};
struct identity : if_must<mark<'+'>, nested_unary> {};
struct unary : sor<seq<not_at<signed_quantity_ahead>, sor<negation, identity>>, power> {};

struct times_tail : if_must<mark<'*'>, unary> {};
struct divide_tail : if_must<mark<'/'>, unary> {};
struct elem_times_tail : if_must<mark<'.', '*'>, unary> {};
struct elem_divide_tail : if_must<mark<'.', '/'>, unary> {};
struct product : seq<unary, star<sor<times_tail, divide_tail, elem_times_tail, elem_divide_tail>>> {};
struct plus_tail : if_must<mark<'+'>, product> {};
struct minus_tail : if_must<mark<'-'>, product> {};
struct sum : seq<product, star<sor<plus_tail, minus_tail>>> {};

struct less_tail : if_must<seq<one<'<'>, not_at<one<'>', '='>>, space>, sum> {};
struct less_equal_tail : if_must<mark<'<', '='>, sum> {};
struct greater_tail : if_must<seq<one<'>'>, not_at<one<'='>>, space>, sum> {};
struct greater_equal_tail : if_must<mark<'>', '='>, sum> {};
struct equal_tail : if_must<mark<'=', '='>, sum> {};
struct not_equal_tail : if_must<mark<'!', '='>, sum> {};
struct relation_end : not_at<sor<one<'<', '>'>, pegtl::string<'=', '='>, pegtl::string<'!', '='>>> {};
struct relation
    : seq<sum, opt<sor<less_tail, less_equal_tail, greater_tail, greater_equal_tail, equal_tail, not_equal_tail>,
                   must<relation_end>>> {};
struct nested_not : nested<logical_not> {};
struct not_prefix : if_must<KRON_KEYWORD("not"), nested_not> {};
struct logical_not : sor<not_prefix, relation> {};
struct and_tail : if_must<KRON_KEYWORD("and"), logical_not> {};
struct logical_and : seq<logical_not, star<and_tail>> {};
struct or_tail : if_must<KRON_KEYWORD("or"), logical_and> {};
struct logical_or : seq<logical_and, star<or_tail>> {};
struct range_tail : seq<if_must<colon, logical_or>, opt<if_must<colon, logical_or>>> {};
struct range : seq<logical_or, opt<range_tail>> {};
struct expression : nested<range> {};
struct condition : expression {};  // the same, with its own message

// --- what several statements share

struct doc : seq<string_text, space> {};
struct annotation_name : seq<one<'@'>, must<identifier>> {};
struct annotation : seq<annotation_name, opt<arguments>> {};
struct notes : star<sor<doc, annotation>> {};  // doc string and annotations behind a statement

struct reference : path {};
struct references : seq<must<reference>, star<if_must<comma, reference>>> {};
struct value : expression {};
struct binding : if_must<equals, value> {};
struct modified_value : if_must<equals, value> {};

struct modification;
struct modification_list : seq<must<modification>, star<if_must<comma, modification>>> {};
struct modifications : nested<seq<open_round, opt<not_at<one<')'>>, modification_list>, must<close_round>>> {};
struct final_prefix : KRON_KEYWORD("final") {};
struct modified_path : path {};
struct class_path : path {};
struct replacement : seq<colon, must<class_path>, opt<modifications>> {};
struct modification
    : seq<opt<final_prefix>, modified_path, sor<replacement, seq<opt<modifications>, opt<modified_value>>>> {};
struct base : seq<class_path, opt<modifications>> {};
struct bases : seq<must<base>, star<if_must<comma, base>>> {};

// --- declarations

struct declared : seq<identifier, opt<subscripts>, opt<modifications>> {};
struct declared_list : seq<must<declared>, star<if_must<comma, declared>>> {};
struct component_condition : if_must<KRON_KEYWORD("if"), expression> {};
struct declaration_tail : seq<opt<binding>, opt<component_condition>, notes> {};

struct unit_factor;
struct unit_power : seq<one<'^'>, opt<one<'-', '+'>>, plus<pegtl::digit>, opt<one<'.'>, plus<pegtl::digit>>> {};  // 0.5 is read, and refused as a unit
struct unit_space : star<one<' ', '\t'>> {};
struct unit_name : seq<plain_name, star<one<'.'>, plain_name>> {};
struct unit_product : seq<unit_factor, star<unit_space, one<'*', '/'>, unit_space, must<unit_factor>>> {};
struct unit_group_close : one<')'> {};
struct unit_group : seq<one<'('>, nested<unit_product>, must<unit_group_close>> {};
struct unit_factor : seq<sor<unit_name, plus<pegtl::digit>, unit_group>, opt<unit_power>> {};
struct type_text : unit_product {};
struct type_end : not_at<sor<one<'('>, one<'['>>> {};  // `: Real(start = 1)`: attributes stand behind the name
struct type : seq<type_text, space, must<type_end>> {};

struct parameter_word : KRON_KEYWORD("parameter") {};
struct variable_word : KRON_KEYWORD("variable") {};
struct constant_word : KRON_KEYWORD("constant") {};
struct discrete_word : KRON_KEYWORD("discrete") {};
struct input_word : KRON_KEYWORD("input") {};
struct output_word : KRON_KEYWORD("output") {};
struct potential_word : KRON_KEYWORD("potential") {};
struct flow_word : KRON_KEYWORD("flow") {};
struct variable_prefix : sor<parameter_word, variable_word, constant_word, discrete_word, input_word, output_word,
                             potential_word, flow_word> {};
struct variable_declaration : seq<variable_prefix, declared_list, opt<if_must<colon, type>>, declaration_tail> {};

struct group;  // brackets and what they hold, to look over sizes and attributes
struct group_item : sor<group, string_text, line_comment, block_comment, pegtl::any> {};
struct group : sor<seq<one<'('>, pegtl::until<one<')'>, group_item>>, seq<one<'['>, pegtl::until<one<']'>, group_item>>,
                   seq<one<'{'>, pegtl::until<one<'}'>, group_item>>> {};
struct declared_ahead : seq<identifier, star<group, space>> {};
struct component_ahead : at<pegtl::list<declared_ahead, comma>, colon> {};
struct component_declaration
    : seq<component_ahead, declared_list, colon, must<class_path>, opt<modifications>, declaration_tail> {};

struct private_word : KRON_KEYWORD("private") {};
struct final_word : KRON_KEYWORD("final") {};
struct outer_word : KRON_KEYWORD("outer") {};
struct any_declaration : sor<variable_declaration, component_declaration> {};
struct modified_declaration : seq<plus<sor<private_word, final_word, outer_word>>, must<any_declaration>> {};

// --- classes

struct partial_word : KRON_KEYWORD("partial") {};
struct model_word : KRON_KEYWORD("model") {};
struct connector_word : KRON_KEYWORD("connector") {};
struct record_word : KRON_KEYWORD("record") {};
struct class_word : sor<model_word, connector_word, record_word> {};
struct class_name : identifier {};
struct short_class : if_must<equals, base> {};
struct class_header : opt<KRON_KEYWORD("extends"), bases> {};
struct class_ : seq<sor<seq<partial_word, must<class_word>>, class_word>, must<class_name>,
                    sor<short_class, class_header>, notes> {};

struct enumeration_literal : identifier {};
struct enumeration : seq<KRON_KEYWORD("enum"), must<class_name, enumeration_literal>,
                         star<if_must<comma, enumeration_literal>>, notes> {};

struct function_default : if_must<equals, value> {};
struct function_input : seq<identifier, opt<subscripts>, opt<function_default>> {};
struct function_inputs : seq<function_input, star<if_must<comma, function_input>>> {};
struct function_body : if_must<equals, expression> {};
struct function : seq<KRON_KEYWORD("function"), must<class_name, open_round>, opt<function_inputs>, must<close_round>,
                      opt<function_body>, notes> {};
struct return_ : seq<KRON_KEYWORD("return"), must<expression>, star<if_must<comma, expression>>> {};
struct extends : seq<KRON_KEYWORD("extends"), bases, notes> {};

struct use_file : seq<string_text, space> {};
struct library_name : seq<plain_name, star<one<'.'>, plain_name>> {};
struct use_library : seq<library_name, space> {};
struct use_source : sor<use_file, use_library> {};
struct use_alias : if_must<KRON_KEYWORD("as"), class_name> {};
struct use_member : identifier {};
struct use_members : seq<colon, must<use_member>, star<if_must<comma, use_member>>> {};
struct use : seq<KRON_KEYWORD("use"), must<use_source>, opt<use_alias>, opt<use_members>> {};

// --- equations and their kin

struct label : seq<at<identifier, pegtl::string<':', ':'>>, identifier, mark<':', ':'>> {};
struct connect
    : seq<KRON_KEYWORD("connect"), must<reference, comma, reference>, star<if_must<comma, reference>>, notes> {};
struct for_ : seq<KRON_KEYWORD("for"), iterators> {};
struct if_ : seq<KRON_KEYWORD("if"), must<expression>, opt<then_word>> {};
struct when : seq<KRON_KEYWORD("when"), must<expression>, opt<then_word>> {};

struct assign_tail : if_must<mark<':', '='>, expression> {};
struct equation_value : expression {};
struct equation_tail : seq<equals, must<equation_value>, notes> {};
struct equation_sign : sor<assign_tail, equation_tail> {};
struct equation : seq<expression, must<equation_sign>> {};

struct initial_word : seq<KRON_KEYWORD("initial"), not_at<one<'('>, space, one<')'>>> {};
struct initial_alone : eof {};
struct initial_body : sor<initial_alone, seq<opt<label>, sor<for_, if_, equation>>> {};
struct initial : seq<initial_word, must<initial_body>> {};

struct assert_time : if_must<KRON_KEYWORD("at"), expression> {};
struct message_text : seq<string_text, space> {};
struct assert_message : if_must<comma, message_text> {};
struct assert_ : seq<KRON_KEYWORD("assert"), must<expression>, opt<assert_time>,
                     opt<assert_message, star<if_must<comma, expression>>, opt<assert_time>>, notes> {};
struct reinit : seq<KRON_KEYWORD("reinit"), must<reference, equals, value>, notes> {};
struct terminate_text : sor<message_text, seq<not_at<one<'('>>, expression>> {};
struct terminate : seq<KRON_KEYWORD("terminate"), must<terminate_text>, star<if_must<comma, expression>>, notes> {};
struct branch : seq<KRON_KEYWORD("branch"), must<reference, comma, reference>, opt<if_must<comma, expression>>, notes> {};
struct root : seq<KRON_KEYWORD("root"), must<reference>, opt<if_must<comma, expression>>, notes> {};

struct delete_connect : seq<KRON_KEYWORD("connect"), references> {};
struct delete_names : references {};
struct delete_ : seq<KRON_KEYWORD("delete"), sor<delete_connect, delete_names>> {};
struct derivative_ahead : at<KRON_KEYWORD("der")> {};
struct tear_variable : sor<seq<derivative_ahead, reference_or_call>, reference> {};
struct tear_residue : seq<KRON_KEYWORD("residue"), must<reference>> {};
struct tear_pair : seq<must<tear_variable>, opt<if_must<comma, reference>>> {};
struct tear_word : KRON_KEYWORD("tear") {};
struct untear_word : KRON_KEYWORD("untear") {};
struct tear : seq<sor<tear_word, untear_word>, sor<tear_residue, tear_pair>> {};

struct setting : named_argument {};
struct experiment : seq<KRON_KEYWORD("experiment"), must<setting>, star<if_must<comma, setting>>> {};
struct test : seq<KRON_KEYWORD("test"), must<message_text>> {};
struct doc_statement : seq<at<string_text, space, eof>, string_text, space> {};

struct equation_like : sor<connect, for_, if_, when, initial, assert_, reinit, terminate, branch, root, equation> {};
struct labelled : seq<label, must<equation_like>> {};
struct statement : sor<labelled, variable_declaration, class_, component_declaration, modified_declaration, connect,
                       for_, if_, when, initial, assert_, reinit, terminate, branch, root, enumeration, function,
                       return_, extends, use, delete_, tear, experiment, test, doc_statement, equation> {};

// --- a piece

struct end_name : identifier {};
struct end_line : seq<KRON_KEYWORD("end"), opt<end_name>> {};
struct else_line : KRON_KEYWORD("else") {};
struct elseif_line : seq<KRON_KEYWORD("elseif"), must<expression>, opt<then_word>> {};
struct elsewhen_line : seq<KRON_KEYWORD("elsewhen"), must<expression>, opt<then_word>> {};
struct statement_end : eof {};
struct any_piece : sor<end_line, else_line, elseif_line, elsewhen_line, statement> {};
struct piece : seq<space, must<any_piece, statement_end>> {};
struct whole_expression : seq<space, must<expression>, must<statement_end>> {};

}  // namespace kron::syntax::grammar
