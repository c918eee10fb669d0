// lang/elaborate/evaluator.hpp: expressions to values.
//   in    an expression, the place it stands in (a class's instance, a function, a file), local names
//   out   a Value: typed array of scalar nodes; in normal mode over operands of the class's slots
//   modes normal: parameters are operands. structural: parameters are their values, so every node is a literal (or fails).
//         shape: only the sizes of the result mean anything; used before the slots exist.
// One evaluator, three modes: what an array size may be written as is what any expression may be written as.
#pragma once
#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "lang/elaborate/context.hpp"
#include "lang/elaborate/locals.hpp"
#include "lang/elaborate/scoped.hpp"
#include "lang/elaborate/value.hpp"
#include "lang/syntax/ast.hpp"

namespace kron::elaborate {

enum class Mode : std::uint8_t { normal, structural, shape };

struct Home {  // where a text stands
  ClassBuilder* instance = nullptr;  // null in functions and in constants of files
  std::uint32_t layer = 0;           // which base class's text, see ClassBuilder
  const File* file = nullptr;
  const Definition* enclosing = nullptr;
};

// Some elements of an array: the sizes of the selection and the row-major offsets.
struct Selection {
  Sizes sizes;
  Small<std::uint32_t, 3> offsets;
};

class Evaluator {
 public:
  Evaluator(Context& context, Home at, Mode m) : c(context), home(at), mode(m), slots(at.instance), use_(context) {}

  Value value(const syntax::Expr&, const EnumType* expected = nullptr);
  Value scalar(const syntax::Expr&, const char* what, const EnumType* expected = nullptr);
  Known known(const syntax::Expr&, const EnumType* expected = nullptr);  // in structural mode
  std::int64_t integer(const syntax::Expr&, const char* what);           // in structural mode
  bool truth(const syntax::Expr&);                                       // in structural mode
  bool is_structural(const syntax::Expr&);  // only constants and parameters, and none that the start finds: its value may be asked for while elaborating
  bool hangs_on_free(const syntax::Expr&);  // of one with constants and parameters alone: whether its value hangs on parameters that the start of a run finds
  Variability variability(const syntax::Expr&);
  // Results of a call that gives several; of anything else one.
  std::vector<Value> results(const syntax::Expr&, std::size_t wanted);

  // The values that an iterator runs over; a range of integers stays a range.
  struct Run {
    std::int64_t first = 1, step = 1;
    std::uint64_t count = 0;
    std::shared_ptr<const Known> values;  // used where given
  };
  Run run(const syntax::Iterator&, const std::vector<const syntax::Expr*>& body);
  void set_iterator(std::size_t local, const Run&, std::uint64_t i);
  std::size_t push(Name, Value = {});  // a new local
  void pop(std::size_t to) { locals.cut(to); }
  // At the end of the block no local is left that was put there in it, however it ends.
  class Unwinding {
   public:
    explicit Unwinding(Evaluator& e) : e_(e), locals_(e.locals.size()), ends_(e.end_.size()) {}
    ~Unwinding() {
      e_.locals.cut(locals_);
      e_.end_.resize(ends_);
    }
    Unwinding(const Unwinding&) = delete;
    Unwinding& operator=(const Unwinding&) = delete;

   private:
    Evaluator& e_;
    std::size_t locals_, ends_;
  };
  // For the block, the locals are those that a text saw which stands after the first `seen` of them.
  class AsSeen {
   public:
    AsSeen(Evaluator& e, std::size_t seen)
        : e_(e), later_(e.locals.take_from(seen)), place_(e.place_, seen) {
      block_.emplace(e);
    }
    ~AsSeen() {
      block_.reset();
      e_.locals.put_back(std::move(later_));
    }
    AsSeen(const AsSeen&) = delete;
    AsSeen& operator=(const AsSeen&) = delete;

   private:
    Evaluator& e_;
    std::vector<Local> later_;
    ScopedValue<std::size_t> place_;
    std::optional<Unwinding> block_;
  };
  void refresh();  // after the pool was emptied
  Sizes sizes_of(const syntax::Expr&);

  std::vector<Value> gather(const syntax::Expr& comprehension, std::size_t iterator = 0);  // for sums: any order, any raggedness

  Selection select(const Sizes&, const std::vector<syntax::ExprPtr>& subscripts, std::size_t first, Span);
  // A subscript is not known before the model runs.
  bool moves(const syntax::Expr& reference, std::size_t part, std::size_t dimension);
  bool moves(const syntax::Expr& subscript, const std::function<std::optional<std::uint32_t>()>& size);
  std::size_t rank_of_subscript(const syntax::Expr&, std::uint32_t size);
  Value subscripted(const syntax::Expr&);
  Value subscripted(const Value&, const std::vector<syntax::ExprPtr>& subscripts, std::size_t first, Span);
  Value field(const Value&, Name, Span);
  Value follow(Value, const std::vector<syntax::Part>&, std::size_t from, Span);  // subscripts and fields of a value

  Value derivative(const Value&, Span);
  bool has_local(Name n, std::size_t& i) const { return find_local(n, i) != nullptr; }
  std::optional<std::int64_t> small(const syntax::Expr& e) { return quick_integer(e); }
  // `result`: an expression of its arguments in place of its body.
  Value apply_function(const Definition&, std::vector<Value>, Span, const syntax::Expr* result = nullptr);
  const EnumType* enumeration_of(const syntax::Expr&);  // the type of a reference to an enumeration quantity, for bare literals
  Value constant_value(const Definition&, Span);
  Value worked_out(const Definition& constant);
  void keep_constant(const Definition&, const Value&);

  Context& c;
  Home home;
  Mode mode;
  ClassBuilder* slots = nullptr;  // whose slots the operands speak of; in a function, the caller's
  Locals locals;
  bool of_result = false;   // an expression of a result's values at one time: nothing of before
  bool free_units = false;  // no unit warnings (comparisons inside attributes, second evaluations)

 private:
  friend class Call;
  Value quantity(const syntax::Expr&);
  Value reference(const syntax::Expr&, const EnumType*);
  Value member_reference(const syntax::Expr&, std::uint32_t member);
  Value global_reference(const syntax::Expr&, const EnumType* expected);
  Value definition_value(const Definition&, const syntax::Expr&, std::size_t parts);
  Value local_value(std::size_t index);
  Variability local_variability(std::size_t index);
  template <class F>
  void in_order(std::size_t& done, std::size_t end, F&& ask);
  bool is_computed(const Local&) const;
  const Local* find_local(Name, std::size_t& index) const;
  std::optional<Value> looked_up(const syntax::Expr&, const EnumType*);  // indexing.cpp
  Value element_at(Value, std::size_t axis, const syntax::Expr& subscript, const syntax::Expr& whole);
  static void integer_run(Run&, const Known&);
  bool integer_range(const syntax::Expr&, Run&);
  std::uint64_t deduced_size(Name, const std::vector<const syntax::Expr*>& body);
  std::uint64_t size_of_part(const syntax::Expr&, std::size_t part, std::size_t dimension);
  std::uint32_t checked_index(std::int64_t, std::uint32_t size, Span, std::size_t dimension);
  std::vector<std::uint32_t> indices_of(const Known&, std::uint32_t size, Span, std::size_t dimension);
  [[noreturn]] void ambiguous(const std::vector<syntax::Part>&, const Lookup&, Span);
  [[noreturn]] void unknown_name(const syntax::Expr&, const EnumType* expected);
  Value unary(const syntax::Expr&, const EnumType*);
  Value binary_chain(const syntax::Expr&, const EnumType*);
  Value binary(syntax::Operator, Value, Value, const syntax::Expr&);
  Value relation(const syntax::Expr&);
  Value condition(const syntax::Expr&, const EnumType*);
  Value array(const syntax::Expr&, const EnumType*);
  Value matrix(const syntax::Expr&);
  Value range(const syntax::Expr&);
  Value comprehension(const syntax::Expr&, const EnumType*);
  void iterate(const syntax::Expr&, std::size_t left, std::vector<Value>& out, Sizes& counts, const EnumType*);
  NodeId derivative_node(NodeId, Span);
  std::optional<std::int64_t> quick_integer(const syntax::Expr&);
  // functions.cpp
  struct Argument {
    Name name;
    Value value;
    const syntax::Expr* source = nullptr;
    bool given = false;
  };
  Value call(const syntax::Expr&, const EnumType*);
  const Definition* callee(const syntax::Expr&);
  std::vector<Value> inlined(const Definition&, const syntax::Expr&);
  std::vector<Value> inlined_once(const Definition&, const std::vector<Argument>&, Span, const syntax::Expr* result = nullptr);
  std::vector<Argument> arguments(const Definition&, const syntax::Expr&);
  void check_sizes(const Definition&, Evaluator& inner, Span);
  std::uint32_t vectorised(const Definition&, const std::vector<Argument>&, Sizes&) const;
  bool run_body(const std::vector<syntax::StmtPtr>&, std::vector<Value>& out);
  struct Returned {  // under a condition that is decided while the model runs
    Value where;
    std::vector<Value> results;
  };
  struct Way {  // one of an `if` statement that is decided then
    bool returns = false;
    std::vector<Value> results;
    std::vector<Returned> returned;
    std::vector<std::pair<Name, Value>> assigned;
  };
  bool run_choice(const syntax::Stmt&, std::size_t branch, std::vector<Value>& out);
  std::vector<Value> either_results(const Value& condition, const std::vector<Value>& a, const std::vector<Value>& b, Span);
  void give_back(std::vector<Value>& results, Span);
  void take_back(Way&);
  bool run_loop(const syntax::Stmt&, std::size_t iterator, std::vector<Value>& out);
  void set_local(const syntax::Expr& target, Value, const syntax::Expr* source);
  void assign(const syntax::Stmt&);
  void note_names(const syntax::Expr&);
  Value construct(const Definition&, const syntax::Expr&);

  std::vector<std::uint32_t> end_;                      // what `end` means
  std::size_t place_ = Local::now;                      // of the text that is read, among the locals
  std::uint32_t rounds_ = 0;                            // of loops, inside each other
  std::size_t kept_ = 0;                                // locals before belong to all branches of an `if` statement
  std::uint32_t choices_ = 0;                           // such statements, inside each other
  std::vector<Returned> returned_;                      // what waits, in the order of the text
  std::set<Name> partly_;                               // names that not all branches of such a statement assign
  std::set<Name> read_;                                 // names in the texts of locals
  std::size_t told_ = 0, known_ = 0;                    // locals before are told, or known, if they are of rounds
  PoolUse use_;
};

// ---- values (operators.cpp) -------------------------------------------------------------------------------------------------

Value scalar_value(NodeId, ValueType, Variability = Variability::constant);
Value literal_value(Context&, const Rational&, ValueType);
Value boolean_value(Context&, bool);
Value text_value(std::string);
Value to_value(Context&, const Known&);
std::optional<Rational> number_of(Context&, NodeId);       // of an expression of literals and pi
bool is_no_number(Context&, NodeId);                        // likewise: infinite, or what a function outside its domain gives
Value arithmetic(Evaluator&, syntax::Operator, const Value&, const Value&, Span);
Value negated(Evaluator&, const Value&, Span);
Value transposed(Evaluator&, const Value&, Span);
Value dot_product(Evaluator&, const Value&, const Value&, Span);
Value mapped(Evaluator&, Fn, const Value&, Span);           // element by element
Value selected(Evaluator&, const Value& condition, const Value& a, const Value& b, Span);
Value stacked(Evaluator&, std::vector<Value>, Span);        // {a, b, c}
Value concatenated(Evaluator&, const std::vector<Value>&, std::size_t dimension, Span);
void promote(Value&, const Value&);                         // variability and type of a result
bool same_kind(const Value&, const Value&);                 // may be elements of one array, sides of an equation
void check_numeric(Evaluator&, const Value&, Span, const char* what);
bool units_agree(Evaluator&, const Value&, const Value&, Span, const char* what);  // what: an operator, or the name of a function
void check_dimensionless(Evaluator&, const Value&, Span, const char* what);       // what: "^", or the name of a function
const char* text_of(syntax::Operator);

// ---- records (records.cpp): a record class without modifications
std::shared_ptr<const RecordType> record_pattern(Context&, const Definition&, Span);
std::vector<Name> record_order(Context&, const Definition&, Span);  // its members in order of text

// Built-in functions (builtins.cpp): nullopt where no built-in has this name.
std::optional<Value> builtin(Evaluator&, const syntax::Expr&, const EnumType*);
bool builtin_named(const std::string&);
const std::vector<std::string>& builtin_names();

}  // namespace kron::elaborate
