// engine/base/small.hpp: a vector of trivially copyable things whose first N need no heap. Nearly every value of a model is a scalar
// or a vector of three, and nearly every block one equation: with a heap for each, allocating would be what most of an edit is about.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <type_traits>

namespace kron {

template <class T, std::size_t N>
class Small {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Small() = default;
  Small(std::initializer_list<T> list) { append(list.begin(), list.size()); }
  Small(std::size_t n, T fill) { resize(n, fill); }
  Small(const Small& o) { append(o.data(), o.size_); }
  Small(Small&& o) noexcept { steal(o); }
  Small& operator=(const Small& o) {
    if (this != &o) {
      size_ = 0;
      append(o.data(), o.size_);
    }
    return *this;
  }
  Small& operator=(Small&& o) noexcept {
    if (this != &o) steal(o);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return heap_ ? heap_.get() : here_; }
  const T* data() const { return heap_ ? heap_.get() : here_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void reserve(std::size_t n) {
    if (n <= capacity_) return;
    n = std::max(n, std::size_t{capacity_} * 2);
    std::unique_ptr<T[]> bigger(new T[n]);
    std::copy(begin(), end(), bigger.get());
    heap_ = std::move(bigger);
    capacity_ = static_cast<std::uint32_t>(n);
  }
  void push_back(T v) {
    reserve(std::size_t{size_} + 1);
    data()[size_++] = v;
  }
  void pop_back() { --size_; }
  void append(const T* first, std::size_t n) {
    reserve(size_ + n);
    std::copy(first, first + n, data() + size_);
    size_ += static_cast<std::uint32_t>(n);
  }
  void append(const Small& o) { append(o.data(), o.size()); }
  void resize(std::size_t n, T fill = T{}) {
    reserve(n);
    for (std::size_t i = size_; i < n; ++i) data()[i] = fill;
    size_ = static_cast<std::uint32_t>(n);
  }
  void clear() { size_ = 0; }
  friend bool operator==(const Small& a, const Small& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

 private:
  void steal(Small& o) {
    heap_ = std::move(o.heap_);
    size_ = o.size_;
    capacity_ = o.capacity_;
    if (!heap_) std::copy(o.here_, o.here_ + size_, here_);
    o.size_ = 0;
    o.capacity_ = N;
  }
  T here_[N]{};
  std::unique_ptr<T[]> heap_;
  std::uint32_t size_ = 0, capacity_ = N;  // of blocks there are as many as equations
};

// Room for n more; grows by doubling, unlike `reserve` alone.
template <class Vector>
void grow(Vector& v, std::size_t n) {
  if (v.capacity() - v.size() < n) v.reserve(std::max(v.size() + n, 2 * v.size()));
}

}  // namespace kron
