#include "engine/code/compiler.hpp"

#include <algorithm>

#include "engine/code/layout.hpp"

namespace kron::code {
namespace {

// What stands before a piece of the tape.
struct Piece {
  Graph::End graph;
  std::size_t regions = sections, bodies = 0;
  std::array<std::size_t, sections> ordered{};
};

// A program in the making.
struct Stages {
  Graph graph;
  std::vector<Piece> pieces;
  std::vector<std::uint8_t> section;  // by item
  Placement placement;
  Order order = Order(sections);
  std::size_t in_order = 0;  // pieces: the first ones; those behind them are lowered only
  LoweredRoots values;

  // Forget the pieces from this one on.
  void forget_order(std::size_t piece) {
    if (piece >= in_order) return;
    in_order = piece;
    const Piece& p = pieces[piece];
    placement.region.resize(p.graph.items);
    placement.regions.resize(p.regions);
    placement.bodies.resize(p.bodies);
    order.resize(p.regions);
    for (std::size_t r = 0; r < sections; ++r) order[r].resize(p.ordered[r]);
  }
  void forget_items(std::size_t piece) {
    if (piece >= pieces.size()) return;
    forget_order(piece);
    graph.shorten(pieces[piece].graph);
    section.resize(std::min(section.size(), graph.items.size()));
    pieces.resize(piece);
  }

  void lower(const Builder& b) {
    while (graph.of_node.size() < b.size()) {
      pieces.push_back({graph.end()});
      code::lower(b, end_of_piece(b, graph.of_node.size()), graph);
    }
    for (std::size_t s = 0; s < graph.steps.size(); ++s) graph.steps[s].source = &b.steps()[s];
  }

  std::size_t end_of_items(std::size_t piece) const {
    return piece + 1 < pieces.size() ? pieces[piece + 1].graph.items : graph.items.size();
  }

  // How many of the pieces are wanted as they were before.
  std::size_t wanted_as(const std::vector<std::uint8_t>& before) const {
    const auto end = section.begin() + static_cast<std::ptrdiff_t>(std::min(before.size(), section.size()));
    const auto changed = static_cast<std::size_t>(std::mismatch(section.begin(), end, before.begin()).first - section.begin());
    std::size_t same = 0;
    while (same < pieces.size() && end_of_items(same) <= changed) ++same;
    return same;
  }

  void put_in_order(std::size_t piece) {
    Piece& p = pieces[piece];
    p.regions = placement.regions.size();
    p.bodies = placement.bodies.size();
    for (std::size_t r = 0; r < sections; ++r) p.ordered[r] = order[r].size();
    const std::size_t end = end_of_items(piece);
    place(graph, section, end, placement);
    schedule(graph, placement, p.graph.items, end, order);
  }

  void arrange(const Roots& roots) {
    values = {};
    const std::vector<std::uint8_t> before = std::move(section);
    section = find_sections(graph, roots, values);
    forget_order(wanted_as(before));
    for (; in_order < pieces.size(); ++in_order) put_in_order(in_order);
  }
};

}  // namespace

struct Compiler::Kept {
  std::shared_ptr<const Builder> tape;
  std::size_t pieces = 0;
  Stages stages;
};

Compiler::Compiler() = default;
Compiler::~Compiler() = default;
Compiler::Compiler(Compiler&&) noexcept = default;
Compiler& Compiler::operator=(Compiler&&) noexcept = default;

void Compiler::lower(std::shared_ptr<const Builder> tape, const Beginning& same) {
  std::unique_ptr<Kept> work = std::move(kept_);  // to be gone where this ends early
  if (!work || work->tape != same.of) work = std::make_unique<Kept>();
  Stages& s = work->stages;
  // The last piece ended because the tape did.
  std::size_t kept = 0;
  while (kept + 1 < s.pieces.size() && s.pieces[kept + 1].graph.nodes <= same.end.nodes) ++kept;
  s.forget_items(kept);
  s.lower(*tape);
  work->tape = std::move(tape);
  work->pieces = kept;
  kept_ = std::move(work);
}

void Compiler::order(const Roots& roots) {
  std::unique_ptr<Kept> work = std::move(kept_);
  work->stages.arrange(roots);
  kept_ = std::move(work);
}

std::shared_ptr<const Program> Compiler::lay_out(const Roots& roots, std::shared_ptr<jit::Cache> cache) {
  std::unique_ptr<Kept> work = std::move(kept_);
  Stages& s = work->stages;
  auto program = code::lay_out(*work->tape, roots, s.graph, s.section, s.placement, s.order, std::move(s.values), std::move(cache));
  if (!roots.open) kept_ = std::move(work);  // opened steps are no longer what the tape says
  return program;
}

std::shared_ptr<const Program> Compiler::compile(std::shared_ptr<const Builder> tape, const Roots& roots, std::shared_ptr<jit::Cache> cache,
                                                 const Beginning& same) {
  lower(std::move(tape), same);
  order(roots);
  return lay_out(roots, std::move(cache));
}

std::size_t Compiler::pieces_kept() const { return kept_ ? kept_->pieces : 0; }

std::shared_ptr<const Program> compile(const Builder& b, const Roots& roots, std::shared_ptr<jit::Cache> cache) {
  return Compiler().compile(std::shared_ptr<const Builder>(std::shared_ptr<const Builder>(), &b), roots, std::move(cache));
}

}  // namespace kron::code
