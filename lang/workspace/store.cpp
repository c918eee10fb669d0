#include "lang/workspace/store.hpp"

#include <algorithm>

#include "lang/syntax/printer.hpp"
#include "lang/workspace/walk.hpp"
#include "lang/workspace/workspace.hpp"

namespace kron::edit {
namespace {

using syntax::Stmt;
using syntax::StmtKind;

std::string use_key(const Stmt& s) {
  std::string key = (s.is_file ? "u\"" : "u") + s.text + "|" + s.name.str();
  for (Name m : s.members) key += "|" + m.str();
  return key;
}

// The names that a connection, an assignment or a tear statement speaks of.
void roots_of(const StmtPtr& s, std::vector<Name>& roots) {
  for_each_leaf(s, [&](const StmtPtr& x) {
    if (x->kind != StmtKind::connect && x->kind != StmtKind::assign && x->kind != StmtKind::tear) return;
    for (const auto& r : x->refs)
      if (r && !r->path.empty()) roots.push_back(r->path.front().name);
  });
}

bool mentions_root(const StmtPtr& s, Name root) {
  std::vector<Name> roots;
  roots_of(s, roots);
  return std::find(roots.begin(), roots.end(), root) != roots.end();
}

}  // namespace

std::vector<std::string> keys_of(const StmtPtr& s) {
  std::vector<std::string> keys;
  switch (s->kind) {
    case StmtKind::declaration:
      for (const auto& d : s->names) keys.push_back(member_key(d.name));
      break;
    case StmtKind::class_:
    case StmtKind::enumeration:
    case StmtKind::function:
      keys.push_back(class_key(s->name));
      break;
    case StmtKind::assign: keys.push_back("a" + reference_text(*s->refs.front())); break;
    case StmtKind::use: keys.push_back(use_key(*s)); break;
    case StmtKind::tear: {
      std::string key = s->is_residue ? "tresidue " : "t";
      if (!s->refs.empty() && s->refs.front()) key += reference_text(*s->refs.front());
      else key += s->label.str();
      keys.push_back(std::move(key));
      break;
    }
    case StmtKind::experiment: keys.push_back("x"); break;
    case StmtKind::test: keys.push_back("T" + s->text); break;
    default:
      for_each_leaf(s, [&](const StmtPtr& x) {
        if (!x->label.empty()) keys.push_back(member_key(x->label));
      });
      if (is_container(*s) && !s->label.empty()) keys.push_back(member_key(s->label));
  }
  return keys;
}

std::uint32_t Store::owner(const std::string& key) const {
  auto it = owner_.find(key);
  return it == owner_.end() ? none : it->second;
}

std::vector<std::uint32_t> Store::mentioning(Name root) const {
  std::vector<std::uint32_t> found;
  auto it = mentions_.find(root);
  if (it == mentions_.end()) return found;
  for (std::uint32_t id : it->second)
    if (position_[id] != none && mentions_root(statement(id), root)) found.push_back(id);
  std::sort(found.begin(), found.end(), [&](std::uint32_t a, std::uint32_t b) { return position_[a] < position_[b]; });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<std::string> Store::keys(char kind) const {
  std::vector<std::string> list;
  for (const auto& [key, id] : owner_)
    if (key[0] == kind) list.push_back(key.substr(1));
  std::sort(list.begin(), list.end());
  return list;
}

Op Store::append(StmtPtr s) { return insert(static_cast<std::uint32_t>(statements_.size()), std::move(s)); }

Op Store::insert(std::uint32_t position, StmtPtr s) {
  Op op{nullptr, std::move(s), position, static_cast<std::uint32_t>(position_.size())};
  position_.push_back(none);
  apply(op);
  return op;
}

Op Store::erase(std::uint32_t id) {
  Op op{statement(id), nullptr, position_[id], id};
  apply(op);
  return op;
}

Op Store::replace(std::uint32_t id, StmtPtr s) {
  Op op{statement(id), std::move(s), position_[id], id};
  apply(op);
  return op;
}

void Store::apply(const Op& op) {
  if (op.before) take(op);
  if (op.after) put(op);
}

void Store::revert(const Op& op) { apply({op.after, op.before, op.position, op.id}); }

void Store::put(const Op& op) {
  if (op.before) {
    statements_[op.position] = op.after;
  } else {
    statements_.insert(statements_.begin() + op.position, op.after);
    ids_.insert(ids_.begin() + op.position, op.id);
    renumber(op.position);
  }
  index(op.after, op.id);
}

void Store::take(const Op& op) {
  unindex(op.before, op.id);
  if (op.after) return;  // replaced in place
  statements_.erase(statements_.begin() + op.position);
  ids_.erase(ids_.begin() + op.position);
  position_[op.id] = none;
  renumber(op.position);
}

void Store::renumber(std::size_t from) {
  for (std::size_t i = from; i < ids_.size(); ++i) position_[ids_[i]] = static_cast<std::uint32_t>(i);
}

void Store::index(const StmtPtr& s, std::uint32_t id) {
  for (std::string& key : keys_of(s)) owner_[std::move(key)] = id;
  std::vector<Name> roots;
  roots_of(s, roots);
  for (Name r : roots) {
    auto& list = mentions_[r];
    if (list.empty() || list.back() != id) list.push_back(id);
  }
}

void Store::unindex(const StmtPtr& s, std::uint32_t id) {
  for (const std::string& key : keys_of(s)) {
    auto it = owner_.find(key);
    if (it != owner_.end() && it->second == id) owner_.erase(it);
  }
}

}  // namespace kron::edit
