#include "engine/session/in_time.hpp"

#include "engine/code/program.hpp"

namespace kron::session {

using code::Op;
using code::Ref;

std::optional<InTime::Line> InTime::line(Ref r) {
  const std::optional<Line> x = of(r.node());
  if (!x || !r.negative()) return x;
  return Line{-x->slope, -x->value};
}

std::optional<InTime::Line> InTime::of(std::uint32_t root) {
  std::vector<std::uint32_t> stack{root};
  while (!stack.empty()) {
    const std::uint32_t n = stack.back();
    if (known_.contains(n)) {
      stack.pop_back();
      continue;
    }
    const code::Node node = tape_.nodes()[n];
    const auto span = tape_.arguments(node);
    const std::vector<Ref> args(span.begin(), span.end());
    bool ready = true;
    for (Ref a : args)
      if (!known_.contains(a.node())) {
        stack.push_back(a.node());
        ready = false;
      }
    if (!ready) continue;
    stack.pop_back();
    known_[n] = make(n, node, args);
  }
  return known_[root];
}

std::optional<InTime::Line> InTime::make(std::uint32_t n, const code::Node& node, const std::vector<Ref>& args) {
  const Ref self{n << 1};
  if (node.op == Op::constant || node.section != code::Section::dynamic) return Line{code::zero, self};
  if (node.op == Op::input) {
    switch (tape_.inputs()[node.payload].kind) {
      case code::InputKind::time: return Line{code::one, code::zero};
      case code::InputKind::state: return std::nullopt;
      default: return Line{code::zero, self};
    }
  }
  std::vector<Line> of;
  bool still = true;
  for (Ref a : args) {
    const std::optional<Line>& x = known_[a.node()];
    if (!x) return std::nullopt;
    of.push_back(a.negative() ? Line{-x->slope, -x->value} : *x);
    still = still && tape_.is_zero(x->slope);
  }
  if (node.op == Op::unknown) return std::nullopt;
  if (still) return Line{code::zero, self};
  switch (node.op) {
    case Op::add: return Line{tape_.add(of[0].slope, of[1].slope), tape_.add(of[0].value, of[1].value)};
    case Op::mul: {
      const std::size_t k = tape_.is_zero(of[0].slope) ? 0 : 1;
      if (!tape_.is_zero(of[k].slope)) return std::nullopt;
      return Line{tape_.mul(of[k].value, of[1 - k].slope), tape_.mul(of[k].value, of[1 - k].value)};
    }
    case Op::div:
      if (!tape_.is_zero(of[1].slope)) return std::nullopt;
      return Line{tape_.div(of[0].slope, of[1].value), tape_.div(of[0].value, of[1].value)};
    default: return std::nullopt;
  }
}

std::vector<Wave> waves(code::Builder& tape, bool steep) {
  std::vector<Wave> list;
  std::vector<std::pair<std::uint32_t, Ref>> phases;
  for (std::uint32_t n = 0; n < tape.nodes().size(); ++n) {
    const code::Node& node = tape.nodes()[n];
    if ((node.op != Op::call && node.op != Op::pow) || node.section != code::Section::dynamic) continue;
    steep = steep || code::is_steep(node.op, node.fn);
    if (node.op == Op::call && (node.fn == Fn::sin || node.fn == Fn::cos)) phases.emplace_back(n, node.a);
  }
  InTime time(tape);
  for (std::size_t k = 0; steep && k < phases.size(); ++k)
    if (const auto line = time.line(phases[k].second); line && !tape.is_zero(line->slope) && tape.section(line->slope) < code::Section::dynamic)
      list.push_back({phases[k].first, line->slope});
  return list;
}

}  // namespace kron::session
