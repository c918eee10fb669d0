// engine/code/program.hpp: what runs. compile() takes a Builder's nodes and the roots somebody wants, keeps the live
// ones, folds the constant section, sorts the rest into sections, and lays them out for the grouped interpreter: runs
// of equal operations over index lists, solve steps between them.
#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/code/tape.hpp"
#include "engine/jit/cache.hpp"

namespace kron::code {

// A derivative root that stands for what a slot's chosen alternative makes of it (Pins).
struct ChosenRoot {
  std::uint32_t root = 0, selection = 0, slot = 0;  // root: index into Roots::derivative
  std::vector<Ref> alternative{};
};

struct Roots {
  std::vector<Ref> derivative{};          // wanted at every derivative evaluation
  std::vector<ChosenRoot> chosen{};
  std::vector<Ref> event{};               // wanted where it is looked for events
  std::vector<Ref> output{};              // wanted where a result is stored
  std::vector<Ref> parameter{};           // wanted once after parameters are set (of section constant or parameter)
  // The dynamics as differential-algebraic equations: the unknowns of the solve steps that derivatives need are states, behind the
  // others, and the steps' residuals are derivative roots, behind the others. Straight-line code and its guards stay, and so do steps
  // that only outputs need, and those with pins.
  bool open = false;
  std::array<std::uint32_t, 8> inputs{};  // least size of Machine::inputs(kind), by InputKind; used inputs count anyway
};

struct OperationCount {  // of the code that runs; commands.md section 3, `ops`
  std::size_t mul = 0, add = 0, div = 0, sqrt = 0, trig = 0, other = 0;
};

enum class Status : std::uint8_t { ok, recoverable /* a smaller step may help */, failed };

// Why an evaluation failed: the block, its unknowns' last values, what happened. Valid until the next evaluation.
struct Failure {
  bool newton = false;
  std::uint32_t block = 0;
  std::optional<std::uint32_t> root{};  // no block failed, but this derivative root is not finite
  std::string reason{};                 // "singular matrix", "no convergence after 50 iterations", "not a number", ...
  std::vector<double> values{};         // of the block's unknowns, by column
  std::vector<double> residual{};
};

struct Statistics {
  std::uint64_t derivative_calls = 0, output_calls = 0, newton_iterations = 0, newton_solves = 0, kinsol_solves = 0,
                linear_solves = 0, guard_events = 0,  // evaluations in which a guarded block took its LU
                relaxation_sweeps = 0, relaxation_failures = 0;  // failures: the LU took over
};

class History;
class Program;  // immutable, shared by machines

// What evaluates a program: the interpreter, or machine code where there is some for this machine; `automatic`: machine code of what has
// taken the interpreter as long as compiling takes. The values are the same, bit for bit.
enum class Backend : std::uint8_t { automatic, interpreter, machine_code };

// What was compiled of a program so far.
struct NativeReport {
  std::size_t regions = 0, bytes = 0;
  jit::CacheCounts segments;
  double seconds = 0;
  NativeReport& operator+=(const NativeReport&);
};
NativeReport native_report(const Program&);

// Throws std::logic_error where the tape is no program: an unknown without its step, a linear step that reads its own
// unknowns, Newton steps nested deeper than 16.
// Machine code of segments that `cache` has is used again.
std::shared_ptr<const Program> compile(const Builder&, const Roots&, std::shared_ptr<jit::Cache> cache = nullptr);

// An unknown that Roots::open made a state: its node on the tape, the block of its step.
struct OpenUnknown {
  std::uint32_t node = 0, block = 0;
};
std::span<const OpenUnknown> open_unknowns(const Program&);  // in the order of their states
std::size_t unknowns_to_open(const Program&);                // how many there would be

std::size_t derivative_size(const Program&);
std::size_t event_size(const Program&);
std::size_t output_size(const Program&);
std::size_t input_size(const Program&, InputKind);
std::size_t selections(const Program&);
std::size_t choice_size(const Program&);  // of Machine::choice
std::size_t alternatives(const Program&, std::size_t selection);
std::size_t alternatives(const Program&);  // of all selections
// Newton steps outside the parameter section: those that derivatives need, or all.
enum class Iterations : std::uint8_t { of_derivatives, all };
std::size_t iterated(const Program&, Iterations = Iterations::all);  // their unknowns
OperationCount operations(const Program&, Section);  // constant, parameter, dynamic
OperationCount output_operations(const Program&);
// Functions that may rise and fall within a small part of their range; whether derivatives are computed with some.
bool is_steep(Op, Fn);
bool has_steep_functions(const Program&);
std::uint64_t fingerprint(const Program&);  // of the code; equal programs agree over runs and sessions

// The assignments as text, `c1 := p.R*x` ...; `name` gives the text of inputs and unknowns, `defines` of root values.
struct PrintNames {
  std::function<std::string(const Input&)> input{};
  std::function<std::string(std::uint32_t unknown_node)> unknown{};
};
// Which root gets which name, for printing: `der(x) := …`
struct NamedRoot {
  Ref ref{};
  std::string name{};
  std::uint32_t block = 0;  // printed under this block's heading
};
std::string print(const Builder&, std::span<const NamedRoot>, const PrintNames&);

// Structural pattern of the derivative roots with respect to the states (CSR by row: for each derivative root the
// sorted states).
struct Pattern {
  std::vector<std::uint32_t> row_begin{}, column{};
  std::size_t rows = 0, columns = 0;
};
Pattern state_pattern(const Program&);

// The largest |value| of each input of a kind; those left out may have any.
template <class T>
struct Extent {
  std::span<const T> states, discrete, pre;
};

// Scratch data of one program: register file, Newton warm starts, factorisations. One per thread. Instantiated for
// double and the types of precision.hpp.
template <class T>
class Machine {
 public:
  explicit Machine(std::shared_ptr<const Program>, Backend = Backend::automatic);  // in number types other than double the interpreter
  ~Machine();
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;

  std::span<T> inputs(InputKind);  // write parameters, signals, starts, ... here; then run_parameters
  Status run_parameters();         // parameter section
  // The same with outputs that are unknowns of Newton steps, of any section: these begin there, in place of their start values.
  Status run_parameters(std::span<const std::uint32_t> outputs, std::span<const T> values);
  std::span<const T> parameter_roots() const;

  // der = f(t, y). Newton starts from the values accepted last (accept()), so the result is a function of (t, y) alone.
  Status derivative(const T& t, std::span<const T> y, std::span<T> der);
  // The event roots at (t, y): runs the dynamic and the event section. What depends on a linear step that has no solution is not a number.
  Status events(const T& t, std::span<const T> y, std::span<T> values);
  // Whether steps of singular matrices had no solution in events(t, y, ·). From now on right-hand sides may contradict each other by what
  // roundings of the states, y[i] -+ digits[i], make of them.
  bool feel(const T& t, std::span<const T> y, std::span<const T> digits);
  // The output roots at (t, y): runs the dynamic, the event and the output section.
  Status output(const T& t, std::span<const T> y, std::span<T> values);
  // Whether the outputs are finite wherever |time| and the inputs do not exceed these; false also where the operations do not tell.
  // After run_parameters().
  bool bounded(const T& time, const Extent<T>&) const;
  // Goes on where another machine stands, whose program computes the same functions of the same inputs: numbers, choices, settings,
  // counts, and where Newton starts from. run_parameters() comes next.
  void resume(const Machine& other);
  // Blocks of guarded steps that took their LU in the evaluation before; those of the parameter section are left out.
  std::vector<std::uint32_t> cold_blocks() const;
  // Steps whose matrix depends on what changes at events: audit() compares their straight-line code, at the point evaluated last, with an LU;
  // where it lost digits to a pivot that is small in this combination the LU solves the step from now on, until trust(). True: some did.
  bool audit(bool every = false);  // every guarded step, those of parameters, too
  void trust();
  // Blocks of steps whose matrix is singular at the point evaluated last; they have the least solution.
  std::vector<std::uint32_t> deficient_blocks() const;
  // The block of an iteration that ended at a multiple root, as the positions of a linkage at a dead point are: roundings are all that is left
  // of its Jacobian there.
  std::optional<std::uint32_t> multiple_root() const;
  void accept();  // an integrator step was accepted at the last evaluated point: keep its Newton solutions
  // Whether angles have gone on so far since then that a Newton iteration at the point evaluated last may have come to another solution, as to
  // one a turn away. derivative() and events() then go there in pieces, and this tells whether that was in vain.
  bool leapt() const;
  // The solutions kept so far, and what they lead to: where something was evaluated and accepted on the way, put_back() goes on as without that.
  std::shared_ptr<const void> kept() const;
  void put_back(const std::shared_ptr<const void>&);
  void forget();  // back to the start values (a new run)

  // ---- selections (tape.hpp, Pins), in programs that have some.
  // The chosen alternatives, ascending, one selection after the other.
  std::span<const std::uint32_t> choice() const;
  void choose(std::span<const std::uint32_t> choice);
  // Leaves a selection to the next evaluation: it chooses by pivoting where its steps would start. values: of all alternatives,
  // level by level; the chosen ones give their slots theirs.
  void open(std::uint32_t selection, std::span<const T> values);
  // Values of all alternatives of level 0, selection after selection: where Newton starts from (after run_parameters()), and
  // those at the point evaluated last.
  void guess(std::span<const T> values);
  void alternatives(std::span<T> values) const;
  // What Newton's method found at the point evaluated last, in all steps outside the parameter section; and where it starts from next.
  void solutions(std::span<T> values) const;
  // `leads`: what was accepted before leads to these.
  void start_from(std::span<const T> values, Iterations = Iterations::all, bool leads = false);
  // What it found for derivatives at the point accepted last, with its time; nothing: none was.
  std::optional<T> accepted(std::span<T> values) const;
  // Magnitudes of the pivots of these steps' Jacobians, each at the last point of its iteration.
  void pivots(std::vector<T>& list) const;
  // Newton steps with angles among their unknowns, as those of loops of bodies, which have singular positions: whether there are any,
  // and the same of their Jacobians.
  bool turns() const;
  void turning_pivots(std::vector<T>& list) const;
  // How far the chosen alternatives are from the best choice at the point evaluated last: the largest derivative of a solved
  // alternative by a chosen one, in units of their scales. Small multiples of 1 are good, infinity is singular.
  double strain();
  // How well the step of a selection determines what it solves for: about the least relative change of its matrix, rows of one size, that
  // makes it singular. 0: it is. At the point evaluated last.
  double regularity(std::uint32_t selection);
  // Exchanges alternatives until no derivative exceeds 1 by much: the determinant of what is solved for becomes (nearly) the
  // largest [maximum volume, Goreinov et al. 2010]. Call after derivative() at the point. Only selections strained beyond `limit`.
  bool exchange(double limit);
  void read_states(std::span<T> y) const;  // the values that the slots have at the point evaluated last, by the choice as it is now

  // J*v for several directions at once, exact (forward mode over the tape; through solve steps by the implicit function
  // theorem). Call after derivative(t, y, ·) at the same point. directions: columns.size() x states, row-major by
  // direction; result alike.
  Status tangent(const T& t, std::span<const T> y, std::size_t directions, std::span<const T> seeds,
                 std::span<T> result);

  void tolerance(double relative);  // Newton converges to 0.01 of this in the unknowns' scale
  const Failure& failure() const;
  const Statistics& statistics() const;
  void history(const History*);   // of delayed expressions; has to be there as long as the machine evaluates
  void interrupt_flag(const std::atomic<bool>*);  // checked inside long iterations
  void patient(bool);             // or iterations that do not converge at once fail, without other ways (newton.hpp): at points that are tried only
  void look_for_singular(bool);   // Newton iterations look from now on whether the Jacobian at what they find has its full rank
  bool met_singular() const;      // one had not
  // Evaluations of derivatives that Packed did in this machine's place; the last of them is the last one.
  void evaluated_elsewhere(std::uint64_t count);

 private:
  bool begin_iterations(std::span<const std::uint32_t> outputs, std::span<const T> values);  // true: some are of the parameter section
  friend class Packed;
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace kron::code
