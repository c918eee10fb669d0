// Whether the tests run under AddressSanitizer, which makes them ten times slower and more: random tests try fewer cases then.
#pragma once

namespace kron {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace kron
