#include "lang/syntax/explain.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lang/syntax/characters.hpp"
#include "lang/syntax/errors.hpp"
#include "lang/syntax/lexer.hpp"
#include "lang/syntax/parser.hpp"
#include "lang/syntax/words.hpp"

namespace kron::syntax {
namespace {

// A refusal: what is said instead of "expected X, found Y".
struct Reason {
  std::string code, message, help;
  std::optional<Token> at = std::nullopt;  // where it is not the token found
};

class Mistake {
 public:
  Mistake(std::string_view text, std::size_t begin, std::size_t at, const Expected& e) : text_(text), expected_(e) {
    std::size_t depth = 0;
    for (Token t = token_at(text, begin);; t = token_at(text, t.end)) {
      if (t.is_space()) continue;
      if (t.end > at || t.kind == TokenKind::end) {
        found_ = t;
        break;
      }
      const std::string_view s = t.in(text);
      if (t.kind == TokenKind::mark && (s == "(" || s == "[" || s == "{")) ++depth;
      if (t.kind == TokenKind::mark && (s == ")" || s == "]" || s == "}") && depth > 0) --depth;
      if (count_ == 0) first_ = t;
      if (count_ == 1) second_ = t;
      if (depth == 0 && s == "==") comparison_ = t;
      if (depth == 0 && s == ":") colon_ = t;
      has_equals_ = has_equals_ || (depth == 0 && s == "=");
      before_ = t;
      ++count_;
    }
    if (count_ == 0) first_ = found_;
    if (count_ == 1) second_ = found_;
    depth_ = depth;
  }

  const Token& found() const { return found_; }

  Reason reason() const {
    using Rule = std::optional<Reason> (Mistake::*)() const;
    constexpr Rule rules[] = {&Mistake::unit, &Mistake::number,  &Mistake::character, &Mistake::reserved,   &Mistake::call_form,
                              &Mistake::begins,  &Mistake::keyword,   &Mistake::comparison, &Mistake::foreign_operator,
                              &Mistake::alone,   &Mistake::type,      &Mistake::adjacent,   &Mistake::chain,
                              &Mistake::no_else, &Mistake::tail};
    for (const Rule rule : rules)
      if (auto r = (this->*rule)()) return *r;
    return {std::string(expected_.code), "expected " + std::string(expected_.what) + ", found " + shown(), {}, {}};
  }

 private:
  std::string_view word(const Token& t) const { return t.in(text_); }
  bool is(const Token& t, std::string_view s) const { return t.kind != TokenKind::string && word(t) == s; }
  bool expects(std::string_view code) const { return expected_.code == code; }
  bool at_end() const { return found_.kind == TokenKind::end; }

  std::string shown() const {
    if (at_end()) return "the end of the statement";
    std::string_view s = word(found_).substr(0, word(found_).find('\n'));
    std::size_t n = 0;
    while (n < s.size() && n < 40) n += character_length(s, n);
    return ticked(s.substr(0, n));
  }

  std::optional<Reason> number() const {
    if (found_.kind != TokenKind::bad_number) return {};
    const std::string s(word(found_));
    return Reason{"E0108", "a number has digits on both sides of its point",
                  "write " + ticked(s[0] == '.' ? "0" + s : s + "0")};
  }

  std::optional<Reason> character() const {
    if (found_.kind != TokenKind::unknown) return {};
    static const std::pair<std::string_view, std::string_view> helps[] = {
        {"#", "a comment starts with `//`"},
        {"%", "a comment starts with `//`, a remainder is `mod(a, b)`"},
        {"&", "write `and`"},
        {"|", "write `or`"},
        {"!", "write `not a`, or `a != b`"},
        {"~", "write `not a`, or `a != b`"},
        {"?", "write `if c then a else b`"},
        {"−", "write the minus sign as `-`"},
        {"×", "write `*`"},
        {"·", "write `*`"},
        {"÷", "write `/`"},
        {"²", "write `^2`"},
        {"³", "write `^3`"},
        {"≤", "write `<=`"},
        {"≥", "write `>=`"},
        {"≠", "write `!=`"},
        {"√", "write `sqrt(x)`"},
        {"“", "a text stands in straight quotes"},
        {"”", "a text stands in straight quotes"},
        {"’", "a transposed array is `a'`"},
        {"…", ""}};
    Reason r{"E0116", "unexpected character " + ticked(word(found_)), {}};
    for (const auto& [c, help] : helps)
      if (word(found_) == c) r.help = help;
    return r;
  }

  std::optional<Reason> reserved() const {
    if (found_.kind != TokenKind::word || word_kind(word(found_)) != WordKind::later) return {};
    return Reason{"E0114", ticked(word(found_)) + " is reserved for later versions of the language",
                  std::string(instead_of(word(found_)))};
  }

  std::optional<Reason> call_form() const {
    static const std::pair<std::string_view, std::string_view> forms[] = {{"connect", "connect a.p, b.n"},
                                                                          {"reinit", "reinit v = -e * v"},
                                                                          {"terminate", "terminate \"text\""},
                                                                          {"branch", "branch a.R, b.R"},
                                                                          {"root", "root f.R"},
                                                                          {"delete", "delete R1"}};
    if (!is(found_, "(") || count_ != 1) return {};
    for (const auto& [w, form] : forms)
      if (is(first_, w)) return Reason{"E0129", ticked(w) + " is written without parentheses", "write " + ticked(form)};
    return {};
  }

  // `root = 3`: the word is a keyword here, and a name elsewhere.
  std::optional<Reason> begins() const {
    if (first_.kind != TokenKind::word || word_kind(word(first_)) != WordKind::statement || count_ != 1) return {};
    if (!is(found_, "=") && !is(found_, ":") && !is(found_, ".") && !is(found_, "::") && !is(found_, ":=") &&
        !is(found_, "["))
      return {};
    return Reason{"E0115", ticked(word(first_)) + " is a keyword at the start of a statement",
                  "choose another name, or write the equation the other way round"};
  }

  std::optional<Reason> keyword() const {
    if (!expects("E0119") || found_.kind != TokenKind::word || word_kind(word(found_)) != WordKind::keyword) return {};
    return Reason{"E0115", ticked(word(found_)) + " is a keyword and cannot be a name", {}};
  }

  // `if x = 3`
  std::optional<Reason> comparison() const {
    const bool is_condition = is(first_, "if") || is(first_, "elseif") || is(first_, "when") ||
                              is(first_, "elsewhen") || is(first_, "assert");
    if (!is(found_, "=")) return {};
    if (expected_.what != "`then`" && !(is_condition && (expects("E0121") || expects("E0120")))) return {};
    return Reason{"E0113", "`=` in a condition", "a comparison is written `==`"};
  }

  std::optional<Reason> foreign_operator() const {
    Reason r{std::string(expected_.code), "expected " + std::string(expected_.what) + ", found " + shown(), {}, {}};
    if (is(before_, "*") && is(found_, "*")) r.help = "a power is written `^`";
    else if (is(found_, "<") && text_.substr(found_.end, 1) == ">") r.help = "\"not equal\" is written `!=`";
    else if (is(found_, "=") && (text_.substr(found_.end, 1) == "<" || text_.substr(found_.end, 1) == ">"))
      r.help = "write `<=` or `>=`";
    else if (is(found_, "'")) r.help = "a text stands in double quotes: `\"...\"`";
    else if (expects("E0119") && is(before_, ".") && (is(found_, "+") || is(found_, "-")))
      r.help = "sums are element by element: write `+` or `-`";
    else if (is(first_, "function") && is(found_, ":")) r.help = "arguments of functions have no type";
    else if (expects("E0110") && is(found_, "=")) r.help = "a comparison is written `==`";
    else return {};
    return r;
  }

  std::optional<Reason> unit() const {
    const std::string_view between = text_.substr(before_.end, found_.begin - before_.end);
    if (!expects("E0135") || count_ == 0 || between.find('\n') == std::string_view::npos) return {};
    return Reason{"E0135", "a unit stands with its brackets on one line", {}, before_};
  }

  // A statement that is no equation.
  std::optional<Reason> alone() const {
    if (!expects("E0118")) return {};
    if (comparison_ && at_end())
      return Reason{"E0118", "`==` compares two values and makes no equation", "an equation is written with one `=`",
                    comparison_};
    if (at_end() && colon_)
      return Reason{"E0119", "only a plain name can be declared", "a component is declared as `name : Class`", colon_};
    if (at_end()) {
      Reason r{"E0118", "an expression alone is no statement", "an equation is written `left = right`"};
      if (is(first_, "+") || is(first_, "-"))
        r.help = "to go on with the statement above, leave the operator at the end of its line";
      if (count_ == 1 && is(first_, "equation")) r.help = "leave it out: equations stand among the declarations";
      return r;
    }
    return {};
  }

  std::optional<Reason> adjacent() const {
    const bool is_word = before_.kind == TokenKind::word && word_kind(word(before_)) == WordKind::keyword;
    const bool is_operand = (before_.is_operand_start() &&
                             (!is_word || is(before_, "end") || is(before_, "true") || is(before_, "false"))) ||
                            is(before_, ")") || is(before_, "]") || is(before_, "}") || is(before_, "'");
    const bool is_next = found_.is_operand_start() || is(found_, "(") || is(found_, "{");
    if (!is_operand || !is_next || expects("E0110") || expects("E0119") || expects("E0137")) return {};
    const WordKind kind = found_.kind == TokenKind::word ? word_kind(word(found_)) : WordKind::name;
    if (kind == WordKind::keyword && !is(found_, "der") && !is(found_, "not")) return {};
    Reason r{"E0111", "an operator is missing before " + shown(), {}};
    if (depth_ > 0) r.message = "an operator or a comma is missing before " + shown();
    if (found_.kind == TokenKind::word && before_.kind == TokenKind::word) r.help = type_first();
    if (r.help.empty() && count_ == 1 && first_.kind == TokenKind::word)
      r.help = is_command(word(first_)) ? "a command begins with a colon: " + ticked(":" + std::string(word(first_))) : keyword_near(word(first_));
    if (before_.kind == TokenKind::number)
      r.help = "a product is written " + ticked(std::string(word(before_)) + "*" + std::string(word(found_)));
    return r;
  }

  // `Resistor R1`, `Real x`, `parameter Real k`: the type before the name, as in Modelica and C.
  std::string type_first() const {
    const std::string name(word(found_)), type(word(before_));
    if (count_ == 1 && type == "class") return "a class is written " + ticked("model " + name) + " … `end`";
    const bool is_declaration = count_ == 2 && is_prefix(word(first_));
    if (count_ != 1 && !is_declaration) return {};
    const bool is_number = type == "Real" || type == "Integer" || type == "Boolean" || type == "String";
    const bool is_class = !is_declaration && !is_number && type[0] >= 'A' && type[0] <= 'Z' && keyword_near(type).empty();
    if (!is_declaration && !is_number && !is_class) return {};
    const std::string prefix = is_declaration ? std::string(word(first_)) + " " : is_number ? "variable " : "";
    return "the type stands behind the name: " + ticked(prefix + name + (type == "Real" ? "" : " : " + type));
  }

  static bool is_prefix(std::string_view w) {
    return w == "parameter" || w == "variable" || w == "constant" || w == "discrete" || w == "input" || w == "output" || w == "potential" ||
           w == "flow";
  }

  static std::string keyword_near(std::string_view w) {
    std::string lower(w);
    if (!lower.empty() && lower[0] >= 'A' && lower[0] <= 'Z') lower[0] = static_cast<char>(lower[0] - 'A' + 'a');
    const std::string near = closest(lower, statement_words());
    return near.empty() ? "" : "did you mean " + ticked(near) + "?";
  }

  std::optional<Reason> chain() const {
    if (!expects("E0112")) return {};
    return Reason{"E0112", "comparisons cannot be chained", "write `a < b and b < c`"};
  }

  std::optional<Reason> type() const {
    if (!expects("E0128")) return {};
    if (is(found_, "[")) return Reason{"E0128", "sizes stand behind the name", "write `variable x[3] : Real`"};
    return Reason{"E0128", "attributes stand behind the name", "write `variable x(start = 1) : Real`"};
  }

  std::optional<Reason> no_else() const {
    if (!expects("E0137")) return {};
    return Reason{"E0137", "an `if` expression needs an `else`", "write `if c then a else b`"};
  }

  std::optional<Reason> tail() const {
    if (!expects("E0121")) return {};
    Reason r{"E0121", "unexpected " + shown() + " after the statement", {}};
    if (is(found_, "=") && has_equals_) r.help = "an equation has one `=`; a comparison is written `==`";
    else if (is(found_, ":") && has_equals_) r.help = "the type or unit stands before the `=`";
    else if (is(first_, "end")) r.help = "write `end`, or `end Name` with the name of the class";
    else if (is(first_, "for")) r.help = "the body starts on the next line";
    return r;
  }

  std::string_view text_;
  Expected expected_;
  Token first_, second_, before_, found_;  // the first two tokens, the one before the place and the one at it
  std::size_t count_ = 0, depth_ = 0;      // tokens and open brackets before the place
  bool has_equals_ = false;
  std::optional<Token> comparison_, colon_;  // the last `==` and `:` outside brackets
};

}  // namespace

Diagnostic explain(SourceId source, std::string_view text, std::size_t begin, std::size_t at, const Expected& e) {
  const Mistake mistake(text, begin, at, e);
  Reason r = mistake.reason();
  Diagnostic d;
  d.code = std::move(r.code);
  d.message = std::move(r.message);
  d.help = std::move(r.help);
  const Token t = r.at.value_or(mistake.found());
  d.span = {source, static_cast<std::uint32_t>(t.begin), static_cast<std::uint32_t>(t.end)};
  return d;
}

}  // namespace kron::syntax
