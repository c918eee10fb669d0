// lang/elaborate/library.hpp: where names of classes, functions, constants and enumerations come from (language.md section 4).
//   A Library is one flat namespace: a file, a folder of files, or the workspace. A File adds its own `use` lines.
//   Definitions keep their address as long as their statement lives, so a blueprint knows its class by pointer.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "lang/elaborate/value.hpp"
#include "lang/syntax/ast.hpp"

namespace kron::elaborate {

struct File;
struct Library;

enum class DefinitionKind : std::uint8_t { class_, function, enumeration, constant };

struct Definition {
  DefinitionKind kind{};
  Name name;
  syntax::StmtPtr statement;
  const syntax::Declared* declared = nullptr;  // of a constant: which name of its declaration
  const File* file = nullptr;
  const Definition* enclosing = nullptr;  // the class whose body holds it
  EnumType enumeration;
  std::unordered_map<Name, std::shared_ptr<Definition>> nested;  // definitions in a class's body
};

struct Use {
  Library* library = nullptr;
  Name alias;
  std::vector<Name> members;  // empty: all
  Span span;
};

struct File {
  Library* library = nullptr;
  std::string folder;
  SourceId source;
  std::vector<syntax::StmtPtr> statements;
  mutable std::vector<Use> uses;  // resolved at first need
  mutable bool uses_resolved = false;
  mutable bool use_failed = false;  // a library is missing: names may be unknown for that reason alone
};

struct Library {
  Name name;
  std::string path;
  bool is_workspace = false;
  std::vector<std::unique_ptr<File>> files;
  std::unordered_map<Name, std::shared_ptr<Definition>> definitions;
  Diagnostics diagnostics;  // of reading it
  std::vector<std::pair<std::string, std::uint64_t>> stamps;  // its files and when they were written
  bool is_outdated = false;  // what is on disk does not fit: see keep_old()
  std::vector<std::string> names() const;  // sorted
};

// Result of looking a name up: found, or why not.
struct Lookup {
  const Definition* definition = nullptr;
  std::vector<const Definition*> candidates;  // more than one: ambiguous
  const Library* library = nullptr;           // the library of a qualified name, where that was found
};

// `list` becomes `wanted`. What both have in front and behind stays untouched: an edit changes a few statements of thousands.
void replace_changed(std::vector<syntax::StmtPtr>& list, const std::vector<syntax::StmtPtr>& wanted);

class Libraries {
 public:
  explicit Libraries(std::vector<std::string> path);

  // A library by name (on the search path) or by the path of a file or folder; nullptr where there is none. Read once.
  Library* find(const std::string& name_or_path, const std::string& folder);
  Library* find(const std::string& name_or_path, const std::string& folder, Span asked, Diagnostics&);  // told why there is none

  // Files may be written after they were read. read_again(): those are read anew where they are needed next. keep_old(): the model does not
  // hold together with them; what was read before stays, until they are written once more or look_again().
  bool changed() const;
  void read_again();
  void keep_old();
  void look_again();
  std::vector<std::string> read_anew() const;  // paths of those of read_again() that the workspace uses
  // What the workspace uses, and what that uses in turn; with what was found by a full name since set_workspace().
  std::vector<const Library*> in_use() const;

  // Makes the workspace's namespace from its statements; unchanged statements keep their definitions.
  // Returns whether kept blueprints must go: libraries changed, or too much has gathered.
  bool set_workspace(const std::vector<syntax::StmtPtr>&, const std::string& folder, Diagnostics&);
  Library& workspace() { return workspace_; }
  File& workspace_file() { return *workspace_.files.front(); }

  // A name as a text of `file` means it: the classes that enclose it, the file's namespace, then what the file uses.
  Lookup look_up(const File&, const Definition* enclosing, const std::vector<syntax::Part>& path);
  Lookup look_up(const File&, const Definition* enclosing, Name);
  void resolve_uses(const File&, Diagnostics&);

  std::vector<std::string> visible(const File&, DefinitionKind);      // names, for "did you mean"
  std::vector<std::string> names_of_libraries(const std::string& folder) const;  // sorted: on the search path and in this folder
  std::vector<std::string> libraries_with(Name);               // libraries on the search path that define it
  void next_epoch() { ++epoch_; }
  std::uint64_t epoch() const { return epoch_; }  // grows whenever the workspace's namespace may have changed

 private:
  Library* read(const std::string& path);
  std::string locate(const std::string& name_or_path, const std::string& folder) const;
  void forget_uses();

  std::vector<std::string> path_;
  std::map<std::string, std::unique_ptr<Library>> by_path_;
  std::vector<std::unique_ptr<Library>> replaced_;  // versions of files that changed on disk: blueprints may point there
  std::vector<std::pair<std::string, Library*>> swapped_;  // of the last read_again(): by_path_'s key, the version before
  bool versions_changed_ = false;                   // since the last set_workspace()
  std::vector<Library*> found_;                     // since then
  Library workspace_;
  std::unordered_map<const syntax::Stmt*, std::vector<std::shared_ptr<Definition>>> kept_;
  // Definitions that left the workspace: kept blueprints know them by address, so none may be used again before those go.
  std::vector<std::shared_ptr<Definition>> retired_;
  std::unordered_map<Name, Lookup> memo_;  // of the workspace's file, within one epoch
  std::uint64_t epoch_ = 0;
};

std::string full_name(const Definition&);  // "electrical.Resistor"
const char* kind_name(DefinitionKind);

}  // namespace kron::elaborate
