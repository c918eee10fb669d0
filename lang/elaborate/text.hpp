// lang/elaborate/text.hpp: small helpers on names and places that several stages share.
#pragma once
#include <string>
#include <vector>

#include "lang/elaborate/context.hpp"
#include "lang/syntax/ast.hpp"

namespace kron::elaborate {

// The class that a lookup found, or an error with candidates, a suggestion, or the library that would have it.
const Definition& checked_class(Context&, const Lookup&, const std::vector<syntax::Part>& path, const File&, Span);

std::string element_text(const Sizes& sizes, std::uint64_t index);  // "[2,3]" of a flat index; "" of a scalar
std::vector<std::uint32_t> element_index(const Sizes& sizes, std::uint64_t index);

// The built-in enumeration of the attribute `state`.
const Definition& state_enumeration();

}  // namespace kron::elaborate
