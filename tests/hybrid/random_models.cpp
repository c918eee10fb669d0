#include "tests/hybrid/random_models.hpp"

#include <random>

namespace kron::hybrid {

namespace {

class ModelMaker {
 public:
  explicit ModelMaker(std::uint64_t seed) : g_(seed) {}

  Model piecewise_linear() {
    states(1 + pick(4));
    const std::size_t features = 2 + pick(4);
    for (std::size_t k = 0; k < features; ++k) feature(pick(14));
    if (pick(2)) observe();
    return std::move(m_);
  }

  Model logic() {
    states(pick(3));
    for (std::size_t i = 0; i < m_.start.size(); ++i)  // something that goes to and fro
      if (pick(2)) m_.input[i] = make(Op::select, {pulse(round(0.6, 1.5), round(0.2, 0.5)), number(round(1, 3)), number(-round(1, 3))});
    for (std::size_t k = 0; k < 3; ++k) booleans_.push_back(source());
    const bool back = pick(3) == 0;
    if (back) own_.push_back(variable(Type::boolean, bit()));  // given by the last equation, so that only pre(…) of it is read before
    const std::size_t parts = 6 + pick(12);
    for (std::size_t k = 0; k < parts; ++k) part();
    if (back) equation(0, formula());
    return std::move(m_);
  }

 private:
  std::size_t pick(std::size_t n) { return g_() % n; }
  bool chance(double p) { return std::uniform_real_distribution<double>(0, 1)(g_) < p; }
  double bit() { return pick(2) ? 1 : 0; }
  double round(double a, double b) { return std::round(std::uniform_real_distribution<double>(a, b)(g_) * 100) / 100; }
  double either(double a, double b) { return (pick(2) ? 1 : -1) * round(a, b); }
  double moment() { return round(0.1, 3.8) + 0.003; }  // not one of the samples'

  void states(std::size_t n) {
    m_.matrix.assign(n, std::vector<Expr>(n));
    for (std::size_t i = 0; i < n; ++i) {
      m_.start.push_back(round(-1.5, 1.5));
      for (std::size_t j = 0; j < n; ++j)
        if (i == j) m_.matrix[i][j] = number(-round(0.2, 1.5));
        else if (chance(0.5)) m_.matrix[i][j] = number(either(0.3, 1.5));
      m_.input.push_back(number(either(0.2, 2)));
    }
    if (n > 1 && pick(2)) {  // an oscillator
      const double w = round(1, 4);
      m_.matrix[0][1] = number(w), m_.matrix[1][0] = number(-w);
    }
  }
  std::size_t any_state() { return pick(m_.start.size()); }

  std::size_t variable(Type type, double start) {
    m_.variables.push_back({type, start});
    return m_.variables.size() - 1;
  }
  void equation(std::size_t v, Expr e) { m_.items.push_back({v, std::move(e), {}}); }
  void when(std::vector<When::Branch> branches) { m_.items.push_back({0, nullptr, {std::move(branches)}}); }

  // Some more input of a state; a coefficient.
  void add_input(Expr e) {
    Expr& b = m_.input[any_state()];
    b = make(Op::add, {b, std::move(e)});
  }
  void add_coefficient(Expr e) {
    Expr& a = m_.matrix[any_state()][any_state()];
    a = a ? make(Op::add, {a, std::move(e)}) : std::move(e);
  }
  void use(Expr condition) {
    Expr e = make(Op::select, {std::move(condition), number(either(0.3, 2)), number(either(0, 1))});
    pick(3) ? add_input(std::move(e)) : add_coefficient(std::move(e));
  }

  Expr by_time() { return make(pick(2) ? Op::more : pick(2) ? Op::more_equal : pick(2) ? Op::less : Op::less_equal, {time_now(), number(moment())}); }
  Expr by_state() {
    Expr x = state(any_state());
    if (pick(3) == 0) x = make(Op::add, {x, make(Op::mul, {number(either(0.3, 1.2)), state(any_state())})});
    return make(pick(2) ? Op::more : Op::less, {std::move(x), number(round(-1, 1) + 0.004)});
  }
  Expr sampled() { return sample(round(0, 0.5), round(0.11, 0.9)); }
  Expr condition() { return pick(3) == 0 ? by_time() : pick(2) ? by_state() : booleans_.empty() ? by_state() : booleans_[pick(booleans_.size())]; }

  // ---- piecewise linear

  void feature(std::size_t which) {
    switch (which) {
      case 0: {  // two moments
        const double t = moment();
        Expr e = make(Op::select, {make(Op::less, {time_now(), number(t)}), number(either(0, 2)),
                                   make(Op::select, {make(Op::less_equal, {time_now(), number(t + 0.41)}), number(either(0, 2)), number(either(0, 2))})});
        pick(2) ? add_input(e) : add_coefficient(e);
        break;
      }
      case 1: {
        const double period = round(0.3, 1.4);
        use(pulse(period, std::round(period * round(0.2, 0.8) * 1000) / 1000 + 0.0007));
        break;
      }
      case 2: {  // to and fro by samples
        const std::size_t v = variable(Type::boolean, bit());
        when({{{sampled()}, {{v, make(Op::negation, {pre(v)})}}, {}}});
        use(value(v));
        booleans_.push_back(value(v));
        break;
      }
      case 3: case 4: {  // a bounce at a border, counted
        const std::size_t k = variable(Type::integer, 0), x = any_state();
        const double border = round(-1, 1) + 0.007;
        const bool upper = pick(2);
        Expr c = make(upper ? Op::more : Op::less, {state(x), number(border)});
        const double gap = round(0.2, 1);
        Expr to = pick(2) ? number(border + (upper ? -gap : gap)) : make(Op::sub, {number(2 * border + (upper ? -gap : gap)), pre_state(x)});
        when({{{c}, {{k, make(Op::add, {pre(k), number(1)})}}, {{x, to}}}});
        counters_.push_back(k);
        break;
      }
      case 5: {  // hysteresis
        const std::size_t v = variable(Type::boolean, bit()), x = any_state();
        const double low = round(-1, 0.6);
        equation(v, make(Op::select, {make(Op::more, {state(x), number(low + round(0.1, 0.5) + 0.003)}), truth(false),
                                      make(Op::select, {make(Op::less, {state(x), number(low)}), truth(true), pre(v)})}));
        use(value(v));
        booleans_.push_back(value(v));
        break;
      }
      case 6: use(by_state()); break;
      case 7: {  // sampled and held, once more
        const std::size_t d = variable(Type::real, round(-1, 1)), late = variable(Type::real, 0), x = any_state();
        when({{{sampled()}, {{d, pre_state(x)}, {late, pre(d)}}, {}}});
        add_input(make(Op::mul, {number(either(0.2, 1)), value(d)}));
        add_input(make(Op::mul, {number(either(0.2, 1)), value(late)}));
        break;
      }
      case 8: {  // of branches that become true together the first acts
        const std::size_t n = variable(Type::integer, 0);
        const double t = moment();
        const auto give = [&](double x) { return make(Op::add, {pre(n), number(x)}); };
        when({{{make(Op::more_equal, {time_now(), number(t)})}, {{n, give(1)}}, {}},
              {{make(Op::more, {time_now(), number(t)}), pick(2) ? by_state() : by_time()}, {{n, give(10)}}, {}},
              {{sample(t, round(0.3, 1))}, {{n, give(100)}}, {}}});
        add_input(make(Op::mul, {number(either(0.003, 0.01)), value(n)}));
        counters_.push_back(n);
        break;
      }
      case 9: {  // an event that follows from another's count
        if (counters_.empty()) return feature(3);
        const std::size_t k = counters_[pick(counters_.size())], n = variable(Type::integer, 0), x = any_state();
        When::Branch b{{make(Op::more_equal, {value(k), number(static_cast<double>(1 + pick(3)))})}, {{n, make(Op::add, {pre(n), number(5)})}}, {}};
        if (pick(2)) b.reinits.emplace_back(x, make(Op::mul, {number(either(0.3, 0.9)), pre_state(x)}));
        when({b});
        use(make(Op::more, {value(n), number(2)}));
        break;
      }
      case 10: {  // any of several
        const std::size_t n = variable(Type::integer, 0);
        when({{{condition(), condition(), by_time()}, {{n, make(Op::add, {pre(n), number(1)})}}, {}}});
        counters_.push_back(n);
        break;
      }
      case 11: {  // so long after an event
        const std::size_t last = variable(Type::real, 9);
        when({{{by_state()}, {{last, time_now()}}, {}}});
        use(make(Op::more, {time_now(), make(Op::add, {value(last), number(round(0.1, 0.6))})}));
        break;
      }
      case 12: {
        if (booleans_.empty()) return feature(5);
        const std::size_t n = variable(Type::integer, 2);
        const Expr b = booleans_[pick(booleans_.size())];
        equation(n, make(Op::add, {pre(n), make(Op::select, {make(Op::edge, {b}), number(1), number(0)})}));
        counters_.push_back(n);
        break;
      }
      default: {
        const std::size_t n = variable(Type::integer, 0);
        equation(n, stairs(round(0.2, 1)));
        add_input(make(Op::mul, {number(either(0.1, 0.5)), value(n)}));
        counters_.push_back(n);
      }
    }
  }

  // What an event was: its time and the states before it.
  void observe() {
    const std::size_t t = variable(Type::real, -1), x = variable(Type::real, 0);
    when({{{condition(), by_state()}, {{t, time_now()}, {x, pre_state(any_state())}}, {}}});
  }

  // ---- logic

  Expr source() {
    if (!m_.start.empty() && pick(2)) return by_state();
    if (pick(3) == 0) return by_time();
    const double period = round(0.3, 1.4);
    return pulse(period, std::round(period * round(0.2, 0.8) * 1000) / 1000 + 0.0007);
  }
  Expr boolean() {
    const std::size_t k = pick(10);
    if (k == 0) return source();
    if (k == 1 && !counters_.empty())
      return make(pick(2) ? Op::more_equal : Op::less, {value(counters_[pick(counters_.size())]), number(static_cast<double>(1 + pick(4)))});
    if (k == 2 && !own_.empty()) return pre(own_[pick(own_.size())]);
    if (k == 3) return make(Op::edge, {booleans_[pick(booleans_.size())]});
    if (k == 4 && booleans_.size() > 3) {  // change(v)
      const std::size_t v = booleans_[3 + pick(booleans_.size() - 3)]->index;
      return make(Op::negation, {make(Op::equal, {make(Op::select, {value(v), number(1), number(0)}), make(Op::select, {pre(v), number(1), number(0)})})});
    }
    if (k == 5 && pick(3) == 0) return sampled();
    return booleans_[pick(booleans_.size())];
  }
  Expr formula() {
    Expr e = boolean();
    for (std::size_t k = 1 + pick(3); k-- > 0;) {
      switch (pick(4)) {
        case 0: e = make(Op::both, {e, boolean()}); break;
        case 1: e = make(Op::either, {e, boolean()}); break;
        case 2: e = make(Op::negation, {e}); break;
        default: e = make(Op::select, {boolean(), e, boolean()});
      }
    }
    return e;
  }
  void part() {
    switch (pick(8)) {
      case 0: {  // a counter by an equation
        const std::size_t n = variable(Type::integer, 0);
        equation(n, make(Op::add, {pre(n), make(Op::select, {make(Op::edge, {formula()}), number(1), number(0)})}));
        counters_.push_back(n);
        break;
      }
      case 1: case 2: {  // counters by a when
        const std::size_t n = variable(Type::integer, 0);
        std::vector<When::Branch> branches{{{formula()}, {{n, make(Op::add, {pre(n), number(1)})}}, {}}};
        if (pick(2)) branches.push_back({{formula(), sampled()}, {{n, make(Op::sub, {pre(n), number(2)})}}, {}});
        if (pick(3) == 0) branches.push_back({{formula()}, {{n, number(0)}}, {}});
        when(std::move(branches));
        counters_.push_back(n);
        break;
      }
      case 3: {  // a flip-flop
        const std::size_t v = variable(Type::boolean, bit());
        equation(v, make(Op::either, {boolean(), make(Op::both, {pre(v), make(Op::negation, {boolean()})})}));
        keep(v);
        break;
      }
      case 4: {
        const std::size_t v = variable(Type::boolean, bit());
        when({{{formula()}, {{v, pick(2) ? make(Op::negation, {pre(v)}) : formula()}}, {}}});
        keep(v);
        break;
      }
      default: {
        const std::size_t v = variable(Type::boolean, bit());
        equation(v, formula());
        keep(v);
      }
    }
  }
  void keep(std::size_t v) {
    own_.push_back(v);
    booleans_.push_back(value(v));
  }

  std::mt19937_64 g_;
  Model m_;
  std::vector<Expr> booleans_;
  std::vector<std::size_t> counters_, own_;  // Integer and Boolean variables
};

}  // namespace

Model random_piecewise_linear(std::uint64_t seed) { return ModelMaker(seed).piecewise_linear(); }
Model random_logic(std::uint64_t seed) { return ModelMaker(seed).logic(); }

}  // namespace kron::hybrid
