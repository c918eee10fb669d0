// Which variables are states: dummy derivatives (Mattsson, Söderlind 1993), from the top order down, and dynamic sets (Mattsson,
// Olsson, Elmqvist 2000) where no fixed choice works everywhere.
//   in    the rows that Pantelides left; the Jacobian of a level of differentiated rows by the derivatives in them
//   out   state, dummy; sets of candidates, of which so many are states as the rows leave free; choices that hints forced
//   how   by classes of the user's wishes, what is least wanted as a state first. In each, pivots that do not change in time make
//         fixed dummy derivatives. Of the Schur complement that is left, the Dulmage-Mendelsohn part with as many rows as columns
//         leaves no choice; each connected component of the part with more columns is a dynamic set
//   keep  values at one random point decide what is zero: it depends on names only
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/hash.hpp"
#include "engine/session/evaluate.hpp"
#include "engine/session/system.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

using model::forms;
using model::Operand;
using model::OperandKind;

namespace {

// One level of rows by the candidates' derivatives, while it is eliminated.
struct LevelMatrix {
  struct Entry {
    double value = 0;
    bool constant = true;
  };
  struct Cell {
    std::uint32_t column = 0;
    Entry entry;
  };
  std::vector<std::uint32_t> rows, columns;         // of the system
  std::vector<std::vector<Cell>> cells;             // by row, columns ascending
  std::vector<std::vector<std::uint32_t>> holders;  // by column: rows that have a cell there, ascending
  std::vector<double> scale;                        // by row: its largest entry
  std::vector<bool> row_done, column_done;

  LevelMatrix(std::vector<std::uint32_t> r, std::vector<std::uint32_t> c)
      : rows(std::move(r)), columns(std::move(c)), cells(rows.size()), holders(columns.size()), scale(rows.size(), 0),
        row_done(rows.size(), false), column_done(columns.size(), false) {}

  bool zero(std::size_t r, const Cell& x) const { return !(std::abs(x.entry.value) > 1e-9 * scale[r]); }
  // Of a row: cells of columns that are not done, from `begin` on, that are not zero.
  template <class F>
  void each(std::size_t r, std::size_t begin, F&& f) const {
    for (auto x = first(r, begin); x != cells[r].end(); ++x)
      if (!column_done[x->column] && !zero(r, *x)) f(*x);
  }
  const Cell* find(std::size_t r, std::size_t c) const {
    const auto x = first(r, c);
    return x != cells[r].end() && x->column == c ? &*x : nullptr;
  }

  void eliminate(std::size_t r, std::size_t c) {
    row_done[r] = column_done[c] = true;
    for (std::uint32_t i : holders[c])
      if (!row_done[i]) subtract(i, r, c);
  }
  // In row i only, for column c.
  void subtract(std::uint32_t i, std::size_t r, std::size_t c) {
    const Cell* x = find(i, c);
    if (!x || zero(i, *x)) return;
    const Entry pivot = find(r, c)->entry;
    const double factor = x->entry.value / pivot.value;
    const bool constant = x->entry.constant && pivot.constant;
    std::vector<Cell> sum;
    auto mine = cells[i].begin();
    const auto keep_up_to = [&](std::uint32_t column) {
      while (mine != cells[i].end() && mine->column < column) sum.push_back(*mine++);
    };
    each(r, 0, [&](const Cell& y) {
      keep_up_to(y.column);
      Cell e{y.column, {}};
      if (mine != cells[i].end() && mine->column == y.column) {
        e = *mine++;
      } else {
        auto& list = holders[y.column];
        list.insert(std::lower_bound(list.begin(), list.end(), i), i);
      }
      e.entry.value -= factor * y.entry.value;
      e.entry.constant = e.entry.constant && constant && y.entry.constant;
      sum.push_back(e);
    });
    keep_up_to(none);
    std::erase_if(sum, [&](const Cell& e) { return e.column == c; });
    cells[i] = std::move(sum);
  }

 private:
  std::vector<Cell>::const_iterator first(std::size_t r, std::size_t c) const {
    return std::lower_bound(cells[r].begin(), cells[r].end(), c, [](const Cell& x, std::size_t column) { return x.column < column; });
  }
};

class StateChooser {
 public:
  StateChooser(System& s, Diagnostics& d) : s_(s), d_(d), wish_(state_preferences(s)), preference_(wish_) {
    constexpr auto neutral = static_cast<std::uint8_t>(model::StateSelect::default_);
    open_choice();
    for (std::uint32_t v = 0; v < s.variables(); ++v)  // who wants x as a state wants der(x) too
      if (s.antiderivative[v] == none)
        for (std::uint32_t d1 = s.derivative[v], before = v; d1 != none; before = d1, d1 = s.derivative[d1])
          if (preference_[d1] == neutral && preference_[before] > neutral) preference_[d1] = preference_[before];
  }

  void run() {
    s_.state.assign(s_.variables(), false);
    s_.dummy.assign(s_.variables(), false);
    select();
    number_selections();
    std::vector<bool> candidate(s_.variables(), false);
    for (const DynamicSet& set : s_.sets)
      for (std::uint32_t v : set.candidates) candidate[v] = true;
    for (std::uint32_t v = 0; v < s_.variables(); ++v)
      s_.state[v] = s_.unknown[v] && s_.is_root(v) && s_.derivative[v] != none && !s_.dummy[s_.derivative[v]] && !candidate[v];
    unfulfilled(candidate);
    for (std::uint32_t k = 0; k < s_.sets.size(); ++k) add_choice_rows(k);
  }

 private:
  // Variables, with their derivatives, between which soft wishes are not to decide.
  void open_choice() {
    if (s_.open_choice.empty()) return;
    const std::unordered_set<std::string> open(s_.open_choice.begin(), s_.open_choice.end());
    for (std::uint32_t v = 0; v < s_.variables(); ++v) {
      if (!s_.is_root(v) || s_.antiderivative[v] != none || !open.contains(name(s_, v))) continue;
      for (std::uint32_t x = v; x != none; x = s_.derivative[x])
        if (is_soft(preference_[x])) preference_[x] = static_cast<std::uint8_t>(model::StateSelect::prefer);
    }
  }
  static bool is_soft(std::uint8_t preference) {
    const auto p = static_cast<model::StateSelect>(preference);
    return p != model::StateSelect::never && p != model::StateSelect::always;
  }

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
      columns.clear();
      for (std::uint32_t c : s_.columns(s_.rows[r]))
        if (s_.derivative[c] == none) columns.push_back(c);
      g.add_row(columns);
    }
    const structure::Blocks blocks = structure::block_lower_triangular(g, structure::match(g));
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      std::vector<std::uint32_t> rows, vars;
      for (std::uint32_t k = blocks.begin[b]; k < blocks.begin[b + 1]; ++k) {
        if (s_.rows[top[blocks.row[k]]].times > 0) rows.push_back(top[blocks.row[k]]);
        vars.push_back(blocks.column[k]);
      }
      block(std::move(rows), std::move(vars));
    }
  }

  void block(std::vector<std::uint32_t> rows, std::vector<std::uint32_t> vars) {
    while (!rows.empty()) {
      std::erase_if(vars, [&](std::uint32_t v) { return s_.antiderivative[v] == none; });
      std::vector<std::uint32_t> lower = level(rows, vars);
      std::vector<std::uint32_t> lower_rows;
      for (std::uint32_t r : rows)
        if (s_.rows[s_.rows[r].previous].times > 0) lower_rows.push_back(s_.rows[r].previous);
      rows = std::move(lower_rows);
      vars = std::move(lower);
    }
  }

  // Chooses among the antiderivatives of `columns`; returns those that are not states, or not always.
  std::vector<std::uint32_t> level(const std::vector<std::uint32_t>& rows, std::vector<std::uint32_t> columns) {
    auto wish = [&](std::uint32_t v) { return preference_[s_.antiderivative[v]]; };
    std::sort(columns.begin(), columns.end(), [&](std::uint32_t a, std::uint32_t b) {
      return wish(a) != wish(b) ? wish(a) < wish(b) : a > b;  // later declared ones become dummies, the first stay states
    });
    LevelMatrix m = matrix(rows, columns);
    forced_ = fixed_ = {};
    const std::size_t sets_before = s_.sets.size();
    for (std::size_t begin = 0, end = 0; end < columns.size();) {
      const auto least = wish(columns[end]);
      while (end < columns.size() && wish(columns[end]) == least) ++end;
      constant_pivots(m, begin, end);
      if (varying_pivots(m, begin, end)) begin = end;  // else together with the next class
    }
    const auto left = std::find(m.row_done.begin(), m.row_done.end(), false);
    if (left != m.row_done.end()) singular(m.rows[static_cast<std::size_t>(left - m.row_done.begin())], rows);
    watch_forced(columns);
    std::vector<std::uint32_t> lower;
    for (std::uint32_t v : columns)
      if (s_.dummy[v]) lower.push_back(s_.antiderivative[v]);
    for (std::size_t k = sets_before; k < s_.sets.size(); ++k)
      lower.insert(lower.end(), s_.sets[k].candidates.begin(), s_.sets[k].candidates.end());
    return lower;
  }

  void constant_pivots(LevelMatrix& m, std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      if (m.column_done[c]) continue;
      const auto good = [&](std::uint32_t r) {
        const LevelMatrix::Cell* x = m.row_done[r] ? nullptr : m.find(r, c);
        return x && x->entry.constant && !m.zero(r, *x);
      };
      const auto r = std::find_if(m.holders[c].begin(), m.holders[c].end(), good);
      if (r != m.holders[c].end()) dummy(m, *r, c);
    }
  }

  void dummy(LevelMatrix& m, std::size_t r, std::size_t c) {
    s_.dummy[m.columns[c]] = true;
    fixed_.rows.push_back(m.rows[r]);
    fixed_.dependent.push_back(m.columns[c]);
    m.eliminate(r, c);
  }

  // The columns [begin, end) against the rows that are left. False: columns of the next class must be chosen from too, because the
  // rank of these is smaller than the number of rows they stand in (which of the rows gives which of them varies), or they are too few.
  bool varying_pivots(LevelMatrix& m, std::size_t begin, std::size_t end) {
    structure::Incidence g;
    std::vector<std::uint32_t> rows, columns;
    for (std::uint32_t r = 0; r < m.rows.size(); ++r) {
      if (m.row_done[r]) continue;
      std::vector<std::uint32_t> entries;
      m.each(r, begin, [&](const LevelMatrix::Cell& x) {
        if (x.column < end) entries.push_back(static_cast<std::uint32_t>(x.column - begin));
      });
      if (entries.empty()) continue;
      rows.push_back(r);
      g.add_row(entries);
    }
    if (rows.empty()) return true;
    g.columns = static_cast<std::uint32_t>(end - begin);
    const structure::Matching matching = structure::match(g);
    const structure::Parts parts = structure::dulmage_mendelsohn(g, matching);
    const bool last = end == m.columns.size();
    const std::vector<std::vector<std::uint32_t>> group = components(g, parts);
    for (const auto& members : group)
      if (!last && rank(m, members_rows(rows, members), begin, end) < members.size()) return false;
    const auto left_over = [&](std::size_t k) { return !last && parts.row[k] == structure::Parts::over; };
    bool open = false;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      open = open || left_over(k);
      if (parts.row[k] != structure::Parts::under && !left_over(k)) solve_for(m, rows[k], begin, end);
    }
    if (open) return false;
    for (const auto& members : group) add_set(m, members_rows(rows, members), g, members, parts, begin);
    return true;
  }

  static std::vector<std::uint32_t> members_rows(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& members) {
    std::vector<std::uint32_t> out;
    for (std::uint32_t k : members) out.push_back(rows[k]);
    return out;
  }

  // Rows of the part with more columns than rows, by connected component over its columns.
  static std::vector<std::vector<std::uint32_t>> components(const structure::Incidence& g, const structure::Parts& parts) {
    std::vector<std::uint32_t> root(g.columns, none), of_row(g.rows(), none);
    std::vector<std::uint32_t> parent(g.columns);
    for (std::uint32_t c = 0; c < g.columns; ++c) parent[c] = c;
    const auto find = [&](std::uint32_t c) {
      while (parent[c] != c) c = parent[c] = parent[parent[c]];
      return c;
    };
    for (std::uint32_t r = 0; r < g.rows(); ++r) {
      if (parts.row[r] != structure::Parts::under) continue;
      for (std::uint32_t k = g.begin[r]; k < g.begin[r + 1]; ++k) {
        if (parts.column[g.column[k]] != structure::Parts::under) continue;
        if (of_row[r] == none) of_row[r] = g.column[k];
        parent[find(g.column[k])] = find(of_row[r]);
      }
    }
    std::vector<std::vector<std::uint32_t>> out;
    for (std::uint32_t r = 0; r < g.rows(); ++r) {
      if (of_row[r] == none) continue;
      std::uint32_t& number = root[find(of_row[r])];
      if (number == none) {
        number = static_cast<std::uint32_t>(out.size());
        out.emplace_back();
      }
      out[number].push_back(r);
    }
    return out;
  }

  static std::size_t rank(const LevelMatrix& m, const std::vector<std::uint32_t>& rows, std::size_t begin, std::size_t end) {
    LevelMatrix part({}, m.columns);  // of these rows
    part.column_done = m.column_done;
    part.row_done.assign(rows.size(), false);
    for (std::uint32_t r : rows) {
      for (const LevelMatrix::Cell& x : m.cells[r]) part.holders[x.column].push_back(static_cast<std::uint32_t>(part.cells.size()));
      part.rows.push_back(m.rows[r]);
      part.cells.push_back(m.cells[r]);
      part.scale.push_back(m.scale[r]);
    }
    std::size_t found = 0;
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (const auto c = largest(part, r, begin, end)) {
        part.eliminate(r, *c);
        ++found;
      }
    return found;
  }
  static std::optional<std::size_t> largest(const LevelMatrix& m, std::size_t r, std::size_t begin, std::size_t end) {
    std::optional<std::size_t> best;
    double size = 0;
    m.each(r, begin, [&](const LevelMatrix::Cell& x) {
      if (x.column >= end || (best && std::abs(x.entry.value) <= size)) return;
      best = x.column;
      size = std::abs(x.entry.value);
    });
    return best;
  }

  // A fixed dummy derivative with a pivot that varies. Forced: columns of a higher class could have been taken instead.
  void solve_for(LevelMatrix& m, std::size_t r, std::size_t begin, std::size_t end) {
    const auto c = largest(m, r, begin, end);
    if (!c) return;
    bool forced = false;
    m.each(r, end, [&](const LevelMatrix::Cell&) { forced = true; });
    if (forced) {
      forced_.rows.push_back(m.rows[r]);
      forced_.dependent.push_back(m.columns[*c]);
    }
    dummy(m, r, *c);
  }

  // The forced ones determine their variables through those that were eliminated before them (an angle through the elements of its
  // rotation), so these belong to the choice; the forced ones stand first, for messages.
  void watch_forced(const std::vector<std::uint32_t>& columns) {
    if (forced_.rows.empty()) return;
    forced_.among = forced_.dependent;
    const std::unordered_set<std::uint32_t> known(forced_.rows.begin(), forced_.rows.end());
    for (std::size_t k = 0; k < fixed_.rows.size(); ++k) {
      if (known.contains(fixed_.rows[k])) continue;
      forced_.rows.push_back(fixed_.rows[k]);
      forced_.dependent.push_back(fixed_.dependent[k]);
    }
    for (std::uint32_t c : columns)
      if (!s_.dummy[c]) forced_.states.push_back(c);
    forced_.among.insert(forced_.among.end(), forced_.states.begin(), forced_.states.end());
    for (std::uint32_t& v : forced_.among) v = s_.antiderivative[v];
    constexpr auto never = static_cast<std::uint8_t>(model::StateSelect::never);
    std::erase_if(forced_.among, [&](std::uint32_t v) { return preference_[v] == never; });
    const auto insisted_on = [&](std::uint32_t v) { return !is_soft(preference_[v]); };
    if (std::any_of(forced_.among.begin(), forced_.among.end(), insisted_on)) forced_.among.clear();
    s_.choices.push_back(forced_);
  }

  void add_set(LevelMatrix& m, const std::vector<std::uint32_t>& rows, const structure::Incidence& g,
               const std::vector<std::uint32_t>& members, const structure::Parts& parts, std::size_t begin) {
    if (rank(m, rows, begin, m.columns.size()) < rows.size()) {
      std::vector<std::uint32_t> dependent;
      for (std::uint32_t r : rows) dependent.push_back(m.rows[r]);
      return singular(dependent.back(), dependent);
    }
    DynamicSet set;
    for (std::uint32_t k : members)
      for (std::uint32_t e = g.begin[k]; e < g.begin[k + 1]; ++e)
        if (parts.column[g.column[e]] == structure::Parts::under) set.candidates.push_back(s_.antiderivative[m.columns[begin + g.column[e]]]);
    std::sort(set.candidates.begin(), set.candidates.end());
    set.candidates.erase(std::unique(set.candidates.begin(), set.candidates.end()), set.candidates.end());
    for (std::uint32_t r : rows) {
      m.row_done[r] = true;
      set.rows.push_back(s_.rows[m.rows[r]].previous);
    }
    std::sort(set.rows.begin(), set.rows.end());
    set.selection = s_.selections++;
    for (const DynamicSet& above : s_.sets)  // the same one level of differentiation higher
      if (above.candidates.size() == set.candidates.size() && above.rows.size() == set.rows.size() &&
          std::is_permutation(set.candidates.begin(), set.candidates.end(), above.candidates.begin(),
                              [&](std::uint32_t v, std::uint32_t w) { return s_.derivative[v] == w; })) {
        set.selection = above.selection;
        set.level = above.level + 1;  // turned round by number_selections
        --s_.selections;
        std::sort(set.candidates.begin(), set.candidates.end(), [&](std::uint32_t v, std::uint32_t w) {
          return position(above, s_.derivative[v]) < position(above, s_.derivative[w]);
        });
        break;
      }
    s_.sets.push_back(std::move(set));
  }
  static std::size_t position(const DynamicSet& set, std::uint32_t v) {
    return static_cast<std::size_t>(std::find(set.candidates.begin(), set.candidates.end(), v) - set.candidates.begin());
  }

  // Level 0 is the variable of which the others are derivatives; alternatives come in its order.
  void number_selections() {
    for (std::uint32_t k = 0; k < s_.selections; ++k) {
      DynamicSet* lowest = nullptr;
      for (DynamicSet& set : s_.sets)
        if (set.selection == k && (!lowest || set.level > lowest->level)) lowest = &set;
      if (!lowest) continue;
      std::sort(lowest->candidates.begin(), lowest->candidates.end());
      const std::uint32_t depth = lowest->level;
      for (DynamicSet& set : s_.sets) {
        if (set.selection != k) continue;
        set.level = depth - set.level;
        set.candidates = lowest->candidates;
        for (std::uint32_t step = 0; step < set.level; ++step)
          for (std::uint32_t& v : set.candidates) v = s_.derivative[v];
      }
    }
    std::stable_sort(s_.sets.begin(), s_.sets.end(), [](const DynamicSet& a, const DynamicSet& b) {
      return a.level != b.level ? a.level < b.level : a.candidates < b.candidates;
    });
    std::vector<std::uint32_t> number(s_.selections, none);
    std::uint32_t next = 0;
    for (DynamicSet& set : s_.sets) {
      if (number[set.selection] == none) number[set.selection] = next++;
      set.selection = number[set.selection];
    }
  }

  // A row for each state of a set that stands for "one of the candidates is known": what sorting needs to know of it.
  void add_choice_rows(std::uint32_t set) {
    const std::vector<std::uint32_t> candidates = s_.sets[set].candidates;
    model::Exprs& e = forms().exprs();
    std::vector<model::NodeId> terms;
    std::vector<Operand> operands;
    for (std::uint32_t k = 0; k < candidates.size(); ++k) {
      terms.push_back(e.placeholder(k));
      operands.push_back(Operand::value(model::SlotId{candidates[k]}));
    }
    model::NodeId sum = terms[0];
    for (std::size_t k = 1; k < terms.size(); ++k) sum = e.add(sum, terms[k]);
    const model::FormId form = forms().intern_placeholders(sum);
    for (std::uint32_t k = 0; k < s_.sets[set].states(); ++k) {
      SystemRow meta;
      meta.origin = none;
      meta.set = set;
      meta.slot = k;
      add_row(s_, form, operands, meta);
    }
  }

  // `always` and `never` where the constraints do not leave that choice.
  void unfulfilled(const std::vector<bool>& candidate) {
    for (std::uint32_t v = 0; v < s_.flat->variables(); ++v) {
      if (!s_.unknown[v] || !s_.is_root(v) || reported_) continue;
      const auto wish = static_cast<model::StateSelect>(wish_[v]);
      const bool refused = wish == model::StateSelect::always && s_.derivative[v] != none && !s_.state[v];
      const bool forced = wish == model::StateSelect::never && (s_.state[v] || candidate[v]);
      if (!refused && !forced) continue;
      const std::string what = "`" + name(s_, v) + "`";
      auto& d = d_.warning("W0317", place(*s_.flat, VarId{v}),
                           forced ? what + (candidate[v] ? " may become a state all the same" : " is a state all the same")
                                  : what + (candidate[v] ? " is not always a state" : " is no state"));
      d.help = forced ? "no other choice gives all variables: `:states` shows what there is to choose from"
                      : "constraints give it from other variables of which as much is asked: `:index` shows them";
    }
  }

  // The constraint's row, and those among which it was found to determine nothing of its own.
  void singular(std::uint32_t row, const std::vector<std::uint32_t>& among) {
    if (reported_) return;
    reported_ = true;
    const auto constraint = [&](std::uint32_t r) -> const SystemRow& {
      while (s_.rows[r].previous != none) r = s_.rows[r].previous;
      return s_.rows[r];
    };
    auto& d = d_.error("E0307", place(s_, s_.rows[row]),
                       "the derivative of the constraint `" + label(s_, constraint(row)) + "` depends on those of others");
    constexpr std::size_t most = 6;
    for (std::uint32_t r : among)
      if (r != row && d.notes.size() < most) d.notes.push_back({place(s_, s_.rows[r]), "`" + label(s_, constraint(r)) + "` is one of them"});
    d.help = "it is redundant, or contradicts them, or holds for special values only: take one of them out";
  }

  LevelMatrix matrix(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns) {
    LevelMatrix m(rows, columns);
    std::unordered_map<std::uint32_t, std::uint32_t> position;
    for (std::uint32_t c = 0; c < columns.size(); ++c) position.emplace(columns[c], c);
    for (std::uint32_t r = 0; r < rows.size(); ++r) {
      const SystemRow& row = s_.rows[rows[r]];
      const auto ops = s_.bound(row);
      for (std::uint32_t k = 0; k < ops.size(); ++k) {
        if (ops[k].kind() != OperandKind::value) continue;
        if (const auto at = position.find(ops[k].index()); at != position.end()) m.cells[r].push_back({at->second, entry(row, ops, k)});
      }
      std::sort(m.cells[r].begin(), m.cells[r].end(), [](const auto& x, const auto& y) { return x.column < y.column; });
      for (const LevelMatrix::Cell& x : m.cells[r]) {
        m.holders[x.column].push_back(r);
        m.scale[r] = std::max(m.scale[r], std::abs(x.entry.value));
      }
    }
    return m;
  }

  // The partial derivative of a row by its operand k at a random point, and whether it varies in time.
  LevelMatrix::Entry entry(const SystemRow& row, std::span<const Operand> ops, std::uint32_t k) {
    const model::NodeId partial = forms().partial(row.form, k);
    const auto used = forms().placeholders(partial);
    return {evaluate(partial, [&](std::uint32_t i) { return random_value(ops[i]); }),
            std::all_of(used.begin(), used.end(), [&](std::uint32_t i) { return is_constant(s_, ops[i]); })};
  }

  double random_value(Operand o) {
    if (o.kind() == OperandKind::constant) return model::constant(model::ConstId{o.index()}).number;
    const std::uint64_t h = o.has_slot() ? key(s_, o.index()) : 0x77;
    return 0.5 + static_cast<double>(mix(h) >> 11) * 0x1p-53;
  }

  System& s_;
  Diagnostics& d_;
  std::vector<std::uint8_t> wish_;        // by variable: what the user says of it
  std::vector<std::uint8_t> preference_;  // the same, derivatives with the wish for what they are derivatives of
  StateChoice forced_;
  StateChoice fixed_;   // all dummy derivatives of the level, in the order of elimination
  bool reported_ = false;
};

}  // namespace

std::vector<std::uint8_t> state_preferences(const System& s) {
  std::vector<std::uint8_t> p(s.variables(), static_cast<std::uint8_t>(model::StateSelect::default_));
  for (std::uint32_t i = 0; i < s.flat->instances.size(); ++i) {
    const auto& inst = s.flat->instances[i];
    for (const auto& d : inst.type->declarations) {
      if (d.state == model::StateSelect::default_) continue;
      for (std::uint32_t k = 0; k < d.count; ++k) {
        const Representative& r = s.representative[inst.slot_base + d.first + k];
        if (r.sign == 0) continue;
        auto& have = p[r.root.value];
        const auto wish = static_cast<std::uint8_t>(d.state);
        const auto neutral = static_cast<std::uint8_t>(model::StateSelect::default_);
        if (have == neutral || wish > have) have = wish;  // aliases: the strongest wish to be a state wins
      }
    }
  }
  return p;
}

void choose_states(System& s, Diagnostics& d) { StateChooser(s, d).run(); }

}  // namespace kron::session
