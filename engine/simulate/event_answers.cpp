// What relations answer at an event: all together until they stay, else combinations one after the other.
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/code/precision.hpp"
#include "engine/simulate/run.hpp"

namespace kron::simulate {

using Kind = EventTerm::Kind;
using std::isnan;

template <class T>
auto EventLoopOf<T>::settle(const T& t, std::vector<T>& y) -> Stay {
  std::set<std::vector<T>> met;
  for (std::size_t round = 0; round < 10'000; ++round) {
    store();
    known_ = false;
    const bool good = (!assemble_ || assemble_(y)) && evaluate_anew(t, y);
    if (!good && !known_) return round == 0 && !assemble_ ? Stay::failed : search(t, y);
    propose(t);
    if (std::equal(new_.begin(), new_.end(), input_.begin(), same<T>)) return good ? prefer_regular(t, y) : search(t, y);
    if (!met.insert(input_).second) return search(t, y);
    input_ = new_;
  }
  return search(t, y);
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
    if (fixed[k] && m_.terms[k].slope == EventTerm::none && close(k)) open.push_back(k);
  }
  for (const std::size_t k : open) {
    input_[m_.term(k)] = input_[m_.term(k)] == 0 ? 1 : 0;
    if (consistent(t, y, fixed) && form().deficient_blocks().empty() && fits()) return accept();
    input_ = singular;
  }
  store();
  return evaluate_anew(t, y) ? Stay::yes : Stay::no;
}

// With the relations of `fixed` as they are put, whether the model can be evaluated; everything else follows.
template <class T>
bool EventLoopOf<T>::consistent(const T& t, std::vector<T>& y, const std::vector<bool>& fixed) {
  for (std::size_t round = 0; round <= m_.inputs() + 2; ++round) {
    store();
    known_ = false;
    const bool good = (!assemble_ || assemble_(y)) && evaluate_anew(t, y);
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

// Relations that do not settle when all change at once. First one after the other, the least number first, which ends with the solution where
// there is just one for any data, as in networks of ideal diodes   [Murty 1974]; then all combinations of those that changed.
template <class T>
auto EventLoopOf<T>::search(const T& t, std::vector<T>& y) -> Stay {
  std::vector<std::size_t> involved;
  const auto involve = [&](std::size_t k) {
    if (std::find(involved.begin(), involved.end(), k) == involved.end()) involved.push_back(k);
  };
  const std::vector<T> before = input_;
  std::vector<bool> fixed(m_.terms.size());
  for (std::size_t k = 0; k < m_.terms.size(); ++k) fixed[k] = m_.terms[k].kind == Kind::relation;
  for (std::size_t k = 0; k < m_.terms.size(); ++k)
    if (fixed[k] && isnan(roots_[m_.terms[k].root])) involve(k);
  std::set<std::vector<T>> met;
  while (met.insert(input_).second && met.size() < 2000) {
    if (!consistent(t, y, fixed)) break;
    std::size_t wrong = m_.terms.size();
    for (std::size_t k = 0; k < m_.terms.size(); ++k)
      if (contradicts(k)) {
        involve(k);
        wrong = std::min(wrong, k);
      }
    if (wrong == m_.terms.size()) return accept();
    input_[m_.term(wrong)] = new_[m_.term(wrong)];
  }
  constexpr std::size_t most = 12;
  for (std::size_t k = 0; k < m_.terms.size() && involved.size() < most; ++k)
    if (fixed[k] && m_.terms[k].slope == EventTerm::none) involve(k);
  std::sort(involved.begin(), involved.end());
  involved.resize(std::min(involved.size(), most));
  fixed.assign(m_.terms.size(), false);
  for (const std::size_t k : involved) fixed[k] = true;
  for (std::size_t mask = 0; mask < std::size_t{1} << involved.size(); ++mask) {
    if (interrupted(run_)) break;
    input_ = before;
    for (std::size_t i = 0; i < involved.size(); ++i) input_[m_.term(involved[i])] = static_cast<T>(mask >> i & 1);
    if (consistent(t, y, fixed) && fits()) return accept();
  }
  blame_ = involved;
  return Stay::no;
}

template auto EventLoopOf<double>::settle(const double&, std::vector<double>&) -> Stay;
template auto EventLoopOf<code::Float50>::settle(const code::Float50&, std::vector<code::Float50>&) -> Stay;
template auto EventLoopOf<code::Float100>::settle(const code::Float100&, std::vector<code::Float100>&) -> Stay;
template auto EventLoopOf<code::Float250>::settle(const code::Float250&, std::vector<code::Float250>&) -> Stay;

}  // namespace kron::simulate
