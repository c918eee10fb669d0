#include "engine/solve/memory.hpp"

#include <algorithm>

namespace kron::solve {
namespace {

std::size_t common(const std::vector<std::uint64_t>& x, const std::vector<std::uint64_t>& y) {
  std::size_t n = 0;
  for (auto i = x.begin(), j = y.begin(); i != x.end() && j != y.end();) {
    if (*i == *j) ++n, ++i, ++j;
    else if (*i < *j) ++i;
    else ++j;
  }
  return n;
}

}  // namespace

Memory::Expected Memory::expected(const std::vector<std::uint64_t>& unknowns, std::uint64_t question) const {
  constexpr double similar = 0.75;   // of the unknowns of both
  constexpr double about = 0.01;     // what the order of statements may cost, too
  constexpr double extent = 4;       // times the average: what a part may cost that was added or changed; by it, what one that went has cost
  Expected e;
  std::size_t most = 0;
  for (const Winner& w : winners_) {
    if (w.question != question) continue;
    const std::size_t n = common(unknowns, w.unknowns);
    const std::size_t larger = std::max(unknowns.size(), w.unknowns.size());
    if (static_cast<double>(n) < similar * static_cast<double>(larger) || (e.before && n <= most)) continue;
    most = n;
    e.before = &w;
  }
  if (!e.before) return e;
  const auto now = static_cast<double>(unknowns.size()), then = static_cast<double>(e.before->unknowns.size());
  const double added = std::max(now - then, 0.0), removed = std::max(then - now, 0.0), changed = now - static_cast<double>(most);
  e.fair = e.before->fair + extent * e.before->rate * added;
  e.most = (1 + about) * (e.before->fair - e.before->rate * removed / extent) + extent * e.before->rate * added;
  e.most_changed = e.most + extent * e.before->rate * (changed - added);
  return e;
}

void Memory::put(Winner w) {
  constexpr std::size_t most = 4;  // they take room
  std::erase_if(winners_, [&](const Winner& x) { return x.question == w.question && x.unknowns == w.unknowns; });
  winners_.push_front(std::move(w));
  if (winners_.size() > most) winners_.pop_back();
}

}  // namespace kron::solve
