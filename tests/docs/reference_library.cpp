// The library reference: every public class, function and enumeration with its doc string and its members.
#include <algorithm>
#include <map>
#include <sstream>
#include <vector>

#include "lang/syntax/parser.hpp"
#include "lang/syntax/printer.hpp"
#include "tests/docs/pages.hpp"
#include "tests/docs/reference.hpp"

namespace kron::docs {

namespace {

namespace fs = std::filesystem;
using syntax::Declared;
using syntax::Prefix;
using syntax::Stmt;
using syntax::StmtKind;
using syntax::StmtPtr;

struct File {
  std::string name, summary;          // summary: of the file's first comment, `// library/file.eq: …`
  std::vector<StmtPtr> statements;
};
struct Library {
  std::string name;
  std::vector<File> files;
};

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(folder)) all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

// The first comment without its `// library/file.eq: `: one line, and those behind it that are indented.
std::string summary_of(const std::string& text) {
  std::istringstream lines(text);
  std::string line, summary;
  std::getline(lines, line);
  const std::size_t colon = line.find(": ");
  if (!line.starts_with("// ") || colon == std::string::npos) return "";
  summary = line.substr(colon + 2);
  while (std::getline(lines, line) && line.starts_with("//   ")) summary += line.substr(4);
  return summary;
}

File read_file(const fs::path& path) {
  const std::string text = read_text(path);
  return {path.stem().string(), summary_of(text), syntax::parse(sources::add(path.string(), text)).statements};
}

bool is_documented(const Stmt& s) {
  return s.kind == StmtKind::class_ || s.kind == StmtKind::function || s.kind == StmtKind::enumeration;
}

Library read_library(const fs::path& path) {
  Library library{path.stem().string(), {}};
  const auto files = fs::is_directory(path) ? sorted_entries(path) : std::vector<fs::path>{path};
  for (const fs::path& file : files) {
    File read = read_file(file);
    if (std::any_of(read.statements.begin(), read.statements.end(), [](const StmtPtr& s) { return is_documented(*s); }))
      library.files.push_back(std::move(read));
  }
  return library;
}

// On one line of a table: no line breaks, no column ends.
std::string cell(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// Markdown reads `*` and `_` as emphasis.
std::string prose(const std::string& text) {
  std::string out;
  for (char c : cell(text)) {
    if (c == ' ' && out.ends_with(' ')) continue;  // of a line that was indented
    if (c == '*' || c == '_' || c == '<' || c == '[' || c == ']') out += '\\';
    out += c;
  }
  return out;
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + cell(text) + "`"; }

std::string_view kind_of(Prefix prefix) {
  switch (prefix) {
    case Prefix::component: return "component";
    case Prefix::parameter: return "parameter";
    case Prefix::variable: return "variable";
    case Prefix::constant: return "constant";
    case Prefix::discrete: return "discrete";
    case Prefix::input: return "input";
    case Prefix::output: return "output";
    case Prefix::potential: return "potential";
    case Prefix::flow: return "flow";
  }
  return "";
}

std::string names_of(const Stmt& s) {
  std::string text;
  for (const Declared& d : s.names) {
    text += (text.empty() ? "" : ", ") + d.name.str();
    for (std::size_t i = 0; i < d.sizes.size(); ++i) text += (i == 0 ? "[" : ", ") + syntax::print(*d.sizes[i]);
    if (!d.sizes.empty()) text += "]";
  }
  return text;
}

// The binding, else the start value.
std::string value_of(const Stmt& s) {
  if (s.value) return syntax::print(*s.value);
  for (const Declared& d : s.names)
    for (const syntax::Modification& m : d.attributes)
      if (m.value && m.path.size() == 1 && m.path[0].name == Name("start")) return "start " + syntax::print(*m.value);
  return "";
}

std::string type_of(const Stmt& s) { return s.type_text ? s.type_text->text : syntax::print(s.class_path); }

void add_members(const std::vector<StmtPtr>& body, std::string& text) {
  std::string rows;
  for (const StmtPtr& s : body) {
    if (s->kind != StmtKind::declaration || s->is_private) continue;
    const bool computed = s->prefix == Prefix::variable || s->prefix == Prefix::output;
    rows += "| " + std::string(kind_of(s->prefix)) + " | " + code(names_of(*s)) + " | " + code(type_of(*s)) + " | " +
            code(computed ? "" : value_of(*s)) + " | " + prose(s->doc) + " |\n";
  }
  if (!rows.empty()) text += "\n| | name | unit or class | value | |\n| --- | --- | --- | --- | --- |\n" + rows;
}

std::string header(const Stmt& s) {
  const std::string line = syntax::print(s);
  std::string first = line.substr(0, line.find('\n'));
  if (const std::size_t quote = first.find(" \""); quote != std::string::npos) first.resize(quote);
  return first;
}

std::string doc_of(const Stmt& s) {
  if (!s.doc.empty()) return s.doc;
  for (const StmtPtr& inner : s.body)
    if (inner->kind == StmtKind::doc) return inner->text;
  return "";
}

void add_class(const Stmt& s, std::string& text) {
  text += "\n#### " + s.name.str() + "\n\n";
  if (const std::string doc = doc_of(s); !doc.empty()) text += prose(doc) + "\n\n";
  text += code(header(s)) + "\n";
  add_members(s.body, text);
}

// One line a file: its classes.
void add_index(const Library& library, std::string& text) {
  text += "\n**[" + library.name + "](#" + library.name + ")**\n\n";
  for (const File& file : library.files) {
    std::string names;
    for (const StmtPtr& s : file.statements)
      if (is_documented(*s)) names += (names.empty() ? "" : " ") + s->name.str();
    text += "- [" + file.name + "](#" + library.name + "-" + file.name + "): " + prose(names) + "\n";
  }
}

void add_library(const Library& library, std::string& text) {
  text += "\n## " + library.name + "\n";
  for (const File& file : library.files) {
    text += "\n### " + library.name + ": " + file.name + "\n";
    if (!file.summary.empty()) text += "\n" + prose(std::string(1, static_cast<char>(std::toupper(file.summary[0]))) + file.summary.substr(1)) + "\n";
    for (const StmtPtr& s : file.statements)
      if (is_documented(*s)) add_class(*s, text);
  }
}

}  // namespace

std::string library_page(const fs::path& folder) {
  std::string text =
      "# Library reference\n\n"
      "The classes of the standard library, by library and file. A class that extends another has its members too. Values are in SI units;\n"
      "`start` in the value column is the value where none is given. `:show Resistor` shows the same in a session, with the equations.\n\n"
      "Made by `scripts/reference` from the doc strings in `stdlib`; do not edit.\n";
  std::vector<Library> libraries;
  for (const fs::path& path : sorted_entries(folder)) libraries.push_back(read_library(path));
  for (const Library& library : libraries) add_index(library, text);
  for (const Library& library : libraries) add_library(library, text);
  return text;
}

}  // namespace kron::docs
