#include "engine/solve/groups.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <queue>

#include "engine/structure/structure.hpp"

namespace kron::solve {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

class Pairing {
 public:
  explicit Pairing(const OrderingProblem& p) : p_(p) {
    const auto count = [](const std::vector<std::uint32_t>& g) {
      return g.empty() ? 0 : *std::max_element(g.begin(), g.end()) + 1;
    };
    rows_.resize(count(p.row_group));
    unknowns_.resize(count(p.unknown_group));
    for (std::uint32_t r = 0; r < p.row_group.size(); ++r) rows_[p.row_group[r]].push_back(r);
    for (std::uint32_t c = 0; c < p.unknown_group.size(); ++c) unknowns_[p.unknown_group[c]].push_back(c);
    neighbours_.resize(unknowns_.size());
    for (std::uint32_t r = 0; r < p.row_group.size(); ++r)
      for (const auto& e : p.system->rows[r]) neighbours_[p.unknown_group[e.column]].push_back(p.row_group[r]);
    for (auto& n : neighbours_) {
      std::sort(n.begin(), n.end());
      n.erase(std::unique(n.begin(), n.end()), n.end());
    }
    partner_.assign(unknowns_.size(), none);
    of_row_.assign(rows_.size(), none);
    torn_.assign(unknowns_.size(), false);
  }

  GroupPairs run() {
    natural();
    leftovers();
    return result();
  }

 private:
  bool unit(code::Ref r) const { return r.node() == 1; }

  std::vector<std::pair<std::uint32_t, code::Ref>> entries(std::uint32_t row, std::uint32_t group) const {
    std::vector<std::pair<std::uint32_t, code::Ref>> out;
    for (const auto& e : p_.system->rows[row])
      if (p_.unknown_group[e.column] == group) out.emplace_back(e.column, e.value);
    return out;
  }

  // ± a permutation, triangular with ± 1 on the diagonal after ordering, or neither.
  enum class Shape : std::uint8_t { identity, triangular, other };
  Shape shape(std::uint32_t rg, std::uint32_t vg) const {
    const auto &rows = rows_[rg], &unknowns = unknowns_[vg];
    if (rows.size() != unknowns.size()) return Shape::other;
    std::vector<std::vector<std::pair<std::uint32_t, code::Ref>>> left;
    bool identity = true;
    for (std::uint32_t r : rows) {
      left.push_back(entries(r, vg));
      identity = identity && left.back().size() == 1 && unit(left.back()[0].second);
    }
    for (std::size_t done = 0; done < rows.size(); ++done) {  // a row with one unknown left, and a unit there
      std::size_t k = 0;
      while (k < left.size() && !(left[k].size() == 1 && unit(left[k][0].second))) ++k;
      if (k == left.size()) return Shape::other;
      const std::uint32_t c = left[k][0].first;
      for (auto& l : left) std::erase_if(l, [&](const auto& e) { return e.first == c; });
    }
    return identity ? Shape::identity : Shape::triangular;
  }

  void natural() {
    structure::Incidence first, second;
    first.columns = second.columns = static_cast<std::uint32_t>(rows_.size());
    for (std::uint32_t v = 0; v < unknowns_.size(); ++v) {
      std::vector<std::uint32_t> identity, both;
      for (std::uint32_t r : neighbours_[v]) {
        const Shape s = shape(r, v);
        if (s == Shape::identity) identity.push_back(r);
        if (s != Shape::other) both.push_back(r);
      }
      first.add_row(identity);
      second.add_row(both);
    }
    structure::Matching m = structure::match(first);
    std::vector<std::uint32_t> mark(rows_.size(), 0);
    std::uint32_t stamp = 1;
    for (std::uint32_t v = 0; v < unknowns_.size(); ++v)
      if (m.of_row[v] == structure::free_end && structure::augment(second, v, m, {}, mark, stamp)) ++stamp;
    for (std::uint32_t v = 0; v < unknowns_.size(); ++v)
      if (m.of_row[v] != structure::free_end) pair(v, m.of_row[v]);
      else torn_[v] = true;
  }

  void pair(std::uint32_t v, std::uint32_t r) {
    partner_[v] = r;
    of_row_[r] = v;
  }

  // The nearest free row group of the same size, going from unknowns to the pairs whose rows they occur in.
  std::pair<std::uint32_t, std::uint32_t> nearest(std::uint32_t v) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> queue = {{v, 0}};
    ++stamp_;
    seen_.resize(unknowns_.size(), 0);
    seen_[v] = stamp_;
    std::pair<std::uint32_t, std::uint32_t> best{none, none};
    for (std::size_t k = 0; k < queue.size() && queue[k].second < best.first; ++k) {
      const auto [x, distance] = queue[k];
      for (std::uint32_t r : neighbours_[x]) {
        const std::uint32_t y = of_row_[r];
        if (y == none) {
          if (rows_[r].size() == unknowns_[v].size()) best = std::min(best, {distance, r});
        } else if (!torn_[y] && seen_[y] != stamp_) {
          seen_[y] = stamp_;
          queue.emplace_back(y, distance + 1);
        }
      }
    }
    return best;
  }

  void leftovers() {
    for (;;) {
      std::vector<std::array<std::uint32_t, 3>> wishes;
      for (std::uint32_t v = 0; v < unknowns_.size(); ++v)
        if (partner_[v] == none)
          if (const auto [distance, r] = nearest(v); r != none) wishes.push_back({distance, v, r});
      if (wishes.empty()) break;
      std::sort(wishes.begin(), wishes.end());
      for (const auto& [distance, v, r] : wishes)
        if (partner_[v] == none && of_row_[r] == none) pair(v, r);
    }
  }

  // Groups that found no partner of their size are taken apart: the rest of the rows and unknowns in order, one by one.
  GroupPairs result() {
    GroupPairs g;
    std::vector<std::uint32_t> number(unknowns_.size(), none), loose_rows, loose_unknowns;
    std::vector<std::uint32_t> pair_of_row(p_.row_group.size(), none), pair_of_unknown(p_.unknown_group.size(), none);
    for (std::uint32_t v = 0; v < unknowns_.size(); ++v) {
      if (partner_[v] == none) {
        loose_unknowns.insert(loose_unknowns.end(), unknowns_[v].begin(), unknowns_[v].end());
        continue;
      }
      number[v] = static_cast<std::uint32_t>(g.rows.size());
      g.rows.push_back(rows_[partner_[v]]);
      g.unknowns.push_back(unknowns_[v]);
      g.torn.push_back(torn_[v]);
    }
    for (std::uint32_t r = 0; r < rows_.size(); ++r)
      if (of_row_[r] == none) loose_rows.insert(loose_rows.end(), rows_[r].begin(), rows_[r].end());
    std::sort(loose_rows.begin(), loose_rows.end());
    std::sort(loose_unknowns.begin(), loose_unknowns.end());
    for (std::size_t k = 0; k < loose_rows.size(); ++k) {
      g.rows.push_back({loose_rows[k]});
      g.unknowns.push_back({loose_unknowns[k]});
      g.torn.push_back(true);
    }
    for (std::uint32_t k = 0; k < g.rows.size(); ++k) {
      for (std::uint32_t r : g.rows[k]) pair_of_row[r] = k;
      for (std::uint32_t c : g.unknowns[k]) pair_of_unknown[c] = k;
    }
    g.next.resize(g.rows.size());
    g.before.resize(g.rows.size());
    for (std::uint32_t r = 0; r < pair_of_row.size(); ++r)
      for (const auto& e : p_.system->rows[r])
        if (pair_of_unknown[e.column] != pair_of_row[r]) g.next[pair_of_unknown[e.column]].push_back(pair_of_row[r]);
    for (std::uint32_t k = 0; k < g.next.size(); ++k) {
      std::sort(g.next[k].begin(), g.next[k].end());
      g.next[k].erase(std::unique(g.next[k].begin(), g.next[k].end()), g.next[k].end());
      for (std::uint32_t y : g.next[k]) g.before[y].push_back(k);
    }
    return g;
  }

  const OrderingProblem& p_;
  std::vector<std::vector<std::uint32_t>> rows_, unknowns_, neighbours_;
  std::vector<std::uint32_t> partner_, of_row_;
  std::vector<bool> torn_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t stamp_ = 0;
};

}  // namespace

GroupPairs pair_groups(const OrderingProblem& p) { return Pairing(p).run(); }

}  // namespace kron::solve
