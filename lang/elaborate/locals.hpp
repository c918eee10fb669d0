// lang/elaborate/locals.hpp: the local names of a text that is evaluated: iterators, arguments, names that a function's body assigns.
//   data   a name that is assigned again is a new local, so that texts which saw the old one can be read once more
//   find   the last one of a name: from the end where there are few; else by the places of each name
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "lang/elaborate/value.hpp"

namespace kron::elaborate {

class Evaluator;

struct Local {  // an iterator, a function's argument or a name assigned in its body
  Name name;
  Value value;
  const syntax::Expr* source = nullptr;  // what it was computed from, to compute it again where its number is needed
  Evaluator* scope = nullptr;            // … and where
  std::size_t limit = 0;                 // … with the locals before this one
  std::shared_ptr<const Value> structural;  // … once it has been
  std::optional<Variability> told;       // by what it was computed from
  std::optional<std::int64_t> integer;   // of an iterator, where it is one
  std::optional<Rational> number;        // of an iterator: makes its node again once the pool was emptied
  static constexpr std::size_t now = static_cast<std::size_t>(-1);
  std::size_t ended = now;               // of an iterator whose round is over: only texts that stand before this place see it
  bool in_round = false;                 // assigned in a loop
};

class Locals {
 public:
  std::size_t size() const { return list_.size(); }
  Local& operator[](std::size_t i) { return list_[i]; }
  const Local& operator[](std::size_t i) const { return list_[i]; }
  auto begin() { return list_.begin(); }
  auto end() { return list_.end(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

  std::size_t push(Local l) {
    list_.push_back(std::move(l));
    return list_.size() - 1;
  }
  void cut(std::size_t to) {
    forget(to);
    list_.resize(to);
  }
  std::vector<Local> take_from(std::size_t first);
  void put_back(std::vector<Local>);

  // The last one of this name that a text sees which stands at `place`.
  std::optional<std::size_t> find(Name, std::size_t place) const;

 private:
  static constexpr std::size_t few = 32;
  void forget(std::size_t to);

  std::vector<Local> list_;
  mutable std::unordered_map<Name, std::vector<std::size_t>> places_;  // of the first `placed_`, ascending
  mutable std::size_t placed_ = 0;
};

}  // namespace kron::elaborate
