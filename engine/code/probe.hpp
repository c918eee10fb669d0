// engine/code/probe.hpp: the values of a tape's nodes at other points than its fingerprints': a second opinion on code that value
// numbering has shaped.
//   FieldProbe    at a fresh point of the two fields: equal functions stay equal there, so an equation that the code solves has
//                 residual zero, and one that it does not has a residual other than zero but for a chance of about 2^-120
//   NumberProbe   at a random point of real numbers: shows rounding errors; or at a given point: shows which pivots are good there
// Both follow a growing tape: nodes are evaluated once, when they are asked for first. After Builder::rewind(n) call rewind(n).
//   The unknowns of a guarded step have their solution's value; those of other steps are random.
#pragma once
#include <optional>
#include <vector>

#include "engine/code/tape.hpp"

namespace kron::code {

class FieldProbe {
 public:
  FieldProbe(const Builder&, std::uint64_t seed);
  Fingerprint operator()(Ref r) {
    if (r.node() >= values_.size()) extend(r.node() + std::size_t{1});
    return of(r);
  }
  void set(std::uint32_t unknown, Fingerprint);  // before anything that reads it is asked for
  void rewind(std::size_t size);

 private:
  void extend(std::size_t size);
  Fingerprint evaluate(std::uint32_t node);
  Fingerprint of(Ref r) const { return r.negative() ? -values_[r.node()] : values_[r.node()]; }
  const Builder& tape_;
  std::uint64_t seed_;
  Exponentials exponentials_;
  std::vector<Fingerprint> values_;
  std::vector<std::pair<std::uint32_t, Fingerprint>> set_;
  std::vector<Ref> solution_;  // of unknowns of guarded steps, by node; zero elsewhere
  std::size_t steps_seen_ = 0;
};

class NumberProbe {
 public:
  NumberProbe(const Builder&, std::uint64_t seed, double parameters = 1);  // so many times what they are else
  NumberProbe(const Builder&, InputValues);  // unknowns are random until they are set
  double operator()(Ref r) {
    if (r.node() >= values_.size()) extend(r.node() + std::size_t{1});
    return of(r);
  }
  void set(std::uint32_t unknown, double);   // before anything that reads it is asked for
  void rewind(std::size_t size);

 private:
  void extend(std::size_t size);
  double evaluate(std::uint32_t node);
  double of(Ref r) const { return r.negative() ? -values_[r.node()] : values_[r.node()]; }
  double random(std::uint64_t key, bool positive) const;
  const Builder& tape_;
  std::uint64_t seed_;
  double parameters_ = 1;
  std::optional<InputValues> inputs_;
  std::vector<double> values_;
  std::vector<Ref> solution_;
  std::size_t steps_seen_ = 0;
};

}  // namespace kron::code
