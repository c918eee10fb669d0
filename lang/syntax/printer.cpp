#include "lang/syntax/printer.hpp"

#include "lang/syntax/characters.hpp"
#include "lang/syntax/print_parts.hpp"
#include "lang/syntax/words.hpp"

namespace kron::syntax {
namespace {

const char* prefix_text(Prefix p) {
  switch (p) {
    case Prefix::component: return "";
    case Prefix::parameter: return "parameter ";
    case Prefix::variable: return "variable ";
    case Prefix::constant: return "constant ";
    case Prefix::discrete: return "discrete ";
    case Prefix::input: return "input ";
    case Prefix::output: return "output ";
    case Prefix::potential: return "potential ";
    case Prefix::flow: return "flow ";
  }
  return "";
}

const char* class_text(ClassKind k) {
  return k == ClassKind::model ? "model " : k == ClassKind::connector ? "connector " : "record ";
}

// On one line where it fits one; else as it was typed, in triple quotes.
std::string doc_text(const std::string& s) {
  if (s.find('\n') == std::string::npos) return string_text(s);
  std::string out = "\"\"\"";
  for (std::size_t i = 0; i < s.size(); ++i) {
    const bool ends_early = s[i] == '"' && (i + 1 == s.size() || s[i + 1] == '"');
    if (s[i] == '\\' || ends_early) out += '\\';
    out += s[i];
  }
  return out + "\"\"\"";
}

class StatementWriter {
 public:
  explicit StatementWriter(std::string& out) : out_(out) {}

  void modification(const Modification& m) {
    if (m.is_final) out_ += "final ";
    write(out_, m.path);
    if (!m.replacement.empty()) {
      out_ += " : ";
      write(out_, m.replacement);
    }
    modifications(m.nested);
    if (m.value) out_ += " = ", write(out_, *m.value);
  }

  // The first line of a statement, with what stands behind it.
  void line(const Stmt& s) {
    if (!s.label.empty()) out_ += s.label.str() + " :: ";
    if (s.is_initial && s.kind != StmtKind::initial_block) out_ += "initial ";
    head(s);
    if (!s.doc.empty() && !(!s.body.empty() && s.body.front()->kind == StmtKind::doc)) out_ += " " + doc_text(s.doc);
    for (const Annotation& a : s.annotations) {
      out_ += " @" + a.name.str();
      if (!a.args.empty() || !a.named.empty()) write_arguments(out_, a.args, a.named);
    }
  }

 private:
  template <class List, class Item>
  void list(const List& items, Item item) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out_ += ", ";
      item(items[i]);
    }
  }

  void modifications(const std::vector<Modification>& mods) {
    if (mods.empty()) return;
    out_ += '(';
    list(mods, [&](const Modification& m) { modification(m); });
    out_ += ')';
  }

  void expressions(const std::vector<ExprPtr>& items) {
    list(items, [&](const ExprPtr& e) { write(out_, *e); });
  }

  void names(const std::vector<Name>& items) {
    list(items, [&](Name n) { out_ += n.str(); });
  }

  void bases(const std::vector<Base>& items) {
    list(items, [&](const Base& b) {
      write(out_, b.path);
      modifications(b.mods);
    });
  }

  void head(const Stmt& s) {
    switch (s.kind) {
      case StmtKind::declaration: return declaration(s);
      case StmtKind::equation: return equation(s);
      case StmtKind::connect: out_ += "connect ", expressions(s.refs); return;
      case StmtKind::for_: out_ += "for ", write(out_, s.iterators); return;
      case StmtKind::if_:
      case StmtKind::when:
        out_ += s.kind == StmtKind::if_ ? "if " : "when ";
        write(out_, *s.branches.front().condition);
        return;
      case StmtKind::initial_block: out_ += "initial"; return;
      case StmtKind::assert_: return assertion(s);
      case StmtKind::reinit: out_ += "reinit ", write(out_, *s.lhs), out_ += " = ", write(out_, *s.rhs); return;
      case StmtKind::terminate: return terminate(s);
      case StmtKind::branch_:
      case StmtKind::root:
        out_ += s.kind == StmtKind::root ? "root " : "branch ", expressions(s.refs);
        if (s.rhs) out_ += ", ", write(out_, *s.rhs);
        return;
      case StmtKind::class_: return class_head(s);
      case StmtKind::enumeration: out_ += "enum " + s.name.str() + " ", names(s.literals); return;
      case StmtKind::function: return function(s);
      case StmtKind::use: return use(s);
      case StmtKind::extends: out_ += "extends ", bases(s.bases); return;
      case StmtKind::assign: write(out_, *s.refs[0]), out_ += " := ", write(out_, *s.rhs); return;
      case StmtKind::delete_: out_ += s.is_connect ? "delete connect " : "delete ", expressions(s.refs); return;
      case StmtKind::tear:
        out_ += s.is_untear ? "untear " : "tear ", out_ += s.is_residue ? "residue " : "";
        expressions(s.refs);
        return;
      case StmtKind::experiment:
        out_ += "experiment ";
        list(s.named, [&](const NamedArgument& n) { out_ += n.name.str() + " = ", write(out_, *n.value); });
        return;
      case StmtKind::test: out_ += "test " + string_text(s.text); return;
      case StmtKind::command: out_ += ":" + s.name.str() + (s.text.empty() ? "" : " " + s.text); return;
      case StmtKind::return_: out_ += "return ", expressions(s.args); return;
      case StmtKind::doc: out_ += doc_text(s.text); return;
      case StmtKind::blank: return;
    }
  }

  void declaration(const Stmt& s) {
    if (s.is_private) out_ += "private ";
    if (s.is_final) out_ += "final ";
    if (s.is_outer) out_ += "outer ";
    out_ += prefix_text(s.prefix);
    list(s.names, [&](const Declared& d) {
      out_ += d.name.str();
      write_subscripts(out_, d.sizes);
      modifications(d.attributes);
    });
    if (s.prefix == Prefix::component) out_ += " : ", write(out_, s.class_path);
    else if (s.type_text) out_ += " : " + s.type_text->text;
    modifications(s.mods);
    if (s.value) out_ += " = ", write(out_, *s.value);
    if (s.condition) out_ += " if ", write(out_, *s.condition);
  }

  // A left side that begins with a word that begins other statements stands in brackets.
  void equation(const Stmt& s) {
    const std::size_t begin = out_.size();
    write_side(out_, *s.lhs);
    const std::string_view word(out_.data() + begin, name_length(out_, begin));
    if (word_kind(word) == WordKind::statement) {
      out_.insert(begin, 1, '(');
      out_ += ')';
    }
    out_ += " = ";
    write(out_, *s.rhs);
  }

  void assertion(const Stmt& s) {
    out_ += "assert ";
    write(out_, *s.lhs);
    if (!s.text.empty() || !s.args.empty()) out_ += ", " + string_text(s.text);
    for (const ExprPtr& e : s.args) out_ += ", ", write(out_, *e);
    if (s.at) out_ += " at ", write(out_, *s.at);
  }

  void terminate(const Stmt& s) {
    out_ += "terminate ";
    if (!s.text.empty() || s.args.empty()) out_ += string_text(s.text) + (s.args.empty() ? "" : ", ");
    for (std::size_t i = 0; i < s.args.size(); ++i) out_ += i == 0 ? "" : ", ", write(out_, *s.args[i]);
  }

  void class_head(const Stmt& s) {
    if (s.is_partial) out_ += "partial ";
    out_ += class_text(s.class_kind) + s.name.str();
    if (s.is_short) out_ += " = ";
    else if (!s.bases.empty()) out_ += " extends ";
    bases(s.bases);
  }

  void function(const Stmt& s) {
    out_ += "function " + s.name.str() + "(";
    list(s.inputs, [&](const FunctionInput& i) {
      out_ += i.name.str();
      write_subscripts(out_, i.sizes);
      if (i.fallback) out_ += " = ", write(out_, *i.fallback);
    });
    out_ += ')';
    if (s.rhs) out_ += " = ", write(out_, *s.rhs);
  }

  void use(const Stmt& s) {
    out_ += "use " + (s.is_file ? string_text(s.text) : s.text);
    if (!s.name.empty()) out_ += " as " + s.name.str();
    if (!s.members.empty()) out_ += ": ", names(s.members);
  }

  std::string& out_;
};

bool has_body(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::for_:
    case StmtKind::if_:
    case StmtKind::when:
    case StmtKind::initial_block:
    case StmtKind::test: return true;
    case StmtKind::class_: return !s.is_short;
    case StmtKind::function: return !s.rhs;
    default: return false;
  }
}

class TextWriter {
 public:
  std::string take() { return std::move(out_); }

  void statements(const std::vector<StmtPtr>& list, std::size_t indent) {
    bool is_first = true;
    for (const StmtPtr& s : list) {
      if (s->blank_before && !is_first) out_ += '\n';
      is_first = false;
      for (const std::string& c : s->comments) {
        if (!c.empty()) out_.append(indent, ' ') += c;
        out_ += '\n';
      }
      if (s->kind == StmtKind::blank) continue;
      out_.append(indent, ' ');
      statement(*s, indent);
      comment(s->trailing_comment);
      out_ += '\n';
    }
  }

  void statement(const Stmt& s, std::size_t indent) {
    std::string head;
    StatementWriter(head).line(s);
    out_ += s.kind == StmtKind::command ? head : wrap(head, indent);
    if (!has_body(s)) return;
    comment(s.branches.empty() ? s.header_comment : s.branches.front().comment);
    out_ += '\n';
    if (s.branches.empty()) statements(s.body, indent + 2);
    for (std::size_t i = 0; i < s.branches.size(); ++i) {
      const Branch& b = s.branches[i];
      if (i > 0) branch(s, b, indent);
      statements(b.body, indent + 2);
    }
    out_.append(indent, ' ') += "end";
  }

 private:
  void branch(const Stmt& s, const Branch& b, std::size_t indent) {
    std::string head = !b.condition ? "else" : s.kind == StmtKind::when ? "elsewhen " : "elseif ";
    if (b.condition) write(head, *b.condition);
    out_.append(indent, ' ') += wrap(head, indent);
    comment(b.comment);
    out_ += '\n';
  }

  void comment(const std::string& c) {
    if (!c.empty()) out_ += "  " + c;
  }

  std::string out_;
};

}  // namespace

std::string print(const Modification& m) {
  std::string out;
  StatementWriter(out).modification(m);
  return out;
}

std::string print(const Stmt& s, int indent) {
  TextWriter w;
  w.statement(s, static_cast<std::size_t>(indent));
  return std::string(static_cast<std::size_t>(indent), ' ') + w.take();
}

std::string print(const std::vector<StmtPtr>& list) {
  TextWriter w;
  w.statements(list, 0);
  return w.take();
}

}  // namespace kron::syntax
