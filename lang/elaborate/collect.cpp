// Collecting: the members, modifications and statements of a class and of its bases.
#include <algorithm>
#include <functional>
#include <map>

#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/text.hpp"
#include "lang/syntax/printer.hpp"

namespace kron::elaborate {
using syntax::Declared;
using syntax::Prefix;
using syntax::Stmt;
using syntax::StmtKind;
using syntax::StmtPtr;

ClassBuilder::ClassBuilder(Context& c, const Definition& d, Environment env)
    : c_(c), definition_(d), env_(std::move(env)), depth_(env_.parent != nullptr ? env_.parent->depth_ + 1 : c.depth), out_(std::make_shared<Elaboration>()) {
  out_->definition = &d;
  out_->view = &b_;
}
ClassBuilder::~ClassBuilder() = default;

void ClassBuilder::collect() {
  if (stage_ != Stage::made) return;
  stage_ = Stage::collected;
  std::vector<const Definition*> path;
  add_layer(definition_, assignments(), path, definition_.statement->span);
  note_labels();
  find_outer_uses();
}

// The workspace's `R1.R := 200`, last one first: modifications that win over all others.
Items ClassBuilder::assignments() {
  Items items;
  if (!is_top()) return items;
  const auto& body = definition_.statement->body;
  for (auto it = body.rbegin(); it != body.rend(); ++it) {
    const Stmt& s = **it;
    if (s.kind != StmtKind::assign) continue;
    syntax::Modification m;
    m.path = s.refs[0]->path;
    m.value = s.rhs;
    m.span = s.span;
    made_.push_back(std::move(m));
    items.push_back({&made_.back(), 0, this, 0, 0, false, true});
  }
  return items;
}

// Bases first, so that their members come first; returns the layer's number.
std::uint32_t ClassBuilder::add_layer(const Definition& d, const Items& items, std::vector<const Definition*>& path, Span asked) {
  if (std::find(path.begin(), path.end(), &d) != path.end()) {
    auto& e = c_.report.error("E0208", asked, "`" + d.name.str() + "` extends itself");
    for (const Definition* p : path) e.notes.push_back({p->statement->span, "through `" + p->name.str() + "`"});
    throw Failed{};
  }
  for (std::uint32_t i = 0; i < layers_.size(); ++i)
    if (layers_[i].definition == &d) {  // a base that two bases share: its parts are there once, and both modify them
      for (Member& m : members_)
        if (layers_[i].sees >> std::min(m.layer, 63u) & 1) add_items(m, items);
      return i;
    }
  path.push_back(&d);
  const auto layer = static_cast<std::uint32_t>(layers_.size());
  layers_.push_back({&d, d.file, std::uint64_t{1} << std::min(layer, 63u)});
  add_bases(d.statement->bases, layer, items, path);
  for (const StmtPtr& s : d.statement->body)
    if (s->kind == StmtKind::extends) add_bases(s->bases, layer, items, path);
  add_body(d.statement->body, layer, items);
  path.pop_back();
  return layer;
}

void ClassBuilder::add_bases(const std::vector<syntax::Base>& bases, std::uint32_t layer, const Items& items,
                             std::vector<const Definition*>& path) {
  for (const syntax::Base& base : bases) {
    const Definition& d = find_class(base.path, layer, base.span);
    Items all = items;
    check_twice(base.mods);
    for (const auto& m : base.mods) all.push_back({&m, 0, this, layer, 0, false, false});
    const std::uint32_t below = add_layer(d, all, path, base.span);
    layers_[layer].sees |= layers_[below].sees;
    check_used(base.mods, below, d);
  }
}

// Every modification of an extends clause must find its member.
void ClassBuilder::check_used(const std::vector<syntax::Modification>& mods, std::uint32_t below, const Definition& d) {
  for (const auto& m : mods) {
    if (find(m.path[0].name, below)) continue;
    std::vector<std::string> candidates;
    for (const Member& x : members_)
      if (layers_[below].sees >> std::min(x.layer, 63u) & 1) candidates.push_back(x.declared->name.str());
    auto& e = c_.report.error("E0214", m.span, "`" + d.name.str() + "` has no `" + m.path[0].name.str() + "` to modify");
    e.help = suggestion(m.path[0].name.str(), candidates);
  }
}

// What one list gives a value twice: only the last would count.
void ClassBuilder::check_twice(const std::vector<syntax::Modification>& mods) {
  if (mods.empty() || (mods.size() == 1 && mods[0].nested.empty())) return;
  std::map<std::string, Span> given;
  const std::function<void(const std::vector<syntax::Modification>&, const std::string&)> read = [&](const auto& list, const std::string& before) {
    for (const syntax::Modification& m : list) {
      const std::string path = before + syntax::print(m.path);
      if (m.value || m.nested.empty() || !m.replacement.empty())
        if (const auto [first, is_new] = given.emplace(path, m.span); !is_new) {
          auto& e = c_.report.error("E0222", m.span, "`" + path + "` is given twice");
          e.notes.push_back({first->second, "the first time"});
        }
      read(m.nested, path + ".");
    }
  };
  read(mods, "");
}

void ClassBuilder::add_items(Member& m, const Items& items) {
  for (const Item& i : items)
    if (i.mod->path[i.offset].name == m.declared->name) m.items.push_back(i);
}

void ClassBuilder::add_body(const std::vector<StmtPtr>& body, std::uint32_t layer, const Items& items) {
  for (const StmtPtr& s : body) {
    switch (s->kind) {
      case StmtKind::declaration:
        for (const Declared& d : s->names) add_member(*s, d, layer, items);
        if (kept_ != nullptr && layer == 0 && !members_.empty() && members_.back().statement == s.get()) members_.back().own_text = &s;
        break;
      case StmtKind::class_: case StmtKind::function: case StmtKind::enumeration: case StmtKind::extends: case StmtKind::doc:
      case StmtKind::blank: case StmtKind::use: case StmtKind::command: case StmtKind::test: case StmtKind::experiment:
      case StmtKind::assign: break;
      default: statements_.emplace_back(&s, layer);
    }
  }
}

bool ClassBuilder::same_declaration(const Member& m, const Stmt& s, const Declared& d) const {
  if (m.declared == &d) return true;
  if (m.layer == layers_.size() - 1 || s.names.size() != 1 || m.statement->names.size() != 1) return false;
  return syntax::same(*m.statement, s);  // two bases that declare the same thing
}

void ClassBuilder::add_member(const Stmt& s, const Declared& d, std::uint32_t layer, const Items& items) {
  static const Name time_name("time"), pi_name("pi");
  if (d.name == time_name || d.name == pi_name) c_.report.error("E0255", d.span, "`" + d.name.str() + "` cannot be declared again: it is built in");
  if (const auto known = own(d.name)) {
    Member& other = members_[*known];
    if (same_declaration(other, s, d)) {
      add_items(other, items);
      return;
    }
    auto& e = c_.report.error("E0207", d.span, "`" + d.name.str() + "` is declared twice");
    e.notes.push_back({other.declared->span, "the first declaration"});
    return;
  }
  check_twice(s.mods);
  check_twice(d.attributes);
  Member m;
  m.statement = &s;
  m.declared = &d;
  m.layer = layer;
  m.is_outer = s.is_outer;
  m.is_component = s.prefix == Prefix::component;
  if (!items.empty()) add_items(m, items);
  const auto index = static_cast<std::uint32_t>(members_.size());
  members_.push_back(std::move(m));
  MemberInfo info;
  info.name = d.name;
  info.prefix = s.prefix;
  info.is_private = s.is_private;
  info.is_final = s.is_final;
  info.span = d.span;
  out_->index.emplace(d.name, index);
  out_->members.push_back(std::move(info));
}

// A member of the class or of a base, whatever layer it is in. The stand-ins of outer components come after these.
std::optional<std::uint32_t> ClassBuilder::own(Name n) const {
  const auto it = out_->index.find(n);
  if (it == out_->index.end() || it->second >= members_.size()) return std::nullopt;
  return it->second;
}

std::optional<std::uint32_t> ClassBuilder::find(Name n, std::uint32_t layer) const {
  const auto member = own(n);
  if (!member || layer >= layers_.size()) return member;
  const std::uint64_t bit = std::uint64_t{1} << std::min(members_[*member].layer, 63u);
  return layers_[layer].sees & bit ? member : std::nullopt;
}

std::vector<std::string> ClassBuilder::names() const {
  std::vector<std::string> list;
  for (const Member& m : members_) list.push_back(m.declared->name.str());
  return list;
}

const Definition& ClassBuilder::find_class(const std::vector<syntax::Part>& path, std::uint32_t layer, Span span) {
  const Layer& l = layers_[layer];
  const Lookup r = c_.look_up(*l.file, l.definition, path);
  return checked_class(c_, r, path, *l.file, span);
}

// ---- labels -----------------------------------------------------------------------------------------------------------------

namespace {

// Equations in order of text, those in loops and branches included.
template <class Visit>
void each_equation(const Stmt& s, const Visit& visit) {
  if (s.kind == StmtKind::equation) visit(s);
  for (const StmtPtr& inner : s.body) each_equation(*inner, visit);
  for (const auto& b : s.branches)
    for (const StmtPtr& inner : b.body) each_equation(*inner, visit);
}

}  // namespace

// Unlabelled equations are e1, e2, … in order of text; a name that something else has is passed over.
void ClassBuilder::note_labels() {
  std::vector<const Stmt*> equations;
  for (const auto& [s, layer] : statements_)
    if ((*s)->kind != StmtKind::connect) each_equation(**s, [&](const Stmt& e) { equations.push_back(&e); });
  if (equations.empty()) return;
  std::unordered_set<Name> taken;
  for (const Stmt* e : equations)
    if (!e->label.empty()) taken.insert(e->label);
  std::uint32_t next = 0;
  for (const Stmt* e : equations) {
    if (!e->label.empty()) {
      labels_[e] = e->label;
      if (own(e->label)) clashing_label(*e);
      continue;
    }
    Name n;
    do n = Name("e" + std::to_string(++next));
    while (taken.count(n) || own(n));
    labels_[e] = n;
  }
  if (taken.empty()) return;
  for (const auto& [s, layer] : statements_) check_labels(**s);
}

void ClassBuilder::clashing_label(const Stmt& e) {
  auto& d = c_.report.error("E0257", e.name_span.known() ? e.name_span : e.span, "`" + e.label.str() + "` is the name of something else in this model");
  d.notes.push_back({members_[*own(e.label)].declared->span, "it is declared here"});
}

// A label may stand twice only in different branches of an `if`: those inside one are left alone.
void ClassBuilder::check_labels(const Stmt& s) {
  if (s.kind == StmtKind::equation && !s.label.empty()) {
    auto [it, fresh] = label_names_.emplace(s.label, &s);
    if (fresh) return;
    auto& d = c_.report.error("E0257", s.name_span.known() ? s.name_span : s.span, "the label `" + s.label.str() + "` is there twice");
    d.notes.push_back({it->second->span, "the first one"});
  }
  for (const StmtPtr& inner : s.body) check_labels(*inner);
}

}  // namespace kron::elaborate
