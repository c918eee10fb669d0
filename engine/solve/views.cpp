#include "engine/solve/views.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <unordered_map>

#include "engine/base/hash.hpp"
#include "engine/base/key_map.hpp"
#include "engine/base/small.hpp"

namespace kron::solve {

using code::Ref;

constexpr std::uint64_t no_member = ~std::uint64_t{0};

LinearSystem assemble(Work& w) {
  LinearSystem s;
  s.rows.reserve(w.rows.size());
  s.rhs.reserve(w.rows.size());
  for (const WorkRow& r : w.rows) {
    LinearSystem::Row row;
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
  KeyMap number(groups.size());
  std::uint32_t next = 0;
  std::vector<std::uint32_t> out;
  out.reserve(groups.size());
  for (T g : groups) {
    out.push_back(number.emplace(g, next));
    next += out.back() == next;
  }
  return out;
}

struct Tie {
  std::uint64_t a = 0, b = 0, group = 0;
  bool a_relaxed = false, b_relaxed = false;
};

// Members of an alias set, numbered as a walk comes to them. Most sets are small, and looked through.
class Numbering {
 public:
  std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
  std::uint64_t operator[](std::uint32_t k) const { return members_[k]; }
  std::uint32_t find(std::uint64_t m) const {  // size(): it is not there
    if (size() > few) {
      const auto it = number_.find(m);
      return it == number_.end() ? size() : it->second;
    }
    return static_cast<std::uint32_t>(std::ranges::find(members_, m) - members_.begin());
  }
  void add(std::uint64_t m) {
    members_.push_back(m);
    if (size() == few + 1)
      for (std::uint32_t k = 0; k < few; ++k) number_.emplace(members_[k], k);
    if (size() > few) number_.emplace(m, size() - 1);
  }
  void clear() {
    if (size() > few) number_.clear();
    members_.clear();
  }

 private:
  static constexpr std::uint32_t few = 24;
  std::vector<std::uint64_t> members_;
  std::unordered_map<std::uint64_t, std::uint32_t> number_;  // of many
};

// Equations that hold the wanted members of an alias set together, by a walk from the first until all are reached; members on the way are
// taken along. What the walk does not reach (aliases that follow from sums) is tied to the first. All potentials of a connection are tied
// to the one by which the walk came, whichever was connected to which.
class Trees {
 public:
  explicit Trees(const BlockProblem& p) : problem_(p) {}

  const std::vector<Tie>& of(std::span<const std::uint64_t> wanted) {
    walk(wanted);
    out_.clear();
    kept_.assign(met_.size(), false);
    kept_[0] = true;
    for (std::uint64_t m : wanted) {
      std::uint32_t at = met_.find(m);
      if (at == met_.size()) out_.push_back({wanted[0], m, combine(0xa11a5, problem_.member_group(m))});
      else
        for (; !kept_[at]; at = reached_[at].by) {
          kept_[at] = true;
          out_.push_back(reached_[at].tie);
        }
    }
    return out_;
  }

 private:
  struct Reached {
    Tie tie;               // by which it was reached
    std::uint32_t by = 0;  // from there
    std::uint32_t set = 0;
  };

  void walk(std::span<const std::uint64_t> wanted) {
    met_.clear();
    reached_.clear();
    sorted_.assign(wanted.begin(), wanted.end());
    std::sort(sorted_.begin(), sorted_.end());
    std::size_t left = wanted.size() - 1;
    met_.add(wanted[0]);
    reached_.emplace_back();
    for (std::uint32_t k = 0; k < met_.size() && left > 0; ++k) {
      near_.clear();
      problem_.neighbours(met_[k], near_);
      if (problem_.place && near_.size() > 1)
        std::ranges::stable_sort(near_, {}, [&](const BlockProblem::Neighbour& x) { return problem_.place(x.member); });
      for (const auto& x : near_) {
        if (met_.find(x.member) != met_.size()) continue;
        const bool same_set = x.set != 0 && x.set == reached_[k].set;
        const std::uint32_t by = same_set ? reached_[k].by : k;
        std::uint64_t group = x.group;
        if (x.set != 0) {  // whichever way the walk goes
          const auto [low, high] = std::minmax({problem_.member_group(met_[by]), problem_.member_group(x.member)});
          group = combine(combine(0xc0, low), high);
        }
        reached_.push_back({{met_[by], x.member, group, x.from_relaxed, x.relaxed}, by, x.set});
        met_.add(x.member);
        left -= std::binary_search(sorted_.begin(), sorted_.end(), x.member);
      }
    }
  }

  const BlockProblem& problem_;
  Numbering met_;
  std::vector<Reached> reached_;  // these, by number
  std::vector<BlockProblem::Neighbour> near_;
  std::vector<std::uint64_t> sorted_;
  std::vector<bool> kept_;
  std::vector<Tie> out_;
};

// The members of each unknown's alias set that the rows name, in order.
std::vector<Small<std::uint64_t, 2>> named_members(const Work& w) {
  std::vector<Small<std::uint64_t, 2>> members(w.rows.size());
  for (const WorkRow& r : w.rows)
    for (const Occurrence& o : r.occurrences) members[o.unknown].push_back(o.member);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> by_place;
  for (auto& m : members) {
    if (m.size() < 2) continue;
    std::sort(m.begin(), m.end());
    m.resize(static_cast<std::size_t>(std::unique(m.begin(), m.end()) - m.begin()));
    if (!w.problem.place || m.size() < 2) continue;
    by_place.clear();
    for (std::uint64_t x : m) by_place.emplace_back(w.problem.place(x), x);
    std::sort(by_place.begin(), by_place.end());
    std::ranges::transform(by_place, m.begin(), [](const auto& x) { return x.second; });
  }
  return members;
}

// The arrays of which the rows name most elements, by names that are not alone. Walks begin there, so that the elements of an array are
// tied to others in one way. (Of a vector that is another one but for multiples of a third some elements may be aliases, others unknowns
// of their own: no walk of the others would begin there.)
class Starts {
 public:
  Starts(const BlockProblem& p, const std::vector<Small<std::uint64_t, 2>>& members) : problem_(p) {
    for (const auto& set : members)
      for (std::uint64_t m : set) count_[p.member_group(m)] += set.size() > 1;
  }
  // The set with the member first at which its walk begins.
  void put_start_first(Small<std::uint64_t, 2>& set) const {
    std::uint64_t* start = set.begin();
    std::size_t most = count_.at(problem_.member_group(*start));
    for (std::uint64_t* x = start + 1; x != set.end(); ++x)
      if (const std::size_t count = count_.at(problem_.member_group(*x)); count > most) {
        start = x;
        most = count;
      }
    std::rotate(set.begin(), start, start + 1);
  }

 private:
  const BlockProblem& problem_;
  std::unordered_map<std::uint64_t, std::size_t> count_;  // by array
};

// Columns of the members of unknowns' alias sets, one unknown after the other.
class Copies {
 public:
  explicit Copies(std::size_t unknowns) : begin_(unknowns, 0), end_(unknowns, 0) {}
  void begin(std::uint32_t unknown) {
    begin_[unknown] = static_cast<std::uint32_t>(list_.size());
    met_.clear();
  }
  // False: it has a column.
  bool add(std::uint64_t member, std::uint32_t column) {
    if (met_.find(member) != met_.size()) return false;
    met_.add(member);
    list_.emplace_back(member, column);
    return true;
  }
  std::uint32_t of_this(std::uint64_t member) const { return list_[list_.size() - met_.size() + met_.find(member)].second; }
  void end(std::uint32_t unknown) {
    std::sort(list_.begin() + begin_[unknown], list_.end());
    end_[unknown] = static_cast<std::uint32_t>(list_.size());
  }
  bool empty() const { return list_.empty(); }
  bool has(std::uint32_t unknown) const { return begin_[unknown] < end_[unknown]; }
  std::uint32_t of(std::uint32_t unknown, std::uint64_t member) const {  // no_part: none
    const auto last = list_.begin() + end_[unknown];
    const auto it = std::lower_bound(list_.begin() + begin_[unknown], last, std::pair(member, std::uint32_t{0}));
    return it != last && it->first == member ? it->second : no_part;
  }

 private:
  std::vector<std::uint32_t> begin_, end_;  // by unknown
  std::vector<std::pair<std::uint64_t, std::uint32_t>> list_;
  Numbering met_;                           // of the unknown in work
};

}  // namespace

struct Views::Ties {
  std::vector<Tie> all;
  std::vector<std::uint32_t> end;  // by unknown
};

// What the two views have to be made of is found at the same time. The ties ask what the problem knows of members, the rows all else.
Views::Views(Work& w) {
  const Members members = named_members(w);
  const bool tied = !w.problem.row_group.empty() && w.problem.neighbours;
  Ties ties;
  const auto read_rows = [&] { read(w, members); };
  const auto find_ties = [&] {
    if (tied) ties = ties_between(w.problem, members);
  };
  if (w.problem.helper && w.rows.size() > few_unknowns) w.problem.helper->beside(read_rows, find_ties);
  else read_rows(), find_ties();
  if (tied) keep_aliases(w, members, ties);
}

Views::Views(const Views& v, const code::Builder& tape)
    : plain_(v.plain_, tape), aliases_(v.aliases_, tape), has_aliases_(v.has_aliases_), most_nodes_(v.most_nodes_), copied_(v.copied_), named_(v.named_) {}

void Views::name_kinds(const BlockProblem& p) {
  if (!p.kind) return;
  for (View* v : {&plain_, &aliases_})
    for (std::size_t c = v->problem.kind.size(); c < v->problem.unknown_group.size(); ++c)
      v->problem.kind.push_back(named_[c] == no_member ? std::string() : p.kind(named_[c]));
}

Views::Ties Views::ties_between(const BlockProblem& p, const Members& members) {
  Ties ties;
  ties.end.reserve(members.size());
  const Starts starts(p, members);
  Trees trees(p);
  for (const auto& set : members) {
    if (set.size() > 1) {
      Small<std::uint64_t, 2> wanted = set;
      starts.put_start_first(wanted);
      const std::vector<Tie>& tree = trees.of({wanted.data(), wanted.size()});
      ties.all.insert(ties.all.end(), tree.begin(), tree.end());
    }
    ties.end.push_back(static_cast<std::uint32_t>(ties.all.size()));
  }
  return ties;
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
  named_.reserve(2 * members.size());
  for (const auto& m : members) named_.push_back(m.empty() ? no_member : m[0]);
  std::size_t entries = 0;
  for (std::size_t r = 0; r < w.rows.size(); ++r) {
    p.relaxed.push_back(w.rows[r].relaxed);
    p.has_relaxed |= !p.relaxed[r].empty();
    p.has_torn |= w.residue_row[r] || w.tearing_unknown[r];
    entries += plain_.system.rows[r].size();
  }
  most_nodes_ = w.tape.size() + 4000 + 16 * entries;
}

void Views::keep_aliases(const Work& w, const Members& members, const Ties& ties) {
  const auto n = static_cast<std::uint32_t>(w.rows.size());
  LinearSystem& system = aliases_.system;
  system.rows.reserve(n + ties.all.size());
  system.rows = plain_.system.rows;
  system.rhs = plain_.system.rhs;
  OrderingProblem& q = aliases_.problem = plain_.problem;
  NamedPlaces& names = aliases_.names = plain_.names;
  std::vector<std::uint64_t> row_group = w.problem.row_group, unknown_group = w.problem.unknown_group;
  Copies copies(n);  // the first member is the unknown itself
  copied_.resize(n);
  std::iota(copied_.begin(), copied_.end(), 0u);
  for (std::uint32_t c = 0; c < n; ++c) {
    if (members[c].empty()) continue;
    const std::uint64_t own = members[c][0];
    unknown_group[c] = w.problem.member_group(own);
    if (members[c].size() == 1) continue;
    copies.begin(c);
    for (std::uint32_t k = c == 0 ? 0 : ties.end[c - 1]; k < ties.end[c]; ++k) {
      const Tie& t = ties.all[k];
      for (std::uint64_t x : {t.a, t.b}) {
        const auto next = static_cast<std::uint32_t>(unknown_group.size());
        if (!copies.add(x, x == own ? c : next) || x == own) continue;
        unknown_group.push_back(w.problem.member_group(x));
        copied_.push_back(c);
        named_.push_back(x);
        if (!names.column.empty()) names.column.push_back(w.problem.member_key(x));
      }
      const auto [low, high] = std::minmax({copies.of_this(t.a), copies.of_this(t.b)});
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
      if (t.a_relaxed || t.b_relaxed) q.relaxed.back().push_back(copies.of_this(t.a_relaxed ? t.a : t.b));
      q.has_relaxed |= t.a_relaxed || t.b_relaxed;
    }
    copies.end(c);
  }
  if (copies.empty()) return copied_.clear();
  const auto copied = [&](std::uint32_t r, std::uint32_t unknown) {
    if (!copies.has(unknown)) return unknown;
    for (const Occurrence& o : w.rows[r].occurrences)
      if (o.unknown == unknown)
        if (const std::uint32_t column = copies.of(unknown, o.member); column != no_part) return column;
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
