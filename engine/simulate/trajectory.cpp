#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/simulate/recorder.hpp"

namespace kron::simulate {

namespace {

// Hundreds of megabytes that are filled once from front to back: in pages of 2 MB the first writes cost less. Where there is less to fill small
// pages are the cheaper ones: on a virtual machine the system keeps some that it need not ask its host for.
void prefer_large_pages(double* memory, std::size_t size) {
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  constexpr std::size_t much = std::size_t{256} << 20;
  if (size * sizeof(double) < much) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory), end = begin + size * sizeof(double);
  const std::uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
  if (first < last) (void)::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace

Recorder::Recorder(Trajectory& trajectory, std::size_t states, std::size_t points, double tolerance,
                   std::size_t capacity)
    : trajectory_(trajectory),
      store_(*(trajectory.store_ = std::make_shared<Trajectory::Store>())),
      states_(states),
      capacity_(capacity / sizeof(double)) {
  trajectory.states_ = states;
  store_.tolerance = tolerance;
  trajectory.time_.reserve(points);  // memory that is reserved and not written costs nothing
  trajectory.state_.reserve(points * states);
  prefer_large_pages(trajectory.state_.data(), trajectory.state_.capacity());
}

std::span<double> Recorder::add_point(double t) {
  trajectory_.time_.push_back(t);
  trajectory_.state_.resize(trajectory_.state_.size() + states_);
  return {trajectory_.state_.data() + trajectory_.state_.size() - states_, states_};
}

void Recorder::drop_point() {
  trajectory_.time_.pop_back();
  trajectory_.state_.resize(trajectory_.state_.size() - states_);
}

bool Recorder::wants_slopes() const { return store_.steps_full && !store_.slopes_full; }

std::span<double> Recorder::add_slope() {
  if (store_.slopes.empty()) {
    store_.slopes_from = trajectory_.size() - 1;
    store_.slopes.reserve(std::min(capacity_, trajectory_.state_.capacity() - store_.slopes_from * states_));
    prefer_large_pages(store_.slopes.data(), store_.slopes.capacity());
  }
  // Points without a slope, from events, have not-a-number.
  store_.slopes.resize((trajectory_.size() - store_.slopes_from) * states_, std::numeric_limits<double>::quiet_NaN());
  store_.slopes_full = store_.slopes.size() + states_ > capacity_;
  return {store_.slopes.data() + store_.slopes.size() - states_, states_};
}

std::span<double> Recorder::add_step(double end, double reference, double size, std::uint32_t degree) {
  constexpr std::size_t chunk = std::size_t{1} << 20;
  if (store_.steps_full) return {};
  const std::size_t count = (degree + 1) * states_;
  if (store_.kept + count + 5 * store_.steps.size() > capacity_) {
    store_.steps_full = true;
    return {};
  }
  if (store_.chunks.empty() || store_.chunks.back().used + count > store_.chunks.back().size) {
    const std::size_t room = std::max(store_.chunks.empty() ? chunk / 16 : chunk, count);
    store_.chunks.push_back({std::make_unique_for_overwrite<double[]>(room), 0, room});
    prefer_large_pages(store_.chunks.back().memory.get(), room);
  }
  Trajectory::Store::Chunk& last = store_.chunks.back();
  double* first = last.memory.get() + last.used;
  last.used += count;
  store_.kept += count;
  store_.steps.push_back({end, reference, size, first, degree});
  return {first, count};
}

// What was reserved and not written costs little: only what is used by less than half is given back.
void Recorder::finish() {
  if (store_.chunks.size() == 1) {
    Trajectory::Store::Chunk& room = store_.chunks[0];
    auto exact = std::make_unique_for_overwrite<double[]>(room.used);
    std::copy_n(room.memory.get(), room.used, exact.get());
    for (Trajectory::Store::Step& s : store_.steps) s.coefficients = exact.get() + (s.coefficients - room.memory.get());
    room = {std::move(exact), room.used, room.used};
  }
  store_.steps.shrink_to_fit();
  if (store_.slopes.size() < store_.slopes.capacity() / 2) store_.slopes.shrink_to_fit();
}

namespace {

bool from_step(const Trajectory::Store& store, double t, std::span<double> y) {
  const auto step = std::lower_bound(store.steps.begin(), store.steps.end(), t,
                                     [](const Trajectory::Store::Step& a, double b) { return a.end < b; });
  if (step == store.steps.end()) return false;
  const std::size_t n = y.size();
  const double s = (t - step->reference) / step->size;
  const double* c = step->coefficients;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = c[step->degree * n + i];
    for (std::size_t k = step->degree; k-- > 0;) sum = sum * s + c[k * n + i];
    y[i] = sum;
  }
  return true;
}

// Slope of state i at a point: kept, else of the parabola through the neighbours; `other` is the interval's other end
// and decides the side at an event.
double slope(const Trajectory& tr, std::size_t point, std::size_t other, std::size_t i) {
  const Trajectory::Store* store = tr.store_.get();
  if (store && !store->slopes.empty() && point >= store->slopes_from) {
    const std::size_t at = (point - store->slopes_from) * tr.states_ + i;
    if (at < store->slopes.size() && std::isfinite(store->slopes[at])) return store->slopes[at];
  }
  const double h = tr.time_[other] - tr.time_[point], chord = (tr.state(other)[i] - tr.state(point)[i]) / h;
  const bool back = other < point;  // the neighbour on the far side
  if (back ? point + 1 >= tr.size() : point == 0) return chord;
  const std::size_t far = back ? point + 1 : point - 1;
  const double g = tr.time_[far] - tr.time_[point];
  if (g == 0) return chord;  // an event
  const double far_chord = (tr.state(far)[i] - tr.state(point)[i]) / g;
  return (chord * g - far_chord * h) / (g - h);
}

// From the point or knot before t to the one after it.
void hermite(const Trajectory& tr, std::size_t a, double t, std::span<double> y) {
  const std::size_t b = a + 1;
  using Knot = Trajectory::Store::Knot;
  const Knot *left = nullptr, *right = nullptr;
  if (tr.store_)
    for (const Knot& k : tr.store_->knots) {
      if (k.t < t && k.t >= tr.time_[a]) left = &k;
      if (k.t >= t && k.t < tr.time_[b] && !right) right = &k;
    }
  const double from = left ? left->t : tr.time_[a], to = right ? right->t : tr.time_[b];
  const double h = to - from, s = (t - from) / h;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double ya = left ? left->after[i] : tr.state(a)[i], yb = right ? right->before[i] : tr.state(b)[i], d = yb - ya;
    const double fa = h * (left ? left->slope_after[i] : slope(tr, a, b, i)), fb = h * (right ? right->slope_before[i] : slope(tr, b, a, i));
    y[i] = ya + s * (d + (1 - s) * ((1 - s) * (fa - d) + s * (d - fb)));
  }
}

}  // namespace

std::span<const std::uint32_t> Trajectory::choice_of_point(std::size_t point) const {
  const auto after = std::upper_bound(choices_.begin(), choices_.end(), point, [](std::size_t p, const Choice& c) { return p < c.first; });
  return after == choices_.begin() ? std::span<const std::uint32_t>() : std::prev(after)->chosen;
}

std::span<const std::uint32_t> Trajectory::choice(double t) const {
  const auto after = std::lower_bound(choices_.begin(), choices_.end(), t, [](const Choice& c, double at) { return c.since < at; });
  return after == choices_.begin() ? std::span<const std::uint32_t>() : std::prev(after)->chosen;
}

std::span<const double> Trajectory::mode_of_point(std::size_t point) const {
  const auto after = std::upper_bound(modes_.begin(), modes_.end(), point, [](std::size_t p, const Mode& m) { return p < m.first; });
  return after == modes_.begin() ? std::span<const double>() : std::prev(after)->inputs;
}

std::span<const double> Trajectory::mode(double t) const {
  const auto after = static_cast<std::size_t>(std::upper_bound(time_.begin(), time_.end(), t) - time_.begin());
  return mode_of_point(after == 0 ? 0 : after - 1);
}

std::span<const double> Trajectory::solutions_of_point(std::size_t point) const {
  return {solutions_.data() + point * iterated_, (point + 1) * iterated_ <= solutions_.size() ? iterated_ : 0};
}

bool Trajectory::solution(double t, std::span<double> values) const {
  const auto after = static_cast<std::size_t>(std::upper_bound(time_.begin(), time_.end(), t) - time_.begin());
  return path_.at(t, after == 0 ? 0 : after - 1, values);
}

bool Trajectory::solution_of_point(std::size_t point, std::span<double> values) const { return path_.at(time_[point], point, values); }

void Trajectory::interpolate(double t, std::span<double> y) const {
  if (time_.empty()) return;
  const auto after = static_cast<std::size_t>(std::upper_bound(time_.begin(), time_.end(), t) - time_.begin());
  const std::size_t at = after == 0 ? 0 : after - 1;
  y = y.first(std::min(y.size(), states_));
  if (!(time_[at] < t) || after == time_.size()) {  // an output point, or outside
    std::copy_n(state(at).begin(), y.size(), y.begin());
    return;
  }
  if (y.size() == states_ && store_ && from_step(*store_, t, y)) return;
  hermite(*this, at, t, y);
}

}  // namespace kron::simulate
