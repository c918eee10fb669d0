#include "lang/elaborate/context.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "engine/base/hash.hpp"
#include "engine/base/waiting.hpp"
#include "lang/elaborate/text.hpp"
#include "lang/syntax/printer.hpp"

namespace kron::elaborate {

Diagnostic& Report::add(Severity severity, const char* code, Span span, std::string message) {
  if (severity == Severity::error) sink->failed = true;
  std::uint64_t h = combine(hash_text(code), hash_text(message));
  h = combine(h, (std::uint64_t{span.source.value} << 32) | span.begin);
  if (!sink->seen.insert(h).second) return repeated_ = Diagnostic{};
  Diagnostic d;
  d.severity = severity;
  d.code = code;
  d.span = span;
  d.message = std::move(message);
  sink->list.add(std::move(d));
  return const_cast<Diagnostic&>(sink->list.list().back());
}

Diagnostic& Report::error(const char* code, Span s, std::string m) { return add(Severity::error, code, s, std::move(m)); }
Diagnostic& Report::warning(const char* code, Span s, std::string m) { return add(Severity::warning, code, s, std::move(m)); }
Diagnostic& Report::note(const char* code, Span s, std::string m) { return add(Severity::note, code, s, std::move(m)); }

void Report::fail(const char* code, Span span, std::string message, std::string help) {
  error(code, span, std::move(message)).help = std::move(help);
  throw Failed{};
}

bool Report::first(const char* code, Span span) {
  const std::uint64_t h = combine(combine(hash_text(code), span.source.value), (std::uint64_t{span.begin} << 32) | span.end);
  return sink->seen.insert(h).second;
}

namespace {
std::uintptr_t stack_position() { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }
}  // namespace

// Half of what a thread has by default.
void StackBudget::start() {
  constexpr std::size_t least = std::size_t{1} << 20, most = std::size_t{1} << 26;
  from_ = stack_position();
  rlimit limit{};
  const bool bounded = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  bytes_ = bounded ? std::min<std::size_t>(limit.rlim_cur / 2, most) : least;
}

bool StackBudget::spent() const { return from_ - std::min(from_, stack_position()) > bytes_; }  // it grows downwards

void Context::spend(std::uint64_t cost, Span span) {
  still_wanted();
  work += cost;
  if (work > most_work) report.fail("E0227", span, "this takes too long to work out: loops or calls of functions inside each other run too often");
}

NodeId Context::unknown() { return unknown(Origin{}); }

NodeId Context::unknown(const Origin& o) {
  if (!unknowns) return pool.operand(model::Operand::time());
  constexpr std::uint32_t most = 1u << 20;  // then they repeat
  const std::uint32_t number = *unknowns % most;
  if (number >= origins.size()) origins.resize(number + std::size_t{1});
  origins[number] = (*unknowns)++ < most ? o : Origin{};
  return pool.operand(model::Operand::value(model::SlotId{number}));
}

Context::Origin Context::origin_of(NodeId n) const {
  if (pool[n].op != model::ExprOp::operand) return {};
  const model::Operand o = pool.operand_of(n);
  return o.kind() == model::OperandKind::value && o.index() < origins.size() ? origins[o.index()] : Origin{};
}

Lookup Context::look_up(const File& file, const Definition* enclosing, const std::vector<syntax::Part>& path) {
  Lookup r = libraries.look_up(file, enclosing, path);
  static const Name state_name("State");
  const bool builtin = r.definition == nullptr && r.candidates.empty() && path[0].name == state_name && path.size() == 1;
  if (builtin) r.definition = &state_enumeration();
  if (dependencies != nullptr && file.library->is_workspace) {
    Dependency d{&file, enclosing, {}, r.definition, builtin};
    for (const auto& p : path) d.path.push_back(p.name);
    dependencies->push_back(std::move(d));
  }
  return r;
}

void Context::empty_pool() {
  pool.clear();
  ++pool_made;
}

void Context::tidy() {
  if (pool_users == 0 && crowded()) empty_pool();
}

const Context::Literal& Context::literal(const syntax::Expr& e) {
  Literal& l = literals[&e];
  if (l.made == 0) {
    l.type = denominator(e.number) == 1 ? ValueType::integer : ValueType::real;
    l.integer = small_integer(e.number);
  }
  if (l.made != pool_made) {
    l.node = pool.literal(e.number);
    l.made = pool_made;
  }
  return l;
}

std::string quoted(const std::string& name) { return "`" + name + "`"; }
std::string quoted(const std::vector<syntax::Part>& path) { return "`" + syntax::print(path) + "`"; }

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string best = closest(word, candidates);
  return best.empty() ? "" : "did you mean `" + best + "`?";
}

// ---- text.hpp ----------------------------------------------------------------------------------------------------------------

namespace {

[[noreturn]] void unknown_class(Context& c, const Lookup& l, const std::vector<syntax::Part>& path, const File& file, Span span) {
  const std::string& name = path.back().name.str();
  if (file.use_failed) {  // said already
    c.report.sink->failed = true;
    throw Failed{};
  }
  if (l.library != nullptr)
    c.report.fail("E0206", span, "library `" + l.library->name.str() + "` has no `" + path[1].name.str() + "`", suggestion(name, l.library->names()));
  std::string help;
  if (path.size() == 1) {
    std::string reason;
    const bool type = name == "Real" || name == "Integer" || name == "Boolean" || name == "String";
    if (type) help = "a quantity is declared with `variable` or `parameter`: `variable x : " + name + "`";
    if (help.empty()) {
      const auto libraries = c.libraries.libraries_with(path[0].name);
      if (!libraries.empty()) help = "library `" + libraries[0] + "` has one: add `use " + libraries[0] + "`";
    }
    if (help.empty()) help = suggestion(name, c.libraries.visible(file, DefinitionKind::class_));
    if (help.empty() && find_unit(name, reason) != nullptr) help = "a quantity with the unit `" + name + "` is declared with `variable x : " + name + "`";
    c.report.fail(type ? "E0251" : "E0202", span, "there is no class `" + name + "`", help);
  }
  c.report.fail("E0202", span, "there is no library or class `" + path[0].name.str() + "`");
}

}  // namespace

const Definition& checked_class(Context& c, const Lookup& l, const std::vector<syntax::Part>& path, const File& file, Span span) {
  if (l.definition == nullptr && l.candidates.size() > 1) {
    std::string list;
    for (const Definition* d : l.candidates) list += (list.empty() ? "`" : ", `") + full_name(*d) + "`";
    c.report.fail("E0204", span, quoted(path) + " may mean " + list, "write the full name, as in `" + full_name(*l.candidates[0]) + "`");
  }
  if (l.definition == nullptr) unknown_class(c, l, path, file, span);
  if (l.definition->kind != DefinitionKind::class_) c.report.fail("E0210", span, quoted(path) + " is " + kind_name(l.definition->kind) + ", not a class");
  return *l.definition;
}

std::vector<std::uint32_t> element_index(const Sizes& sizes, std::uint64_t index) {
  std::vector<std::uint32_t> list(sizes.size());
  for (std::size_t d = sizes.size(); d-- > 0;) {
    list[d] = static_cast<std::uint32_t>(index % sizes[d]) + 1;
    index /= sizes[d];
  }
  return list;
}

std::string element_text(const Sizes& sizes, std::uint64_t index) {
  if (sizes.empty()) return {};
  std::string t = "[";
  for (std::uint32_t i : element_index(sizes, index)) t += (t.size() > 1 ? "," : "") + std::to_string(i);
  return t + "]";
}

const Definition& state_enumeration() {
  static const Definition* const d = [] {
    auto* made = new Definition;  // lives as long as the program
    made->kind = DefinitionKind::enumeration;
    made->name = Name("State");
    made->enumeration.name = made->name;
    made->enumeration.literals = {Name("never"), Name("avoid"), Name("default"), Name("prefer"), Name("always")};
    return made;
  }();
  return *d;
}

}  // namespace kron::elaborate
