#include "engine/session/followers.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/base/small.hpp"
#include "engine/session/emit.hpp"

namespace kron::session {

using model::forms;
using model::Operand;
using model::OperandKind;

namespace {

constexpr std::uint32_t least_coupled = 2;  // unknowns that a block has besides

struct Held {
  std::uint32_t operand = 0, unknown = 0;  // positions in the row and in the block
};

// Of a block's unknowns, by variable. Small ones are looked through: a table is as long as the numbers of their variables lie apart.
class Positions {
 public:
  explicit Positions(std::span<const VarId> unknowns) : unknowns_(unknowns) {
    constexpr std::size_t few = 64;
    if (unknowns.size() <= few) return;
    table_.assign(unknowns.back().value - unknowns.front().value + std::size_t{1}, none);
    for (std::uint32_t k = 0; k < unknowns.size(); ++k) table_[unknowns[k].value - unknowns.front().value] = k;
  }
  std::uint32_t operator[](std::uint32_t variable) const {  // none: it is no unknown of the block
    if (!table_.empty()) {
      const std::size_t place = std::size_t{variable} - unknowns_.front().value;  // beyond the end where it is smaller
      return place < table_.size() ? table_[place] : none;
    }
    const auto at = std::ranges::lower_bound(unknowns_, variable, {}, &VarId::value);
    return at == unknowns_.end() || at->value != variable ? none : static_cast<std::uint32_t>(at - unknowns_.begin());
  }

 private:
  std::span<const VarId> unknowns_;
  std::vector<std::uint32_t> table_;
};

// The two unknowns of the block that a row holds; none where it holds another number of them.
std::optional<std::pair<Held, Held>> two_unknowns(const System& s, const SystemRow& row, const Positions& position) {
  const auto operands = s.bound(row);
  Small<Held, 2> found;
  for (std::uint32_t k : forms().occurring(row.form)) {
    if (operands[k].kind() != OperandKind::value) continue;
    const std::uint32_t at = position[operands[k].index()];
    if (at == none) continue;
    if (found.size() == 2) return std::nullopt;
    found.push_back({k, at});
  }
  if (found.size() != 2 || found[0].unknown == found[1].unknown) return std::nullopt;
  return std::pair(found[0], found[1]);
}

bool is_sum(const System& s, const SystemRow& row) { return row.origin != none && row.origin >= s.flat->connection_equations; }

bool is_flow(const System& s, const SystemRow& row, std::uint32_t operand) {
  const std::uint32_t named = s.members_of(row)[operand].variable;
  return named < s.flat->slots && (s.flat->flags[named] & model::SlotFlag::flow) != 0;
}

// The row gives the operand without a division.
bool is_given(const SystemRow& row, std::uint32_t operand) {
  const model::Linear& l = forms().linear(row.form, operand);
  return l.linear && (forms().exprs().is(l.coefficient, 1) || forms().exprs().is(l.coefficient, -1));
}

// The followers of one block, as they are found.
class Search {
 public:
  Search(const System& s, const Block& b, std::span<const std::uint32_t> rows)
      : s_(s), rows_(rows), unknowns_(b.unknowns.data(), b.unknowns.size()), position_(unknowns_), all_(b.how().core == 0), eliminated_(b.unknowns.size(), all_),
        pivot_(rows.size(), none), leads_(b.unknowns.size()) {
    for (const Pivot& p : b.how().pivots) {
      eliminated_[p.unknown] = true;
      pivot_[p.equation] = p.unknown;
    }
    std::iota(leads_.begin(), leads_.end(), 0u);
  }

  std::vector<Follower> run() {
    sums();
    given();
    if (out_.empty()) return {};
    std::vector<Follower> ordered;  // each behind the one that it follows
    while (ordered.size() < out_.size())
      for (Follower& f : out_)
        if (f.row != none && leads_[f.of] == f.of) {
          leads_[f.unknown] = f.unknown;
          ordered.push_back(std::exchange(f, {none, f.unknown, f.of}));
        }
    return ordered;
  }

 private:
  // Pivots between copies of an unknown are not told of.
  bool taken_care_of(std::uint32_t row, std::uint32_t x, std::uint32_t y) const {
    return eliminated_[x] && eliminated_[y] && (all_ || pivot_[row] != none);
  }

  void sums() {
    std::vector<std::uint32_t> ties(unknowns_.size(), 0);
    std::vector<Follower> found;
    for (std::uint32_t r = 0; r < rows_.size(); ++r) {
      const SystemRow& row = s_.rows[rows_[r]];
      if (!is_sum(s_, row) || !forms().integer_row(row.form)) continue;
      const auto both = two_unknowns(s_, row, position_);
      if (!both || !is_given(row, both->first.operand) || !is_given(row, both->second.operand)) continue;
      const auto [y, x] = std::minmax(both->first.unknown, both->second.unknown);
      ++ties[x], ++ties[y];
      if (taken_care_of(r, x, y)) found.push_back({r, x, y});
      else if (pivot_[r] == x || pivot_[r] == y) found.push_back({r, pivot_[r], pivot_[r] == x ? y : x});  // the other is torn
    }
    for (const Follower& f : found)
      if (ties[f.unknown] == 1 && ties[f.of] == 1) add(f);
  }

  void given() {
    for (std::uint32_t r = 0; r < rows_.size(); ++r) {
      const SystemRow& row = s_.rows[rows_[r]];
      if (is_sum(s_, row)) continue;
      const auto both = two_unknowns(s_, row, position_);
      if (!both) continue;
      const bool care = taken_care_of(r, both->first.unknown, both->second.unknown);
      for (const auto& [x, y] : {*both, std::pair(both->second, both->first)})
        if ((care || pivot_[r] == x.unknown) && may_follow(row, x) && is_given(row, x.operand) && add({r, x.unknown, y.unknown})) break;
    }
  }

  bool may_follow(const SystemRow& row, const Held& x) const {
    if (forms().integer_row(row.form) && forms().occurring(row.form).size() == 2) return true;  // ±x ± y
    return row.times > 0 ? s_.dummy[unknowns_[x.unknown].value] : is_flow(s_, row, x.operand);
  }

  // False: x follows another one already, or y follows x.
  bool add(const Follower& f) {
    if (leads_[f.unknown] != f.unknown || out_.size() + least_coupled >= rows_.size()) return false;
    for (std::uint32_t y = f.of;; y = leads_[y]) {
      if (y == f.unknown) return false;
      if (leads_[y] == y) break;
    }
    leads_[f.unknown] = f.of;
    out_.push_back(f);
    return true;
  }

  const System& s_;
  std::span<const std::uint32_t> rows_;
  std::span<const VarId> unknowns_;
  Positions position_;
  bool all_;                             // no core is left
  std::vector<bool> eliminated_;         // by unknown
  std::vector<std::uint32_t> pivot_;     // by row
  std::vector<std::uint32_t> leads_;     // by unknown: the one that it follows, itself if none
  std::vector<Follower> out_;
};

}  // namespace

std::vector<Follower> followers(const System& s, const Block& b, std::span<const std::uint32_t> rows) {
  const auto chooses = [&](std::uint32_t r) { return s.rows[r].set != none; };
  if (b.kind != BlockKind::linear || std::ranges::any_of(rows, chooses)) return {};
  return Search(s, b, rows).run();
}

namespace {

// The pivots of a block in which followers are what they follow.
class Pivots {
 public:
  Pivots(std::vector<Pivot> pivots, std::size_t size) : list_(std::move(pivots)), gone_(list_.size(), false), of_row_(size, none), of_unknown_(size, none) {
    for (std::uint32_t k = 0; k < list_.size(); ++k) of_row_[list_[k].equation] = of_unknown_[list_[k].unknown] = k;
  }

  // x and y may have rows of their own: that of the later pivot is left for what x's row was the pivot of.
  void take_out(const Follower& f) {
    const auto [first, second] = std::minmax(of_unknown_[f.unknown], of_unknown_[f.of]);  // none is larger
    const std::uint32_t own = of_row_[f.row];
    std::uint32_t left = first;
    if (own == none && second != none) {
      of_row_[list_[second].equation] = none;
      gone_[second] = true;
    } else if (own != none) {
      if (own == first) left = second;
      const bool passes_on = second != none && own != first && own != second;
      if (passes_on) {
        list_[own].equation = list_[second].equation;
        of_row_[list_[own].equation] = own;
      }
      gone_[passes_on ? second : own] = true;
      of_row_[f.row] = none;
    }
    of_unknown_[f.unknown] = none;
    of_unknown_[f.of] = left;
    if (left != none) list_[left].unknown = f.of;
  }

  std::vector<Pivot> rest() const {
    std::vector<Pivot> out;
    for (std::size_t k = 0; k < list_.size(); ++k)
      if (!gone_[k]) out.push_back(list_[k]);
    return out;
  }

 private:
  std::vector<Pivot> list_;
  std::vector<bool> gone_;
  std::vector<std::uint32_t> of_row_, of_unknown_;  // places in the list
};

}  // namespace

Block without(const Block& b, const std::vector<Follower>& apart) {
  const auto left = [&](std::size_t size, auto position) {  // by position, the new one; none: it is gone
    std::vector<std::uint32_t> now(size, 0);
    for (const Follower& f : apart) now[f.*position] = none;
    std::uint32_t next = 0;
    for (std::uint32_t& k : now)
      if (k != none) k = next++;
    return now;
  };
  const std::vector<std::uint32_t> row = left(b.equations.size(), &Follower::row), unknown = left(b.unknowns.size(), &Follower::unknown);
  Block out;
  out.kind = b.kind;
  out.method = b.method;
  out.section = b.section;
  out.initial = b.initial;
  out.key = b.key;
  const auto keep = [](auto& to, const auto& from, const std::vector<std::uint32_t>& now) {
    to.reserve(from.size());
    for (std::size_t k = 0; k < from.size(); ++k)
      if (now[k] != none) to.push_back(from[k]);
  };
  keep(out.equations, b.equations, row);
  keep(out.unknowns, b.unknowns, unknown);
  keep(out.rows, b.rows, row);
  Solving how = b.how();
  Pivots pivots(std::move(how.pivots), b.unknowns.size());
  for (std::size_t k = apart.size(); k-- > 0;) pivots.take_out(apart[k]);
  how.pivots = pivots.rest();
  for (Pivot& p : how.pivots) p = {row[p.equation], unknown[p.unknown]};
  for (std::uint32_t& r : how.residues) r = row[r];
  std::vector<std::uint32_t> leader(b.unknowns.size());  // of followers: what is left in the block
  std::iota(leader.begin(), leader.end(), 0u);
  for (const Follower& f : apart) {
    leader[f.unknown] = leader[f.of];
    std::erase(how.relaxed, b.unknowns[f.unknown]);
    how.followers.push_back({b.unknowns[f.unknown], b.unknowns[leader[f.unknown]]});
  }
  out.solving = std::make_shared<const Solving>(std::move(how));
  return out;
}

// Blocks, and steps of the tape, are numbered anew.
void Emitter::set_followers_apart(const SortedProblem& p) {
  std::vector<std::vector<Follower>> all;  // by block; empty: there are none
  for (std::uint32_t b = 0; b < p.blocks() && out_.singular.empty(); ++b) {
    if (p.block_begin[b + 1] - p.block_begin[b] <= 2) continue;
    std::vector<Follower> apart = followers(s_, out_.blocks[b], std::span(p.block_row).subspan(p.block_begin[b], p.block_begin[b + 1] - p.block_begin[b]));
    if (here_) std::erase_if(apart, [&](const Follower& f) { return !here_->alone(out_.blocks[b].unknowns[f.unknown].value); });
    if (apart.empty()) continue;
    all.resize(p.blocks());
    all[b] = std::move(apart);
  }
  if (all.empty()) return;
  std::size_t listed = p.blocks();
  for (const auto& apart : all) listed += apart.size();
  std::vector<Block> blocks;
  blocks.reserve(listed);
  std::vector<std::uint32_t> now(p.blocks());
  for (std::uint32_t b = 0; b < p.blocks(); ++b) {
    now[b] = static_cast<std::uint32_t>(blocks.size());
    Block& whole = out_.blocks[b];
    if (all[b].empty()) {
      blocks.push_back(std::move(whole));
      continue;
    }
    blocks.push_back(without(whole, all[b]));
    for (const Follower& f : all[b]) take_assignment(blocks.emplace_back(), p.block_row[p.block_begin[b] + f.row], whole.unknowns[f.unknown].value);
    out_.whole.emplace(now[b], std::move(whole));
  }
  out_.blocks = std::move(blocks);
  for (std::size_t k = 0, kept = std::min(out_.kept, out_.emitted.size()); k < kept; ++k) out_.kept += all[out_.emitted[k].block].size();
  for (EmittedBlock& e : out_.emitted) e.block = now[e.block];
  for (std::size_t k = 0; k < tape_.steps().size(); ++k) tape_.number_step(k, now[tape_.steps()[k].block]);
}

}  // namespace kron::session
