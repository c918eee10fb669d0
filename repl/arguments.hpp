// repl/arguments.hpp: the rest of a command's line as words, and what is read from them (commands.md section 2).
//   A word ends at a blank outside brackets; `"…"` is one word that is no keyword; `( … )` is an expression. A number may be
//   followed by a unit in brackets. Errors are diagnostics at the word's place, made by the readers; they return nullopt.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/workspace/kron.hpp"

namespace kron::repl {

struct Word {
  enum Kind { plain, quoted, expression } kind = plain;
  std::string text;  // without quotes or outer parentheses
  Span span;
};

class Arguments {
 public:
  Arguments(Session&, std::string command, std::string_view text, Span statement);

  const std::string& command() const { return command_; }
  bool good() const { return good_; }         // no open quote or bracket
  bool empty() const { return next_ >= words_.size(); }
  const Word* peek(std::size_t ahead = 0) const { return next_ + ahead < words_.size() ? &words_[next_ + ahead] : nullptr; }
  const Word& take() { return words_[next_++]; }
  bool keyword(std::string_view);             // takes the next word where it is this one, unquoted
  bool at_keyword(std::string_view) const;
  std::string rest();                         // all that is left, as typed
  Span place() const;                         // of the next word, or behind the last one
  Span whole() const { return statement_; }

  // With or without unit; `unit`: of what is called `what`, in SI, or "1" for none. `elements`: those of an enumeration are numbers, too.
  std::optional<double> number(std::string_view what, std::string_view unit = {}, bool elements = false);
  std::optional<std::size_t> count(std::string_view what);   // a whole number >= 1
  std::optional<std::string> word(std::string_view what);    // a file name, an option's name
  bool end();                                 // an error where words are left

  // Errors of commands: always false or nullopt for the caller to hand on.
  Diagnostic& error(std::string code, Span, std::string message);
  Diagnostic& misuse(Span, std::string message);              // E0502, with the command's synopsis as help

  // The expression that a word is, its errors placed at the word.
  syntax::ExprPtr expression(const Word&);
  std::optional<elaborate::Quantity> quantity(const Word&, bool of_result);
  std::string unit_of(const Word&);           // in SI; empty where it is not known, without an error
  Session& session() { return session_; }

 private:
  void split();
  std::optional<double> in_range(double, const Word&);
  void relocate(const Diagnostics&, SourceId from, const Word&);

  Session& session_;
  std::string command_, text_;
  Span statement_;
  std::uint32_t offset_ = 0;                  // of text_ in the statement's source
  bool located_ = false, good_ = true;
  std::vector<Word> words_;
  std::vector<std::size_t> begins_;           // of each word in text_
  std::size_t next_ = 0;
};

std::optional<double> plain_number(std::string_view);  // "-1.5e3", the whole text

}  // namespace kron::repl
