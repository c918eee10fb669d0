#include "lang/elaborate/library.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "lang/syntax/parser.hpp"

namespace kron::elaborate {
namespace fs = std::filesystem;
using syntax::Stmt;
using syntax::StmtKind;
using syntax::StmtPtr;

namespace {

std::uint64_t stamp(const std::string& path) {
  std::error_code ec;
  const auto time = fs::last_write_time(path, ec);
  if (ec) return 0;
  const auto size = fs::file_size(path, ec);
  return static_cast<std::uint64_t>(time.time_since_epoch().count()) ^ (ec ? 0 : size * 0x9e3779b97f4a7c15ull);
}

std::shared_ptr<Definition> make(DefinitionKind kind, Name name, const StmtPtr& s, const File& file, const Definition* enclosing) {
  auto d = std::make_shared<Definition>();
  d->kind = kind;
  d->name = name;
  d->statement = s;
  d->file = &file;
  d->enclosing = enclosing;
  d->enumeration.name = name;
  d->enumeration.literals = s->literals;
  return d;
}

// What a statement defines: nothing for most, several constants for `constant a = 1, b = 2`.
std::vector<std::shared_ptr<Definition>> definitions_of(const StmtPtr& s, const File& file, const Definition* enclosing) {
  std::vector<std::shared_ptr<Definition>> list;
  switch (s->kind) {
    case StmtKind::class_: {
      auto d = make(DefinitionKind::class_, s->name, s, file, enclosing);
      for (const StmtPtr& inner : s->body)
        if (inner->kind != StmtKind::declaration)  // a class's constants are members, not definitions
          for (auto& n : definitions_of(inner, file, d.get())) d->nested[n->name] = n;
      list.push_back(d);
      break;
    }
    case StmtKind::function: list.push_back(make(DefinitionKind::function, s->name, s, file, enclosing)); break;
    case StmtKind::enumeration: list.push_back(make(DefinitionKind::enumeration, s->name, s, file, enclosing)); break;
    case StmtKind::declaration:
      if (s->prefix != syntax::Prefix::constant) break;
      for (const syntax::Declared& n : s->names) {
        list.push_back(make(DefinitionKind::constant, n.name, s, file, enclosing));
        list.back()->declared = &n;
      }
      break;
    default: break;
  }
  return list;
}

// Statements of a file that mean nothing when it is used as a library.
bool ignored_in_library(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::class_: case StmtKind::function: case StmtKind::enumeration: case StmtKind::use:
    case StmtKind::test: case StmtKind::doc: case StmtKind::blank: case StmtKind::command: case StmtKind::experiment: return false;
    case StmtKind::declaration: return s.prefix != syntax::Prefix::constant;
    default: return true;
  }
}

void add_definition(Library& l, const std::shared_ptr<Definition>& d) {
  auto [it, fresh] = l.definitions.emplace(d->name, d);
  if (fresh) return;
  if (!l.is_workspace) {
    auto& w = l.diagnostics.warning("W0203", d->statement->name_span.known() ? d->statement->name_span : d->statement->span,
                                    "`" + d->name.str() + "` is defined twice; the later definition is used");
    w.notes.push_back({it->second->statement->span, "it is defined here too"});
  }
  it->second = d;
}

void add_statements(Library& l, const File& file) {
  bool told = false;
  for (const StmtPtr& s : file.statements) {
    for (const auto& d : definitions_of(s, file, nullptr)) add_definition(l, d);
    if (told || !ignored_in_library(*s)) continue;
    told = true;
    auto& w = l.diagnostics.warning("W0204", s->span, "this is ignored when the file is used as a library");
    w.help = "a library holds classes, functions, constants and enumerations: put the rest into a model";
  }
}

void read_file(Library& l, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  auto file = std::make_unique<File>();
  file->library = &l;
  file->folder = fs::path(path).parent_path().string();
  file->source = sources::add(path, text.str());
  syntax::Parsed parsed = syntax::parse(file->source);
  l.diagnostics.append(parsed.diagnostics);
  file->statements = std::move(parsed.statements);
  l.stamps.emplace_back(path, stamp(path));
  l.files.push_back(std::move(file));
  add_statements(l, *l.files.back());
}

bool is_model_file(const fs::path& p) { return p.extension() == ".eq"; }
bool is_path(const std::string& s) { return s.find_first_of("/.") != std::string::npos; }

// The model files of a folder, in order of their names.
std::vector<std::string> model_files(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(folder, ec))
    if (is_model_file(entry.path()) && entry.is_regular_file(ec)) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

bool has_model_file(const fs::path& folder) {  // asked at every edit
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(folder, ec))
    if (is_model_file(entry.path()) && entry.is_regular_file(ec)) return true;
  return false;
}

// Why a file or folder is no library, or "".
std::string unfit(const fs::path& path) {
  std::error_code ec;
  if (fs::is_directory(path, ec)) return !has_model_file(path) ? "is a folder without `.eq` files" : "";
  if (!is_model_file(path)) return "is no `.eq` file";
  return std::ifstream(path, std::ios::binary) ? "" : "cannot be read";
}

// Whether a path means the file that a statement stands in, or the folder of its library.
bool is_own(const std::string& path, const Stmt& s, const File& file) {
  std::error_code ec;
  return fs::equivalent(path, sources::file(s.span.source), ec) || (!file.library->is_workspace && fs::equivalent(path, file.library->path, ec));
}

}  // namespace

std::vector<std::string> Library::names() const {
  std::vector<std::string> list;
  for (const auto& [n, d] : definitions) list.push_back(n.str());
  std::sort(list.begin(), list.end());
  return list;
}

Libraries::Libraries(std::vector<std::string> path) : path_(std::move(path)) {
  workspace_.is_workspace = true;
  workspace_.files.push_back(std::make_unique<File>());
  workspace_.files.front()->library = &workspace_;
}

// The file or folder that a library's name or path stands for, or "". A folder of the name that holds no models is passed over.
std::string Libraries::locate(const std::string& name, const std::string& folder) const {
  std::error_code ec;
  std::vector<std::string> folders{folder.empty() ? "." : folder};
  if (!is_path(name) || fs::path(name).is_relative()) {
    if (const std::string& script = workspace_.files.front()->folder; script != folder) folders.push_back(script.empty() ? "." : script);
    folders.insert(folders.end(), path_.begin(), path_.end());
  }
  for (const std::string& f : folders) {
    const fs::path base = fs::path(name).is_absolute() ? fs::path(name) : fs::path(f) / name;
    const fs::path file = is_path(name) ? base : fs::path(base.string() + ".eq");
    if (fs::is_regular_file(file, ec)) return file.lexically_normal().string();
    if (fs::is_directory(base, ec) && (is_path(name) || unfit(base).empty())) return base.lexically_normal().string();
  }
  return {};
}

Library* Libraries::read(const std::string& path) {
  std::error_code ec;
  auto& slot = by_path_[fs::weakly_canonical(path, ec).string()];
  if (slot) return slot.get();
  slot = std::make_unique<Library>();
  slot->path = path;
  slot->name = fs::path(path).stem().string();
  if (!fs::is_directory(path, ec)) {
    read_file(*slot, path);
    return slot.get();
  }
  for (const std::string& f : model_files(path)) read_file(*slot, f);
  slot->stamps.emplace_back(path, stamp(path));
  return slot.get();
}

Library* Libraries::find(const std::string& name, const std::string& folder) {
  const std::string path = locate(name, folder);
  return path.empty() || !unfit(path).empty() ? nullptr : found_.emplace_back(read(path));
}

Library* Libraries::find(const std::string& name, const std::string& folder, Span asked, Diagnostics& out) {
  const std::string path = locate(name, folder);
  if (path.empty()) {
    const std::string near = closest(name, names_of_libraries(folder));
    out.error("E0205", asked, "there is no library `" + name + "`").help =
        near.empty() ? "libraries are looked for in the script's folder, in KRON_PATH and in the installed standard library" : "did you mean `" + near + "`?";
    return nullptr;
  }
  if (const std::string reason = unfit(path); !reason.empty()) {
    out.error("E0262", asked, "`" + name + "` " + reason).help = "a library is a file `name.eq` or a folder of such files";
    return nullptr;
  }
  return found_.emplace_back(read(path));
}

namespace {
bool is_as_read(const Library& l) {
  return std::ranges::all_of(l.stamps, [](const auto& s) { return stamp(s.first) == s.second; });
}
}  // namespace

bool Libraries::changed() const {
  return std::ranges::any_of(by_path_, [](const auto& entry) { return !is_as_read(*entry.second); });
}

void Libraries::read_again() {
  swapped_.clear();
  for (auto& [key, l] : by_path_)
    if (!is_as_read(*l)) swapped_.emplace_back(key, l.get());
  for (const auto& [key, old] : swapped_) {
    replaced_.push_back(std::move(by_path_[key]));
    by_path_.erase(key);
  }
  forget_uses();
}

void Libraries::keep_old() {
  for (const auto& [key, old] : swapped_) {
    const auto kept = std::ranges::find(replaced_, old, [](const auto& l) { return l.get(); });
    std::unique_ptr<Library>& now = by_path_[key];
    std::swap(now, *kept);
    if (!*kept) replaced_.erase(kept);  // nobody asked for the new one
    for (auto& [path, written] : now->stamps) written = stamp(path);
    now->is_outdated = true;
  }
  swapped_.clear();
  forget_uses();
}

void Libraries::look_again() {
  for (auto& [key, l] : by_path_)
    if (std::exchange(l->is_outdated, false))
      for (auto& [path, written] : l->stamps) written = 0;
}

// They may point into versions that are no longer the ones to use.
void Libraries::forget_uses() {
  versions_changed_ = true;
  for (auto& [path, l] : by_path_)
    for (auto& f : l->files) f->uses_resolved = false;
  workspace_file().uses_resolved = false;
}

std::vector<std::string> Libraries::read_anew() const {
  std::vector<std::string> paths;
  for (const Library* l : in_use())
    if (std::ranges::any_of(swapped_, [&](const auto& s) { return s.second->path == l->path; })) paths.push_back(l->path);
  return paths;
}

std::vector<const Library*> Libraries::in_use() const {
  std::vector<const Library*> list;
  const auto add = [&](const Library* l) {
    if (std::ranges::find(list, l) == list.end()) list.push_back(l);
  };
  for (const Use& u : workspace_.files.front()->uses) add(u.library);
  for (const Library* l : found_) add(l);
  for (std::size_t k = 0; k < list.size(); ++k)
    for (const auto& f : list[k]->files)
      for (const Use& u : f->uses) add(u.library);
  return list;
}

void replace_changed(std::vector<StmtPtr>& list, const std::vector<StmtPtr>& wanted) {
  const std::size_t shorter = std::min(list.size(), wanted.size());
  std::size_t front = 0, behind = 0;
  while (front < shorter && list[front] == wanted[front]) ++front;
  while (behind < shorter - front && list[list.size() - 1 - behind] == wanted[wanted.size() - 1 - behind]) ++behind;
  const auto at = static_cast<std::ptrdiff_t>(front), end = static_cast<std::ptrdiff_t>(behind);
  list.erase(list.begin() + at, list.end() - end);
  list.insert(list.begin() + at, wanted.begin() + at, wanted.end() - end);
}

bool Libraries::set_workspace(const std::vector<StmtPtr>& statements, const std::string& folder, Diagnostics& out) {
  bool changed = std::exchange(versions_changed_, false);
  found_.clear();
  File& file = workspace_file();
  file.folder = folder;
  replace_changed(file.statements, statements);
  file.uses_resolved = false;
  workspace_.definitions.clear();
  memo_.clear();
  ++epoch_;
  std::unordered_map<const Stmt*, std::vector<std::shared_ptr<Definition>>> kept;
  for (const StmtPtr& s : statements) {
    if (s->kind != StmtKind::class_ && s->kind != StmtKind::function && s->kind != StmtKind::enumeration &&
        (s->kind != StmtKind::declaration || s->prefix != syntax::Prefix::constant))
      continue;
    auto it = kept_.find(s.get());
    auto& list = kept[s.get()];
    list = it != kept_.end() ? it->second : definitions_of(s, file, nullptr);
    for (const auto& d : list) add_definition(workspace_, d);
  }
  for (const auto& [s, list] : kept_)
    if (!kept.count(s)) retired_.insert(retired_.end(), list.begin(), list.end());
  kept_ = std::move(kept);
  constexpr std::size_t enough = 5000;
  if (retired_.size() > enough) {
    retired_.clear();
    changed = true;
  }
  resolve_uses(file, out);
  return changed;
}

void Libraries::resolve_uses(const File& file, Diagnostics& out) {
  if (file.uses_resolved) return;
  file.uses_resolved = true;
  file.use_failed = false;
  file.uses.clear();
  for (const StmtPtr& s : file.statements) {
    if (s->kind != StmtKind::use) continue;
    if (is_own(locate(s->text, file.folder), *s, file)) {
      out.warning("W0205", s->span, "this file uses itself").help = "leave this out: what the file defines is known in it anyway";
      continue;
    }
    Library* l = find(s->text, file.folder, s->span, out);
    if (l == nullptr) {
      file.use_failed = true;
      continue;
    }
    for (Name m : s->members)
      if (!l->definitions.count(m)) {
        auto& d = out.error("E0206", s->span, "library `" + l->name.str() + "` has no `" + m.str() + "`");
        if (std::string best = closest(m.str(), l->names()); !best.empty()) d.help = "did you mean `" + best + "`?";
      }
    file.uses.push_back({l, s->name.empty() ? l->name : s->name, s->members, s->span});
  }
}

namespace {
void add_candidate(Lookup& r, const Library& l, Name name) {
  auto it = l.definitions.find(name);
  if (it == l.definitions.end()) return;
  const Definition* d = it->second.get();
  if (std::find(r.candidates.begin(), r.candidates.end(), d) == r.candidates.end()) r.candidates.push_back(d);
}
}  // namespace

Lookup Libraries::look_up(const File& file, const Definition* enclosing, Name name) {
  for (; enclosing != nullptr; enclosing = enclosing->enclosing)
    if (auto it = enclosing->nested.find(name); it != enclosing->nested.end()) return {it->second.get(), {}, nullptr};
  const bool memo = file.library == &workspace_;
  if (memo)
    if (auto it = memo_.find(name); it != memo_.end()) return it->second;
  Lookup r;
  if (auto it = file.library->definitions.find(name); it != file.library->definitions.end()) {
    r.definition = it->second.get();
  } else {
    resolve_uses(file, file.library->diagnostics);
    for (const Use& u : file.uses)
      if (std::find(u.members.begin(), u.members.end(), name) != u.members.end()) add_candidate(r, *u.library, name);
    if (r.candidates.empty())
      for (const Use& u : file.uses)
        if (u.members.empty()) add_candidate(r, *u.library, name);
    if (r.candidates.size() == 1) r.definition = r.candidates.front();
  }
  if (memo) memo_.emplace(name, r);
  return r;
}

Lookup Libraries::look_up(const File& file, const Definition* enclosing, const std::vector<syntax::Part>& path) {
  if (path.size() == 1) return look_up(file, enclosing, path[0].name);
  Lookup r = look_up(file, enclosing, path[0].name);
  if (r.definition != nullptr) {  // a class in a class's body: Outer.Inner
    for (std::size_t i = 1; i < path.size() && r.definition != nullptr; ++i) {
      auto it = r.definition->nested.find(path[i].name);
      r.definition = it == r.definition->nested.end() ? nullptr : it->second.get();
    }
    return r;
  }
  resolve_uses(file, file.library->diagnostics);
  Library* l = nullptr;
  for (const Use& u : file.uses)
    if (u.alias == path[0].name) l = u.library;
  if (l == nullptr && file.library->name == path[0].name && !file.library->is_workspace) l = file.library;
  if (l == nullptr) l = find(path[0].name.str(), file.folder);
  if (l == nullptr) return r;
  r.library = l;
  auto it = l->definitions.find(path[1].name);
  r.definition = it == l->definitions.end() ? nullptr : it->second.get();
  for (std::size_t i = 2; i < path.size() && r.definition != nullptr; ++i) {
    auto inner = r.definition->nested.find(path[i].name);
    r.definition = inner == r.definition->nested.end() ? nullptr : inner->second.get();
  }
  return r;
}

std::vector<std::string> Libraries::visible(const File& file, DefinitionKind kind) {
  std::vector<std::string> list;
  auto add = [&](const Library& l) {
    for (const auto& [n, d] : l.definitions)
      if (d->kind == kind) list.push_back(n.str());
  };
  add(*file.library);
  for (const Use& u : file.uses) {
    if (u.members.empty()) add(*u.library);
    else for (Name m : u.members) list.push_back(m.str());
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

std::vector<std::string> Libraries::names_of_libraries(const std::string& folder) const {
  std::vector<std::string> folders = path_, names;
  folders.push_back(folder.empty() ? "." : folder);
  std::error_code ec;
  for (const std::string& f : folders)
    for (const auto& entry : fs::directory_iterator(f, ec))
      if (unfit(entry.path()).empty()) names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> Libraries::libraries_with(Name name) {
  std::vector<std::string> found;
  std::error_code ec;
  for (const std::string& f : path_)  // not the script's own folder: it may hold anything
    for (const auto& entry : fs::directory_iterator(f, ec)) {
      const bool is_library = entry.is_directory(ec) || entry.path().extension() == ".eq";
      if (!is_library || found.size() > 5) continue;
      const std::string stem = entry.path().stem().string();
      Library* l = read(entry.path().string());
      if (l != nullptr && l->definitions.count(name) && std::find(found.begin(), found.end(), stem) == found.end())
        found.push_back(stem);
    }
  std::sort(found.begin(), found.end());
  return found;
}

std::string full_name(const Definition& d) {
  if (d.enclosing != nullptr) return full_name(*d.enclosing) + "." + d.name.str();
  return d.file->library->is_workspace ? d.name.str() : d.file->library->name.str() + "." + d.name.str();
}

const char* kind_name(DefinitionKind k) {
  switch (k) {
    case DefinitionKind::class_: return "a class";
    case DefinitionKind::function: return "a function";
    case DefinitionKind::enumeration: return "an enumeration";
    case DefinitionKind::constant: return "a constant";
  }
  return "?";
}

}  // namespace kron::elaborate
