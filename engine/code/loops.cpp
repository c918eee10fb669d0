// Loops in machine code: repeated structure of a region runs as one body over places that move from iteration to iteration. What is made in
// one iteration and read in another one, or elsewhere, is put into memory of the loops' own, an iteration after the other, where the program
// has no register that must hold it. Iterations at either end whose operands do not lie as in the others are written out.
#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "engine/base/hash.hpp"
#include "engine/code/translate.hpp"

namespace kron::code {

// Equal for instructions that do the same with near operands that lie equally far back.
std::uint64_t Translation::token(Node n, std::uint32_t now) const {
  constexpr std::uint32_t near = 4096;
  if (is_barrier(n) || Sequence::is_step(n)) return mix(std::uint64_t{now} << 32 | 1);
  const Run& run = run_of(n);
  std::uint64_t h = static_cast<std::uint64_t>(run.kernel) << 16 | static_cast<std::uint64_t>(run.fn) << 8 | (alias_[n] != Producers::none);
  each_operand(n, [&](std::uint32_t reg) {
    const std::uint32_t from = source(reg);
    h = mix(h + (is_here(from) ? std::min(now - order_[from], near) : from_.region(from) == Producers::none ? near + 1 : near + 2));
  });
  return h;
}

void Translation::find(std::span<const Node> nodes) {
  // Instructions: of a region, whose code would else not stay in the caches; of a loop.
  constexpr std::size_t large = 32768, worth = 2048;
  loops_.clear();
  if (purpose_ == Purpose::tangents || packed_ || nodes.size() < large) return;
  std::vector<std::uint64_t> tokens;
  tokens.reserve(nodes.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) tokens.push_back(token(nodes[i], i));
  const std::vector<Loop> found = find_loops(tokens, worth);
  if (found.empty()) return;
  std::vector<std::uint32_t> last_use(nodes.size(), 0);
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    each_operand(nodes[i], [&](std::uint32_t reg) {
      const std::uint32_t from = source(reg);
      if (is_here(from)) last_use[order_[from]] = i;
    });
  for (Loop l : found) {
    l = cut_where_least_lives(l, last_use);
    const auto splits = [&](std::size_t i) { return i > 0 && are_twins(nodes, i - 1); };
    if (splits(l.begin) || splits(l.begin + l.period)) ++l.begin, --l.count;
    if (splits(l.end())) --l.count;
    loops_.push_back({l});
  }
}

// Calls f(register) for what the instruction reads, and for what it has to put into memory.
template <class F>
void Translation::each_place(Node n, F&& f) const {
  if (alias_[n] != Producers::none && !stored_[n]) return;
  each_operand(n, [&](std::uint32_t reg) { f(source(reg)); });
  if (stored_[n]) f(n);
}

// False: some loop is none after all, and what is read across parts has to be looked at again.
bool Translation::lay_out_loops(std::span<const Node> nodes, Native::Region& to) {
  for (const std::uint32_t reg : in_loops_) loop_place_[reg] = Producers::none;
  in_loops_.clear();
  std::uint32_t memory = 0;
  for (const RunLoop& l : loops_) choose_homes(nodes, l, memory);
  const std::size_t dropped = std::erase_if(loops_, [&](RunLoop& l) {
    find_range(nodes, l);
    constexpr std::uint32_t fewest = 4;
    return l.last < l.first + fewest || !find_moving(nodes, l);
  });
  to.loop_memory = memory;
  return dropped == 0;
}

// In each iteration the same is stored.
void Translation::choose_homes(std::span<const Node> nodes, const RunLoop& l, std::uint32_t& memory) {
  std::vector<std::uint32_t> apart;  // instructions of the body
  for (std::uint32_t b = 0; b < l.period; ++b) {
    bool wanted = false, stored = false;
    for (std::uint32_t j = 0; j < l.count; ++j) {
      const Node n = nodes[l.at(j) + b];
      wanted = wanted || from_.stored(n, purpose_);
      stored = stored || stored_[n];
    }
    if (stored && !wanted) apart.push_back(b);
    for (std::uint32_t j = 0; j < l.count; ++j) stored_[nodes[l.at(j) + b]] = stored || wanted;
  }
  for (std::uint32_t j = 0; j < l.count; ++j)
    for (std::uint32_t b : apart) {
      in_loops_.push_back(nodes[l.at(j) + b]);
      loop_place_[in_loops_.back()] = memory++;
    }
}

Translation::Place Translation::home(std::uint32_t reg) const {
  return loop_place_[reg] == Producers::none ? Place{reg, false} : Place{loop_place_[reg], true};
}

void Translation::read_at(std::span<const Node> nodes, const RunLoop& l, std::uint32_t j, std::uint32_t b, std::vector<ReadAt>& out) const {
  const Node n = nodes[l.at(j) + b];
  out.clear();
  each_place(n, [&](std::uint32_t reg) {
    if (part_[reg] == part_[n] && reg != n) out.push_back({true, {static_cast<std::uint32_t>(order_[reg] - l.at(j)), false}});
    else out.push_back({false, home(reg)});
  });
}

// The iterations around the middle whose operands are made in the same iteration or not, in all of them, and lie in the same memory. Where nearly
// all iterations lie at places that go on by equal steps, the others are left out.
void Translation::find_range(std::span<const Node> nodes, RunLoop& l) const {
  constexpr double nearly_all = 0.9;
  const std::uint32_t middle = l.count / 2;
  l.first = 0;
  l.last = l.count;
  std::vector<ReadAt> x, y, now;
  // For the operand: from where to where f(iteration, operand there) holds.
  const auto range = [&](std::uint32_t b, std::size_t k, auto&& f) {
    std::pair<std::uint32_t, std::uint32_t> r{l.first, l.last};
    const auto holds = [&](std::uint32_t j) {
      read_at(nodes, l, j, b, now);
      return now.size() == x.size() && f(j, now[k]);
    };
    for (std::uint32_t j = middle + 1; j < r.second; ++j)
      if (!holds(j)) r.second = j;
    for (std::uint32_t j = middle; j-- > r.first;)
      if (!holds(j)) r.first = j + 1;
    return r;
  };
  for (std::uint32_t b = 0; b < l.period && l.last > l.first + 1; ++b) {
    read_at(nodes, l, middle, b, x);
    read_at(nodes, l, middle + 1, b, y);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const ReadAt from = x[k];
      const std::uint32_t step = from.here ? 0 : y[k].place.number - from.place.number;
      auto r = range(b, k, [&](std::uint32_t j, ReadAt at) {  // numbers are modulo 2^32
        return at.here == from.here && at.place.in_loops == from.place.in_loops && at.place.number == from.place.number + step * (j - middle);
      });
      if (!from.here && r.second - r.first < nearly_all * (l.last - l.first))
        r = range(b, k, [&](std::uint32_t, ReadAt at) { return !at.here && at.place.in_loops == from.place.in_loops; });
      std::tie(l.first, l.last) = r;
    }
  }
}

// How the places that the body names move. False: two that are one in the first iteration part, or none moves.
bool Translation::find_moving(std::span<const Node> nodes, RunLoop& l) const {
  l.moving.clear();
  bool calls = false;
  std::vector<ReadAt> at;
  for (std::uint32_t b = 0; b < l.period; ++b) {
    const Node n = nodes[l.at(l.first) + b];
    calls = calls || is_called(run_of(n));
    std::vector<std::uint32_t> registers;
    each_place(n, [&](std::uint32_t reg) { registers.push_back(reg); });
    std::vector<std::vector<std::int32_t>> numbers(registers.size());
    for (std::uint32_t j = l.first; j < l.last; ++j) {
      read_at(nodes, l, j, b, at);
      for (std::size_t k = 0; k < at.size(); ++k) numbers[k].push_back(static_cast<std::int32_t>(at[k].place.number));
    }
    for (std::size_t k = 0; k < registers.size(); ++k) {
      if (at[k].here) continue;
      Moving m{home(registers[k]), numbers[k][1] - numbers[k][0]};
      for (std::size_t j = 1; j < numbers[k].size(); ++j)
        if (numbers[k][j] - numbers[k][j - 1] != m.stride) m.table = numbers[k];
      const auto [it, is_new] = l.moving.emplace(registers[k], m);
      if (!is_new && it->second != m) return false;
    }
  }
  return choose_indices(l, calls ? jit::indices_over_calls : jit::indices);
}

// The most frequent strides have an index, the others a table. False: nothing moves.
bool Translation::choose_indices(RunLoop& l, std::size_t most) {
  std::map<std::int32_t, std::size_t> uses;
  bool tables = false;
  for (const auto& [reg, m] : l.moving) {
    if (m.table.empty() && m.stride != 0) ++uses[m.stride];
    tables = tables || !m.table.empty();
  }
  std::vector<std::pair<std::size_t, std::int32_t>> sorted;
  for (const auto& [stride, n] : uses) sorted.emplace_back(n, stride);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  if (sorted.size() > most) sorted.resize(most);
  l.strides.clear();
  for (const auto& [n, stride] : sorted) l.strides.push_back(stride);
  for (auto& [reg, m] : l.moving) {
    if (!m.table.empty() || m.stride == 0) continue;
    const auto it = std::find(l.strides.begin(), l.strides.end(), m.stride);
    m.index = static_cast<std::uint8_t>(it - l.strides.begin() + 1);
    if (it != l.strides.end()) continue;
    m.index = 0;
    for (std::uint32_t j = 0; j < l.last - l.first; ++j) m.table.push_back(static_cast<std::int32_t>(m.place.number) + m.stride * static_cast<std::int32_t>(j));
    tables = true;
  }
  return tables || !l.strides.empty();
}

void Translation::run_loop(std::span<const Node> nodes, const RunLoop& l, PlacedSegment& body, Native::Region& to) {
  running_ = &l;
  segment_ = &body;
  broadcasts_.clear();
  now_ = part_[nodes[l.at(l.first)]];
  for (std::size_t i = l.at(l.first); i < l.at(l.first + 1); ++i) i = translate(nodes, i, to);
  for (std::size_t i = l.at(l.first + 1); i < l.at(l.last); ++i) note_guard(nodes[i], to);
  body.count = l.last - l.first;
  body.strides = l.strides;
  make_table(l, body);
  running_ = nullptr;
}

// Places of the list that are found by a table get its columns.
void Translation::make_table(const RunLoop& l, PlacedSegment& body) const {
  std::vector<const std::vector<std::int32_t>*> columns(body.places.size(), nullptr);
  for (const auto& [reg, m] : l.moving)
    if (position_in_[reg] == now_ && !m.table.empty()) columns[position_[reg]] = &m.table;
  std::uint32_t n = 0;
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (columns[k]) body.places[k] = n++;
  std::erase(columns, nullptr);
  for (std::uint32_t j = 0; j < body.count; ++j)
    for (const auto* c : columns) body.table.push_back((*c)[j]);
}

}  // namespace kron::code
