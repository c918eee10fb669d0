#include "lang/elaborate/elaborate.hpp"

#include <algorithm>
#include <set>

#include "engine/base/hash.hpp"
#include "engine/base/waiting.hpp"
#include "lang/elaborate/builder.hpp"
#include "lang/elaborate/overdetermined.hpp"
#include "lang/elaborate/scoped.hpp"
#include "lang/syntax/parser.hpp"

namespace kron::elaborate {
using syntax::Stmt;
using syntax::StmtKind;
using syntax::StmtPtr;

struct Elaborator::Data {
  explicit Data(Settings s) : context(std::move(s.library_path)) {
    definition.kind = DefinitionKind::class_;
    definition.file = &context.libraries.workspace_file();
  }
  Context context;
  std::string folder;
  Definition definition;  // the workspace as a class; one for all, since kept classes know it by address
  std::shared_ptr<Stmt> workspace_class;  // its text; null: none yet
  std::unique_ptr<GraphAnswers> graph;
  KeptStatements kept;
  std::unique_ptr<ClassBuilder> top;

  void forget() {  // what is known by the address of its class
    context.cache.clear();
    kept = {};
  }
  std::shared_ptr<Elaboration> build(const std::vector<StmtPtr>& statements);
  void experiment(const std::vector<StmtPtr>&, Elaborated&, Sink&);
  void gather(Elaborated&, Sink&);
};

Elaborator::Elaborator(Settings s) : data_(std::make_unique<Data>(std::move(s))) {}
Elaborator::~Elaborator() = default;
Elaborator::Elaborator(Elaborator&&) noexcept = default;
Elaborator& Elaborator::operator=(Elaborator&&) noexcept = default;

namespace {

bool before(const Diagnostic& a, const Diagnostic& b) {
  if (a.span.known() != b.span.known()) return a.span.known();
  return std::pair(a.span.source.value, a.span.begin) < std::pair(b.span.source.value, b.span.begin);
}

std::uint64_t identity(const Diagnostic& d) {
  return combine(combine(hash_text(d.code), hash_text(d.message)), (std::uint64_t{d.span.source.value} << 32) | d.span.begin);
}

}  // namespace

// The workspace's class; a second time where loops of over-determined connectors are to be broken. Where that was so before it begins with
// the answers of then: if they are what the graph says once more, and the graph does not depend on them, the first time is the last.
std::shared_ptr<Elaboration> Elaborator::Data::build(const std::vector<StmtPtr>& statements) {
  top.reset();
  if (graph && !graph->broken.empty()) graph.reset();
  if (!workspace_class) workspace_class = std::make_shared<Stmt>();
  workspace_class->kind = StmtKind::class_;
  replace_changed(workspace_class->body, statements);
  workspace_class->span = statements.empty() ? Span{} : statements.front()->span;
  definition.statement = workspace_class;
  enum class Pass { tentative, first, last } pass = graph ? Pass::tentative : Pass::first;
  for (;;) {
    top = std::make_unique<ClassBuilder>(context, definition, Environment{});
    top->set_graph(graph.get());
    top->set_kept(&kept);
    std::shared_ptr<Elaboration> e = top->build();
    const bool connected = e->has_graph || !e->graph.empty();
    if (pass == Pass::last) return e;
    const bool finds = !e->failed && connected && (pass == Pass::first || (!e->graph_varies && e->graph.asked.empty()));
    auto answers = finds ? graph_answers(*e) : nullptr;
    if (pass == Pass::first && !answers) return e;
    if (answers && graph && same(*answers, *graph)) return e;
    pass = answers ? Pass::last : Pass::first;
    context.taken.clear();
    graph = std::move(answers);
    top.reset();
    context.libraries.next_epoch();
  }
}

Elaborated Elaborator::elaborate(const std::vector<StmtPtr>& statements, const std::string& folder) {
  Data& d = *data_;
  Context& c = d.context;
  Elaborated result;
  d.folder = folder;
  d.top.reset();
  c.taken.clear();
  c.elaborated = c.reused = 0;
  c.depth = c.calls = 0;
  c.constants.clear();
  c.stack.start();
  Sink sink;
  if (c.libraries.set_workspace(statements, folder, sink.list)) d.forget();
  c.pool_users = 0;
  c.empty_pool();
  c.literals.clear();
  c.report.sink = &sink;
  std::shared_ptr<Elaboration> top;
  try {
    top = d.build(statements);
  } catch (const Abandoned& a) {
    sink.list.add(a.error);
    d.forget();
    d.top.reset();
    d.graph.reset();
  } catch (const Unwanted&) {
    d.forget();
    d.top.reset();
    d.graph.reset();
    throw;
  }
  d.experiment(statements, result, sink);
  if (top) {
    sink.list.append(top->diagnostics);
  }
  d.gather(result, sink);
  if (top && !top->failed && !result.diagnostics.has_errors()) result.top = top->blueprint;
  result.classes_elaborated = c.elaborated;
  result.classes_reused = c.reused;
  return result;
}

// All messages: of the classes that take part, of the libraries, each once, in order of place.
void Elaborator::Data::gather(Elaborated& result, Sink& sink) {
  std::vector<Diagnostic> all(sink.list.list());
  for (const auto& t : context.taken)
    for (Diagnostic x : t.elaboration->diagnostics.list()) {
      if (x.severity == Severity::error) x.notes.insert(x.notes.end(), t.where.begin(), t.where.end());
      all.push_back(std::move(x));
    }
  for (const Library* l : context.libraries.in_use())
    for (const Diagnostic& x : l->diagnostics.list()) all.push_back(x);
  std::stable_sort(all.begin(), all.end(), before);
  std::set<std::uint64_t> seen;
  for (Diagnostic& x : all)
    if (seen.insert(identity(x)).second) result.diagnostics.add(std::move(x));
}

// ---- experiment -------------------------------------------------------------------------------------------------------------------

void Elaborator::Data::experiment(const std::vector<StmtPtr>& statements, Elaborated& out, Sink& sink) {
  context.report.sink = &sink;
  for (const StmtPtr& s : statements) {
    if (s->kind != StmtKind::experiment) continue;
    for (const auto& n : s->named) {
      const std::string& key = n.name.str();
      try {
        if (key == "method") {
          const bool word = n.value->kind == syntax::ExprKind::reference && n.value->path.size() == 1;
          out.experiment.method = word ? n.value->path[0].name.str() : n.value->text;
          out.experiment.method_place = n.value->span;
          continue;
        }
        std::optional<double>* target = key == "start" ? &out.experiment.start : key == "stop" ? &out.experiment.stop : key == "interval" ? &out.experiment.interval : key == "tolerance" ? &out.experiment.tolerance : nullptr;
        if (target == nullptr) context.report.fail("E0222", n.span, "`experiment` has no `" + key + "`", suggestion(key, {"start", "stop", "interval", "tolerance", "method"}));
        Home home{top.get(), 0, &context.libraries.workspace_file(), nullptr};
        Evaluator e(context, home, Mode::structural);
        const Known k = e.known(*n.value);
        std::string reason;
        const Dimension wanted = key == "tolerance" ? Dimension::one() : find_unit("s", reason)->dimension;
        if (k.numbers.size() != 1 || !k.shape.is_number()) context.report.fail("E0221", n.value->span, "`" + key + "` must be a number");
        if (clash(k.shape.dimension, wanted))
          context.report.fail("E0221", n.value->span, "`" + key + "` is in " + dimension_text(wanted) + ", and this is in " + dimension_text(k.shape.dimension));
        if (std::ranges::count(s->named, n.name, &syntax::NamedArgument::name) > 1) context.report.fail("E0222", n.span, "`experiment` is given `" + key + "` twice");
        const double value = to_double(k.numbers[0]);
        if ((key == "interval" || key == "tolerance") && !(value > 0)) context.report.fail("E0221", n.value->span, "`" + key + "` must be greater than 0");
        *target = value;
        const Experiment& x = out.experiment;
        if ((key == "start" || key == "stop") && x.start && x.stop && *x.stop < *x.start) context.report.fail("E0221", n.value->span, "`stop` must not be before `start`");
      } catch (const Failed&) {
      } catch (const Abandoned& a) {
        sink.list.add(a.error);
      }
    }
  }
}

bool Elaborator::files_changed() const { return data_->context.libraries.changed(); }
void Elaborator::read_files_again() { data_->context.libraries.read_again(); }
std::vector<std::string> Elaborator::files_read_again() const { return data_->context.libraries.read_anew(); }
void Elaborator::keep_old_files() { data_->context.libraries.keep_old(); }
void Elaborator::look_at_files_again() { data_->context.libraries.look_again(); }

// ---- quantities -------------------------------------------------------------------------------------------------------------------

std::optional<Quantity> Elaborator::quantity(const syntax::Expr& x, Diagnostics& out) {
  Data& d = *data_;
  if (!d.top || !d.top->ready()) {
    out.error("E0201", x.span, "the model does not stand: mend its errors first");
    return std::nullopt;
  }
  Sink sink;
  ScopedValue<Sink*> report(d.context.report.sink, &sink);
  std::optional<Quantity> q;
  try {
    d.context.stack.start();
    d.context.work = 0;
    d.context.pool_users = 0;
    d.context.empty_pool();
    d.context.literals.clear();  // by address: the statements of before may be gone
    Evaluator e(d.context, d.top->home(0), Mode::normal);
    e.of_result = true;
    const Value v = e.value(x);
    if (v.texts) d.context.report.fail("E0221", x.span, "this is a String, not a quantity");
    q = Quantity{};
    q->sizes.assign(v.sizes.begin(), v.sizes.end());
    if (v.record) q->sizes.push_back(v.record->width);
    for (NodeId n : v.nodes) q->elements.push_back(model::forms().intern(d.context.pool, n));
    q->unit = dimension_text(v.dimension);
    if (!v.record) q->type = v.type;
    if (v.enumeration) q->enumeration = v.enumeration->name, q->literals = v.enumeration->literals;
  } catch (const Failed&) {
  } catch (const Abandoned& a) {
    sink.list.add(a.error);
  }
  out.append(sink.list);
  return q;
}

// ---- lists ------------------------------------------------------------------------------------------------------------------------

namespace {

const char* class_kind(const Definition& d) {
  if (d.kind == DefinitionKind::function) return "function";
  if (d.kind == DefinitionKind::enumeration) return "enumeration";
  if (d.kind == DefinitionKind::constant) return "constant";
  switch (d.statement->class_kind) {
    case syntax::ClassKind::connector: return "connector";
    case syntax::ClassKind::record: return "record";
    default: return "model";
  }
}

void add_entries(const Library& l, std::vector<ClassEntry>& out) {
  for (const auto& [name, d] : l.definitions) {
    if (d->kind == DefinitionKind::constant && l.is_workspace) continue;
    out.push_back({full_name(*d), class_kind(*d), d->statement->doc, d->statement, l.is_workspace});
  }
}

void sort_entries(std::vector<ClassEntry>& list) {
  std::sort(list.begin(), list.end(), [](const ClassEntry& a, const ClassEntry& b) { return std::pair(!a.in_workspace, a.name) < std::pair(!b.in_workspace, b.name); });
}

Library* named_library(Libraries& libraries, const std::string& name, const std::string& folder, Diagnostics& out) {
  Library* l = libraries.find(name, folder, {}, out);
  if (l != nullptr) out.append(l->diagnostics);
  return l;
}

}  // namespace

std::vector<ClassEntry> Elaborator::classes() {
  std::vector<ClassEntry> list;
  Libraries& l = data_->context.libraries;
  add_entries(l.workspace(), list);
  std::set<const Library*> seen;
  for (const Use& u : l.workspace_file().uses)
    if (seen.insert(u.library).second) add_entries(*u.library, list);
  sort_entries(list);
  return list;
}

std::vector<ClassEntry> Elaborator::library(const std::string& name, Diagnostics& out) {
  std::vector<ClassEntry> list;
  if (Library* l = named_library(data_->context.libraries, name, data_->folder, out)) add_entries(*l, list);
  sort_entries(list);
  return list;
}

std::vector<StmtPtr> Elaborator::tests(const std::string& name, Diagnostics& out) {
  std::vector<StmtPtr> list;
  Library* l = named_library(data_->context.libraries, name, data_->folder, out);
  if (l == nullptr) return list;
  for (const auto& file : l->files)
    for (const StmtPtr& s : file->statements) {
      if (s->kind != StmtKind::test) continue;
      auto use = std::make_shared<Stmt>();
      use->kind = StmtKind::use;
      use->text = l->path;
      use->is_file = true;  // without a place: the test does not use the file, it stands in it
      auto test = std::make_shared<Stmt>(*s);
      test->body.insert(test->body.begin(), use);
      for (const StmtPtr& u : file->statements)  // what the library itself uses, its tests may name too
        if (u->kind == StmtKind::use) test->body.insert(test->body.begin(), u);
      list.push_back(std::move(test));
    }
  return list;
}

namespace {

const Definition* class_named(Libraries& l, const std::string& name) {
  std::vector<syntax::Part> path;
  std::string word;
  for (char ch : name + ".") {
    if (ch != '.') {
      word += ch;
      continue;
    }
    if (word.empty()) return nullptr;
    path.push_back({Name(word), {}});
    word.clear();
  }
  const Definition* d = l.look_up(l.workspace_file(), nullptr, path).definition;
  return d != nullptr && d->kind == DefinitionKind::class_ ? d : nullptr;
}

void add_members(Libraries& l, const Definition& d, std::vector<std::string>& names, int depth = 0) {
  constexpr int deepest = 20;  // bases may go round in a circle
  if (depth > deepest) return;
  for (const StmtPtr& s : d.statement->body) {
    if (s->kind != StmtKind::declaration || s->is_private) continue;
    for (const syntax::Declared& n : s->names) names.push_back(n.name.str());
  }
  for (const syntax::Base& b : d.statement->bases)
    if (const Definition* base = l.look_up(*d.file, &d, b.path).definition) add_members(l, *base, names, depth + 1);
}

}  // namespace

bool Elaborator::has_class(const std::string& name) { return class_named(data_->context.libraries, name) != nullptr; }

std::vector<std::string> Elaborator::members(const std::string& class_name) {
  std::vector<std::string> names;
  Libraries& l = data_->context.libraries;
  if (const Definition* d = class_named(l, class_name)) add_members(l, *d, names);
  return names;
}

std::vector<std::string> Elaborator::libraries() { return data_->context.libraries.names_of_libraries(data_->folder); }

}  // namespace kron::elaborate
