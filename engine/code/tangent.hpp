// engine/code/tangent.hpp: exact directional derivatives, several directions (lanes) at once, by forward mode over the
// dynamic section [Griewank & Walther 2008, 3.1]. Through a linear step: A dx = db - dA x. Through a Newton step: J dz
// = -df, df taken with dz = 0 (implicit function theorem, 15.1), then the body once more with dz. A direction that does
// not move an argument gets 0 from it even where the slope is infinite, so an untaken branch does no harm.
#pragma once
#include "engine/code/engine.hpp"

namespace kron::code {

template <class T, int L>
class Tangent {
 public:
  // `code`: the dynamic section's tangents as machine code, where that is to be used.
  explicit Tangent(Engine<T>& e, const Native::Region* code = nullptr) : e_(e), p_(*e.program), code_(code) {
    const std::size_t wanted = std::size_t{p_.registers} * L;
    if (e.tangents.size() != wanted) e.tangents.assign(wanted, T(0));
    d_ = e.tangents.data();
  }

  // seeds: `lanes` rows of y.size() states; result: as many rows of derivative roots.
  Status run(std::size_t lanes, std::size_t states, const T* seeds, T* result) {
    const auto kind = static_cast<std::size_t>(InputKind::state);
    for (std::size_t s = 0; s < p_.input_size[kind]; ++s)
      for (std::size_t l = 0; l < L; ++l)
        at(p_.input_begin[kind] + s)[l] = l < lanes && s < states ? seeds[l * states + s] : T(0);
    if (const Status s = code_ ? run_code() : region(dynamic_section); s != Status::ok) return s;
    const std::vector<Signed>& roots = e_.derivative_roots;
    for (std::size_t i = 0; i < roots.size(); ++i)
      for (std::size_t l = 0; l < lanes; ++l) {
        const T& x = at(roots[i].reg())[l];
        result[l * roots.size() + i] = roots[i].negative() ? T(-x) : x;
      }
    return Status::ok;
  }

 private:
  T* at(std::size_t reg) { return d_ + reg * L; }
  const T& value(std::uint32_t reg) const { return e_.reg[reg]; }

  Status run_code() {
    if constexpr (std::is_same_v<T, double>)
      for (const Native::Piece& piece : code_->pieces) switch (piece.kind) {
          case Native::Piece::Kind::code:
            (*code_->functions[piece.index])(e_.reg.data(), e_.native.frame(), native_functions(), d_);
            break;
          case Native::Piece::Kind::step:
            if (const Status s = step(piece.index); s != Status::ok) return s;
            break;
          case Native::Piece::Kind::table:
            arithmetic(p_.runs[piece.index]);
            break;
        }
    return Status::ok;
  }

  Status region(std::uint32_t r) {
    for (std::uint32_t i = p_.regions[r].begin; i < p_.regions[r].end; ++i) {
      const Run& run = p_.runs[i];
      if (run.kernel == Kernel::step) {
        if (const Status s = step(run.result); s != Status::ok) return s;
      } else {
        arithmetic(run);
      }
    }
    return Status::ok;
  }

  template <class F>
  void each1(const Run& run, F&& f) {  // f(lanes of result, lanes of argument, its register, register of the result)
    const std::uint32_t* a = p_.operands.data() + run.operands;
    for (std::uint32_t i = 0; i < run.count; ++i) f(at(run.result + i), at(a[i]), a[i], run.result + i);
  }
  template <class F>
  void each2(const Run& run, F&& f) {
    const std::uint32_t* a = p_.operands.data() + run.operands;
    const std::uint32_t* b = a + run.count;
    for (std::uint32_t i = 0; i < run.count; ++i) f(run.result + i, a[i], b[i]);
  }
  static T scaled(const T& slope, const T& x) { return x == 0 ? T(0) : T(slope * x); }

  void arithmetic(const Run& run) {
    switch (run.kernel) {
      case Kernel::add:
        return each2(run,
                     [&](auto r, auto a, auto b) { lanes(r, a, b, [](const T& x, const T& y) { return T(x + y); }); });
      case Kernel::sub:
        return each2(run,
                     [&](auto r, auto a, auto b) { lanes(r, a, b, [](const T& x, const T& y) { return T(x - y); }); });
      case Kernel::mul:
        return each2(run, [&](auto r, auto a, auto b) {
          const T u = value(a), v = value(b);
          lanes(r, a, b, [&](const T& x, const T& y) { return T(x * v + u * y); });
        });
      case Kernel::div:
        return each2(run, [&](auto r, auto a, auto b) {
          const T q = value(r), v = value(b);
          lanes(r, a, b, [&](const T& x, const T& y) { return T((x - q * y) / v); });
        });
      case Kernel::inv:
        return each1(run, [&](T* r, const T* a, auto, auto to) {
          const T s = -value(to) * value(to);
          for (int l = 0; l < L; ++l) r[l] = scaled(s, a[l]);
        });
      case Kernel::neg:
        return each1(run, [&](T* r, const T* a, auto, auto) {
          for (int l = 0; l < L; ++l) r[l] = -a[l];
        });
      case Kernel::pow:
        return each2(run,
                     [&](auto r, auto a, auto b) { partials(r, a, b, power_slope(value(a), value(b), value(r))); });
      case Kernel::step:
        return;
      case Kernel::call:
        return call(run);
      case Kernel::take:
        return take(run);
    }
  }

  void take(const Run& run) {
    const std::uint32_t* a = p_.operands.data() + run.operands;
    for (std::uint32_t i = 0; i < run.count; ++i) {
      const Take& t = p_.takes[a[run.count + i]];
      const StepState<T>& s = e_.steps[t.step];
      const T* from = s.cold ? s.cold_tangents.data() + std::size_t{t.column} * L : at(a[i]);
      T* to = at(run.result + i);
      for (int l = 0; l < L; ++l) to[l] = !s.cold && t.negative ? T(-from[l]) : from[l];
    }
  }
  template <class F>
  void lanes(std::uint32_t r, std::uint32_t a, std::uint32_t b, F&& f) {
    T* to = at(r);
    const T *x = at(a), *y = at(b);
    for (int l = 0; l < L; ++l) to[l] = f(x[l], y[l]);
  }
  void partials(std::uint32_t r, std::uint32_t a, std::uint32_t b, const Partials<T>& d) {
    lanes(r, a, b, [&](const T& x, const T& y) { return T(scaled(d.a, x) + scaled(d.b, y)); });
  }

  template <Fn fn>
  void unary(const Run& run) {
    each1(run, [&](T* r, const T* a, auto from, auto to) {
      const T s = Unary<fn>::slope(value(from), value(to));
      for (int l = 0; l < L; ++l) r[l] = scaled(s, a[l]);
    });
  }
  template <Fn fn>
  void binary(const Run& run) {
    each2(run, [&](auto r, auto a, auto b) { partials(r, a, b, Binary<fn>::slope(value(a), value(b))); });
  }

  void call(const Run& run) {
    switch (run.fn) {
#define KRON_UNARY(id) \
  case Fn::id:         \
    return unary<Fn::id>(run);
#define KRON_BINARY(id) \
  case Fn::id:          \
    return binary<Fn::id>(run);
#include "engine/code/functions.def"
#undef KRON_UNARY
#undef KRON_BINARY
      case Fn::select:
        return choose(run);
      case Fn::interpolate:
      case Fn::interpolate_slope:
        return interpolate(run);
      case Fn::history: {
        const T slope = e_.history_value(run, 1);
        const T* along = at(p_.operands[run.operands]);
        T* to = at(run.result);
        for (int l = 0; l < L; ++l) to[l] = scaled(slope, along[l]);
        return;
      }
      default:
        return;
    }
  }

  void choose(const Run& run) {
    const std::uint32_t* c = p_.operands.data() + run.operands;
    for (std::uint32_t i = 0; i < run.count; ++i) {
      const T* from = at(value(c[i]) != 0 ? c[run.count + i] : c[2 * run.count + i]);
      std::copy_n(from, L, at(run.result + i));
    }
  }

  // y0 + (x - x0) s with s = (y1 - y0)/(x1 - x0); the table itself may move too.
  void interpolate(const Run& run) {
    const std::uint32_t* from = p_.operands.data() + run.operands;
    const std::size_t n = (run.count - 1) / 2;
    T* to = at(run.result);
    if (n < 2) {
      for (int l = 0; l < L; ++l) to[l] = run.fn == Fn::interpolate && n == 1 ? at(from[2])[l] : T(0);
      return;
    }
    const auto x = [&](std::size_t i) -> const T& { return value(from[1 + i]); };
    const std::size_t k = segment(x, n, value(from[0]));
    const std::uint32_t x0 = from[1 + k], x1 = from[2 + k], y0 = from[1 + n + k], y1 = from[2 + n + k];
    const T width = value(x1) - value(x0), slope = (value(y1) - value(y0)) / width, past = value(from[0]) - value(x0);
    for (int l = 0; l < L; ++l) {
      const T turned = ((at(y1)[l] - at(y0)[l]) - scaled(slope, T(at(x1)[l] - at(x0)[l]))) / width;
      const T value_lane = at(y0)[l] + scaled(slope, T(at(from[0])[l] - at(x0)[l])) + past * turned;
      to[l] = run.fn == Fn::interpolate ? value_lane : turned;
    }
  }

  // ---- solve steps

  Status step(std::uint32_t s) {
    const StepPlan& plan = p_.steps[s];
    if (plan.guarded && !e_.steps[s].cold) return Status::ok;
    if (plan.tentative && !e_.steps[s].solved) {  // the guard around it does not trust what follows
      std::fill_n(at(plan.unknowns), std::size_t{plan.columns} * L, T(0));
      return Status::ok;
    }
    give(plan);
    if (!e_.steps[s].factored) {
      if (plan.newton && plan.jacobian_region != 0)
        if (const Status status = e_.run(plan.jacobian_region); status != Status::ok) return status;
      if (const Factored f = e_.factor(s); f != Factored::ok)
        return e_.fail(s, f == Factored::singular ? "singular matrix" : "not a number");
    }
    return plan.newton ? newton(s, plan) : linear(s, plan);
  }

  void add_right(const StepPlan& plan, std::vector<T>& right, bool minus) {
    for (std::size_t i = 0; i < plan.right.size(); ++i) {
      const T* from = at(plan.right[i].reg());
      const bool subtract = plan.right[i].negative() != minus;
      for (int l = 0; l < L; ++l) right[i * L + static_cast<std::size_t>(l)] += subtract ? T(-from[l]) : from[l];
    }
  }
  // The pinned unknowns of the step move as their slots do.
  void give(const StepPlan& plan) {
    for (const StepPlan::Pins& p : plan.pins) {
      const auto chosen = e_.choice_of(p.selection);
      for (std::uint32_t k = 0; k < p.value.size(); ++k)
        std::copy_n(at(p.value[k].reg()), L, at(plan.unknowns + p.column[chosen[k]]));
    }
  }
  void solve(std::uint32_t s, const StepPlan& plan, const std::vector<T>& right) {
    std::vector<T> column(plan.size);
    for (std::size_t l = 0; l < L; ++l) {
      bool moved = false;
      for (std::size_t i = 0; i < plan.size; ++i) moved |= (column[i] = right[i * L + l]) != 0;
      if (moved) e_.steps[s].solver.solve(column.data());
      T* to = plan.guarded ? e_.steps[s].cold_tangents.data() : at(plan.unknowns);
      for (std::size_t i = 0; i < plan.size; ++i) to[e_.steps[s].column(i) * L + l] = column[i];
    }
  }

  Status linear(std::uint32_t s, const StepPlan& plan) {
    std::vector<T> right(std::size_t{plan.size} * L, T(0));
    const T* x = plan.guarded ? e_.steps[s].right.data() : e_.reg.data() + plan.unknowns;
    if (plan.guarded) e_.steps[s].cold_tangents.resize(std::size_t{plan.size} * L);
    add_right(plan, right, false);
    for (const StepPlan::Load& e : plan.matrix) {
      const T* from = at(e.value.reg());
      const T factor = e.value.negative() ? T(-x[e.column]) : x[e.column];
      for (std::size_t l = 0; l < L; ++l) right[e.row * std::size_t{L} + l] -= from[l] * factor;
    }
    for (const StepPlan::Load& e : e_.steps[s].given_entries) {
      const T* from = at(plan.unknowns + e.column);
      const T factor = e_.value(e.value);
      for (std::size_t l = 0; l < L; ++l) right[e.row * std::size_t{L} + l] -= from[l] * factor;
    }
    solve(s, plan, right);
    return Status::ok;
  }

  Status newton(std::uint32_t s, const StepPlan& plan) {
    for (std::size_t i = 0; i < plan.size; ++i) std::fill_n(at(plan.unknowns + e_.steps[s].column(i)), L, T(0));
    if (plan.residual_region != 0)
      if (const Status status = region(plan.residual_region); status != Status::ok) return status;
    std::vector<T> right(std::size_t{plan.size} * L, T(0));
    add_right(plan, right, true);
    solve(s, plan, right);
    if (plan.residual_region != 0)
      if (const Status status = region(plan.residual_region); status != Status::ok) return status;
    if (plan.jacobian_used && plan.jacobian_region != 0) return region(plan.jacobian_region);
    return Status::ok;
  }

  Engine<T>& e_;
  const Program& p_;
  const Native::Region* code_;
  T* d_ = nullptr;
};

}  // namespace kron::code
