// lang/workspace/session_data.hpp: what a Session holds. Private to this room.
//   The elaborator holds one workspace state at a time (`scope`), named by the workspace's revision; the analysis belongs to
//   `analysed`, the last result to its own revision. An edit that changes only numbers of parameters that are no structure leaves the
//   analysis alone: they are kept in `assigned` and handed to Engine::problem. Where it is a single statement the elaborator is left
//   alone too: names mean the same, and `top` (revision `elaborated`) is made again when somebody needs it.
#pragma once
#include <chrono>
#include <unordered_set>

#include "engine/base/waiting.hpp"
#include "lang/workspace/kron.hpp"

namespace kron {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Whether a parameter's number may change without another analysis: an input of the program, and no structure.
bool adjustable(const session::Analysis&, std::uint32_t slot);
bool has_value(const session::Analysis&, std::uint32_t slot);  // a parameter; a statement may give one to it that has none
// Whether it is none only as its number is one that shapes equations (elaborate/shaping.hpp).
bool only_shapes(const session::Analysis&, std::uint32_t slot);

// A quantity of results, if the model computes all derivatives in it; else an error.
std::optional<elaborate::Quantity> with_derivatives(const model::FlatModel&, std::optional<elaborate::Quantity>, const syntax::Expr&, Diagnostics&);

// Before the second point, by an equation: a singular block is seen in the first step at the latest.
bool stopped_at_once(const simulate::Result&);
// Runs (a clause, "the run began again") with states chosen on the way because a choice became singular, at some time where it is known.
void tell_begun_again(const simulate::StateChoice&, std::optional<double> time, const std::string& runs, Span command, Diagnostics&);
// Why a run ended early, as an error; placed at `command` where no equation is to blame.
// `start`: of the run; `zeros`: names of parameters that are zero where it happened.
void explain_trouble(const simulate::Trouble&, double start, Span command, Diagnostics&, const std::vector<std::string>& zeros = {});

struct Session::Data {
  explicit Data(elaborate::Settings s) : elaborator(std::move(s)) {}

  static constexpr std::size_t nothing = static_cast<std::size_t>(-1);

  elaborate::Elaborator elaborator;
  session::Engine engine;
  Workspace workspace;
  session::Options options;
  std::string folder;
  Diagnostics diagnostics;
  std::unordered_set<std::uint64_t> told;  // warnings and notes reported already

  std::function<Waiting::GoesOn()> waiting;  // for each piece of work
  bool stopped = false;                    // the last piece of work was no longer wanted

  // elaboration
  std::size_t scope = nothing;             // revision that the elaborator holds
  std::size_t elaborated = nothing;        // revision of top
  std::shared_ptr<const model::Blueprint> top;
  elaborate::Experiment experiment;
  std::vector<syntax::StmtPtr> queued;     // since the workspace's begin()
  struct {                                 // before the last of them
    syntax::StmtPtr statement;             // the one of the same name or target, or null
    std::size_t revision = nothing, statements = 0;
  } replaced;

  // analysis
  std::shared_ptr<const session::Analysis> analysis;
  std::size_t analysed = nothing;          // revision whose text was analysed
  std::size_t analysis_stands_for = nothing;  // revision it holds for, with `assigned`
  session::Options analysed_with;
  std::size_t closed = nothing;            // revision for which options.closed_with holds
  std::size_t opened = nothing;            // revision for which options.open_choice holds
  std::map<std::uint32_t, double> assigned;
  std::vector<bool> slots_in_analysis;     // see in_analysis()
  std::shared_ptr<const session::Analysis> slots_in_analysis_of;
  session::Phases phases;
  double parsed_s = 0, elaborated_s = 0;   // since the last analysis
  session::Reuse reuse;                    // the answer of reuse()
  bool only_assigned = false;

  // overrides: values by path; those that the analysis has no input for are elaborated as assignments behind the workspace
  std::map<std::string, double> overrides;
  std::map<std::uint32_t, double> override_slots;
  std::vector<syntax::StmtPtr> override_statements;

  // last result
  struct Run {
    std::shared_ptr<const session::Analysis> analysis;
    simulate::Problem problem;
    simulate::Result result;
    std::optional<session::Sampler> sampler;
    std::vector<syntax::StmtPtr> statements;
    std::size_t revision = 0;
  };
  std::unique_ptr<Run> run;

  // work(); where it is no longer wanted `stopped` is set and clean() called.
  template <class Work, class Clean>
  void wait_for(Work&& work, Clean&& clean) {
    const Waiting::GoesOn goes_on = waiting ? waiting() : Waiting::GoesOn{};
    const Waiting in_this_thread(goes_on);
    stopped = false;
    try {
      work();
    } catch (const Unwanted&) {
      stopped = true;
      clean();
    }
  }
  elaborate::Elaborated elaborate(const std::vector<syntax::StmtPtr>&, std::size_t revision);
  std::shared_ptr<const session::Analysis> translate(const session::Options&);  // `top`
  bool elaborate_current();                // false with diagnostics
  void report(const Diagnostics&);         // errors always, the rest once
  void analyse(bool exact = false);        // exact: with no number left to Engine::problem, which takes them as doubles
  std::map<std::uint32_t, double> all_overrides() const;
  void find_override_slots();
  bool analyse_closed();                   // once more, with loops looked at where they are closed; false: that is no better

  // run.cpp
  bool run_once(const simulate::Options&);  // false with diagnostics: there is nothing to run
  bool run_with_loops(const simulate::Options&);
  void close_loops(const simulate::Options&, const Diagnostics& before_run);  // a run that did not begin does, if it can, with loops looked at where they are closed
  void try_to_begin();                     // a run, for an analysis with which runs begin
  bool begin_again(Span command);          // the run's choice of states became singular, and wishes need not have decided: they will not
  bool open_choice(const simulate::StateChoice&);  // the same, of a choice; false: they did not decide

  // settle.cpp
  bool settle();
  bool give_up(const elaborate::Elaborated&);
  void take_new_files();                   // of libraries that were written since they were read, if the model holds together with them
  std::vector<syntax::StmtPtr> take_back(const elaborate::Elaborated&, bool tell, bool with_dependents);
  void add_dependents(std::vector<std::size_t>& queued_ones) const;
  bool resettle(const std::vector<syntax::StmtPtr>& good);
  bool drop_misfits(const elaborate::Elaborated&);
  std::vector<std::size_t> blame(const Diagnostics&);
  std::size_t first_failing();
  void note_consequences(const std::vector<syntax::StmtPtr>&);
  void accept(elaborate::Elaborated);

  // number_edits.cpp
  bool number_edit();                      // the queued edit is done: it changed numbers only
  std::optional<std::map<std::uint32_t, double>> only_numbers();  // what `top` has other than the analysis, where that is all
  bool in_analysis(std::uint32_t slot);
  std::optional<double> number(const syntax::Expr&);
  std::optional<double> number_of(std::uint32_t key) const;
  void take_times();
};

}  // namespace kron
