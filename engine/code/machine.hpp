// engine/code/machine.hpp: the members of Machine<T>, instantiated once per number type (machine_*.cpp). Private to the
// room.
#pragma once
#include <new>

#include "engine/code/bounds.hpp"
#include "engine/code/steps.hpp"
#include "engine/code/tangent.hpp"

namespace kron::code {

template <class T>
struct Machine<T>::Data : Engine<T> {
  using Engine<T>::Engine;

  // Runs f; an exception (out of memory) becomes a failure: nothing is thrown through an integrator.
  template <class F>
  Status guarded(F&& f) {
    try {
      return f();
    } catch (const std::exception& e) {
      this->failure = {};
      this->failure.reason = e.what();
      return Status::failed;
    }
  }

  void set_point(const T& t, std::span<const T> y) {
    const Program& p = *this->program;
    this->reg[p.input_begin[static_cast<std::size_t>(InputKind::time)]] = t;
    const auto states = static_cast<std::size_t>(InputKind::state);
    std::copy_n(y.begin(), std::min<std::size_t>(y.size(), p.input_size[states]),
                this->reg.begin() + p.input_begin[states]);
    for (std::size_t i = 0; i < this->steps.size(); ++i)
      if (p.steps[i].section != parameter_section) this->steps[i].solved = this->steps[i].factored = false;
    evaluated = false;
  }

  bool is_at(const T& t, std::span<const T> y) const {
    const Program& p = *this->program;
    if (!evaluated || this->reg[p.input_begin[static_cast<std::size_t>(InputKind::time)]] != t) return false;
    const auto states = static_cast<std::size_t>(InputKind::state);
    const auto n = std::min<std::size_t>(y.size(), p.input_size[states]);
    return std::equal(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(n), this->reg.begin() + p.input_begin[states]);
  }

  bool evaluated = false;  // the dynamic section holds the values at the point set last

  void copy_roots(const std::vector<Signed>& roots, std::span<T> to) const {
    for (std::size_t i = 0; i < roots.size() && i < to.size(); ++i) to[i] = this->value(roots[i]);
  }

  Status check_finite(std::span<const T> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (finite(values[i])) continue;
      this->failure = {};
      this->failure.root = static_cast<std::uint32_t>(i);
      this->failure.reason = "not a number";
      return Status::recoverable;
    }
    return Status::ok;
  }
};

template <class T>
Machine<T>::Machine(std::shared_ptr<const Program> p) : data_(std::make_unique<Data>(std::move(p))) {}
template <class T>
Machine<T>::~Machine() = default;
template <class T>
Machine<T>::Machine(Machine&&) noexcept = default;
template <class T>
Machine<T>& Machine<T>::operator=(Machine&&) noexcept = default;

template <class T>
std::span<T> Machine<T>::inputs(InputKind kind) {
  const auto k = static_cast<std::size_t>(kind);
  return {data_->reg.data() + data_->program->input_begin[k], data_->program->input_size[k]};
}

template <class T>
Status Machine<T>::run_parameters() {
  Data& d = *data_;
  return d.guarded([&] {
    d.evaluated = false;
    for (StepState<T>& s : d.steps) s.early_trusted.reset();
    const Status s = d.run(parameter_section);
    d.parameter_values.resize(d.program->parameter.size());
    d.copy_roots(d.program->parameter, d.parameter_values);
    return s;
  });
}

template <class T>
std::span<const T> Machine<T>::parameter_roots() const {
  return data_->parameter_values;
}

template <class T>
Status Machine<T>::derivative(const T& t, std::span<const T> y, std::span<T> der) {
  Data& d = *data_;
  ++d.statistics.derivative_calls;
  return d.guarded([&] {
    d.set_point(t, y);
    if (const Status s = d.run(dynamic_section); s != Status::ok) return s;
    d.evaluated = true;
    d.copy_roots(d.program->derivative, der);
    return d.check_finite(der.first(std::min(der.size(), d.program->derivative.size())));
  });
}

template <class T>
Status Machine<T>::output(const T& t, std::span<const T> y, std::span<T> values) {
  Data& d = *data_;
  ++d.statistics.output_calls;
  return d.guarded([&] {
    d.set_point(t, y);
    if (const Status s = d.run(dynamic_section); s != Status::ok) return s;
    d.evaluated = true;
    if (const Status s = d.run(output_section); s != Status::ok) return s;
    d.copy_roots(d.program->output, values);
    return Status::ok;
  });
}

template <class T>
bool Machine<T>::bounded(const T& time, std::span<const T> states) const {
  const Bounds<T> bounds(*data_, time, states);
  const auto& roots = data_->program->output;
  return std::all_of(roots.begin(), roots.end(), [&](Signed r) { return bounds.finite(r); });
}

template <class T>
void Machine<T>::accept() {
  Data& d = *data_;
  for (std::size_t i = 0; i < d.steps.size(); ++i) {
    StepState<T>& s = d.steps[i];
    const StepPlan& plan = d.program->steps[i];
    if (!s.solved || plan.section == parameter_section) continue;
    s.solver.accept();
    if (!plan.newton && !s.sweeps) continue;
    std::copy_n(d.reg.begin() + plan.unknowns, plan.size, s.accepted.begin());
    s.has_accepted = true;
  }
}

template <class T>
void Machine<T>::forget() {
  for (StepState<T>& s : data_->steps) {
    s.has_accepted = false;
    s.solver.forget();
  }
}

template <class T>
Status Machine<T>::tangent(const T& t, std::span<const T> y, std::size_t directions, std::span<const T> seeds,
                           std::span<T> result) {
  Data& d = *data_;
  return d.guarded([&] {
    if (!d.is_at(t, y)) {
      d.set_point(t, y);
      if (const Status s = d.run(dynamic_section); s != Status::ok) return s;
      d.evaluated = true;
    }
    const std::size_t rows = d.program->derivative.size();
    constexpr int wide = std::is_same_v<T, double> ? 8 : 4;
    for (std::size_t done = 0; done < directions;) {
      const std::size_t left = directions - done;
      const T* seed = seeds.data() + done * y.size();
      T* to = result.data() + done * rows;
      const std::size_t lanes = left == 1 ? 1 : std::min<std::size_t>(left, wide);
      const Status s =
          lanes == 1 ? Tangent<T, 1>(d).run(1, y.size(), seed, to) : Tangent<T, wide>(d).run(lanes, y.size(), seed, to);
      if (s != Status::ok) return s;
      if (d.interrupted()) return Status::failed;
      done += lanes;
    }
    return Status::ok;
  });
}

template <class T>
void Machine<T>::tolerance(double relative) {
  data_->tolerance = relative;
}
template <class T>
const Failure& Machine<T>::failure() const {
  return data_->failure;
}
template <class T>
const Statistics& Machine<T>::statistics() const {
  return data_->statistics;
}
template <class T>
void Machine<T>::interrupt_flag(const std::atomic<bool>* flag) {
  data_->flag = flag;
}

}  // namespace kron::code
