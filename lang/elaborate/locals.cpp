#include "lang/elaborate/locals.hpp"

#include <iterator>

namespace kron::elaborate {

std::optional<std::size_t> Locals::find(Name name, std::size_t place) const {
  const auto is_seen = [&](std::size_t i) { return list_[i].ended == Local::now || place < list_[i].ended; };
  if (list_.size() - placed_ > few)
    for (; placed_ < list_.size(); ++placed_) places_[list_[placed_].name].push_back(placed_);
  for (std::size_t i = list_.size(); i-- > placed_;)
    if (list_[i].name == name && is_seen(i)) return i;
  if (placed_ == 0) return std::nullopt;
  const auto it = places_.find(name);
  if (it == places_.end()) return std::nullopt;
  for (std::size_t k = it->second.size(); k-- > 0;)
    if (is_seen(it->second[k])) return it->second[k];
  return std::nullopt;
}

std::vector<Local> Locals::take_from(std::size_t first) {
  forget(first);
  const auto at = list_.begin() + static_cast<std::ptrdiff_t>(first);
  std::vector<Local> taken(std::make_move_iterator(at), std::make_move_iterator(list_.end()));
  list_.resize(first);
  return taken;
}

void Locals::put_back(std::vector<Local> taken) { std::ranges::move(taken, std::back_inserter(list_)); }

void Locals::forget(std::size_t to) {
  for (; placed_ > to; --placed_) places_[list_[placed_ - 1].name].pop_back();
}

}  // namespace kron::elaborate
