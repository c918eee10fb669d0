// Index reduction: Pantelides (1988), with the termination test first, and dummy derivatives (Mattsson, Söderlind 1993).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/hash.hpp"
#include "engine/session/evaluate.hpp"
#include "engine/session/system.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

using model::forms;
using model::Operand;
using model::OperandKind;
using model::SlotFlag;

std::uint32_t chain_base(const System& s, std::uint32_t v) {
  while (s.antiderivative[v] != none) v = s.antiderivative[v];
  return v;
}

namespace {

// ---- structurally possible at all? ------------------------------------------------------------------------------------------

std::string hint_text(const System& s, std::uint32_t v) {
  for (std::uint32_t u = 0; u < s.flat->slots; ++u) {
    if (!s.unknown[u] || s.representative[u].sign == 0 || s.representative[u].root.value != v) continue;
    const auto& d = model::declaration(*s.flat, VarId{u});
    if (!d.hint.empty()) return d.hint;
  }
  return {};
}

// All derivatives of a variable count as one column: the system can be solved after differentiation exactly if the rows and
// these columns match perfectly.
class Solvability {
 public:
  Solvability(const System& s, Diagnostics& d) : s_(s), d_(d) {}

  bool check() {
    number_.assign(s_.variables(), none);
    for (std::uint32_t v = 0; v < s_.variables(); ++v)
      if (s_.unknown[v] && s_.is_root(v) && s_.antiderivative[v] == none) {
        number_[v] = static_cast<std::uint32_t>(base_.size());
        base_.push_back(v);
      }
    structure::Incidence g;
    g.columns = static_cast<std::uint32_t>(base_.size());
    std::vector<std::uint32_t> columns;
    for (const SystemRow& r : s_.rows) {
      s_.columns(r, columns);
      for (std::uint32_t& c : columns) c = number_[chain_base(s_, c)];
      std::sort(columns.begin(), columns.end());
      columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
      g.add_row(columns);
    }
    const structure::Matching m = structure::match(g);
    if (m.size == g.rows() && m.size == g.columns) return true;
    report(g, m);
    return false;
  }

 private:
  void report(const structure::Incidence& g, const structure::Matching& m) {
    const structure::Parts parts = structure::dulmage_mendelsohn(g, m);
    report_under(g, m, parts);
    report_over(g, m, parts);
  }

  void report_under(const structure::Incidence& g, const structure::Matching& m, const structure::Parts& parts) {
    std::vector<std::uint32_t> columns, rows;
    for (std::uint32_t c = 0; c < g.columns; ++c)
      if (parts.column[c] == structure::Parts::under) columns.push_back(c);
    if (columns.empty()) return;
    std::uint32_t first = columns.front();
    for (std::uint32_t c : columns)
      if (m.of_column[c] == structure::free_end) { first = c; break; }
    for (std::uint32_t r = 0; r < g.rows(); ++r)
      if (parts.row[r] == structure::Parts::under) rows.push_back(r);
    const std::uint32_t v = base_[first];
    auto& d = d_.error("E0301", place(*s_.flat, VarId{v < s_.flat->variables() ? v : 0}),
                       "too few equations: " + std::to_string(rows.size()) + " for the " + std::to_string(columns.size()) +
                           " unknowns " + names(columns));
    d.label = "`" + name(s_, v) + "` may take any value";
    for (std::size_t k = 0; k < rows.size() && k < 6; ++k)
      d.notes.push_back({place(*s_.flat, EqId{s_.rows[rows[k]].origin}), "`" + label(s_, s_.rows[rows[k]]) + "`"});
    const std::size_t missing = columns.size() - rows.size();
    d.help = missing == 1 ? "one equation more is needed" : std::to_string(missing) + " equations more are needed";
    for (std::uint32_t c : columns)
      if (const std::string hint = hint_text(s_, base_[c]); !hint.empty()) {
        d.help += "; " + hint;
        break;
      }
  }

  void report_over(const structure::Incidence& g, const structure::Matching& m, const structure::Parts& parts) {
    std::vector<std::uint32_t> rows, columns;
    for (std::uint32_t r = 0; r < g.rows(); ++r)
      if (parts.row[r] == structure::Parts::over) rows.push_back(r);
    if (rows.empty()) return;
    for (std::uint32_t c = 0; c < g.columns; ++c)
      if (parts.column[c] == structure::Parts::over) columns.push_back(c);
    std::uint32_t first = rows.back();
    for (std::uint32_t r : rows)
      if (m.of_row[r] == structure::free_end) first = r;
    auto& d = d_.error("E0302", place(*s_.flat, EqId{s_.rows[first].origin}),
                       "too many equations: " + std::to_string(rows.size()) + " for " +
                           (columns.empty() ? std::string("no unknown")
                                            : "the " + std::to_string(columns.size()) + " unknowns " + names(columns)));
    d.label = "`" + label(s_, s_.rows[first]) + "` is one too many, or one of those below";
    std::size_t shown = 0;
    for (std::uint32_t r : rows)
      if (r != first && ++shown <= 6)
        d.notes.push_back({place(*s_.flat, EqId{s_.rows[r].origin}), "`" + label(s_, s_.rows[r]) + "`"});
    const std::size_t extra = rows.size() - columns.size();
    d.help = extra == 1 ? "take one of these equations out, or leave one more variable free"
                        : "take " + std::to_string(extra) + " of these equations out";
  }

  std::string names(const std::vector<std::uint32_t>& columns) {
    std::string out;
    for (std::size_t k = 0; k < columns.size() && k < 5; ++k)
      out += (k > 0 ? ", `" : "`") + name(s_, base_[columns[k]]) + "`";
    if (columns.size() > 5) out += ", …";
    return out;
  }

  const System& s_;
  Diagnostics& d_;
  std::vector<std::uint32_t> number_, base_;
};

// ---- Pantelides --------------------------------------------------------------------------------------------------------------

class Pantelides {
 public:
  explicit Pantelides(System& s) : s_(s) {}

  // Terminates because Solvability held [Pantelides 1988, theorem 5.1].
  void run() {
    prepare();
    for (std::uint32_t r = 0; r < original_; ++r) {
      if (matching_.of_row[r] != structure::free_end) continue;
      std::uint32_t row = r;
      while (!augment(row)) row = differentiate(row);
    }
  }

 private:
  void prepare() {
    original_ = static_cast<std::uint32_t>(s_.rows.size());
    hidden_.assign(s_.variables(), false);
    for (std::uint32_t v = 0; v < s_.variables(); ++v) hidden_[v] = s_.derivative[v] != none;
    structure::Incidence visible;
    visible.columns = static_cast<std::uint32_t>(s_.variables());
    std::vector<std::uint32_t> columns, shown;
    for (const SystemRow& r : s_.rows) {
      s_.columns(r, columns);
      incidence_.push_back(columns);
      shown.clear();
      for (std::uint32_t c : columns)
        if (!hidden_[c]) shown.push_back(c);
      visible.add_row(shown);
    }
    matching_ = structure::match(visible);
    column_mark_.assign(s_.variables(), 0);
    row_mark_.assign(s_.rows.size(), 0);
  }

  // Depth first along alternating paths, explicit stack. Marks rows and columns reached with the current stamp.
  bool augment(std::uint32_t root) {
    ++stamp_;
    struct Frame { std::uint32_t row; std::size_t next; };
    std::vector<Frame> stack = {{root, 0}};
    row_mark_[root] = stamp_;
    for (std::uint32_t c : incidence_[root])  // a free column at once?
      if (!hidden_[c] && matching_.of_column[c] == structure::free_end) return assign(root, c);
    while (!stack.empty()) {
      Frame& f = stack.back();
      if (f.next == incidence_[f.row].size()) { stack.pop_back(); continue; }
      const std::uint32_t c = incidence_[f.row][f.next++];
      if (hidden_[c] || column_mark_[c] == stamp_) continue;
      column_mark_[c] = stamp_;
      const std::uint32_t r = matching_.of_column[c];
      if (r == structure::free_end) {
        std::uint32_t column = c;  // turn the path round
        for (std::size_t k = stack.size(); k-- > 0;) {
          const std::uint32_t before = matching_.of_row[stack[k].row];
          assign(stack[k].row, column);
          column = before;
        }
        return true;
      }
      row_mark_[r] = stamp_;
      stack.push_back({r, 0});
    }
    return false;
  }

  bool assign(std::uint32_t r, std::uint32_t c) {
    matching_.of_row[r] = c;
    matching_.of_column[c] = r;
    return true;
  }

  // Differentiates the marked variables and rows; the next row to match is the derivative of `row`.
  std::uint32_t differentiate(std::uint32_t row) {
    const auto columns = static_cast<std::uint32_t>(s_.variables());
    for (std::uint32_t c = 0; c < columns; ++c)
      if (column_mark_[c] == stamp_) add_derivative(c);
    const auto rows = static_cast<std::uint32_t>(s_.rows.size());
    std::vector<std::uint32_t> made;
    for (std::uint32_t r = 0; r < rows; ++r)
      if (row_mark_[r] == stamp_) made.push_back(add_row_derivative(r));
    for (std::uint32_t d : made) {  // a matched pair (r, c) becomes (r', c')
      const std::uint32_t c = matching_.of_row[s_.rows[d].previous];
      if (c != structure::free_end) assign(d, s_.derivative[c]);
    }
    return s_.rows[row].next;
  }

  void add_derivative(std::uint32_t c) {
    if (s_.derivative[c] != none) { hidden_[c] = true; return; }
    const auto d = static_cast<std::uint32_t>(s_.variables());
    s_.representative.push_back({VarId{d}, 1, 0});
    s_.unknown.push_back(1);
    s_.integral.push_back(c);
    s_.derivative[c] = d;
    s_.derivative_sign[c] = 1;
    s_.derivative.push_back(none);
    s_.derivative_sign.push_back(1);
    s_.antiderivative.push_back(c);
    hidden_[c] = true;
    hidden_.push_back(false);
    matching_.of_column.push_back(structure::free_end);
    column_mark_.push_back(0);
  }

  std::uint32_t add_row_derivative(std::uint32_t r) {
    if (s_.rows[r].next != none) return s_.rows[r].next;
    const SystemRow old = s_.rows[r];
    const auto ops = s_.bound(old);
    const std::vector<Operand> operands(ops.begin(), ops.end());
    for (Operand o : operands)  // every variable of it needs its derivative
      if (o.kind() == OperandKind::value && s_.unknown[o.index()] && s_.derivative[o.index()] == none)
        add_derivative(o.index());
    model::Bound d = forms().time_derivative(forms().unmarked(old.form), operands,
                                             [&](Operand o) { return is_constant(s_, o); });
    std::vector<Member> members;  // of der(v): v's, once more differentiated
    for (Operand o : d.operands) {
      Member m{o.index(), 0};
      for (std::size_t k = 0; k < operands.size(); ++k)
        if (operands[k].kind() == o.kind() && operands[k].index() == o.index()) m = s_.members[old.first + k];
      if (o.kind() == OperandKind::value) m.shift += o.order();
      members.push_back(m);
    }
    apply_chains(d);
    SystemRow meta;
    meta.origin = old.origin;
    meta.times = old.times + 1;
    meta.previous = r;
    add_row(s_, d.form, d.operands, meta, members);
    const auto id = static_cast<std::uint32_t>(s_.rows.size() - 1);
    s_.rows[r].next = id;
    std::vector<std::uint32_t> columns;
    s_.columns(s_.rows[id], columns);
    incidence_.push_back(std::move(columns));
    matching_.of_row.push_back(structure::free_end);
    row_mark_.push_back(0);
    return id;
  }

  // value(v, 1) to ±value(derivative of v)
  void apply_chains(model::Bound& b) {
    std::vector<model::Replacement> with(b.operands.size());
    bool negative = false;
    for (std::size_t k = 0; k < b.operands.size(); ++k) {
      Operand& o = b.operands[k];
      with[k].placeholder = static_cast<std::int32_t>(k);
      if (o.kind() != OperandKind::value || o.order() == 0) continue;
      const std::uint32_t v = o.index();
      with[k].sign = s_.derivative_sign[v];
      negative = negative || with[k].sign < 0;
      o = Operand::value(model::SlotId{s_.derivative[v]});
    }
    if (!negative) return;
    std::vector<std::uint32_t> order;
    b.form = forms().specialise(b.form, with, order);
    std::vector<Operand> kept;
    for (std::uint32_t k : order) kept.push_back(b.operands[k]);
    b.operands = std::move(kept);
  }

  System& s_;
  std::uint32_t original_ = 0;
  std::vector<std::vector<std::uint32_t>> incidence_;
  structure::Matching matching_;
  std::vector<bool> hidden_;
  std::vector<std::uint32_t> column_mark_, row_mark_;
  std::uint32_t stamp_ = 0;
};

// ---- dummy derivatives --------------------------------------------------------------------------------------------------------

class DummyDerivatives {
 public:
  DummyDerivatives(System& s, Diagnostics& d) : s_(s), d_(d), preference_(state_preferences(s)) {}

  void run() {
    s_.state.assign(s_.variables(), false);
    s_.dummy.assign(s_.variables(), false);
    select();
    for (std::uint32_t v = 0; v < s_.variables(); ++v)
      s_.state[v] = s_.unknown[v] && s_.is_root(v) && s_.derivative[v] != none && !s_.dummy[s_.derivative[v]];
  }

 private:
  // Blocks of the highest-derivative problem; inside each, from the highest level down.
  void select() {
    std::vector<std::uint32_t> top;  // rows that are not differentiated further
    bool any = false;
    for (std::uint32_t r = 0; r < s_.rows.size(); ++r) {
      any = any || s_.rows[r].times > 0;
      if (s_.rows[r].next == none) top.push_back(r);
    }
    if (!any) return;
    structure::Incidence g;
    g.columns = static_cast<std::uint32_t>(s_.variables());
    std::vector<std::uint32_t> columns;
    for (std::uint32_t r : top) {
      s_.columns(s_.rows[r], columns);
      std::erase_if(columns, [&](std::uint32_t c) { return s_.derivative[c] != none; });
      g.add_row(columns);
    }
    const structure::Blocks blocks = structure::block_lower_triangular(g, structure::match(g));
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      std::vector<std::uint32_t> rows, vars;
      for (std::uint32_t k = blocks.begin[b]; k < blocks.begin[b + 1]; ++k) {
        rows.push_back(top[blocks.row[k]]);
        vars.push_back(blocks.column[k]);
      }
      block(rows, vars);
    }
  }

  void block(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& vars) {
    std::vector<std::uint32_t> level_rows, candidates = vars;
    for (std::uint32_t r : rows)
      if (s_.rows[r].times > 0) level_rows.push_back(r);
    std::vector<std::uint32_t> current = level_rows, highest = candidates;
    while (!current.empty()) {
      std::vector<std::uint32_t> cols;  // candidates that are derivatives
      for (std::uint32_t v : highest)
        if (s_.antiderivative[v] != none) cols.push_back(v);
      const std::vector<std::uint32_t> chosen = choose(current, cols, current.size() != level_rows.size() || current == level_rows);
      for (std::uint32_t v : chosen) s_.dummy[v] = true;
      std::vector<std::uint32_t> lower_rows, lower_vars;
      for (std::uint32_t r : current)
        if (s_.rows[s_.rows[r].previous].times > 0) lower_rows.push_back(s_.rows[r].previous);
      for (std::uint32_t v : chosen) lower_vars.push_back(s_.antiderivative[v]);
      current = std::move(lower_rows);
      highest = std::move(lower_vars);
    }
  }

  // As many columns as rows with an independent Jacobian, those that make the worst states first.
  // `watch`: the level above has other rows, so its Jacobian is another one.
  std::vector<std::uint32_t> choose(const std::vector<std::uint32_t>& rows, std::vector<std::uint32_t> columns, bool watch) {
    auto wish = [&](std::uint32_t v) { return preference_[s_.antiderivative[v]]; };
    std::stable_sort(columns.begin(), columns.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (wish(a) != wish(b)) return wish(a) < wish(b);
      const bool ca = constant_column(rows, a), cb = constant_column(rows, b);
      if (ca != cb) return ca;
      return a > b;  // later declared ones become dummies, the first stay states
    });
    std::vector<std::vector<double>> basis;
    std::vector<std::size_t> lead;
    std::vector<std::uint32_t> chosen;
    bool constant = true;
    for (std::uint32_t c : columns) {
      if (chosen.size() == rows.size()) break;
      std::vector<double> x;
      double scale = 0;
      for (std::uint32_t r : rows) {
        x.push_back(entry(r, c));
        scale = std::max(scale, std::abs(x.back()));
      }
      if (scale == 0) continue;
      for (std::size_t k = 0; k < basis.size(); ++k) {
        const double f = x[lead[k]];
        for (std::size_t i = 0; i < x.size(); ++i) x[i] -= f * basis[k][i];
      }
      const auto it = std::max_element(x.begin(), x.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
      if (std::abs(*it) < 1e-9 * scale) continue;
      const double pivot = *it;
      lead.push_back(static_cast<std::size_t>(it - x.begin()));
      for (double& v : x) v /= pivot;
      basis.push_back(std::move(x));
      chosen.push_back(c);
      constant = constant && constant_column(rows, c);
    }
    if (chosen.size() < rows.size() && !reported_) {
      reported_ = true;
      auto& d = d_.error("E0307", place(*s_.flat, EqId{s_.rows[rows[0]].origin}),
                         "the constraint `" + label(s_, s_.rows[rows[0]]) + "` is singular: its differentiated form does not "
                         "determine as many derivatives as it should");
      d.help = "a constraint may be redundant, or hold for special values only";
    }
    if (!constant && watch) {
      std::vector<std::uint32_t> states;
      for (std::uint32_t c : columns)
        if (std::find(chosen.begin(), chosen.end(), c) == chosen.end()) states.push_back(c);
      s_.choices.push_back({rows, chosen, std::move(states)});
    }
    if (!constant && !warned_) {
      warned_ = true;
      auto& d = d_.warning("W0308", place(*s_.flat, EqId{s_.rows[rows[0]].origin}),
                           "the states could change along the run: `" + label(s_, s_.rows[rows[0]]) +
                               "` is non-linear in them; a fixed choice is used");
      d.help = "`state = prefer` on a variable that always works makes the choice safe";
    }
    return chosen;
  }

  // ∂row/∂column at a random point; the point depends on names only.
  double entry(std::uint32_t r, std::uint32_t c) {
    const SystemRow& row = s_.rows[r];
    const auto ops = s_.bound(row);
    for (std::uint32_t k = 0; k < ops.size(); ++k)
      if (ops[k] == Operand::value(model::SlotId{c})) return evaluate(forms().partial(row.form, k), [&](std::uint32_t i) {
        return random_value(ops[i]);
      });
    return 0;
  }

  double random_value(Operand o) {
    if (o.kind() == OperandKind::constant) return model::constant(model::ConstId{o.index()}).number;
    const std::uint64_t h = o.has_slot() ? key(s_, o.index()) : 0x77;
    return 0.5 + static_cast<double>(mix(h) >> 11) * 0x1p-53;
  }

  bool constant_column(const std::vector<std::uint32_t>& rows, std::uint32_t c) {
    for (std::uint32_t r : rows) {
      const auto ops = s_.bound(s_.rows[r]);
      for (std::uint32_t k = 0; k < ops.size(); ++k) {
        if (ops[k] != Operand::value(model::SlotId{c})) continue;
        for (std::uint32_t i : forms().placeholders(forms().partial(s_.rows[r].form, k)))
          if (!is_constant(s_, ops[i])) return false;
      }
    }
    return true;
  }

  System& s_;
  Diagnostics& d_;
  std::vector<std::uint8_t> preference_;
  bool reported_ = false, warned_ = false;
};

}  // namespace

bool reduce_index(System& s, Diagnostics& d) {
  if (!Solvability(s, d).check()) return false;
  Pantelides(s).run();
  DummyDerivatives(s, d).run();
  return !d.has_errors();
}

}  // namespace kron::session
