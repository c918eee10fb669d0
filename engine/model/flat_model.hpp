// engine/model/flat_model.hpp: a blueprint instantiated: absolute ids, connection sets turned into equations. Plain arrays.
//   in    the top blueprint
//   out   variables (slots, then the derivatives that occur), equations with bound operands, bindings (outer after inner)
//         an error for parameters that depend on themselves
//   keep  ids are dense in declaration order, so equal texts give equal ids, in every session
//   cost  a copy with an offset per instance, or for instances in a row that are what they were before; connection sets by union-find
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/blueprint.hpp"

namespace kron::model {

struct VarTag;
using VarId = Id<VarTag>;  // 0 … slots-1 are the slots; derivatives follow, ordered by (slot, order)
struct EqTag;
using EqId = Id<EqTag>;    // equations of the instances in order, then connection equations; initial equations apart
struct InstTag;
using InstId = Id<InstTag>;

struct Instance {
  const Blueprint* type = nullptr;
  std::uint32_t parent = 0;  // instance 0 is the top, its own parent
  std::uint32_t child = 0;   // which child of the parent
  std::uint32_t slot_base = 0, equation_base = 0, initial_base = 0;
  std::uint32_t end = 0;     // the first instance behind its subtree
  std::uint32_t operand_base = 0;  // where the operands of its class begin
  std::uint64_t key = 0;     // hash of the path
};

struct FlatEquation {
  FormId form;
  std::uint32_t first = 0, count = 0;  // operands, absolute
};

enum class EventKind : std::uint8_t { relation, floor, edge, sample, delay, table };

struct FlatModel {
  std::shared_ptr<const Blueprint> top;
  std::vector<Instance> instances;  // preorder, so sorted by slot_base

  std::uint32_t slots = 0;
  std::vector<SlotFlags> flags;                // per slot
  std::vector<Variability> variability;        // per slot
  std::vector<std::uint32_t> array;            // per slot: the first slot of its declaration
  std::vector<std::uint64_t> keys;             // per variable: hash of path and slot; see key()
  std::vector<std::uint32_t> derivative;       // per variable: the variable that is its derivative, or `none`
  std::vector<std::uint32_t> integral;         // of the derivative variables (index - slots): whose derivative it is
  struct Differentiated { std::uint32_t instance, slot, order; };
  std::vector<Differentiated> differentiated;  // derivatives that classes name, by instance
  static constexpr std::uint32_t none = 0xffffffff;

  std::vector<FlatEquation> equations, initial_equations;
  std::vector<Operand> operands;               // kind value has order 0 here: derivatives are variables of their own
  std::uint32_t connection_equations = 0;      // index of the first one
  struct ConnectionEquation {
    bool flow = false;
    std::uint32_t a = 0, b = 0;                // slots: the two potentials; or the first two flows (b = a where alone)
    std::uint32_t instance = 0, connection = 0;  // a connect statement it comes from (connection = none: an unconnected flow)
    bool outside = false;                      // of a sum: its first flow enters negatively, as that of the own connector of a component
    std::uint32_t group = 0;                   // first equation of its array: between the same arrays, element by element
  };
  std::vector<ConnectionEquation> connection_info;

  struct FlatBinding {
    BindingKind kind{};
    std::uint32_t slot = 0;
    FormId form;
    std::uint32_t first = 0, count = 0;
    Span span;
  };
  struct FlatTear {
    std::vector<std::uint32_t> variables;
    std::string label;                         // absolute
    bool untear = false;
    Span span;
  };
  std::vector<FlatTear> tears;                 // in the order of the instances: outer ones last
  struct FlatAssertion {
    FlatEquation condition;                    // an expression here, as are the values
    std::vector<FlatEquation> values;
    std::uint32_t instance = 0, statement = 0;
  };
  std::vector<FlatAssertion> assertions;

  // What jumps at events (events.hpp): operands of kind `event` are their values, numbers that hold until the next event.
  struct EventTerm {
    EventKind kind{};
    bool strict = false;                       // relation: difference > 0, else >= 0
    FlatEquation argument;                     // relation: the difference; floor: the argument; edge: the condition; sample: the start; delay: what is delayed; table: what it is looked up with
    FlatEquation interval;                     // sample; delay: the delay
    FlatEquation largest;                      // delay: its largest value; 0: none is given
    FlatEquation written;                      // relation: as the model has it
    std::vector<FlatEquation> rows;            // table: where its pieces begin and end
    std::uint64_t key = 0;                     // content, as of variables
    Span place;                                // of the statement where it is met first
  };
  std::vector<EventTerm> events;
  std::vector<std::uint32_t> discrete;         // slots of unknowns that change at events only, ascending
  std::vector<std::uint32_t> remembered;       // slots whose value before the event is asked for: `discrete`, then continuous ones
  std::vector<std::uint32_t> discrete_equations;  // of `equations`: those that give them, ascending
  std::vector<bool> discrete_initial;          // by initial equation: it gives a discrete variable at the start, and is part of its equation; empty: none does
  std::vector<std::uint32_t> given;            // by discrete equation: the slot that a `when` gives; none: of an equation
  struct FlatAction {
    Action::Kind kind{};
    FlatEquation trigger, value;
    std::uint32_t slot = 0, instance = 0;
    std::string text;
    std::vector<FlatEquation> values;
    Span span;
  };
  std::vector<FlatAction> actions;
  bool moments = false;                        // something reads initial() or terminal()
  // What the text says of the derivatives of equations, array by array, ascending.
  struct KnownDerivatives {
    std::uint32_t equation = 0, count = 0;     // the array
    std::vector<FlatEquation> residuals;       // the first derivative of each, then the second of each, …
    std::uint32_t axes = none;                 // of the matrix along whose rows they are, the first slot; none: as the equations
    std::vector<std::uint32_t> rates;          // or, of b - a = 0 of two connectors, a's axes: the first slots of the derivatives of a's
    std::size_t orders() const { return rates.empty() ? residuals.size() / count : rates.size(); }
  };
  std::vector<KnownDerivatives> known_derivatives;
  // Numbers of axes and angles, where something closes a loop (session/parallel_axes.hpp). Not from flatten().
  struct Axes {
    std::unordered_map<std::uint32_t, std::optional<Rational>> fixed;  // parameters that are part of the equations: the number; empty: as it is bound
    std::unordered_set<std::uint32_t> slots;   // all parameters that give some: other numbers may be part of the equations
    std::unordered_map<std::uint32_t, Rational> point;  // of axes that stay parameters: any numbers of which the root of the length is known
    bool oblique = false;                      // some are no coordinate axes
    bool all = false;                          // no axis is left that is none of `fixed`
  } axes;
  std::vector<std::uint32_t> eventful;         // instances of classes that have to do with events, ascending
  bool hybrid() const { return !events.empty() || !remembered.empty() || !actions.empty() || moments; }

  std::vector<FlatBinding> bindings;           // later ones of the same (kind, slot) win: outer over inner

  // What is known to be the same in the model before (flatten()), in rows of numbers that ascend in both. Equations: with the same
  // variables as operands. More may be.
  struct Stretch { std::uint32_t before = 0, now = 0, count = 0; };
  struct Common {
    std::shared_ptr<const Blueprint> before;   // of that model; null: there was none
    std::vector<Stretch> variables, equations;
  };
  Common common;

  std::size_t variables() const { return slots + integral.size(); }
  bool is_derivative(VarId v) const { return v.value >= slots; }
  std::span<const Operand> bound(const FlatEquation& e) const { return {operands.data() + e.first, e.count}; }
};

// `before`: another model that most of this one comes from; the result does not depend on it.
FlatModel flatten(std::shared_ptr<const Blueprint> top, Diagnostics&, const FlatModel* before = nullptr);

// Names and places, computed on demand (they are in the blueprints).
std::string name(const FlatModel&, VarId);             // canonical path: d2[3].y, A[1,2], der(x)
inline std::uint64_t key(const FlatModel& m, VarId v) { return m.keys[v.value]; }  // hash of path and slot: survives edits elsewhere
class Names {  // of many variables: the path of an instance is made once
 public:
  explicit Names(const FlatModel& m) : m_(m) {}
  std::string name(VarId);

 private:
  const FlatModel& m_;
  std::unordered_map<std::uint32_t, std::string> paths_;
};
// What variables are, whatever the components that have them are called: classes in place of their names, a connector's with its name.
class Kinds {
 public:
  explicit Kinds(const FlatModel& m) : m_(m) {}
  std::string kind(SlotId);  // Body.Frame frame_a.f[2]

 private:
  const FlatModel& m_;
  std::unordered_map<std::uint32_t, std::string> paths_;
};
const Declaration& declaration(const FlatModel&, VarId);  // of the slot (of a derivative: of its variable)
std::uint32_t group(const FlatModel&, VarId);          // equal for the elements of an array: its first slot (derivatives: a number of their own)
std::string label(const FlatModel&, EqId);             // R1.e1, e3[2]; connect(a,b), sum(a), open(a) for connections
std::string initial_label(const FlatModel&, std::uint32_t);
Span initial_place(const FlatModel&, std::uint32_t);
std::uint32_t group(const FlatModel&, EqId);           // first equation of its array
Span place(const FlatModel&, EqId);
Span place(const FlatModel&, VarId);
std::string path(const FlatModel&, std::uint32_t instance);
std::uint32_t instance_of(const FlatModel&, SlotId);
std::uint32_t instance_of(const FlatModel&, EqId);
std::uint32_t component_of(const FlatModel&, std::uint32_t instance);  // the component of the top that it belongs to; 0: none
Span component_place(const FlatModel&, std::uint32_t component);      // where it is declared
std::optional<VarId> find(const FlatModel&, std::string_view path);  // inverse of name(); arrays: their first element
// The same for a declared quantity that may be modified from outside: nothing on its path is private or protected by a `final`.
std::optional<VarId> find_modifiable(const FlatModel&, std::string_view path);
std::string print(const FlatModel&, EqId);             // the equation in names: R1.R*R1.i - R1.v = 0
std::string print(const FlatModel&, const FlatEquation&);  // its expression alone
std::string print(const FlatModel&, const FlatModel::EventTerm&);
std::string text(const FlatModel&, Operand);           // as it stands in such a text
const Assertion& statement(const FlatModel&, const FlatModel::FlatAssertion&);

}  // namespace kron::model
