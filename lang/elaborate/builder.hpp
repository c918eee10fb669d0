// lang/elaborate/builder.hpp: one class with its modifications becomes one blueprint.
//   stages  collect   members and equations of the class and its bases, with the modifications that extends clauses give
//           declare   types, sizes, slots of own variables, then the components (each a request to the cache)
//           emit      bindings, attributes, equations, connections
//   Values of structural parameters are found when asked for, at any stage; so a builder also serves to evaluate a component's
//   parameter before (or without) its blueprint.
#pragma once
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/elaborate/cache.hpp"
#include "lang/elaborate/context.hpp"
#include "lang/elaborate/evaluator.hpp"
#include "lang/elaborate/kept_statements.hpp"
#include "lang/syntax/ast.hpp"

namespace kron::elaborate {

// One modification as it reaches a component or variable: what is left of its path, and where it was written.
struct Item {
  const syntax::Modification* mod = nullptr;
  std::uint32_t offset = 0;        // parts of mod->path already gone
  ClassBuilder* origin = nullptr;  // the class whose text holds it
  std::uint32_t layer = 0;         // which of its texts
  std::uint64_t lead = 0;          // element over all arrays of components passed on the way
  bool inherited = false;          // came with the environment: questions go through the parent
  bool assigned = false;           // by `:=`
};
using Items = std::vector<Item>;

// What one step down finds: modifications of the thing itself, and of its parts; outermost first.
struct Descent {
  Items whole, parts;
};

// Answers of the over-determined graph for one instance and those below it (overdetermined.hpp).
struct GraphAnswers {
  std::vector<bool> rooted;           // of GraphPart::asked
  std::vector<std::uint32_t> broken;  // numbers of connect edges
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<GraphAnswers>> children;  // (name id, element)
  std::uint64_t hash = 0;             // 0: nothing but defaults
};

// What a parent gives to a component: all that its blueprint may depend on.
struct Environment {
  ClassBuilder* parent = nullptr;  // null: the workspace, or a record on its own
  Step step;
  Items items;   // of its parts
  Items whole;   // of itself: values of records, replacements
  syntax::Prefix role = syntax::Prefix::component;  // of a record: what its members become
  const OuterNeed* shadow = nullptr;                // only these members, without equations: an outer component's stand-in
  const GraphAnswers* graph = nullptr;
  Span place;
};

struct Layer {  // one class text that takes part
  const Definition* definition = nullptr;
  const File* file = nullptr;
  std::uint64_t sees = 0;  // layers whose members its text may name (bit 63: all from there on)
};

constexpr std::uint32_t no_place = 0xffffffff;
struct Member {
  const syntax::Stmt* statement = nullptr;
  const syntax::Declared* declared = nullptr;
  std::uint32_t layer = 0;
  bool is_outer = false, is_component = false;
  bool sizing = false, valuing = false, failed = false, typed = false, folding = false, folded = false;
  std::optional<bool> present;           // of a conditional component
  Items items;                           // of extends clauses (and of the workspace's assignments), outermost first
  const Definition* type = nullptr;      // record of a quantity
  const Definition* component_type = nullptr;
  const OuterNeed* need = nullptr;
  const syntax::StmtPtr* own_text = nullptr;  // of the workspace's own declarations: the statement
  std::uint32_t kept = no_place;         // among the components that are kept
  std::optional<Sizes> sizes;
  std::unique_ptr<Known> known;
  std::array<std::optional<FoldedElements>, 2> for_others;  // by question, literals and zeros: number_for_others
  std::set<std::uint32_t> alone;         // see elements_given_alone
  FoldedElements written;                // of constants, and of angles and directions that shape equations: those that are written as numbers
};

// Where a path leads: components (connectors, records) or the scalars of a variable.
struct Where {
  const Elaboration* type = nullptr;
  std::uint32_t base = 0;  // slots before it
};
struct Reached {
  Small<Where, 2> at;                  // the instances; of a variable: those that hold it
  Small<std::uint32_t, 3> slots;       // of a variable
  Sizes sizes;
  const MemberInfo* member = nullptr;  // the last part's
  bool absent = false;
  bool outside = false;                // the first part is a connector of the class itself
  bool finals = false;                 // a class on the way protects something
};

Requested elaborate_class(Context&, const Definition&, Environment);
Answer ask_environment(const Environment&, const Question&);
Question inside_question(const Environment&, const Question&);
std::uint64_t signature(const Environment&);
bool is_suffix(const Sizes&, const Sizes& whole);
NodeId written_number(Context&, const Rational&);

class ClassBuilder {
 public:
  ClassBuilder(Context&, const Definition&, Environment);
  ~ClassBuilder();
  ClassBuilder(const ClassBuilder&) = delete;
  ClassBuilder& operator=(const ClassBuilder&) = delete;

  void collect();
  std::shared_ptr<Elaboration> build();
  void set_graph(const GraphAnswers* g) { env_.graph = g; }
  void set_kept(KeptStatements* k) {
    kept_ = k;
    kept_->begin();
  }

  // ---- names
  std::optional<std::uint32_t> find(Name, std::uint32_t layer) const;  // layer beyond the last: all members
  Home home(std::uint32_t layer) { return {this, layer, layers_[layer].file, layers_[layer].definition}; }
  std::vector<std::string> names() const;
  const MemberInfo& info(std::uint32_t i) const { return out_->members[i]; }
  const Definition& find_class(const std::vector<syntax::Part>&, std::uint32_t layer, Span);
  // The class of the component that an enclosing instance has by this name; null: none has one.
  const Definition* held_outside(Name) const;
  bool is_top() const { return env_.parent == nullptr && definition_.file->library->is_workspace && definition_.name.empty(); }

  // ---- structural values, at any stage (parameters.cpp)
  const Known& known(std::uint32_t member, Span asked);
  const Sizes& sizes_of(std::uint32_t member);
  ClassBuilder& inside(std::uint32_t member, std::uint32_t element, Span asked);  // a component as a scope, without blueprint
  Value early_value(const syntax::Expr&, std::size_t part, std::uint32_t member, Evaluator&);
  Value inner_early(const syntax::Expr&, std::size_t part, Evaluator&);
  Variability variability_of(const std::vector<syntax::Part>&, std::size_t part, std::uint32_t member);
  const EnumType* enumeration_of(const std::vector<syntax::Part>&, std::size_t part, std::uint32_t member);
  Sizes path_sizes(const syntax::Expr&, std::uint32_t member, Evaluator&);

  // ---- questions to the environment (modify.cpp)
  Answer ask(const Question&);  // recorded
  Answer outer_value(const Question&);
  Answer evaluate(const Item&, const Question&);
  const Known& whole(const syntax::Expr&, Ask, std::uint32_t layer, const EnumType* expected);
  Answer field_of_whole(const Environment&, const Question&);
  Descent descend(const Items&, const Step&);
  const std::vector<std::pair<Question, std::uint64_t>>& asked() const { return asked_; }
  const std::vector<std::shared_ptr<Root>>& child_roots() const { return child_roots_; }

  // Conditions under which what is evaluated is read, until the end of the block.
  class Reading {
   public:
    explicit Reading(ClassBuilder* b) : builder_(b), before_(b != nullptr ? b->reading_.size() : 0) {}
    ~Reading() { if (builder_ != nullptr) builder_->reading_.resize(before_); }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    void where(NodeId condition) const { if (builder_ != nullptr) builder_->reading_.push_back(condition); }

   private:
    ClassBuilder* builder_;
    std::size_t before_;
  };
  void check_index(NodeId index, std::uint32_t size, const syntax::Expr& subscript, const syntax::Expr& whole);

  // ---- where a path leads, once the slots exist (walk.cpp)
  Reached reach(const std::vector<syntax::Part>& path, std::uint32_t member, Evaluator&, Span);
  Value value_of(const Reached&, Span);
  bool ready() const { return stage_ >= Stage::emit; }
  bool is_constant(model::Operand);  // for derivatives
  bool rooted(const syntax::Expr& reference, Evaluator&);
  const std::shared_ptr<Elaboration>& output() const { return out_; }
  const std::vector<Layer>& layers() const { return layers_; }

 private:
  enum class Stage : std::uint8_t { made, collected, declare, emit, finished };

  // collect.cpp
  Items assignments();
  std::uint32_t add_layer(const Definition&, const Items&, std::vector<const Definition*>& path, Span);
  void add_bases(const std::vector<syntax::Base>&, std::uint32_t layer, const Items&, std::vector<const Definition*>& path);
  void add_body(const std::vector<syntax::StmtPtr>&, std::uint32_t layer, const Items&);
  std::optional<std::uint32_t> own(Name) const;
  void add_member(const syntax::Stmt&, const syntax::Declared&, std::uint32_t layer, const Items&);
  static void add_items(Member&, const Items&);
  void check_twice(const std::vector<syntax::Modification>&);
  void check_used(const std::vector<syntax::Modification>&, std::uint32_t below, const Definition&);
  bool same_declaration(const Member&, const syntax::Stmt&, const syntax::Declared&) const;
  void note_labels();
  void check_labels(const syntax::Stmt&);
  void clashing_label(const syntax::Stmt&);

  // modify.cpp
  bool subscripts_hit(const Item&, const Step&);
  Descent own_items(std::uint32_t member, const Step&);  // not those of the environment
  Answer ask(Ask, Name member, std::uint32_t rank, const EnumType* expected);
  bool environment_says(Name member, Name attribute);  // attribute empty: a value
  bool environment_says_path(const std::vector<Name>&);
  Environment environment(std::uint32_t member, const Step&);

  // parameters.cpp
  void prepare(std::uint32_t member);  // its type
  bool typed_by(std::uint32_t member, const Definition&);
  void unit_type(std::uint32_t member, const std::string&);
  Variability variability_of_prefix(syntax::Prefix) const;
  bool is_free(std::uint32_t member);
  [[noreturn]] void found_at_start(std::uint32_t member, Span asked);
  [[noreturn]] void not_before_start(const std::string& what, Span asked);
  Sizes given_sizes(std::uint32_t member);
  Answer own_answer(std::uint32_t member, Ask);
  bool given_in_elements(std::uint32_t member);
  bool gives_elements(const Item&, std::uint32_t member) const;
  Known found_value(std::uint32_t member, Span asked, Span& at);
  Known value_by_elements(std::uint32_t member, Span asked, Span& at);
  Answer answer_for_element(std::uint32_t member, std::uint32_t element);
  void fit(std::uint32_t member, Known&, Span);
  [[noreturn]] void bad_shape(const std::string& name, const Sizes& given, const Sizes& wanted, Span);
  void check_type(const MemberInfo&, const Value&, Span, const std::string& name);
  void check_whole(const MemberInfo&, const std::vector<Rational>&, Span, const std::string& name);
  void check_whole(const MemberInfo&, const Value&, const syntax::Expr&, Evaluator&, const std::string& name);
  bool present(std::uint32_t member);
  [[noreturn]] void absent_component(std::uint32_t member, Span);
  Step step_of(std::uint32_t member, std::uint32_t element);
  [[noreturn]] void unknown_member(Name, const Definition&, const std::vector<std::string>&, Span);
  Value own_value(std::uint32_t member, Evaluator&, Span);
  Value whole_record(Evaluator&, Span);
  Variability built_variability(const std::vector<syntax::Part>&, std::size_t part, std::uint32_t member);

  // declare.cpp
  void declare();
  void guarded(std::uint32_t member, const std::function<void()>&);
  bool left_out(std::uint32_t member);
  void declare_variable(std::uint32_t);
  void declare_text(std::uint32_t);
  void check_connector_member(std::uint32_t);
  void check_vector_annotations(std::uint32_t);
  std::string hint(const std::vector<syntax::Annotation>&) const;
  static std::vector<std::vector<Name>> paths_in(const std::vector<syntax::Annotation>&, std::string_view annotation);
  void flags_of(std::uint32_t, MemberInfo&, model::Declaration&);
  void check_attribute(std::uint32_t, const Known&, ValueType, Name);
  std::optional<Known> attribute(std::uint32_t member, Ask, Name, const EnumType* expected);
  bool has_attribute(std::uint32_t member, Name);
  void declare_components(std::uint32_t);
  void add_child(const Member&, const MemberInfo&, std::uint32_t element, const std::shared_ptr<const Elaboration>&);
  std::uint32_t add_slots(std::uint64_t n, Span);

  // fold.cpp
  void fold_final(std::uint32_t, MemberInfo&);
  bool final_outside(Name);
  bool shapes_equations(std::uint32_t member) const;
  void fold_elements(std::uint32_t member);
  std::optional<Known> literals(std::uint32_t member, Ask);
  bool elements_given_alone(std::uint32_t member);
  Known literals_of(const syntax::Expr&, const Home&, std::optional<Ask> of_others);
  bool is_symbol(std::uint32_t member);
  std::optional<Rational> number_for_others(std::uint32_t member, std::uint32_t element, Ask);
  NodeId element_node(const Reached&, std::uint32_t slot);

  // components.cpp
  const Definition& component_class(std::uint32_t member, const Step&, Environment&);
  void check_replacement(const Definition& from, const Definition& to, Span);
  void check_usable(const Definition&, const Member&, Span);
  static constexpr std::uint32_t deepest = 150;
  void check_depth() const;
  Diagnostic too_deep() const;
  static std::string repeating_path(const std::vector<const ClassBuilder*>& way, std::size_t last);
  Span place() const;
  const syntax::Expr* condition() const;
  Requested request(std::uint32_t member, std::uint32_t element, bool& shared);
  bool has_subscripts(const Member&) const;
  std::optional<std::uint64_t> graph_of(const Member&) const;
  bool may_be_kept(const Member&) const;
  bool component_as_before(std::uint32_t member);
  void keep_component(std::uint32_t member, Requested);
  void take(const std::shared_ptr<const Elaboration>&, std::uint32_t member, std::uint32_t element);
  std::vector<DiagnosticNote> in_component(std::uint32_t member, std::uint32_t element);

  // outer.cpp
  void find_outer_uses();
  void default_outer(std::uint32_t member);
  std::uint32_t add_default_outer(Name, const Definition&, Span);
  std::optional<std::uint32_t> holder(Name) const;
  Answer ask_shadow(Name member, std::uint32_t rank, const EnumType* expected);
  Environment shadow_environment(const OuterNeed&);
  ClassBuilder& shadow_scope(std::uint32_t member);
  Value outer_early(const syntax::Expr&, std::size_t part, std::uint32_t member, Evaluator&);
  Variability outer_variability(const std::vector<syntax::Part>&, std::size_t part, std::uint32_t member);
  const EnumType* outer_enumeration(const std::vector<syntax::Part>&, std::size_t part, std::uint32_t member);
  void need_outer(const Elaboration&);
  void warn_of_others();
  void declare_shadows();
  void check_shadow(const OuterNeed&);
  void connect_shadows();
  void link_shadow(const MemberInfo& owner, std::uint32_t child, const OuterNeed&);
  void link_slots(const MemberInfo&, std::uint32_t from, std::uint32_t to, std::uint32_t n, model::Connection&, Span);
  void link_component(const Elaboration& source, const MemberInfo&, std::uint32_t from, const Elaboration& target, const MemberInfo&,
                      std::uint32_t to, std::uint32_t element, model::Connection&);

  // bindings.cpp
  void emit_members();
  void emit_member(std::uint32_t);
  bool emit_as_before(std::uint32_t);
  void emit_and_keep(std::uint32_t);
  template <class Work>
  void guarded_emission(const Work& work) {
    c_.work = 0;
    const std::size_t joined = joined_order_.size();
    try {
      work();
    } catch (const Failed&) {
      c_.report.sink->failed = true;
      for (; joined_order_.size() > joined; joined_order_.pop_back()) joined_.erase(joined_order_.back());  // the statement will not stand
    }
  }
  std::string subscript_text(const syntax::Part&, Evaluator&);
  void own_binding(std::uint32_t, const Reached&, Evaluator&);
  static bool says_value(const Items&);
  static bool has_colon(const syntax::Declared&);
  void apply_parts(const Item&, const Reached&, Evaluator&, const std::string& label);
  void apply(const Item&, const Reached&, Evaluator&, const std::string& label);
  void apply_value(const Item&, const Reached&, Evaluator&, const std::string& label);
  void apply_attribute(Name, const syntax::Modification&, const Reached&, Evaluator&, const std::string& label);
  Reached step_into(const Reached&, const syntax::Part&, Evaluator&, const syntax::Modification&);
  static std::vector<Name> path_names(const std::string& label);
  void check_assignment(const Reached&, const syntax::Modification&, const std::string& label);
  void check_final(const Reached&, const std::string& label, const syntax::Modification&);
  void check_own_final(const std::string& label, const syntax::Modification& given);
  bool claim(const std::string& label, const char* what);
  bool claim(model::BindingKind, std::uint32_t slot);
  void assign_value(const Reached&, const syntax::Expr&, Evaluator&, const std::string& label, const std::string& doc, bool assigned);
  void assign_record(const Reached&, const Value&, Span, const std::string& label, const std::string& doc);
  void check_unit(const Reached&, const Value&, Span);
  void bind(model::BindingKind, const Reached&, const Value&, Span, const std::string& label);
  void equate(const Reached&, const Value&, const std::string& label, Span, const std::string& doc);
  void learn(const Reached&, const Value&);

  // walk.cpp
  void walk_part(Reached&, const syntax::Part&, Evaluator&, Span);
  void enter(Reached&, const MemberInfo&, const syntax::Part&, Evaluator&, Span);
  static void take_element(Reached&, Small<Where, 2>& next, const Where&, const MemberInfo&, std::uint32_t element);
  void record_value(Value&, const Reached&, Span);

  // equations.cpp
  struct Rows {  // scalar equations left = right of one statement
    const syntax::Stmt* owner = nullptr;
    Sizes sizes;
    std::vector<std::pair<NodeId, NodeId>> pairs;
    std::vector<std::vector<NodeId>> derivatives;  // of their differences, by order - 1
    std::uint32_t derivative_axes = no_place;      // along the rows of a matrix: its first slot
  };
  struct Choice {  // one branch of an if that is decided while the model runs
    NodeId condition{};
    std::vector<Rows> rows;
  };
  struct Group {  // equations of one statement, gathered over the loops around it
    const syntax::Stmt* owner = nullptr;
    bool initial = false;
    Sizes sizes;
    bool ragged = false;
    Sizes loops;
    std::vector<model::Equation> equations;
    std::vector<std::vector<model::Bound>> derivatives;  // by order - 1
    std::uint32_t derivative_axes = no_place;
  };
  struct When {  // one branch of a when: what it gives values, and when
    NodeId trigger{};
    std::vector<Rows> rows;                // left sides are slots
  };
  struct Walk {
    Evaluator& e;
    bool initial = false;
    std::vector<Rows>* collect = nullptr;  // inside an if that is no structure
    NodeId guard{};                        // its condition, for assertions
    bool guarded = false;
    When* when = nullptr;                  // inside a branch of a `when`
    bool assigning = false;                // what a `when` makes of its assignments
  };
  void emit_equations();
  void statement(const syntax::Stmt&, Walk&);
  void body(const std::vector<syntax::StmtPtr>&, Walk&);
  void loop(const syntax::Stmt&, Walk&, std::size_t iterator);
  void choose(const syntax::Stmt&, Walk&);
  void choose_at_run_time(const syntax::Stmt&, Walk&);
  NodeId guard_of(const std::vector<Choice>& before, NodeId condition, const Walk&);
  void merge(const syntax::Stmt&, const std::vector<Choice>&, Walk&);
  static std::vector<std::pair<NodeId, NodeId>> flat_rows(const std::vector<Rows>&);
  std::pair<NodeId, NodeId> chosen(NodeId condition, std::pair<NodeId, NodeId> a, std::pair<NodeId, NodeId> b);
  void equation(const syntax::Stmt&, Walk&);
  void tuple_equation(const syntax::Stmt&, Walk&);
  void pair_up(const Value&, const Value&, Rows&, Walk&, Span);
  void warn_units(const Value&, const Value&, Span);
  void check_sides(const Value&, const Value&, Span);
  void learn_from(const syntax::Expr& side, const Value& mine, const Value& other, Evaluator&);
  void assertion(const syntax::Stmt&, Walk&);
  void tell(const syntax::Stmt&, std::string& text, std::vector<model::Bound>& values, Walk&);
  void tear(const syntax::Stmt&, Walk&);
  // when.cpp
  void when(const syntax::Stmt&, Walk&);
  NodeId trigger(const syntax::Expr&, Evaluator&);
  void collect_assignments(Rows, Walk&);
  void assign(const std::vector<When>&, Walk&);
  void action(const syntax::Stmt&, Walk&);
  void add_rows(Rows, Walk&);
  void flush();
  Name label_of(const syntax::Stmt&);

  // templates.cpp
  struct Template {
    enum class State : std::uint8_t { untried, unfit, fit } state = State::untried;
    std::vector<const syntax::Expr*> references;
    std::vector<std::uint32_t> slots;  // of the references in the first round
    std::vector<Variability> variability;
    model::FormId form;
    std::vector<model::Operand> operands;
    std::vector<std::uint32_t> source;  // of each operand: the reference
    std::size_t group = 0;
  };
  bool template_references(const syntax::Expr&, Evaluator&, std::vector<const syntax::Expr*>&);
  std::optional<std::uint32_t> template_slot(const syntax::Expr&, Evaluator&, Variability&);
  void make_template(const syntax::Stmt&, Evaluator&);
  bool use_template(Template&, const syntax::Stmt&, Evaluator&);
  void emit_template(const Template&, const syntax::Stmt&, std::span<const std::uint32_t> slots);
  static bool falls_together_as(const Template&, std::span<const std::uint32_t> slots);
  bool has_templates(const std::vector<syntax::StmtPtr>&) const;
  bool moves_evenly(const syntax::Expr& reference, Name iterator, const Evaluator&) const;
  bool within(const syntax::Expr& reference, Evaluator&) const;
  std::uint64_t even_rounds(const std::vector<syntax::StmtPtr>&, Evaluator&, std::size_t local, const Evaluator::Run&, std::uint64_t from);

  // connections.cpp
  struct End {
    Reached reached;
    const syntax::Expr* expression = nullptr;
    bool outside = false, signal = false, source = false;
  };
  struct SignalSource {
    std::uint32_t slot = 0;
    Span span;
  };
  void connect(const syntax::Stmt&, Walk&);
  bool note_joined(const model::SlotPair&);
  std::size_t beside_connections() const { return b_.assertions.size() + b_.equations.size() + signal_sources_.size(); }  // a kept one made none
  bool connect_as_before(const syntax::Stmt&);
  void connect_and_keep(const syntax::StmtPtr&, Walk&);
  bool plain_end(const syntax::Expr&, KeptConnection::End&) const;
  std::optional<KeptLoop::Part> part_of_loop(Name component) const;  // kept_loops.cpp
  bool loop_as_before(const syntax::Stmt&, Walk&);
  void loop_and_keep(const syntax::StmtPtr&, Walk&);
  bool is_broken(std::uint32_t first_edge, std::size_t edges) const;
  End end_of(const syntax::Expr&, Evaluator&);
  void not_there(const End&, Span connection);
  [[noreturn]] void not_a_connector(const syntax::Expr&, const MemberInfo&, bool part_of_connector);
  [[noreturn]] void misfit(const End&, const End&, const Where&, const Where&, const syntax::Stmt&);
  struct Typed {  // one end of a pair of signals
    ValueType type{};
    const EnumType* enumeration = nullptr;
    std::string name;
  };
  void check_connected(const Typed& from, const Typed& to, Span);
  static std::string end_text(const syntax::Expr&, Evaluator&);
  void join(const End&, const End&, model::Connection&, const syntax::Stmt&);
  void join_instances(const Where&, const Where&, const End&, const End&, model::Connection&, const syntax::Stmt&);
  void join_signals(std::uint32_t a, bool a_source, std::uint32_t b, bool b_source, model::Connection&, Span);
  void equal_parameters(std::uint32_t a, std::uint32_t b, const End&, const End&, const syntax::Stmt&);
  std::uint32_t signal_root(std::uint32_t slot);
  void check_sources();
  std::string slot_name(std::uint32_t) const;

  // overdetermined.cpp
  void branch(const syntax::Stmt&, Walk&);
  void root(const syntax::Stmt&, Walk&);
  double priority(const syntax::Stmt&, Evaluator&);
  void ask(const syntax::Stmt&, Evaluator&);
  std::optional<std::uint32_t> graph_node(const syntax::Expr&, Evaluator&, const char* what);
  void watch_answers(const syntax::Stmt&);
  std::vector<bool> joined_records(const ConnectorLayout&, const ConnectorLayout&, std::uint32_t a, std::uint32_t b, model::Connection&, const syntax::Stmt&);
  void residuals(const ConnectorRecord&, std::uint32_t a, std::uint32_t b, const model::Connection&, const syntax::Stmt&);
  void equal_vectors(const ConnectorVector&, std::uint32_t a, std::uint32_t b, const model::Connection&, const syntax::Stmt&);
  model::EquationGroup& close(const std::vector<NodeId>&, std::vector<std::uint32_t> sizes, const std::string& member, const model::Connection&,
                              const syntax::Stmt&);
  void each_derivative(const std::vector<syntax::Annotation>&, const std::function<void(const syntax::Expr&)>&);
  void check_derivative(const Value&, const Sizes&, Span);
  std::uint32_t derivative_axes(const syntax::Stmt&, const Sizes&, Evaluator&);

  // finish.cpp
  std::pair<model::FormId, std::uint32_t> form(NodeId, std::uint32_t& operands);  // interned; operands appended
  void finish();
  model::SlotFlags mark_of(std::uint32_t member, std::uint32_t element) const;
  void mark(std::uint32_t member);
  void mark_inside(std::uint32_t member, std::uint32_t element, const ClassBuilder&);
  std::shared_ptr<const model::Blueprint> marked(std::shared_ptr<const model::Blueprint>, const Elaboration&) const;
  std::uint64_t content_key() const;

  Context& c_;
  const Definition& definition_;
  Environment env_;
  const std::uint32_t depth_;  // components and classes in work around it
  Stage stage_ = Stage::made;
  std::shared_ptr<Elaboration> out_;
  model::Blueprint b_;

  // collected
  std::vector<Layer> layers_;
  std::deque<Member> members_;  // parallel to out_->members
  std::vector<std::pair<const syntax::StmtPtr*, std::uint32_t>> statements_;
  std::unordered_map<const syntax::Stmt*, Name> labels_;
  std::unordered_map<Name, const syntax::Stmt*> label_names_;
  std::deque<syntax::Modification> made_;                      // of assignments
  std::map<std::uint32_t, syntax::Modification> bindings_;     // of records' bindings
  std::vector<std::shared_ptr<syntax::Stmt>> synthetic_;       // declarations that nobody wrote

  // structural values
  std::map<std::uint64_t, std::unique_ptr<ClassBuilder>> inside_;  // (member, element)
  std::vector<std::pair<Question, Answer>> answers_;
  // Values of the modifications written here, as a whole: each element of an array of components takes its part.
  std::map<std::tuple<const syntax::Expr*, Ask, std::uint32_t, const EnumType*>, Known> wholes_;
  std::vector<std::pair<Question, std::uint64_t>> asked_;
  std::map<std::uint32_t, model::SlotFlags> marks_;  // of members whose values were used, or looked at
  std::vector<std::shared_ptr<Root>> child_roots_;
  std::deque<OuterNeed> shadows_;
  std::map<Name, const Definition*> outer_;  // at top level: what components ask for

  // emission
  std::vector<NodeId> reading_;      // see Reading
  bool acting_ = false;              // inside a branch of a `when`
  bool claiming_ = false;
  std::unordered_set<std::string> claims_;      // what has been said of the member in work: as a text, and each scalar
  std::vector<std::pair<std::string, const syntax::Modification*>> given_;  // values among them, by what
  std::unordered_set<std::uint64_t> claimed_;
  std::vector<Group> groups_;
  std::unordered_map<const syntax::Stmt*, std::size_t> group_of_;
  std::unordered_map<const syntax::Stmt*, Template> templates_;
  std::uint32_t loops_ = 0;
  std::uint64_t rounds_ = 0;
  Sizes loop_sizes_;
  std::unordered_map<std::uint32_t, std::uint32_t> signal_set_;
  std::vector<SignalSource> signal_sources_;
  std::uint32_t connect_edges_ = 0;
  std::unordered_set<std::uint64_t> joined_;  // connectors that are connected: those of which one pair was
  std::vector<std::uint64_t> joined_order_;   // the same
  bool asking_ = false;              // the statement in work has asked for an answer of the graph
  KeptStatements* kept_ = nullptr;   // of the workspace
  std::vector<std::size_t>* edges_ = nullptr;  // notes how many edges the graph has behind each connection
  std::unordered_map<std::uint32_t, std::uint32_t> asked_rooted_;
};

}  // namespace kron::elaborate
