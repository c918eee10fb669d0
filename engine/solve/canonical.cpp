#include "engine/solve/canonical.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace kron::solve {
namespace {

template <class T>
void permute(std::vector<T>& values, const std::vector<std::uint32_t>& from) {
  if (values.empty()) return;
  std::vector<T> out;
  out.reserve(values.size());
  for (std::uint32_t k : from) out.push_back(std::move(values[k]));
  values = std::move(out);
}

std::vector<std::uint32_t> inverse(const std::vector<std::uint32_t>& from) {
  std::vector<std::uint32_t> to(from.size());
  for (std::uint32_t k = 0; k < from.size(); ++k) to[from[k]] = k;
  return to;
}

}  // namespace

Canonical::Canonical(const BlockProblem& p) : problem_(p), row_(p.rows.size()), unknown_(p.unknowns.size()) {
  std::iota(row_.begin(), row_.end(), 0u);
  std::iota(unknown_.begin(), unknown_.end(), 0u);
  order_unknowns();
  order_rows();
}

void Canonical::order_unknowns() {
  std::unordered_map<std::uint32_t, std::uint32_t> position;
  for (std::uint32_t k : unknown_) position.emplace(problem_.unknowns[k], k);
  std::vector<std::uint64_t> first(problem_.unknowns.begin(), problem_.unknowns.end());
  std::vector<bool> named(first.size(), false);
  for (const Row& r : problem_.rows)
    for (std::size_t k = 0; k < r.members.size(); ++k) {
      if (r.operands[k].kind() != model::OperandKind::value) continue;
      const auto it = position.find(r.operands[k].index());
      if (it == position.end()) continue;
      const std::uint32_t u = it->second;
      if (!named[u] || problem_.before(r.members[k], first[u])) first[u] = r.members[k];
      named[u] = true;
    }
  if (!problem_.unknown_group.empty()) {  // which array an unknown belongs to depends on which of its names one takes
    problem_.first_group = problem_.unknown_group;
    for (std::uint32_t k : unknown_)
      if (named[k]) problem_.first_group[k] = problem_.member_group(first[k]);
  }
  std::stable_sort(unknown_.begin(), unknown_.end(), [&](auto x, auto y) { return problem_.before(first[x], first[y]); });
  permute(problem_.unknowns, unknown_);
  permute(problem_.unknown_group, unknown_);
  permute(problem_.first_group, unknown_);
  if (!problem_.wanted.empty()) {
    std::vector<bool> wanted;
    for (std::uint32_t k : unknown_) wanted.push_back(problem_.wanted[k]);
    problem_.wanted = std::move(wanted);
  }
  rename(problem_.torn, inverse(unknown_));
}

void Canonical::order_rows() {
  std::unordered_map<std::uint32_t, std::uint32_t> position;
  for (std::uint32_t k = 0; k < problem_.unknowns.size(); ++k) position.emplace(problem_.unknowns[k], k);
  std::vector<std::vector<std::uint32_t>> holds(row_.size());
  for (std::uint32_t r : row_) {
    for (const model::Operand o : problem_.rows[r].operands)
      if (o.kind() == model::OperandKind::value)
        if (const auto it = position.find(o.index()); it != position.end()) holds[r].push_back(it->second);
    std::sort(holds[r].begin(), holds[r].end());
  }
  std::stable_sort(row_.begin(), row_.end(), [&](auto x, auto y) { return holds[x] < holds[y]; });
  permute(problem_.rows, row_);
  permute(problem_.row_group, row_);
  rename(problem_.residues, inverse(row_));
}

void Canonical::rename(std::vector<std::uint32_t>& positions, const std::vector<std::uint32_t>& position) const {
  for (std::uint32_t& k : positions) k = position[k];
  std::sort(positions.begin(), positions.end());
}

void Canonical::restore(BlockSolution& s) const {
  rename(s.torn, unknown_);
  rename(s.residues, row_);
  rename(s.relaxed, unknown_);
  for (auto* pairs : {&s.pivots, &s.misfits})
    for (auto& [r, c] : *pairs) {
      if (r < row_.size()) r = row_[r];
      if (c < unknown_.size()) c = unknown_[c];
    }
  permute(s.values, inverse(unknown_));
  if (!s.singular) return;
  rename(s.singular->rows, row_);
  rename(s.singular->unknowns, unknown_);
}

}  // namespace kron::solve
