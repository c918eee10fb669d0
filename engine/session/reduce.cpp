#include <algorithm>
#include <numeric>

#include "engine/session/closings.hpp"
#include "engine/session/derivative_aliases.hpp"
#include "engine/session/kept_aliases.hpp"
#include "engine/session/known_values.hpp"
#include "engine/session/loop_flows.hpp"
#include "engine/session/system.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

using model::forms;
using model::Operand;
using model::OperandKind;
using model::SlotFlag;

namespace {

class Reducer {
 public:
  Reducer(const FlatModel& m, Diagnostics& d, KeptAliases& kept, const Closings& closings) : m_(m), d_(d), kept_(kept), closings_(closings) {
    s_.flat = &m;
  }

  System run() {
    mark_unknowns();
    collect_integer_rows();
    aliases();
    chains();
    rows();
    keep_aliases();
    integer_constraints();
    if (d_.has_errors()) {
      d_.append(s_.warnings);
      d_.append(s_.open_warnings);
    }
    return std::move(s_);
  }

 private:
  void mark_unknowns() {
    const std::size_t n = m_.variables();
    s_.unknown.assign(n, 1);
    for (std::uint32_t v = 0; v < m_.slots; ++v)
      s_.unknown[v] = m_.variability[v] == model::Variability::continuous && !(m_.flags[v] & SlotFlag::input);
    s_.integral = m_.integral;
    s_.equation_used.assign(m_.equations.size(), false);
    is_discrete_.assign(m_.discrete_equations.empty() ? 0 : m_.equations.size(), false);
    for (std::uint32_t e : m_.discrete_equations) is_discrete_[e] = true;
    stays_row_ = is_discrete_;
    if (!m_.known_derivatives.empty()) stays_row_.resize(m_.equations.size(), false);
    for (const FlatModel::KnownDerivatives& k : m_.known_derivatives) std::fill_n(stays_row_.begin() + k.equation, k.count, true);
    for (std::uint32_t v = 0; v < n; ++v)
      if (m_.derivative[v] != none && s_.unknown[v]) differentiated_.push_back(v);
  }
  bool is_discrete(std::uint32_t equation) const { return !is_discrete_.empty() && is_discrete_[equation]; }

  // Equations with integer coefficients over unknowns only.
  void collect_integer_rows() {
    system_.columns = static_cast<std::uint32_t>(m_.variables());
    system_.begin.reserve(m_.equations.size() + 1);
    system_.constant.reserve(m_.equations.size());
    origin_.reserve(m_.equations.size());
    system_.column.reserve(2 * m_.equations.size());
    system_.coefficient.reserve(2 * m_.equations.size());
    std::vector<std::pair<std::uint32_t, std::int64_t>> terms;
    kept_.compare(m_, s_.unknown, stays_row_);
    by_stretch([&](std::uint32_t e) {
      const std::uint32_t rows = system_.rows();
      if (!kept_.take_integer_row(system_, e)) collect_integer_row(e, terms);
      if (system_.rows() == rows) return;
      origin_.push_back(e);
      note_edge(e);
    }, [&](const FlatModel::Stretch& s) {
      kept_.take_integer_rows(system_, origin_, s_.alias_edges, s);
      return true;
    });
    collected_ = origin_.size();
  }

  // All equations in order: one by one, or a stretch of those that are what they were, where `take` takes it.
  template <class One, class Take>
  void by_stretch(const One& one, const Take& take) {
    std::uint32_t e = 0;
    for (const FlatModel::Stretch& s : kept_.stretches()) {
      for (; e < s.now; ++e) one(e);
      if (take(s)) e = s.now + s.count;
    }
    for (; e < m_.equations.size(); ++e) one(e);
  }

  void collect_integer_row(std::uint32_t e, std::vector<std::pair<std::uint32_t, std::int64_t>>& terms) {
    const auto& eq = m_.equations[e];
    const auto& row = forms().integer_row(eq.form);
    if (!row || (!stays_row_.empty() && stays_row_[e]) || closings_.is_open(e)) return;
    const auto ops = m_.bound(eq);
    bool fits = true;
    for (Operand o : ops) fits = fits && o.kind() == OperandKind::value && s_.unknown[o.index()];
    if (!fits) return;
    terms.clear();
    for (std::size_t k = 0; k < ops.size(); ++k)
      if (row->coefficient[k] != 0) terms.emplace_back(ops[k].index(), row->coefficient[k]);
    if (!std::is_sorted(terms.begin(), terms.end())) std::sort(terms.begin(), terms.end());
    append(terms, row->constant);
  }

  // Where the last row is x = ±y.
  void note_edge(std::uint32_t e) {
    const std::uint32_t first = system_.begin[system_.rows() - 1];
    if (system_.begin.back() - first != 2 || system_.constant.back() != 0) return;
    if (std::abs(system_.coefficient[first]) != std::abs(system_.coefficient[first + 1])) return;
    const model::FlatEquation& eq = m_.equations[e];
    const std::uint32_t a = system_.column[first];
    s_.alias_edges.push_back({a, system_.column[first + 1], e, relaxed_end(eq.form, m_.bound(eq), a)});
  }

  static RelaxedEnd relaxed_end(model::FormId form, std::span<const Operand> ops, std::uint32_t a) {
    if (!forms().has_marks(form)) return RelaxedEnd::neither;
    for (std::uint32_t k = 0; k < ops.size(); ++k)
      if (forms().only_relaxed(form, k)) return ops[k].index() == a ? RelaxedEnd::a : RelaxedEnd::b;
    return RelaxedEnd::neither;
  }

  void append(const std::vector<std::pair<std::uint32_t, std::int64_t>>& terms, std::int64_t constant) {
    for (const auto& [c, a] : terms) {
      system_.column.push_back(c);
      system_.coefficient.push_back(a);
    }
    system_.constant.push_back(constant);
    system_.begin.push_back(static_cast<std::uint32_t>(system_.column.size()));
  }
  void append(const std::vector<std::pair<std::uint32_t, std::int64_t>>& terms, std::int64_t constant, std::uint32_t origin) {
    append(terms, constant);
    origin_.push_back(origin);
  }

  void aliases() {
    AliasSearch search{std::move(system_), std::move(origin_), 0, {}};
    const bool known = kept_.take_aliases(m_, search) || kept_.search_near_edit(m_, s_.unknown, stays_row_, differentiated_, search);
    system_ = std::move(search.rows);
    origin_ = std::move(search.origin);
    if (known) {
      found_ = std::move(search.found);
      report(found_.dependent);
      return;
    }
    std::vector<std::uint8_t> prefer(m_.variables(), 0);
    for (std::uint32_t v = 0; v < prefer.size(); ++v) prefer[v] = preference(m_, v);
    for (;;) {
      found_ = elimination_.eliminate(system_, prefer);
      const std::size_t before = origin_.size();
      close_derivatives(found_, differentiated(), [&](const IntegerTerms& terms) { append(terms, 0, none); });
      if (origin_.size() == before && !break_cycles() && !append_known_values()) break;
    }
    report(found_.dependent);
  }

  // Once nothing asks for them any more.
  void keep_aliases() {
    if (!collected_) return kept_.forget();
    kept_.keep(s_, stays_row_, {std::move(system_), std::move(origin_), *collected_, std::move(found_)});
    kept_.keep_rows(s_, rows_of_equations_, known_derivatives_.empty());
  }

  bool append_known_values() {
    if (known_already()) return false;
    known_ = known_values(m_, s_.unknown, found_, stays_row_);
    const std::size_t before = origin_.size();
    for (const KnownValue& k : known_)
      if (!k.of_integer_row) append({{k.variable, 1}}, -k.value, k.equation);
    if (origin_.size() == before) return false;
    looked_with_ = std::move(found_.of);
    return true;
  }

  // What is known is what the last look for known values began with or found: what follows from it was found with it. Which of the
  // others are equal does not count there.
  bool known_already() const {
    if (looked_with_.empty()) return false;
    constexpr std::int64_t unknown = INT64_MIN;
    std::vector<std::int64_t> value(m_.variables(), unknown);  // by root
    for (const KnownValue& k : known_)
      if (const auto& a = looked_with_[k.variable]; a.sign != 0) value[a.root] = a.sign * k.value;
    for (std::uint32_t v = 0; v < m_.variables(); ++v) {
      const auto &was = looked_with_[v], &is = found_.of[v];
      const std::int64_t before = was.sign == 0 ? was.constant : value[was.root] == unknown ? unknown : was.sign * value[was.root];
      if (before != (is.sign == 0 ? is.constant : unknown)) return false;
    }
    return true;
  }

  Differentiated differentiated() const { return {differentiated_, m_.derivative}; }

  // True if rows were taken out.
  bool break_cycles() {
    const std::vector<bool> cut = derivative_cycles(found_, differentiated());
    if (cut.empty()) return false;
    std::vector<bool> taken(m_.variables(), false);
    for (const std::uint32_t v : differentiated_)
      if (found_.of[v].sign != 0 && cut[found_.of[v].root]) taken[m_.derivative[v]] = true;
    return drop_rows_with(taken);
  }

  // Rows that close_derivatives() made go too: some follow from what is dropped, and the others are made again.
  bool drop_rows_with(const std::vector<bool>& taken) {
    structure::IntegerSystem kept;
    kept.columns = system_.columns;
    std::vector<std::uint32_t> origin;
    bool changed = false;
    for (std::uint32_t r = 0; r < system_.rows(); ++r) {
      bool drop = false;
      for (std::uint32_t k = system_.begin[r]; k < system_.begin[r + 1]; ++k)
        drop = drop || taken[system_.column[k]];
      changed = changed || (drop && origin_[r] != none);
      if (drop || origin_[r] == none) continue;
      kept.column.insert(kept.column.end(), system_.column.begin() + system_.begin[r],
                         system_.column.begin() + system_.begin[r + 1]);
      kept.coefficient.insert(kept.coefficient.end(), system_.coefficient.begin() + system_.begin[r],
                              system_.coefficient.begin() + system_.begin[r + 1]);
      kept.constant.push_back(system_.constant[r]);
      kept.begin.push_back(static_cast<std::uint32_t>(kept.column.size()));
      origin.push_back(origin_[r]);
    }
    if (!changed) return false;
    system_ = std::move(kept);
    origin_ = std::move(origin);
    collected_.reset();
    elimination_.forget();
    return true;
  }

  void report(const std::vector<structure::Aliases::Dependent>& list) {
    for (const auto& x : list) {
      if (origin_[x.row] == none) continue;
      const EqId e{origin_[x.row]};
      if (x.contradictory) {
        auto& d = d_.error("E0304", place(m_, e), contradiction(e, x.because.size()));
        notes(d, x.because);
        std::vector<EqId> all{e};
        for (structure::Row r : x.because)
          if (origin_[r] != none) all.emplace_back(origin_[r]);
        d.help = open_flow_hint(m_, all);
        if (d.help.empty()) d.help = "one of these equations or connections must go";
      } else {
        notes(redundant(e, "other equations"), x.because);
      }
      s_.equation_used[e.value] = true;
    }
  }

  std::string contradiction(EqId e, std::size_t others) const {
    const std::string what = "contradiction: `" + label(m_, e) + "` cannot hold ";
    if (others == 0) return what + "with the values that other equations give its variables";
    return what + "together with " + std::to_string(others) + " other equation" + (others > 1 ? "s" : "");
  }

  void notes(Diagnostic& d, const std::vector<structure::Row>& because) {
    std::size_t shown = 0;
    for (structure::Row r : because) {
      if (origin_[r] == none) continue;
      if (++shown > 4) break;
      d.notes.push_back({place(m_, EqId{origin_[r]}), "`" + label(m_, EqId{origin_[r]}) + "`"});
    }
  }

  void chains() {
    const std::size_t n = m_.variables();
    s_.representative.resize(n);
    for (std::uint32_t v = 0; v < n; ++v) {
      const auto& a = found_.of[v];
      if (!s_.unknown[v]) s_.representative[v] = {VarId{v}, 1, 0};
      else s_.representative[v] = {VarId{a.sign == 0 ? v : a.root}, a.sign, a.constant};
      s_.aliases += s_.unknown[v] && (a.sign == 0 || a.root != v);
    }
    for (std::size_t r = 0; r < origin_.size(); ++r)
      if (origin_[r] != none && found_.used[r]) s_.equation_used[origin_[r]] = true;
    s_.derivative.assign(n, none);
    s_.derivative_sign.assign(n, 1);
    s_.antiderivative.assign(n, none);
    for (const bool representing : {true, false})  // derivatives that stand for their alias set first
      for (const std::uint32_t v : differentiated_)
        if (const std::uint32_t d = m_.derivative[v]; (found_.of[d].sign != 0 && found_.of[d].root == d) == representing)
          link(v, d);
  }

  // v and its derivative in the chain of what they stand for.
  void link(std::uint32_t v, std::uint32_t d) {
    const Representative rv = s_.representative[v];
    if (rv.sign == 0) return;
    const Representative alias = s_.representative[d];
    const bool taken = alias.sign != 0 && s_.antiderivative[alias.root.value] != none && s_.antiderivative[alias.root.value] != rv.root.value;
    if (alias.sign == 0 || taken) {  // a constant, or the derivative of another state too: v still is one, der(v) an unknown of one row
      known_derivatives_.emplace_back(d, alias);
      s_.representative[d] = {VarId{d}, 1, 0};
      --s_.aliases;
    }
    const Representative rd = s_.representative[d];
    s_.derivative[rv.root.value] = rd.root.value;
    s_.derivative_sign[rv.root.value] = static_cast<std::int8_t>(rv.sign * rd.sign);
    s_.antiderivative[rd.root.value] = rv.root.value;
  }

  void rows() {
    const std::size_t used = static_cast<std::size_t>(std::count(s_.equation_used.begin(), s_.equation_used.end(), true));
    s_.rows.reserve(m_.equations.size() - used);
    s_.operands.reserve(3 * (m_.equations.size() - used));
    s_.members.reserve(s_.operands.capacity());
    s_.column.reserve(s_.operands.capacity());
    kept_.compare_representatives(s_.representative, known_derivatives_.empty());
    by_stretch([&](std::uint32_t e) {
      if (s_.equation_used[e] || is_discrete(e) || kept_.take_row(s_, e)) return;
      SystemRow meta;
      meta.origin = e;
      meta.axes = closings_.axes_of(e);
      add_row(s_, m_.equations[e].form, m_.bound(m_.equations[e]), meta);
      if (is_empty(s_.rows.back())) leave_out(e);
      else if (closings_.is_open(e)) leave_open();
    }, [&](const FlatModel::Stretch& s) { return kept_.take_rows(s_, s); });
    rows_of_equations_ = s_.rows.size();
    for (const auto& [d, alias] : known_derivatives_) add_known_derivative(d, alias);
  }

  void leave_out(std::uint32_t e) {
    s_.rows.pop_back();
    s_.equation_used[e] = true;
    redundant(EqId{e}, "other equations");
  }
  void leave_open() {
    s_.redundant.push_back(s_.rows.back().origin);
    s_.left_out.push_back(s_.rows.back());
    s_.rows.pop_back();
  }
  Diagnostic& redundant(EqId e, const std::string& others) {
    s_.redundant.push_back(e.value);
    const std::uint32_t first = m_.connection_equations;
    const bool open = e.value >= first && m_.connection_info[e.value - first].connection == FlatModel::none;
    return (open ? s_.open_warnings : s_.warnings).warning("W0305", place(m_, e), "`" + label(m_, e) + "` follows from " + others + " and is left out");
  }

  std::uint32_t equation_with(std::uint32_t column) const {  // the first integer row that speaks of it
    for (std::uint32_t r = 0; r < system_.rows(); ++r)
      for (std::uint32_t k = system_.begin[r]; k < system_.begin[r + 1]; ++k)
        if (origin_[r] != none && system_.column[k] == column) return origin_[r];
    return 0;
  }

  void add_known_derivative(std::uint32_t d, const Representative& alias) {
    model::Exprs e;
    const model::NodeId own = e.operand(Operand::value(model::SlotId{d}));
    const model::NodeId other = alias.sign == 0 ? e.literal(Rational(alias.constant)) : e.operand(Operand::value(model::SlotId{alias.root.value}));
    const model::Bound b = forms().intern(e, alias.sign < 0 ? e.add(own, other) : e.sub(own, other));
    SystemRow meta;
    meta.origin = equation_with(d);
    add_row(s_, b.form, b.operands, meta);
  }

  // Sums of connections and the like, decided exactly: rows that follow from others go, and rows that together say something about
  // differentiated variables alone are replaced by that statement, so that index reduction sees it.
  void integer_constraints() {
    structure::IntegerSystem sums;
    sums.columns = static_cast<std::uint32_t>(s_.variables());
    std::vector<std::uint32_t> row_of;
    std::vector<std::pair<structure::Column, std::int64_t>> terms;
    model::Forms& table = forms();
    std::vector<std::uint32_t> order(s_.rows.size());
    std::iota(order.begin(), order.end(), 0);  // of rows that say the same the last one goes
    if (!stays_row_.empty())
      std::ranges::stable_partition(order, [&](std::uint32_t r) { return s_.rows[r].origin == none || !stays_row_[s_.rows[r].origin]; });
    for (std::uint32_t r : order) {
      const auto& row = table.integer_row(s_.rows[r].form);
      if (!row) continue;
      const auto ops = s_.bound(s_.rows[r]);
      terms.clear();
      bool fits = true;
      for (std::size_t k = 0; k < ops.size(); ++k) {
        fits = fits && ops[k].kind() == OperandKind::value && s_.unknown[ops[k].index()];
        if (row->coefficient[k] != 0) terms.emplace_back(ops[k].index(), row->coefficient[k]);
      }
      if (!fits) continue;
      sums.add_row(terms, row->constant);
      row_of.push_back(r);
    }
    std::vector<bool> late(s_.variables(), false);
    for (std::uint32_t v = 0; v < late.size(); ++v) late[v] = s_.derivative[v] != none;
    const structure::Reduced found = structure::reduce(sums, late);
    for (const auto& c : found.constraints)
      if (c.combination.size() > 1) replace_row(row_of[c.row], c);
    std::vector<bool> gone(s_.rows.size(), false);
    for (const auto& x : found.dependent) {
      gone[row_of[x.row]] = true;
      report_dependent(x, row_of);
    }
    std::size_t kept = 0;
    for (std::size_t r = 0; r < s_.rows.size(); ++r)
      if (!gone[r]) s_.rows[kept++] = s_.rows[r];
    s_.rows.resize(kept);
  }

  void replace_row(std::uint32_t r, const structure::Reduced::Constraint& c) {
    model::Exprs e;
    model::NodeId sum = e.literal(Rational(c.constant));
    for (const auto& [column, factor] : c.terms)
      sum = e.add(sum, e.mul(e.literal(Rational(factor)), e.operand(Operand::value(model::SlotId{column}))));
    const model::Bound bound = forms().intern(e, sum);
    const SystemRow meta = s_.rows[r];
    add_row(s_, bound.form, bound.operands, meta);
    s_.rows[r] = s_.rows.back();
    s_.rows.pop_back();
  }

  void report_dependent(const structure::Aliases::Dependent& x, const std::vector<std::uint32_t>& row_of) {
    const EqId e{s_.rows[row_of[x.row]].origin};
    auto& d = x.contradictory
                  ? d_.error("E0304", place(m_, e), contradiction(e, x.because.size()))
                  : redundant(e, std::to_string(x.because.size()) + " other equations");
    std::size_t shown = 0;
    for (structure::Row r : x.because)
      if (++shown <= 4) {
        const EqId other{s_.rows[row_of[r]].origin};
        d.notes.push_back({place(m_, other), "`" + label(m_, other) + "`"});
      }
  }

  const FlatModel& m_;
  Diagnostics& d_;
  KeptAliases& kept_;
  const Closings& closings_;
  System s_;
  structure::IntegerSystem system_;
  std::optional<std::size_t> collected_;  // rows of equations; none: some were taken out again
  std::size_t rows_of_equations_ = 0;     // of the system's
  structure::GrowingAliases elimination_;
  structure::Aliases found_;
  std::vector<KnownValue> known_;                              // found last,
  std::vector<structure::Aliases::Alias> looked_with_;         // with these aliases; empty: none were
  std::vector<std::pair<std::uint32_t, Representative>> known_derivatives_;
  std::vector<std::uint32_t> differentiated_;  // unknowns that have a derivative
  std::vector<bool> is_discrete_;      // by flat equation: it gives a discrete variable; empty: none does
  std::vector<bool> stays_row_;        // it does, or its derivatives are known, which an alias would lose; empty: no equation
  std::vector<std::uint32_t> origin_;  // flat equation of each integer row; none: a differentiated alias
};

}  // namespace

System reduce(const FlatModel& m, Diagnostics& d, KeptAliases& kept, const Closings& closings) {
  if (closings.look() == Closings::Look::not_yet) return Reducer(m, d, kept, closings).run();
  KeptAliases none_kept;  // what is kept is of models as they are written
  return Reducer(m, d, none_kept, closings).run();
}

}  // namespace kron::session
