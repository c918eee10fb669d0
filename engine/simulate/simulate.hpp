// engine/simulate/simulate.hpp: from a Program and numbers to a trajectory.
//   Two programs: `initial` (its derivative roots are the states at the start) and `dynamics` (derivative roots: the
//   states' derivatives; output roots: every other variable somebody may ask for). Both take the same parameter vector.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/source.hpp"
#include "engine/code/history.hpp"
#include "engine/code/program.hpp"
#include "engine/simulate/events.hpp"
#include "engine/simulate/solution_path.hpp"

namespace kron::simulate {

// The equation that gives a variable its value, for messages.
struct Origin {
  std::string equation;  // its label
  Span place;
  std::string hint = {};  // what the model says of a failure there
};

// A choice of states that may become singular along the run, because its constraints are not linear in them.
struct StateChoice {
  std::vector<std::string> states, dependent;  // candidates that were chosen; those the constraints determine from them
  std::vector<std::string> among;              // what could be chosen from while the model runs instead; empty: the user insists
  Origin origin;                               // one of the constraints
  bool of_pieces = false;                      // of a set that chose in pieces, not of hints
  std::optional<std::uint32_t> selection;      // a piece that has a choice of its own, which may not be enough
  std::vector<std::uint32_t> rates;            // outputs: first derivatives of what is determined; of pieces
  bool by_rates = false;                       // by which alone it is measured
};

// States that stand for some of several candidates, chosen while the model runs (code::Pins): a set has as many states as its
// selection has slots, a selection one set for each level of differentiation.
struct StateSet {
  std::uint32_t selection = 0, level = 0;
  std::uint32_t first = 0, slots = 0;  // states
  std::vector<double> nominal;         // by candidate
};

// Where a run is.
struct OperatingPoint {
  code::InputValues inputs;
  std::vector<double> outputs;
  std::vector<std::uint32_t> blocks;  // whose straight-line code has not been trusted for long
};

// A condition that must hold along the run. The output roots of assertions stand behind those of the variables.
struct Assertion {
  std::uint32_t condition = 0;  // output root; 0 where it does not hold
  std::uint32_t values = 0;     // how many roots behind it are told with it
  bool varies = true;           // it may cease to hold along the run
};
struct AssertionText {
  std::string message;
  std::vector<std::string> values;
  Origin origin;  // the condition as text, and its place
};

// The dynamics as differential-algebraic equations (code::Roots::open): what iterations and cores would solve in each evaluation are
// unknowns of the integrator, states behind the others.
struct OpenForm {
  std::shared_ptr<const code::Program> program;
  struct Unknown {
    std::uint32_t output = 0;  // the output root that has its value
    bool negative = false;     // with this sign
  };
  std::vector<Unknown> unknowns;
};

struct Problem {
  std::shared_ptr<const code::Program> dynamics, initial;  // without `initial` the states start at `starts`
  std::function<std::shared_ptr<const OpenForm>()> open_form;  // null where there is none: no unknowns to open, or dynamic sets. May be empty
  std::vector<double> output_nominal;  // of the variables that outputs are; empty where there are no unknowns to open
  // Of an open form made the dynamics (open_problem): so many last states are algebraic unknowns; what gives them at the start.
  std::size_t algebraic = 0;
  std::shared_ptr<const code::Program> closed;
  std::vector<OpenForm::Unknown> unknowns;
  code::Backend backend = code::Backend::automatic;
  // Values of the inputs of both programs, by kind. `exact` (may be empty) has the exact rationals of parameters,
  // starts and signals for runs in higher precision.
  std::vector<double> parameters, starts, signals;
  std::vector<Rational> exact_parameters, exact_starts, exact_signals, exact_discrete_starts;
  // Of each state, > 0. The error of a state is measured in units of tolerance * max(|y|, 0.1 * largest |y| so far),
  // the latter at least 1e-3 * nominal: so a nominal value need not be right, only not thousands of times too large.
  std::vector<double> nominal;
  // States from which non-linear constraints give other variables: their errors come back enlarged in those, so they are
  // integrated to a fifth of the tolerance. Then the energy of a pendulum in Cartesian coordinates drifts by no more than twice
  // what it does in the angle (measured). May be empty.
  std::vector<bool> constrained;
  // Parameters (indices of the parameter inputs) that the initial program determines: its roots after the states.
  std::vector<std::uint32_t> free_parameters;
  // Outputs whose iterations in the dynamic program begin at what the initial program found: its roots after the candidates of sets, which
  // come after the free parameters.
  std::vector<std::uint32_t> iteration_starts;
  // Conditions of the start that were not needed to determine it but must hold: two roots each of the initial program, the last ones: what
  // the condition is off by, and the size of its terms.
  std::size_t surplus = 0;
  std::function<AssertionText(std::size_t)> surplus_text;
  std::vector<StateChoice> choices;  // those with a selection, whose code::Machine::regularity counts, and those measured by rates come last
  std::vector<std::uint32_t> speeds;  // states of no set that are derivatives of states; where a choice has rates
  // 1 / sqrt(1 + |d dependent / d states|^2), by choice, with the values of the free parameters; null: there are none
  std::function<void(double t, std::span<const double> states, std::span<const double> outputs, std::span<const double> free, std::span<double>)> regularity;
  std::vector<StateSet> sets;
  std::optional<StateChoice> divided;  // of sets that choose one after the other: what could be chosen from at once, where they fail
  std::shared_ptr<const EventModel> events;  // null: none
  EventNames event_names;
  std::vector<double> discrete_starts;       // by discrete variable
  std::vector<Assertion> assertions;                   // in the order of their output roots
  std::function<AssertionText(std::size_t)> assertion_text;
  // The same dynamics with pivots of the point's blocks that are good there; null where nothing else is known. May be empty.
  std::function<std::shared_ptr<const code::Program>(const OperatingPoint&)> reordered;
  std::function<std::string(std::size_t)> state_name;  // for messages
  std::function<std::string(std::size_t, std::span<const std::uint32_t> choice)> chosen_name;  // of a state of a dynamic set, by a choice
  std::function<std::string(std::size_t)> output_name;
  std::function<Origin(std::size_t)> output_origin, derivative_origin;  // of an output; of a state's derivative
  // Of what the initial program gives: states, free parameters, candidates for states, unknowns of iterations.
  std::function<std::string(std::size_t)> start_name;
  std::function<Origin(std::size_t)> start_origin;
  std::vector<std::uint32_t> output_order;                         // place of each output in the order of computation
  std::function<std::vector<std::string>(bool initial, std::uint32_t block)> block_unknowns;  // for failures
  std::function<Origin(bool initial, std::uint32_t block)> block_origin;                      // one of its equations
  std::function<std::vector<std::string>(bool initial, std::uint32_t block)> block_residues;  // equations in the order of Failure::residual
};

enum class Method : std::uint8_t { automatic, bdf, adams, ida, rk45, euler };
std::optional<Method> method_named(std::string_view);
inline constexpr const char* methods_help = "methods are auto, bdf, adams, ida, rk45 and euler";
std::string_view to_text(Method);

inline constexpr unsigned most_digits = 240;  // of `precision`

struct Options {
  double start = 0, stop = 1;
  std::optional<double> every = std::nullopt;  // output grid: every H …
  std::size_t points = 500;                    // … or so many intervals
  std::optional<double> step = std::nullopt;   // largest step (bdf, adams, rk45), the step (euler)
  double tolerance = 1e-6;
  Method method = Method::automatic;  // rk45 until the model shows itself stiff, then bdf; see integrate.cpp
  bool stop_where_singular = false;   // at the start, where a Newton iteration has a singular Jacobian
  bool events = true;                 // false: what jumps does so at the end of the step in which it is met, nothing is located
  unsigned precision = 15;            // decimal digits; over 15: Boost.Odeint on Boost.Multiprecision
  std::function<void(double fraction)> progress = {};  // called now and then
  const std::atomic<bool>* interrupt = nullptr;
};

struct Counters {
  std::size_t points = 0, algebraic = 0 /* unknowns of the integrator that are no states */, steps = 0, rhs_evals = 0, jacobian_evals = 0, newton_iters = 0, error_test_fails = 0,
              events = 0, time_events = 0, state_events = 0, state_switches = 0, guard_events = 0, reorderings = 0, relaxation_sweeps = 0, relaxation_failures = 0;
  double init_s = 0, solve_s = 0;
};

// How far an equation of a failed block was from holding.
struct Residual {
  std::string equation;
  double off = 0;
};

// Why a run ended early, as data: the program makes the diagnostic.
struct Trouble {
  enum Kind : std::uint8_t {
    none,
    interrupted,
    initialisation,
    initial_conflict,
    block,
    not_a_number,
    state_choice,
    assertion,
    event_iteration,
    delay,
    chattering,
    step_too_small,
    too_much_work,
    settings,
    other
  } kind{};
  double time = 0;
  std::string message;                // one line
  std::vector<std::string> unknowns;  // of the block, with; or what an assertion tells
  std::vector<double> values;         // their last values
  std::vector<Residual> residuals;    // of the block, the largest first, a few
  std::vector<std::string> suspects;  // variables to look at: largest error weights, first NaN, …
  std::vector<std::string> changed;   // "`condition` had just become true": of the event at which, or right behind which, this happened
  Origin origin;                      // of the first suspect or unknown, where it is known
  std::optional<StateChoice> choice;  // of states, that became singular
};

// The run's points. States at every output point; other variables are evaluated from them when asked for.
class Trajectory {
 public:
  Trajectory() = default;
  std::span<const double> time() const { return time_; }
  std::size_t size() const { return time_.size(); }
  std::span<const double> state(std::size_t point) const { return {state_.data() + point * states_, states_}; }
  std::size_t states() const { return states_; }
  // y(t) inside [first, last]: from the integrator's interpolant of the step that holds t (kept as far as memory
  // allows, else Hermite between output points). Exact copies at output points; at an event the value after it.
  void interpolate(double t, std::span<double> y) const;
  // In a run with precision over 15: the digits of the last values, first the states, then the outputs.
  std::vector<std::string> last_digits;

  // Which candidates the states of dynamic sets stand for (code::Machine::choice), and since when.
  struct Choice {
    double since = 0;           // of the times after it
    std::size_t first = 0;      // and of the points from there
    std::vector<std::uint32_t> chosen;
  };
  std::span<const std::uint32_t> choice(double t) const;            // of what interpolate(t) gives
  std::span<const std::uint32_t> choice_of_point(std::size_t) const;
  std::vector<Choice> choices_;
  // Discrete inputs, and values before the event, that hold from a point on.
  struct Mode {
    std::size_t first = 0;
    std::vector<double> inputs;
  };
  std::span<const double> mode(double t) const;
  std::span<const double> mode_of_point(std::size_t) const;
  std::vector<Mode> modes_;
  std::shared_ptr<const code::History> history_;  // of delayed expressions; null: there are none
  // What Newton's method found along the run, where it starts again: near time t, at a point.
  bool solution(double t, std::span<double> values) const;
  bool solution_of_point(std::size_t, std::span<double> values) const;
  SolutionPath path_;
  // What it found at a point when outputs were evaluated, where some only they need; empty where it was not kept.
  std::span<const double> solutions_of_point(std::size_t) const;
  std::size_t iterated_ = 0;       // code::iterated
  std::vector<double> solutions_;  // of the first points

  struct Store;
  std::vector<double> time_, state_;
  std::vector<double> iterations_;  // of Problem::iteration_starts
  std::size_t states_ = 0;
  std::size_t algebraic_ = 0;  // of them: unknowns of an open form, the last ones
  std::shared_ptr<Store> store_;
};

struct Result {
  Trajectory trajectory;  // the part computed, also after trouble
  // Of Problem::free_parameters: put them into its parameters before asking for outputs.
  std::vector<double> free_values;
  std::vector<std::size_t> switches;  // by selection of the dynamic sets; empty: none
  Counters counters;
  std::optional<std::string> terminated;  // the text of the `terminate` that ended it
  bool met_singular = false;  // Options::stop_where_singular
  Trouble trouble;
  Method used{};  // automatic: the one that covered more of the time
  bool ok() const { return trouble.kind == Trouble::none; }
};

// Never throws; ends in bounded time or by `interrupt`. Zero states: outputs over the grid.
Result simulate(const Problem&, const Options&);

// The problem with its open form as the dynamics.
Problem open_problem(const Problem&, const OpenForm&);
std::size_t variable_outputs(const Problem&);  // the output roots that are values of variables: the first ones
std::string code_of(Trouble::Kind);  // "E0401", ...: engine/base/codes/simulate.def

// Output roots at points of a trajectory (states plus time are enough). One row per point asked; a failed evaluation
// gives a row of not-a-number.
std::vector<std::vector<double>> outputs(const Problem&, const Trajectory&, std::span<const std::size_t> points);
std::vector<double> outputs_at(const Problem&, const Trajectory&, double t);
// The same, keeping only `wanted` of the output roots (indices), for all points: wanted.size() columns.
std::vector<std::vector<double>> output_columns(const Problem&, const Trajectory&, std::span<const std::size_t> wanted);

}  // namespace kron::simulate
