#include "lang/syntax/characters.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace kron::syntax {
namespace {

struct Range {
  std::uint32_t first, last;
};

// Letters, combining marks and decimal digits of every script below U+3000 (general categories L, Nl, Mn, Mc, Nd of the
// Unicode Character Database; unassigned code points between two letters count as letters).
constexpr Range letters[] = {
    {0xAA, 0xAA},     {0xB5, 0xB5},     {0xBA, 0xBA},     {0xC0, 0xD6},     {0xD8, 0xF6},     {0xF8, 0x2C1},
    {0x2C6, 0x2D1},   {0x2E0, 0x2E4},   {0x2EC, 0x2EC},   {0x2EE, 0x2EE},   {0x300, 0x374},   {0x376, 0x37D},
    {0x37F, 0x37F},   {0x386, 0x386},   {0x388, 0x3F5},   {0x3F7, 0x481},   {0x483, 0x487},   {0x48A, 0x559},
    {0x560, 0x588},   {0x591, 0x5BD},   {0x5BF, 0x5BF},   {0x5C1, 0x5C2},   {0x5C4, 0x5C5},   {0x5C7, 0x5F2},
    {0x610, 0x61A},   {0x620, 0x669},   {0x66E, 0x6D3},   {0x6D5, 0x6DC},   {0x6DF, 0x6E8},   {0x6EA, 0x6FC},
    {0x6FF, 0x6FF},   {0x710, 0x7F5},   {0x7FA, 0x7FD},   {0x800, 0x82D},   {0x840, 0x85B},   {0x860, 0x887},
    {0x889, 0x88E},   {0x898, 0x8E1},   {0x8E3, 0x963},   {0x966, 0x96F},   {0x971, 0x9F1},   {0x9FC, 0x9FC},
    {0x9FE, 0xA75},   {0xA81, 0xAEF},   {0xAF9, 0xB6F},   {0xB71, 0xB71},   {0xB82, 0xBEF},   {0xC00, 0xC6F},
    {0xC80, 0xC83},   {0xC85, 0xD4E},   {0xD54, 0xD57},   {0xD5F, 0xD6F},   {0xD7A, 0xDF3},   {0xE01, 0xE3A},
    {0xE40, 0xE4E},   {0xE50, 0xE59},   {0xE81, 0xF00},   {0xF18, 0xF19},   {0xF20, 0xF29},   {0xF35, 0xF35},
    {0xF37, 0xF37},   {0xF39, 0xF39},   {0xF3E, 0xF84},   {0xF86, 0xFBC},   {0xFC6, 0xFC6},   {0x1000, 0x1049},
    {0x1050, 0x109D}, {0x10A0, 0x10FA}, {0x10FC, 0x135F}, {0x1380, 0x138F}, {0x13A0, 0x13FD}, {0x1401, 0x166C},
    {0x166F, 0x167F}, {0x1681, 0x169A}, {0x16A0, 0x16EA}, {0x16EE, 0x1734}, {0x1740, 0x17D3}, {0x17D7, 0x17D7},
    {0x17DC, 0x17E9}, {0x180B, 0x180D}, {0x180F, 0x193B}, {0x1946, 0x19D9}, {0x1A00, 0x1A1B}, {0x1A20, 0x1A99},
    {0x1AA7, 0x1AA7}, {0x1AB0, 0x1ABD}, {0x1ABF, 0x1B59}, {0x1B6B, 0x1B73}, {0x1B80, 0x1BF3}, {0x1C00, 0x1C37},
    {0x1C40, 0x1C7D}, {0x1C80, 0x1CBF}, {0x1CD0, 0x1CD2}, {0x1CD4, 0x1FBC}, {0x1FBE, 0x1FBE}, {0x1FC2, 0x1FCC},
    {0x1FD0, 0x1FDB}, {0x1FE0, 0x1FEC}, {0x1FF2, 0x1FFC}, {0x2071, 0x2071}, {0x207F, 0x207F}, {0x2090, 0x209C},
    {0x20D0, 0x20DC}, {0x20E1, 0x20E1}, {0x20E5, 0x20F0}, {0x2102, 0x2102}, {0x2107, 0x2107}, {0x210A, 0x2113},
    {0x2115, 0x2115}, {0x2119, 0x211D}, {0x2124, 0x2124}, {0x2126, 0x2126}, {0x2128, 0x2128}, {0x212A, 0x212D},
    {0x212F, 0x2139}, {0x213C, 0x213F}, {0x2145, 0x2149}, {0x214E, 0x214E}, {0x2160, 0x2188}, {0x2C00, 0x2CE4},
    {0x2CEB, 0x2CF3}, {0x2D00, 0x2D6F}, {0x2D7F, 0x2DFF}, {0x2E2F, 0x2E2F},
};

// From U+3000 on nearly everything is a letter; these blocks are not.
constexpr Range symbols[] = {{0x3000, 0x3004},   {0x3008, 0x3020},   {0x3030, 0x3030},   {0x303D, 0x303F},
                             {0x30FB, 0x30FB},   {0x3190, 0x319F},   {0x3200, 0x33FF},   {0x4DC0, 0x4DFF},
                             {0xE000, 0xF8FF},   {0xFE10, 0xFE1F},   {0xFE30, 0xFE6F},   {0xFEFF, 0xFF0F},
                             {0xFF1A, 0xFF20},   {0xFF3B, 0xFF40},   {0xFF5B, 0xFF65},   {0xFFE0, 0xFFFF},
                             {0x1D000, 0x1D3FF}, {0x1F000, 0x1FAFF}, {0xE0000, 0x10FFFF}};

bool within(const Range* begin, const Range* end, std::uint32_t c) {
  const Range* r = std::lower_bound(begin, end, c, [](const Range& a, std::uint32_t v) { return a.last < v; });
  return r != end && r->first <= c;
}

bool is_letter(std::uint32_t c) {
  if (c < 0x3000) return within(std::begin(letters), std::end(letters), c);
  return !within(std::begin(symbols), std::end(symbols), c);
}

constexpr std::array<bool, 128> ascii_names = [] {
  std::array<bool, 128> t{};
  for (unsigned char c = '0'; c <= '9'; ++c) t[c] = true;
  for (unsigned char c = 'a'; c <= 'z'; ++c) t[c] = true;
  for (unsigned char c = 'A'; c <= 'Z'; ++c) t[c] = true;
  t['_'] = true;
  return t;
}();

struct Decoded {
  std::uint32_t code = 0;
  std::size_t length = 0;  // 0: no valid sequence
};

// RFC 3629: shortest form only, no surrogates, up to U+10FFFF.
Decoded decode(std::string_view s, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const std::uint32_t lead = byte(at);
  if (lead < 0x80) return {lead, 1};
  const std::size_t n = lead >= 0xF0 && lead < 0xF5   ? 4
                        : lead >= 0xE0 && lead < 0xF0 ? 3
                        : lead >= 0xC2 && lead < 0xE0 ? 2
                                                      : 0;
  if (n == 0) return {};
  std::uint32_t c = lead & (0xFFu >> (n + 1));
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {};
    c = (c << 6) | (byte(at + i) & 0x3F);
  }
  const bool too_long = (n == 3 && c < 0x800) || (n == 4 && c < 0x10000);
  if (too_long || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return {};
  return {c, n};
}

}  // namespace

std::optional<std::size_t> first_bad_byte(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\n' && !is_blank(text[i])) || c == 0x7F) return i;
    if (c < 0x80) {
      ++i;
      continue;
    }
    const std::size_t n = decode(text, i).length;
    if (n == 0) return i;
    i += n;
  }
  return std::nullopt;
}

std::size_t name_character(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  const auto c = static_cast<unsigned char>(text[at]);
  if (c < 0x80) return ascii_names[c] ? 1 : 0;
  const Decoded d = decode(text, at);
  return d.length > 0 && is_letter(d.code) ? d.length : 0;
}

std::size_t name_length(std::string_view text, std::size_t at) {
  if (at >= text.size() || is_digit(text[at])) return 0;
  std::size_t i = at;
  while (const std::size_t n = name_character(text, i)) i += n;
  return i - at;
}

std::size_t character_length(std::string_view text, std::size_t at) {
  return std::max<std::size_t>(1, decode(text, at).length);
}

std::size_t number_length(std::string_view text, std::size_t at) {
  const auto digits = [&](std::size_t i) {
    while (i < text.size() && is_digit(text[i])) ++i;
    return i;
  };
  std::size_t i = digits(at);
  if (i == at) return 0;
  if (i + 1 < text.size() && text[i] == '.' && is_digit(text[i + 1])) i = digits(i + 1);
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t j = i + 1;
    if (j < text.size() && (text[j] == '+' || text[j] == '-')) ++j;
    if (const std::size_t k = digits(j); k > j) i = k;
  }
  return i - at;
}

}  // namespace kron::syntax
