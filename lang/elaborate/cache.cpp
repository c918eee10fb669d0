#include "lang/elaborate/cache.hpp"

#include <algorithm>

namespace kron::elaborate {

bool operator==(const Question& a, const Question& b) {
  if (a.kind != b.kind || a.path.size() != b.path.size()) return false;
  for (std::size_t i = 0; i < a.path.size(); ++i)
    if (a.path[i].name != b.path[i].name || a.path[i].element != b.path[i].element || a.path[i].count != b.path[i].count) return false;
  return true;
}

// A root holds while its text's names mean what they meant, and its components' roots hold. A failed class is tried again.
bool Cache::holds(Root& r, Libraries& libraries) {
  const std::uint64_t epoch = libraries.epoch();
  if (!r.holds || r.checked == epoch) return r.holds;
  r.checked = epoch;  // before the children: recursive classes meet themselves
  if (r.failed) return r.holds = false;
  for (const Dependency& d : r.dependencies) {
    std::vector<syntax::Part> path;
    for (Name n : d.path) path.push_back({n, {}});
    const Lookup now = libraries.look_up(*d.file, d.enclosing, path);
    if (now.definition != d.result && !(now.definition == nullptr && d.builtin)) return r.holds = false;
  }
  for (const auto& child : r.children)
    if (!holds(*child, libraries)) return r.holds = false;
  return true;
}

std::shared_ptr<Root> Cache::root(std::uint64_t key, Libraries& libraries) {
  auto& slot = roots_[key];
  if (slot && holds(*slot, libraries)) return slot;
  slot = std::make_shared<Root>();
  slot->checked = libraries.epoch();
  return slot;
}

std::vector<std::string> Elaboration::names() const {
  std::vector<std::string> list;
  for (const MemberInfo& m : members)
    if (!m.is_private && !m.is_shadow) list.push_back(m.name.str());
  return list;
}

std::shared_ptr<const RecordType> record_type(const Elaboration& e) {
  if (e.record) return e.record;
  auto r = std::make_shared<RecordType>();
  r->definition = e.definition;
  r->width = e.view->slots;
  for (const MemberInfo& m : e.members) {
    RecordField f;
    f.name = m.name;
    f.sizes = m.sizes;
    if (m.kind == MemberInfo::Kind::variable) {
      f.offset = m.first;
      f.type = m.type;
      f.enumeration = m.enumeration;
      f.dimension = m.dimension;
    } else if (m.kind == MemberInfo::Kind::component && m.total > 0) {
      f.offset = e.view->children[m.first].slot_base;
      f.record = record_type(*e.types[m.first]);
    } else {
      continue;
    }
    r->fields.push_back(std::move(f));
  }
  std::stable_sort(r->fields.begin(), r->fields.end(), [](const RecordField& a, const RecordField& b) { return a.offset < b.offset; });
  e.record = r;
  return r;
}

}  // namespace kron::elaborate
