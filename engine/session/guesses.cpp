#include "engine/session/guesses.hpp"

namespace kron::session {

using code::Ref;
using model::forms;
using model::Operand;
using model::OperandKind;

Guesses::Guesses(const System& s, code::Builder& tape, solve::Templates& templates, Sources sources)
    : s_(s), tape_(tape), templates_(templates), sources_(std::move(sources)), holder_begin_(s.variables() + 1, 0), open_(s.rows.size(), 0),
      guess_(s.variables(), code::zero), has_(s.variables(), false), open_guess_(s.variables(), false) {
  const auto rows = static_cast<std::uint32_t>(s.rows.size());
  for (std::uint32_t r = 0; r < rows; ++r) {
    if (s.rows[r].set != none) continue;
    open_[r] = static_cast<std::uint32_t>(s.columns(s.rows[r]).size());
    for (std::uint32_t v : s.columns(s.rows[r])) ++holder_begin_[v + 1];
  }
  for (std::size_t v = 0; v < s.variables(); ++v) holder_begin_[v + 1] += holder_begin_[v];
  holder_.resize(holder_begin_.back());
  std::vector<std::uint32_t> next(holder_begin_.begin(), holder_begin_.end() - 1);
  for (std::uint32_t r = 0; r < rows; ++r)
    if (s.rows[r].set == none)
      for (std::uint32_t v : s.columns(s.rows[r])) holder_[next[v]++] = r;
  for (std::uint32_t r = 0; r < rows; ++r)
    if (s.rows[r].set == none && open_[r] == 1) ready_.push_back(r);
  for (std::uint32_t v = 0; v < s.variables(); ++v) {
    if (!s.unknown[v] || !s.is_root(v)) continue;
    if (const auto start = sources_.start(v); start && tape_.section(start->value) <= code::Section::parameter) {
      if (start->vague) vague_.emplace_back(v, start->value);
      else learn(v, start->value);
    }
  }
}

void Guesses::learn(std::uint32_t v, Ref value) {
  guess_[v] = value;
  has_[v] = true;
  for (std::uint32_t k = holder_begin_[v]; k < holder_begin_[v + 1]; ++k)
    if (--open_[holder_[k]] == 1) ready_.push_back(holder_[k]);
}

void Guesses::computed(std::uint32_t v, Ref value) {
  if (!has_[v] && tape_.section(value) <= code::Section::parameter) learn(v, value);
}

// What the row makes of its one unknown that has no guess, if it can. False: put off, as its coefficient is a parameter's and `by_parameter` is not
// asked for yet.
bool Guesses::give(std::uint32_t r, bool by_parameter) {
  const SystemRow& row = s_.rows[r];
  const auto operands = s_.bound(row);
  const model::FormId form = forms().unmarked(row.form);
  std::uint32_t unknown = none, place = 0;
  values_.assign(operands.size(), code::zero);
  for (std::uint32_t k : forms().occurring(form)) {
    const bool is_unknown = operands[k].kind() == OperandKind::value && s_.unknown[operands[k].index()];
    if (is_unknown && !has_[operands[k].index()]) {
      if (unknown != none) return true;  // twice
      unknown = operands[k].index(), place = k;
    } else {
      values_[k] = is_unknown ? guess_[operands[k].index()] : sources_.known(operands[k]);
    }
  }
  if (unknown == none) return true;
  const model::Linear& l = forms().linear(form, place);
  if (!l.linear) return true;
  constexpr double least = 0.1;  // directions that a parameter gives are at most that far from across
  const std::size_t before = tape_.size();
  const Ref a = templates_.emit(tape_, l.coefficient, values_);
  const bool plain = tape_.rational_of(a).has_value();
  const auto drop = [&](bool result) {
    tape_.rewind(before);
    return result;
  };
  if (tape_.is_zero(a) || tape_.section(a) > code::Section::parameter) return drop(true);
  if (!plain && !by_parameter) return drop(false);
  Ref value = tape_.div(-templates_.emit(tape_, l.rest, values_), a);
  if (!plain) value = tape_.call(Fn::select, {tape_.call(Fn::lt, {tape_.constant(least), tape_.call(Fn::abs, {a})}), value, code::zero});
  if (tape_.problem() || tape_.section(value) > code::Section::parameter) return drop(true);
  learn(unknown, value);
  return true;
}

void Guesses::carry() {
  for (;;) {
    const bool by_parameter = ready_.empty();
    std::deque<std::uint32_t>& list = by_parameter ? doubtful_ : ready_;
    if (list.empty()) return;
    const std::uint32_t r = list.front();
    list.pop_front();
    if (open_[r] == 1 && !give(r, by_parameter)) doubtful_.push_back(r);
  }
}

std::optional<solve::Guess> Guesses::of(std::uint32_t v) {
  carry();
  if (!has_[v] && !vague_.empty()) {
    const std::vector<bool> firm = has_;
    for (const auto& [other, value] : std::exchange(vague_, {})) {
      if (!has_[other]) learn(other, value);
      carry();
    }
    for (std::size_t x = 0; x < firm.size(); ++x) open_guess_[x] = has_[x] && !firm[x];
  }
  return has_[v] ? std::optional(solve::Guess{guess_[v], open_guess_[v]}) : std::nullopt;
}

}  // namespace kron::session
