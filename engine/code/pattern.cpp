// state_pattern(): which states each derivative root depends on.
//   Sets of states go up the instructions in the order in which they run. Sets are shared by reference counts (x + p
//   has the set of x) and given up after their last use. A set is a sorted list while it is small and a bit set above
//   1/64 of the states, so a chain of n growing sets costs n^2/64 words of work at worst, and rows kept cost rows *
//   columns bits.
#include <algorithm>
#include <bit>
#include <map>

#include "engine/code/layout.hpp"

namespace kron::code {
namespace {

class Sets {
 public:
  using Id = std::uint32_t;
  static constexpr Id empty = 0;

  explicit Sets(std::size_t states)
      : words_((states + 63) / 64), limit_(std::max<std::size_t>(64, states / 64)), all_(1) {}

  Id singleton(std::uint32_t state) {
    const Id id = fresh();
    all_[id].list = {state};
    return id;
  }
  Id share(Id id) {
    ++all_[id].owners;
    return id;
  }
  void drop(Id id) {
    if (id == empty || --all_[id].owners != 0) return;
    all_[id].list.clear();
    all_[id].bits.clear();
    free_.push_back(id);
  }
  // The union, given up: one owner of each argument.
  Id unite(Id x, Id y) {
    if (x == y || y == empty) {
      drop(y);
      return x;
    }
    if (x == empty) return y;
    if (all_[x].bits.empty() && all_[y].bits.empty()) return unite_lists(x, y);
    if (all_[x].bits.empty() || (!all_[y].bits.empty() && all_[y].owners == 1)) std::swap(x, y);
    x = own_bits(x);
    or_into(all_[x].bits, all_[y]);
    drop(y);
    return x;
  }
  template <class F>
  void each(Id id, F&& f) const {
    for (std::uint32_t s : all_[id].list) f(s);
    for (std::size_t w = 0; w < all_[id].bits.size(); ++w)
      for (std::uint64_t m = all_[id].bits[w]; m != 0; m &= m - 1)
        f(static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(m))));
  }

 private:
  struct Set {
    std::uint32_t owners = 0;
    std::vector<std::uint32_t> list;  // sorted; or
    std::vector<std::uint64_t> bits;
  };
  Id fresh() {
    if (free_.empty()) {
      all_.emplace_back();
      free_.push_back(static_cast<Id>(all_.size() - 1));
    }
    const Id id = free_.back();
    free_.pop_back();
    all_[id].owners = 1;
    return id;
  }
  Id unite_lists(Id x, Id y) {
    merged_.clear();
    std::set_union(all_[x].list.begin(), all_[x].list.end(), all_[y].list.begin(), all_[y].list.end(),
                   std::back_inserter(merged_));
    if (merged_.size() == all_[y].list.size()) std::swap(x, y);
    if (merged_.size() == all_[x].list.size()) {  // one holds the other
      drop(y);
      return x;
    }
    drop(x);
    drop(y);
    const Id id = fresh();
    all_[id].list.assign(merged_.begin(), merged_.end());
    return merged_.size() > limit_ ? own_bits(id) : id;
  }
  static void or_into(std::vector<std::uint64_t>& bits, const Set& s) {
    for (std::uint32_t v : s.list) bits[v / 64] |= std::uint64_t{1} << v % 64;
    for (std::size_t w = 0; w < s.bits.size(); ++w) bits[w] |= s.bits[w];
  }
  // x as a bit set that nobody else owns.
  Id own_bits(Id x) {
    if (!all_[x].bits.empty() && all_[x].owners == 1) return x;
    const Id id = fresh();
    all_[id].bits.assign(words_, 0);
    or_into(all_[id].bits, all_[x]);
    drop(x);
    return id;
  }

  std::size_t words_, limit_;
  std::vector<Set> all_;
  std::vector<Id> free_;
  std::vector<std::uint32_t> merged_;
};

class Dependencies {
 public:
  explicit Dependencies(const Program& p)
      : p_(p),
        states_(p.input_size[static_cast<std::size_t>(InputKind::state)]),
        sets_(states_),
        set_(p.registers, Sets::empty),
        uses_(p.registers, 0) {}

  Pattern run() {
    count_uses(dynamic_section, false);
    for (Signed r : p_.derivative) ++uses_[r.reg()];
    for (const ChosenRootPlan& c : p_.chosen)
      for (Signed r : c.alternative) ++uses_[r.reg()];
    const std::uint32_t first = p_.input_begin[static_cast<std::size_t>(InputKind::state)];
    for (std::uint32_t s = 0; s < states_; ++s) set_[first + s] = sets_.singleton(s);
    run_region(dynamic_section, false);
    std::map<std::uint32_t, Sets::Id> chosen;
    for (const ChosenRootPlan& c : p_.chosen) {  // the slot's row: whatever is chosen
      Sets::Id id = Sets::empty;
      for (Signed r : c.alternative) id = sets_.unite(id, sets_.share(set_[r.reg()]));
      chosen[c.root] = id;
    }
    Pattern out;
    out.rows = p_.derivative.size();
    out.columns = states_;
    out.row_begin.push_back(0);
    for (std::uint32_t k = 0; k < out.rows; ++k) {
      const auto it = chosen.find(k);
      sets_.each(it == chosen.end() ? set_[p_.derivative[k].reg()] : it->second, [&](std::uint32_t s) { out.column.push_back(s); });
      out.row_begin.push_back(static_cast<std::uint32_t>(out.column.size()));
    }
    return out;
  }

 private:
  template <class F>
  void each_operand(const Run& r, std::uint32_t i, F&& f) const {  // of instruction i of the run
    const std::uint32_t* at = p_.operands.data() + r.operands;
    if (r.kernel == Kernel::call && takes_any_number(r.fn)) {
      for (std::uint32_t k = 0; k < r.count; ++k) f(at[k]);
      return;
    }
    std::uint32_t n = 2;
    // The LU of a guarded step gives the same function as its code, so the code's states are enough.
    if (r.kernel == Kernel::inv || r.kernel == Kernel::neg || r.kernel == Kernel::take) n = 1;
    if (r.kernel == Kernel::call) n = static_cast<std::uint32_t>(info(r.fn).arity);
    for (std::uint32_t k = 0; k < n; ++k) f(at[k * r.count + i]);
  }
  static std::uint32_t instructions(const Run& r) {
    return r.kernel == Kernel::call && takes_any_number(r.fn) ? 1 : r.count;
  }

  // A read inside a Newton step's body is never counted down, because bodies are walked twice: it keeps its set to the
  // end.
  void count_uses(std::uint32_t region, bool body) {
    std::vector<std::pair<std::uint32_t, bool>> open{{region, body}};
    while (!open.empty()) {
      const auto [at, inside] = open.back();
      open.pop_back();
      for (std::uint32_t i = p_.regions[at].begin; i < p_.regions[at].end; ++i) {
        const Run& r = p_.runs[i];
        if (r.kernel != Kernel::step) {
          for (std::uint32_t k = 0; k < instructions(r); ++k)
            each_operand(r, k, [&](std::uint32_t reg) { ++uses_[reg]; });
          continue;
        }
        const StepPlan& s = p_.steps[r.result];
        if (s.guarded) continue;
        for (const StepPlan::Load& l : s.matrix) ++uses_[l.value.reg()];
        for (Signed v : s.right) ++uses_[v.reg()];
        for (const StepPlan::Pins& p : s.pins)
          for (Signed v : p.value) ++uses_[v.reg()];
        if (s.newton && s.residual_region != 0)
          open.emplace_back(s.residual_region, true), open.emplace_back(s.jacobian_region, true);
      }
    }
  }

  void set(std::uint32_t reg, Sets::Id id) {
    sets_.drop(set_[reg]);
    set_[reg] = id;
    if (uses_[reg] == 0) sets_.drop(std::exchange(set_[reg], Sets::empty));
  }
  void used(std::uint32_t reg, bool body) {
    if (!body && --uses_[reg] == 0) sets_.drop(std::exchange(set_[reg], Sets::empty));
  }

  // Bodies nest as deep as Newton steps do in one another; the walk calls itself once per level.
  void run_region(std::uint32_t region, bool body) {
    for (std::uint32_t i = p_.regions[region].begin; i < p_.regions[region].end; ++i) {
      const Run& r = p_.runs[i];
      if (r.kernel == Kernel::step) {
        run_step(p_.steps[r.result], body);
        continue;
      }
      for (std::uint32_t k = 0; k < instructions(r); ++k) {
        Sets::Id id = Sets::empty;
        each_operand(r, k, [&](std::uint32_t reg) {
          id = sets_.unite(id, sets_.share(set_[reg]));
          used(reg, body);
        });
        set(r.result + k, id);
      }
    }
  }

  void run_step(const StepPlan& s, bool body) {
    if (s.guarded) return;
    if (s.newton) {
      for (std::uint32_t c = 0; c < s.columns; ++c) set(s.unknowns + c, Sets::empty);
      if (s.residual_region != 0) run_region(s.residual_region, true);
    }
    Sets::Id id = Sets::empty;
    for (Signed v : s.right) id = sets_.unite(id, sets_.share(set_[v.reg()]));
    if (!s.newton)
      for (const StepPlan::Load& l : s.matrix) id = sets_.unite(id, sets_.share(set_[l.value.reg()]));
    for (const StepPlan::Pins& p : s.pins)
      for (Signed v : p.value) id = sets_.unite(id, sets_.share(set_[v.reg()]));
    for (std::uint32_t c = 0; c < s.columns; ++c) set(s.unknowns + c, sets_.share(id));
    sets_.drop(id);
    if (s.newton && s.residual_region != 0) run_region(s.residual_region, true);
    if (s.newton && s.jacobian_region != 0) run_region(s.jacobian_region, true);
    for (Signed v : s.right) used(v.reg(), body);
    for (const StepPlan::Pins& p : s.pins)
      for (Signed v : p.value) used(v.reg(), body);
    for (const StepPlan::Load& l : s.matrix) used(l.value.reg(), body);
  }

  const Program& p_;
  std::size_t states_;
  Sets sets_;
  std::vector<Sets::Id> set_;
  std::vector<std::uint32_t> uses_;
};

}  // namespace

Pattern state_pattern(const Program& p) { return Dependencies(p).run(); }

}  // namespace kron::code
