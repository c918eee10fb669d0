#include "engine/jit/cache.hpp"

#include <utility>

#include "engine/base/hash.hpp"

namespace kron::jit {
namespace {

std::uint64_t content(const Segment& s, const Moves& moves) {
  std::uint64_t h = s.size();
  for (const Instruction& i : s) {
    h = combine(h, static_cast<std::uint64_t>(i.op) << 40 | std::uint64_t{i.wide} << 48 | std::uint64_t{i.function} << 32 | i.place);
    h = combine(h, std::uint64_t{i.a.bits} << 32 | i.b.bits);
    if (i.op == Operation::select) h = combine(h, i.c.bits);
  }
  for (const Move m : moves) h = combine(h, std::uint64_t{m.in_loops} << 9 | std::uint64_t{m.by_table} << 8 | m.index);
  return h;
}

}  // namespace

std::shared_ptr<const Code> Cache::get(const Segment& s, const Moves& moves, CacheCounts& counts) {
  const std::uint64_t key = content(s, moves);
  const std::lock_guard lock(mutex_);
  if (const auto it = young_.find(key); it != young_.end()) {
    ++counts.reused;
    return it->second;
  }
  if (const auto it = old_.find(key); it != old_.end()) {
    ++counts.reused;
    keep(key, it->second);
    return young_.at(key);
  }
  ++counts.assembled;
  counts.instructions += s.size();
  keep(key, std::make_shared<const Code>(assemble(s, moves)));
  return young_.at(key);
}

void Cache::keep(std::uint64_t key, const std::shared_ptr<const Code>& code) {
  constexpr std::size_t most = 32 << 20;
  const auto kept = code;  // of the older generation, which may go
  if (young_bytes_ > most) {
    old_ = std::exchange(young_, {});
    young_bytes_ = 0;
  }
  young_bytes_ += kept->bytes.size() + kept->patches.size() * sizeof(Patch);
  young_.emplace(key, kept);
}

}  // namespace kron::jit
