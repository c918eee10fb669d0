// engine/jit/function.hpp: codes put together and made executable.
//   Memory is never writable and executable at one address (asmjit's dual mapping); a function gives its memory back when it dies.
#pragma once
#include <memory>
#include <span>

#include "engine/jit/assemble.hpp"

namespace kron::jit {

// Runs after the part before it. The places' numbers are indices into the values (or the memory of loops), those of wide places into the wide
// values. A loop runs `count` times; after each time its indices go on by `strides`, and the next row of its table holds.
struct Part {
  const Code* code = nullptr;
  std::span<const std::uint32_t> places{}, wide_places{};
  std::span<const std::int32_t> strides{};  // none is 0
  std::span<const std::int32_t> table{};    // places, iteration after iteration
  std::uint32_t count = 1;
};

class Function {
 public:
  // Null: there is no memory for it, or a place is out of reach.
  static std::shared_ptr<const Function> link(std::span<const Part>);
  ~Function();
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  // False: a `require` did not hold, and values may be missing. `more`: the wide values, or the memory of loops.
  bool operator()(double* values, double* frame, const void* const* functions, double* more = nullptr) const {
    return entry_(values, frame, functions, more) == 0;
  }
  std::size_t frame_size() const { return frame_size_; }  // doubles
  std::size_t bytes() const { return bytes_; }

 private:
  using Entry = int (*)(double*, double*, const void* const*, double*);
  struct Memory;
  Function(std::shared_ptr<Memory>, Entry, std::size_t frame_size, std::size_t bytes, std::vector<std::vector<std::int32_t>> tables);
  std::shared_ptr<Memory> memory_;
  Entry entry_;
  std::size_t frame_size_, bytes_;
  std::vector<std::vector<std::int32_t>> tables_;  // of the loops, in bytes
};

void fill_numbers(double* frame);

}  // namespace kron::jit
