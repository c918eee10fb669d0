// engine/base/id.hpp: one type per kind of index, so that swapped indices do not compile.
//   Id<Tag> wraps a 32-bit index; "none" is std::optional<Id>, never a magic value.
//   Table<I, T> is a std::vector<T> that only an I may index.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace kron {

template <class Tag>
struct Id {
  std::uint32_t value = 0;
  constexpr Id() = default;
  constexpr explicit Id(std::size_t v) : value(static_cast<std::uint32_t>(v)) {}
  friend constexpr auto operator<=>(Id, Id) = default;
  constexpr Id& operator++() { ++value; return *this; }
};

template <class I, class T>
class Table {
 public:
  Table() = default;
  explicit Table(std::size_t n, const T& fill = T{}) : data_(n, fill) {}
  decltype(auto) operator[](I i) { return data_[i.value]; }
  decltype(auto) operator[](I i) const { return data_[i.value]; }
  std::size_t size() const { return data_.size(); }
  bool empty() const { return data_.empty(); }
  bool contains(I i) const { return i.value < data_.size(); }
  I push_back(T v) { data_.push_back(std::move(v)); return I{data_.size() - 1}; }
  void resize(std::size_t n, const T& fill = T{}) { data_.resize(n, fill); }
  void assign(std::size_t n, const T& fill) { data_.assign(n, fill); }
  void reserve(std::size_t n) { data_.reserve(n); }
  void clear() { data_.clear(); }
  auto begin() { return data_.begin(); }
  auto end() { return data_.end(); }
  auto begin() const { return data_.begin(); }
  auto end() const { return data_.end(); }
  T& back() { return data_.back(); }
  std::vector<T>& raw() { return data_; }
  const std::vector<T>& raw() const { return data_; }

 private:
  std::vector<T> data_;
};

}  // namespace kron

template <class Tag>
struct std::hash<kron::Id<Tag>> {
  std::size_t operator()(kron::Id<Tag> i) const noexcept { return std::hash<std::uint32_t>{}(i.value); }
};
