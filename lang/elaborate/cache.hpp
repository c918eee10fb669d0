// lang/elaborate/cache.hpp: elaborated classes, kept for reuse.
//   An entry belongs to a class, the *kinds* of modifications it was given (which of its parts have a value, a start, …) and a few
//   flags: that is its Root. Values matter only where elaboration looked: each look is a question with an answer. Elaborating
//   is deterministic, so equal answers lead to the same next question: a Root is a decision tree whose leaves are the results.
//   A Root holds as long as every name that its text used still means the same.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "lang/elaborate/library.hpp"
#include "lang/elaborate/value.hpp"

namespace kron::elaborate {

struct Elaboration;

// One step down: a component's name and which element of its array (count 1: no array).
struct Step {
  Name name;
  std::uint32_t element = 0, count = 1;
  std::uint32_t rank = 0;
  std::array<std::uint32_t, 3> sizes{};  // of the array, where subscripts may be met (rank up to 3)
};
using Path = Small<Step, 2>;

enum class Ask : std::uint8_t {
  value,        // of a structural parameter
  shape,        // of the value given to a variable with [:]
  fixed, state, // attributes
  constant,     // whether a final value is a constant expression
  literals,     // which elements of a value are written as numbers: pairs (0: no; 1 to 3: fold.cpp; the number) in one more dimension
  zeros,        // the same, where only zeros of other parameters count
  replacement,  // the class that replaces a component's
  outer         // a parameter of an outer component; path: its name, then the parameter
};

inline bool is_literals(Ask a) { return a == Ask::literals || a == Ask::zeros; }

struct Question {
  Ask kind{};
  Path path;
  std::uint32_t rank = 0;              // of the parameter: tells an array of values from a value that is an array
  const EnumType* expected = nullptr;  // where a bare literal may stand
  const Definition* outer = nullptr;   // class of an outer component
  Span span;
};
bool operator==(const Question&, const Question&);

struct Answer {
  std::shared_ptr<const Known> known;  // null: no modification says anything
  const Definition* replacement = nullptr;
  std::uint64_t hash = 0;
  Span span;
  bool found_at_start = false;  // a value is given, and it hangs on parameters that the start of a run finds
  bool given() const { return known || replacement != nullptr || found_at_start; }
};
Answer made(Known, Span);
Answer no_value_before_start(Span);

struct Dependency {
  const File* file = nullptr;
  const Definition* enclosing = nullptr;
  std::vector<Name> path;
  const Definition* result = nullptr;
  bool builtin = false;  // found nowhere but in the language itself
};

struct Decision {
  std::optional<Question> question;  // none: a leaf
  std::unordered_map<std::uint64_t, std::unique_ptr<Decision>> next;
  std::shared_ptr<const Elaboration> result;
};

struct Root {
  std::vector<Dependency> dependencies;
  std::vector<std::shared_ptr<Root>> children;  // of the components
  Decision tree;
  std::uint64_t checked = 0;  // epoch in which it was last found to hold
  bool holds = true, failed = false;
};

class Cache {
 public:
  std::shared_ptr<Root> root(std::uint64_t key, Libraries&);  // a new, empty one where the old one holds no more
  bool holds(Root&, Libraries&);
  void clear() { roots_.clear(); }
  std::size_t size() const { return roots_.size(); }

 private:
  std::unordered_map<std::uint64_t, std::shared_ptr<Root>> roots_;
};

// What a class's text may use besides its own members, for the enclosing class to provide (outer components).
struct OuterNeed {
  Name name;
  const Definition* definition = nullptr;
  std::vector<Name> members;  // those that are used, in order of text
  Span span;
};

using FoldedElements = std::vector<std::optional<Rational>>;

struct MemberInfo {
  enum class Kind : std::uint8_t { variable, component, absent, failed };
  Name name;
  Kind kind = Kind::failed;
  syntax::Prefix prefix{};
  bool is_private = false, is_final = false, is_shadow = false, is_free = false;
  ValueType type{};
  Variability variability{};
  Counting counting = Counting::none;
  Sizes sizes;
  std::uint32_t first = 0, total = 1;  // variable: first slot; component: first child
  std::uint32_t declaration = 0;       // variable
  Dimension dimension;
  const EnumType* enumeration = nullptr;
  std::shared_ptr<const std::vector<std::string>> texts;  // value of a String
  std::shared_ptr<const FoldedElements> folded;           // numbers that stand for elements (fold.cpp); null: for none
  std::vector<Name> axes;              // of a vector in a connector: `@axes(R.T)`
  std::vector<std::vector<Name>> rates;  // `@derivative(motion.v, motion.a)` beside it
  Span span;
};

// One scalar of a connector, in the order of its slots.
struct ConnectorPart {
  enum class Kind : std::uint8_t { potential, flow, source, sink, parameter };
  std::uint32_t slot = 0;
  Kind kind{};
  std::uint64_t name = 0;  // hash of its path inside the connector
  model::ValueType type{};
  const EnumType* enumeration = nullptr;
};
// A record inside a connector with residuals of its own: `equal(a, b)`.
struct ConnectorRecord {
  std::uint32_t slot = 0, width = 0;
  const Elaboration* type = nullptr;
  const Definition* equal = nullptr;
  std::string name;  // its path in the connector
};
// A vector that is looked at along the rows of a matrix in such a record where a loop is closed.
struct ConnectorVector {
  std::uint32_t slot = 0, size = 0, axes = 0;  // axes: first slot of the matrix
  std::vector<std::uint32_t> rates;            // of its derivatives along these axes: first slots
  std::string name;
};
struct ConnectorLayout {
  std::vector<ConnectorPart> parts;
  std::vector<ConnectorRecord> records;
  std::vector<ConnectorVector> vectors;
};

// An over-determined connection graph's part that one class contributes (overdetermined.cpp).
struct GraphPart {
  struct Edge {
    std::uint32_t a = 0, b = 0;  // slots of the records
    std::uint32_t number = 0;    // of connect edges: for the answer "broken"
    double priority = -1;        // of branches; negative: definite, else a candidate
  };
  std::vector<Edge> branches, connects, ties;  // ties: of outer components and their stand-ins, one record
  std::vector<std::pair<std::uint32_t, double>> roots;  // record, priority; negative: definite
  std::vector<std::uint32_t> asked;                     // rooted(record), in order of text
  bool empty() const { return branches.empty() && connects.empty() && ties.empty() && roots.empty() && asked.empty(); }
};

// An elaborated class: the blueprint, and what other classes' texts need to know to speak of its parts.
struct Elaboration {
  std::shared_ptr<const model::Blueprint> blueprint;
  const model::Blueprint* view = nullptr;  // the blueprint, also while it is being made
  const Definition* definition = nullptr;
  std::deque<MemberInfo> members;   // references stay good while a default outer component is added
  std::unordered_map<Name, std::uint32_t> index;
  std::vector<std::shared_ptr<const Elaboration>> types;  // of the children
  std::vector<OuterNeed> needs;
  GraphPart graph;
  bool has_graph = false;           // here or in a component
  bool graph_varies = false;        // a statement that asks for an answer may add to the graph, or asks for more than one
  std::vector<std::vector<Name>> finals;  // paths that a `final` in this class's text protects
  bool failed = false;
  Diagnostics diagnostics;
  mutable std::uint64_t taken = 0;  // epoch in which it last took part
  mutable std::shared_ptr<const RecordType> record;       // memo of record_type()
  mutable std::unique_ptr<const ConnectorLayout> layout;  // memo of connector_layout()

  const MemberInfo* member(Name n) const {
    auto it = index.find(n);
    return it == index.end() ? nullptr : &members[it->second];
  }
  std::vector<std::string> names() const;  // of public members
};

std::shared_ptr<const RecordType> record_type(const Elaboration&);
const ConnectorLayout& connector_layout(const Elaboration&);

// An elaborated class as the cache gives it.
struct Requested {
  std::shared_ptr<const Elaboration> elaboration;
  std::shared_ptr<Root> root;
  bool looked = false;  // at values in the environment
  std::vector<std::pair<Question, std::uint64_t>> outer;  // what was asked of outer components, with hashes of the answers
};

}  // namespace kron::elaborate
