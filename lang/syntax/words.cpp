#include "lang/syntax/words.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "lang/syntax/parser.hpp"

namespace kron::syntax {
namespace {

struct Word {
  WordKind kind = WordKind::name;
  bool begins = false;         // can only begin a statement
  std::string_view instead{};  // of a word reserved for later
};

using Table = std::unordered_map<std::string_view, Word>;

const Table& table() {
  static const Table words = [] {
    Table t;
    for (const char* w : {"and", "der", "else", "elseif", "end", "false", "final", "for", "if", "initial", "not", "or",
                          "relax", "residue", "then", "true"})
      t[w] = {WordKind::keyword, false, {}};
    for (const char* w : {"connector", "constant", "discrete", "elsewhen", "enum",   "extends",   "flow",
                          "function",  "input",    "model",    "outer",    "output", "parameter", "partial",
                          "potential", "private",  "record",   "reinit",   "return", "variable",  "when"})
      t[w] = {WordKind::keyword, true, {}};
    for (const char* w :
         {"assert", "branch", "connect", "delete", "experiment", "root", "tear", "terminate", "test", "untear", "use"})
      t[w] = {WordKind::statement, false, {}};
    const std::pair<const char*, const char*> later[] = {
        {"algorithm", "an assignment is an equation; a computation in steps is a `function`"},
        {"annotation", "an annotation is written `@name(...)`"},
        {"block", "write `model`, with `input` and `output` variables"},
        {"break", ""},
        {"constrainedby", ""},
        {"each", "leave it out: a value whose shape lacks the leading sizes goes to every element"},
        {"expandable", ""},
        {"external", ""},
        {"import", "write `use library` or `use library: Name`"},
        {"inner", "leave it out: `outer world : World` finds the nearest enclosing component named `world`"},
        {"loop", "leave it out: the body starts on the next line"},
        {"package", "a file or a folder of files is a library"},
        {"protected", "write `private` before each declaration"},
        {"public", "leave it out: what is not `private` is public"},
        {"redeclare", "leave it out: `name : Class(...)` in a modification replaces the component"},
        {"replaceable", "leave it out: every component can be replaced in a modification"},
        {"stream", ""},
        {"type", "give the unit after the colon: `variable x : m/s`"},
        {"while", "write `for k in 1:n`, or `when` for an event"}};
    for (const auto& [word, instead] : later) t[word] = {WordKind::later, false, instead};
    return t;
  }();
  return words;
}

const Word& find(std::string_view word) {
  static const Word ordinary;
  if (word.size() < 2 || word.size() > 13) return ordinary;  // no keyword is shorter or longer: most names end here
  const auto it = table().find(word);
  return it == table().end() ? ordinary : it->second;
}

}  // namespace

WordKind word_kind(std::string_view word) { return find(word).kind; }
bool begins_statement(std::string_view word) { return find(word).begins; }
const std::vector<std::string>& statement_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> list{"elseif", "end", "final", "for", "if", "initial"};
    for (const auto& [word, w] : table())
      if (w.begins || w.kind == WordKind::statement) list.emplace_back(word);
    std::sort(list.begin(), list.end());
    return list;
  }();
  return words;
}

std::string_view instead_of(std::string_view reserved) { return find(reserved).instead; }
bool is_keyword(std::string_view word) { return find(word).kind == WordKind::keyword; }

const std::vector<std::string_view>& command_names() {
  static const std::vector<std::string_view> names = {
      "simulate",  "blt",        "states",     "index",   "ops",  "code",    "incidence", "equations",
      "variables", "parameters", "components", "classes", "show", "explain", "value",     "plot",
      "animate",   "sweep",      "save",       "write",   "load", "reset",   "undo",      "redo",
      "history",   "time",       "stats",      "set",     "get",  "help",    "quit"};
  return names;
}

bool is_command(std::string_view word) {
  const auto& names = command_names();
  return std::find(names.begin(), names.end(), word) != names.end();
}

}  // namespace kron::syntax
