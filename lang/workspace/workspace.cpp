#include "lang/workspace/workspace.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "lang/syntax/printer.hpp"
#include "lang/workspace/edits.hpp"
#include "lang/workspace/walk.hpp"

namespace kron {

using syntax::StmtKind;
using syntax::StmtPtr;

struct Workspace::Data {
  struct Edit {
    edit::Change change;
    StmtPtr statement;  // null: described by `title`
    std::string title;
    std::size_t revision_before = 0, revision_after = 0;
  };
  struct Group {
    std::size_t past = 0, revision = 0;
    std::vector<Edit> future;
    edit::Labels labels;
  };

  edit::Store store;
  edit::Labels labels;
  edit::Reserved reserved;
  std::vector<Edit> past, future;
  std::optional<Group> group;
  std::size_t revision = 0, next_revision = 0;

  static std::string describe(const Edit& e) { return e.statement ? edit::first_line(*e.statement) : e.title; }
  void revert(const Edit& e) {
    for (auto op = e.change.ops.rbegin(); op != e.change.ops.rend(); ++op) store.revert(*op);
    revision = e.revision_before;
  }
  void done(edit::Change change, StmtPtr statement, std::string title = {}) {
    const std::size_t before = revision;
    revision = ++next_revision;
    past.push_back({std::move(change), std::move(statement), std::move(title), before, revision});
    if (group && group->future.empty()) group->future = std::move(future);
    future.clear();
  }
};

Workspace::Workspace() : data_(std::make_unique<Data>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

bool Workspace::apply(const StmtPtr& s, Diagnostics& diagnostics) {
  if (s->kind == StmtKind::blank || s->kind == StmtKind::command) return true;
  edit::Merge merge{data_->store, data_->labels, data_->reserved, diagnostics, {}};
  const edit::Labels labels = data_->labels;
  if (!merge.apply(s)) {
    for (auto op = merge.change.ops.rbegin(); op != merge.change.ops.rend(); ++op) data_->store.revert(*op);
    data_->labels = labels;
    return false;
  }
  data_->done(std::move(merge.change), s);
  return true;
}

void Workspace::reserve(const std::vector<StmtPtr>& statements) { data_->reserved = edit::declared_labels(statements); }

bool Workspace::undo(std::string& what) {
  if (data_->past.empty()) return false;
  data_->revert(data_->past.back());
  what = Data::describe(data_->past.back());
  data_->future.push_back(std::move(data_->past.back()));
  data_->past.pop_back();
  return true;
}

bool Workspace::redo(std::string& what) {
  if (data_->future.empty()) return false;
  Data::Edit e = std::move(data_->future.back());
  data_->future.pop_back();
  for (const edit::Op& op : e.change.ops) data_->store.apply(op);
  data_->revision = e.revision_after;
  what = Data::describe(e);
  data_->past.push_back(std::move(e));
  return true;
}

std::vector<Workspace::Step> Workspace::history() const {
  std::vector<Step> steps;
  for (const auto& e : data_->past) steps.push_back({Data::describe(e), false});
  for (auto e = data_->future.rbegin(); e != data_->future.rend(); ++e) steps.push_back({Data::describe(*e), true});
  return steps;
}

void Workspace::clear() {
  edit::Change change;
  for (std::size_t i = data_->store.statements().size(); i-- > 0;)
    change.ops.push_back(data_->store.erase(data_->store.id_at(i)));
  data_->labels.last = 0;
  data_->done(std::move(change), nullptr, ":reset");
}

std::size_t Workspace::steps() const { return data_->past.size(); }

void Workspace::fold(std::size_t from, std::string what) {
  if (from + 1 >= data_->past.size()) return;
  Data::Edit all;
  all.title = std::move(what);
  all.revision_before = data_->past[from].revision_before;
  all.revision_after = data_->past.back().revision_after;
  for (std::size_t i = from; i < data_->past.size(); ++i) {
    const edit::Change& c = data_->past[i].change;
    all.change.ops.insert(all.change.ops.end(), c.ops.begin(), c.ops.end());
  }
  data_->past.resize(from);
  data_->past.push_back(std::move(all));
}

const std::vector<StmtPtr>& Workspace::statements() const { return data_->store.statements(); }
std::size_t Workspace::revision() const { return data_->revision; }
std::size_t Workspace::pending() const { return data_->group ? data_->past.size() - data_->group->past : 0; }

void Workspace::begin() {
  if (!data_->group) data_->group = Data::Group{data_->past.size(), data_->revision, {}, data_->labels};
}

void Workspace::rollback() {
  if (!data_->group) return;
  Data::Group g = std::move(*data_->group);
  data_->group.reset();
  const bool changed = data_->past.size() > g.past;
  while (data_->past.size() > g.past) {
    data_->revert(data_->past.back());
    data_->past.pop_back();
  }
  if (changed) data_->future = std::move(g.future);
  data_->labels = std::move(g.labels);
}

void Workspace::commit() { data_->group.reset(); }

bool Workspace::drop(const std::vector<Span>& places, std::vector<std::string>& dropped) {
  const std::size_t first = data_->group ? data_->group->past : data_->past.size() - 1;
  if (data_->past.empty() || first >= data_->past.size()) return false;
  std::vector<Name> roots;
  for (std::size_t i = first; i < data_->past.size(); ++i)
    roots.insert(roots.end(), data_->past[i].change.replaced.begin(), data_->past[i].change.replaced.end());
  edit::Change change = edit::drop_misfits(data_->store, roots, places, dropped);
  auto& ops = data_->past.back().change.ops;
  ops.insert(ops.end(), change.ops.begin(), change.ops.end());
  if (change.ops.empty()) return false;
  data_->revision = data_->past.back().revision_after = ++data_->next_revision;
  return true;
}

bool Workspace::replaces(const syntax::Stmt& s) const {
  if (s.kind == StmtKind::delete_) return !s.is_connect;  // no statement needs a connection
  if (s.kind == StmtKind::assign || s.kind == StmtKind::use || s.kind == StmtKind::experiment || s.kind == StmtKind::test) return false;
  const StmtPtr alias(std::shared_ptr<const void>(), &s);
  for (const std::string& key : edit::keys_of(alias))
    if (data_->store.owner(key) != edit::Store::none) return true;
  return false;
}

StmtPtr Workspace::same_key(const syntax::Stmt& s) const {
  const std::vector<std::string> keys = edit::keys_of(StmtPtr(std::shared_ptr<const void>(), &s));
  const std::uint32_t id = keys.empty() ? edit::Store::none : data_->store.owner(keys.front());
  return id == edit::Store::none ? nullptr : data_->store.statement(id);
}

bool Workspace::has_name(Name n) const { return data_->store.owner(edit::member_key(n)) != edit::Store::none; }
bool Workspace::has_class(Name n) const { return data_->store.owner(edit::class_key(n)) != edit::Store::none; }

StmtPtr Workspace::declaration(Name n, bool of_class) const {
  const auto id = data_->store.owner(of_class ? edit::class_key(n) : edit::member_key(n));
  return id == edit::Store::none ? nullptr : data_->store.statement(id);
}

StmtPtr Workspace::declaration(Name n) const {
  const StmtPtr member = declaration(n, false);
  return member ? member : declaration(n, true);
}

// A label that automatic numbering gives again when the text is read is left out.
std::string Workspace::text() const {
  edit::Labels reader;
  std::unordered_set<std::string> taken;
  const edit::Reserved reserved = edit::declared_labels(statements());
  auto free = [&](Name n) { return !taken.contains(edit::member_key(n)) && !reserved.contains(*edit::automatic_number(n)); };
  std::vector<StmtPtr> out;
  out.reserve(statements().size());
  for (const StmtPtr& s : statements()) {
    out.push_back(edit::rewrite(s, [&](const StmtPtr& x) -> StmtPtr {
      if (x->kind != StmtKind::equation || x->label.empty()) return x;
      const auto number = edit::automatic_number(x->label);
      if (!number) return x;
      const Name predicted = reader.peek(free);
      reader.saw(x->label);
      if (predicted != x->label) return x;
      auto copy = std::make_shared<syntax::Stmt>(*x);
      copy->label = Name{};
      return copy;
    }));
    for (const std::string& key : edit::keys_of(s))
      if (key[0] == 'm') taken.insert(key);
  }
  return syntax::print(out);
}

std::string reference_text(const syntax::Expr& e) {
  std::string text = syntax::print(e);
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

}  // namespace kron
