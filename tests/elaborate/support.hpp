// tests/elaborate/support.hpp: a text elaborated and flattened, as strings that a table can compare.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/flat_model.hpp"
#include "lang/elaborate/elaborate.hpp"

namespace kron::test {

struct Model {
  elaborate::Elaborated result;
  model::FlatModel flat;  // empty without a blueprint
  bool good() const { return result.top != nullptr; }

  std::string equations() const;  // "label: residual = 0", own and children's, connections last; one a line
  std::string initial() const;
  std::string bindings() const;   // "x.start := 1", last one of each target wins; in order of slots
  std::string variables() const;  // names in order of slots, separated by blanks
  std::string messages() const;   // "E0201 3:5", in order; notes left out
  std::string notes() const;      // the same of notes
  std::string all_messages() const;  // rendered, for CAPTURE
  kron::model::SlotFlags flags(const std::string& name) const;
  model::Variability variability(const std::string& name) const;
  const model::Declaration* declaration(const std::string& name) const;
};

std::string library_folder();  // tests/elaborate/libraries
Model elaborate(const std::string& text, const std::string& folder = library_folder());
Model elaborate(elaborate::Elaborator&, const std::string& text, const std::string& folder = library_folder());
std::vector<syntax::StmtPtr> statements(const std::string& text);
std::string number(const model::Bound&);  // of an expression without operands but constants: its value

}  // namespace kron::test
