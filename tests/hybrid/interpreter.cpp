#include "tests/hybrid/interpreter.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

namespace kron::hybrid {

namespace {

constexpr double one_moment = 1e-12;  // what is nearer is at once; models have moments of few digits
constexpr double apart = 1e-5;        // events that are nearer, but not at once, are on a knife's edge

Expr put(Node n) { return std::make_shared<const Node>(std::move(n)); }

bool relates(const Node& n) { return n.op == Op::less || n.op == Op::less_equal || n.op == Op::more || n.op == Op::more_equal; }

std::string bracketed(double x) {
  std::ostringstream out;
  out.precision(17);
  std::ostringstream brief;
  brief << x;
  if (std::stod(brief.str()) == x) out << brief.str();
  else out << x;
  return x < 0 ? "(" + out.str() + ")" : out.str();
}

}  // namespace

Expr number(double x) { return put({Op::number, x, 0, 0, {}}); }
Expr truth(bool x) { return put({Op::truth, x ? 1.0 : 0.0, 0, 0, {}}); }
Expr time_now() { return put({Op::time, 0, 0, 0, {}}); }
Expr state(std::size_t i) { return put({Op::state, 0, 0, i, {}}); }
Expr pre_state(std::size_t i) { return put({Op::pre_state, 0, 0, i, {}}); }
Expr value(std::size_t v) { return put({Op::value, 0, 0, v, {}}); }
Expr pre(std::size_t v) { return put({Op::pre, 0, 0, v, {}}); }
Expr make(Op op, std::vector<Expr> args) { return put({op, 0, 0, 0, std::move(args)}); }
Expr sample(double first, double interval) { return put({Op::sample, first, interval, 0, {}}); }
Expr pulse(double period, double width) { return put({Op::pulse, period, width, 0, {}}); }
Expr stairs(double period) { return put({Op::stairs, period, 0, 0, {}}); }

std::string text(const Expr& e) {
  const auto infix = [&](const char* op) { return "(" + text(e->args[0]) + " " + op + " " + text(e->args[1]) + ")"; };
  const auto named = [&](const char* letter) { return letter + std::to_string(e->index + 1); };
  switch (e->op) {
    case Op::number: return bracketed(e->number);
    case Op::truth: return e->number != 0 ? "true" : "false";
    case Op::time: return "time";
    case Op::state: return named("x");
    case Op::pre_state: return "pre(" + named("x") + ")";
    case Op::value: return named("v");
    case Op::pre: return "pre(" + named("v") + ")";
    case Op::add: return infix("+");
    case Op::sub: return infix("-");
    case Op::mul: return infix("*");
    case Op::less: return infix("<");
    case Op::less_equal: return infix("<=");
    case Op::more: return infix(">");
    case Op::more_equal: return infix(">=");
    case Op::equal: return infix("==");
    case Op::both: return infix("and");
    case Op::either: return infix("or");
    case Op::negation: return "(not " + text(e->args[0]) + ")";
    case Op::select: return "(if " + text(e->args[0]) + " then " + text(e->args[1]) + " else " + text(e->args[2]) + ")";
    case Op::edge: return "edge(" + text(e->args[0]) + ")";
    case Op::sample: return "sample(" + bracketed(e->number) + ", " + bracketed(e->width) + ")";
    case Op::pulse: return "(mod(time, " + bracketed(e->number) + ") < " + bracketed(e->width) + ")";
    case Op::stairs: return "floor(time / " + bracketed(e->number) + ")";
  }
  return {};
}

std::string text(const Model& m) {
  std::ostringstream out;
  const auto name = [](const char* letter, std::size_t k) { return letter + std::to_string(k + 1); };
  for (std::size_t i = 0; i < m.start.size(); ++i) out << "variable " << name("x", i) << "(start = " << bracketed(m.start[i]) << ", fixed)\n";
  for (std::size_t k = 0; k < m.variables.size(); ++k) {
    const Variable& v = m.variables[k];
    out << "discrete " << name("v", k) << "(start = " << (v.type == Type::boolean ? v.start != 0 ? "true" : "false" : bracketed(v.start)) << ")"
        << (v.type == Type::boolean ? " : Boolean" : v.type == Type::integer ? " : Integer" : "") << "\n";
  }
  for (std::size_t i = 0; i < m.start.size(); ++i) {
    out << "der(" << name("x", i) << ") = ";
    for (std::size_t j = 0; j < m.start.size(); ++j)
      if (m.matrix[i][j]) out << text(m.matrix[i][j]) << " * " << name("x", j) << " + ";
    out << text(m.input[i]) << "\n";
  }
  for (const Item& item : m.items) {
    if (item.value) {
      out << name("v", item.variable) << " = " << text(item.value) << "\n";
      continue;
    }
    bool first = true;
    for (const When::Branch& b : item.when.branches) {
      out << (first ? "when " : "elsewhen ");
      first = false;
      for (std::size_t c = 0; c < b.conditions.size(); ++c) out << (c == 0 ? b.conditions.size() > 1 ? "{" : "" : ", ") << text(b.conditions[c]);
      out << (b.conditions.size() > 1 ? "}\n" : "\n");
      for (const auto& [v, e] : b.gives) out << "  " << name("v", v) << " = " << text(e) << "\n";
      for (const auto& [x, e] : b.reinits) out << "  reinit " << name("x", x) << " = " << text(e) << "\n";
    }
    out << "end\n";
  }
  return out.str();
}

std::vector<double> Path::at(double t) const {
  const Piece* piece = &pieces.front();
  for (const Piece& p : pieces)
    if (p.from <= t) piece = &p;
  std::vector<double> x = piece->state;
  x.push_back(1);
  x = exponential(piece->flow, t - piece->from) * x;
  x.pop_back();
  return x;
}

const std::vector<double>& Path::values(double t) const {
  const Piece* piece = &pieces.front();
  for (const Piece& p : pieces)
    if (p.from <= t) piece = &p;
  return piece->values;
}

namespace {

class Interpreter {
 public:
  Interpreter(const Model& m, double stop, const std::vector<double>& drift) : m_(m), stop_(stop), drift_(drift) {
    path_.end = stop;
    for (const auto& row : m.matrix)
      for (const Expr& e : row) collect(e.get());
    for (const Expr& e : m.input) collect(e.get());
    for (const Item& item : m.items) {
      collect(item.value.get());
      for (const When::Branch& b : item.when.branches) {
        for (const Expr& c : b.conditions) collect(c.get()), held_[c.get()] = false;
        for (const auto& [v, e] : b.gives) collect(e.get());
        for (const auto& [x, e] : b.reinits) collect(e.get());
      }
    }
  }

  Path run(std::vector<double> x) {
    x_ = left_ = std::move(x);
    for (const Variable& v : m_.variables) values_.push_back(v.start);
    pre_ = values_;
    quiet_ = true;
    for (auto& [e, holds] : held_) holds = true;
    items();  // no condition has become true at the start
    quiet_ = false;
    for (auto& [e, holds] : held_) holds = condition(e);
    event();
    for (std::size_t count = 0; !path_.edge && !path_.restless && t_ < stop_; ++count) {
      if (count > 400) path_.edge = true;
      advance();
    }
    return std::move(path_);
  }

 private:
  // ---- expressions

  void collect(const Node* e) {
    if (!e || !seen_.insert(e).second) return;
    for (const Expr& a : e->args) collect(a.get());
    if (e->op == Op::edge) held_[e] = false;
    if (e->op == Op::sample || e->op == Op::pulse || e->op == Op::stairs) moments_.push_back(e);
    if (!relates(*e)) return;
    if (reads(e, Op::state)) by_state_.push_back(e);
    else if (reads(e, Op::time)) moments_.push_back(e);
  }
  static bool reads(const Node* e, Op op) {
    if (e->op == op) return true;
    for (const Expr& a : e->args)
      if (reads(a.get(), op)) return true;
    return false;
  }

  double eval(const Node* e, double t, const std::vector<double>& x) const {
    const auto arg = [&](std::size_t k) { return eval(e->args[k].get(), t, x); };
    switch (e->op) {
      case Op::number: case Op::truth: return e->number;
      case Op::time: return t;
      case Op::state: return x[e->index];
      case Op::pre_state: return left_[e->index];
      case Op::value: return values_[e->index];
      case Op::pre: return pre_[e->index];
      case Op::add: return arg(0) + arg(1);
      case Op::sub: return arg(0) - arg(1);
      case Op::mul: return arg(0) * arg(1);
      case Op::less: case Op::less_equal: case Op::more: case Op::more_equal: return relation(e, t, x) ? 1 : 0;
      case Op::equal: return arg(0) == arg(1) ? 1 : 0;
      case Op::both: return arg(0) != 0 && arg(1) != 0 ? 1 : 0;
      case Op::either: return arg(0) != 0 || arg(1) != 0 ? 1 : 0;
      case Op::negation: return arg(0) != 0 ? 0 : 1;
      case Op::select: return arg(0) != 0 ? arg(1) : arg(2);
      case Op::edge: {
        const Node& of = *e->args[0];  // a variable's edge is b and not pre(b)
        return arg(0) != 0 && !(of.op == Op::value ? pre_[of.index] != 0 : held_.at(e)) ? 1 : 0;
      }
      case Op::sample: return sampled_.contains(e) ? 1 : 0;
      case Op::pulse: return t - e->number * std::floor((t + one_moment) / e->number) < e->width - one_moment ? 1 : 0;
      case Op::stairs: return std::floor((t + one_moment) / e->number);
    }
    return 0;
  }

  double difference(const Node* e, double t, const std::vector<double>& x) const { return eval(e->args[0].get(), t, x) - eval(e->args[1].get(), t, x); }

  // What time decides is as it will be right behind t.
  bool relation(const Node* e, double t, const std::vector<double>& x) const {
    const bool less = e->op == Op::less || e->op == Op::less_equal, strict = e->op == Op::less || e->op == Op::more;
    double d = difference(e, t, x);
    if (!reads(e, Op::state) && reads(e, Op::time)) {
      const double slope = difference(e, t + 1, x) - d;
      if (std::fabs(d) <= one_moment * std::fabs(slope)) d = slope;
    }
    if (less) d = -d;
    return strict ? d > 0 : d >= 0;
  }

  // When e changes next, behind t_.
  double moment(const Node* e) const {
    const auto next = [&](double first, double interval) {
      const double k = std::max(0.0, std::floor((t_ + one_moment - first) / interval) + 1);
      return first + k * interval;
    };
    if (e->op == Op::sample) return next(e->number, e->width);
    if (e->op == Op::stairs) return next(e->number, e->number);
    if (e->op == Op::pulse) return std::min(next(e->number, e->number), next(e->width, e->number));
    const double d = difference(e, t_, x_), slope = difference(e, t_ + 1, x_) - d;
    const double at = slope == 0 ? std::numeric_limits<double>::infinity() : t_ - d / slope;
    return at > t_ + one_moment ? at : std::numeric_limits<double>::infinity();
  }

  bool condition(const Node* e) const { return e->op == Op::edge ? eval(e->args[0].get(), t_, x_) != 0 : eval(e, t_, x_) != 0; }

  // ---- events

  // All items once, with `pre` as it is; what is to be set anew.
  std::vector<std::pair<std::size_t, double>> items() {
    std::vector<std::pair<std::size_t, double>> anew;
    for (const Item& item : m_.items) {
      if (item.value) {
        values_[item.variable] = eval(item.value.get(), t_, x_);
        continue;
      }
      for (const When::Branch& b : item.when.branches)
        for (const auto& [v, e] : b.gives) values_[v] = pre_[v];
      for (const When::Branch& b : item.when.branches) {
        bool fires = false;
        for (const Expr& c : b.conditions) fires = fires || (!quiet_ && eval(c.get(), t_, x_) != 0 && !held_.at(c.get()));
        if (!fires) continue;
        for (const auto& [v, e] : b.gives) values_[v] = eval(e.get(), t_, x_);
        for (const auto& [x, e] : b.reinits) anew.emplace_back(x, eval(e.get(), t_, x_));
        break;
      }
    }
    return anew;
  }

  void event() {
    for (const Node* e : moments_)
      if (e->op == Op::sample && t_ >= e->number - one_moment) {
        const double since = t_ - e->number, k = std::round(since / e->width);
        if (std::fabs(since - k * e->width) <= one_moment) sampled_.insert(e);
      }
    for (int round = 0;; ++round) {
      if (round > 200) {
        path_.restless = true;
        return;
      }
      bool any = false;
      const auto anew = items();
      for (auto& [e, holds] : held_) {
        const bool now = condition(e);
        any = any || now != holds;
        next_[e] = now;
      }
      held_ = next_;
      for (const auto& [x, to] : anew) any = any || x_[x] != to, x_[x] = to;
      left_ = x_;
      any = any || pre_ != values_;
      pre_ = values_;
      if (any) continue;
      if (sampled_.empty()) break;
      sampled_.clear();
    }
    if (!path_.pieces.empty() && t_ - path_.pieces.back().from < apart) path_.edge = true;
    const std::size_t n = x_.size();
    Matrix flow(n + 1, n + 1);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        if (m_.matrix[i][j]) flow(i, j) = eval(m_.matrix[i][j].get(), t_, x_);
      flow(i, n) = eval(m_.input[i].get(), t_, x_) + (drift_.empty() ? 0 : drift_[i]);
    }
    holds_.clear();
    for (const Node* e : by_state_) {
      holds_.push_back(relation(e, t_, x_));
      if (std::fabs(difference(e, t_, x_)) < 1e-7 && !crossed_.contains(e)) path_.edge = true;
    }
    crossed_.clear();
    path_.pieces.push_back({t_, x_, values_, std::move(flow)});
  }

  // ---- between events

  void advance() {
    double to = stop_;
    for (const Node* e : moments_) to = std::min(to, moment(e));
    const Matrix& flow = path_.pieces.back().flow;
    const double from = t_;
    std::vector<double> z = x_;
    z.push_back(1);
    const std::vector<double> start = z;
    if (!by_state_.empty()) {
      const auto steps = static_cast<std::size_t>(std::max(4.0, std::ceil((to - from) / stop_ * 1500)));
      const double h = (to - from) / static_cast<double>(steps);
      const Matrix step = exponential(flow, h);
      std::vector<std::vector<double>> past(by_state_.size());
      for (std::size_t k = 0; k < by_state_.size(); ++k) past[k] = {difference(by_state_[k], from, x_)};
      for (std::size_t s = 1; s <= steps; ++s) {
        const std::vector<double> before = z;
        z = step * z;
        const double now = s == steps ? to : from + static_cast<double>(s) * h;
        bool any = false;
        for (std::size_t k = 0; k < by_state_.size(); ++k) any = any || relation(by_state_[k], now, z) != holds_[k];
        if (any) {
          locate(flow, from + static_cast<double>(s - 1) * h, now, before);
          if (to - t_ < apart && to < stop_) path_.edge = true;
          if (stop_ - t_ < 100 * apart) path_.edge = true;
          return;
        }
        for (std::size_t k = 0; k < by_state_.size(); ++k) touch(past[k], difference(by_state_[k], now, z));
      }
    }
    z = exponential(flow, to - from) * start;
    z.pop_back();
    x_ = left_ = z;
    t_ = to;
    if (t_ < stop_) event();
  }

  // Three values of a difference in a row whose parabola comes near zero without crossing.
  void touch(std::vector<double>& past, double now) {
    past.push_back(now);
    if (past.size() < 3) return;
    const double a = past[0], b = past[1], c = past[2];
    past.erase(past.begin());
    if (std::fabs(b) > std::fabs(a) || std::fabs(b) > std::fabs(c)) return;
    const double bend = a - 2 * b + c, slope = 0.5 * (c - a), top = bend == 0 ? b : b - 0.5 * slope * slope / bend;
    if (std::fabs(top) < 1e-4 || top * b < 0) path_.edge = true;
  }

  void locate(const Matrix& flow, double a, double b, const std::vector<double>& at_a) {
    const auto at = [&](double t) {
      std::vector<double> z = exponential(flow, t - a) * at_a;
      z.pop_back();
      return z;
    };
    double low = a, high = b;
    const auto changed = [&](double t) {
      const std::vector<double> x = at(t);
      for (std::size_t k = 0; k < by_state_.size(); ++k)
        if (relation(by_state_[k], t, x) != holds_[k]) return true;
      return false;
    };
    while (high - low > 4e-16 * std::max(1.0, high)) {
      const double middle = low + 0.5 * (high - low);
      if (!(middle > low && middle < high)) break;
      (changed(middle) ? high : low) = middle;
    }
    t_ = high;
    x_ = left_ = at(high);
    for (std::size_t k = 0; k < by_state_.size(); ++k)
      if (relation(by_state_[k], t_, x_) != holds_[k]) crossed_.insert(by_state_[k]);
    event();
  }

  const Model& m_;
  double stop_, t_ = 0;
  const std::vector<double>& drift_;
  std::vector<double> x_, left_, values_, pre_;
  bool quiet_ = false;
  std::unordered_set<const Node*> seen_, sampled_, crossed_;
  std::vector<const Node*> by_state_, moments_;
  std::vector<bool> holds_;                               // of by_state_
  std::unordered_map<const Node*, bool> held_, next_;     // conditions and edges: before
  Path path_;
};

}  // namespace

Path run(const Model& m, double stop, const std::vector<double>& shift, const std::vector<double>& drift) {
  std::vector<double> x = m.start;
  for (std::size_t i = 0; i < shift.size(); ++i) x[i] += shift[i];
  return Interpreter(m, stop, drift).run(std::move(x));
}

}  // namespace kron::hybrid
