// engine/model/blueprint.hpp: an elaborated class with relative ids. A class with given structural arguments is elaborated once;
// instances are made by offset (flat_model.hpp). The engine's only input: the language makes blueprints, so does kron.hpp.
//   Slots of a blueprint: its own first (declaration by declaration, arrays row by row), then those of each child in order;
//   equations and initial equations likewise.
//   Operands, equations and connections of a blueprint speak of any slot inside it, children's included.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/small.hpp"
#include "engine/base/source.hpp"
#include "engine/model/form.hpp"

namespace kron::model {

enum class Variability : std::uint8_t { constant, parameter, discrete, continuous };
enum class ValueType : std::uint8_t { real, integer, boolean, string, enumeration };
enum class StateSelect : std::uint8_t { never, avoid, default_, prefer, always };

using SlotFlags = std::uint16_t;
struct SlotFlag {
  enum : SlotFlags {
    fixed = 1,      // of a variable: its start holds initially. Of a parameter: fixed = false is `free`
    free = 2,       // parameter(fixed = false): computed by initial equations
    flow = 4,
    input = 8,
    output = 16,
    has_start = 32, // a start value is given
    is_private = 64,
    structural = 128,  // its value was used while elaborating: an edit of it elaborates again
    zero_shapes = 256, // so was it whether it is 0: an edit from or to that does
    one_shapes = 512   // whether it is 1, -1 or a multiple of a right angle
  };
};

// One declared quantity, scalar or array; its scalars are slots first … first+count-1 in row-major order. Its id is the array
// group of its scalars.
struct Declaration {
  Name name;
  std::vector<std::uint32_t> sizes;  // empty: scalar
  std::uint32_t first = 0, count = 1;
  Variability variability{};
  ValueType type{};
  StateSelect state = StateSelect::default_;
  Name unit;                         // as declared, e.g. "kg*m^2"; empty: unknown
  Name enumeration;                  // type name, for printing values
  std::vector<Name> literals;        // of the enumeration
  Name quantity;                     // reserved for display
  bool is_final = false;             // its class says so: nobody modifies it
  std::string doc, hint;             // hint: `@hint("…")`, shown when it cannot be determined
  Span span;
};

// target := value, evaluated when parameters change: parameter values, start, min, max, nominal.
enum class BindingKind : std::uint8_t { value, start, minimum, maximum, nominal };
struct Binding {
  BindingKind kind{};
  std::uint32_t slot = 0;
  FormId form;
  std::uint32_t first = 0, count = 0;  // operands
  Span span;
};

enum class EquationOrigin : std::uint8_t { equation, binding, connection, initial, when };
struct Equation {                      // residual = 0
  FormId form;
  std::uint32_t first = 0, count = 0;  // operands
  Name label;                          // without subscripts; of a connection: its text
  std::uint32_t group = 0;             // equation array: index into `equation_groups`
  std::uint32_t element = 0;           // number inside the group
  EquationOrigin origin{};
  std::uint32_t target = 0;            // of `when`: the slot that it gives a value
  Span span;
};
struct EquationGroup {
  Name label;
  std::vector<std::uint32_t> sizes;    // empty: scalar
  std::uint32_t first = 0, count = 1;  // equations
  std::string doc;
  Span span;
  // Of a connection that closes a loop, b - a = 0 for vectors of which the connector says `@axes(R.T)`: the slot where the matrix of a's begins.
  std::uint32_t axes = 0xffffffff;
  // What the text says of derivatives (`@derivative`): of those vectors, along their axes, the slots of a's, those of the first derivative, of
  // the second, …; else the first derivative of each residual, then the second of each, …, wherever the equations hold.
  std::vector<std::uint32_t> rates;
  std::vector<Bound> derivatives;
  std::uint32_t derivative_axes = 0xffffffff;  // of a vector, `@axes`: they are along the rows of a matrix that begins there
};

struct Assertion {
  FormId condition;
  std::uint32_t first = 0, count = 0;
  std::string text;
  std::vector<Bound> values;           // printed with it
  Span span;
};

// What a `when` does besides equations: at an event at which `trigger` is true.
struct Action {
  enum class Kind : std::uint8_t { reinit, terminate, assertion } kind{};
  Bound trigger;                       // of an assertion: it is asked for, and does not hold
  std::uint32_t slot = 0;              // of reinit: the variable, and its new value
  Bound value;                         // of an assertion: the condition
  std::string text;                    // of terminate and assertions, and the values that are told with it
  std::vector<Bound> values;
  Span span;
};

// One connect statement, expanded to scalars. `outside`: the connector belongs to the class that contains the statement (its own
// public connector), so its flow enters the set's sum negatively.
struct FlowEnd {
  std::uint32_t slot = 0;
  bool outside = false;
  friend bool operator==(const FlowEnd&, const FlowEnd&) = default;
};
struct SlotPair {
  std::uint32_t first = 0, second = 0;
  friend bool operator==(const SlotPair&, const SlotPair&) = default;
};
struct FlowPair {
  FlowEnd first, second;
  friend bool operator==(const FlowPair&, const FlowPair&) = default;
};
struct Connection {
  Small<SlotPair, 1> potentials;             // equal pairs
  Small<FlowPair, 1> flows;                  // in the same sum
  std::vector<SlotPair> signals;             // output -> input (equal)
  std::shared_ptr<const std::string> text;   // "R1.p, C1.n": the ends; one for all blueprints with the statement; null: nobody wrote it
  Span span;
};

// tear v, tear v, label, tear residue label; untear v.
struct TearHint {
  std::vector<Operand> variables;            // elements of v, or of the derivative of v
  std::string label;                         // of the residue equation, relative to the instance; empty: none is named
  bool untear = false;
  Span span;
};

struct Blueprint;
struct Child {
  Name name;
  std::vector<std::uint32_t> index;          // [3] of an array of components; empty: scalar
  std::shared_ptr<const Blueprint> type;
  std::uint32_t slot_base = 0, equation_base = 0, initial_base = 0;
  bool is_private = false;
  Span span;
};

struct Blueprint {
  Name class_name;
  std::string doc;
  bool is_connector = false, is_record = false;
  bool has_finals = false;                   // its text protects parts of its components by `final` modifications
  bool gives_derivatives = false;            // of own equations
  std::vector<Declaration> declarations;
  std::vector<SlotFlags> flags;              // per own slot
  std::vector<Child> children;
  std::vector<Binding> bindings;             // of own slots and of children's (an outer modification)
  std::vector<Equation> equations, initial_equations;  // own ones
  std::vector<EquationGroup> equation_groups;
  std::vector<Assertion> assertions;
  std::vector<Action> actions;
  std::vector<Connection> connections;
  std::vector<TearHint> tears;
  std::vector<Operand> operands;             // of all of the above
  std::uint32_t own_slots = 0, slots = 0;    // slots: children included
  std::uint32_t total_equations = 0, total_initial = 0;  // children included
  std::uint64_t key = 0;                     // content hash of what was elaborated (class text, structural arguments)

  std::span<const Operand> bound(std::uint32_t first, std::uint32_t count) const {
    return {operands.data() + first, count};
  }
};

// Where `b` is `a` but for numbers given to parameters: those of `b`, by slot. Places in the text do not count. Cost: linear, classes
// of components that are the same object not compared.
std::optional<std::vector<std::pair<SlotId, Bound>>> different_numbers(const Blueprint& a, const Blueprint& b);

}  // namespace kron::model
