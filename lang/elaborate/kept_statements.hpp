// lang/elaborate/kept_statements.hpp: what statements of the workspace came to, kept for the next elaboration.
//   in    a statement that is the same object as then
//   out   its component or connection as it was made, with slots relative to those of the components it speaks of
//   keep  all that it depends on is the statement and what is kept beside it; where components stand is added again
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lang/elaborate/cache.hpp"
#include "lang/syntax/ast.hpp"

namespace kron::elaborate {

// Of a connect statement between two scalar components.
struct KeptConnection {
  static constexpr syntax::StmtKind kind = syntax::StmtKind::connect;
  syntax::StmtPtr statement;
  struct End {
    Name component;
    std::uint32_t member = 0;  // its number
    std::shared_ptr<const Elaboration> type;
    Name connector;                                    // of the component; empty: it is deeper down
    std::shared_ptr<const Elaboration> connector_type;
    std::uint32_t connector_slot = 0;                  // relative to the component's
  };
  std::array<End, 2> ends;
  model::Connection connection;           // slots relative to those of the two components
  std::vector<model::SlotPair> records;   // edges of the over-determined graph
};

// Of a loop of connect statements between two components each, which hold nothing but numbers and its iterator in subscripts.
struct KeptLoop {
  static constexpr syntax::StmtKind kind = syntax::StmtKind::for_;
  syntax::StmtPtr statement;
  std::int64_t first = 0, step = 0;
  std::uint64_t count = 0;
  struct Part {  // a component, or an array of them
    Name component;
    std::uint32_t slot = 0;  // of its first element
    Sizes sizes;
    std::vector<std::shared_ptr<const Elaboration>> types;
  };
  std::vector<Part> parts;
  struct Made {
    model::Connection connection;
    std::array<std::uint32_t, 2> part{};
    std::uint32_t records = 0;
  };
  std::vector<Made> made;                 // round by round
  std::vector<model::SlotPair> records;   // theirs, one after the other
};

// Of the declaration of a scalar component with modifications that are numbers.
struct KeptComponent {
  static constexpr syntax::StmtKind kind = syntax::StmtKind::declaration;
  syntax::StmtPtr statement;
  Name class_name;                        // as it is written; empty: it is a longer path
  const Definition* definition = nullptr; // what that meant
  Requested made;
  std::optional<std::uint64_t> graph;     // hash of the answers that it was given
  Small<model::Binding, 1> bindings;      // of the modifications; slots relative to the component's, operands to these:
  Small<model::Operand, 2> operands;
};

// A pair of members of two connected connectors, of records where there are any: nothing else connects these.
inline std::optional<model::SlotPair> first_pair(std::span<const model::SlotPair> records, const model::Connection& c) {
  if (!records.empty()) return records.front();
  return c.potentials.empty() ? std::nullopt : std::optional(c.potentials[0]);
}
inline std::uint64_t key_of(const model::SlotPair& p) {
  const auto [low, high] = std::minmax(p.first, p.second);
  return std::uint64_t{low} << 32 | high;
}

template <class Kept>
class KeptByStatement {
 public:
  void begin();                           // the statements once more, from the first
  Kept* find(const syntax::Stmt&);        // nearly always the one behind the one asked for before
  std::uint32_t keep(Kept k) {            // also one that was found
    now_.push_back(std::move(k));
    return static_cast<std::uint32_t>(now_.size() - 1);
  }
  Kept& operator[](std::uint32_t k) { return now_[k]; }

 private:
  std::vector<Kept> before_, now_;
  std::size_t next_ = 0, found_ = 0;
  std::unordered_map<const syntax::Stmt*, std::size_t> place_;  // in before_; empty: not yet
};

struct KeptStatements {
  KeptByStatement<KeptComponent> components;
  KeptByStatement<KeptConnection> connections;
  KeptByStatement<KeptLoop> loops;
  void begin() {
    components.begin();
    connections.begin();
    loops.begin();
  }
};

template <class Kept>
void KeptByStatement<Kept>::begin() {
  before_ = std::move(now_);
  now_.clear();
  now_.reserve(before_.size());
  next_ = found_ = 0;
  place_.clear();
}

template <class Kept>
Kept* KeptByStatement<Kept>::find(const syntax::Stmt& s) {
  const auto is = [&](std::size_t k) { return k < before_.size() && before_[k].statement.get() == &s; };
  const auto found = [&](std::size_t k) {
    next_ = k + 1;
    ++found_;
    return &before_[k];
  };
  constexpr std::size_t near = 4;  // statements that went
  for (std::size_t k = next_; k < next_ + near; ++k)
    if (is(k)) return found(k);
  if (s.kind != Kept::kind || found_ == before_.size()) return nullptr;
  if (place_.empty())
    for (std::size_t k = 0; k < before_.size(); ++k)
      if (before_[k].statement) place_.emplace(before_[k].statement.get(), k);
  const auto it = place_.find(&s);
  return it != place_.end() && is(it->second) ? found(it->second) : nullptr;
}

}  // namespace kron::elaborate
