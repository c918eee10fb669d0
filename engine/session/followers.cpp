#include "engine/session/followers.hpp"

#include <algorithm>
#include <utility>

#include "engine/session/emit.hpp"

namespace kron::session {

using model::forms;
using model::Operand;
using model::OperandKind;

namespace {

constexpr std::uint32_t least_coupled = 2;  // unknowns that a block has besides

// The two unknowns of a connection's row ±x ± y + k = 0, with what is known in k.
std::optional<std::pair<std::uint32_t, std::uint32_t>> tied(const System& s, const SystemRow& row, std::span<const VarId> unknowns) {
  if (row.origin == none || row.origin < s.flat->connection_equations) return std::nullopt;
  const auto& integers = forms().integer_row(row.form);
  if (!integers) return std::nullopt;
  const auto operands = s.bound(row);
  Small<std::uint32_t, 2> found;
  for (std::uint32_t k : forms().occurring(row.form)) {
    if (operands[k].kind() != OperandKind::value) continue;
    const auto at = std::ranges::lower_bound(unknowns, operands[k].index(), {}, &VarId::value);
    if (at == unknowns.end() || at->value != operands[k].index()) continue;
    if (found.size() == 2 || (integers->coefficient[k] != 1 && integers->coefficient[k] != -1)) return std::nullopt;
    found.push_back(static_cast<std::uint32_t>(at - unknowns.begin()));
  }
  if (found.size() != 2 || found[0] == found[1]) return std::nullopt;
  return std::pair(found[0], found[1]);
}

}  // namespace

std::vector<Follower> followers(const System& s, const Block& b, std::span<const std::uint32_t> rows) {
  std::vector<Follower> out;
  const auto chooses = [&](std::uint32_t r) { return s.rows[r].set != none; };
  if (b.kind != BlockKind::linear || std::ranges::any_of(rows, chooses)) return out;
  const std::span<const VarId> unknowns(b.unknowns.data(), b.unknowns.size());
  const bool all = b.how().core == 0;  // pivots between copies of an unknown are not told of
  std::vector<bool> eliminated(unknowns.size(), all);
  std::vector<std::uint32_t> pivot(rows.size(), none), ties(unknowns.size(), 0);
  for (const Pivot& p : b.how().pivots) {
    eliminated[p.unknown] = true;
    pivot[p.equation] = p.unknown;
  }
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    const auto both = tied(s, s.rows[rows[r]], unknowns);
    if (!both) continue;
    const auto [y, x] = std::minmax(both->first, both->second);
    ++ties[x], ++ties[y];
    if (eliminated[x] && eliminated[y] && (all || pivot[r] != none)) out.push_back({r, x, y});
    else if (pivot[r] == x || pivot[r] == y) out.push_back({r, pivot[r], pivot[r] == x ? y : x});  // the other is torn
  }
  std::erase_if(out, [&](const Follower& f) { return ties[f.unknown] > 1 || ties[f.of] > 1; });
  if (out.size() + least_coupled > rows.size()) out.clear();
  return out;
}

namespace {

// The pivots of a block in which x stands for y.
void take_out(std::vector<Pivot>& pivots, const Follower& f) {
  const auto is_either = [&](const Pivot& p) { return p.unknown == f.unknown || p.unknown == f.of; };
  const auto end = pivots.end(), own = std::ranges::find(pivots, f.row, &Pivot::equation);
  const auto first = std::find_if(pivots.begin(), end, is_either), second = first == end ? end : std::find_if(first + 1, end, is_either);
  for (const auto& p : {first, second})
    if (p != end) p->unknown = f.of;
  if (own != end && second != end && own != first && own != second)  // x and y had rows of their own: that of the second is left for it
    own->equation = std::exchange(second->equation, f.row);
  else if (own == end && second != end)
    second->equation = f.row;
  std::erase_if(pivots, [&](const Pivot& p) { return p.equation == f.row; });
}

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
  Block out = b;
  const auto keep = [](auto& to, const auto& from, const std::vector<std::uint32_t>& now) {
    to.clear();
    for (std::size_t k = 0; k < from.size(); ++k)
      if (now[k] != none) to.push_back(from[k]);
  };
  keep(out.equations, b.equations, row);
  keep(out.unknowns, b.unknowns, unknown);
  keep(out.rows, b.rows, row);
  Solving how = b.how();
  for (const Follower& f : apart) take_out(how.pivots, f);
  for (Pivot& p : how.pivots) p = {row[p.equation], unknown[p.unknown]};
  for (std::uint32_t& r : how.residues) r = row[r];
  for (const Follower& f : apart) {
    std::erase(how.relaxed, b.unknowns[f.unknown]);
    how.followers.push_back({b.unknowns[f.unknown], b.unknowns[f.of]});
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
  std::vector<Block> blocks;
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
  for (EmittedBlock& e : out_.emitted) e.block = now[e.block];
  for (std::size_t k = 0; k < tape_.steps().size(); ++k) tape_.number_step(k, now[tape_.steps()[k].block]);
}

}  // namespace kron::session
