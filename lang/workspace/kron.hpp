// lang/workspace/kron.hpp: Kron as a C++ library. A Session is a workspace (the top-level model, edited statement by statement),
// its analysis and its last result.
//
//   kron::Session s;
//   s.run_text("variable x(start = 1, fixed)\nparameter k = 2\nder(x) = -k*x");
//   s.simulate({.stop = 1});
//   double x = s.value("x");
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/session/analysis.hpp"
#include "lang/elaborate/elaborate.hpp"
#include "lang/syntax/ast.hpp"
#include "lang/workspace/workspace.hpp"

namespace kron {

struct SweepPlan;
struct Sweep;

class Session {
 public:
  explicit Session(elaborate::Settings = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // Model text (no commands): every statement applied; false with diagnostics, and nothing changed, on a syntax error; a
  // statement that fails changes nothing.
  bool run_text(std::string_view text, std::string_view file = "text");
  bool load(const std::string& path);        // replaces the workspace by a file's model
  bool apply(const syntax::StmtPtr&);        // one statement: workspace edit and elaboration; undone where that fails

  // The same for many: edits now, one elaboration at settle(). There the statements that fail are found by the places of the
  // errors and taken back; false where there were any.
  bool queue(const syntax::StmtPtr&);
  bool settle();

  // Files of libraries that were written since they were read are read again, with a note; where the model does not hold together then,
  // what was read stays, with a warning. Edits do the same.
  void take_new_files();

  bool undo(std::string& what);
  bool redo(std::string& what);
  void reset();                              // empties the workspace (an edit) and forgets overrides and the result
  Workspace& workspace();
  elaborate::Elaborator& elaborator();
  void folder(std::string);                  // where `use "file.eq"` and libraries are looked for first
  void spent_parsing(double seconds);        // by a caller that parsed the statements itself: counted in phases()

  // begin() is called where work begins that may take long (elaboration, analysis); what it returns is asked now and then in this thread and says
  // whether that goes on. Where not, the edit or the command fails with E0405; the session stays as it was. A run has Options::interrupt.
  void while_waiting(std::function<std::function<bool()>()> begin);

  // Brings the analysis up to date (elaborate, flatten, …, compile) and returns it.
  const session::Analysis& analysis();
  std::shared_ptr<const session::Analysis> shared_analysis();
  // The same; where the model closes loops, one with which a run begins, if there is one.
  std::shared_ptr<const session::Analysis> analysis_to_run();
  std::shared_ptr<const session::Analysis> current_analysis() const;  // the last one made, as it is; or null
  session::Options& options();
  const elaborate::Experiment& experiment();
  std::shared_ptr<const model::Blueprint> blueprint();  // of the workspace as it stands; null where it does not elaborate

  // Whether the model is complete and its parameters, starts and nominal values are finite numbers; else says why not.
  bool check_numbers();
  // What a run would be given; null where it could not start, with diagnostics.
  std::optional<simulate::Problem> problem();
  // Simulates with these settings; the result is kept also when it ended early. False with diagnostics on trouble, placed at `command`
  // where no equation is to blame.
  bool simulate(const simulate::Options&, Span command = {});
  // Runs for many sets of parameters (sweep.hpp). Overrides and the last result stay as they are. Nothing, with diagnostics, where it cannot
  // begin: a name that does not exist, no complete model.
  std::optional<Sweep> sweep(const SweepPlan&);
  const simulate::Result* result() const;    // of the last run, or null
  const session::Analysis* result_analysis() const;  // that it belongs to
  const simulate::Problem* result_problem() const;

  // Values from the last result (default: its last point). Names or expressions.
  std::optional<double> value(std::string_view expression, std::optional<double> at = std::nullopt);
  std::optional<std::vector<double>> series(std::string_view expression);
  session::Sampler* sampler();               // of the last result, or null

  // An expression in the scope of the model that the last result belongs to (or, with no result, of the workspace).
  std::optional<elaborate::Quantity> quantity(const syntax::Expr&, Diagnostics&);
  // The same in the scope of the workspace as it stands: arguments of commands.
  std::optional<elaborate::Quantity> current_quantity(const syntax::Expr&, Diagnostics&);
  // Of constants and parameters, in the workspace as it stands; nullopt where it depends on more.
  std::optional<double> parameter_value(const model::Bound&);

  // Overrides without an edit (--set, sweeps). False with a diagnostic where there is no such parameter, placed in a text called `origin`.
  bool set_parameter(const std::string& path, double value, const std::string& origin = "--set");
  void clear_overrides();
  const std::map<std::string, double>& overrides() const;
  void restore_overrides(const std::map<std::string, double>&);
  std::map<std::uint32_t, double> number_overrides();  // by slot, assignments that needed no analysis included

  Diagnostics& diagnostics();                // of everything since they were last cleared
  const session::Phases& phases();           // of the last analysis, parse and elaboration included
  code::NativeReport machine_code() const;   // made for its programs so far
  const session::Reuse& reuse();

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

// Value of an expression over constants and what `operand` knows; nullopt where it has anything else.
std::optional<double> evaluate(const model::Bound&, const std::function<std::optional<double>(model::Operand)>& operand);

// Tells, at `place`, that a value, or an element of an array, is infinite or no number.
void tell_no_number(Diagnostics&, Span place, const std::string& name, bool scalar, double value, const std::string& when = {});

}  // namespace kron
