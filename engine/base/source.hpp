// engine/base/source.hpp: source texts and places in them.
//   A Span is a half-open byte range of one registered text. Texts live as long as the program, so that a diagnostic can
//   quote a line long after the statement was replaced.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/id.hpp"

namespace kron {

struct SourceTag;
using SourceId = Id<SourceTag>;  // 0 is the empty "no place" text

struct Span {
  SourceId source;
  std::uint32_t begin = 0;  // bytes
  std::uint32_t end = 0;
  friend constexpr bool operator==(Span, Span) = default;
  bool known() const { return source.value != 0; }
};

struct Position {
  std::uint32_t line = 0;    // from 1
  std::uint32_t column = 0;  // from 1, in characters (UTF-8 code points)
};

namespace sources {
SourceId add(std::string file, std::string text);  // registers a text; file is what a diagnostic prints
const std::string& file(SourceId);
const std::string& text(SourceId);
Position position(SourceId, std::uint32_t offset);
std::string_view line(SourceId, std::uint32_t line);  // without its end of line
std::string_view quote(Span);                         // the text of the span
}  // namespace sources

Span join(Span a, Span b);  // from a's begin to b's end, same source

}  // namespace kron
