// tests/docs/compare.hpp: what a page expects against what the program said.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kron::docs {

// Equal but for the width of blanks and the dots of plots; `…` stands for anything; numbers with a point or an exponent may differ by 1e-3 of their value
// (or be both below 1e-9).
bool same_line(std::string_view expected, std::string_view actual);

// A line that is only `…` stands for any lines. Blank lines at the end do not count.
bool same_output(const std::vector<std::string>& expected, const std::vector<std::string>& actual);

}  // namespace kron::docs
