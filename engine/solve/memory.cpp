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
  constexpr double new_parts = 4;    // times the average: what an added part may cost
  struct Found {
    std::size_t common;
    const Winner* winner;
  };
  std::vector<Found> found;
  for (const Winner& w : winners_) {
    if (w.question != question) continue;
    const std::size_t n = common(unknowns, w.unknowns);
    const std::size_t larger = std::max(unknowns.size(), w.unknowns.size());
    if (static_cast<double>(n) >= similar * static_cast<double>(larger)) found.push_back({n, &w});
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& x, const Found& y) { return x.common > y.common; });
  Expected e;
  if (found.empty()) return e;
  const bool something_went = found[0].common < found[0].winner->unknowns.size();  // which may have been in the way of a better one
  for (const Found& f : found)
    if (std::find(e.ladders.begin(), e.ladders.end(), f.winner->ladder) == e.ladders.end()) e.ladders.push_back(f.winner->ladder);
  e.ladders.resize(std::min<std::size_t>(e.ladders.size(), something_went ? 2 : 1));
  e.rate = found[0].winner->rate;
  const auto all = static_cast<double>(unknowns.size()), added = all - static_cast<double>(found[0].common);
  e.cost = e.rate * ((1 + about) * all + new_parts * added);
  return e;
}

void Memory::put(Winner w) {
  constexpr std::size_t most = 32;
  std::erase_if(winners_, [&](const Winner& x) { return x.question == w.question && x.unknowns == w.unknowns; });
  winners_.push_front(std::move(w));
  if (winners_.size() > most) winners_.pop_back();
}

}  // namespace kron::solve
