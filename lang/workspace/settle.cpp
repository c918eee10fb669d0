// Elaboration of queued edits: all at once, and where that fails, of those that are not to blame.
#include <algorithm>
#include <cctype>
#include <functional>
#include <unordered_map>
#include <utility>

#include "engine/base/hash.hpp"
#include "engine/session/values.hpp"
#include "lang/workspace/session_data.hpp"
#include "lang/workspace/walk.hpp"

namespace kron {

using elaborate::Elaborated;
using syntax::StmtKind;
using syntax::StmtPtr;

elaborate::Elaborated Session::Data::elaborate(const std::vector<StmtPtr>& statements, std::size_t revision) {
  const Stopwatch watch;
  scope = revision;
  Elaborated e;
  const auto work = [&] {
    if (override_statements.empty()) {
      e = elaborator.elaborate(statements, folder);
    } else {
      std::vector<StmtPtr> all = statements;
      all.insert(all.end(), override_statements.begin(), override_statements.end());
      e = elaborator.elaborate(all, folder);
    }
  };
  wait_for(work, [&] {
    scope = nothing;
    e.diagnostics.error("E0405", {}, "stopped before the model was read");
  });
  if (const auto& method = e.experiment.method; method && !simulate::method_named(*method)) {
    auto& d = e.diagnostics.error("E0222", e.experiment.method_place, "`" + *method + "` is no integration method");
    d.help = simulate::methods_help;
    e.top.reset();
  }
  elaborated_s += watch.seconds();
  return e;
}

void Session::Data::report(const Diagnostics& list) {
  for (const Diagnostic& d : list.list()) {
    if (d.severity != Severity::error) {
      std::uint64_t key = combine(hash_text(d.message), hash_text(d.code));
      key = combine(key, combine(d.span.source.value, d.span.begin));
      if (!told.insert(key).second) continue;
    }
    diagnostics.add(d);
  }
}

namespace {

bool holds(Span outer, Span inner) {
  return outer.known() && outer.source == inner.source && outer.begin <= inner.begin && inner.begin < std::max(outer.end, outer.begin + 1);
}

}  // namespace

// A replaced component keeps the connections that still fit: the others go, with a note.
bool Session::Data::drop_misfits(const Elaborated& e) {
  std::vector<Span> places;  // those in older statements
  for (const Diagnostic& d : e.diagnostics.list()) {
    const bool new_one = std::any_of(queued.begin(), queued.end(), [&](const StmtPtr& s) { return holds(s->span, d.span); });
    if (d.severity == Severity::error && !new_one) places.push_back(d.span);
  }
  if (places.empty()) return false;
  std::vector<std::string> dropped;
  if (!workspace.drop(places, dropped)) return false;
  for (const std::string& text : dropped) {
    diagnostics.note("N0501", queued.back()->span, text + " no longer fits and was taken out").help = "`:undo` brings both back";
  }
  return true;
}

// The queued statements that the errors lie in (by their place, else by the places of their notes).
std::vector<std::size_t> Session::Data::blame(const Diagnostics& list) {
  std::vector<std::size_t> order(queued.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Span x = queued[a]->span, y = queued[b]->span;
    return std::pair(x.source.value, x.begin) < std::pair(y.source.value, y.begin);
  });
  auto find = [&](Span place) -> std::optional<std::size_t> {
    if (!place.known()) return std::nullopt;
    auto it = std::upper_bound(order.begin(), order.end(), place, [&](Span p, std::size_t i) {
      const Span s = queued[i]->span;
      return std::pair(p.source.value, p.begin) < std::pair(s.source.value, s.begin);
    });
    if (it == order.begin() || !holds(queued[*--it]->span, place)) return std::nullopt;
    return *it;
  };
  std::vector<std::size_t> guilty;
  for (const Diagnostic& d : list.list()) {
    if (d.severity != Severity::error) continue;
    auto at = find(d.span);
    for (const DiagnosticNote& n : d.notes)
      if (!at) at = find(n.span);
    if (at) guilty.push_back(*at);
  }
  std::sort(guilty.begin(), guilty.end());
  guilty.erase(std::unique(guilty.begin(), guilty.end()), guilty.end());
  return guilty;
}

// The edits of the group again from its start: those of `good` alone.
bool Session::Data::resettle(const std::vector<StmtPtr>& good) {
  workspace.rollback();
  workspace.begin();
  queued.clear();
  Diagnostics ignored;
  for (const StmtPtr& s : good)
    if (workspace.apply(s, ignored)) queued.push_back(s);
  return ignored.error_count() == 0;
}

// Errors that lie in no queued statement (an edit of a class that breaks another statement): the first statement with which the
// workspace no longer elaborates. Cost: log2(n) elaborations.
std::size_t Session::Data::first_failing() {
  const std::vector<StmtPtr> all = queued;
  std::size_t good = 0, bad = all.size();
  while (bad - good > 1) {
    const std::size_t middle = (good + bad) / 2;
    resettle({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(middle)});
    const bool fine = elaborate(workspace.statements(), workspace.revision()).top != nullptr;
    (fine ? good : bad) = middle;
  }
  resettle(all);
  return bad - 1;
}

namespace {

std::vector<Name> declared(const syntax::Stmt& s) {
  std::vector<Name> names;
  if (!s.name.empty()) names.push_back(s.name);
  for (const syntax::Declared& d : s.names) names.push_back(d.name);
  return names;
}

void each_word(std::string_view text, const std::function<void(std::string_view)>& visit) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end > at) visit(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
}

}  // namespace

// Adds the queued statements whose texts mention what these declare, those that mention what they declare, and so on.
void Session::Data::add_dependents(std::vector<std::size_t>& list) const {
  std::unordered_map<std::string_view, std::vector<std::size_t>> mentions;
  for (std::size_t i = 0; i < queued.size(); ++i)
    if (queued[i]->span.known()) each_word(sources::quote(queued[i]->span), [&](std::string_view word) { mentions[word].push_back(i); });
  std::vector<bool> taken(queued.size());
  for (std::size_t i : list) taken[i] = true;
  for (std::size_t k = 0; k < list.size(); ++k)
    for (Name n : declared(*queued[list[k]]))
      for (std::size_t i : mentions[n.str()])
        if (!taken[i]) {
          taken[i] = true;
          list.push_back(i);
        }
  std::sort(list.begin(), list.end());
}

// Nothing may be pending. What does not stand anyway is no reason to keep an old file.
void Session::Data::take_new_files() {
  if (!elaborator.files_changed()) return;
  const bool stood = top != nullptr || workspace.statements().empty();
  elaborator.read_files_again();
  Elaborated e = elaborate(workspace.statements(), workspace.revision());
  const std::vector<std::string> names = elaborator.files_read_again();
  std::string list;
  for (const std::string& n : names) list += (list.empty() ? "`" : ", `") + n + "`";
  if (!e.top) {
    scope = nothing;
    if (!stood) return;
    elaborator.keep_old_files();
    if (stopped) {
      elaborator.look_at_files_again();
      return report(e.diagnostics);
    }
    auto& d = diagnostics.warning("W0502", {}, list + (names.size() > 1 ? " have" : " has") + " changed, and the model does not hold together with that: what was read before is kept");
    constexpr std::size_t most = 3;
    for (const Diagnostic& x : e.diagnostics.list())
      if (x.severity == Severity::error && d.notes.size() < most) d.notes.push_back({x.span, x.message});
    d.help = "mend it: it is looked at again when it is written, and at its `use`";
    return;
  }
  if (!names.empty()) {
    analysed = analysis_stands_for = closed = opened = nothing;
    diagnostics.note("N0505", {}, list + (names.size() > 1 ? " have changed and were read again" : " has changed and was read again"));
  }
  accept(std::move(e));
}

// What was to be done is not wanted any more: none of the queued edits is done.
bool Session::Data::give_up(const Elaborated& why) {
  report(why.diagnostics);
  workspace.rollback();
  queued.clear();
  scope = elaborated = nothing;
  return false;
}

bool Session::Data::settle() {
  bool failed = false;
  int rounds = 0;
  std::vector<StmtPtr> consequences;  // statements that need one that failed
  bool new_files = true;
  while (workspace.pending() > 0 && !number_edit()) {
    if (std::exchange(new_files, false)) {
      if (std::ranges::any_of(queued, [](const StmtPtr& s) { return s->kind == StmtKind::use; })) elaborator.look_at_files_again();
      if (elaborator.files_changed()) {
        const std::vector<StmtPtr> all = queued;
        resettle({});
        take_new_files();
        resettle(all);
      }
    }
    Elaborated e = elaborate(workspace.statements(), workspace.revision());
    if (e.top) {
      accept(std::move(e));
      break;
    }
    if (stopped) return give_up(e);
    if (drop_misfits(e)) continue;
    constexpr int patience = 5;  // a long chain of statements that need one another goes at once
    const std::vector<StmtPtr> taken = take_back(e, !failed, ++rounds > patience);
    if (stopped) return give_up(e);
    if (failed) consequences.insert(consequences.end(), taken.begin(), taken.end());
    failed = true;
  }
  workspace.commit();
  queued.clear();
  if (!consequences.empty()) note_consequences(consequences);
  return !failed;
}

// Takes the statements to blame back and returns them; `tell`: the errors are reported.
std::vector<StmtPtr> Session::Data::take_back(const Elaborated& e, bool tell, bool with_dependents) {
  std::vector<std::size_t> guilty = blame(e.diagnostics);
  const bool elsewhere = guilty.empty();
  if (elsewhere) guilty.push_back(queued.size() == 1 ? 0 : first_failing());
  if (tell) report(e.diagnostics);
  if (tell && !e.diagnostics.has_errors())
    diagnostics.error("E0599", queued[guilty.front()]->span, "internal error: the model does not hold together, and nobody says why");
  if (tell && elsewhere) {
    const StmtPtr& s = queued[guilty.front()];
    diagnostics.note("N0502", s->span, "`" + edit::first_line(*s) + "` was not done: the model would not hold together").help =
        "change or delete first what the error above points at";
  }
  if (with_dependents) add_dependents(guilty);
  std::vector<StmtPtr> good, taken;
  for (std::size_t i = 0; i < queued.size(); ++i)
    (std::binary_search(guilty.begin(), guilty.end(), i) ? taken : good).push_back(queued[i]);
  resettle(good);
  return taken;
}

void Session::Data::note_consequences(const std::vector<StmtPtr>& list) {
  const bool one = list.size() == 1;
  auto& d = diagnostics.note("N0503", list.front()->span,
                             one ? std::string("this was not added either: it needs what failed")
                                 : "this and " + std::to_string(list.size() - 1) + " more were not added either: they need what failed");
  constexpr std::size_t most = 5;
  for (std::size_t i = 1; i < list.size() && i < most; ++i) d.notes.push_back({list[i]->span, "`" + edit::first_line(*list[i]) + "`"});
}

void Session::Data::accept(Elaborated e) {
  report(e.diagnostics);
  top = std::move(e.top);
  experiment = std::move(e.experiment);
  elaborated = workspace.revision();
}

}  // namespace kron
