#include "engine/session/emit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/hash.hpp"

namespace kron::session {

using code::InputKind;
using code::Ref;
using model::BindingKind;
using model::Operand;
using model::OperandKind;
using model::SlotFlag;

VariableTable::VariableTable(const System& s, const Bindings& b, Numbers& numbers) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  info_.assign(s.variables(), VariableInfo{none, 1, false, 1, -infinite, infinite});
  for (std::uint32_t v = 0; v < s.flat->slots; ++v) {
    const bool is_free = s.flat->flags[v] & SlotFlag::free;  // a parameter that initial equations determine
    if (!s.unknown[v] && !is_free) continue;
    const bool is_fixed = s.unknown[v] && (s.flat->flags[v] & SlotFlag::fixed);
    if (is_fixed) fixed_.push_back(v);
    const Representative& r = s.representative[v];
    if (r.sign == 0) continue;
    VariableInfo& i = info_[r.root.value];
    if (b.find(BindingKind::start, v) || is_fixed) {
      const bool own = v == r.root.value;
      if (i.start_slot == none || (is_fixed && !i.fixed) || (own && is_fixed == i.fixed)) {
        i.start_slot = v;
        i.start_sign = r.sign;
        i.fixed = is_fixed;
      }
    }
    if (auto x = numbers.bound(BindingKind::nominal, v); x && std::abs(*x) > 0) i.nominal = std::abs(*x);
    if (auto x = numbers.bound(BindingKind::minimum, v)) (r.sign > 0 ? i.minimum : i.maximum) = r.sign * *x;
    if (auto x = numbers.bound(BindingKind::maximum, v)) (r.sign > 0 ? i.maximum : i.minimum) = r.sign * *x;
  }
}

Emitter::Emitter(const System& s, const VariableTable& t, ParameterRefs& p, code::Builder& tape, solve::Templates& templates,
                 Diagnostics& d)
    : s_(s), table_(t), parameters_(p), tape_(tape), templates_(templates), d_(d) {}

Emitted Emitter::run(const SortedProblem& p, const std::vector<std::uint32_t>& state_input, const Options& options, bool initial) {
  initial_ = initial;
  out_.variable.assign(s_.variables(), code::zero);
  set_.assign(s_.variables(), false);
  for (std::uint32_t v = 0; v < state_input.size(); ++v)
    if (state_input[v] != none) {
      out_.variable[v] = tape_.input(InputKind::state, state_input[v], key(s_, v));
      set_[v] = true;
    }
  for (std::uint32_t b = 0; b < p.blocks(); ++b) block(p, b, options);
  return std::move(out_);
}

Ref Emitter::known(Operand o) {
  switch (o.kind()) {
    case OperandKind::value: {
      const std::uint32_t v = o.index();
      if (s_.unknown[v]) return out_.variable[v];
      switch (s_.flat->variability[v]) {
        case model::Variability::continuous: return parameters_.signal(v);
        case model::Variability::discrete: return parameters_.discrete(v);
        default: return parameters_.parameter(v);
      }
    }
    case OperandKind::start: return parameters_.start(o.index());
    case OperandKind::pre: return parameters_.discrete(o.index());
    case OperandKind::constant: return parameters_.constant(model::ConstId{o.index()});
    case OperandKind::time: return parameters_.time();
    case OperandKind::initial: return initial_ ? code::one : code::zero;
    case OperandKind::terminal: return code::zero;
  }
  return code::zero;
}

Ref Emitter::start_of(std::uint32_t root) {
  const VariableInfo& i = table_[root];
  if (i.start_slot != none) {
    const Ref r = parameters_.start(i.start_slot);
    return i.start_sign < 0 ? -r : r;
  }
  return code::zero;
}

void Emitter::block(const SortedProblem& p, std::uint32_t b, const Options& options) {
  const std::uint32_t first = p.block_begin[b], last = p.block_begin[b + 1];
  const std::vector<std::uint32_t> rows(p.block_row.begin() + first, p.block_row.begin() + last);
  const std::vector<std::uint32_t> unknowns(p.block_unknown.begin() + first, p.block_unknown.begin() + last);
  solve::BlockProblem problem;
  for (std::uint32_t r : rows) problem.rows.push_back({s_.rows[r].form, s_.bound(s_.rows[r])});
  problem.unknowns = unknowns;
  problem.known = [this](Operand o) { return known(o); };
  problem.key = [this](std::uint32_t v) { return key(s_, v); };
  problem.info = [this](std::uint32_t v) {
    const VariableInfo& i = table_[v];
    return solve::UnknownInfo{start_of(v), i.nominal, i.minimum, i.maximum};
  };
  problem.number = b;
  problem.method = options.solve;
  const solve::BlockSolution s = solve::solve(problem, tape_, templates_);
  Block out;
  out.kind = static_cast<BlockKind>(s.kind);
  out.method = static_cast<SolveMethod>(s.method);
  out.ordering = s.ordering;
  out.core = s.core;
  out.pivots = s.pivots;
  out.initial = initial_;
  std::uint64_t content = hash_text(options.solve);
  for (std::uint32_t r : rows) {
    out.equations.push_back(EqId{s_.rows[r].origin});
    out.equation_labels.push_back(label(s_, s_.rows[r]));
    content = combine(content, row_key(s_, s_.rows[r]));
  }
  for (std::uint32_t v : unknowns) {
    out.unknowns.push_back(VarId{v});
    content = combine(content, key(s_, v));
  }
  for (std::uint32_t k : s.torn) out.torn.push_back(VarId{unknowns[k]});
  for (std::uint32_t k : s.residues) out.residues.push_back(k);
  out.key = content;
  if (s.singular) singular(*s.singular, rows, unknowns);
  else
    for (std::size_t k = 0; k < unknowns.size(); ++k) out_.variable[unknowns[k]] = s.values[k];
  for (std::uint32_t v : unknowns) set_[v] = true;
  out_.blocks.push_back(std::move(out));
}

void Emitter::singular(const solve::Singular& x, const std::vector<std::uint32_t>& rows,
                       const std::vector<std::uint32_t>& unknowns) {
  const std::uint32_t v = x.unknowns.empty() ? unknowns[0] : unknowns[x.unknowns[0]];
  std::string list;
  for (std::size_t k = 0; k < x.unknowns.size() && k < 5; ++k)
    list += (k > 0 ? ", `" : "`") + name(s_, unknowns[x.unknowns[k]]) + "`";
  if (x.unknowns.size() > 5) list += ", …";
  const std::string unknown_name = name(s_, v);
  const auto dot = unknown_name.find('.');
  const std::string what = dot == std::string::npos ? unknown_name : unknown_name.substr(0, dot);
  auto& d = d_.error("E0312", place(*s_.flat, VarId{v < s_.flat->variables() ? v : 0}),
                     rows.size() == 1
                         ? "`" + label(s_, s_.rows[rows[0]]) + "` does not determine `" + unknown_name + "`"
                         : "`" + what + "` floats: 1 of its " + std::to_string(rows.size()) +
                               " equations follows from the others");
  d.label = list.empty() ? "" : list + " may take any value";
  for (std::size_t k = 0; k < x.rows.size() && k < 6; ++k)
    d.notes.push_back({s_.rows[rows[x.rows[k]]].origin == none ? Span{} : place(*s_.flat, EqId{s_.rows[rows[x.rows[k]]].origin}),
                       "`" + label(s_, s_.rows[rows[x.rows[k]]]) + "` depends on the others"});
  for (std::uint32_t k : x.unknowns) {
    for (std::uint32_t u = 0; u < s_.flat->slots && d.help.empty(); ++u)
      if (s_.unknown[u] && s_.representative[u].sign != 0 && s_.representative[u].root.value == unknowns[k])
        d.help = declaration(*s_.flat, VarId{u}).hint;
    if (!d.help.empty()) break;
  }
}

}  // namespace kron::session
