// lang/syntax/actions.hpp: what the rules of the grammar build (builder.hpp).
#pragma once
#include <type_traits>

#include "lang/syntax/builder.hpp"
#include "lang/syntax/grammar.hpp"
#include "lang/syntax/messages.hpp"

namespace kron::syntax {

namespace g = grammar;

struct Stopped {  // a rule failed where it had to match
  const char* at;
  Expected expected;
};

template <class Rule, class... Rules>
inline constexpr bool is_one_of = (std::is_same_v<Rule, Rules> || ...);

// Rules that take what was pushed since they began.
template <class Rule>
inline constexpr bool is_framed =
    is_one_of<Rule, g::part, g::reference_or_call, g::named_argument, g::setting, g::iterator, g::comprehension_tail,
              g::parenthesized, g::array, g::matrix, g::matrix_row, g::if_expression, g::subscript_tail, g::member_tail,
              g::range_tail, g::modification, g::base, g::declared, g::annotation, g::reference, g::function_input>;

template <class Rule>
struct Control : tao::pegtl::normal<Rule> {
  template <class Input>
  static void start(const Input& in, Builder& b) {
    if constexpr (is_framed<Rule>) b.open(in.current());
  }
  template <class Input>
  static void success(const Input&, Builder& b) {
    if constexpr (is_framed<Rule>) b.close();
  }
  template <class Input>
  static void failure(const Input&, Builder& b) {
    if constexpr (is_framed<Rule>) b.abandon();
  }
  template <class Input>
  [[noreturn]] static void raise(const Input& in, Builder&) {
    static_assert(!expected<Rule>.code.empty(), "a rule under `must` needs its entry in messages.hpp");
    throw Stopped{in.current(), expected<Rule>};
  }
};

template <class Rule>
struct Action : tao::pegtl::nothing<Rule> {};

#define KRON_ACTION(rule, ...)                     \
  template <>                                      \
  struct Action<g::rule> {                         \
    template <class Text>                          \
    static void apply(const Text& t, Builder& b) { \
      (void)t;                                     \
      __VA_ARGS__;                                 \
    }                                              \
  };

KRON_ACTION(space, b.space(t.begin(), t.end()))

// --- expressions
KRON_ACTION(name_text, b.name(t.begin(), t.end()))
KRON_ACTION(word_function_text, b.name(t.begin(), t.end()))
KRON_ACTION(word_function, b.word_part())
KRON_ACTION(literal_number, b.literal(t.begin(), t.end()))
KRON_ACTION(unit_text, b.unit(t.string_view(), t.end()))
KRON_ACTION(signed_quantity, b.sign(t.begin(), *t.begin() == '-'))
KRON_ACTION(string_literal, b.string(t.begin(), t.end()))
KRON_ACTION(true_literal, b.boolean(true, t.begin(), t.end()))
KRON_ACTION(false_literal, b.boolean(false, t.begin(), t.end()))
KRON_ACTION(last_index, b.last_index(t.begin(), t.end()))
KRON_ACTION(whole_dimension, b.whole_dimension(t.begin(), t.end()))
KRON_ACTION(part, b.part())
KRON_ACTION(arguments, b.called())
KRON_ACTION(reference_or_call, b.reference_or_call(t.end()))
KRON_ACTION(parenthesized, b.parenthesized(t.end()))
KRON_ACTION(array, b.array(t.end()))
KRON_ACTION(matrix_row, b.row())
KRON_ACTION(matrix, b.matrix(t.end()))
KRON_ACTION(if_expression, b.condition(t.end()))
KRON_ACTION(iterator, b.iterator())
KRON_ACTION(comprehension_tail, b.comprehension())
KRON_ACTION(named_argument, b.named_argument(t.end()))
KRON_ACTION(setting, b.named_argument(t.end()))
KRON_ACTION(transpose_tail, b.transpose(t.end()))
KRON_ACTION(subscript_tail, b.subscript(t.end()))
KRON_ACTION(member_tail, b.member(t.end()))
KRON_ACTION(negation, b.unary(Operator::neg, t.begin(), t.end()))
KRON_ACTION(identity, b.unary(Operator::plus, t.begin(), t.end()))
KRON_ACTION(not_prefix, b.unary(Operator::not_, t.begin(), t.end()))
KRON_ACTION(power_tail, b.binary(Operator::pow))
KRON_ACTION(elem_power_tail, b.binary(Operator::elem_pow))
KRON_ACTION(times_tail, b.binary(Operator::mul))
KRON_ACTION(divide_tail, b.binary(Operator::div))
KRON_ACTION(elem_times_tail, b.binary(Operator::elem_mul))
KRON_ACTION(elem_divide_tail, b.binary(Operator::elem_div))
KRON_ACTION(plus_tail, b.binary(Operator::add))
KRON_ACTION(minus_tail, b.binary(Operator::sub))
KRON_ACTION(less_tail, b.binary(Operator::lt))
KRON_ACTION(less_equal_tail, b.binary(Operator::le))
KRON_ACTION(greater_tail, b.binary(Operator::gt))
KRON_ACTION(greater_equal_tail, b.binary(Operator::ge))
KRON_ACTION(equal_tail, b.binary(Operator::eq))
KRON_ACTION(not_equal_tail, b.binary(Operator::ne))
KRON_ACTION(and_tail, b.binary(Operator::and_))
KRON_ACTION(or_tail, b.binary(Operator::or_))
KRON_ACTION(range_tail, b.range())

// --- parts of statements
KRON_ACTION(doc, b.doc(t.begin(), t.end()))
KRON_ACTION(annotation, b.annotation(t.end()))
KRON_ACTION(reference, b.reference(t.end()))
KRON_ACTION(binding, b.declaration_value())
KRON_ACTION(component_condition, b.component_condition())
KRON_ACTION(final_prefix, b.final_modification())
KRON_ACTION(modified_path, b.modified_path())
KRON_ACTION(replacement, b.replacement())
KRON_ACTION(modification, b.modification(t.end()))
KRON_ACTION(base, b.base(t.end()))
KRON_ACTION(declared, b.declared(t.end()))
KRON_ACTION(type_text, b.type(t.begin(), t.end()))
KRON_ACTION(message_text, b.message(t.begin(), t.end()))

// --- declarations
KRON_ACTION(parameter_word, b.stmt->prefix = Prefix::parameter)
KRON_ACTION(variable_word, b.stmt->prefix = Prefix::variable)
KRON_ACTION(constant_word, b.stmt->prefix = Prefix::constant)
KRON_ACTION(discrete_word, b.stmt->prefix = Prefix::discrete)
KRON_ACTION(input_word, b.stmt->prefix = Prefix::input)
KRON_ACTION(output_word, b.stmt->prefix = Prefix::output)
KRON_ACTION(potential_word, b.stmt->prefix = Prefix::potential)
KRON_ACTION(flow_word, b.stmt->prefix = Prefix::flow)
KRON_ACTION(private_word, b.stmt->is_private = true)
KRON_ACTION(final_word, b.stmt->is_final = true)
KRON_ACTION(outer_word, b.stmt->is_outer = true)
KRON_ACTION(variable_declaration, b.begin(StmtKind::declaration))
KRON_ACTION(component_declaration, b.component())

// --- classes
KRON_ACTION(partial_word, b.stmt->is_partial = true)
KRON_ACTION(model_word, b.stmt->class_kind = ClassKind::model)
KRON_ACTION(connector_word, b.stmt->class_kind = ClassKind::connector)
KRON_ACTION(record_word, b.stmt->class_kind = ClassKind::record)
KRON_ACTION(class_name, b.class_name())
KRON_ACTION(short_class, b.stmt->is_short = true)
KRON_ACTION(class_, b.class_statement())
KRON_ACTION(enumeration_literal, b.enumeration_literal())
KRON_ACTION(enumeration, b.begin(StmtKind::enumeration))
KRON_ACTION(function_default, b.binding())
KRON_ACTION(function_input, b.function_input(t.end()))
KRON_ACTION(function_body, b.stmt->rhs = b.pop())
KRON_ACTION(function, b.function())
KRON_ACTION(return_, b.begin(StmtKind::return_); b.stmt->args = b.take(0))
KRON_ACTION(extends, b.begin(StmtKind::extends); b.stmt->bases = b.take_bases())
KRON_ACTION(use_file, b.message(t.begin(), t.end()); b.stmt->is_file = true)
KRON_ACTION(library_name, b.stmt->text = t.string())
KRON_ACTION(use_member, b.member_name())
KRON_ACTION(use, b.begin(StmtKind::use))

// --- equations and their kin
KRON_ACTION(label, b.label())
KRON_ACTION(connect, b.begin(StmtKind::connect); b.references())
KRON_ACTION(for_, b.header(StmtKind::for_))
KRON_ACTION(if_, b.header(StmtKind::if_))
KRON_ACTION(when, b.header(StmtKind::when))
KRON_ACTION(assign_tail, b.assign())
KRON_ACTION(equation_value, b.binding())
KRON_ACTION(equation_tail, b.equation())
KRON_ACTION(initial_word, b.stmt->is_initial = true)
KRON_ACTION(initial_alone, b.header(StmtKind::initial_block))
KRON_ACTION(assert_time, b.stmt->at = b.pop())
KRON_ACTION(assert_, b.assertion())
KRON_ACTION(reinit, b.begin(StmtKind::reinit); b.stmt->rhs = b.pop(); b.stmt->lhs = b.pop())
KRON_ACTION(terminate, b.begin(StmtKind::terminate); b.stmt->args = b.take(0))
KRON_ACTION(branch, b.graph(StmtKind::branch_, 2))
KRON_ACTION(root, b.graph(StmtKind::root, 1))
KRON_ACTION(delete_connect, b.stmt->is_connect = true)
KRON_ACTION(delete_, b.begin(StmtKind::delete_); b.references())
KRON_ACTION(untear_word, b.stmt->is_untear = true)
KRON_ACTION(tear_residue, b.stmt->is_residue = true)
KRON_ACTION(tear, b.begin(StmtKind::tear); b.references())
KRON_ACTION(experiment, b.begin(StmtKind::experiment); b.stmt->named = b.take_named())
KRON_ACTION(test, b.header(StmtKind::test))
KRON_ACTION(doc_statement, b.begin(StmtKind::doc); b.message(t.begin(), t.end()))

// --- pieces
KRON_ACTION(end_name, b.class_name())
KRON_ACTION(end_line, b.kind = PieceKind::end_line)
KRON_ACTION(else_line, b.branch_header(PieceKind::else_line))
KRON_ACTION(elseif_line, b.branch_header(PieceKind::elseif_line))
KRON_ACTION(elsewhen_line, b.branch_header(PieceKind::elsewhen_line))
KRON_ACTION(statement_end, b.finish())
#undef KRON_ACTION

}  // namespace kron::syntax
