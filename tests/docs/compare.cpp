#include "tests/docs/compare.hpp"

#include <cmath>
#include <cstdlib>

namespace kron::docs {

namespace {

constexpr std::string_view anything = "…";

bool blank(char c) { return c == ' ' || c == '\t'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

std::string_view skip_blanks(std::string_view s) {
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  return s;
}

// Length of the number at the beginning, 0 where there is none.
std::size_t number_length(std::string_view s) {
  std::size_t i = 0;
  while (i < s.size() && digit(s[i])) ++i;
  if (i == 0) return 0;
  if (i + 1 < s.size() && s[i] == '.' && digit(s[i + 1]))
    for (++i; i < s.size() && digit(s[i]);) ++i;
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    std::size_t k = i + 1;
    if (k < s.size() && (s[k] == '-' || s[k] == '+')) ++k;
    if (k < s.size() && digit(s[k])) {
      while (k < s.size() && digit(s[k])) ++k;
      i = k;
    }
  }
  return i;
}

bool close(std::string_view a, std::string_view b) {
  if (a == b) return true;
  if (a.find_first_of(".e") == std::string_view::npos && b.find_first_of(".e") == std::string_view::npos) return false;
  const double x = std::strtod(std::string(a).c_str(), nullptr), y = std::strtod(std::string(b).c_str(), nullptr);
  return std::abs(x - y) <= 1e-3 * std::max(std::abs(x), std::abs(y)) || (std::abs(x) < 1e-9 && std::abs(y) < 1e-9);
}

}  // namespace

namespace {

// The dots of a plot become blanks: Braille patterns, U+2800 to U+28FF.
std::string without_dots(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto byte = [&](std::size_t k) { return i + k < line.size() ? static_cast<unsigned char>(line[i + k]) : 0u; };
    const bool dots = byte(0) == 0xE2 && byte(1) >= 0xA0 && byte(1) <= 0xA3;
    out += dots ? ' ' : line[i];
    if (dots) i += 2;
  }
  return out;
}

bool fits(std::string_view e, std::string_view a) {
  while (true) {
    if (e.substr(0, anything.size()) == anything) {
      e.remove_prefix(anything.size());
      if (skip_blanks(e).empty()) return true;
      for (std::size_t i = 0; i <= a.size(); ++i)
        if (fits(e, a.substr(i))) return true;
      return false;
    }
    if (skip_blanks(e).empty()) return skip_blanks(a).empty();
    if (skip_blanks(a).empty()) return false;
    if (blank(e.front()) || blank(a.front())) {
      if (!blank(e.front()) || !blank(a.front())) return false;
      e = skip_blanks(e);
      a = skip_blanks(a);
      continue;
    }
    const std::size_t ne = number_length(e), na = number_length(a);
    if (ne > 0 && na > 0) {
      if (!close(e.substr(0, ne), a.substr(0, na))) return false;
      e.remove_prefix(ne);
      a.remove_prefix(na);
      continue;
    }
    if (e.front() != a.front()) return false;
    e.remove_prefix(1);
    a.remove_prefix(1);
  }
}

}  // namespace

bool same_line(std::string_view expected, std::string_view actual) {
  if (actual.ends_with('\r')) actual.remove_suffix(1);  // a CSV file's lines end in CR LF, the page's do not
  return fits(without_dots(expected), without_dots(actual));
}

bool same_output(const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
  auto trimmed = [](const std::vector<std::string>& lines) {
    std::size_t n = lines.size();
    while (n > 0 && skip_blanks(lines[n - 1]).empty()) --n;
    return n;
  };
  const std::size_t m = trimmed(expected), n = trimmed(actual);
  // fits[j]: the expected lines from i on match the actual ones from j on
  std::vector<bool> fits(n + 1, false), next;
  fits[n] = true;
  for (std::size_t i = m; i-- > 0;) {
    next.assign(n + 1, false);
    if (expected[i] == anything) {
      bool any = false;
      for (std::size_t j = n + 1; j-- > 0;) next[j] = any = any || fits[j];
    } else {
      for (std::size_t j = 0; j < n; ++j) next[j] = fits[j + 1] && same_line(expected[i], actual[j]);
    }
    fits.swap(next);
  }
  return fits[0];
}

}  // namespace kron::docs
