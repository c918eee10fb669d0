# Filled in by the packaging step: `cmake --install` gives kron, the standard library and the C++ headers.
