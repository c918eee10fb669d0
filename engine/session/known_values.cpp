#include "engine/session/known_values.hpp"

#include <algorithm>
#include <optional>

namespace kron::session {

using model::FlatModel;
using model::forms;
using model::Operand;
using model::OperandKind;

namespace {

class KnownValues {
 public:
  // `some`: from these equations alone; null: from all.
  KnownValues(const FlatModel& m, const std::vector<std::uint8_t>& unknown, const structure::Aliases& found, std::vector<bool> left_alone,
              const std::vector<std::uint32_t>* some = nullptr)
      : m_(m), unknown_(unknown), found_(found), some_(some), value_(m.variables(), unknown_value), waits_(std::move(left_alone)) {
    waits_.resize(m.equations.size(), false);
  }

  std::vector<KnownValue> run() {
    std::vector<std::uint8_t> is_constant(m_.variables());
    for (std::uint32_t v = 0; v < is_constant.size(); ++v) is_constant[v] = unknown_[v] && found_.of[v].sign == 0;
    each_equation([&](std::uint32_t e) {
      for (Operand o : m_.bound(m_.equations[e]))
        if (o.kind() == OperandKind::value && is_constant[o.index()]) {
          look_at(e);
          break;
        }
    });
    for (std::size_t k = 0; k < open_.size(); ++k) {
      waits_[open_[k]] = false;
      evaluate(open_[k]);
    }
    return std::move(list_);
  }

 private:
  template <class Visit>
  void each_equation(const Visit& visit) const {
    if (some_) std::ranges::for_each(*some_, visit);
    else for (std::uint32_t e = 0; e < m_.equations.size(); ++e) visit(e);
  }
  bool is_unknown(Operand o) const { return o.kind() == OperandKind::value && unknown_[o.index()]; }
  bool is_integer_row(std::uint32_t e) const {
    const auto operands = m_.bound(m_.equations[e]);
    return forms().integer_row(m_.equations[e].form) && std::all_of(operands.begin(), operands.end(), [&](Operand o) { return is_unknown(o); });
  }
  std::optional<std::int64_t> value(std::uint32_t v) const {
    const auto& a = found_.of[v];
    if (a.sign == 0) return a.constant;
    if (value_[a.root] == unknown_value) return std::nullopt;
    return std::int64_t{a.sign} * value_[a.root];
  }
  static bool is_plain_sum(model::FormId form) {
    const auto& row = forms().integer_row(form);
    return row && std::ranges::find(row->coefficient, 0) == row->coefficient.end();
  }
  void look_at(std::uint32_t e) {
    if (waits_[e]) return;
    waits_[e] = true;
    open_.push_back(e);
  }

  // With the values put in: ±x + c is left, and c is 0 or ±1.
  void evaluate(std::uint32_t e) {
    const auto operands = m_.bound(m_.equations[e]);
    with_.assign(operands.size(), {});
    std::size_t left = 0;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      with_[k].placeholder = static_cast<std::int32_t>(k);
      ++left;
      if (!is_unknown(operands[k])) continue;
      const auto known = value(operands[k].index());
      if (known && *known >= -1 && *known <= 1) with_[k] = model::Replacement{-1, 1, static_cast<std::int8_t>(*known)}, --left;
    }
    if (left != 1 && is_plain_sum(m_.equations[e].form)) return;  // no product may vanish: as many are left
    const model::FormId form = forms().specialise(m_.equations[e].form, with_, order_);
    if (order_.size() != 1 || !is_unknown(operands[order_[0]]) || value(operands[order_[0]].index())) return;
    const auto& row = forms().integer_row(form);
    if (!row || (row->coefficient[0] != 1 && row->coefficient[0] != -1)) return;
    learn(e, operands[order_[0]].index(), -row->coefficient[0] * row->constant);
  }
  void learn(std::uint32_t e, std::uint32_t variable, std::int64_t value) {
    if (value < -1 || value > 1) return;
    const auto& a = found_.of[variable];
    value_[a.root] = static_cast<std::int8_t>(a.sign * value);
    list_.push_back({e, variable, value, is_integer_row(e)});
    if (equations_begin_.empty()) list_equations();
    for (std::uint32_t k = equations_begin_[a.root]; k < equations_begin_[a.root + 1]; ++k) look_at(equation_[k]);
  }
  void list_equations() {
    const auto each = [&](auto&& visit) {
      each_equation([&](std::uint32_t e) {
        for (Operand o : m_.bound(m_.equations[e]))
          if (is_unknown(o) && found_.of[o.index()].sign != 0) visit(found_.of[o.index()].root, e);
      });
    };
    equations_begin_.assign(m_.variables() + 1, 0);
    each([&](std::uint32_t root, std::uint32_t) { ++equations_begin_[root + 1]; });
    for (std::size_t k = 1; k < equations_begin_.size(); ++k) equations_begin_[k] += equations_begin_[k - 1];
    equation_.resize(equations_begin_.back());
    std::vector<std::uint32_t> next(equations_begin_.begin(), equations_begin_.end() - 1);
    each([&](std::uint32_t root, std::uint32_t e) { equation_[next[root]++] = e; });
  }

  const FlatModel& m_;
  const std::vector<std::uint8_t>& unknown_;
  const structure::Aliases& found_;
  const std::vector<std::uint32_t>* some_;
  static constexpr std::int8_t unknown_value = 2;
  std::vector<std::int8_t> value_;                          // by root
  std::vector<std::uint32_t> equations_begin_, equation_;   // by root: where it occurs
  std::vector<bool> waits_;                            // by equation
  std::vector<std::uint32_t> open_;
  std::vector<model::Replacement> with_;               // scratch: of the equation that is looked at
  std::vector<std::uint32_t> order_;
  std::vector<KnownValue> list_;
};

}  // namespace

std::vector<KnownValue> known_values(const FlatModel& m, const std::vector<std::uint8_t>& unknown, const structure::Aliases& found,
                                     std::vector<bool> left_alone) {
  return KnownValues(m, unknown, found, std::move(left_alone)).run();
}
std::vector<KnownValue> known_values(const FlatModel& m, const std::vector<std::uint8_t>& unknown, const structure::Aliases& found,
                                     std::vector<bool> left_alone, const std::vector<std::uint32_t>& equations) {
  return KnownValues(m, unknown, found, std::move(left_alone), &equations).run();
}

}  // namespace kron::session
