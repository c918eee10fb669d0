#include "engine/solve/canonical.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "engine/base/key_map.hpp"
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

std::vector<std::uint32_t> Canonical::positions() const {
  std::vector<std::uint32_t> position;
  if (!problem_.unknowns.empty()) position.assign(std::ranges::max(problem_.unknowns) + std::size_t{1}, none);
  for (std::uint32_t k = 0; k < problem_.unknowns.size(); ++k) position[problem_.unknowns[k]] = k;
  return position;
}

std::uint32_t Canonical::position_of(const std::vector<std::uint32_t>& positions, model::Operand o) {
  return o.kind() == model::OperandKind::value && o.index() < positions.size() ? positions[o.index()] : none;
}

// By which the rows know the unknowns, each once.
std::vector<Canonical::Name> Canonical::names() const {
  const std::vector<std::uint32_t> position = positions();
  std::vector<Small<std::uint64_t, 6>> members(problem_.unknowns.size());
  for (const Row& r : problem_.rows)
    for (std::size_t k = 0; k < r.members.size(); ++k)
      if (const std::uint32_t unknown = position_of(position, r.operands[k]); unknown != none) members[unknown].push_back(r.members[k]);
  std::vector<Name> names;
  for (std::uint32_t unknown = 0; unknown < members.size(); ++unknown) {
    std::sort(members[unknown].begin(), members[unknown].end());
    const std::uint64_t* const last = std::unique(members[unknown].begin(), members[unknown].end());
    for (const std::uint64_t* m = members[unknown].begin(); m != last; ++m) names.push_back({unknown, *m, problem_.place(*m)});
  }
  return names;
}

void Canonical::order_unknowns() {
  const std::vector<Name> all = names();
  std::vector<std::uint64_t> first(problem_.unknowns.size(), 0);
  std::vector<bool> named(first.size(), false);
  for (const Name& n : all) {
    if (!named[n.unknown] || n.place < first[n.unknown]) first[n.unknown] = n.place;
    named[n.unknown] = true;
  }
  for (std::uint32_t k = 0; k < first.size(); ++k)
    if (!named[k]) first[k] = problem_.place(problem_.unknowns[k]);
  if (!problem_.unknown_group.empty()) {  // which array an unknown belongs to depends on which of its names one takes
    problem_.other_group = problem_.unknown_group;
    choose_arrays(all);
  }
  std::stable_sort(unknown_.begin(), unknown_.end(), [&](auto x, auto y) { return first[x] < first[y]; });
  permute(problem_.unknowns, unknown_);
  permute(problem_.unknown_group, unknown_);
  permute(problem_.other_group, unknown_);
  if (!problem_.wanted.empty()) {
    std::vector<bool> wanted;
    for (std::uint32_t k : unknown_) wanted.push_back(problem_.wanted[k]);
    problem_.wanted = std::move(wanted);
  }
  rename(problem_.torn, inverse(unknown_));
  rename(problem_.bounded, inverse(unknown_));
}

// The array of an unknown is that of its name in the kind of part that has most of the block's names, there of its first name, so that
// vectors where parts meet stay whole; or likewise with the kind that has second most (joints and arms of a mechanism).
void Canonical::choose_arrays(const std::vector<Name>& names) {
  std::vector<std::uint32_t> part(names.size());  // of each name, as a number of a kind
  std::vector<std::pair<std::size_t, std::string>> kinds;  // how many names there are of each, negated, and what it is
  for (std::uint32_t depth = 1; depth < 8 && kinds.size() < 2; ++depth) {  // parts are told apart at the first level where they differ
    kinds.clear();
    std::map<std::string, std::uint32_t> number;
    KeyMap known(names.size());  // of the parts that were met
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::uint64_t begins = problem_.beginning(names[k].member, depth);
      part[k] = known.find(begins);
      if (part[k] == KeyMap::none) {
        std::string kind = without_numbers(beginning(problem_.kind(names[k].member), depth));
        part[k] = known.emplace(begins, number.emplace(kind, static_cast<std::uint32_t>(kinds.size())).first->second);
        if (part[k] == kinds.size()) kinds.emplace_back(~std::size_t{0}, std::move(kind));
      }
      --kinds[part[k]].first;
    }
  }
  std::vector<std::uint32_t> by_count(kinds.size()), rank(kinds.size());
  std::iota(by_count.begin(), by_count.end(), 0u);
  std::sort(by_count.begin(), by_count.end(), [&](auto x, auto y) { return kinds[x] < kinds[y]; });
  for (std::vector<std::uint64_t>* group : {&problem_.unknown_group, &problem_.other_group}) {
    for (std::uint32_t k = 0; k < by_count.size(); ++k) rank[by_count[k]] = k;
    const auto better = [&](std::size_t x, std::size_t y) {
      return part[x] != part[y] ? rank[part[x]] < rank[part[y]] : names[x].place < names[y].place;
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
  const std::vector<std::uint32_t> position = positions();
  std::vector<Small<std::uint32_t, 8>> holds(row_.size());
  for (std::uint32_t r : row_) {
    for (const model::Operand o : problem_.rows[r].operands)
      if (const std::uint32_t unknown = position_of(position, o); unknown != none) holds[r].push_back(unknown);
    std::sort(holds[r].begin(), holds[r].end());
  }
  std::stable_sort(row_.begin(), row_.end(), [&](auto x, auto y) { return std::ranges::lexicographical_compare(holds[x], holds[y]); });
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
  for (std::uint32_t& k : s.torn) k = unknown_[k];  // these stay in the order in which an iteration has their values
  for (std::uint32_t& k : s.residues) k = row_[k];
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
