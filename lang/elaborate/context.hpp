// lang/elaborate/context.hpp: what all parts of one elaborator share: the pool of nodes, libraries, cached classes, messages.
#pragma once
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/expr.hpp"
#include "lang/elaborate/cache.hpp"
#include "lang/elaborate/library.hpp"

namespace kron::elaborate {

// Thrown after an error has been reported; caught where a statement begins, so that the next statement is looked at.
struct Failed {};
// Thrown in place of an error where it is asked whether a value can be known before the model runs (Evaluator::hangs_on_free).
struct FoundAtStart {};
// Thrown where going on would take for ever (endless recursion, too many slots); ends the elaboration with this error.
struct Abandoned {
  Diagnostic error;
};

// Messages of one class in work. Equal ones at one place are given once: a loop's body is elaborated for each of its values.
struct Sink {
  Diagnostics list;
  bool failed = false;
  std::unordered_set<std::uint64_t> seen;
};

class Report {
 public:
  Sink* sink = nullptr;
  Diagnostic& error(const char* code, Span, std::string message);
  Diagnostic& warning(const char* code, Span, std::string message);
  Diagnostic& note(const char* code, Span, std::string message);
  [[noreturn]] void fail(const char* code, Span, std::string message, std::string help = {});
  bool first(const char* code, Span);  // whether nothing with this code has been said at this place

 private:
  Diagnostic& add(Severity, const char* code, Span, std::string message);
  Diagnostic repeated_;
};

class ClassBuilder;

// How much of the stack an elaboration may take: expressions, functions and parameters may need each other in long chains.
class StackBudget {
 public:
  void start();  // from here on
  bool spent() const;

 private:
  std::uintptr_t from_ = 0;
  std::size_t bytes_ = 0;
};

struct Context {
  explicit Context(std::vector<std::string> path) : libraries(std::move(path)) {}
  model::Exprs pool;
  Libraries libraries;
  Cache cache;
  Report report;
  struct Taken {
    std::shared_ptr<const Elaboration> elaboration;
    std::vector<DiagnosticNote> where;  // the component that was made of it
  };
  std::vector<Taken> taken;  // classes that take part, in order of first use
  std::vector<Dependency>* dependencies = nullptr;  // of the class in work: what its text's names meant
  std::uint32_t pool_users = 0;                     // expressions in work: the pool may be emptied when there are none
  bool asks_for_free = false;                       // a value that the start of a run finds is an answer, not an error
  std::uint32_t depth = 0;                          // classes in work inside each other
  std::uint32_t calls = 0;                          // functions inside functions
  std::unordered_map<const Definition*, Known> constants;  // of libraries, those that are numbers
  std::vector<const Definition*> open_constants;           // in work inside each other
  StackBudget stack;

  // Functions may call functions and loops hold loops, so a short text can ask for more work than anyone waits for: what one
  // statement (in a loop of equations one round) may cost, in about the time of a comprehension's element.
  static constexpr std::uint64_t cost_of_round = 16, cost_of_call = 128, most_work = std::uint64_t{1} << 24;
  std::uint64_t work = 0;
  void spend(std::uint64_t cost, Span);
  std::size_t elaborated = 0, reused = 0;

  // While it is asked which elements of a value are numbers, values that are not known are all different: L - M is no number.
  std::optional<std::uint32_t> unknowns;  // so many of them so far
  struct Origin {                         // an element of a parameter that may be a number for others (fold.cpp)
    ClassBuilder* builder = nullptr;
    std::uint32_t member = 0, element = 0;
  };
  NodeId unknown();
  NodeId unknown(const Origin&);
  Origin origin_of(NodeId unknown) const;  // of any other node: none
  std::vector<Origin> origins;             // by number

  // What a number in the text is; the same text is met once for each round of a loop.
  struct Literal {
    NodeId node;
    std::uint64_t made = 0;  // pool_made when the node was made
    ValueType type{};
    std::optional<std::int64_t> integer;
  };
  const Literal& literal(const syntax::Expr&);
  std::unordered_map<const syntax::Expr*, Literal> literals;
  std::uint64_t pool_made = 1;  // how often the pool was emptied
  void empty_pool();

  Lookup look_up(const File&, const Definition* enclosing, const std::vector<syntax::Part>&);
  void tidy();                            // empties the pool once it is large and nobody uses it
  bool crowded() const { return pool.size() > (1u << 14); }
};

// Keeps the pool while nodes are in hand.
class PoolUse {
 public:
  explicit PoolUse(Context& c) : c_(c) { ++c_.pool_users; }
  ~PoolUse() { --c_.pool_users; }
  PoolUse(const PoolUse&) = delete;
  PoolUse& operator=(const PoolUse&) = delete;

 private:
  Context& c_;
};

std::string quoted(const std::string& name);                        // in backticks
std::string quoted(const std::vector<syntax::Part>& path);
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);  // "did you mean `x`?" or ""

}  // namespace kron::elaborate
