// engine/structure/dulmage_mendelsohn.cpp: the over-, well- and under-determined parts of a graph.
//   in    incidence and a maximum matching
//   out   a part for every row and column; pairs of the matching lie in one part
//   keep  the same parts for every maximum matching
//   how   alternating search, breadth first, from the free rows and from the free columns
//         [Dulmage, Mendelsohn 1958; Pothen, Fan 1990]
//   cost  O(rows + columns + edges)
#include "engine/structure/structure.hpp"

namespace kron::structure {
namespace {

// From the free nodes of one side: all their neighbours, the partners of these, and so on.
void spread(const Incidence& g, const std::vector<std::uint32_t>& partner_here,
            const std::vector<std::uint32_t>& partner_there, Parts::Part part, std::vector<std::uint8_t>& here,
            std::vector<std::uint8_t>& there) {
  std::vector<std::uint32_t> queue;
  for (std::uint32_t node = 0; node < g.rows(); ++node)
    if (partner_here[node] == free_end) queue.push_back(node), here[node] = part;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    for (const std::uint32_t neighbour : g[queue[head]]) {
      if (there[neighbour] == part) continue;
      there[neighbour] = part;
      const std::uint32_t partner = partner_there[neighbour];
      if (partner != free_end) queue.push_back(partner), here[partner] = part;
    }
  }
}

}  // namespace

Parts dulmage_mendelsohn(const Incidence& g, const Matching& m) {
  Parts parts{std::vector<std::uint8_t>(g.rows(), Parts::well), std::vector<std::uint8_t>(g.columns, Parts::well)};
  if (m.size < g.rows()) spread(g, m.of_row, m.of_column, Parts::over, parts.row, parts.column);
  if (m.size < g.columns) spread(transpose(g), m.of_column, m.of_row, Parts::under, parts.column, parts.row);
  return parts;
}

}  // namespace kron::structure
