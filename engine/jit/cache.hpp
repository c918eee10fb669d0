// engine/jit/cache.hpp: what was assembled before, by content. Threads may share one.
//   Two generations: what was not asked for while the younger one filled up is forgotten, so memory stays bounded.
#pragma once
#include <memory>
#include <mutex>
#include <unordered_map>

#include "engine/jit/assemble.hpp"

namespace kron::jit {

struct CacheCounts {  // segments; instructions of those assembled
  std::size_t assembled = 0, reused = 0, instructions = 0;
};

class Cache {
 public:
  std::shared_ptr<const Code> get(const Segment&, const Moves&, CacheCounts&);

 private:
  using Generation = std::unordered_map<std::uint64_t, std::shared_ptr<const Code>>;
  void keep(std::uint64_t content, const std::shared_ptr<const Code>&);
  std::mutex mutex_;
  Generation young_, old_;
  std::size_t young_bytes_ = 0;
};

}  // namespace kron::jit
