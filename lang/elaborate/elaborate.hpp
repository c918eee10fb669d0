// lang/elaborate/elaborate.hpp: statements to blueprints.
//   in    the workspace's statements (top level model), the libraries they use
//   out   the top blueprint (engine/model/blueprint.hpp), diagnostics; with errors no blueprint
//   keep  a class with the same structural arguments is elaborated once; blueprints are kept between calls, so an edit costs the
//         classes it touches
// What happens here: lookup, inheritance, modification, structural parameters, arrays to scalars, functions inlined, records taken
// apart, units checked, connect statements expanded to scalar pairs.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/blueprint.hpp"
#include "lang/syntax/ast.hpp"

namespace kron::elaborate {

struct Settings {
  std::vector<std::string> library_path;  // folders searched for libraries, in order: script's folder, KRON_PATH, installed stdlib
};

struct Experiment {  // `experiment start = 0, stop = 10, …`: as values in SI; absent where not given
  std::optional<double> start, stop, interval, tolerance;
  std::optional<std::string> method;
  Span method_place;
};

struct Elaborated {
  std::shared_ptr<const model::Blueprint> top;  // null when there were errors
  Diagnostics diagnostics;
  Experiment experiment;
  std::size_t classes_elaborated = 0, classes_reused = 0;
};

// One scalar or array expression of a command, elaborated in the workspace's scope; operands speak of the top blueprint's slots.
struct Quantity {
  std::vector<std::uint32_t> sizes;   // empty: scalar
  std::vector<model::Bound> elements; // row-major
  std::string unit;                   // SI, empty: unknown
  model::ValueType type{};            // of each element
  Name enumeration;                   // its type's name and literals, where it is of one
  std::vector<Name> literals;
};

// What `:classes` and `:show` list.
struct ClassEntry {
  std::string name;      // "electrical.Resistor", "MyModel"
  std::string kind;      // model, connector, record, function, enumeration
  std::string doc;
  syntax::StmtPtr statement;
  bool in_workspace = false;
};

class Elaborator {
 public:
  explicit Elaborator(Settings);
  ~Elaborator();
  Elaborator(Elaborator&&) noexcept;
  Elaborator& operator=(Elaborator&&) noexcept;

  // Elaborates a workspace: model statements, class definitions, `use`, edits already merged (lang/workspace does that); commands,
  // tests and experiment statements among them are looked at only where they concern the model. Unwanted is handed on.
  Elaborated elaborate(const std::vector<syntax::StmtPtr>& statements, const std::string& folder);

  // Files of libraries, written since they were read: elaborate() goes on with what it has read until read_files_again(). Where the model does
  // not hold together then, keep_old_files() leaves it with what was read before, until they are written once more or look_at_files_again().
  bool files_changed() const;
  void read_files_again();
  std::vector<std::string> files_read_again() const;  // of these, the ones that the model uses, after elaborate()
  void keep_old_files();
  void look_at_files_again();

  // After elaborate(): a command's expression, or nullopt with diagnostics.
  std::optional<Quantity> quantity(const syntax::Expr&, Diagnostics&);

  std::vector<ClassEntry> classes();      // of the workspace and of the libraries in use
  std::vector<ClassEntry> library(const std::string& name_or_path, Diagnostics&);  // all of one library
  std::vector<syntax::StmtPtr> tests(const std::string& name_or_path, Diagnostics&);  // its test blocks, each with `use` of it
  bool has_class(const std::string& name);
  std::vector<std::string> members(const std::string& class_name);  // public ones, with those of its bases, as they are written; none of no class
  std::vector<std::string> libraries();   // names that `use` finds

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace kron::elaborate
