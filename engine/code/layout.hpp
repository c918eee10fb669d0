// engine/code/layout.hpp: a Program from the inside. Private to the room.
//   A register holds one number; the file begins with the constants and the inputs, then come the unknowns of the solve
//   steps and the results of the instructions in the order in which they run, so a run of n equal instructions needs no
//   destinations: its results are n neighbouring registers. A region is a list of runs: one per section, and two per
//   Newton step (what its residual needs, and what only its Jacobian needs), which the step runs itself.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "engine/code/program.hpp"

namespace kron::code {

// take: an unknown of a guarded step, from the straight-line code or from the LU
enum class Kernel : std::uint8_t { add, sub, mul, div, inv, neg, pow, step, call, take };

struct Run {
  Kernel kernel{};
  Fn fn{};
  std::uint32_t count = 0;     // instructions; of one n-ary instruction its number of arguments
  std::uint32_t result = 0;    // first register; for `step` the step
  std::uint32_t operands = 0;  // place in Program::operands: all first arguments, then all second ones, ...
};

struct Signed {  // a register and a sign
  std::uint32_t bits = 0;
  std::uint32_t reg() const { return bits >> 1; }
  bool negative() const { return bits & 1; }
};

// Where the entries of a square matrix are stored: densely by rows, or by columns as KLU wants them.
struct MatrixShape {
  std::uint32_t size = 0;
  bool dense = true;
  std::vector<std::int64_t> column_begin, row;  // sparse only
  std::size_t stored() const { return dense ? std::size_t{size} * size : row.size(); }
};

struct StepPlan {
  bool newton = false;
  std::uint32_t size = 0, columns = 0, block = 0, section = 0, unknowns = 0;  // rows; unknowns: the first register
  struct Pins {
    std::uint32_t selection = 0, level = 0;
    std::vector<std::uint32_t> column;
    std::vector<Signed> value;
    std::vector<double> scale;
    std::vector<bool> keep;
  };
  std::vector<Pins> pins;
  MatrixShape shape;
  struct Load {
    std::uint32_t row = 0, column = 0, place = 0;  // place in the stored matrix
    Signed value;
  };
  std::vector<Load> matrix;
  std::vector<Signed> right;  // right-hand side, or residual
  std::vector<Signed> start;
  std::vector<bool> open;  // by unknown of a Newton step
  std::vector<double> nominal, minimum, maximum;
  struct WatchedValue {
    Watch::Kind kind{};
    std::uint32_t value = 0, a = 0, b = 0;  // registers
  };
  bool guarded = false, tentative = false;
  bool switched = false;    // the matrix depends on what changes at events only
  std::vector<bool> swept;  // by load; empty: no iteration
  std::vector<WatchedValue> watch;
  std::uint32_t early_watches = 0;  // so many first ones are of the parameter section, and the step is not
  std::uint32_t residual_region = 0, jacobian_region = 0;
  std::uint32_t made = 0;  // as Program::made
  bool jacobian_used = false;  // a value of the Jacobian region is wanted after the solution
};

bool is_iterated(const StepPlan&, Iterations);

struct Region {
  std::uint32_t begin = 0, end = 0;  // of runs
};

struct Take {
  std::uint32_t step = 0, column = 0;
  bool negative = false;  // of the straight-line code's register
};

struct ChosenRootPlan {
  std::uint32_t root = 0, selection = 0, slot = 0;
  std::vector<Signed> alternative;
};

enum SectionIndex : std::uint32_t { constant_section, parameter_section, dynamic_section, event_section, output_section, sections };

class Native;

class Program {
 public:
  std::uint32_t registers = 0;
  std::vector<Constant> constants;                           // registers 0, 1, ...
  std::array<std::uint32_t, 8> input_begin{}, input_size{};  // registers of each InputKind
  std::vector<Run> runs;
  std::vector<std::uint32_t> made;                           // by register: when the tape's builder made it, among instructions and steps
  std::vector<std::uint64_t> names;                          // by register of constants and inputs: what stays the same over edits
  std::vector<std::uint32_t> operands;
  std::vector<Region> regions;  // the sections first
  std::vector<StepPlan> steps;
  std::vector<Take> takes;  // second operand of the instructions `take`
  std::vector<Signed> derivative, event, output, parameter;  // roots
  std::vector<ChosenRootPlan> chosen;                 // of `derivative`
  struct Selection {
    std::uint32_t alternatives = 0, slots = 0, first = 0;  // first: in Machine::choice
  };
  std::vector<Selection> selections;
  std::vector<OpenUnknown> opened;
  std::array<OperationCount, sections> counts{};
  bool steep = false;  // has_steep_functions()
  std::uint64_t print = 0;
  std::shared_ptr<Native> native;  // this program as machine code, region by region when it pays
};

// The instructions before they are laid out: one item per register to be computed or solve step to be run.
struct Item {
  enum class Kind : std::uint8_t { constant, input, unknown, instruction, step } kind{};
  Kernel kernel{};
  Fn fn{};
  std::uint8_t section = 0;      // the earliest it could run in
  std::uint32_t a = 0, b = 0;  // argument items; more: place and number in Graph::more. constant, input: index;
                               // of a state that was an unknown (Roots::open): none and its index
                               // unknown: step item and column; step: index of the step; take: place in Graph::more of
                               // (solution item, step item), and index into Graph::takes
};

// What the tape says, node by node and step by step in its order, whoever wants it: the graph of a tape's beginning is the beginning of
// its graph. The item of a step comes after the nodes that were made before the step.
struct Graph {
  std::vector<Item> items;
  std::vector<std::uint32_t> more;
  struct Step {
    const SolveStep* source = nullptr;
    std::uint32_t item = 0;
    std::vector<std::uint32_t> unknown;  // item of each unknown; of a guarded step an instruction
    struct Value {
      std::uint32_t item = 0;
      bool negative = false;
      Value operator-() const { return {item, !negative}; }
    };
    std::vector<Value> matrix, right, start, pinned;  // pinned: the values of all pins
    struct WatchedItem {
      Watch::Kind kind{};
      std::uint32_t value = 0, a = 0, b = 0;
    };
    std::vector<WatchedItem> watch;
  };
  std::vector<Step> steps;
  std::vector<Take> takes;
  std::vector<std::uint32_t> of_node;  // item
  std::vector<std::uint32_t> negated;  // by item: the one that is its negative; none: not asked for
  std::vector<std::uint32_t> negations;  // items that have one, in the order of those
  static constexpr std::uint32_t none = 0xffffffff;

  struct End {
    std::size_t nodes = 0, steps = 0, items = 0, more = 0, takes = 0, negations = 0;
  };
  End end() const { return {of_node.size(), steps.size(), items.size(), more.size(), takes.size(), negations.size()}; }
  void shorten(const End&);  // to what it was when it ended there
  Step::Value value(Ref r) const { return {of_node[r.node()], r.negative()}; }

  // Calls f(item) for each item that i reads; a step reads its matrix, right-hand side and start values.
  template <class F>
  void each_read(std::uint32_t i, F&& f) const {
    const Item& it = items[i];
    switch (it.kind) {
      case Item::Kind::constant:
      case Item::Kind::input:
        return;
      case Item::Kind::unknown:
        f(it.a);
        return;
      case Item::Kind::step: {
        const Step& s = steps[it.a];
        for (const auto* list : {&s.matrix, &s.right, &s.start, &s.pinned})
          for (const Step::Value& v : *list) f(v.item);
        for (const Step::WatchedItem& w : s.watch) {
          f(w.value);
          if (w.kind == Watch::Kind::sum || is_beside(w.kind)) f(w.a);
          if (w.kind == Watch::Kind::sum) f(w.b);
        }
        return;
      }
      case Item::Kind::instruction:
        break;
    }
    switch (it.kernel) {
      case Kernel::add:
      case Kernel::sub:
      case Kernel::mul:
      case Kernel::div:
      case Kernel::pow:
        f(it.a);
        f(it.b);
        return;
      case Kernel::take:
        f(more[it.a]);
        f(more[it.a + 1]);
        return;
      case Kernel::call: {
        const int arity = info(it.fn).arity;
        if (arity != 1 && arity != 2) {
          for (std::uint32_t k = 0; k < it.b; ++k) f(more[it.a + k]);
          return;
        }
        f(it.a);
        if (arity == 2) f(it.b);
        return;
      }
      default:
        f(it.a);
    }
  }
};

struct LoweredRoots {
  std::vector<Graph::Step::Value> derivative, event, output, parameter;
  std::vector<std::vector<Graph::Step::Value>> chosen;  // alternatives
  std::vector<OpenUnknown> opened;
};

// Where each item runs. Regions form a forest: the body of a Newton step lies inside the region that runs the step.
struct Placement {
  struct Node {
    std::uint32_t parent = Graph::none, step_item = Graph::none, depth = 0;
  };
  std::vector<Node> regions = std::vector<Node>(sections);
  std::vector<std::uint32_t> region;  // of each item; none: nobody wants it
  struct Body {
    std::uint32_t residual = 0, jacobian = 0;  // regions
  };
  std::vector<Body> bodies;  // of each step; both 0 for a linear one
};

using Order = std::vector<std::vector<std::uint32_t>>;  // by region: its items as they run

// lower.cpp
bool may_open(const SolveStep&);
std::size_t end_of_piece(const Builder&, std::size_t begin);  // where the piece of the tape that begins there ends
void lower(const Builder&, std::size_t nodes, Graph&);        // goes on with the graph up to so many nodes
// wanted.cpp: by item
inline constexpr std::uint8_t unwanted = 0xff;
std::vector<std::uint8_t> find_sections(Graph&, const Roots&, LoweredRoots&);
// place.cpp: the items behind those that have a place
void place(const Graph&, const std::vector<std::uint8_t>& section, std::size_t end, Placement&);
// schedule.cpp: these items, behind the others
void schedule(const Graph&, const Placement&, std::size_t first, std::size_t end, Order&);
// layout.cpp
std::shared_ptr<const Program> lay_out(const Builder&, const Roots&, const Graph&, const std::vector<std::uint8_t>& section,
                                       const Placement&, const Order&, LoweredRoots&&, std::shared_ptr<jit::Cache>);
void count_operations(Program&);                                         // operations.cpp
enum class Storage : std::uint8_t { by_size, sparse };
MatrixShape shape_of(std::uint32_t size, std::vector<StepPlan::Load>&, Storage = Storage::by_size);  // layout.cpp; sets the places

}  // namespace kron::code
