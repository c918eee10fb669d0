// engine/code/owned.hpp: a pointer of a C library and the function that frees it.
#pragma once
#include <memory>

namespace kron::code {

template <class T, class F>
auto owned(T* pointer, F free) {
  return std::unique_ptr<T, F>(pointer, free);
}

}  // namespace kron::code
