#include "repl/completion.hpp"

#include <algorithm>

#include "lang/syntax/words.hpp"
#include "repl/model_text.hpp"
#include "repl/topics.hpp"

namespace kron::repl {

namespace {

bool in_name(char c) {
  const auto u = static_cast<unsigned char>(c);
  return std::isalnum(u) || c == '_' || u >= 0x80;
}

// Start of the path that ends at the cursor: names, dots, subscripts.
std::size_t path_begin(std::string_view line, std::size_t cursor) {
  std::size_t at = cursor;
  while (at > 0) {
    const char c = line[at - 1];
    if (in_name(c) || c == '.') {
      --at;
    } else if (c == ']') {
      std::size_t open = line.rfind('[', at - 1);
      if (open == std::string_view::npos) break;
      at = open;
    } else {
      break;
    }
  }
  return at;
}

void keep_prefixed(std::vector<std::string>& list, std::string_view prefix) {
  std::erase_if(list, [&](const std::string& s) { return !s.starts_with(prefix); });
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// Names one step below the typed path: `load.` gives load.J, load.flange_a, …
std::vector<std::string> names_from(Shell& shell, std::string_view typed, bool components_only = false) {
  std::vector<std::string> list = known_names(shell.session(), components_only);
  if (!components_only) list.emplace_back("time");
  const std::size_t dot = typed.rfind('.');
  const std::size_t depth = dot == std::string_view::npos ? 0 : dot + 1;
  std::erase_if(list, [&](const std::string& s) { return s.find('.', depth) != std::string::npos || !s.starts_with(typed); });
  return list;
}

std::vector<std::string> class_names(Shell& shell) {
  std::vector<std::string> list;
  shell.session().blueprint();
  for (const auto& c : shell.session().elaborator().classes()) {
    list.push_back(c.name);
    if (const std::size_t dot = c.name.rfind('.'); dot != std::string::npos) list.push_back(c.name.substr(dot + 1));
  }
  return list;
}

// Of the class whose modification is open at the end of the text, where a member's name may begin: `r : Resistor(R = 5, us`.
std::optional<std::vector<std::string>> modified_members(Shell& shell, std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t");
  if (last == std::string_view::npos || (text[last] != '(' && text[last] != ',')) return std::nullopt;
  std::size_t depth = 0, at = text.size();
  while (at > 0 && !(text[at - 1] == '(' && depth == 0)) {
    --at;
    if (text[at] == ')' || text[at] == '}' || text[at] == ']') ++depth;
    else if (text[at] == '(' || text[at] == '{' || text[at] == '[') {
      if (depth-- == 0) return std::nullopt;
    }
  }
  if (at == 0) return std::nullopt;
  const std::size_t begin = path_begin(text, at - 1), colon = text.substr(0, begin).find_last_not_of(" \t");
  if (colon == std::string_view::npos || text[colon] != ':' || (colon > 0 && text[colon - 1] == ':')) return std::nullopt;
  shell.session().blueprint();
  return shell.session().elaborator().members(std::string(text.substr(begin, at - 1 - begin)));
}

void add_words(std::vector<std::string>& list, std::string_view words) {
  while (!words.empty()) {
    const std::size_t blank = std::min(words.find(' '), words.size());
    if (blank > 0) list.emplace_back(words.substr(0, blank));
    words.remove_prefix(std::min(blank + 1, words.size()));
  }
}

std::vector<std::string> command_words() {
  std::vector<std::string> list;
  for (const Command& c : command_table()) list.push_back(":" + std::string(c.name));
  return list;
}

std::vector<std::string> topic_words() {
  std::vector<std::string> list = command_words();
  for (const Topic& t : topic_table()) list.emplace_back(t.name);
  for (const Option& o : option_table()) list.emplace_back(o.name);
  for (const CodeInfo& c : diagnostic_codes()) list.emplace_back(c.code);
  return list;
}

// The word before the one that begins at `begin`.
std::string_view word_before(std::string_view line, std::size_t begin) {
  std::size_t end = line.find_last_not_of(" \t", begin == 0 ? 0 : begin - 1);
  if (begin == 0 || end == std::string_view::npos) return {};
  const std::size_t start = line.find_last_of(" \t", end);
  return line.substr(start == std::string_view::npos ? 0 : start + 1, end + 1 - (start == std::string_view::npos ? 0 : start + 1));
}

void complete_argument(Shell& shell, const Command& c, std::string_view line, std::size_t cursor, Completions& out) {
  const std::string_view typed_word = line.substr(0, cursor).substr(line.substr(0, cursor).find_last_of(" \t\"") + 1);
  const std::size_t word_begin = cursor - typed_word.size();
  const std::string_view before = word_before(line.substr(0, cursor), word_begin);
  if (c.complete == Complete::files || before == "to") {
    const bool range = c.name == "sweep" && line.substr(0, cursor).find(" values ") == std::string_view::npos;
    const bool wants_to = c.words == "to" && before != "to";
    if (!range && !wants_to) {
      out.begin = word_begin;
      out.files = true;
      return;
    }
  }
  out.begin = word_begin;
  std::vector<std::string>& list = out.candidates;
  switch (c.complete) {
    case Complete::commands: list = command_words(); break;
    case Complete::topics: list = topic_words(); break;
    case Complete::options:
      for (const Option& o : option_table()) {
        if (before == o.name) add_words(list, o.values);
        else if (before == ":" + std::string(c.name)) list.emplace_back(o.name);
      }
      break;
    default: add_words(list, c.words);
  }
  keep_prefixed(list, typed_word);
  if (c.complete != Complete::names && c.complete != Complete::classes) return;
  const std::size_t path = path_begin(line, cursor);
  const std::string_view typed = line.substr(path, cursor - path);
  std::vector<std::string> names = c.complete == Complete::classes ? class_names(shell) : std::vector<std::string>();
  for (std::string& n : names_from(shell, typed)) names.push_back(std::move(n));
  keep_prefixed(names, typed);
  if (path != out.begin) list.clear();  // inside an expression no keyword follows
  out.begin = path;
  out.open = !names.empty();
  list.insert(list.end(), names.begin(), names.end());
  keep_prefixed(list, typed);
}

}  // namespace

Completions complete(Shell& shell, std::string_view line, std::size_t cursor) {
  cursor = std::min(cursor, line.size());
  Completions out;
  const std::string_view before = line.substr(0, cursor);
  const std::size_t first = before.find_first_not_of(" \t");
  if (first != std::string_view::npos && before[first] == ':') {
    const std::size_t blank = before.find_first_of(" \t", first);
    if (blank == std::string_view::npos) {
      out.begin = first;
      out.candidates = command_words();
      keep_prefixed(out.candidates, before.substr(first));
      return out;
    }
    if (const Command* c = find_command(before.substr(first + 1, blank - first - 1))) complete_argument(shell, *c, line, cursor, out);
    return out;
  }
  const std::size_t quote = before.rfind('"');
  if (quote != std::string_view::npos && before.substr(0, quote).find("use") != std::string_view::npos && before.find('"') == quote) {
    out.begin = quote + 1;
    out.files = true;
    return out;
  }
  out.begin = path_begin(line, cursor);
  const std::string_view typed = before.substr(out.begin);
  const std::size_t colon = before.substr(0, out.begin).find_last_not_of(" \t");
  const bool class_place = colon != std::string_view::npos && before[colon] == ':' && (colon == 0 || before[colon - 1] != ':');
  const bool at_start = first == std::string_view::npos || out.begin <= first;
  const std::string_view statement = at_start ? std::string_view{} : before.substr(first, before.find_first_of(" \t", first) - first);
  if (class_place) out.candidates = class_names(shell);
  else if (auto members = modified_members(shell, before.substr(0, out.begin))) out.candidates = std::move(*members);
  else if (statement == "use") out.candidates = shell.session().elaborator().libraries();
  else out.candidates = names_from(shell, typed, statement == "connect");
  if (at_start) out.candidates.insert(out.candidates.end(), syntax::statement_words().begin(), syntax::statement_words().end());
  keep_prefixed(out.candidates, typed);
  out.open = true;
  return out;
}

}  // namespace kron::repl
