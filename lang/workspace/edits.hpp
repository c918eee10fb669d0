// lang/workspace/edits.hpp: what one statement does to the workspace (language.md section 7).
#pragma once
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "lang/workspace/store.hpp"

namespace kron::edit {

// e1, e2, …: the last number given or seen.
struct Labels {
  std::uint32_t last = 0;
  Name peek(const std::function<bool(Name)>& free) const;  // what the next equation without a label gets
  void saw(Name label);                                    // a label in the text: its number is never given again
};

// Numbers of labels that a text declares as names: e1 : Inertia.
using Reserved = std::unordered_set<std::uint32_t>;
Reserved declared_labels(const std::vector<syntax::StmtPtr>&);

// What an edit did, in order.
struct Change {
  std::vector<Op> ops;
  std::vector<Name> replaced;  // names that existed and were declared anew: their connections may no longer fit
};

// Merges a statement into the store. On false (with an error) the caller takes change.ops back.
struct Merge {
  Store& store;
  Labels& labels;
  const Reserved& reserved;
  Diagnostics& diagnostics;
  Change change;

  bool apply(const StmtPtr&);

 private:
  bool declare(const StmtPtr&);
  bool equations(const StmtPtr&);
  bool replace_equation(const StmtPtr&);
  bool by_key(const StmtPtr&);  // replaced in place where its key exists, else appended
  bool assign(const StmtPtr&);
  bool tear(const StmtPtr&);
  bool remove(const StmtPtr&);
  bool remove_name(const syntax::Expr&);
  bool remove_member(Name, Span);
  bool remove_component(Name);
  bool remove_class(Name, Span);
  bool remove_connection(const StmtPtr&);

  void append(StmtPtr s) { change.ops.push_back(store.append(std::move(s))); }
  void erase(std::uint32_t id) { change.ops.push_back(store.erase(id)); }
  void exchange(std::uint32_t id, StmtPtr s) { change.ops.push_back(s ? store.replace(id, std::move(s)) : store.erase(id)); }
  Name next_label();
  bool relabel(Name label, std::uint32_t id);
  bool belongs_elsewhere(Name, Span, const std::string& what);
};

// Takes out ends of connections, assignments and tears that speak of `roots` and hold one of the places.
Change drop_misfits(Store&, const std::vector<Name>& roots, const std::vector<Span>& places, std::vector<std::string>& dropped);

}  // namespace kron::edit
