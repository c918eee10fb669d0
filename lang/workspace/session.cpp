#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/session/loop_flows.hpp"
#include "lang/elaborate/shaping.hpp"
#include "lang/syntax/parser.hpp"
#include "lang/workspace/session_data.hpp"

namespace kron {

using syntax::StmtKind;
using syntax::StmtPtr;

Session::Session(elaborate::Settings settings) : data_(std::make_unique<Data>(settings)) {
  // The installed one, by the name under which its files are found: another place to look in may be the same folder.
  for (const std::string& folder : settings.library_path) {
    std::error_code none;
    if (data_->options.library.empty() && std::filesystem::equivalent(folder, settings.library_path.back(), none)) data_->options.library = folder;
  }
}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

Workspace& Session::workspace() { return data_->workspace; }
elaborate::Elaborator& Session::elaborator() { return data_->elaborator; }
session::Options& Session::options() { return data_->options; }
Diagnostics& Session::diagnostics() { return data_->diagnostics; }
void Session::while_waiting(std::function<std::function<bool()>()> begin) { data_->waiting = std::move(begin); }
void Session::spent_parsing(double seconds) { data_->parsed_s += seconds; }

void Session::folder(std::string f) {
  data_->folder = std::move(f);
  data_->elaborated = data_->scope = Data::nothing;
}

// ---- edits --------------------------------------------------------------------------------------------------------------------------

bool Session::run_text(std::string_view text, std::string_view file) {
  const Stopwatch watch;
  const SourceId source = sources::add(std::string(file), std::string(text));
  syntax::Parsed parsed = syntax::parse(source);
  data_->parsed_s += watch.seconds();
  data_->report(parsed.diagnostics);
  if (parsed.diagnostics.has_errors()) return false;
  data_->workspace.reserve(parsed.statements);
  bool ok = true;
  for (const StmtPtr& s : parsed.statements)
    if (s->kind != StmtKind::command) ok &= queue(s);
  return settle() && ok;
}

bool Session::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf())) {
    data_->diagnostics.error("E0504", {}, "cannot read `" + path + "`");
    return false;
  }
  Diagnostics& all = data_->diagnostics;
  const std::size_t errors = all.error_count();
  const SourceId source = sources::add(path, text.str());
  syntax::Parsed parsed = syntax::parse(source);
  data_->report(parsed.diagnostics);
  if (all.error_count() > errors) return false;
  reset();
  const std::size_t slash = path.rfind('/');
  folder(slash == std::string::npos ? "" : path.substr(0, slash));
  data_->workspace.reserve(parsed.statements);
  bool ok = true;
  for (const StmtPtr& s : parsed.statements)
    if (s->kind != StmtKind::command) ok &= queue(s);
  return settle() && ok;
}

bool Session::apply(const StmtPtr& s) {
  const bool before = settle();
  return queue(s) && settle() && before;
}

namespace {

// A file that defines a name twice: the later one counts, which is seldom meant.
void warn_of_doubles(const Workspace& w, const syntax::Stmt& s, Diagnostics& diagnostics) {
  const bool defines = s.kind == StmtKind::class_ || s.kind == StmtKind::function || s.kind == StmtKind::enumeration;
  std::vector<std::pair<Name, Span>> names;
  if (defines) names.emplace_back(s.name, s.name_span.known() ? s.name_span : s.span);
  if (s.kind == StmtKind::declaration)
    for (const syntax::Declared& d : s.names) names.emplace_back(d.name, d.span);
  for (const auto& [name, span] : names) {
    const StmtPtr old = w.declaration(name, defines);
    if (!old || old->span.source != s.span.source) continue;
    auto& d = diagnostics.warning("W0501", span, "`" + name.str() + "` is defined twice in this file; this one counts");
    d.notes.push_back({old->span, "the earlier definition"});
  }
}

}  // namespace

// What replaces or deletes goes alone: an error in an older statement is then its own. What would take the place of a statement that nobody has looked
// at yet, as `k := 2` that of `k := nope`, goes after it.
bool Session::queue(const StmtPtr& s) {
  if (s->kind == StmtKind::blank) return true;
  const bool alone = data_->workspace.replaces(*s);
  StmtPtr same = data_->workspace.same_key(*s);
  const bool after = alone || (same && std::ranges::find(data_->queued, same) != data_->queued.end());
  const bool before = !after || settle();
  if (alone) warn_of_doubles(data_->workspace, *s, data_->diagnostics);
  data_->workspace.begin();
  if (after) same = data_->workspace.same_key(*s);  // those that failed have gone
  data_->replaced = {same, data_->workspace.revision(), data_->workspace.statements().size()};
  if (!data_->workspace.apply(s, data_->diagnostics)) return false;
  data_->queued.push_back(s);
  return (!alone || settle()) && before;
}

bool Session::settle() { return data_->settle(); }

void Session::take_new_files() {
  settle();
  data_->take_new_files();
}

bool Session::undo(std::string& what) {
  settle();
  return data_->workspace.undo(what);
}

bool Session::redo(std::string& what) {
  settle();
  return data_->workspace.redo(what);
}

void Session::reset() {
  settle();
  data_->workspace.clear();
  data_->told.clear();
  data_->run.reset();
  data_->analysis.reset();
  data_->analysed = data_->analysis_stands_for = Data::nothing;
  data_->assigned.clear();
  clear_overrides();
}

// ---- analysis -----------------------------------------------------------------------------------------------------------------------

bool Session::Data::elaborate_current() {
  settle();
  if (elaborated == workspace.revision() && top) return true;
  elaborate::Elaborated e = elaborate(workspace.statements(), workspace.revision());
  report(e.diagnostics);
  top = std::move(e.top);
  experiment = std::move(e.experiment);
  elaborated = workspace.revision();
  return top != nullptr;
}

void Session::Data::analyse(bool exact) {
  settle();
  const bool same_options = analysed_with.solve == options.solve && analysed_with.relaxation == options.relaxation &&
                            analysed_with.open_choice == options.open_choice && analysed_with.closed_with == options.closed_with;
  const bool keep = analysis && same_options && (!exact || assigned.empty());
  if (keep && analysis_stands_for == workspace.revision()) return;
  if (!elaborate_current()) {
    auto none = std::make_shared<session::Analysis>();
    if (!stopped) none->diagnostics.error("E0515", {}, "there is no model to work on: the workspace does not hold together");
    analysis = none;
    analysed = analysis_stands_for = nothing;
    return;
  }
  if (auto numbers = keep ? only_numbers() : std::nullopt; numbers && (!exact || numbers->empty())) {
    assigned = std::move(*numbers);
    analysis_stands_for = workspace.revision();
    find_override_slots();
    return take_times();
  }
  if (opened != workspace.revision()) options.open_choice.clear();
  if (closed != workspace.revision()) options.closed_with.reset();
  analysis = translate(options);
  analysed_with = options;
  analysed = analysis_stands_for = stopped ? nothing : workspace.revision();
  assigned.clear();
  only_assigned = false;
  phases = analysis->phases;
  phases.parse += parsed_s;
  phases.elaborate += elaborated_s;
  parsed_s = elaborated_s = 0;
  find_override_slots();
  if (!analysis->complete && !stopped) analyse_closed();
}

std::shared_ptr<const session::Analysis> Session::Data::translate(const session::Options& with) {
  std::shared_ptr<const session::Analysis> made;
  wait_for([&] { made = engine.analyse(top, with); }, [&] {
    engine.forget();
    auto none = std::make_shared<session::Analysis>();
    none->diagnostics.error("E0405", {}, "stopped before the model was translated");
    made = std::move(none);
  });
  return made;
}

void Session::Data::find_override_slots() {
  override_slots.clear();
  for (const auto& [path, value] : overrides)
    if (auto v = model::find(analysis->flat, path); v && adjustable(*analysis, v->value)) override_slots[v->value] = value;
}

bool Session::Data::analyse_closed() {
  const session::Overrides numbers = all_overrides();
  if (options.closed_with == numbers || !session::closes_loops(analysis->flat)) return false;
  session::Options other = options;
  other.closed_with = numbers;
  std::shared_ptr<const session::Analysis> again = translate(other);
  if (!again->complete) return false;
  analysis = std::move(again);
  analysed_with = options = std::move(other);
  closed = workspace.revision();
  return true;
}

const session::Analysis& Session::analysis() {
  data_->analyse();
  return *data_->analysis;
}

std::shared_ptr<const session::Analysis> Session::shared_analysis() {
  data_->analyse();
  return data_->analysis;
}

std::shared_ptr<const session::Analysis> Session::current_analysis() const { return data_->analysis; }

const elaborate::Experiment& Session::experiment() {
  settle();
  if (data_->scope != data_->workspace.revision()) data_->elaborate_current();
  return data_->experiment;
}

std::shared_ptr<const model::Blueprint> Session::blueprint() {
  return data_->elaborate_current() ? data_->top : nullptr;
}

const session::Phases& Session::phases() {
  data_->phases.jit = machine_code().seconds;
  return data_->phases;
}

code::NativeReport Session::machine_code() const {
  code::NativeReport sum;
  if (!data_->analysis) return sum;
  const session::Analysis& a = *data_->analysis;
  if (a.program) sum += code::native_report(*a.program);
  if (a.initial_program) sum += code::native_report(*a.initial_program);
  return sum;
}

const session::Reuse& Session::reuse() {
  const session::Analysis& a = analysis();
  const session::Reuse r = a.reuse ? a.reuse.get() : session::Reuse{};
  if (!data_->only_assigned) return data_->reuse = r;
  data_->reuse = {};
  data_->reuse.equations_total = r.equations_total;
  data_->reuse.blocks_reused = a.blocks.size();
  data_->reuse.code_reused = r.code_reused + r.code_rebuilt;
  return data_->reuse;
}

// ---- overrides ----------------------------------------------------------------------------------------------------------------------

std::map<std::uint32_t, double> Session::Data::all_overrides() const {
  std::map<std::uint32_t, double> all = assigned;
  for (const auto& [slot, value] : override_slots) all[slot] = value;
  return all;
}

namespace {

// `path := value` as a statement, or null.
StmtPtr assignment(const std::string& origin, const std::string& path, const std::string& value) {
  const syntax::Parsed parsed = syntax::parse(sources::add(origin, path + " := " + value));
  const bool fits = !parsed.diagnostics.has_errors() && parsed.statements.size() == 1 && parsed.statements[0]->kind == StmtKind::assign;
  return fits ? parsed.statements[0] : nullptr;
}

// A number as it is written where something of the declared type is wanted; another one as a number, of which the elaboration tells.
std::string literal_text(const model::Declaration& d, double value) {
  if (d.type == model::ValueType::boolean && (value == 0 || value == 1)) return value == 1 ? "true" : "false";
  if (d.type == model::ValueType::enumeration && value == std::floor(value) && value >= 1 && value <= static_cast<double>(d.literals.size()))
    return d.enumeration.str() + "." + d.literals[static_cast<std::size_t>(value) - 1].str();
  return to_text(value);
}
}  // namespace

bool Session::set_parameter(const std::string& path, double value, const std::string& origin) {
  data_->analyse();
  const session::Analysis& a = *data_->analysis;
  auto same_target = [&](const StmtPtr& s) { return reference_text(*s->refs.front()) == path; };
  const auto v = a.flat.top ? model::find_modifiable(a.flat, path) : std::nullopt;
  const bool scalar = v && (path.ends_with(']') || model::declaration(a.flat, *v).sizes.empty());
  const bool is_number = scalar && adjustable(a, v->value) && !elaborate::is_shaping(a.flat.flags[v->value], value);
  if (is_number && std::none_of(data_->override_statements.begin(), data_->override_statements.end(), same_target)) {
    data_->overrides[path] = value;
    data_->override_slots[v->value] = value;
    return true;
  }
  // What the flat model does not have, as it is in a component of a class that folds it, may be a Boolean all the same.
  std::vector<std::string> texts{v ? literal_text(model::declaration(a.flat, *v), value) : to_text(value)};
  if (!v && (value == 0 || value == 1)) texts.emplace_back(value == 1 ? "true" : "false");
  const std::vector<StmtPtr> saved = data_->override_statements;
  elaborate::Elaborated e;
  Diagnostics first;
  for (const std::string& text : texts) {
    const StmtPtr statement = assignment(origin, path, text);
    if (!statement) {
      data_->diagnostics.error("E0519", {}, v ? "no statement can set `" + path + "`: it begins with a word of the language" : "`" + path + "` is no name of a parameter");
      return false;
    }
    std::erase_if(data_->override_statements, same_target);
    data_->override_statements.push_back(statement);
    e = data_->elaborate(data_->workspace.statements(), data_->workspace.revision());
    if (e.top) break;
    data_->override_statements = saved;
    if (!first.has_errors()) first = std::move(e.diagnostics);
  }
  if (!e.top) {
    data_->elaborated = data_->scope = Data::nothing;
    data_->report(first);
    return false;
  }
  data_->overrides[path] = value;
  data_->top = std::move(e.top);
  data_->analysed = data_->analysis_stands_for = data_->closed = Data::nothing;
  return true;
}

const std::map<std::string, double>& Session::overrides() const { return data_->overrides; }

void Session::restore_overrides(const std::map<std::string, double>& wanted) {
  const std::map<std::string, double> copy = wanted;
  clear_overrides();
  for (const auto& [path, value] : copy) set_parameter(path, value);
}

std::map<std::uint32_t, double> Session::number_overrides() { return data_->all_overrides(); }

void Session::clear_overrides() {
  data_->overrides.clear();
  data_->override_slots.clear();
  if (data_->override_statements.empty()) return;
  data_->override_statements.clear();
  data_->elaborated = data_->scope = data_->analysed = data_->analysis_stands_for = data_->closed = Data::nothing;
}

}  // namespace kron
