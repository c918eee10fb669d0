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
  KnownValues(const FlatModel& m, const std::vector<std::uint8_t>& unknown, const structure::Aliases& found)
      : m_(m), unknown_(unknown), found_(found), value_(m.variables()), equations_(m.variables()), waits_(m.equations.size(), false) {}

  std::vector<KnownValue> run() {
    for (std::uint32_t e = 0; e < m_.equations.size(); ++e) {
      bool known = false;
      for (Operand o : m_.bound(m_.equations[e])) {
        if (!is_unknown(o)) continue;
        const auto& a = found_.of[o.index()];
        known = known || a.sign == 0;
        if (a.sign != 0) equations_[a.root].push_back(e);
      }
      if (known) look_at(e);
    }
    for (std::size_t k = 0; k < open_.size(); ++k) {
      waits_[open_[k]] = false;
      evaluate(open_[k]);
    }
    return std::move(list_);
  }

 private:
  bool is_unknown(Operand o) const { return o.kind() == OperandKind::value && unknown_[o.index()]; }
  bool is_integer_row(std::uint32_t e) const {
    const auto operands = m_.bound(m_.equations[e]);
    return forms().integer_row(m_.equations[e].form) && std::all_of(operands.begin(), operands.end(), [&](Operand o) { return is_unknown(o); });
  }
  std::optional<std::int64_t> value(std::uint32_t v) const {
    const auto& a = found_.of[v];
    if (a.sign == 0) return a.constant;
    if (!value_[a.root]) return std::nullopt;
    return a.sign * *value_[a.root];
  }
  void look_at(std::uint32_t e) {
    if (waits_[e]) return;
    waits_[e] = true;
    open_.push_back(e);
  }

  // With the values put in: ±x + c is left, and c is 0 or ±1.
  void evaluate(std::uint32_t e) {
    const auto operands = m_.bound(m_.equations[e]);
    std::vector<model::Replacement> with(operands.size());
    for (std::size_t k = 0; k < operands.size(); ++k) {
      with[k].placeholder = static_cast<std::int32_t>(k);
      if (!is_unknown(operands[k])) continue;
      const auto known = value(operands[k].index());
      if (known && *known >= -1 && *known <= 1) with[k] = model::Replacement{-1, 1, static_cast<std::int8_t>(*known)};
    }
    std::vector<std::uint32_t> order;
    const model::FormId form = forms().specialise(m_.equations[e].form, with, order);
    if (order.size() != 1 || !is_unknown(operands[order[0]]) || value(operands[order[0]].index())) return;
    const auto& row = forms().integer_row(form);
    if (!row || (row->coefficient[0] != 1 && row->coefficient[0] != -1)) return;
    learn(e, operands[order[0]].index(), -row->coefficient[0] * row->constant);
  }
  void learn(std::uint32_t e, std::uint32_t variable, std::int64_t value) {
    if (value < -1 || value > 1) return;
    const auto& a = found_.of[variable];
    value_[a.root] = a.sign * value;
    if (!is_integer_row(e)) list_.push_back({e, variable, value});
    for (std::uint32_t other : equations_[a.root]) look_at(other);
  }

  const FlatModel& m_;
  const std::vector<std::uint8_t>& unknown_;
  const structure::Aliases& found_;
  std::vector<std::optional<std::int64_t>> value_;     // by root
  std::vector<std::vector<std::uint32_t>> equations_;  // by root: where it occurs
  std::vector<bool> waits_;                            // by equation
  std::vector<std::uint32_t> open_;
  std::vector<KnownValue> list_;
};

}  // namespace

std::vector<KnownValue> known_values(const FlatModel& m, const std::vector<std::uint8_t>& unknown, const structure::Aliases& found) {
  return KnownValues(m, unknown, found).run();
}

}  // namespace kron::session
