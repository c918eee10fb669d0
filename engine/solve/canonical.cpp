#include "engine/solve/canonical.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

#include "engine/solve/ties.hpp"

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

// So many elements of a path.
std::string beginning(const std::string& path, std::size_t elements) {
  std::size_t end = 0;
  for (; elements > 0 && end != std::string::npos; --elements) end = path.find('.', end + 1);
  return path.substr(0, end);
}

}  // namespace

Canonical::Canonical(const BlockProblem& p) : problem_(p), row_(p.rows.size()), unknown_(p.unknowns.size()) {
  std::iota(row_.begin(), row_.end(), 0u);
  std::iota(unknown_.begin(), unknown_.end(), 0u);
  order_unknowns();
  order_rows();
}

std::unordered_map<std::uint32_t, std::uint32_t> Canonical::positions() const {
  std::unordered_map<std::uint32_t, std::uint32_t> position;
  for (std::uint32_t k = 0; k < problem_.unknowns.size(); ++k) position.emplace(problem_.unknowns[k], k);
  return position;
}

// By which the rows know the unknowns, each once.
std::vector<Canonical::Name> Canonical::names() const {
  const std::unordered_map<std::uint32_t, std::uint32_t> position = positions();
  std::vector<Name> names;
  for (const Row& r : problem_.rows)
    for (std::size_t k = 0; k < r.members.size(); ++k)
      if (r.operands[k].kind() == model::OperandKind::value)
        if (const auto it = position.find(r.operands[k].index()); it != position.end()) names.push_back({it->second, r.members[k]});
  const auto key = [](const Name& n) { return std::tie(n.unknown, n.member); };
  std::sort(names.begin(), names.end(), [&](const Name& x, const Name& y) { return key(x) < key(y); });
  names.erase(std::unique(names.begin(), names.end(), [&](const Name& x, const Name& y) { return key(x) == key(y); }), names.end());
  return names;
}

void Canonical::order_unknowns() {
  const std::vector<Name> all = names();
  std::vector<std::uint64_t> first(problem_.unknowns.begin(), problem_.unknowns.end());
  std::vector<bool> named(first.size(), false);
  for (const Name& n : all) {
    if (!named[n.unknown] || problem_.before(n.member, first[n.unknown])) first[n.unknown] = n.member;
    named[n.unknown] = true;
  }
  if (!problem_.unknown_group.empty()) {  // which array an unknown belongs to depends on which of its names one takes
    problem_.other_group = problem_.unknown_group;
    choose_arrays(all);
  }
  std::stable_sort(unknown_.begin(), unknown_.end(), [&](auto x, auto y) { return problem_.before(first[x], first[y]); });
  permute(problem_.unknowns, unknown_);
  permute(problem_.unknown_group, unknown_);
  permute(problem_.other_group, unknown_);
  if (!problem_.wanted.empty()) {
    std::vector<bool> wanted;
    for (std::uint32_t k : unknown_) wanted.push_back(problem_.wanted[k]);
    problem_.wanted = std::move(wanted);
  }
  rename(problem_.torn, inverse(unknown_));
}

// The array of an unknown is that of its name in the kind of part that has most of the block's names, there of its first name, so that
// vectors where parts meet stay whole; or likewise with the kind that has second most (joints and arms of a mechanism).
void Canonical::choose_arrays(const std::vector<Name>& names) {
  std::vector<std::string> part(names.size());  // of each name
  std::map<std::string, std::size_t> count;
  for (std::size_t depth = 1; depth < 8 && count.size() < 2; ++depth) {  // parts are told apart at the first level where they differ
    count.clear();
    for (std::size_t k = 0; k < names.size(); ++k) ++count[part[k] = without_numbers(beginning(problem_.name(names[k].member), depth))];
  }
  std::vector<std::pair<std::size_t, std::string>> by_count;
  for (const auto& [kind, n] : count) by_count.emplace_back(~n, kind);
  std::sort(by_count.begin(), by_count.end());
  for (std::vector<std::uint64_t>* group : {&problem_.unknown_group, &problem_.other_group}) {
    std::map<std::string_view, std::size_t> rank;
    for (const auto& [n, kind] : by_count) rank.emplace(kind, rank.size());
    const auto better = [&](std::size_t x, std::size_t y) {
      return part[x] != part[y] ? rank[part[x]] < rank[part[y]] : problem_.before(names[x].member, names[y].member);
    };
    for (std::size_t k = 0, end; k < names.size(); k = end) {
      std::size_t best = k;
      for (end = k + 1; end < names.size() && names[end].unknown == names[k].unknown; ++end)
        if (better(end, best)) best = end;
      (*group)[names[k].unknown] = problem_.member_group(names[best].member);
    }
    if (by_count.size() > 1) std::swap(by_count[0], by_count[1]);
  }
}

void Canonical::order_rows() {
  const std::unordered_map<std::uint32_t, std::uint32_t> position = positions();
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
  permute(problem_.row_part, row_);
  permute(problem_.row_key, row_);
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
