#include "engine/session/combine.hpp"

#include <algorithm>

#include "engine/model/algebra.hpp"
#include "engine/session/discrete.hpp"

namespace kron::session {

using code::Ref;
using model::NodeId;
using model::Operand;
using model::OperandKind;

namespace {

std::string print(const System& s, const model::Bound& b) {
  return model::print(b, [&](Operand o) -> std::string {
    return o.kind() == OperandKind::value ? name(s, o.index()) : model::text(*s.flat, o);
  });
}

// Whether expressions over operands are zero whatever the values.
class ZeroTest {
 public:
  ZeroTest(const System& s, const Bindings& bindings, solve::Templates& templates)
      : s_(s), templates_(templates), parameters_(s, bindings, inputs_, tape_, templates, ignored_) {}

  bool zero(const model::Exprs& e, NodeId n) {
    const model::Bound b = model::forms().intern(e, n);
    std::vector<Ref> values;
    for (Operand o : b.operands) values.push_back(value(o));
    return templates_.emit(tape_, model::forms().root(b.form), values) == code::zero;
  }

 private:
  Ref value(Operand o) {
    if (o.kind() == OperandKind::constant) return parameters_.constant(model::ConstId{o.index()});
    if (o.kind() == OperandKind::start) return parameters_.start(o.index());
    if (o.kind() == OperandKind::time) return parameters_.time();
    const bool parameter = o.kind() == OperandKind::value && o.index() < s_.flat->slots && s_.flat->variability[o.index()] <= model::Variability::parameter;
    if (parameter) return parameters_.parameter(o.index());
    if (!o.has_slot()) return tape_.input(code::InputKind::discrete, discrete_input(*s_.flat, o), discrete_key(s_, o));  // of an event
    const std::uint64_t key = combine(static_cast<std::uint64_t>(o.kind()), session::key(s_, o.index()));
    return tape_.input(code::InputKind::state, o.index(), key);  // any value
  }

  const System& s_;
  solve::Templates& templates_;
  InputNumbers inputs_;
  code::Builder tape_;
  Diagnostics ignored_;
  ParameterRefs parameters_;
};

class Elimination {
 public:
  Elimination(const System& s, ZeroTest& test) : s_(s), test_(test) {}

  // False: the row is not linear in the unknowns.
  bool add(const SystemRow& row, const std::vector<std::uint32_t>& unknowns) {
    const std::span<const Operand> bound = s_.bound(row);
    const model::FormId form = model::forms().unmarked(row.form);
    Row r;
    const auto place_of = [&](std::uint32_t k) {
      if (bound[k].kind() != OperandKind::value) return unknowns.end();
      return std::find(unknowns.begin(), unknowns.end(), bound[k].index());
    };
    bool linear = true;
    const auto leaf = [&](bool rest) {
      return [&, rest](NodeId n) {
        const auto& node = model::forms().exprs()[n];
        if (node.op == model::ExprOp::literal) return e_.literal(model::forms().exprs().literal_value(n));
        const std::uint32_t k = model::forms().exprs().placeholder_of(n);
        if (place_of(k) == unknowns.end()) return operand(bound[k]);
        linear = linear && rest;
        return e_.literal(0);
      };
    };
    r.coefficient.assign(unknowns.size(), e_.literal(0));
    for (std::uint32_t k = 0; k < bound.size(); ++k) {
      const auto place = place_of(k);
      if (place == unknowns.end()) continue;
      const model::Linear& of_unknown = model::forms().linear(form, k);
      if (!of_unknown.linear) return false;
      r.coefficient[static_cast<std::size_t>(place - unknowns.begin())] =
          model::substitute(e_, model::forms().exprs(), of_unknown.coefficient, leaf(false));
    }
    if (!linear) return false;
    r.rest = model::substitute(e_, model::forms().exprs(), model::forms().root(form), leaf(true));
    rows_.push_back(std::move(r));
    return true;
  }

  // Number of a row whose coefficients have become zero, and what is left of it.
  std::optional<std::pair<std::size_t, NodeId>> run() {
    done_.assign(rows_.size(), false);
    for (std::size_t c = 0; c < rows_.front().coefficient.size(); ++c) {
      const auto pivot = pivot_in(c);
      if (!pivot) continue;
      done_[*pivot] = true;
      for (std::size_t r = 0; r < rows_.size(); ++r)
        if (!done_[r] && !test_.zero(e_, rows_[r].coefficient[c])) eliminate(rows_[r], rows_[*pivot], c);
    }
    for (std::size_t r = rows_.size(); r-- > 0;)
      if (!done_[r]) return std::pair{r, model::simplify(e_, rows_[r].rest)};
    return std::nullopt;
  }

  const model::Exprs& pool() const { return e_; }

 private:
  struct Row {
    std::vector<NodeId> coefficient;
    NodeId rest;
  };

  NodeId operand(Operand o) {  // numbers as such, for common factors to be seen
    if (o.kind() != OperandKind::constant) return e_.operand(o);
    const model::ConstantValue& c = model::constant(model::ConstId{o.index()});
    return c.is_pi ? e_.operand(o) : e_.literal(c.value);
  }

  bool constant_in_time(NodeId n) const {
    const auto nodes = model::postorder(e_, n);
    return std::all_of(nodes.begin(), nodes.end(), [&](NodeId x) {
      return e_[x].op != model::ExprOp::operand || is_constant(s_, e_.operand_of(x));
    });
  }

  // One that does not change in time, else the one by which the fewest others have to be divided.
  std::optional<std::size_t> pivot_in(std::size_t c) {
    std::vector<std::size_t> rows;
    for (std::size_t r = 0; r < rows_.size(); ++r)
      if (!done_[r] && !test_.zero(e_, rows_[r].coefficient[c])) rows.push_back(r);
    for (std::size_t r : rows)
      if (constant_in_time(rows_[r].coefficient[c])) return r;
    std::optional<std::size_t> best;
    std::ptrdiff_t least = 0;
    for (std::size_t r : rows) {
      const auto divisions = std::count_if(rows.begin(), rows.end(), [&](std::size_t other) {
        return other != r && !constant_in_time(factor(rows_[other].coefficient[c], rows_[r].coefficient[c]).divisor);
      });
      if (!best || divisions < least) best = r, least = divisions;
    }
    return best;
  }

  struct Factor {
    NodeId of_pivot, divisor;
  };
  Factor factor(NodeId a, NodeId pivot) {
    if (test_.zero(e_, e_.sub(a, pivot))) return {e_.literal(1), e_.literal(1)};
    if (test_.zero(e_, e_.add(a, pivot))) return {e_.literal(-1), e_.literal(1)};
    const auto [n, d] = model::reduced_fraction(e_, a, pivot);
    return {n, d};
  }

  // A divisor that varies stays one: multiplied with, the combination would hold wherever it is zero.
  void eliminate(Row& row, const Row& pivot, std::size_t c) {
    const Factor f = factor(row.coefficient[c], pivot.coefficient[c]);
    if (constant_in_time(f.divisor)) combine(row, f.divisor, pivot, f.of_pivot);
    else combine(row, e_.literal(1), pivot, e_.div(f.of_pivot, f.divisor));
  }
  void combine(Row& row, NodeId by, const Row& pivot, NodeId minus) {
    const auto sum = [&](NodeId x, NodeId y) {
      const NodeId n = e_.sub(e_.mul(by, x), e_.mul(minus, y));
      return test_.zero(e_, n) ? e_.literal(0) : n;
    };
    for (std::size_t k = 0; k < row.coefficient.size(); ++k) row.coefficient[k] = sum(row.coefficient[k], pivot.coefficient[k]);
    row.rest = sum(row.rest, pivot.rest);
  }

  const System& s_;
  ZeroTest& test_;
  model::Exprs e_;
  std::vector<Row> rows_;
  std::vector<bool> done_;
};

}  // namespace

bool Combinations::find(const System& s, const SingularBlock& block, const Bindings& bindings, solve::Templates& templates,
                        Diagnostics& diagnostics) {
  constexpr std::size_t most = 24;  // rows: the expressions of the elimination grow
  if (block.what.rows.empty() || block.what.rows.size() > most) return false;
  ZeroTest test(s, bindings, templates);
  Elimination elimination(s, test);
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t k : block.what.rows) {
    const SystemRow& row = s.rows[block.rows[k]];
    if (row.times > 0 || row.next != none || row.origin == none || !elimination.add(row, block.unknowns)) return false;
    numbers.push_back(block.rows[k]);
  }
  const auto found = elimination.run();
  if (!found || test.zero(elimination.pool(), found->second)) return false;
  Combination c{numbers[found->first], model::forms().intern(elimination.pool(), found->second), {}};
  for (std::uint32_t r : numbers) c.labels.push_back(label(s, s.rows[r]));
  const auto changes = [&](Operand o) { return o.kind() == OperandKind::value && !is_constant(s, o); };
  if (std::none_of(c.residual.operands.begin(), c.residual.operands.end(), changes)) {
    auto& d = diagnostics.error("E0304", place(s, s.rows[c.row]), "`" + c.labels[found->first] + "` contradicts other equations");
    for (std::size_t k = 0; k < numbers.size() && k < 6; ++k)
      if (k != found->first) d.notes.push_back({place(s, s.rows[numbers[k]]), "`" + c.labels[k] + "` is one of them"});
    d.help = "together they ask for `" + print(s, c.residual) + " = 0`, whatever the unknowns are";
    return false;
  }
  list_.push_back(std::move(c));
  return true;
}

void Combinations::apply(System& s) const {
  for (const Combination& c : list_) {
    const SystemRow meta = s.rows[c.row];
    add_row(s, c.residual.form, c.residual.operands, meta);
    s.rows[c.row] = s.rows.back();
    s.rows.pop_back();
  }
}

std::string Combinations::explanation(std::uint32_t r) const {
  for (auto c = list_.rbegin(); c != list_.rend(); ++c) {
    if (c->row != r) continue;
    std::string list;
    for (std::size_t k = 0; k < c->labels.size(); ++k) list += (k == 0 ? "`" : k + 1 == c->labels.size() ? " and `" : ", `") + c->labels[k] + "`";
    return list + " depend on each other in their unknowns: what is left of them constrains other variables";
  }
  return {};
}

}  // namespace kron::session
