#include "engine/code/sequence.hpp"

#include <algorithm>

namespace kron::code {

bool is_called(const Run& run) {
  if (run.kernel == Kernel::pow) return true;
  if (run.kernel != Kernel::call || is_table(run)) return false;
  switch (run.fn) {
    case Fn::sqrt:
    case Fn::abs:
    case Fn::floor:
    case Fn::ceil:
    case Fn::min:
    case Fn::max:
    case Fn::lt:
    case Fn::le:
    case Fn::eq:
    case Fn::and_:
    case Fn::or_:
    case Fn::not_:
    case Fn::select:
      return false;
    default:
      return true;
  }
}

bool twins(const Program& p, const Producers& from, std::uint32_t reg, std::uint32_t other) {
  const Run &x = p.runs[from.maker(reg)], &y = p.runs[from.maker(other)];
  const bool fit = x.kernel == Kernel::call && y.kernel == Kernel::call &&
                   ((x.fn == Fn::sin && y.fn == Fn::cos) || (x.fn == Fn::cos && y.fn == Fn::sin));
  return fit && operand(p, x, reg - x.result, 0) == operand(p, y, other - y.result, 0);
}

Sequence::Sequence(const Program& p, const Producers& from)
    : p_(p), from_(from), register_done_(p.registers, false), step_done_(p.steps.size(), false) {}

std::vector<Sequence::Node> Sequence::of(std::uint32_t region, Purpose purpose) {
  region_ = region;
  std::vector<Node> wanted, calls;
  for (std::uint32_t i = p_.regions[region].begin; i < p_.regions[region].end; ++i) {
    const Run& run = p_.runs[i];
    if (run.kernel == Kernel::step) wanted.push_back(step_bit | run.result);
    for (std::uint32_t k = 0; k < results(run); ++k) {
      if (from_.stored(run.result + k, purpose)) wanted.push_back(run.result + k);
      if (is_called(run)) calls.push_back(run.result + k);
    }
  }
  const auto by_rank = [&](Node a, Node b) { return rank(a) < rank(b); };
  std::sort(wanted.begin(), wanted.end(), by_rank);
  std::sort(calls.begin(), calls.end(), by_rank);
  find_twins(calls);
  for (Node n : calls) visit(n);
  for (Node n : wanted) visit(n);
  for (Node n : result_) {
    if (is_step(n)) step_done_[step(n)] = false;
    else register_done_[n] = false;
  }
  return std::move(result_);
}

// Calls f(node) for each node of this region that must come before n.
template <class F>
void Sequence::each_dependency(Node n, F&& f) const {
  const auto need = [&](std::uint32_t reg) {
    std::uint32_t r = from_.region(reg);
    if (r == Producers::none) return;
    Node maker = from_.by_step(reg) ? step_bit | from_.maker(reg) : reg;
    while (r != region_) {  // inside the body of a step of this region?
      const std::uint32_t owner = from_.owner(r);
      if (owner == Producers::none) return;
      maker = step_bit | owner;
      r = from_.region_of_step(owner);
    }
    if (maker != n) f(maker);
  };
  if (is_step(n)) {
    const StepPlan& s = p_.steps[step(n)];
    each_read(s, s.guarded ? Reads::watches : Reads::all, need);
    if (s.residual_region != 0) {
      each_read_in_body(s.residual_region, need);
      each_read_in_body(s.jacobian_region, need);
    }
    return;
  }
  const Run& run = p_.runs[from_.maker(n)];
  const std::uint32_t i = n - run.result;
  for (std::uint32_t k = 0; k < arity(run); ++k) need(operand(p_, run, i, k));
  if (run.kernel != Kernel::take) return;
  const std::uint32_t guard = p_.takes[operand(p_, run, i, 1)].step;
  if (from_.region_of_step(guard) == region_) f(step_bit | guard);
}

template <class F>
void Sequence::each_read_in_body(std::uint32_t region, F&& f) const {  // bodies are nested 16 deep at most
  for (std::uint32_t i = p_.regions[region].begin; i < p_.regions[region].end; ++i) {
    const Run& run = p_.runs[i];
    if (run.kernel == Kernel::step) {
      const StepPlan& s = p_.steps[run.result];
      each_read(s, Reads::all, f);
      if (s.residual_region == 0) continue;
      each_read_in_body(s.residual_region, f);
      each_read_in_body(s.jacobian_region, f);
    }
    for (std::uint32_t k = 0; k < results(run); ++k)
      for (std::uint32_t a = 0; a < arity(run); ++a) f(operand(p_, run, k, a));
  }
}

void Sequence::visit(Node root) {
  stack_.push_back({root, false});
  while (!stack_.empty()) {
    const auto [n, ready] = stack_.back();
    if (done(n)) {
      stack_.pop_back();
      continue;
    }
    if (!ready) {
      stack_.back().ready = true;  // when it is met again
      const std::size_t before = stack_.size();
      each_dependency(n, [&](Node d) {
        if (!done(d)) stack_.push_back({d, false});
      });
      std::reverse(stack_.begin() + static_cast<std::ptrdiff_t>(before), stack_.end());
      if (stack_.size() != before) continue;
    }
    stack_.pop_back();
    put(n);
    if (is_step(n) || p_.runs[from_.maker(n)].kernel != Kernel::call) continue;
    if (const auto it = twin_.find(n); it != twin_.end() && !done(it->second)) put(it->second);
  }
}

void Sequence::put(Node n) {
  if (is_step(n)) step_done_[step(n)] = true;
  else register_done_[n] = true;
  result_.push_back(n);
}

void Sequence::find_twins(std::vector<Node> calls) {
  twin_.clear();
  const auto angle = [&](Node n) {
    const Run& run = p_.runs[from_.maker(n)];
    return operand(p_, run, n - run.result, 0);
  };
  std::stable_sort(calls.begin(), calls.end(), [&](Node a, Node b) { return angle(a) < angle(b); });
  for (std::size_t i = 0; i + 1 < calls.size(); ++i)
    if (twins(p_, from_, calls[i], calls[i + 1])) twin_[calls[i]] = calls[i + 1], twin_[calls[i + 1]] = calls[i];
}

}  // namespace kron::code
