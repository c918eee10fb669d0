// Graphs and slow oracles for the tests of engine/structure.
#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/base/hash.hpp"
#include "engine/structure/structure.hpp"

namespace kron::structure::testing {

// A sequence of numbers that is the same on every machine.
struct Random {
  std::uint64_t state;
  explicit Random(std::uint64_t seed) : state(mix(seed)) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(mix(state += 0x9e3779b97f4a7c15ull) % n); }
  int between(int least, int most) {
    return least + static_cast<int>(below(static_cast<std::uint32_t>(most - least + 1)));
  }
};

template <class T>
void shuffle(std::vector<T>& v, Random& random) {
  for (std::size_t i = v.size(); i > 1; --i) std::swap(v[i - 1], v[random.below(static_cast<std::uint32_t>(i))]);
}

inline std::vector<std::uint32_t> permutation(std::uint32_t n, Random& random) {
  std::vector<std::uint32_t> p(n);
  std::iota(p.begin(), p.end(), 0u);
  shuffle(p, random);
  return p;
}

inline Incidence graph(std::uint32_t columns, std::initializer_list<std::initializer_list<Column>> rows) {
  Incidence g;
  g.columns = columns;
  for (const auto& row : rows) g.add_row(std::vector<Column>(row));
  return g;
}

inline Incidence random_graph(std::uint32_t rows, std::uint32_t columns, std::uint32_t most_per_row, Random& random) {
  Incidence g;
  g.columns = columns;
  for (Row r = 0; r < rows; ++r) {
    std::vector<Column> row(columns == 0 ? 0 : random.below(most_per_row + 1));
    for (Column& c : row) c = random.below(columns);
    g.add_row(row);
  }
  return g;
}

// The same graph with rows and columns renamed: row i of the result is row rows[i], column c is called columns[c].
inline Incidence renamed(const Incidence& g, const std::vector<Row>& rows, const std::vector<Column>& columns) {
  Incidence out;
  out.columns = g.columns;
  for (const Row r : rows) {
    std::vector<Column> row(g[r].begin(), g[r].end());
    for (Column& c : row) c = columns[c];
    out.add_row(row);
  }
  return out;
}

inline Incidence scrambled(const Incidence& g, std::uint64_t seed) {
  Random random(seed);
  const auto rows = permutation(g.rows(), random);
  return renamed(g, rows, permutation(g.columns, random));
}

// ---- families that look like models -------------------------------------------------------------------------------

// Row i needs columns i-2, i-1, i: a causal chain, 3 entries each, solved one by one.
inline Incidence chain(std::uint32_t n) {
  Incidence g;
  for (Column i = 0; i < n; ++i) g.add_row(i < 2 ? std::vector<Column>{i} : std::vector<Column>{i - 2, i - 1, i});
  return g;
}

// Row i couples i-1, i, i+1: a ladder, one block.
inline Incidence ladder(std::uint32_t n) {
  Incidence g;
  for (Column i = 0; i < n; ++i) {
    std::vector<Column> row{i};
    if (i > 0) row.push_back(i - 1);
    if (i + 1 < n) row.push_back(i + 1);
    g.add_row(row);
  }
  return g;
}

// The four neighbours of a node of a k·k net, not the node itself: no pair is obvious.
inline Incidence grid(std::uint32_t k) {
  Incidence g;
  for (std::uint32_t i = 0; i < k; ++i) {
    for (std::uint32_t j = 0; j < k; ++j) {
      std::vector<Column> row;
      if (i > 0) row.push_back((i - 1) * k + j);
      if (j > 0) row.push_back(i * k + j - 1);
      if (j + 1 < k) row.push_back(i * k + j + 1);
      if (i + 1 < k) row.push_back((i + 1) * k + j);
      g.add_row(row);
    }
  }
  return g;
}

inline Incidence tree(std::uint32_t n) {
  Incidence g;
  for (Column i = 0; i < n; ++i) {
    std::vector<Column> row{i};
    for (const Column child : {2 * i + 1, 2 * i + 2})
      if (child < n) row.push_back(child);
    g.add_row(row);
  }
  return g;
}

// ---- oracles ------------------------------------------------------------------------------------------------------

inline bool valid(const Matching& m, const Incidence& g) {
  std::uint32_t pairs = 0;
  for (Row r = 0; r < g.rows(); ++r) {
    if (m.of_row[r] == free_end) continue;
    ++pairs;
    if (!std::binary_search(g[r].begin(), g[r].end(), m.of_row[r]) || m.of_column[m.of_row[r]] != r) return false;
  }
  const auto columns = std::count_if(m.of_column.begin(), m.of_column.end(), [](Row r) { return r != free_end; });
  return m.of_row.size() == g.rows() && m.of_column.size() == g.columns && pairs == m.size && columns == pairs;
}

// Size of a maximum matching of a small graph, by dynamic programming over the sets of columns already taken.
inline std::uint32_t brute_force_rank(const Incidence& g) {
  std::vector<int> best(std::size_t{1} << g.columns, -1);
  best[0] = 0;
  for (Row r = 0; r < g.rows(); ++r)
    for (std::size_t taken = best.size(); taken-- > 0;)
      for (const Column c : g[r])
        if (best[taken] >= 0 && !(taken >> c & 1)) {
          int& there = best[taken | std::size_t{1} << c];
          there = std::max(there, best[taken] + 1);
        }
  return static_cast<std::uint32_t>(*std::max_element(best.begin(), best.end()));
}

// A maximum matching found in an order of rows and columns of its own, by the simplest augmentation (recursive: small
// graphs).
class PlainMatching {
 public:
  PlainMatching(const Incidence& g, Random& random) : g_(g) {
    found.of_row.assign(g.rows(), free_end);
    found.of_column.assign(g.columns, free_end);
    priority_ = permutation(g.columns, random);
    for (const Row r : permutation(g.rows(), random)) {
      seen_.assign(g.columns, false);
      if (augment_from(r)) ++found.size;
    }
  }
  Matching found;

 private:
  bool augment_from(Row r) {
    std::vector<Column> columns(g_[r].begin(), g_[r].end());
    std::sort(columns.begin(), columns.end(), [&](Column a, Column b) { return priority_[a] < priority_[b]; });
    for (const Column c : columns) {
      if (seen_[c]) continue;
      seen_[c] = true;
      if (found.of_column[c] != free_end && !augment_from(found.of_column[c])) continue;
      found.of_row[r] = c;
      found.of_column[c] = r;
      return true;
    }
    return false;
  }
  const Incidence& g_;
  std::vector<std::uint32_t> priority_;
  std::vector<bool> seen_;
};

}  // namespace kron::structure::testing
