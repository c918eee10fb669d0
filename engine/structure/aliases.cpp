// engine/structure/aliases.cpp: x = ±y and x = constant out of integer rows, closed under substitution.
//   in    rows Σ a·x + c = 0; a preference among columns
//   out   root and sign, or value, of every column; the rows used up; rows that say nothing new or contradict
//   keep  rows x = y + c (c ≠ 0), 2x = 3y, 2x = 1 stay ordinary rows, until a constant makes them shrink
//   how   sets by union-find with sign. A row is shortened in place when it can have come down to two unknowns: every
//         event of its sets (value found, set absorbed by another) takes away at most two entries, so a row of n
//         unknowns waits for (n − 2)/2 events. Of two sets that become one the lighter one's rows hear of it.
//   cost  O(entries · log entries)
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "engine/structure/alias_explanation.hpp"
#include "engine/structure/signed_sets.hpp"
#include "engine/structure/structure.hpp"

namespace kron::structure {
namespace {

bool add_product(std::int64_t& sum, std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(sum, product, &sum);
}

}  // namespace

class AliasElimination {
 public:
  explicit AliasElimination(const IntegerSystem& s)
      : system_(s),
        column_(s.column),
        coefficient_(s.coefficient),
        constant_(s.constant),
        length_(s.rows()),
        state_(s.rows(), State::open),
        heard_(s.rows(), 0),
        sets_(s.columns),
        slot_(s.columns, 0),
        next_set_(s.columns),
        heard_by_(s.columns + 1, 0) {
    for (Row r = 0; r < s.rows(); ++r) length_[r] = s.begin[r + 1] - s.begin[r];
    for (Column c = 0; c < s.columns; ++c) next_set_[c] = c;
  }

  Aliases run(const std::vector<std::uint8_t>& prefer) {
    for (Row r = 0; r < system_.rows(); ++r)
      if (length_[r] <= 2) settle(r);
    listen();
    settle_queue();
    return result(prefer);
  }

  // With the rows that the system has more than it had, and the same preference. Null: they are to be looked at with all the others.
  std::optional<Aliases> more(const std::vector<std::uint8_t>& prefer) {
    const Row first = static_cast<Row>(length_.size());
    const auto take_more = [](auto& mine, const auto& all) {
      mine.insert(mine.end(), all.begin() + static_cast<std::ptrdiff_t>(mine.size()), all.end());
    };
    take_more(column_, system_.column);
    take_more(coefficient_, system_.coefficient);
    take_more(constant_, system_.constant);
    state_.resize(system_.rows(), State::open);
    heard_.resize(system_.rows(), 0);
    for (Row r = first; r < system_.rows(); ++r) length_.push_back(system_.begin[r + 1] - system_.begin[r]);
    for (Row r = first; r < system_.rows(); ++r) {
      settle(r);
      if (state_[r] != State::used) return std::nullopt;
    }
    settle_queue();
    const bool plain = found_.empty() && std::find(state_.begin(), state_.end(), State::too_large) == state_.end();
    return plain ? std::optional(result(prefer)) : std::nullopt;
  }

 private:
  enum class State : std::uint8_t { open, queued, used, contradictory, too_large };
  struct Found {
    Row row;
    std::uint32_t time;
  };

  void settle_queue() {
    for (; head_ < queue_.size(); ++head_) settle(queue_[head_]);
  }

  Aliases result(const std::vector<std::uint8_t>& prefer) {
    Aliases out;
    if (of_.empty()) represent(prefer);
    else represent_changed(prefer);
    represented_ = used_.size();
    out.of = of_;
    out.used.resize(system_.rows());
    for (Row r = 0; r < system_.rows(); ++r) out.used[r] = state_[r] == State::used;
    out.dependent = explain();
    return out;
  }

  // From here on open rows hear of changes of their sets.
  void listen() {
    for (Row r = 0; r < system_.rows(); ++r)
      if (state_[r] == State::open && !shorten(r)) state_[r] = State::too_large;
    const auto for_each_entry = [&](auto&& act) {
      for (Row r = 0; r < system_.rows(); ++r)
        for (std::uint32_t i = 0; state_[r] == State::open && i < length_[r]; ++i)
          act(r, sets_.find(column_[system_.begin[r] + i]).root);
    };
    for_each_entry([&](Row, Column root) { ++heard_by_[root + 1]; });
    for (Column c = 0; c < system_.columns; ++c) {
      sets_.add_weight(c, heard_by_[c + 1]);
      heard_by_[c + 1] += heard_by_[c];
    }
    listener_.resize(heard_by_.back());
    std::vector<std::uint32_t> next(heard_by_.begin(), heard_by_.end() - 1);
    for_each_entry([&](Row r, Column root) { listener_[next[root]++] = r; });
    for (Row r = 0; r < system_.rows(); ++r)
      if (state_[r] == State::open && length_[r] <= 2) enqueue(r);
  }

  void enqueue(Row r) {
    state_[r] = State::queued;
    queue_.push_back(r);
  }

  void tell(Column root) {
    if (listener_.empty()) return;
    Column member = root;
    do {
      for (std::uint32_t i = heard_by_[member]; i < heard_by_[member + 1]; ++i) {
        const Row r = listener_[i];
        if (state_[r] == State::open && 2 * ++heard_[r] + 2 >= length_[r]) enqueue(r);
      }
      member = next_set_[member];
    } while (member != root);
  }

  void settle(Row r) {
    state_[r] = State::open;
    heard_[r] = 0;
    if (!shorten(r)) {
      state_[r] = State::too_large;
    } else if (length_[r] == 0) {
      state_[r] = constant_[r] == 0 ? State::used : State::contradictory;
      found_.push_back({r, static_cast<std::uint32_t>(used_.size())});
    } else if (length_[r] == 1) {
      try_constant(r);
    } else if (length_[r] == 2) {
      try_alias(r);
    }
  }

  // Entries of one set become one entry, by its first column; known columns go into the constant. False: 64 bits
  // exceeded.
  bool shorten(Row r) {
    const std::uint32_t begin = system_.begin[r];
    merged_.clear();
    for (std::uint32_t i = begin; i < begin + length_[r]; ++i) {
      const auto [root, negative] = sets_.find(column_[i]);
      if (sets_.known(root)) {
        if (!add_product(constant_[r], coefficient_[i], negative ? -sets_.value(root) : sets_.value(root)))
          return false;
        continue;
      }
      const std::uint32_t place = slot_[root];
      if (place < merged_.size() && merged_[place].root == root) {
        if (!add_product(coefficient_[begin + place], coefficient_[i], negative == merged_[place].negative ? 1 : -1))
          return false;
      } else {
        slot_[root] = static_cast<std::uint32_t>(merged_.size());
        column_[begin + merged_.size()] = column_[i];
        coefficient_[begin + merged_.size()] = coefficient_[i];
        merged_.push_back({root, negative});
      }
    }
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < merged_.size(); ++i) {
      if (coefficient_[begin + i] == 0) continue;
      column_[begin + kept] = column_[begin + i];
      coefficient_[begin + kept++] = coefficient_[begin + i];
    }
    length_[r] = kept;
    return true;
  }

  void try_constant(Row r) {
    const Column c = column_[system_.begin[r]];
    const std::int64_t a = coefficient_[system_.begin[r]], b = constant_[r];
    if (a == INT64_MIN || b == INT64_MIN || b % a != 0) return;
    const auto [root, negative] = sets_.find(c);
    sets_.set_value(root, negative ? b / a : -(b / a));
    use(r, c, free_end);
    tell(root);
  }

  void try_alias(Row r) {
    const Column x = column_[system_.begin[r]], y = column_[system_.begin[r] + 1];
    const std::int64_t a = coefficient_[system_.begin[r]], b = coefficient_[system_.begin[r] + 1];
    if (constant_[r] != 0 || a == INT64_MIN || b == INT64_MIN || (a != b && a != -b)) return;
    auto [light, light_negative] = sets_.find(x);
    auto [heavy, heavy_negative] = sets_.find(y);
    if (sets_.weight(light) > sets_.weight(heavy)) std::swap(light, heavy);
    sets_.hang(light, heavy, (a == b) != (light_negative != heavy_negative));
    use(r, x, y);
    tell(light);
    std::swap(next_set_[light], next_set_[heavy]);
  }

  void use(Row r, Column joined, Column to) {
    state_[r] = State::used;
    used_.push_back({r, joined, to});
  }

  void represent(const std::vector<std::uint8_t>& prefer) {
    const auto preference = [&](Column c) { return c < prefer.size() ? prefer[c] : 0; };
    struct Best {
      Column column = free_end;
      bool negative = false;
    };
    std::vector<Best> best(system_.columns);
    std::vector<SignedSets::Member> member(system_.columns);
    for (Column c = 0; c < system_.columns; ++c) {
      member[c] = sets_.find(c);
      Best& b = best[member[c].root];
      if (b.column == free_end || preference(c) > preference(b.column)) b = {c, member[c].negative};
    }
    of_.resize(system_.columns);
    for (Column c = 0; c < system_.columns; ++c) stand_for(c, member[c], best[member[c].root].column, best[member[c].root].negative);
  }
  void stand_for(Column c, SignedSets::Member member, Column best, bool negative) {
    const auto [root, minus] = member;
    if (sets_.known(root)) of_[c] = {c, 0, minus ? -sets_.value(root) : sets_.value(root)};
    else of_[c] = {best, static_cast<std::int8_t>(minus == negative ? 1 : -1), 0};
  }

  // The sets that the rows used since made, alone.
  void represent_changed(const std::vector<std::uint8_t>& prefer) {
    const auto preference = [&](Column c) { return c < prefer.size() ? prefer[c] : 0; };
    std::vector<Column> roots;
    for (std::size_t k = represented_; k < used_.size(); ++k) roots.push_back(sets_.find(used_[k].joined).root);
    std::sort(roots.begin(), roots.end());
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    const auto each = [&](Column root, auto&& act) {
      Column c = root;
      do act(c);
      while ((c = next_set_[c]) != root);
    };
    for (Column root : roots) {
      Column best = root;
      each(root, [&](Column c) {
        if (preference(c) > preference(best) || (preference(c) == preference(best) && c < best)) best = c;
      });
      const bool negative = sets_.find(best).negative;
      each(root, [&](Column c) { stand_for(c, sets_.find(c), best, negative); });
    }
  }

  std::vector<Aliases::Dependent> explain() {
    std::vector<Aliases::Dependent> out;
    if (found_.empty()) return out;
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.row < b.row; });
    AliasExplanation explanation(system_, used_);
    std::size_t budget = explanation_budget(system_);
    for (const Found& f : found_) {
      out.push_back({f.row, state_[f.row] == State::contradictory, {}, {}});
      if (budget == 0) continue;
      out.back().because = explanation.explain(f.row, f.time);
      budget -= std::min(budget, out.back().because.size());
    }
    return out;
  }

  const IntegerSystem& system_;
  std::vector<Column> column_;  // rows shortened in place: row r at system_.begin[r], length_[r] entries
  std::vector<std::int64_t> coefficient_, constant_;
  std::vector<std::uint32_t> length_;
  std::vector<State> state_;
  std::vector<std::uint32_t> heard_;  // by row: events since it was last shortened
  SignedSets sets_;
  std::vector<std::uint32_t> slot_;         // by root: its place in merged_, if it is there
  std::vector<SignedSets::Member> merged_;  // of the row being shortened
  std::vector<Column> next_set_;            // ring of the columns of a set
  std::vector<std::uint32_t> heard_by_;     // root at listen() -> range of listener_
  std::vector<Row> listener_, queue_;
  std::size_t head_ = 0;  // of the queue
  std::vector<UsedRow> used_;
  std::vector<Aliases::Alias> of_;  // by column, as far as the first `represented_` used rows tell
  std::size_t represented_ = 0;
  std::vector<Found> found_;
};

Aliases eliminate_aliases(const IntegerSystem& system, const std::vector<std::uint8_t>& prefer) {
  return AliasElimination(system).run(prefer);
}

GrowingAliases::GrowingAliases() = default;
GrowingAliases::~GrowingAliases() = default;

Aliases GrowingAliases::eliminate(const IntegerSystem& system, const std::vector<std::uint8_t>& prefer) {
  if (so_far_)
    if (auto found = so_far_->more(prefer)) return *std::move(found);
  so_far_ = std::make_unique<AliasElimination>(system);
  return so_far_->run(prefer);
}

void GrowingAliases::forget() { so_far_.reset(); }

}  // namespace kron::structure
