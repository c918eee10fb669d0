#include "engine/solve/views.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/hash.hpp"

namespace kron::solve {

using code::Ref;

LinearSystem assemble(Work& w) {
  LinearSystem s;
  for (const WorkRow& r : w.rows) {
    std::vector<LinearSystem::Entry> row;
    for (const Occurrence& o : r.occurrences)
      if (const Ref a = w.partial(r, o.placeholder); !w.tape.is_zero(a)) row.push_back({o.unknown, a});
    s.rows.push_back(std::move(row));
    s.rhs.push_back(-w.residual(r));  // the unknowns' values are zero here
  }
  return s;
}

namespace {

template <class T>
std::vector<std::uint32_t> dense(const std::vector<T>& groups) {
  std::unordered_map<T, std::uint32_t> number;
  std::vector<std::uint32_t> out;
  for (T g : groups) out.push_back(number.emplace(g, static_cast<std::uint32_t>(number.size())).first->second);
  return out;
}

struct Tie {
  std::uint64_t a = 0, b = 0, group = 0;
  bool a_relaxed = false, b_relaxed = false;
};

// Equations that hold the wanted members (in order) together, by a walk from the first; members on the way are taken along. What
// the walk does not reach (aliases that follow from sums) is tied to the first. All potentials of a connection are tied to the one
// by which the walk came, whichever was connected to which.
std::vector<Tie> tree(const BlockProblem& p, const std::vector<std::uint64_t>& wanted) {
  struct Reached { Tie tie; std::uint32_t set = 0; };
  std::unordered_map<std::uint64_t, Reached> from{{wanted[0], {}}};  // the tie by which it was reached
  std::vector<std::uint64_t> order{wanted[0]};
  std::vector<BlockProblem::Neighbour> near;
  for (std::size_t k = 0; k < order.size(); ++k) {
    near.clear();
    p.neighbours(order[k], near);
    const Reached here = from.at(order[k]);
    if (p.name && near.size() > 1) std::stable_sort(near.begin(), near.end(), [&](const auto& x, const auto& y) { return p.before(x.member, y.member); });
    for (const auto& x : near) {
      const std::uint64_t by = x.set != 0 && x.set == here.set ? here.tie.a : order[k];
      const auto [low, high] = std::minmax({p.member_group(by), p.member_group(x.member)});  // whichever way the walk goes
      const std::uint64_t group = x.set == 0 ? x.group : combine(combine(0xc0, low), high);
      if (from.emplace(x.member, Reached{{by, x.member, group, x.from_relaxed, x.relaxed}, x.set}).second) order.push_back(x.member);
    }
  }
  std::vector<Tie> out;
  std::unordered_set<std::uint64_t> kept{wanted[0]};
  for (std::uint64_t m : wanted) {
    if (!from.contains(m)) {
      out.push_back({wanted[0], m, combine(0xa11a5, p.member_group(m))});
      continue;
    }
    for (std::uint64_t at = m; kept.insert(at).second; at = from.at(at).tie.a) out.push_back(from.at(at).tie);
  }
  return out;
}

// The members of each unknown's alias set that the rows name, in order.
std::vector<std::vector<std::uint64_t>> named_members(const Work& w) {
  std::vector<std::vector<std::uint64_t>> members(w.rows.size());
  for (const WorkRow& r : w.rows)
    for (const Occurrence& o : r.occurrences) members[o.unknown].push_back(o.member);
  for (auto& m : members) {
    std::sort(m.begin(), m.end());
    m.erase(std::unique(m.begin(), m.end()), m.end());
    if (w.problem.name) std::sort(m.begin(), m.end(), [&](auto x, auto y) { return w.problem.before(x, y); });
  }
  return members;
}

// The arrays of which the rows name most elements, by names that are not alone. Walks begin there, so that the elements of an array are
// tied to others in one way. (Of a vector that is another one but for multiples of a third some elements may be aliases, others unknowns
// of their own: no walk of the others would begin there.)
class Starts {
 public:
  Starts(const BlockProblem& p, const std::vector<std::vector<std::uint64_t>>& members) : problem_(p) {
    for (const auto& set : members)
      for (std::uint64_t m : set) count_[p.member_group(m)] += set.size() > 1;
  }
  // The set with the member first at which its walk begins.
  std::vector<std::uint64_t> with_start_first(std::vector<std::uint64_t> set) const {
    const auto count = [&](std::uint64_t m) { return count_.at(problem_.member_group(m)); };
    const auto start = std::max_element(set.begin(), set.end(), [&](auto x, auto y) { return count(x) < count(y); });
    std::rotate(set.begin(), start, start + 1);
    return set;
  }

 private:
  const BlockProblem& problem_;
  std::unordered_map<std::uint64_t, std::size_t> count_;  // by array
};

}  // namespace

Views::Views(Work& w) {
  const Members members = named_members(w);
  read(w, members);
  if (!w.problem.row_group.empty() && w.problem.neighbours) keep_aliases(w, members);
}

void Views::read(Work& w, const Members& members) {
  plain_.system = assemble(w);
  OrderingProblem& p = plain_.problem;
  p.tape = &w.tape;
  p.system = &plain_.system;
  p.row_group = dense(w.problem.row_group);
  p.unknown_group = dense(w.problem.unknown_group);
  p.part = dense(w.problem.row_part);
  for (std::size_t r = 0; r < p.part.size(); ++r)
    if (w.problem.row_part[r] == no_part) p.part[r] = no_part;
  p.part.resize(w.rows.size(), no_part);
  p.other_group = w.problem.other_group.empty() ? p.unknown_group : dense(w.problem.other_group);
  std::vector<std::uint64_t> forms;
  for (const WorkRow& r : w.rows) forms.push_back(r.form.value);
  p.form = dense(forms);
  p.residue_row = w.residue_row;
  p.tearing_unknown = w.tearing_unknown;
  if (w.rows.size() > few_unknowns && !w.problem.row_key.empty()) {
    plain_.names.row = w.problem.row_key;
    for (std::size_t c = 0; c < members.size(); ++c)
      plain_.names.column.push_back(members[c].empty() ? w.problem.key(w.problem.unknowns[c]) : w.problem.member_key(members[c][0]));
  }
  if (w.problem.name && w.rows.size() <= few_unknowns)
    for (const auto& m : members) p.name.push_back(m.empty() ? std::string() : w.problem.name(m[0]));
  std::size_t entries = 0;
  for (std::size_t r = 0; r < w.rows.size(); ++r) {
    p.relaxed.push_back(w.rows[r].relaxed);
    p.has_relaxed |= !p.relaxed[r].empty();
    p.has_torn |= w.residue_row[r] || w.tearing_unknown[r];
    entries += plain_.system.rows[r].size();
  }
  most_nodes_ = w.tape.size() + 4000 + 16 * entries;
}

void Views::keep_aliases(const Work& w, const Members& members) {
  const auto n = static_cast<std::uint32_t>(w.rows.size());
  LinearSystem& system = aliases_.system = plain_.system;
  OrderingProblem& q = aliases_.problem = plain_.problem;
  NamedPlaces& names = aliases_.names = plain_.names;
  std::vector<std::uint64_t> row_group = w.problem.row_group, unknown_group = w.problem.unknown_group;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> copy;  // the first member is the unknown itself
  const Starts starts(w.problem, members);
  for (std::uint32_t c = 0; c < n; ++c) {
    const auto& m = members[c];
    if (m.empty()) continue;
    unknown_group[c] = w.problem.member_group(m[0]);
    if (m.size() == 1) continue;
    for (const Tie& t : tree(w.problem, starts.with_start_first(m))) {
      for (std::uint64_t x : {t.a, t.b}) {
        const auto next = static_cast<std::uint32_t>(unknown_group.size());
        if (!copy.emplace(std::pair{c, x}, x == m[0] ? c : next).second || x == m[0]) continue;
        unknown_group.push_back(w.problem.member_group(x));
        if (!q.name.empty()) q.name.push_back(w.problem.name(x));
        if (!names.column.empty()) names.column.push_back(w.problem.member_key(x));
      }
      const auto [low, high] = std::minmax(copy.at({c, t.a}), copy.at({c, t.b}));
      system.rows.push_back({{low, code::one}, {high, -code::one}});
      system.rhs.push_back(code::zero);
      row_group.push_back(t.group);
      if (!names.row.empty()) {
        const auto [a, b] = std::minmax({w.problem.member_key(t.a), w.problem.member_key(t.b)});
        names.row.push_back(combine(combine(0x71e, a), b));
      }
      q.part.push_back(no_part);
      q.form.push_back(static_cast<std::uint32_t>(n));  // after all others
      q.relaxed.emplace_back();
      if (t.a_relaxed || t.b_relaxed) q.relaxed.back().push_back(copy.at({c, t.a_relaxed ? t.a : t.b}));
      q.has_relaxed |= t.a_relaxed || t.b_relaxed;
    }
  }
  if (copy.empty()) return;
  copied_.resize(unknown_group.size());
  std::iota(copied_.begin(), copied_.end(), 0u);
  for (const auto& [what, column] : copy) copied_[column] = what.first;
  const auto copied = [&](std::uint32_t r, std::uint32_t unknown) {
    for (const Occurrence& o : w.rows[r].occurrences)
      if (o.unknown == unknown)
        if (const auto it = copy.find({unknown, o.member}); it != copy.end()) return it->second;
    return unknown;
  };
  for (std::uint32_t r = 0; r < n; ++r) {
    for (auto& x : system.rows[r]) x.column = copied(r, x.column);
    std::sort(system.rows[r].begin(), system.rows[r].end(), [](const auto& x, const auto& y) { return x.column < y.column; });
    for (auto& x : q.relaxed[r]) x = copied(r, x);
    std::sort(q.relaxed[r].begin(), q.relaxed[r].end());
  }
  q.system = &system;
  q.row_group = dense(row_group);
  q.unknown_group = q.other_group = dense(unknown_group);
  q.residue_row.resize(system.rows.size(), false);
  q.tearing_unknown.resize(system.rows.size(), false);
  has_aliases_ = true;
}

}  // namespace kron::solve
