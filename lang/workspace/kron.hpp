// lang/workspace/kron.hpp: Kron as a C++ library. A Session is a workspace (the top-level model, edited statement by statement),
// its analysis and its last result.
//
//   kron::Session s;
//   s.run_text("variable x(start = 1, fixed)\nparameter k = 2\nder(x) = -k*x");
//   s.simulate({.stop = 1});
//   double x = s.value("x");
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/session/analysis.hpp"
#include "lang/elaborate/elaborate.hpp"
#include "lang/syntax/ast.hpp"

namespace kron {

// The workspace: statements and how an edit changes them (language.md section 7). Knows no engine.
class Workspace {
 public:
  // Adds, replaces or deletes. On an error nothing changes. Each successful call is one step of undo.
  //   a declaration of an existing name, a label that exists, a class that exists: replaced in place
  //   `a := b`: replaces an earlier assignment to the same target in place, else appended
  //   delete …: takes out what language.md says (component with its connections, equation, class nobody uses, connections)
  bool apply(const syntax::StmtPtr&, Diagnostics&);
  bool undo(std::string& what);  // what: the statement taken back, for the message
  bool redo(std::string& what);
  std::vector<std::string> history() const;  // edits, oldest first, the undone ones marked
  void clear();                              // `:reset`, an edit too
  const std::vector<syntax::StmtPtr>& statements() const { return statements_; }
  std::string text() const;                  // `:write`: canonical text that recreates it

 private:
  std::vector<syntax::StmtPtr> statements_;
  struct Snapshot { std::vector<syntax::StmtPtr> statements; std::string what; };
  std::vector<Snapshot> past_, future_;
  std::map<std::string, std::uint32_t> label_count_;  // numbers of e1, e2, … are never used again
};

class Session {
 public:
  explicit Session(elaborate::Settings = {});
  ~Session();

  // Model text (no commands): every statement applied; false with diagnostics, and nothing changed, on a syntax error; a
  // statement that fails changes nothing.
  bool run_text(std::string_view text, std::string_view file = "text");
  bool load(const std::string& path);
  bool apply(const syntax::StmtPtr&);        // one statement: workspace edit and elaboration; undone where that fails
  bool undo(std::string& what);
  bool redo(std::string& what);
  Workspace& workspace();
  elaborate::Elaborator& elaborator();
  void folder(std::string);                  // where `use "file.eq"` and libraries are looked for first

  // Brings the analysis up to date (elaborate, flatten, …, compile) and returns it.
  const session::Analysis& analysis();
  session::Options& options();
  const elaborate::Experiment& experiment();

  // Simulates with these settings; the result is kept also when it ended early. False with diagnostics on trouble.
  bool simulate(const simulate::Options&);
  const simulate::Result* result() const;    // of the last run, or null
  const session::Analysis* result_analysis() const;  // that it belongs to

  // Values from the last result (default: its last point). Names or expressions.
  std::optional<double> value(std::string_view expression, std::optional<double> at = std::nullopt);
  std::optional<std::vector<double>> series(std::string_view expression);
  session::Sampler* sampler();               // of the last result, or null

  // Overrides without an edit (--set, sweeps).
  bool set_parameter(const std::string& path, double value);

  Diagnostics& diagnostics();                // of everything since they were last cleared
  const session::Phases& phases();           // of the last analysis, parse and elaboration included
  const session::Reuse& reuse();

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace kron
