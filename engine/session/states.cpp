// Which variables are states: dummy derivatives (Mattsson, Söderlind 1993), from the top order down, and dynamic sets (Mattsson,
// Olsson, Elmqvist 2000) where no fixed choice works everywhere.
//   in    the rows that Pantelides left; the Jacobian of a level of differentiated rows by the derivatives in them
//   out   state, dummy; sets of candidates, of which so many are states as the rows leave free; choices that hints forced
//   how   by classes of the user's wishes, what is least wanted as a state first. In each, pivots that do not change in time make
//         fixed dummy derivatives. Of the Schur complement that is left, the Dulmage-Mendelsohn part with as many rows as columns
//         leaves no choice; each connected component of the part with more columns is a dynamic set
//   keep  values at one random point of two prime fields decide what is zero: it depends on names only
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "engine/session/dynamic_sets.hpp"
#include "engine/session/level_matrix.hpp"
#include "engine/session/level_point.hpp"
#include "engine/session/redundancy.hpp"
#include "engine/session/set_pieces.hpp"
#include "engine/session/system.hpp"
#include "engine/structure/structure.hpp"

namespace kron::session {

using model::forms;
using model::Operand;
using model::OperandKind;

namespace {

class StateChooser {
 public:
  StateChooser(System& s, Diagnostics& d, bool rows_hold)
      : s_(s), d_(d), wish_(state_preferences(s)), preference_(wish_), told_(starts_told(s)), rows_hold_(rows_hold), point_(s) {
    constexpr auto neutral = static_cast<std::uint8_t>(model::StateSelect::default_), avoid = static_cast<std::uint8_t>(model::StateSelect::avoid);
    open_choice();
    integrate_what_is_set();
    for (std::uint32_t v = 0; v < s.variables(); ++v)  // who says where x starts does not avoid it, nor der(x), whichever is declared first
      if (told_[v])
        for (std::uint32_t x = v; x != none; x = s.derivative[x]) {
          told_[x] = true;
          if (preference_[x] == avoid) preference_[x] = neutral;
        }
    for (std::uint32_t v = 0; v < s.variables(); ++v)  // who wants x as a state wants der(x) too
      if (s.antiderivative[v] == none)
        for (std::uint32_t d1 = s.derivative[v], before = v; d1 != none; before = d1, d1 = s.derivative[d1])
          if (preference_[d1] == neutral && preference_[before] > neutral) preference_[d1] = preference_[before];
  }

  // False: rows depend on each other, diagnosed, and nothing is chosen.
  bool run() {
    s_.state.assign(s_.variables(), false);
    s_.dummy.assign(s_.variables(), false);
    s_.sets.clear();
    s_.determined.clear();
    s_.divided.clear();
    s_.given.clear();
    s_.wished = false;
    s_.choices.clear();
    s_.selections = 0;
    select();
    if (reported_) return false;
    number_selections();
    std::ranges::sort(s_.divided);
    s_.divided.erase(std::unique(s_.divided.begin(), s_.divided.end()), s_.divided.end());
    std::vector<bool> candidate(s_.variables(), false);
    for (const DynamicSet& set : s_.sets)
      for (std::uint32_t v : set.candidates) candidate[v] = set.states() > 0;
    for (std::uint32_t v = 0; v < s_.variables(); ++v)
      s_.state[v] = s_.unknown[v] && s_.is_root(v) && s_.derivative[v] != none && !s_.dummy[s_.derivative[v]] && !candidate[v];
    unfulfilled(candidate);
    add_choice_rows(s_);
    return true;
  }

 private:
  struct Taken {  // dummy derivatives, and the rows that give them
    std::vector<std::uint32_t> rows, dependent, held;  // held: columns of the rows
  };

  // Variables, with their derivatives, between which soft wishes are not to decide.
  void open_choice() {
    open_.assign(s_.variables(), false);
    if (s_.open_choice.empty()) return;
    const std::unordered_set<std::string> open(s_.open_choice.begin(), s_.open_choice.end());
    for (std::uint32_t v = 0; v < s_.variables(); ++v) {
      if (!s_.is_root(v) || s_.antiderivative[v] != none || !open.contains(name(s_, v))) continue;
      for (std::uint32_t x = v; x != none; x = s_.derivative[x]) {
        open_[x] = true;
        if (is_soft(preference_[x])) preference_[x] = static_cast<std::uint8_t>(model::StateSelect::prefer);
      }
    }
  }
  // What `reinit` sets is to be a state, a loop's coordinates too, which are chosen at run time else.
  void integrate_what_is_set() {
    for (const FlatModel::FlatAction& a : s_.flat->actions) {
      if (a.kind != model::Action::Kind::reinit || !s_.unknown[a.slot] || s_.representative[a.slot].sign == 0) continue;
      for (std::uint32_t v = s_.representative[a.slot].root.value; v != none; v = s_.antiderivative[v])
        if (preference_[v] != static_cast<std::uint8_t>(model::StateSelect::never)) preference_[v] = static_cast<std::uint8_t>(model::StateSelect::always);
    }
  }
  // By root: where it starts is fixed, or said where it is used.
  static std::vector<bool> starts_told(const System& s) {
    std::vector<bool> told(s.variables(), false);
    const auto tell = [&](std::uint32_t v) {
      if (s.representative[v].sign != 0) told[s.representative[v].root.value] = true;
    };
    for (const model::FlatModel::FlatBinding& b : s.flat->bindings)
      if (b.kind == model::BindingKind::start && is_modified(*s.flat, b)) tell(b.slot);
    for (std::uint32_t v = 0; v < s.flat->slots; ++v)
      if (s.flat->flags[v] & model::SlotFlag::fixed) tell(v);
    return told;
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
    give_axes();
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
    if (rows_hold_) give_values(rows, vars);
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

  // Axes of turned rows are not differentiated with them, or in other blocks: what gives them is looked for among all rows.
  void give_axes() {
    const auto is_turned = [](const SystemRow& r) { return r.axes != none; };
    const bool turned = rows_hold_ && std::ranges::any_of(s_.rows, is_turned);
    if (rows_hold_ || s_.flat->axes.oblique) point_.compute_parameters();  // a rotation by a parameter is one at the random point then
    if (!turned) return;
    std::vector<std::uint32_t> rows, variables;
    for (std::uint32_t r = 0; r < s_.rows.size(); ++r)
      if (s_.rows[r].times == 0 && s_.rows[r].origin != none) rows.push_back(r);
    for (std::uint32_t v = 0; v < s_.variables(); ++v)
      if (s_.unknown[v] && s_.is_root(v) && s_.antiderivative[v] == none && is_given(v)) variables.push_back(v);
    point_.give(rows, variables);
  }
  bool is_given(std::uint32_t v) const { return preference_[v] <= static_cast<std::uint8_t>(model::StateSelect::default_); }

  // What rows give of variables that nobody wants as states is that at the random point.
  void give_values(std::vector<std::uint32_t> rows, const std::vector<std::uint32_t>& columns) {
    for (std::uint32_t& r : rows) r = constraint(r);
    std::vector<std::uint32_t> variables;
    for (std::uint32_t c : columns)
      if (s_.antiderivative[c] != none && is_given(s_.antiderivative[c])) variables.push_back(chain_base(s_, c));
    point_.give(rows, variables);
  }

  std::uint8_t wish(std::uint32_t derivative) const { return preference_[s_.antiderivative[derivative]]; }
  void sort_by_wish(std::vector<std::uint32_t>& columns) const {
    std::sort(columns.begin(), columns.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (wish(a) != wish(b)) return wish(a) < wish(b);
      const bool a_told = told_[s_.antiderivative[a]], b_told = told_[s_.antiderivative[b]];
      return a_told != b_told ? b_told : a > b;  // those of which nobody said where they start become dummies, then later declared ones
    });
  }
  // The row it is a derivative of.
  std::uint32_t constraint(std::uint32_t row) const {
    while (s_.rows[row].previous != none) row = s_.rows[row].previous;
    return row;
  }

  // Chooses among the antiderivatives of `columns`; returns those that are not states, or not always.
  std::vector<std::uint32_t> level(const std::vector<std::uint32_t>& rows, std::vector<std::uint32_t> columns) {
    sort_by_wish(columns);
    LevelMatrix m = point_.jacobian(rows, columns);
    forced_ = fixed_ = determined_ = {};
    triangular_ = true;
    const std::size_t sets_before = s_.sets.size();
    for (std::size_t begin = 0, end = 0; end < columns.size();) {
      const auto least = wish(columns[end]);
      while (end < columns.size() && wish(columns[end]) == least) ++end;
      constant_pivots(m, begin, end);
      if (varying_pivots(m, begin, end)) begin = end;  // else together with the next class
    }
    const auto left = std::find(m.row_done.begin(), m.row_done.end(), false);
    if (left != m.row_done.end()) singular(m.rows[static_cast<std::size_t>(left - m.row_done.begin())], rows);
    watch(forced_, columns, false);
    watch(determined_, columns, true);
    std::vector<std::uint32_t> lower;
    for (std::uint32_t v : columns)
      if (s_.dummy[v]) lower.push_back(s_.antiderivative[v]);
    for (std::size_t k = sets_before; k < s_.sets.size(); ++k)
      if (s_.sets[k].states() > 0) lower.insert(lower.end(), s_.sets[k].candidates.begin(), s_.sets[k].candidates.end());
    return lower;
  }

  // In the order of the columns; but a row with one column of the class only gives that one whatever is taken before it.
  void constant_pivots(LevelMatrix& m, std::size_t begin, std::size_t end) {
    Assignments given(m, begin, end);
    if (triangular_) take_given(m, given);
    const auto note = [&](std::uint32_t r, std::uint32_t c) { note_dummy(m, r, c); };
    std::vector<std::uint32_t> rows(m.rows.size());
    std::iota(rows.begin(), rows.end(), 0u);
    given.eliminate(rows, note);
    if (rows_hold_) drop_unfelt(m);
    for (auto c = static_cast<std::uint32_t>(begin); c < end; ++c) {
      if (m.column_done[c]) continue;
      const auto r = m.shortest(c, [](std::uint32_t, const LevelMatrix::Cell& x) { return x.constant; });
      if (!r) continue;
      note(*r, c);
      triangular_ = false;
      rows = m.eliminate(*r, c);
      given.eliminate(rows, note);
    }
  }

  // What rows give at the random point they give here.
  void take_given(const LevelMatrix& m, Assignments& given) const {
    for (std::uint32_t r = 0; r < m.rows.size(); ++r) {
      if (m.row_done[r]) continue;
      const std::uint32_t v = point_.given_by(constraint(m.rows[r]));
      const auto cell = std::ranges::find_if(m.cells[r], [&](const LevelMatrix::Cell& x) { return chain_base(s_, m.columns[x.column]) == v; });
      if (v != none && cell != m.cells[r].end()) given.take(r, cell->column);
    }
  }

  // Where the sum of squares of an array's rows does not change with a column, it stays zero where it is: there the column is nothing to
  // these rows, though it is where they do not hold. So the joints that carry a loop are none of its candidates: they turn the gap in which
  // the loop is open.
  void drop_unfelt(LevelMatrix& m) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> arrays;
    for (std::uint32_t r = 0; r < m.rows.size(); ++r)
      if (!m.row_done[r]) arrays[model::group(*s_.flat, EqId{s_.rows[m.rows[r]].origin})].push_back(r);
    for (const auto& [group, rows] : arrays) {
      std::unordered_map<std::uint32_t, code::Fingerprint> change;  // by column, of the sum
      for (std::uint32_t r : rows) {
        const code::Fingerprint gap = point_.fingerprint(point_.residual(s_.rows[constraint(m.rows[r])]));
        if (code::is_zero(gap)) continue;
        for (const LevelMatrix::Cell& x : m.cells[r]) {
          code::Fingerprint& sum = change.try_emplace(x.column).first->second;
          sum = sum + gap * x.value;
        }
      }
      for (std::uint32_t r : rows)
        m.drop(r, [&](std::uint32_t column) { const auto at = change.find(column); return at != change.end() && code::is_zero(at->second); });
    }
  }

  void note_dummy(const LevelMatrix& m, std::size_t r, std::size_t c) {
    s_.dummy[m.columns[c]] = true;
    fixed_.rows.push_back(m.rows[r]);
    fixed_.dependent.push_back(m.columns[c]);
  }

  // The columns [begin, end) against the rows that are left. False: columns of the next class must be chosen from too, because the
  // rank of these is smaller than the number of rows they stand in (which of the rows gives which of them varies), or they are too few.
  bool varying_pivots(LevelMatrix& m, std::size_t begin, std::size_t end) {
    structure::Incidence g;
    std::vector<std::uint32_t> rows, columns;
    for (std::uint32_t r = 0; r < m.rows.size(); ++r) {
      if (m.row_done[r]) continue;
      std::vector<std::uint32_t> entries;
      for (const LevelMatrix::Cell& x : m.from(r, begin))
        if (x.column < end) entries.push_back(static_cast<std::uint32_t>(x.column - begin));
      if (entries.empty()) continue;
      rows.push_back(r);
      g.add_row(entries);
    }
    if (rows.empty()) return true;
    g.columns = static_cast<std::uint32_t>(end - begin);
    const structure::Matching matching = structure::match(g);
    const structure::Parts parts = structure::dulmage_mendelsohn(g, matching);
    const bool last = end == m.columns.size();
    const std::vector<std::vector<std::uint32_t>> group = free_components(g, parts);
    for (const auto& members : group)
      if (const auto its = members_rows(rows, members); !last && (could_be_wished(m, its, end) || rank_in(m, its, range(begin, end)) < its.size())) return false;
    const auto left_over = [&](std::size_t k) { return !last && parts.row[k] == structure::Parts::over; };
    bool open = false;
    std::vector<std::uint32_t> solved;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      open = open || left_over(k);
      if (parts.row[k] != structure::Parts::under && !left_over(k)) solved.push_back(rows[k]);
    }
    solve_for(m, solved, begin, end);
    if (open) return false;
    for (const auto& members : group) add_sets(m, members_rows(rows, members), g, members, parts, begin);
    return true;
  }

  // Whether columns of a higher class stand in the rows, which a set without them would make states for good: where the set's candidates alone
  // do not determine each other they would be wrong ones, and nobody would see it. Unless the user insists.
  bool could_be_wished(const LevelMatrix& m, const std::vector<std::uint32_t>& rows, std::size_t end) {
    if (s_.by_class) return false;
    const bool found = std::ranges::any_of(rows, [&](std::uint32_t r) {
      return std::ranges::any_of(m.from(r, end), [&](const LevelMatrix::Cell& x) { return is_soft(wish(m.columns[x.column])); });
    });
    s_.wished = s_.wished || found;
    return found;
  }

  static std::vector<std::uint32_t> members_rows(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& members) {
    std::vector<std::uint32_t> out;
    for (std::uint32_t k : members) out.push_back(rows[k]);
    return out;
  }

  static std::vector<std::uint32_t> range(std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> all(end - begin);
    std::iota(all.begin(), all.end(), static_cast<std::uint32_t>(begin));
    return all;
  }

  // Fixed dummy derivatives with pivots that vary. Forced: columns of a higher class could have been taken instead.
  void solve_for(LevelMatrix& m, const std::vector<std::uint32_t>& rows, std::size_t begin, std::size_t end) {
    if (rows.empty()) return;
    triangular_ = false;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pivots;
    eliminate_sparsest(m, rows, begin, end, [&](std::uint32_t r, std::uint32_t c) {
      note_dummy(m, r, c);
      pivots.emplace_back(r, c);
    });
    std::vector<bool> forced(end - begin, false);  // one that follows from another one that is, too
    for (std::size_t k = pivots.size(); k-- > 0;) {
      const auto [r, c] = pivots[k];
      const auto higher = [&](const LevelMatrix::Cell& x) { return x.column >= end || forced[x.column - begin]; };
      forced[c - begin] = std::ranges::any_of(m.from(r, begin), higher);
    }
    std::sort(pivots.begin(), pivots.end());
    for (const auto& [r, c] : pivots) {
      if (!forced[c - begin]) continue;
      forced_.rows.push_back(m.rows[r]);
      forced_.dependent.push_back(m.columns[c]);
      for (const LevelMatrix::Cell& x : m.cells[r]) forced_.held.push_back(m.columns[x.column]);
    }
  }

  // The forced ones determine their variables through those that were eliminated before them (an angle through the elements of its
  // rotation), so these belong to the choice; the forced ones stand first, for messages.
  void watch(Taken made, const std::vector<std::uint32_t>& columns, bool of_pieces) {
    if (made.rows.empty()) return;
    StateChoice choice;
    choice.among = made.dependent;
    choice.of_pieces = of_pieces;
    const std::unordered_set<std::uint32_t> known(made.rows.begin(), made.rows.end());
    for (std::size_t k = 0; k < fixed_.rows.size(); ++k) {
      if (known.contains(fixed_.rows[k])) continue;
      made.rows.push_back(fixed_.rows[k]);
      made.dependent.push_back(fixed_.dependent[k]);
    }
    for (std::uint32_t r : made.rows) choice.rows.push_back(s_.rows[r]);
    choice.dependent = std::move(made.dependent);
    std::ranges::copy_if(columns, std::back_inserter(choice.states), [&](std::uint32_t c) { return !s_.dummy[c]; });
    std::ranges::copy_if(made.held, std::back_inserter(choice.held), [&](std::uint32_t c) { return !s_.dummy[c]; });
    choice.among.insert(choice.among.end(), choice.states.begin(), choice.states.end());
    for (std::uint32_t& v : choice.among) v = s_.antiderivative[v];
    // What the user insists on stays; where that is all of the states there is no other choice. (Of pieces: what the whole set has.)
    std::erase_if(choice.among, [&](std::uint32_t v) { return !is_soft(preference_[v]); });
    if (std::ranges::none_of(choice.states, [&](std::uint32_t v) { return is_soft(preference_[v]); })) choice.among.clear();
    s_.choices.push_back(std::move(choice));
  }

  void add_sets(LevelMatrix& m, const std::vector<std::uint32_t>& rows, const structure::Incidence& g,
                const std::vector<std::uint32_t>& members, const structure::Parts& parts, std::size_t begin) {
    if (rank_in(m, rows, range(begin, m.columns.size())) < rows.size()) {
      std::vector<std::uint32_t> dependent;
      for (std::uint32_t r : rows) dependent.push_back(m.rows[r]);
      return singular(dependent.back(), dependent);
    }
    std::vector<std::uint32_t> columns;
    for (std::uint32_t k : members)
      for (std::uint32_t c : g[k])
        if (parts.column[c] == structure::Parts::under) columns.push_back(static_cast<std::uint32_t>(begin + c));
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    const std::vector<SetPiece> pieces = divided(m, rows, columns);
    if (pieces.size() > 1)
      for (std::uint32_t c : columns) s_.divided.push_back(chain_base(s_, m.columns[c]));
    for (const SetPiece& p : pieces) {
      add_set(m, p, pieces.size() > 1 ? wholes_ : none);
      if (s_.sets.back().states() == 0) determine(m, p, s_.sets.back().level == 0);
    }
    ++wholes_;
  }

  // What a piece's rows give where the pieces before it have chosen. Watched at the highest level: the Jacobian of those below is the same.
  void determine(const LevelMatrix& m, const SetPiece& piece, bool highest) {
    for (std::size_t k = 0; k < piece.rows.size(); ++k) {
      note_dummy(m, piece.rows[k], piece.columns[k]);
      if (highest) determined_.rows.push_back(m.rows[piece.rows[k]]), determined_.dependent.push_back(m.columns[piece.columns[k]]);
    }
  }

  std::vector<SetPiece> divided(const LevelMatrix& m, const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns) const {
    const auto open = [&](std::uint32_t c) { return open_[m.columns[c]]; };
    if (s_.undivided || std::ranges::any_of(columns, open)) return {{rows, columns}};
    if (std::optional<std::vector<SetPiece>> same = as_above(m, rows, columns)) return std::move(*same);
    std::vector<std::uint32_t> array_of;
    for (std::uint32_t r : rows) array_of.push_back(model::group(*s_.flat, EqId{s_.rows[m.rows[r]].origin}));
    return pieces_of(m, rows, columns, array_of);
  }
  // As one level of differentiation higher.
  std::optional<std::vector<SetPiece>> as_above(const LevelMatrix& m, const std::vector<std::uint32_t>& rows,
                                                const std::vector<std::uint32_t>& columns) const {
    std::vector<SetPiece> pieces;
    std::size_t rows_found = 0, columns_found = 0;
    for (const DynamicSet& above : s_.sets) {
      SetPiece p;
      for (std::uint32_t r : rows)
        if (std::ranges::binary_search(above.rows, m.rows[r])) p.rows.push_back(r);
      for (std::uint32_t c : columns)
        if (std::ranges::find(above.candidates, m.columns[c]) != above.candidates.end()) p.columns.push_back(c);
      if (p.rows.empty()) continue;
      if (p.rows.size() != above.rows.size() || p.columns.size() != above.candidates.size()) return std::nullopt;
      rows_found += p.rows.size();
      columns_found += p.columns.size();
      pieces.push_back(std::move(p));
    }
    if (rows_found != rows.size() || columns_found != columns.size()) return std::nullopt;
    return pieces;
  }

  void add_set(LevelMatrix& m, const SetPiece& piece, std::uint32_t whole) {
    DynamicSet set;
    set.whole = whole;
    for (std::uint32_t c : piece.columns) set.candidates.push_back(s_.antiderivative[m.columns[c]]);
    std::sort(set.candidates.begin(), set.candidates.end());
    for (std::uint32_t r : piece.rows) {
      m.finish(r);
      set.rows.push_back(s_.rows[m.rows[r]].previous);
    }
    std::sort(set.rows.begin(), set.rows.end());
    set.selection = s_.selections++;
    for (const DynamicSet& above : s_.sets)  // the same one level of differentiation higher
      if (above.candidates.size() == set.candidates.size() && above.rows.size() == set.rows.size() &&
          std::is_permutation(set.candidates.begin(), set.candidates.end(), above.candidates.begin(),
                              [&](std::uint32_t v, std::uint32_t w) { return s_.derivative[v] == w; })) {
        set.selection = above.selection;
        set.whole = above.whole;
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
    order_sets(s_);
  }

  // `always` and `never` where the constraints do not leave that choice.
  void unfulfilled(const std::vector<bool>& candidate) {
    for (std::uint32_t v = 0; v < s_.flat->variables(); ++v) {
      if (!s_.unknown[v] || !s_.is_root(v)) continue;
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
    const auto label_of = [&](std::uint32_t r) { return label(s_, s_.rows[constraint(r)]); };
    auto& d = d_.error("E0307", place(s_, s_.rows[row]),
                       "the derivative of the constraint `" + label_of(row) + "` depends on those of others");
    constexpr std::size_t most = 6;
    for (std::uint32_t r : among)
      if (r != row && d.notes.size() < most) d.notes.push_back({place(s_, s_.rows[r]), "`" + label_of(r) + "` is one of them"});
    d.help = "it is redundant, or contradicts them, or holds for special values only: take one of them out";
  }

  System& s_;
  Diagnostics& d_;
  std::vector<std::uint8_t> wish_;        // by variable: what the user says of it
  std::vector<std::uint8_t> preference_;  // the same, derivatives with the wish for what they are derivatives of
  Taken forced_, determined_;  // by hints; by pieces of sets
  Taken fixed_;         // all of the level, in the order of elimination
  std::vector<bool> told_, open_;  // open: a set that has it stays whole
  bool rows_hold_;          // at the random point, those that give variables that nobody wants as states
  bool triangular_ = true;  // of the level no other columns are eliminated than those that rows give
  bool reported_ = false;
  std::uint32_t wholes_ = 0;  // sets before they were divided
  LevelPoint point_;
};

// False: rows depend on each other. Sets stay whole where the pieces would not be the same ones at all levels of differentiation.
bool choose(System& s, Diagnostics& d, bool rows_hold) {
  const std::size_t rows = s.rows.size();
  Diagnostics own;
  bool good = StateChooser(s, own, rows_hold).run();
  if (!s.divided.empty()) {
    System whole = s;
    whole.rows.resize(rows);
    whole.undivided = true;
    Diagnostics of_whole;
    const bool whole_good = StateChooser(whole, of_whole, rows_hold).run();
    if (!good || !whole_good || !chosen_alike(s, whole)) {
      s = std::move(whole);
      own = std::move(of_whole);
      good = whole_good;
    }
    settle_determined(s);
  }
  d.append(own);
  return good;
}

}  // namespace

std::vector<std::uint8_t> state_preferences(const System& s) {
  // The strongest wish to be a state wins; where there is none, never over avoid.
  const auto says_more = [](std::uint8_t wish, std::uint8_t have) {
    constexpr auto neutral = static_cast<std::uint8_t>(model::StateSelect::default_);
    return wish > neutral || have > neutral ? wish > have : have == neutral || wish < have;
  };
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
        if (says_more(wish, have)) have = wish;  // of aliases
      }
    }
  }
  return p;
}

// Where rows depend on each other wherever those hold that give variables, as in a loop that holds more than it needs, the singular block that
// they make tells which of them may go (redundancy.hpp).
void choose_states(System& s, Diagnostics& d, LoopRepeats& repeats) {
  Diagnostics tried;
  if (choose(s, tried, true)) d.append(tried);
  else if (!repeats.closings.look_for_open(*s.flat)) choose(s, d, false);
}

}  // namespace kron::session
