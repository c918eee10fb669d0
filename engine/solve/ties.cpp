#include "engine/solve/ties.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <string>
#include <string_view>

#include "engine/base/hash.hpp"
#include "engine/base/name.hpp"
#include "engine/solve/ordering.hpp"

namespace kron::solve {
namespace {

// Ranks of rows in this order; an unknown has the rank of the first row that holds it, then its place there.
TieOrder ranks(const OrderingProblem& p, const std::vector<std::uint32_t>& rows) {
  TieOrder t{std::vector<std::uint32_t>(rows.size(), 0), std::vector<std::uint32_t>(p.unknown_group.size(), none)};
  std::uint32_t columns = 0;
  for (std::uint32_t k = 0; k < rows.size(); ++k) {
    t.row[rows[k]] = k;
    for (const auto& e : p.system->rows[rows[k]])
      if (t.column[e.column] == none) t.column[e.column] = columns++;
  }
  return t;
}

TieOrder ties_by(const OrderingProblem& p, const std::vector<std::uint32_t>& kind) {
  std::vector<std::uint32_t> rows(p.system->rows.size());
  std::iota(rows.begin(), rows.end(), 0u);
  std::stable_sort(rows.begin(), rows.end(), [&](auto x, auto y) { return kind[x] < kind[y]; });
  return ranks(p, rows);
}

// Letters and numbers in the opposite order.
std::string from_the_end(const std::string& name) {
  const auto digit = [&](std::size_t k) { return k < name.size() && name[k] >= '0' && name[k] <= '9'; };
  std::string out;
  for (std::size_t end = name.size(); end > 0;) {
    std::size_t begin = end - 1;
    while (digit(begin) && begin > 0 && digit(begin - 1)) --begin;
    out.append(name, begin, end - begin);
    end = begin;
  }
  return out;
}

// Of each row: equal where its unknowns are of the same kinds but for numbers, and enter as ±1 or not. (Forms differ with the sides of an
// equation.) Numbered by first occurrence.
std::vector<std::uint32_t> kinds(const OrderingProblem& p) {
  std::vector<std::string> names;
  for (const std::string& k : p.kind) names.push_back(without_numbers(k));
  std::map<std::vector<std::pair<std::string_view, bool>>, std::uint32_t> number;
  std::vector<std::uint32_t> out;
  for (const auto& row : p.system->rows) {
    std::vector<std::pair<std::string_view, bool>> key;
    for (const auto& e : row) key.emplace_back(names[e.column], e.value.node() == code::one.node());
    std::sort(key.begin(), key.end());
    out.push_back(number.emplace(std::move(key), static_cast<std::uint32_t>(number.size())).first->second);
  }
  return out;
}

}  // namespace

std::string without_numbers(const std::string& name) {
  std::string out;
  for (std::size_t k = 0; k < name.size();) {
    if (name[k] < '0' || name[k] > '9') {
      out += name[k++];
      continue;
    }
    std::size_t end = k;
    while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
    if (end < name.size() && (std::isalnum(static_cast<unsigned char>(name[end])) || name[end] == '_')) out.append(name, k, end - k);
    k = end;
  }
  return out;
}

TieOrder ties_by_form(const OrderingProblem& p) { return ties_by(p, p.form); }
TieOrder ties_by_kind(const OrderingProblem& p) { return ties_by(p, kinds(p)); }

TieOrder ties_by_neighbours(const OrderingProblem& p) {
  const auto n = static_cast<std::uint32_t>(p.system->rows.size());
  std::vector<std::vector<std::uint32_t>> holders(p.unknown_group.size());
  for (std::uint32_t r = 0; r < n; ++r)
    for (const auto& e : p.system->rows[r]) holders[e.column].push_back(r);
  std::vector<std::uint32_t> rows;
  std::vector<bool> met(n, false);
  for (std::uint32_t start = 0; start < n; ++start) {
    if (met[start]) continue;
    met[start] = true;
    rows.push_back(start);
    for (std::size_t k = rows.size() - 1; k < rows.size(); ++k)
      for (const auto& e : p.system->rows[rows[k]])
        for (std::uint32_t r : holders[e.column])
          if (!met[r]) {
            met[r] = true;
            rows.push_back(r);
          }
  }
  return ranks(p, rows);
}

TieOrder ties_by_quantity(const OrderingProblem& p) {
  struct Key {
    std::string stem, element;
    std::uint32_t column;
  };
  std::vector<Key> keys;
  for (std::uint32_t c = 0; c < p.kind.size(); ++c) {
    const std::string& n = p.kind[c];
    const std::size_t end = n.ends_with(']') ? n.rfind('[') : n.size();  // elements of an array in order
    keys.push_back({from_the_end(n.substr(0, end)), n.substr(end), c});
  }
  std::stable_sort(keys.begin(), keys.end(), [](const Key& x, const Key& y) {
    return x.stem != y.stem ? natural_less(x.stem, y.stem) : natural_less(x.element, y.element);
  });
  TieOrder t;
  t.column.resize(p.kind.size());
  for (std::uint32_t k = 0; k < keys.size(); ++k) t.column[keys[k].column] = k;
  std::vector<std::vector<std::uint32_t>> holds(p.system->rows.size());
  std::vector<std::uint32_t> rows(holds.size());
  std::iota(rows.begin(), rows.end(), 0u);
  for (std::uint32_t r : rows) {
    for (const auto& e : p.system->rows[r]) holds[r].push_back(t.column[e.column]);
    std::sort(holds[r].begin(), holds[r].end());
  }
  std::stable_sort(rows.begin(), rows.end(), [&](auto x, auto y) { return holds[x] < holds[y]; });
  t.row.resize(rows.size());
  for (std::uint32_t k = 0; k < rows.size(); ++k) t.row[rows[k]] = k;
  return t;
}

std::uint64_t Ties::operator()(std::uint32_t row, std::uint32_t column) const {
  if (lot != 0 && arrays) return (mix(combine(lot, (*arrays)[column])) & ~std::uint64_t{0xffffffff}) | row;
  if (lot != 0) return mix(combine(combine(lot, row), column));
  return order ? std::uint64_t{order->row[row]} << 32 | order->column[column] : 0;
}

}  // namespace kron::solve
