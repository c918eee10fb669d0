// lang/syntax/words.hpp: the words of the language in one table: keywords, words that are keywords only at the start of
// a statement, words reserved for later, and the names of the commands.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kron::syntax {

enum class WordKind {
  name,       // an ordinary name
  keyword,    // reserved everywhere
  statement,  // a keyword only as the first word of a statement
  later,      // reserved for later versions
};
WordKind word_kind(std::string_view word);

// A keyword that can only begin a statement: where a line starts with one, the statement before it has ended, whatever
// it left open. (`for`, `if`, `end`, `final`, `initial` also occur inside statements.)
bool begins_statement(std::string_view word);

// The words that a statement may begin with, sorted.
const std::vector<std::string>& statement_words();

// What to write instead of a word that is reserved for later; may be empty.
std::string_view instead_of(std::string_view reserved);

bool is_command(std::string_view word);

}  // namespace kron::syntax
