// repl/text.hpp: text for people: numbers, display width of UTF-8, tables, glob patterns.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kron::repl {

std::string number(double);                         // six significant digits: 0.123457, 1e-6, 12345.7
std::string seconds(double);                        // "1.23 ms"
std::string plural(std::size_t n, std::string_view one, std::string_view many = {});  // "1 block", "2 blocks"
std::string joined(const std::vector<std::string>&, std::string_view separator = ", ", std::size_t most = static_cast<std::size_t>(-1));

std::size_t display_width(std::string_view utf8);   // columns on a terminal: wide letters 2, combining ones 0
std::string padded(std::string_view, std::size_t width, bool right = false);
std::string shortened(std::string_view, std::size_t width);  // to a width, with … where cut

std::string reflowed(std::string_view, std::size_t width);   // paragraphs to a width; lines that begin with a blank stay

// Rows under a heading, columns aligned by display width with two blanks between. The last column is not padded.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> heading) : heading_(std::move(heading)), right_(heading_.size()) {}
  TextTable& right(std::size_t column) { right_[column] = true; return *this; }
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::size_t size() const { return rows_.size(); }
  std::string text(std::size_t width = 0) const;    // width > 0: the last column is shortened to fit

 private:
  std::vector<std::string> heading_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

bool matches(std::string_view pattern, std::string_view text);  // glob: * any run, ? one character; `[` stands for itself

}  // namespace kron::repl
