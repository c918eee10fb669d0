// lang/workspace/workspace.hpp: the workspace, its statements and how an edit changes them (language.md section 7). Knows no engine.
//   apply() merges one statement: a declaration, label or class that exists is replaced in place, `delete` takes out, the rest is
//   appended. Equations without a label get e1, e2, … and keep them: a number is never used again.
//   undo  the inverse of each edit is stored, so a step costs what it touched
//   cost  an edit of n statements: hash lookups and at worst one move of n pointers
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "lang/syntax/ast.hpp"

namespace kron {

class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  // Adds, replaces or deletes. On an error nothing changes. Each successful call is one step of undo.
  //   a declaration of an existing name, a label that exists, a class that exists: replaced in place
  //   `a := b`: replaces an earlier assignment to the same target, else appended
  //   delete …: takes out what language.md says (component with its connections, equation, class nobody uses, connections)
  bool apply(const syntax::StmtPtr&, Diagnostics&);
  // Of a text whose statements follow: equations without a label keep clear of the names that it declares.
  void reserve(const std::vector<syntax::StmtPtr>&);
  bool undo(std::string& what);              // what: the statement taken back, for the message
  bool redo(std::string& what);
  struct Step {
    std::string what;                        // first line of the statement
    bool undone = false;
  };
  std::vector<Step> history() const;         // edits, oldest first, the undone ones last
  void clear();                              // `:reset`, an edit too
  std::size_t steps() const;                 // edits that undo() can take back
  void fold(std::size_t from, std::string what);  // the steps from `from` on become one
  const std::vector<syntax::StmtPtr>& statements() const;
  std::string text() const;                  // `:write`: canonical text that recreates it
  std::size_t revision() const;              // a number of this state: undo gives back the number from before

  // A group of edits that may be taken back as if it had never been (labels and the undone edits come back too).
  void begin();
  void rollback();
  void commit();
  std::size_t pending() const;               // edits since begin()

  // Part of the last edit (one more step of its undo): drops connections and assignments that no longer fit a replaced component.
  // `dropped` receives their text. Statements are named by their spans.
  bool drop(const std::vector<Span>& places, std::vector<std::string>& dropped);

  // Whether the statement takes out or replaces something that is there (an assignment apart).
  bool replaces(const syntax::Stmt&) const;
  syntax::StmtPtr same_key(const syntax::Stmt&) const;  // the statement of the same first name, label or target; or null
  bool has_name(Name) const;                 // a variable, component or label of the workspace
  bool has_class(Name) const;
  syntax::StmtPtr declaration(Name) const;   // the statement that declares a name, a label or a class; or null
  syntax::StmtPtr declaration(Name, bool of_class) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

// Text of a reference without blanks: `R[1,2].p`.
std::string reference_text(const syntax::Expr&);

}  // namespace kron
