// print(): the assignments of a tape as readable text.
//   A node that is used once is written into the expression that uses it; a shared one (or one whose text grows long)
//   gets a line of its own, `c1 := …`, or the name of the root that it is. Lines come in the order of need: the
//   parameter section first, then root by root, a solve step before the first use of one of its unknowns. Walks the
//   nodes with an explicit stack.
#include <algorithm>

#include "engine/code/program.hpp"
#include "engine/code/text.hpp"

namespace kron::code {
namespace {

constexpr std::uint32_t none = 0xffffffff;
constexpr std::size_t longest_inlined = 160;

class Printer {
 public:
  Printer(const Builder& b, std::span<const NamedRoot> roots, const PrintNames& names)
      : b_(b),
        roots_(roots),
        names_(names),
        uses_(b.size(), 0),
        state_(b.size(), State::untouched),
        text_(b.size()),
        root_of_(b.size(), none),
        step_of_(b.size(), none),
        solution_(b.size(), none),
        step_state_(b.steps().size(), State::untouched),
        printed_(roots.size(), false) {}

  std::string run() {
    for (std::uint32_t s = 0; s < b_.steps().size(); ++s) {
      const LinearStep& step = b_.steps()[s].linear;
      for (std::uint32_t c = 0; c < unknowns(s).size(); ++c)
        if (step.guarded()) {
          solution_[unknowns(s)[c]] = static_cast<std::uint32_t>(solutions_.size());
          solutions_.push_back(step.solution[c]);
        } else {
          step_of_[unknowns(s)[c]] = s;
        }
    }
    count_uses();
    name_roots();
    heading("parameter section", [&] {
      for (std::uint32_t n = 0; n < b_.size(); ++n)
        if (uses_[n] > 1 && !is_leaf(n) && b_.nodes()[n].section != Section::dynamic) need(n);
      print_roots([&](const NamedRoot& r) { return b_.section(r.ref) != Section::dynamic; });
    });
    heading("dynamic section", [&] { print_roots([](const NamedRoot&) { return true; }); });
    return std::move(out_);
  }

 private:
  enum class State : std::uint8_t { untouched, started, open, done };

  std::span<const std::uint32_t> unknowns(std::uint32_t s) const { return b_.steps()[s].unknowns(); }
  bool is_leaf(std::uint32_t n) const {
    const Op op = b_.nodes()[n].op;
    return op == Op::constant || op == Op::input || (op == Op::unknown && solution_[n] == none);
  }
  // What a node is printed from; an unknown of a guarded step is printed as its straight-line code.
  std::span<const Ref> arguments(std::uint32_t n) const {
    if (solution_[n] != none) return {&solutions_[solution_[n]], 1};
    return b_.arguments(b_.nodes()[n]);
  }

  void count_uses() {
    std::vector<std::uint32_t> open;
    std::vector<bool> live_step(b_.steps().size(), false);
    const auto use = [&](Ref r) {
      if (uses_[r.node()]++ == 0) open.push_back(r.node());
    };
    for (const NamedRoot& r : roots_) use(r.ref);
    while (!open.empty()) {
      const std::uint32_t n = open.back();
      open.pop_back();
      const auto args = arguments(n);
      for (std::size_t i = 0; i < args.size(); ++i)
        if (i == 0 || args[i] != args[i - 1]) use(args[i]);  // x*x prints as x^2: one use
      const std::uint32_t s = step_of_[n];
      if (s == none || live_step[s]) continue;
      live_step[s] = true;
      b_.steps()[s].each_read(use);
    }
  }

  // A node that is a root by itself is known by that root's name.
  void name_roots() {
    for (std::uint32_t i = 0; i < roots_.size(); ++i) {
      const std::uint32_t n = roots_[i].ref.node();
      if (!roots_[i].ref.negative() && !is_leaf(n) && root_of_[n] == none) root_of_[n] = i;
    }
  }

  template <class F>
  void heading(const char* title, F&& lines) {
    std::string before = std::exchange(out_, {});
    block_.reset();
    lines();
    if (!out_.empty()) out_ = std::string("// ") + title + "\n" + out_;
    out_ = before + out_;
  }
  void line(const std::string& text) { out_ += text + "\n"; }

  template <class F>
  void print_roots(F&& wanted) {
    for (std::uint32_t i = 0; i < roots_.size(); ++i) {
      if (printed_[i] || !wanted(roots_[i])) continue;
      if (block_ != roots_[i].block) line("// block " + std::to_string(roots_[i].block));
      block_ = roots_[i].block;
      const Ref r = roots_[i].ref;
      need(r.node());
      if (printed_[i]) continue;  // its own line came with the node
      printed_[i] = true;
      line(roots_[i].name + " := " + text(r).text);
    }
  }

  // ---- order of need
  // A stack of frames: nodes above their owner, which is a solve step or the request at the bottom. A node that reads
  // an unknown must not be half done while the unknown's step is printed, because the step may need the same node: the
  // path is taken back to its owner, the step comes first, and the owner asks again.

  enum class Kind : std::uint8_t { request, step, node };
  struct Frame {
    Kind kind{};
    std::uint32_t id = 0;
    std::vector<std::uint32_t> reads{};  // nodes still to be visited, last one first
  };
  void need(std::uint32_t node) {
    stack_.push_back({Kind::request, 0, {node}});
    while (!stack_.empty()) {
      if (!stack_.back().reads.empty()) {
        const std::uint32_t next = stack_.back().reads.back();
        stack_.back().reads.pop_back();
        enter(next);
        continue;
      }
      const Frame done = std::move(stack_.back());
      stack_.pop_back();
      if (done.kind == Kind::node) finish(done.id);
      if (done.kind == Kind::step) finish_step(done.id);
      if (done.kind == Kind::step && stack_.back().kind == Kind::request) resume_outer();
    }
  }

  void enter(std::uint32_t n) {
    if (state_[n] != State::untouched) return;
    const std::uint32_t s = step_of_[n];
    if (s != none && (step_state_[s] == State::untouched || step_state_[s] == State::started) && step_comes_first(s, n))
      return;
    state_[n] = State::open;
    Frame frame{Kind::node, n};
    for (Ref r : arguments(n)) frame.reads.push_back(r.node());
    std::reverse(frame.reads.begin(), frame.reads.end());
    stack_.push_back(std::move(frame));
  }

  // True where step s is to be printed before node n, its unknown, is asked for again. A Newton step added after the
  // step that asks is an outer one: the inner step is a part of its iteration, and only its first guess is printed now.
  bool step_comes_first(std::uint32_t s, std::uint32_t n) {
    std::size_t owner = stack_.size() - 1;
    while (stack_[owner].kind == Kind::node) --owner;
    if (stack_[owner].kind == Kind::step && b_.steps()[s].newton && s > stack_[owner].id) {
      if (step_state_[s] == State::untouched) start_newton(s), outer_.push_back(s);
      return false;
    }
    for (std::size_t i = owner + 1; i < stack_.size(); ++i) state_[stack_[i].id] = State::untouched;
    const std::uint32_t again = owner + 1 < stack_.size() ? stack_[owner + 1].id : n;
    stack_.resize(owner + 1);
    stack_[owner].reads.push_back(again);
    push_step(s);
    return true;
  }
  void push_step(std::uint32_t s) {
    if (b_.steps()[s].newton && step_state_[s] == State::untouched) start_newton(s);
    step_state_[s] = State::open;
    Frame frame{Kind::step, s};
    b_.steps()[s].each_read([&](Ref r) { frame.reads.push_back(r.node()); });
    std::reverse(frame.reads.begin(), frame.reads.end());
    stack_.push_back(std::move(frame));
  }
  void resume_outer() {
    while (!outer_.empty()) {
      const std::uint32_t s = outer_.back();
      outer_.pop_back();
      if (step_state_[s] == State::started) return push_step(s);
    }
  }

  void finish(std::uint32_t n) {
    state_[n] = State::done;
    Text t = expression(b_.nodes()[n], n);
    if (is_leaf(n)) {
      text_[n] = std::move(t);
      return;
    }
    std::string name;
    if (root_of_[n] != none) {
      const NamedRoot& root = roots_[root_of_[n]];
      printed_[root_of_[n]] = true;
      if (block_ != root.block && block_) line("// block " + std::to_string(root.block)), block_ = root.block;
      name = root.name;
    } else if (uses_[n] > 1 || t.text.size() > longest_inlined) {
      name = "c" + std::to_string(++shared_);
    }
    if (name.empty()) {
      text_[n] = std::move(t);
      return;
    }
    line(name + " := " + t.text);
    text_[n] = {name, Binding::atom, {}};
  }

  // ---- solve steps

  std::string label(std::uint32_t s) const { return "solve core of " + std::to_string(unknowns(s).size()) + ": "; }
  std::string unknown_name(std::uint32_t node) const {
    return names_.unknown ? names_.unknown(node) : "z" + std::to_string(node);
  }
  std::string tuple(std::uint32_t s) const {
    std::string list;
    for (std::uint32_t u : unknowns(s)) list += (list.empty() ? "" : ", ") + unknown_name(u);
    return unknowns(s).size() == 1 ? list : "(" + list + ")";
  }
  static std::string index(std::uint32_t size, std::uint32_t row, std::optional<std::uint32_t> column = {}) {
    const bool wide = size > 9;
    std::string i = std::to_string(row + 1);
    if (column) i += (wide ? "," : "") + std::to_string(*column + 1);
    return wide ? "[" + i + "]" : i;
  }

  static std::string given(const SolveStep& step) {
    std::size_t slots = 0;
    for (const Pins& p : step.pins()) slots += p.value.size();
    return " where " + std::to_string(slots) + " of them " + (slots == 1 ? "is a state" : "are states");
  }

  // The iteration's first guess comes before the lines of its body, which use the unknowns.
  void start_newton(std::uint32_t s) {
    step_state_[s] = State::started;
    const NewtonStep& step = b_.steps()[s].nonlinear;
    for (std::size_t i = 0; i < step.unknowns.size(); ++i) {
      const Ref r = step.start[i];
      std::string from = "start";
      if (is_leaf(r.node())) {
        Text t = expression(b_.nodes()[r.node()], r.node());
        from = (r.negative() ? negative(std::move(t)) : t).text;
      }
      line(label(s) + unknown_name(step.unknowns[i]) + " := " + from);
    }
  }

  void finish_step(std::uint32_t s) {
    step_state_[s] = State::done;
    const SolveStep& step = b_.steps()[s];
    const auto size = static_cast<std::uint32_t>(unknowns(s).size());
    const std::string matrix = step.newton ? "J" : "A", right = step.newton ? "f" : "b";
    for (const Entry& e : step.matrix())
      line(label(s) + matrix + index(size, e.row, e.column) + " := " + text(e.value).text);
    const auto rights = step.right();
    for (std::uint32_t i = 0; i < rights.size(); ++i)
      line(label(s) + right + index(size, i) + " := " + text(rights[i]).text);
    if (!step.pins().empty())  // the columns that are not given
      line(label(s) + tuple(s) + (step.newton ? " := newton(f, J)" : " := A\\b") + given(step));
    else if (step.newton)
      line(label(s) + tuple(s) + " := newton(f, J)");
    else if (size == 1)
      line(label(s) + tuple(s) + " := b1/A11");
    else
      line(label(s) + tuple(s) + " := A\\b");
  }

  // ---- expressions

  Text text(Ref r) const { return r.negative() ? negative(text_[r.node()]) : text_[r.node()]; }

  Text leaf(const Node& n, std::uint32_t index) const {
    if (n.op == Op::unknown) return {unknown_name(index), Binding::atom, {}};
    if (n.op == Op::input) {
      const Input& i = b_.inputs()[n.payload];
      return {names_.input ? names_.input(i) : "u" + std::to_string(index), Binding::atom, {}};
    }
    const Constant& c = b_.constants()[n.payload];
    if (c.is_pi) return {"pi", Binding::atom, {}};
    std::string s = to_text(c.value);
    const bool fraction = s.find('/') != std::string::npos;
    return {std::move(s), fraction ? Binding::product : Binding::atom, {}};
  }

  Text expression(const Node& n, std::uint32_t index) const {
    switch (n.op) {
      case Op::unknown:
        if (solution_[index] != none) return text(solutions_[solution_[index]]);
        return leaf(n, index);
      case Op::constant:
      case Op::input:
        return leaf(n, index);
      case Op::add:
        return sum(text(n.a), text_[n.b.node()], n.b.negative());
      case Op::mul:
        return product(text(n.a), text(n.b));
      case Op::div:
        return quotient(text(n.a), text(n.b));
      case Op::inv:
        return reciprocal(text(n.a));
      case Op::pow_int: {
        const auto e = static_cast<std::int32_t>(n.payload);
        return power(text(n.a), {std::to_string(e), e < 0 ? Binding::sign : Binding::atom, {}});
      }
      case Op::pow:
        return power(text(n.a), text(n.b));
      case Op::call:
        break;
    }
    std::vector<Text> v;
    for (Ref r : b_.arguments(n)) v.push_back(text(r));
    return call(n.fn, v);
  }

  const Builder& b_;
  std::span<const NamedRoot> roots_;
  const PrintNames& names_;
  std::vector<std::uint32_t> uses_;
  std::vector<State> state_;
  std::vector<Text> text_;
  std::vector<std::uint32_t> root_of_, step_of_, solution_;
  std::vector<Ref> solutions_;
  std::vector<State> step_state_;
  std::vector<bool> printed_;
  std::vector<Frame> stack_;
  std::vector<std::uint32_t> outer_;  // started Newton steps whose body is still to be printed
  std::optional<std::uint32_t> block_;
  std::size_t shared_ = 0;
  std::string out_;
};

}  // namespace

std::string print(const Builder& b, std::span<const NamedRoot> roots, const PrintNames& names) {
  return Printer(b, roots, names).run();
}

}  // namespace kron::code
