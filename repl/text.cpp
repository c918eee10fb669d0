#include "repl/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kron::repl {

namespace {

std::string tidy(std::string s) {  // "1e-06" to "1e-6"
  const std::size_t e = s.find('e');
  if (e == std::string::npos) return s;
  std::string digits = s.substr(e + 1);
  const bool negative = digits[0] == '-';
  digits.erase(0, digits.find_first_not_of("+-0"));
  return s.substr(0, e) + (negative ? "e-" : "e") + digits;
}

std::string printed(const char* format, double x) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, x);
  return buffer;
}

// One code point from `at` on; bytes that are no UTF-8 count as one character each.
char32_t next_character(std::string_view s, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(s[at++]);
  const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
  char32_t c = more == 3 ? lead & 7u : more == 2 ? lead & 15u : more == 1 ? lead & 31u : lead;
  for (int i = 0; i < more; ++i) {
    if (at >= s.size() || (static_cast<unsigned char>(s[at]) & 0xC0) != 0x80) return 0xFFFD;
    c = c << 6 | (static_cast<unsigned char>(s[at++]) & 0x3Fu);
  }
  return c;
}

struct Range {
  char32_t first, last;
};

bool in_any(char32_t c, std::initializer_list<Range> ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [&](Range r) { return c >= r.first && c <= r.last; });
}

// The C library's wcwidth depends on the locale; these ranges (Unicode Standard Annex 11) do not.
std::size_t width_of(char32_t c) {
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return 0;
  if (in_any(c, {{0x300, 0x36f}, {0x483, 0x489}, {0x591, 0x5bd}, {0x610, 0x61a}, {0x64b, 0x65f}, {0x1ab0, 0x1aff},
                 {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}}))
    return 0;
  if (in_any(c, {{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0x33ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xa000, 0xa4cf},
                 {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
                 {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}}))
    return 2;
  return 1;
}

}  // namespace

std::string number(double x) {
  if (x == 0) return "0";
  if (!std::isfinite(x)) return std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
  return tidy(printed("%.6g", x));
}

std::string seconds(double s) {
  if (s >= 100) return printed("%.0f s", s);
  if (s >= 1) return printed("%.3g s", s);
  if (s >= 1e-3) return printed("%.3g ms", s * 1e3);
  return printed("%.3g µs", s * 1e6);
}

std::string plural(std::size_t n, std::string_view one, std::string_view many) {
  std::string s = std::to_string(n) + " ";
  if (n == 1) return s.append(one);
  return many.empty() ? s.append(one).append("s") : s.append(many);
}

std::string joined(const std::vector<std::string>& list, std::string_view separator, std::size_t most) {
  std::string s;
  for (std::size_t i = 0; i < list.size() && i < most; ++i) {
    if (i) s += separator;
    s += list[i];
  }
  if (list.size() > most) s += std::string(separator) + "… (" + std::to_string(list.size() - most) + " more)";
  return s;
}

std::size_t display_width(std::string_view s) {
  std::size_t w = 0;
  for (std::size_t at = 0; at < s.size();) w += width_of(next_character(s, at));
  return w;
}

std::string padded(std::string_view s, std::size_t width, bool right) {
  const std::size_t w = display_width(s);
  const std::string blanks(width > w ? width - w : 0, ' ');
  return right ? blanks + std::string(s) : std::string(s) + blanks;
}

std::string shortened(std::string_view s, std::size_t width) {
  if (display_width(s) <= width) return std::string(s);
  std::size_t w = 0, at = 0, end = 0;
  while (at < s.size()) {
    w += width_of(next_character(s, at));
    if (w + 1 > width) break;
    end = at;
  }
  return std::string(s.substr(0, end)) + "…";
}

std::string reflowed(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t used = 0;  // of the open line
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool verbatim = line.empty() || line.front() == ' ';
    if (verbatim) {
      if (used > 0) out += "\n";
      out.append(line).append("\n");
      used = 0;
      continue;
    }
    while (!line.empty()) {
      const std::size_t stop = std::min(line.find(' '), line.size());
      const std::string_view word = line.substr(0, stop);
      line.remove_prefix(std::min(stop + 1, line.size()));
      const std::size_t w = display_width(word);
      if (used > 0 && used + 1 + w > width) {
        out += "\n";
        used = 0;
      }
      if (used > 0) out += ' ';
      out.append(word);
      used += w + (used > 0);
    }
  }
  if (used > 0) out += "\n";
  return out;
}

std::string TextTable::text(std::size_t width) const {
  std::vector<std::size_t> widths(heading_.size());
  auto measure = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], display_width(cells[i]));
  };
  measure(heading_);
  for (const auto& r : rows_) measure(r);
  std::string out;
  auto print = [&](const std::vector<std::string>& cells) {
    std::string line;
    std::size_t used = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool last = i + 1 == cells.size();
      if (last && !right_[i]) line += width > used + 8 ? shortened(cells[i], width - used) : cells[i];
      else line += padded(cells[i], widths[i], right_[i]) + (last ? "" : "  ");
      used += widths[i] + 2;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  print(heading_);
  for (const auto& r : rows_) print(r);
  return out;
}

// Greedy with one point of return: linear in pattern times text at worst.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace kron::repl
