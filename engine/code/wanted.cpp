// In which section each item runs: that of those who want it, the most often run one of them.
//   how   one pass from the end to the beginning, as all that read an item come behind it. Only unknowns of Newton steps are read before
//         their step, by what the step needs and by what else was made of them there: where one of those wants an unknown more than the
//         step is wanted, the pass goes back to the step, at most once for each section
#include <algorithm>
#include <stdexcept>

#include "engine/code/layout.hpp"

namespace kron::code {
namespace {

using Value = Graph::Step::Value;

class Wanted {
 public:
  Wanted(Graph& g, const Roots& roots) : g_(g), roots_(roots), wanted_(g.items.size(), unwanted) {
    if (roots.open) opened_.assign(g.steps.size(), false);
  }

  std::vector<std::uint8_t> run(LoweredRoots& out) {
    list_roots(out);
    for (const auto& [list, section] : {std::pair{&out.derivative, dynamic_section}, std::pair{&out.event, event_section},
                                        std::pair{&out.output, output_section}, std::pair{&out.parameter, output_section}})
      for (const Value& v : *list) want(v.item, section);
    for (const auto& alternatives : out.chosen)
      for (const Value& v : alternatives) want(v.item, dynamic_section);
    for (auto i = static_cast<std::uint32_t>(g_.items.size()); i-- > 0;) i = pass(i);
    open_steps(out);
    for (std::size_t i = 0; i < wanted_.size(); ++i)
      if (wanted_[i] != unwanted && g_.items[i].section < dynamic_section) wanted_[i] = g_.items[i].section;
    return std::move(wanted_);
  }

 private:
  void list_roots(LoweredRoots& out) const {
    for (auto [from, to] : {std::pair{&roots_.derivative, &out.derivative}, std::pair{&roots_.event, &out.event},
                            std::pair{&roots_.output, &out.output}, std::pair{&roots_.parameter, &out.parameter}}) {
      to->reserve(from->size());
      for (Ref r : *from) to->push_back(g_.value(r));
    }
    for (const ChosenRoot& c : roots_.chosen) {
      out.chosen.emplace_back();
      for (Ref r : c.alternative) out.chosen.back().push_back(g_.value(r));
    }
  }

  void want(std::uint32_t i, std::uint32_t section) { wanted_[i] = std::min(wanted_[i], static_cast<std::uint8_t>(section)); }

  void want_reads(std::uint32_t i) {
    const std::uint8_t section = wanted_[i];
    std::uint8_t* const wanted = wanted_.data();
    g_.each_read(i, [=](std::uint32_t r) { wanted[r] = std::min(wanted[r], section); });
  }

  // The next item to look at is the one before what it gives back.
  std::uint32_t pass(std::uint32_t i) {
    const Item& item = g_.items[i];
    if (item.kind == Item::Kind::step) want_step(i, item.a);
    else if (item.kind == Item::Kind::unknown) return wanted_[i] == unwanted ? i : pass_unknown(i, item);
    else if (wanted_[i] != unwanted) want_reads(i);
    return i;
  }

  std::uint32_t pass_unknown(std::uint32_t i, const Item& unknown) {
    if (unknown.a == Graph::none) throw std::logic_error("an unknown is used that no solve step defines");
    if (wanted_[unknown.a] <= wanted_[i] || is_open(g_.items[unknown.a].a)) return i;
    return unknown.a + 1;
  }

  void want_step(std::uint32_t i, std::uint32_t s) {
    const SolveStep& source = *g_.steps[s].source;
    if (!source.linear.guarded())
      for (std::uint32_t u : g_.steps[s].unknown) want(i, wanted_[u]);
    if (only_watches(source.linear)) want(i, output_section);
    if (wanted_[i] == unwanted) return;
    if (!source.pins().empty()) want(i, dynamic_section);  // states are read from what it solves, whether derivatives need that or not
    if (!roots_.open || wanted_[i] != dynamic_section || !may_open(source)) {
      want_reads(i);
      return;
    }
    // Its equations are to hold; nothing solves them.
    opened_[s] = true;
    for (const Value& v : g_.steps[s].right) want(v.item, dynamic_section);
    if (!source.newton)
      for (const Value& v : g_.steps[s].matrix) want(v.item, dynamic_section);
  }

  bool is_open(std::uint32_t step) const { return roots_.open && opened_[step]; }

  // Zero is all that such a block can give, where it gives anything: whether it does is looked at, though nobody reads it.
  static bool only_watches(const LinearStep& s) {
    return s.guarded() && std::all_of(s.solution.begin(), s.solution.end(), [](Ref r) { return r.bits < 2; });
  }

  void open_steps(LoweredRoots& out) {
    const std::uint32_t first = roots_.inputs[static_cast<std::size_t>(InputKind::state)];
    for (std::uint32_t s = 0; s < opened_.size(); ++s) {
      if (!opened_[s]) continue;
      const Graph::Step& step = g_.steps[s];
      wanted_[step.item] = unwanted;
      for (std::uint32_t c = 0; c < step.unknown.size(); ++c) {
        const std::uint32_t state = first + static_cast<std::uint32_t>(out.opened.size());
        g_.items[step.unknown[c]] = {.kind = Item::Kind::input, .section = dynamic_section, .a = Graph::none, .b = state};
        wanted_[step.unknown[c]] = dynamic_section;
        out.opened.push_back({step.source->unknowns()[c], step.source->block});
      }
    }
    for (std::uint32_t s = 0; s < opened_.size(); ++s)
      if (opened_[s]) add_residuals(g_.steps[s], out.derivative);
  }

  void add_residuals(const Graph::Step& s, std::vector<Value>& out) {
    const std::size_t first = out.size();
    const bool newton = s.source->newton;
    for (const Value& v : s.right) out.push_back(newton ? v : -v);
    if (newton) return;
    for (std::size_t k = 0; k < s.matrix.size(); ++k) {
      const Entry& e = s.source->linear.matrix[k];
      Value& sum = out[first + e.row];
      const std::uint32_t product = instruction(Kernel::mul, s.matrix[k].item, s.unknown[e.column]);
      if (sum.negative == e.value.negative())
        sum.item = instruction(Kernel::add, sum.item, product);
      else
        sum = {e.value.negative() ? instruction(Kernel::sub, sum.item, product) : instruction(Kernel::sub, product, sum.item), false};
    }
  }
  std::uint32_t instruction(Kernel kernel, std::uint32_t a, std::uint32_t b) {
    g_.items.push_back({.kind = Item::Kind::instruction, .kernel = kernel, .section = dynamic_section, .a = a, .b = b});
    wanted_.push_back(dynamic_section);
    return static_cast<std::uint32_t>(g_.items.size() - 1);
  }

  Graph& g_;
  const Roots& roots_;
  std::vector<std::uint8_t> wanted_;
  std::vector<bool> opened_;  // by step
};

}  // namespace

std::vector<std::uint8_t> find_sections(Graph& g, const Roots& roots, LoweredRoots& out) { return Wanted(g, roots).run(out); }

}  // namespace kron::code
