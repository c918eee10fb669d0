// What relations answer at an event: all together until they stay, else combinations one after the other.
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/code/deficient.hpp"
#include "engine/code/precision.hpp"
#include "engine/simulate/run.hpp"

namespace kron::simulate {

using code::Status;
using Kind = EventTerm::Kind;
using std::fabs;
using std::isfinite;
using std::isnan;

template <class T>
auto EventLoopOf<T>::settle(const T& t, std::vector<T>& y) -> Stay {
  const std::vector<T> before = input_;
  Stay stay = agree(t, y);
  if (stay == Stay::yes && !assemble_) stay = change_least(t, y, before);
  return stay == Stay::yes && flickers() && !std::exchange(looked_ahead_, true) ? look_ahead(t, y) : stay;
}

// Several answers of a circle changed at once, each because of the others as they were before: what needs not change stays as it was, as a brake
// that holds more than it would while sliding.
template <class T>
auto EventLoopOf<T>::change_least(const T& t, std::vector<T>& y, const std::vector<T>& before) -> Stay {
  const auto in_circle = [&](std::size_t k) { return m_.terms[k].kind == Kind::relation && m_.terms[k].circle != EventTerm::none; };
  const auto changed = [&](std::size_t k) { return in_circle(k) && !same(before[m_.term(k)], input_[m_.term(k)]); };
  std::vector<std::size_t> curves;
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (changed(k) && std::find(curves.begin(), curves.end(), curve(k)) == curves.end()) curves.push_back(curve(k));
  if (curves.size() < 2) return Stay::yes;
  std::vector<T> found = input_;
  bool moved = false;
  for (const std::size_t c : curves) {
    std::vector<bool> fixed(m_.terms.size());
    for (std::size_t k = 0; k < m_.terms.size(); ++k) {
      fixed[k] = in_circle(k) && curve(k) != c;
      if (in_circle(k) && curve(k) == c) input_[m_.term(k)] = before[m_.term(k)];
    }
    const auto stays = [&](std::size_t k) {
      return !in_circle(k) || (same(new_[m_.term(k)], input_[m_.term(k)]) && (curve(k) != c || same(input_[m_.term(k)], found[m_.term(k)]) || !close(k)));
    };
    bool good = consistent(t, y, fixed) && input_ != found && form().deficient_blocks().empty();
    for (std::size_t k = 0; good && k < m_.terms.size(); ++k) good = stays(k);
    if (good) found = input_;
    moved = !good;
    input_ = found;
  }
  if (!moved) return Stay::yes;
  store();
  if (!evaluate_anew(t, y)) return Stay::no;
  propose(t);
  return accept();
}

// What leads to relations in circles first, and these are tried as they were before: several answers may fit them, as those of a clutch that stays
// locked although it would slide on.
template <class T>
auto EventLoopOf<T>::agree(const T& t, std::vector<T>& y) -> Stay {
  constexpr std::size_t few = 4;  // rounds: chains of variables, each given by the one before
  std::set<std::vector<T>> met;
  std::vector<T> near(m_.variables);
  bool circles_wait = !assemble_;
  for (std::size_t round = 0; round < 10'000; ++round) {
    store();
    known_ = false;
    const bool good = assembled(t, y) && evaluate_anew(t, y);
    if (!good && !known_) return round == 0 && !assemble_ ? Stay::failed : search(t, y);
    propose(t);
    for (std::size_t k = 0; circles_wait && k < m_.terms.size(); ++k)
      if (m_.terms[k].circle != EventTerm::none) new_[m_.term(k)] = input_[m_.term(k)];
    for (std::size_t k = 0; k < m_.variables; ++k)
      if (fabs(new_[m_.variable(k)] - input_[m_.variable(k)]) <= near[k]) new_[m_.variable(k)] = input_[m_.variable(k)];
    if (std::equal(new_.begin(), new_.end(), input_.begin(), same<T>)) {
      if (circles_wait) {
        circles_wait = false;
        propose(t);
      }
      if (std::equal(new_.begin(), new_.end(), input_.begin(), same<T>)) return good ? prefer_regular(t, y) : search(t, y);
    }
    const bool again = !met.insert(input_).second;
    if ((again || round >= few) && meet(t, y, near)) continue;
    if (again) return search(t, y);
    input_ = new_;
  }
  return search(t, y);
}

// Discrete Reals that follow from each other, as what a sampled controller gives goes through its plant at once into what it reads: one
// round after the other they may never meet. A step of Newton's method on them; differences as wide as what is left to go are exact where
// all is linear. `near`: by variable, what rounding leaves.
template <class T>
bool EventLoopOf<T>::meet(const T& t, std::vector<T>& y, std::vector<T>& near) {
  constexpr std::size_t most = 100;
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k < m_.inputs(); ++k) {
    if (same(new_[k], input_[k])) continue;
    if (k < m_.variable(0) || !m_.remembered[k - m_.variable(0)].real || !isfinite(new_[k]) || open.size() == most) return false;
    open.push_back(k - m_.variable(0));
  }
  if (assemble_ || open.empty()) return false;
  const std::size_t n = open.size();
  const std::vector<T> from = input_, given = new_;
  const auto change = [&](std::size_t i) { return T(given[m_.variable(open[i])] - from[m_.variable(open[i])]); };
  std::vector<T> matrix(n * n), step(n);  // of what is left to go
  bool good = true;
  for (std::size_t j = 0; good && j < n; ++j) {
    input_ = from;
    input_[m_.variable(open[j])] += change(j);
    store();
    good = evaluate_anew(t, y);
    for (std::size_t i = 0; i < n; ++i)
      matrix[i * n + j] = (roots_[m_.remembered[open[i]].root] - given[m_.variable(open[i])]) / change(j) - (i == j ? 1 : 0);
    step[j] = -change(j);
  }
  input_ = from;
  new_ = given;
  if (!good || !std::all_of(matrix.begin(), matrix.end(), [](const T& x) { return isfinite(x); })) return false;
  if (!code::DeficientLu<T>(matrix, n).solve(step.data())) return false;
  for (std::size_t i = 0; i < n; ++i) input_[m_.variable(open[i])] += step[i];
  for (std::size_t i = 0; i < n; ++i) {
    T size = fabs(input_[m_.variable(open[i])]);
    for (std::size_t j = 0; j < n; ++j) size = std::max(size, T(fabs(matrix[i * n + j] * input_[m_.variable(open[j])])));
    near[open[i]] = noise * std::numeric_limits<T>::epsilon() * size;
  }
  return true;
}

// A combination fits in which the equations leave something open. Where rounding decided an answer, as at the start of a circuit where everything
// is 0, another one may be meant.
template <class T>
auto EventLoopOf<T>::prefer_regular(const T& t, std::vector<T>& y) -> Stay {
  if (form().deficient_blocks().empty()) return Stay::yes;
  const std::vector<T> singular = input_;
  std::vector<bool> fixed(m_.terms.size());
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k < m_.terms.size(); ++k) {
    fixed[k] = m_.terms[k].kind == Kind::relation;
    if (fixed[k] && m_.terms[k].circle != EventTerm::none && close(k)) open.push_back(k);
  }
  for (const std::size_t k : open) {
    input_[m_.term(k)] = input_[m_.term(k)] == 0 ? 1 : 0;
    if (consistent(t, y, fixed) && form().deficient_blocks().empty() && fits()) return accept();
    input_ = singular;
  }
  return look_ahead(t, y);
}

// Relations that reach their own roots did not change where they were found to, a few times: what fits may do so just here, as where a branch of
// solutions ends and another one, far away, goes on (a Schmitt trigger at its threshold).
template <class T>
bool EventLoopOf<T>::flickers() const {
  constexpr std::size_t often = 4;  // what is ahead is no help then
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (m_.terms[k].circle != EventTerm::none && unmoved_[k] > 0 && unmoved_[k] <= often) return true;
  return false;
}

// A combination that has solutions here may have none a moment later. What fits there counts, if it fits here, too, and stays.
template <class T>
auto EventLoopOf<T>::look_ahead(const T& t, std::vector<T>& y) -> Stay {
  constexpr double shortest = 1e-13, longest = 1e-7;  // moments, of the run
  const std::vector<T> here = input_;
  const auto back = [&] {
    input_ = here;
    store();
    return evaluate_anew(t, y) ? Stay::yes : Stay::no;
  };
  if (const Stay stay = back(); assemble_ || stay != Stay::yes) return stay;
  const bool regular = form().deficient_blocks().empty();
  std::vector<T> slope(states()), ahead(y);
  const auto go = [&] { return form().derivative(t, std::span<const T>(y).first(states()), slope) == Status::ok; };
  const auto good_after = [&](const T& h) {
    std::copy(y.begin(), y.end(), ahead.begin());
    for (std::size_t i = 0; i < slope.size(); ++i) ahead[i] += h * slope[i];
    if (!evaluate_anew(T(t + h), ahead)) return false;
    propose(T(t + h));
    return !regular || fits();
  };
  if (!go()) return Stay::yes;
  T h = shortest * (stop_ - start_);
  while (good_after(h))
    if (h *= 10; h > longest * (stop_ - start_)) return back();
  if (search(T(t + h), ahead) != Stay::yes) return back();
  store();
  if (!evaluate_anew(t, y)) return back();
  propose(t);
  if (!regular) return accept();
  constexpr double soon = 1e-6;  // of the run: to and fro, as where the solution slides
  for (const Left& left : lately_)
    if (!left.answers.empty() && left.time >= t - soon * (stop_ - start_) && std::equal(left.answers.begin(), left.answers.end(), input_.begin() + EventModel::first_term, same<T>)) return back();
  if (!fits() || !go() || !good_after(h) || !evaluate_anew(t, y)) return back();
  propose(t);
  return accept();
}

// With the relations of `fixed` as they are put, whether the model can be evaluated; everything else follows.
template <class T>
bool EventLoopOf<T>::consistent(const T& t, std::vector<T>& y, const std::vector<bool>& fixed) {
  for (std::size_t round = 0; round <= m_.inputs() + 2; ++round) {
    store();
    known_ = false;
    const bool good = assembled(t, y) && evaluate_anew(t, y);
    if (!good && !known_) return false;
    propose(t);
    bool still = true;
    for (std::size_t k = 0; k < input_.size(); ++k) {
      if ((k >= m_.term(0) && k < m_.variable(0) && fixed[k - m_.term(0)]) || same(input_[k], new_[k])) continue;
      input_[k] = new_[k];
      still = false;
    }
    if (still) return good;
  }
  return false;
}

// Whether a relation is answered otherwise than the model says, by more than rounding.
template <class T>
bool EventLoopOf<T>::contradicts(std::size_t k) const {
  return m_.terms[k].kind == Kind::relation && !same(new_[m_.term(k)], input_[m_.term(k)]) && !close(k);
}

template <class T>
bool EventLoopOf<T>::fits() const {
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (contradicts(k)) return false;
  return true;
}

// A combination fits; what contradicts it by rounding alone stays so for the rest of the event.
template <class T>
auto EventLoopOf<T>::accept() -> Stay {
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (m_.terms[k].kind == Kind::relation && !same(new_[m_.term(k)], input_[m_.term(k)])) accepted_[k] = true;
  run_.result.trouble = {};
  return Stay::yes;
}

// Relations that do not settle when all change at once: circle by circle, each needs earlier ones only. At the start, where states may follow from
// answers, these and then all relations as one circle.
template <class T>
auto EventLoopOf<T>::search(const T& t, std::vector<T>& y) -> Stay {
  const std::vector<T> before = input_;
  feel(form(), t, std::span<const T>(y).first(states()));
  const auto circle = [&](std::size_t k) { return m_.terms[k].circle; };
  std::vector<std::size_t> relations, in_circles;
  for (std::size_t k = 0; k < m_.terms.size(); ++k) {
    if (m_.terms[k].kind != Kind::relation) continue;
    relations.push_back(k);
    if (circle(k) != EventTerm::none) in_circles.push_back(k);
  }
  std::stable_sort(in_circles.begin(), in_circles.end(), [&](std::size_t a, std::size_t b) { return circle(a) < circle(b); });
  const auto fixing = [&](std::span<const std::size_t> list) {
    std::vector<bool> fixed(m_.terms.size());
    for (const std::size_t k : list) fixed[k] = true;
    return fixed;
  };
  const auto one_by_one = [&](const std::vector<bool>& fixed) {
    for (std::size_t begin = 0, end = 0; begin < in_circles.size(); begin = end) {
      while (end < in_circles.size() && circle(in_circles[end]) == circle(in_circles[begin])) ++end;
      if (!search(t, y, std::span(in_circles).subspan(begin, end - begin), fixed)) return false;
    }
    return true;
  };
  const auto found = [&](const std::vector<bool>& fixed) { return consistent(t, y, fixed) && fits(); };
  const auto together = [&](std::span<const std::size_t> list) {
    input_ = before;
    const std::vector<bool> fixed = fixing(list);
    return search(t, y, list, fixed) && found(fixed);
  };
  const std::vector<bool> fixed = fixing(in_circles);
  const bool several = !in_circles.empty() && circle(in_circles.front()) != circle(in_circles.back());
  blame_.clear();
  bool good = one_by_one(fixed) ? found(fixed) : several && together(in_circles);  // what is wrong in later ones may not let the model be evaluated
  std::vector<std::size_t> blame = std::exchange(blame_, {});
  good = good || (assemble_ && together(relations));
  if (good) return accept();
  blame_ = blame.empty() ? relations : std::move(blame);
  return Stay::no;
}

// The relations of `circle`, others of `fixed` as they are put. First one after the other, the least curve first and on it the border next to
// where it is, which ends with the solution where there is just one for any data, as in networks of ideal diodes   [Murty 1974]; then all
// combinations of pieces of curves, those first that did change.
template <class T>
bool EventLoopOf<T>::search(const T& t, std::vector<T>& y, std::span<const std::size_t> circle, const std::vector<bool>& fixed) {
  const std::vector<T> before = input_;
  std::vector<std::size_t> involved;
  const auto contradicted = [&](std::size_t k) { return contradicts(k); };
  const auto involve = [&](std::size_t k) {
    if (std::find(involved.begin(), involved.end(), curve(k)) == involved.end()) involved.push_back(curve(k));
  };
  for (const std::size_t k : circle)
    if (isnan(roots_[m_.terms[k].root])) involve(k);
  std::set<std::vector<T>> met;
  while (met.insert(input_).second && met.size() < 2000) {
    if (!consistent(t, y, fixed)) break;
    const auto first = std::find_if(circle.begin(), circle.end(), contradicted);
    if (first == circle.end()) return true;
    std::size_t wrong = *first;
    for (const std::size_t k : circle)
      if (contradicts(k)) {
        involve(k);
        if (curve(k) == curve(wrong) && fabs(roots_[m_.terms[k].root]) > fabs(roots_[m_.terms[wrong].root])) wrong = k;
      }
    input_[m_.term(wrong)] = new_[m_.term(wrong)];
  }
  for (const std::size_t k : circle) involve(k);
  for (std::size_t n = 0; n < lately_.size(); ++n) {  // what was left lately comes again where something goes to and fro
    const Left& left = lately_[(next_left_ + lately_.size() - 1 - n) % lately_.size()];
    if (left.answers.empty()) break;
    input_ = before;
    for (const std::size_t k : circle) input_[m_.term(k)] = left.answers[k];
    if (met.insert(input_).second && consistent(t, y, fixed) && std::none_of(circle.begin(), circle.end(), contradicted)) return true;
  }
  input_ = before;
  return wander(t, y, circle, fixed) || enumerate(t, y, circle, involved, before);
}

// Where one after the other comes back to where it was: those that contradict in an order that is drawn, each over the border next to where it is,
// as in searches for what satisfies clauses   [Papadimitriou 1991]. It ends soon where few combinations are consistent in themselves.
template <class T>
bool EventLoopOf<T>::wander(const T& t, std::vector<T>& y, std::span<const std::size_t> circle, const std::vector<bool>& fixed) {
  constexpr int most = 1500, again = 150;
  if (circle.empty()) return false;
  const std::vector<T> begin = input_;
  std::uint32_t lot = 1;
  const auto draw = [&](std::size_t n) {
    lot = lot * 1664525 + 1013904223;
    return static_cast<std::size_t>((static_cast<std::uint64_t>(lot) * n) >> 32);
  };
  const auto flip = [&](std::size_t k) { input_[m_.term(k)] = input_[m_.term(k)] == 0 ? 1 : 0; };
  std::optional<std::size_t> last;
  for (int round = 0; round < most && !interrupted(run_); ++round) {
    if (round % again == 0) input_ = begin, last.reset();
    const bool good = consistent(t, y, fixed);
    std::vector<std::size_t> open;
    for (const std::size_t k : circle)
      if (known_ && (isnan(roots_[m_.terms[k].root]) || contradicts(k))) open.push_back(k);
    if (good && open.empty()) return true;
    if (!known_ && last) flip(*last);
    std::size_t next = open.empty() ? circle[draw(circle.size())] : open[draw(open.size())];
    for (const std::size_t k : open)
      if (curve(k) == curve(next) && fabs(roots_[m_.terms[k].root]) > fabs(roots_[m_.terms[next].root])) next = k;
    flip(next);
    last = next;
  }
  return false;
}

template <class T>
bool EventLoopOf<T>::enumerate(const T& t, std::vector<T>& y, std::span<const std::size_t> circle, std::span<const std::size_t> curves,
                               const std::vector<T>& before) {
  struct Curve {
    std::vector<std::size_t> borders;  // ascending
    std::size_t piece = 0;             // above so many of them
  };
  constexpr std::size_t most = 4096;
  std::size_t combinations = 1;
  std::vector<Curve> tried;
  std::vector<bool> fixed(m_.terms.size());
  blame_.clear();
  for (const std::size_t c : curves) {
    Curve x;
    for (const std::size_t k : circle)
      if (k == c || m_.terms[k].curve == c) x.borders.push_back(k);
    if (combinations * (x.borders.size() + 1) > most) break;
    combinations *= x.borders.size() + 1;
    const auto position = [&](std::size_t k) { return m_.terms[k].falling ? roots_[m_.terms[k].root] : T(-roots_[m_.terms[k].root]); };
    if (std::none_of(x.borders.begin(), x.borders.end(), [&](std::size_t k) { return isnan(position(k)); }))
      std::stable_sort(x.borders.begin(), x.borders.end(), [&](std::size_t a, std::size_t b) { return position(a) < position(b); });
    for (const std::size_t k : x.borders) {
      fixed[k] = true;
      blame_.push_back(k);
    }
    tried.push_back(std::move(x));
  }
  for (std::size_t n = 0; n < combinations; ++n) {
    if (interrupted(run_)) break;
    input_ = before;
    for (const Curve& c : tried)
      for (std::size_t i = 0; i < c.borders.size(); ++i) input_[m_.term(c.borders[i])] = (i < c.piece) != m_.terms[c.borders[i]].falling ? 1 : 0;
    const auto circle_fits = [&] { return std::none_of(circle.begin(), circle.end(), [&](std::size_t k) { return contradicts(k); }); };
    if (consistent(t, y, fixed)) {
      if (circle_fits()) return true;
      feel_anew(t, y);  // rounding may be larger in this combination
      if (circle_fits()) return true;
      feel_parameters(t, y);
      if (circle_fits()) return true;
    }
    for (Curve& c : tried) {
      if (++c.piece <= c.borders.size()) break;
      c.piece = 0;
    }
  }
  return false;
}

template auto EventLoopOf<double>::settle(const double&, std::vector<double>&) -> Stay;
template auto EventLoopOf<code::Float50>::settle(const code::Float50&, std::vector<code::Float50>&) -> Stay;
template auto EventLoopOf<code::Float100>::settle(const code::Float100&, std::vector<code::Float100>&) -> Stay;
template auto EventLoopOf<code::Float250>::settle(const code::Float250&, std::vector<code::Float250>&) -> Stay;

}  // namespace kron::simulate
