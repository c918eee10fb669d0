// tests/docs/reference.hpp: the pages that are made from the project's own texts.
#pragma once
#include <filesystem>
#include <string>

namespace kron::docs {

std::string error_page();                                         // docs/errors.md, from engine/base/codes/*.def
std::string library_page(const std::filesystem::path& libraries); // docs/library.md, from the classes' doc strings

}  // namespace kron::docs
