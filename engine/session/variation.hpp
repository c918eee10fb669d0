// engine/session/variation.hpp: problems of one analysis that differ in the numbers of a few parameters, and what is read from their runs.
//   what   Variation::problem gives what Engine::problem gives with these overrides, Readings what Sampler gives
//   how    Engine::problem keeps what does not depend on the varied parameters; readings find out once where each value comes from
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "engine/session/values.hpp"

namespace kron::session {

class Variation {
 public:
  // `varied`: slots of parameters that are inputs of the programs; overrides of others hold for all. `exact`: for runs in higher precision.
  // The mutex guards what the problems' callbacks share: threads that run them may call those at any time.
  Variation(Engine&, std::shared_ptr<const Analysis>, Overrides, std::vector<std::uint32_t> varied, code::Backend, bool exact);
  // Nothing, with diagnostics, where the numbers cannot be.
  std::optional<simulate::Problem> problem(std::span<const double> values, Diagnostics&);
  const std::shared_ptr<std::recursive_mutex>& mutex() const { return mutex_; }

 private:
  void guard(simulate::Problem&) const;
  Engine& engine_;
  std::shared_ptr<const Analysis> analysis_;
  Overrides overrides_;
  std::vector<std::uint32_t> varied_;
  code::Backend backend_;
  bool exact_;
  std::shared_ptr<std::recursive_mutex> mutex_ = std::make_shared<std::recursive_mutex>();
};

// Values of bound expressions over runs of one analysis.
class Readings {
 public:
  Readings(std::shared_ptr<const Analysis>, std::vector<model::Bound> expressions, std::shared_ptr<std::recursive_mutex>);
  // By expression: at the last point of the run, or at all points. Free parameters have to be in the problem. Threads may ask.
  std::vector<double> last(const simulate::Problem&, const simulate::Trajectory&) const;
  std::vector<std::vector<double>> series(const simulate::Problem&, const simulate::Trajectory&) const;

 private:
  enum class From : std::uint8_t { number, time, parameter, signal, state, output, other };
  struct Source {
    From from = From::number;
    std::uint32_t index = 0;
    double factor = 1;
  };
  struct Expression {
    model::Bound bound;
    model::NodeId root;
    std::optional<std::uint32_t> plain;  // it is this operand as it stands
    std::vector<Source> operands;
  };
  Source source(model::Operand) const;
  Source source(std::uint32_t variable) const;
  double other(std::uint32_t key, const simulate::Problem&) const;
  template <class Output>
  double value(const Expression&, const simulate::Problem&, double time, std::span<const double> state, Output&&) const;
  std::shared_ptr<const Analysis> analysis_;
  std::shared_ptr<std::recursive_mutex> mutex_;  // of the table of forms
  Bindings bindings_;
  std::vector<std::uint32_t> state_of_;  // by variable
  std::vector<Expression> expressions_;
  std::vector<std::size_t> wanted_;      // output roots, ascending
};

}  // namespace kron::session
