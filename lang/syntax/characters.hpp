// lang/syntax/characters.hpp: bytes to characters: UTF-8, and what may stand in a name.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace kron::syntax {

// Where the text stops being text: a control character (NUL, say) or invalid UTF-8; nullopt when all of it is text.
std::optional<std::size_t> first_bad_byte(std::string_view text);

// Length in bytes of the character at `at` when it may stand in a name, else 0. A digit may, except as the first one.
std::size_t name_character(std::string_view text, std::size_t at);

// Length in bytes of the name (or keyword) that starts at `at`, or 0.
std::size_t name_length(std::string_view text, std::size_t at);

// Length in bytes of the character at `at` (1 where the text is no UTF-8).
std::size_t character_length(std::string_view text, std::size_t at);

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

// Length of a number's text at `at`: digits [. digits] [e [+-] digits], or 0.
std::size_t number_length(std::string_view text, std::size_t at);

}  // namespace kron::syntax
