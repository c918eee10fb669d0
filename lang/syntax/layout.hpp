// lang/syntax/layout.hpp: where the statements of a text begin and end (language.md section 2), before any of them is
// parsed.
//   in    a text
//   out   its pieces in order: a statement without a body, the first line of a block, `else`, `end`, or a command, each
//   with
//         the comments that belong to it. Brackets, strings and comments that are not closed, or not closed rightly,
//         are reported here, and the piece is marked as broken so that nobody complains about it a second time.
//   how   one walk over the tokens with a stack of open brackets. A bracket that never closes is found where the next
//   line can
//         not belong to it: a command, a keyword that begins statements, or (looked at again once the bracket is known
//         not to close within `lookahead` bytes) a line that begins with an operand although the line before ended with
//         one.
//   cost  linear: each byte is walked over once, and up to `lookahead` bytes a second time per bracket left open
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"

namespace kron::syntax {

struct Piece {
  std::uint32_t begin = 0, end = 0;  // bytes; without surrounding blanks and comments
  std::uint32_t column = 0;          // of `begin`, in bytes from the start of its line
  bool is_command = false;
  bool is_broken = false;     // an error was reported: not to be parsed
  bool is_comment = false;    // no statement: the comments at the end of the text
  bool is_next_line = false;  // begins a line, and the piece before ended on the line before
  bool blank_before = false;
  std::vector<std::string> comments;  // before it, one line or block each; an empty text is an empty line between them
  std::string trailing;               // on its last line
};

struct Layout {
  std::vector<Piece> pieces;
  bool is_open = false;  // the text ends where more must follow: open bracket, doc string or comment, continued line
};

Layout lay_out(SourceId, std::string_view text, Diagnostics&);

}  // namespace kron::syntax
