#include "engine/session/parallel_axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "engine/base/hash.hpp"
#include "engine/code/fingerprint.hpp"

namespace kron::session {

namespace {

using Numbers3 = std::array<Rational, 3>;

struct Axis {
  std::array<std::uint32_t, 3> slot{};  // of the parameters that give its elements
  Numbers3 number;
  bool written = true;    // all of them are 0 or ±1, and so in the equations
  bool computed = false;  // from numbers, as {cos(0.3), sin(0.3), 0}: they stay what they are
};

bool is_unit(const Rational& r) { return denominator(r) == 1 && abs(r) <= 1; }

Rational product(const Numbers3& v, const Numbers3& w) { return v[0] * w[0] + v[1] * w[1] + v[2] * w[2]; }

using Elements = std::array<bool, 3>;

Numbers3 cross(const Numbers3& v, const Numbers3& w) {
  return {v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0]};
}

// Both fields have a root of the square of its length.
bool has_a_length(const Numbers3& v) { return code::value_of_root(product(v, v)).has_value(); }

// Numbers in the last places of t, until what is made of it has a length.
template <class Make>
std::optional<Numbers3> nearby(const Numbers3& t, const Elements& may_change, Make&& make) {
  constexpr int most = 40;  // one of four has one
  Numbers3 doubles = t;
  for (Rational& x : doubles) x = exact(to_double(x));
  for (std::size_t j = 0; j < 3; ++j) {
    if (!may_change[j] || t[j] == 0) continue;
    Numbers3 near = doubles;
    double x = to_double(t[j]);
    for (int k = 0; k < most; ++k) {
      x = std::nextafter(x, 2 * x);
      near[j] = exact(x);
      if (const Numbers3 made = make(near); has_a_length(made)) return made;
    }
  }
  return std::nullopt;
}

// Nearly v: of a length that both fields have a root for.
std::optional<Numbers3> with_a_length(const Numbers3& v, const Elements& may_change) {
  if (has_a_length(v)) return v;
  return nearby(v, may_change, [](const Numbers3& near) { return near; });
}

// Nearly v: at a right angle to w, and of such a length where no element has to stay.
std::optional<Numbers3> across(Numbers3 v, const Numbers3& w, const Elements& may_change) {
  const Rational off = product(v, w);
  if (off == 0 && has_a_length(v)) return v;
  if (std::ranges::all_of(may_change, std::identity{})) {
    Numbers3 t = cross(w, v);
    for (Rational& x : t) x /= product(w, w);
    if (auto found = nearby(t, may_change, [&](const Numbers3& near) { return cross(near, w); })) return found;
  }
  if (off == 0) return v;
  std::size_t largest = 3;
  for (std::size_t j = 0; j < 3; ++j)
    if (may_change[j] && w[j] != 0 && (largest == 3 || abs(w[j]) > abs(w[largest]))) largest = j;
  if (largest == 3) return std::nullopt;
  v[largest] -= off / w[largest];
  return v;
}

class Fixing {
 public:
  Fixing(const FlatModel& m, const Overrides& overrides, bool all) : m_(m), bindings_(m), overrides_(overrides), numbers_(m, bindings_, overrides_) {
    out_.all = all;
  }

  FlatModel::Axes run() {
    read();
    std::vector<const std::vector<Axis>*> groups;
    for (const auto& [direction, axes] : axes_) groups.push_back(&axes);
    std::ranges::stable_sort(groups, std::greater{}, &std::vector<Axis>::size);
    for (const std::vector<Axis>* axes : groups) fix(*axes);
    for (const auto& [angle, slots] : angles_)
      if (slots.size() > 1)
        for (std::uint32_t s : slots) out_.fixed.emplace(s, std::nullopt);
    return std::move(out_);
  }

 private:
  void read() {
    static const Name number("1"), angle("rad");
    for (const model::Instance& i : m_.instances)
      for (const model::Declaration& d : i.type->declarations) {
        if (d.variability != model::Variability::parameter || d.type != model::ValueType::real) continue;
        const std::uint32_t first = i.slot_base + d.first;
        if (d.unit == number && d.sizes.size() == 1 && d.count == 3) read_axis(first);
        if (d.unit == angle && (m_.flags[first] & model::SlotFlag::structural))
          for (std::uint32_t s = first; s < first + d.count; ++s) read_angle(s);
      }
  }

  // The parameter with a number of its own that gives this one's value; none: it is computed.
  std::uint32_t origin(std::uint32_t slot) const {
    constexpr int deepest = 100;
    for (int k = 0; k < deepest; ++k) {
      const FlatModel::FlatBinding* b = bindings_.find(model::BindingKind::value, slot);
      if (b == nullptr || (m_.flags[slot] & model::SlotFlag::free)) return none;
      if (bindings_.is_leaf(*b)) return slot;
      const model::Exprs& e = model::forms().exprs();
      const model::NodeId root = model::forms().root(b->form);
      if (e[root].op != model::ExprOp::placeholder) return none;
      const model::Operand o = bindings_.operands(*b)[e.placeholder_of(root)];
      if (o.kind() != model::OperandKind::value || o.index() >= m_.slots) return none;
      slot = o.index();
    }
    return none;
  }

  void read_axis(std::uint32_t first) {
    Axis axis;
    std::array<double, 3> x{};
    for (std::uint32_t k = 0; k < 3; ++k) {
      axis.slot[k] = origin(first + k);
      out_.oblique = out_.oblique || axis.slot[k] == none;
      if (axis.slot[k] == none) return;
      x[k] = numbers_.value(axis.slot[k]);
      if (!std::isfinite(x[k])) return;
      out_.slots.insert(axis.slot[k]);
      const auto number = overrides_.contains(axis.slot[k]) ? std::nullopt : bindings_.exact_constant(*bindings_.find(model::BindingKind::value, axis.slot[k]));
      axis.number[k] = number.value_or(exact(x[k]));
      axis.computed = axis.computed || !(number || overrides_.contains(axis.slot[k]));
      const bool shapes = axis.slot[k] == first + k || (m_.flags[axis.slot[k]] & model::SlotFlag::one_shapes);  // it, and no symbol, is in the equations
      axis.written = axis.written && number && is_unit(*number) && shapes;
    }
    out_.oblique = out_.oblique || !axis.written;
    const double length = std::hypot(x[0], x[1], x[2]);
    if (length == 0) return;
    constexpr double rounding = 1e-15;  // of a cosine of 90 degrees, say
    for (std::size_t k = 0; k < 3; ++k)
      if (std::fabs(x[k]) < rounding * length) axis.number[k] = x[k] = 0;
    const double sign = *std::ranges::find_if(x, [](double e) { return e != 0; }) < 0 ? -1 : 1;
    constexpr double places = 1e9;  // nearer directions are the same ones
    std::array<std::int64_t, 3> direction{};
    for (std::size_t k = 0; k < 3; ++k) direction[k] = std::llround(sign * x[k] / length * places);
    axes_[direction].push_back(axis);
  }

  void read_angle(std::uint32_t slot) {
    const std::uint32_t s = origin(slot);
    if (s == none) return;
    out_.slots.insert(s);
    const double x = std::fabs(numbers_.value(s));
    if (x == 0 || !std::isfinite(x)) return;
    angles_[x].push_back(s);
  }

  // Axes of one direction; or a single one, at a right angle to some that are parallel, as a slide is in a plane linkage.
  void fix(const std::vector<Axis>& axes) {
    // What is 0 or ±1 is written into equations: the one with most of that stays as it is, as far as it can.
    const auto units = [](const Axis& a) { return a.computed ? -1 : std::ranges::count_if(a.number, is_unit); };
    const auto first = std::ranges::max_element(axes, {}, units);
    const bool alone = axes.size() == 1;
    const auto others = std::ranges::find_if(fixed_, [&](const Numbers3& w) { return are_across(first->number, w); });
    const bool any = others != fixed_.end();
    if (alone && !any && !out_.all) return draw(*first);
    if (std::ranges::all_of(axes, &Axis::written)) {  // structure as it is
      if (!alone) fixed_.push_back(first->number);
      return;
    }
    for (const Axis& a : axes)
      if (a.computed)
        for (std::uint32_t s : a.slot) out_.fixed.emplace(s, std::nullopt);
    if (first->computed) return;
    Elements may_change{};
    for (std::size_t k = 0; k < 3; ++k)
      may_change[k] = std::ranges::none_of(axes, [&](const Axis& a) { return !a.computed && is_unit(a.number[k]); });
    const bool is_free = std::ranges::all_of(may_change, std::identity{});
    const auto numbers = any && (alone || is_free) ? across(first->number, *others, may_change) : with_a_length(first->number, may_change);
    if (!numbers) return;
    for (const Axis& a : axes)
      if (!a.computed) fix(a, first->number, *numbers);
    if (!alone) fixed_.push_back(*numbers);
  }

  // An axis that may have any numbers, at a random point where it has a length.
  void draw(const Axis& a) {
    if (a.computed || a.written) return;
    Elements may_change{};
    Numbers3 drawn;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint64_t bits = mix(m_.keys[a.slot[k]]) >> 40;
      may_change[k] = !is_unit(a.number[k]);
      drawn[k] = may_change[k] ? exact(1 + std::ldexp(static_cast<double>(bits), -24)) : a.number[k];
    }
    const auto numbers = with_a_length(drawn, may_change);
    for (std::size_t k = 0; numbers && k < 3; ++k) out_.point.emplace(a.slot[k], (*numbers)[k]);
  }

  static bool are_across(const Numbers3& v, const Numbers3& w) {
    constexpr double nearly = 1e-12;
    std::array<double, 3> x{}, y{};
    for (std::size_t k = 0; k < 3; ++k) x[k] = to_double(v[k]), y[k] = to_double(w[k]);
    const double angle = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    return std::fabs(angle) < nearly * std::hypot(x[0], x[1], x[2]) * std::hypot(y[0], y[1], y[2]);
  }

  // As a multiple of the numbers that the first one has got.
  void fix(const Axis& a, const Numbers3& first, const Numbers3& numbers) {
    constexpr double nearly = 1e-13;
    std::size_t k = 0;
    for (std::size_t j = 1; j < 3; ++j)
      if (abs(first[j]) > abs(first[k])) k = j;
    Rational times = a.number[k] / first[k];
    const double off = std::fabs(to_double(times));
    if (std::fabs(off - 1) < nearly) times = times < 0 ? -1 : 1;
    std::array<std::pair<std::uint32_t, Rational>, 3> found;
    for (std::size_t j = 0; j < 3; ++j) {
      const Rational x = times * numbers[j];
      if (std::fabs(to_double(x) - to_double(a.number[j])) > nearly * std::fabs(to_double(times * first[k]))) return;
      if (is_unit(a.number[j]) && x != a.number[j]) return;
      const auto known = out_.fixed.find(a.slot[j]);
      if (known != out_.fixed.end() && known->second != x) return;
      found[j] = {a.slot[j], x};
    }
    for (const auto& [slot, x] : found) out_.fixed.emplace(slot, x);
  }

  const FlatModel& m_;
  const Bindings bindings_;
  const Overrides& overrides_;
  Numbers numbers_;
  FlatModel::Axes out_;
  std::map<std::array<std::int64_t, 3>, std::vector<Axis>> axes_;  // by direction, whichever way it points
  std::map<double, std::vector<std::uint32_t>> angles_;            // by size
  std::vector<Numbers3> fixed_;                                    // of axes that are parallel to others
};

}  // namespace

FlatModel::Axes parallel_axes(const FlatModel& m, bool all, const Overrides& overrides) {
  if (m.known_derivatives.empty()) return {};  // equations that close loops have them
  return Fixing(m, overrides, all).run();
}

bool same_axes(const FlatModel& m, const Overrides& overrides) {
  const auto is_axis = [&](const auto& number) { return m.axes.slots.contains(number.first); };
  if (std::ranges::none_of(overrides, is_axis)) return true;
  const FlatModel::Axes now = parallel_axes(m, m.axes.all, overrides);
  return now.fixed == m.axes.fixed && now.point == m.axes.point;  // the point has the zeros that the others have
}

}  // namespace kron::session
