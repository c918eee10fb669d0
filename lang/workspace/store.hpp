// lang/workspace/store.hpp: the statements of a workspace in order, findable by what they declare, and the inverse of every change.
//   Ops are the only changes; each is its own inverse with before and after exchanged.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/syntax/ast.hpp"

namespace kron::edit {

using syntax::StmtPtr;

// before null: put in; after null: taken out; both: exchanged. The id stays with a statement while it is replaced in place.
struct Op {
  StmtPtr before, after;
  std::uint32_t position = 0, id = 0;
};

class Store {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  const std::vector<StmtPtr>& statements() const { return statements_; }
  std::uint32_t position(std::uint32_t id) const { return position_[id]; }  // or none
  const StmtPtr& statement(std::uint32_t id) const { return statements_[position_[id]]; }
  std::uint32_t id_at(std::size_t position) const { return ids_[position]; }

  std::uint32_t owner(const std::string& key) const;               // id of the statement that owns a key, or none
  std::vector<std::uint32_t> mentioning(Name root) const;          // connections, assignments, tears with a path that starts there
  std::vector<std::string> keys(char kind) const;                  // without their kind, sorted

  Op append(StmtPtr);
  Op insert(std::uint32_t position, StmtPtr);
  Op erase(std::uint32_t id);
  Op replace(std::uint32_t id, StmtPtr);
  void apply(const Op&);
  void revert(const Op&);

 private:
  void put(const Op&);
  void take(const Op&);
  void renumber(std::size_t from);
  void index(const StmtPtr&, std::uint32_t id);
  void unindex(const StmtPtr&, std::uint32_t id);

  std::vector<StmtPtr> statements_;
  std::vector<std::uint32_t> ids_, position_;
  std::unordered_map<std::string, std::uint32_t> owner_;
  std::unordered_map<Name, std::vector<std::uint32_t>> mentions_;  // may hold stale ids: checked when read
};

// Keys: a letter and a text. m member (variable, component, label), c class, a assignment's target, u use, t tear, x experiment,
// T test.
std::vector<std::string> keys_of(const StmtPtr&);
inline std::string member_key(Name n) { return "m" + n.str(); }
inline std::string class_key(Name n) { return "c" + n.str(); }

}  // namespace kron::edit
