// Names, places and keys of the reduced system's rows and variables, and how rows are added.
#include "engine/session/system.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "engine/base/hash.hpp"
#include "engine/base/small.hpp"

namespace kron::session {

using model::forms;
using model::Operand;
using model::OperandKind;

namespace {

std::uint32_t base_slot(const System& s, std::uint32_t v, unsigned& order) {
  order = 0;
  while (v >= s.flat->slots) {
    v = s.integral[v - s.flat->slots];
    ++order;
  }
  return v;
}

}  // namespace

bool is_modified(const FlatModel& m, const model::FlatModel::FlatBinding& start) {
  const Span own = declaration(m, VarId{start.slot}).span;
  return start.span.source != own.source || start.span.begin < own.begin || start.span.end > own.end;
}

std::string name(const System& s, std::uint32_t v) {
  model::Names names(*s.flat);
  return name(s, v, names);
}

std::string name(const System& s, std::uint32_t v, model::Names& names) {
  if (v < s.flat->variables()) return names.name(VarId{v});
  unsigned order = 0;
  const std::string n = names.name(VarId{base_slot(s, v, order)});
  return order == 1 ? "der(" + n + ")" : "der(" + n + "," + std::to_string(order) + ")";
}

std::uint64_t key(const System& s, std::uint32_t v) {
  if (v < s.flat->variables()) return model::key(*s.flat, VarId{v});
  unsigned order = 0;
  const std::uint32_t slot = base_slot(s, v, order);
  return combine(model::key(*s.flat, VarId{slot}), order + 0xd0);
}

std::string label(const System& s, const SystemRow& r) {
  if (r.set != none) {
    std::string l = "state " + (s.sets[r.set].states() > 1 ? std::to_string(r.slot + 1) + " " : "") + "of {";
    for (std::size_t k = 0; k < s.sets[r.set].candidates.size(); ++k) l += (k > 0 ? ", " : "") + name(s, s.sets[r.set].candidates[k]);
    return l + "}";
  }
  if (r.initial != none) return model::initial_label(*s.flat, r.initial);
  if (r.origin == none) {  // a start value, or the binding of a free parameter
    for (Operand o : s.bound(r))
      if (o.kind() == OperandKind::value && s.unknown[o.index()]) return "initial(" + name(s, o.index()) + ")";
    return "initial";
  }
  std::string l = model::label(*s.flat, EqId{r.origin});
  if (r.times > 0) l = "der(" + l + (r.times > 1 ? "," + std::to_string(r.times) : "") + ")";
  return l;
}

Span place(const System& s, const SystemRow& r) {
  if (r.initial != none) return model::initial_place(*s.flat, r.initial);
  return r.origin == none ? Span{} : place(*s.flat, EqId{r.origin});
}

namespace {
std::uint64_t row_key(const System& s, const SystemRow& r) {
  std::uint64_t h = forms().content_hash(r.form);
  for (Operand o : s.bound(r)) {
    std::uint64_t k = static_cast<std::uint64_t>(o.kind()) << 56;
    if (o.kind() == OperandKind::constant) {
      const auto& c = model::constant(model::ConstId{o.index()});
      k ^= c.is_pi ? 0x9e3779b9 : c.hash;
    } else if (o.kind() == OperandKind::event) {
      k ^= s.flat->events[o.index()].key;
    } else if (o.has_slot()) {
      k ^= key(s, o.index());
    }
    h = combine(h, k);
  }
  return combine(h, r.times);
}

void add_columns(System& s, SystemRow& r) {
  const auto operands = s.bound(r);
  r.first_column = static_cast<std::uint32_t>(s.column.size());
  for (std::uint32_t k : forms().occurring(r.form)) {
    const Operand o = operands[k];
    if (o.kind() == OperandKind::value && s.unknown[o.index()]) s.column.push_back(o.index());
  }
  std::sort(s.column.begin() + r.first_column, s.column.end());
  r.columns = static_cast<std::uint32_t>(s.column.size()) - r.first_column;
}
}  // namespace

bool is_empty(const SystemRow& row) {
  if (row.count > 0) return false;
  const auto& rest = model::forms().integer_row(row.form);
  return rest && rest->constant == 0;
}

void find_columns(System& s) {
  s.column.clear();
  for (SystemRow& r : s.rows) add_columns(s, r);
}

bool is_constant(const System& s, Operand o) {
  switch (o.kind()) {
    case OperandKind::time: return false;
    case OperandKind::value:
      if (o.index() >= s.flat->slots) return false;
      return s.flat->variability[o.index()] <= model::Variability::discrete;
    default: return true;
  }
}

namespace {

// Of the operands from meta.first on.
void put_row(System& s, SystemRow meta) {
  meta.count = static_cast<std::uint32_t>(s.operands.size()) - meta.first;
  add_columns(s, meta);
  meta.key = row_key(s, meta);
  s.rows.push_back(meta);
}

// The variable by which an equation names the operand that has become `o`; of no variable, nothing.
Member member_of(Operand o, Operand named, std::size_t place, std::span<const Member> members) {
  if (o.kind() != OperandKind::value) return {};
  return members.empty() ? Member{named.index(), 0} : members[place];
}

// The row where no operand changes but for the variable that stands for it, and none occurs twice; as most do.
bool add_plain_row(System& s, model::FormId form, std::span<const Operand> operands, SystemRow meta, std::span<const Member> members) {
  constexpr std::size_t few = 16;  // the comparison of all pairs is quadratic
  if (operands.size() > few) return false;
  const std::size_t first = s.operands.size();
  for (std::size_t k = 0; k < operands.size(); ++k) {
    Operand o = operands[k];
    bool plain = true;
    if (o.kind() == OperandKind::value && s.unknown[o.index()]) {
      const Representative& rep = s.representative[o.index()];
      o = Operand::value(model::SlotId{rep.root.value});
      plain = rep.sign == 1;
    }
    if (!plain || std::find(s.operands.begin() + static_cast<std::ptrdiff_t>(first), s.operands.end(), o) != s.operands.end()) {
      s.operands.resize(first);
      s.members.resize(first);
      return false;
    }
    s.operands.push_back(o);
    s.members.push_back(member_of(o, operands[k], k, members));
  }
  meta.form = form;
  meta.first = static_cast<std::uint32_t>(first);
  put_row(s, meta);
  return true;
}

constexpr std::size_t usual = 16;  // operands of an equation: so many need no heap

// Operands numbered as they come, each once. Few are looked through; the balance of a node has as many as there are parts connected to it.
class Distinct {
 public:
  std::size_t number(Operand o) {
    constexpr std::size_t few = 16;
    if (list_.size() <= few)
      for (std::size_t at = 0; at < list_.size(); ++at)
        if (list_[at] == o) return at;
    if (list_.size() >= few) {
      if (places_.empty())
        for (std::size_t at = 0; at < list_.size(); ++at) places_.emplace(list_[at].bits, at);
      if (const auto [it, fresh] = places_.emplace(o.bits, list_.size()); !fresh) return it->second;
    }
    list_.push_back(o);
    return list_.size() - 1;
  }
  const Small<Operand, usual>& list() const { return list_; }

 private:
  Small<Operand, usual> list_;
  std::unordered_map<std::uint32_t, std::size_t> places_;
};

}  // namespace

namespace {
// atan2(0, c) = 0 tells no turn from half a turn, and determines nothing; nor does its derivative, which is 0 = 0: a plane loop, where axes that
// stay perpendicular say so.
bool determines_nothing(model::FormId form) {
  const model::Exprs& e = forms().exprs();
  model::NodeId n = forms().root(form);
  if (e[n].op == model::ExprOp::neg) n = e.args(n)[0];
  if (e[n].op != model::ExprOp::call || e[n].fn != Fn::atan2) return false;
  const Rational* sine = e.if_literal(e.args(n)[0]);
  return sine != nullptr && *sine == 0;
}
}  // namespace

std::shared_ptr<System> with_room(const System& s, std::size_t states) {
  auto copy = std::make_shared<System>();
  copy->rows.reserve(s.rows.size() + states);
  copy->operands.reserve(s.operands.size() + 2 * states);
  copy->members.reserve(s.members.size() + 2 * states);
  copy->column.reserve(s.column.size() + states);
  *copy = s;
  return copy;
}

void add_start_row(System& s, model::FormId difference, std::uint32_t variable, std::uint32_t start, SystemRow meta) {
  const Representative& rep = s.representative[variable];
  const std::array operands{Operand::value(model::SlotId{variable}), Operand::start(model::SlotId{start})};
  if (!s.unknown[variable] || rep.sign != 1) return add_row(s, difference, operands, meta);
  meta.form = difference;
  meta.first = static_cast<std::uint32_t>(s.operands.size());
  meta.count = static_cast<std::uint32_t>(operands.size());
  meta.first_column = static_cast<std::uint32_t>(s.column.size());
  meta.columns = 1;
  s.operands.push_back(Operand::value(model::SlotId{rep.root.value}));
  s.operands.push_back(operands[1]);
  s.members.push_back({variable, 0});
  s.members.push_back({});
  s.column.push_back(rep.root.value);
  meta.key = row_key(s, meta);
  s.rows.push_back(meta);
}

model::FormId sum_of(std::uint32_t terms) {
  model::Exprs& e = model::forms().exprs();
  model::NodeId sum = e.placeholder(0);
  for (std::uint32_t k = 1; k < terms; ++k) sum = e.add(sum, e.placeholder(k));
  return model::forms().intern_placeholders(sum);
}

void add_row(System& s, model::FormId form, std::span<const Operand> operands, SystemRow meta,
             std::span<const Member> members) {
  if (add_plain_row(s, form, operands, meta, members)) return;
  const std::size_t n = operands.size();
  Small<model::Replacement, usual> with(n, model::Replacement{});
  Distinct distinct;
  Small<Member, usual> member;
  bool changed = false;
  for (std::size_t k = 0; k < n; ++k) {
    Operand o = operands[k];
    if (o.kind() == OperandKind::value && s.unknown[o.index()]) {
      const Representative& rep = s.representative[o.index()];
      if (rep.sign == 0) {
        if (rep.constant >= -1 && rep.constant <= 1) {
          with[k].literal = static_cast<std::int8_t>(rep.constant);
          changed = true;
          continue;
        }
        o = Operand::constant(model::constant_id(Rational(rep.constant)));
      } else {
        with[k].sign = rep.sign;
        o = Operand::value(model::SlotId{rep.root.value});
      }
    }
    const std::size_t known = distinct.list().size(), at = distinct.number(o);
    if (at == known) {
      member.push_back(member_of(o, operands[k], k, members));
    } else {
      changed = true;
    }
    with[k].placeholder = static_cast<std::int32_t>(at);
    changed = changed || with[k].sign < 0;
  }
  meta.first = static_cast<std::uint32_t>(s.operands.size());
  if (!changed) {
    meta.form = form;
    s.operands.insert(s.operands.end(), distinct.list().begin(), distinct.list().end());
    s.members.insert(s.members.end(), member.begin(), member.end());
  } else {
    std::vector<std::uint32_t> order;
    meta.form = forms().specialise(form, std::span(with.data(), with.size()), order);
    if (determines_nothing(meta.form)) {
      if (meta.times == 0 && meta.origin != none) {
        SystemRow turn = meta;
        turn.count = static_cast<std::uint32_t>(order.size());
        for (std::uint32_t k : order) {
          s.operands.push_back(distinct.list()[k]);
          s.members.push_back(member[k]);
        }
        s.half_turns.push_back(turn);
        meta.first = static_cast<std::uint32_t>(s.operands.size());
      }
      static const model::FormId nothing = forms().intern_placeholders(forms().exprs().literal(0L));
      meta.form = nothing;
      order.clear();
    }
    for (std::uint32_t k : order) {
      s.operands.push_back(distinct.list()[k]);
      s.members.push_back(member[k]);
    }
  }
  put_row(s, meta);
}

}  // namespace kron::session
