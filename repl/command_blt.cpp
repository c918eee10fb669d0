// :blt
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/session/system.hpp"
#include "repl/block_text.hpp"
#include "repl/model_text.hpp"
#include "repl/plot.hpp"
#include "repl/shell.hpp"
#include "repl/text.hpp"

namespace kron::repl {

using session::Analysis;
using session::Block;

namespace {

// In the order in which the block lists its equations and unknowns; an iteration has them in one of its own.
std::vector<std::string> residue_labels(const Analysis& a, const Block& b) {
  std::vector<std::uint32_t> sorted = b.how().residues;
  std::ranges::sort(sorted);
  std::vector<std::string> labels;
  for (std::uint32_t r : sorted) labels.push_back(session::equation_label(a, b, r));
  return labels;
}
std::vector<std::string> torn_names(const Analysis& a, const Block& b) {
  std::unordered_map<std::uint32_t, std::size_t> place;
  for (std::size_t k = 0; k < b.unknowns.size(); ++k) place.emplace(b.unknowns[k].value, k);
  std::vector<session::VarId> sorted = b.how().torn;
  std::ranges::sort(sorted, {}, [&](session::VarId v) { return place[v.value]; });
  return names_of(a, sorted);
}

Json block_json(const Analysis& a, const Block& b, std::size_t index) {
  return Json::object().set("index", index + 1).set("kind", session::to_text(b.kind)).set("size", b.unknowns.size())
      .set("unknowns", names_of(a, b.unknowns)).set("equations", session::equation_labels(a, b))
      .set("method", session::to_text(b.method)).set("ordering", b.how().ordering).set("core", b.how().core)
      .set("torn", torn_names(a, b)).set("residues", residue_labels(a, b))
      .set("relaxed", names_of(a, b.how().relaxed)).set("section", std::string(to_text(b.section)));
}

bool coupled(const Block& b) { return b.unknowns.size() > 1 || b.kind != session::BlockKind::explicit_; }

std::string remarks(const Analysis& a, const Block& b) {
  std::vector<std::string> parts;
  if (b.how().core) parts.push_back("core " + std::to_string(b.how().core));
  if (!b.how().torn.empty()) parts.push_back("torn " + joined(torn_names(a, b), ", ", 4));
  if (!b.how().relaxed.empty()) parts.push_back("relaxed " + joined(names_of(a, b.how().relaxed), ", ", 4));
  return joined(parts, "; ");
}

void block_row(TextTable& table, const Analysis& a, const Block& b, std::size_t index) {
  std::string how(session::to_text(b.method));
  if (!b.how().ordering.empty()) how += " (" + b.how().ordering + ")";
  std::string note = remarks(a, b);
  std::string equations = joined(session::equation_labels(a, b), ", ", 3);
  if (!note.empty()) equations += "   " + note;
  table.row({std::to_string(index + 1), std::string(to_text(b.section)), std::string(session::to_text(b.kind)),
             std::to_string(b.unknowns.size()), how,
             joined(names_of(a, b.unknowns), ", ", 3), equations});
}

std::string block_table(const Analysis& a, const std::vector<Block>& blocks, bool all) {
  TextTable table({"block", "section", "kind", "size", "solved by", "unknowns", "equations"});
  table.right(0).right(3);
  constexpr std::size_t most = 60;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (all || blocks.size() <= most || coupled(blocks[i])) block_row(table, a, blocks[i], i);
    else ++left_out;
  }
  std::string text = table.size() ? table.text() : "";
  if (left_out) text += plural(left_out, "block") + " of one assignment not shown: `:blt all` shows every block\n";
  return text;
}

// Pairs (row, column) of the equations and unknowns of a block, by position. A differentiated equation is found by its label.
std::vector<std::pair<std::uint32_t, std::uint32_t>> pattern(const Analysis& a, const Block& b) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> points;
  if (!a.system) return points;
  std::unordered_map<std::uint32_t, std::uint32_t> column;
  std::unordered_map<std::string, std::uint32_t> row;
  std::unordered_set<std::uint32_t> origins;
  for (std::uint32_t i = 0; i < b.unknowns.size(); ++i) column[b.unknowns[i].value] = i;
  for (const auto& [x, y] : b.how().followers) column[x.value] = column.at(y.value);
  for (std::uint32_t i = 0; i < b.equations.size(); ++i) {
    row[session::equation_label(a, b, i)] = i;
    origins.insert(b.equations[i].value);
  }
  for (const session::SystemRow& r : a.system->rows) {
    if (!origins.contains(r.origin)) continue;
    const auto at = row.find(session::label(*a.system, r));
    if (at == row.end()) continue;
    for (std::uint32_t v : a.system->columns(r))
      if (auto c = column.find(v); c != column.end()) points.emplace_back(at->second, c->second);
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

struct MatrixOrder {
  std::vector<std::uint32_t> row, column;
  std::size_t pivots = 0;  // the first so many are pairs
};

MatrixOrder elimination_order(const Block& b) {
  const std::size_t n = b.unknowns.size();
  MatrixOrder order;
  std::vector<bool> row_seen(n), column_seen(n);
  for (auto [r, c] : b.how().pivots)
    if (r < n && c < n && !row_seen[r] && !column_seen[c]) {
      order.row.push_back(r);
      order.column.push_back(c);
      row_seen[r] = column_seen[c] = true;
    }
  order.pivots = order.row.size();
  for (std::uint32_t i = 0; i < n; ++i) {
    if (!row_seen[i]) order.row.push_back(i);
    if (!column_seen[i]) order.column.push_back(i);
  }
  return order;
}

MatrixOrder given_order(const Block& b) {
  MatrixOrder order;
  for (std::uint32_t i = 0; i < b.unknowns.size(); ++i) {
    order.row.push_back(i);
    order.column.push_back(i);
  }
  return order;
}

// The matrix in an order, one character an entry: ■ pivot, □ pivot that earlier steps make, × other entry.
std::string small_picture(const Analysis& a, const Block& b, const MatrixOrder& order) {
  const std::size_t n = b.unknowns.size();
  const auto &row = order.row, &column = order.column;
  std::vector<std::vector<bool>> set(n, std::vector<bool>(n));
  for (auto [r, c] : pattern(a, b)) set[r][c] = true;
  std::size_t widest = 0;
  const std::vector<std::string> labels = session::equation_labels(a, b);
  for (const std::string& label : labels) widest = std::max(widest, std::min<std::size_t>(30, display_width(label)));
  std::string out;
  for (std::size_t i = 0; i < n; ++i) {
    out += "  " + padded(shortened(labels[row[i]], 30), widest) + " │";
    for (std::size_t j = 0; j < n; ++j) {
      const bool pivot = i == j && i < order.pivots, there = set[row[i]][column[j]];
      out += pivot ? (there ? " ■" : " □") : there ? " ×" : " ·";
    }
    out += " │ " + session::name(a, b.unknowns[column[i]]) + "\n";
  }
  return out;
}

std::string block_details(Shell& shell, const Analysis& a, std::size_t index) {
  const Block& b = a.blocks[index];
  std::string text = "block " + std::to_string(index + 1) + ": " + std::string(session::to_text(b.kind)) + ", " +
                     plural(b.unknowns.size(), "unknown") + ", solved by " + std::string(session::to_text(b.method)) +
                     (b.how().ordering.empty() ? "" : " in the order " + b.how().ordering) + ", " + std::string(to_text(b.section)) + " section\n";
  if (const std::string note = remarks(a, b); !note.empty()) text += "  " + note + "\n";
  if (b.how().guards) text += "  " + plural(b.how().guards, "divisor") + " watched: where one nearly vanishes an LU of the block takes over\n";
  constexpr std::size_t largest = 30;
  if (b.unknowns.size() <= largest) {
    const MatrixOrder order = elimination_order(b);
    if (order.row != given_order(b).row || order.column != given_order(b).column)
      text += small_picture(a, b, given_order(b)) + "in the order of elimination (■ pivot):\n";
    const std::string picture = small_picture(a, b, order);
    text += picture;
    if (picture.find("□") != std::string::npos) text += "  (□ pivot that the steps before make)\n";
  } else text += draw_pattern(b.equations.size(), b.unknowns.size(), pattern(a, b), shell.terminal().width - 4);
  if (!b.how().tried.empty()) {
    TextTable table({"ordering", "mul", "add", "div", "core", ""});
    for (std::size_t i = 1; i < 5; ++i) table.right(i);
    for (const auto& t : b.how().tried)
      table.row({t.name, std::to_string(t.mul), std::to_string(t.add), std::to_string(t.div), std::to_string(t.core), t.rejected});
    text += table.text();
  }
  return text + session::code_text(a, index);
}

}  // namespace

bool do_blt(Shell& shell, Arguments& a, Reply& reply) {
  const auto analysis = analysed(shell, a);
  if (!analysis) return false;
  const auto block = block_argument(a, *analysis);
  if (!block) return false;
  const bool all = a.keyword("all");
  if (!a.end()) return false;
  std::size_t unknowns = 0, equations = 0;
  for (const Block& b : analysis->blocks) {
    unknowns += b.unknowns.size();
    equations += b.equations.size();
  }
  if (shell.json()) {
    Json blocks = Json::array();
    for (std::size_t i = 0; i < analysis->blocks.size(); ++i)
      if (!*block || **block == i) blocks.push(block_json(*analysis, analysis->blocks[i], i));
    reply.json.set("equations", equations).set("unknowns", unknowns).set("aliases", analysis->aliases).set("blocks", std::move(blocks));
    return true;
  }
  if (*block) {
    reply.text = block_details(shell, *analysis, **block);
    return true;
  }
  reply.text = plural(equations, "equation") + ", " + plural(unknowns, "unknown") + ", " + plural(analysis->aliases, "alias", "aliases") +
               ", " + plural(analysis->blocks.size(), "block") + "\n" + block_table(*analysis, analysis->blocks, all);
  if (all && !analysis->initial_blocks.empty())
    reply.text += "initialisation:\n" + block_table(*analysis, analysis->initial_blocks, true);
  return true;
}

}  // namespace kron::repl
