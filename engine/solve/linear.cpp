// Coupled linear blocks: the orderings that apply are tried on the one elimination, the cheapest that stands the checks is kept.
// What it leaves (the core) is solved by pivoting LU; where a pivot may become zero the code is guarded by an LU of the whole
// block.
#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "engine/base/hash.hpp"
#include "engine/solve/checks.hpp"
#include "engine/solve/fill.hpp"
#include "engine/solve/memory.hpp"
#include "engine/solve/rank.hpp"
#include "engine/solve/trials.hpp"
#include "engine/solve/watches.hpp"

namespace kron::solve {

using code::Ref;

namespace {

class LinearBlock {
 public:
  explicit LinearBlock(Work& w)
      : w_(w), t_(w.tape), n_(static_cast<std::uint32_t>(w.rows.size())), views_(w), system_(views_[false].system),
        first_(t_.size()) {}

  BlockSolution run() {
    if (w_.problem.checks) w_.problem.checks->begin_block();
    if (w_.problem.relaxation != "eliminate" && views_[false].problem.has_relaxed)
      if (std::optional<BlockSolution> s = iterated()) return std::move(*s);
    const Memory::Choice* known = memory() ? memory()->find(key()) : nullptr;
    if (known) {
      Candidate c = from(*known);
      if (std::optional<BlockSolution> s = build(c, known->tried, known->misfits)) return std::move(*s);
    }
    if (std::optional<BlockSolution> s = as_before()) return std::move(*s);
    if (hopeless()) return plain({});
    if (!views_.very_large()) views_.name_kinds(w_.problem);  // ties are not tried there
    keep_keys();
    std::vector<Candidate> all = try_orderings(w_, views_, core_unknowns_);
    if (all.empty()) return singular();
    if (dearer_) {  // than before, but perhaps there is none that is cheaper now
      dearer_->tried.rejected.clear();
      all.push_back(std::move(*dearer_));
      sort_by_cost(all);
    }
    if (std::optional<BlockSolution> s = best_of(all, may_be_careful() && n_ > few_unknowns ? near : any)) return std::move(*s);
    if (may_be_careful()) {
      if (!points_tell() && least_cost(all) <= dear * least_cost(all, digits_lost))
        if (std::optional<BlockSolution> s = best_of(all)) return std::move(*s);
      if (std::optional<BlockSolution> s = to_its_end(all)) return std::move(*s);
      std::vector<Candidate> careful = try_careful(w_, views_, core_unknowns_, all);
      all.insert(all.end(), careful.begin(), careful.end());
      sort_by_cost(all);
      if (std::optional<BlockSolution> s = best_of(all)) return std::move(*s);
    }
    return plain(all);
  }

 private:
  // Trials of a large block that fills up would only find that out. The pattern tells too many products of what is long or a tree, in which
  // most entries are ±1 and unknowns of a member go together.
  bool hopeless() const {
    constexpr double factor = 4, narrow = 96;
    if (n_ <= few_unknowns || w_.problem.method != "auto" || w_.problem.torn_by_hand) return false;
    const Fill fill = fill_of(system_);
    return fill.products > factor * static_cast<double>(views_.most_nodes() - first_) && fill.front > narrow;
  }

  // Where an ordering that lost digits does not as far as its own end, at about the same cost, that is as good as can be. Null: none is.
  std::optional<BlockSolution> to_its_end(std::vector<Candidate>& all) {
    constexpr double about = 1.1;
    const double least = least_cost(all, digits_lost);
    const std::vector<Candidate> ends = try_ends(w_, views_, core_unknowns_, all);
    all.insert(all.end(), ends.begin(), ends.end());
    sort_by_cost(all);
    const auto first = std::ranges::find_if(all, [](const Candidate& c) { return c.tried.rejected.empty(); });
    if (first == all.end() || first->cost > about * least) return std::nullopt;
    return best_of(all, near);
  }

  bool may_be_careful() const { return n_ > small_block && w_.problem.method == "auto" && w_.problem.checks; }

  // A choice for the point of a run is good there only.
  Memory* memory() const { return w_.problem.stuck ? nullptr : w_.problem.memory; }

  // In a large block without marks.
  bool may_begin_as_before() const {
    const OrderingProblem& p = views_[false].problem;
    const bool marked = p.has_relaxed || p.has_torn || views_[true].problem.has_relaxed;
    return memory() && n_ > few_unknowns && w_.problem.method == "auto" && !marked;
  }
  std::uint64_t question() const {  // runs ask for some unknowns, initialisation for all
    const std::vector<bool>& wanted = w_.problem.wanted;
    return std::find(wanted.begin(), wanted.end(), true) == wanted.end();
  }
  const std::vector<std::uint64_t>& unknown_keys() {
    if (!unknown_keys_.empty()) return unknown_keys_;
    unknown_keys_ = column_keys();
    std::sort(unknown_keys_.begin(), unknown_keys_.end());
    return unknown_keys_;
  }
  // With the pivots of a block that was much the same. Null: there was none, or they cost more now.
  std::optional<BlockSolution> as_before() {
    if (!may_begin_as_before()) return std::nullopt;
    const Memory::Expected expected = memory()->expected(unknown_keys(), question());
    if (!expected.before) return std::nullopt;
    Candidate c = from(expected.before->choice);
    const View& view = views_[c.aliases];
    if (view.names.row.empty() || (c.aliases && !views_.has_aliases())) return std::nullopt;
    const std::string carried = ", carried over";
    if (!c.tried.name.ends_with(carried)) c.tried.name += carried;
    const auto taken = [&](std::optional<BlockSolution> s) {
      if (s) remember(c, *s, {}, expected.before->rate, std::min(expected.fair, c.cost));
      return s;
    };
    for (const bool mended : {false, true}) {
      CarriedOrder order(expected.before->order, view.names, view.problem, mended);
      c.tried.rejected.clear();
      c.reference = order.reference();
      Elimination e(t_, view.system, c.reference);
      e.set_limit(views_.most_nodes());
      order.run(e, [&](std::uint32_t r, std::uint32_t, Ref p) { return good_pivot(t_, e.row(r), p); });
      c.pivots = e.pivots();
      if (e.exhausted() || !remaining(e).rows.empty()) reject(c, "it does not fit");
      else if (std::optional<BlockSolution> s = taken(complete(e, c, {}, {}, expected.most))) return s;
    }
    if (!dearer_ || dearer_->cost > expected.most_changed) return std::nullopt;
    c = *dearer_;
    c.tried.rejected.clear();
    std::optional<BlockSolution> s = taken(build(c, {c.tried}, {}));
    if (!s) dearer_.reset();  // it does not stand the checks, whatever it costs
    return s;
  }

  // Of those that were not rejected, or for that reason.
  static double least_cost(const std::vector<Candidate>& all, std::string_view rejected = {}) {
    double least = any;
    for (const Candidate& c : all)
      if (c.tried.rejected == rejected) least = std::min(least, c.cost);
    return least;
  }
  // Times what another ordering costs: about the same; so much that others are looked for.
  static constexpr double near = 1.03, dear = 1.25, any = std::numeric_limits<double>::infinity();
  // The cheapest that stands the checks, of those that cost at most so many times what the first does that was not rejected before.
  std::optional<BlockSolution> best_of(std::vector<Candidate>& all, double within = any) {
    const auto relaxed = std::find_if(all.begin(), all.end(), [](const Candidate& c) {
      return !c.pivots.empty() && c.method == Method::relaxed;
    });
    const std::vector<Misfit> misfits = relaxed == all.end() ? std::vector<Misfit>{} : relaxed->misfits;  // told of, whichever is taken
    std::optional<double> least;
    for (Candidate& c : all) {
      if (!c.tried.rejected.empty()) continue;
      if (c.cost > within * least.value_or(c.cost)) break;
      if (!least) least = c.cost;
      std::vector<Tried> tried;
      for (const Candidate& x : all) tried.push_back(x.tried);
      std::optional<BlockSolution> s = build(c, tried, misfits);
      if (!s) continue;
      remember(c, *s, misfits, c.cost / n_, c.cost);
      return s;
    }
    return std::nullopt;
  }

  // `rate`, `fair`: memory.hpp.
  void remember(const Candidate& c, const BlockSolution& s, const std::vector<Misfit>& misfits, double rate, double fair) {
    if (!memory()) return;
    Memory::Choice choice{c.aliases, c.method, c.tried.name, c.pivots, c.reference, c.torn, c.ladder, misfits, s.tried, c.careful};
    memory()->put(key(), choice);
    const NamedPlaces& names = views_[c.aliases].names;
    if (!may_begin_as_before() || names.row.empty() || s.core > 0) return;
    choice.pivots.clear();
    choice.reference.clear();
    memory()->put({unknown_keys(), question(), rate, fair, std::move(choice), named(names, views_[c.aliases].problem, c.pivots, c.reference)});
  }

  // Two threads ask for them.
  void keep_keys() {
    key();
    column_keys();
  }
  // Everything that the choice depends on, but what code before the block may have in common with it.
  std::uint64_t key() {
    if (key_) return *key_;
    std::uint64_t h = combine(hash_text(w_.problem.method), n_);
    const auto add = [&](Ref r) {
      const code::Fingerprint f = t_.fingerprint(r);
      h = absorb(absorb(h, f.a), f.b ^ static_cast<std::uint64_t>(t_.section(r)));
    };
    const OrderingProblem& p = views_[false].problem;
    for (std::uint32_t r = 0; r < n_; ++r) {
      for (const auto& e : system_.rows[r]) {
        h = absorb(h, e.column);
        add(e.value);
      }
      add(system_.rhs[r]);
      for (std::uint32_t c : p.relaxed[r]) h = combine(h, 0x72ull << 32 | c);
      h = combine(h, p.part[r]);
      h = combine(h, std::uint64_t{p.row_group[r]} << 34 | std::uint64_t{p.unknown_group[r]} << 2 |
                         (p.residue_row[r] ? 2u : 0u) | (p.tearing_unknown[r] ? 1u : 0u));
    }
    if (views_.has_aliases()) {
      const View& v = views_[true];
      for (std::size_t r = 0; r < v.system.rows.size(); ++r) {
        h = combine(h, std::uint64_t{v.problem.row_group[r]} << 32 | v.problem.unknown_group[r]);
        for (const auto& e : v.system.rows[r]) h = absorb(h, e.column);
      }
    }
    for (bool wanted : w_.problem.wanted) h = combine(h, wanted);
    for (std::size_t k = w_.begin; k < first_; ++k) {  // how its entries are computed, which costs what the ordering needs of it
      const code::Node& node = t_.nodes()[k];
      h = combine(h, std::uint64_t{static_cast<std::uint8_t>(node.op)} << 8 | static_cast<std::uint8_t>(node.section));
      for (Ref r : t_.arguments(node)) h = absorb(h, r.node() < w_.begin ? 0 : r.node() - w_.begin + 1);
    }
    key_ = mix(h);
    return *key_;
  }

  static Candidate from(const Memory::Choice& k) {
    Candidate c;
    c.aliases = k.aliases;
    c.method = k.method;
    c.tried.name = k.name;
    c.pivots = k.pivots;
    c.reference = k.reference;
    c.torn = k.torn;
    c.ladder = k.ladder;
    c.careful = k.careful;
    return c;
  }

  // On a copy of the tape, too, by another thread: there the block's own key and those of its unknowns are known already.
  std::vector<Ref> core_unknowns(code::Builder& t, const Core& core) {
    std::vector<Ref> u;
    for (std::uint32_t c : core.columns) u.push_back(t.unknown(c < n_ ? column_keys()[c] : combine(key(), c), w_.section));
    return u;
  }
  const std::vector<std::uint64_t>& column_keys() {
    if (column_keys_.empty())
      for (std::uint32_t v : w_.problem.unknowns) column_keys_.push_back(w_.problem.key(v));
    return column_keys_;
  }

  // ---- the chosen one

  // Null where it does not stand the checks; the candidate then says why.
  std::optional<BlockSolution> build(Candidate& c, std::vector<Tried> tried, const std::vector<Misfit>& misfits) {
    Elimination e(t_, views_[c.aliases].system, c.reference);
    for (const auto& [r, k] : c.pivots) {
      if (r >= e.size() || k >= e.size() || !e.active(r) || !e.unsolved(k) || !e.entry(r, k)) return reject(c, "the pivot sequence no longer fits");
      if (w_.problem.stuck && !w_.problem.checks->good_pivot(e.row(r), e.entry(r, k)->value)) return reject(c, "a pivot vanishes");
      e.eliminate(r, k);
    }
    return complete(e, c, std::move(tried), misfits);
  }

  // What has been eliminated. `most`: it is counted, and may cost so much.
  std::optional<BlockSolution> complete(Elimination& e, Candidate& c, std::vector<Tried> tried, const std::vector<Misfit>& misfits,
                                        std::optional<double> most = {}) {
    const Core core = remaining(e);
    std::vector<LinearSystem::Row> core_rows;
    for (std::uint32_t r : core.rows) core_rows.push_back(e.row(r));
    if (rank_deficiency(t_, core_rows, core.columns)) return reject(c, "singular");
    std::vector<Ref> values(e.size(), code::zero);
    const std::vector<Ref> u = core_unknowns(t_, core);
    for (std::size_t k = 0; k < u.size(); ++k) values[core.columns[k]] = u[k];
    e.substitute_back(values);
    Cost cost;
    std::string fault;
    bool loses = false, surely = false;
    const bool checked = w_.problem.checks && core.rows.size() <= Checks::largest_core;
    const auto check = [&] {
      if (checked) fault = w_.problem.checks->fault(system_, values, e, core.rows, core.columns);
    };
    const auto measure = [&] {
      if (most) cost = cost_of(e, t_, core, values, question() ? std::vector<bool>(n_, true) : w_.problem.wanted, {w_.begin, 0});
      if (!checked) return;
      Checks& checks = *w_.problem.checks;
      if (core.rows.empty()) {
        loses = checks.loses_digits(system_, values);
        surely = checks.loses_digits_where_large(system_, values);
      } else if (!e.pivots().empty()) {
        surely = checks.loses_digits_with_core(system_, values, e, core.rows, core.columns);
      }
    };
    if (w_.problem.helper && n_ > few_unknowns) w_.problem.helper->beside(check, measure);
    else check(), measure();
    if (most) {
      weigh(c, cost);
      if (c.cost > *most) {
        if (!dearer_ || c.cost < dearer_->cost) dearer_ = c;
        return reject(c, "it costs more");
      }
      tried = {c.tried};
    }
    if (!fault.empty()) return reject(c, fault);
    if (surely || (loses && loses_digits(c))) return reject(c, std::string(digits_lost));
    BlockSolution s;
    s.kind = Kind::linear;
    s.method = c.method;
    s.ordering = c.tried.name;
    s.core = static_cast<std::uint32_t>(core.rows.size());
    s.torn = c.torn.unknowns;
    s.residues = c.torn.residues;
    s.pivots = c.pivots;
    s.tried = std::move(tried);
    for (const Misfit& m : misfits) s.misfits.emplace_back(m.row, m.unknown);
    if (c.method == Method::relaxed) s.relaxed = relaxed_unknowns(misfits);
    emit(s, e, core, values);
    return s;
  }

  // Whether random points tell something about orderings of this block.
  bool points_tell() {
    if (!points_tell_) points_tell_ = w_.problem.checks->find_telling(system_) > 0;
    return *points_tell_;
  }

  // Random numbers do not fit together as those of a mechanism do: along a row of linkages the speed of each is a random multiple of that
  // of the one before, so after many of them right-hand sides and unknowns are of very different size, and digits are lost in their sums
  // whatever the ordering. So it is also looked at with right-hand sides for which all unknowns are ±1. After very many the matrix is as
  // good as singular, too: then only an ordering is taken that looks at the sizes of pivots.
  bool loses_digits(const Candidate& c) {
    if (!points_tell()) return !c.careful;
    const std::size_t before = t_.size();
    LinearSystem system = views_[c.aliases].system, own = system_;
    system.rhs.assign(system.rhs.size(), code::zero);  // copies of an unknown are equal
    constexpr std::uint64_t tag = 0xd191;
    for (std::uint32_t r = 0; r < n_; ++r) system.rhs[r] = own.rhs[r] = t_.unknown(combine(combine(key(), tag), r), w_.section);
    w_.problem.checks->make_units(own);
    Elimination e(t_, std::move(system), c.reference);
    for (const auto& [row, unknown] : c.pivots) e.eliminate(row, unknown);
    std::vector<Ref> values(e.size(), code::zero);
    e.substitute_back(values);
    const bool loses = w_.problem.checks->loses_digits_with_units(own, values);
    t_.rewind(before);
    w_.problem.checks->rewind(before);
    return loses;
  }

  std::optional<BlockSolution> reject(Candidate& c, std::string why) {
    c.tried.rejected = std::move(why);
    t_.rewind(first_);
    if (w_.problem.checks) w_.problem.checks->rewind(first_);
    return std::nullopt;
  }

  std::vector<std::uint32_t> relaxed_unknowns(const std::vector<Misfit>& dropped) const {
    std::vector<bool> is(n_, false);
    for (std::uint32_t r = 0; r < n_; ++r)
      for (std::uint32_t k : views_[false].problem.relaxed[r])
        if (std::find(dropped.begin(), dropped.end(), Misfit{r, k}) == dropped.end()) is[k] = true;
    std::vector<std::uint32_t> out;
    for (std::uint32_t k = 0; k < n_; ++k)
      if (is[k]) out.push_back(k);
    return out;
  }

  void emit(BlockSolution& s, const Elimination& e, const Core& core, const std::vector<Ref>& values) {
    std::vector<code::Watch> watch, beside;
    std::unordered_set<std::uint32_t> watched;
    std::vector<Ref> pivots;
    for (const auto& [r, c] : s.pivots) {
      const Ref p = e.entry(r, c)->value;
      pivots.push_back(p);
      watch_divisor(t_, p, watch, watched);
      watch_beside(t_, p, e.row(r), beside);
    }
    std::erase_if(s.pivots, [&](const Pivot& p) { return p.first >= n_; });
    std::vector<bool> met(n_, false);
    for (const Pivot& p : s.pivots)
      if (p.second < n_) met[p.second] = true;
    for (Pivot& p : s.pivots) {  // of a copy: the unknown's, which an equation between the two has as its pivot
      if (p.second < n_ || !core.rows.empty()) continue;
      const std::uint32_t unknown = views_.unknown(p.second);
      if (!met[unknown]) p.second = unknown;
      met[unknown] = true;
    }
    std::erase_if(s.pivots, [&](const Pivot& p) { return p.second >= n_; });
    s.values.assign(values.begin(), values.begin() + n_);
    s.guards = static_cast<std::uint32_t>(watch.size());
    watch.insert(watch.end(), beside.begin(), beside.end());
    if (!core.rows.empty()) {
      code::LinearStep step = core_step(e, core, values);
      step.tentative = !watch.empty();
      if (step.tentative)
        for (std::uint32_t u : step.unknowns) watch.push_back({code::Watch::Kind::finite, Ref{u << 1}, {}, {}});
      t_.add_linear(std::move(step), w_.problem.number);
    }
    if (watch.empty()) return;
    code::LinearStep whole;
    whole.size = n_;
    for (std::uint32_t r = 0; r < n_; ++r)
      for (const auto& x : system_.rows[r]) whole.matrix.push_back({r, x.column, x.value});
    whole.rhs = system_.rhs;
    whole.solution = s.values;
    whole.watch = std::move(watch);
    s.values = t_.add_guarded(std::move(whole), first_, pivots, w_.problem.number);
  }

  code::LinearStep core_step(const Elimination& e, const Core& core, const std::vector<Ref>& values) const {
    code::LinearStep step;
    step.size = static_cast<std::uint32_t>(core.rows.size());
    std::vector<std::uint32_t> number(e.size(), 0);
    for (std::uint32_t k = 0; k < step.size; ++k) {
      number[core.columns[k]] = k;
      step.unknowns.push_back(values[core.columns[k]].node());
    }
    for (std::uint32_t k = 0; k < step.size; ++k) {
      for (const auto& x : e.row(core.rows[k])) step.matrix.push_back({k, number[x.column], x.value});
      step.rhs.push_back(e.rhs(core.rows[k]));
    }
    return step;
  }

  // Relaxed unknowns by sweeps at run time.
  std::optional<BlockSolution> iterated() {
    const bool gauss_seidel = w_.problem.relaxation == "iterate";
    const std::vector<std::vector<bool>> swept = swept_entries(views_[false].problem, gauss_seidel);
    if (swept.empty()) return std::nullopt;
    Elimination e(t_, system_);
    const Core core = remaining(e);
    std::vector<LinearSystem::Row> rows;
    for (std::uint32_t r : core.rows) rows.push_back(e.row(r));
    if (rank_deficiency(t_, rows, core.columns)) return std::nullopt;
    BlockSolution s;
    s.kind = Kind::linear;
    s.method = Method::relaxed;
    s.ordering = gauss_seidel ? "gauss-seidel" : "jacobi";
    s.core = n_;
    s.values = core_unknowns(t_, core);
    s.relaxed = relaxed_unknowns({});
    code::LinearStep step = core_step(e, core, s.values);
    for (const auto& row : swept) step.swept.insert(step.swept.end(), row.begin(), row.end());
    t_.add_linear(std::move(step), w_.problem.number);
    return s;
  }

  // ---- where no ordering does

  // Nothing stands the checks, or all are too long: an LU, after the pivots ±1 that cost next to nothing.
  BlockSolution plain(const std::vector<Candidate>& all) {
    Candidate c = try_units(w_, views_, core_unknowns_);
    std::vector<Tried> tried;
    for (const Candidate& x : all) tried.push_back(x.tried);
    tried.push_back(c.tried);
    if (auto s = build(c, tried, {})) return std::move(*s);
    c.pivots.clear();
    if (auto s = build(c, tried, {})) return std::move(*s);
    return singular();
  }

  // Which rows depend on each other, and what they leave open.
  BlockSolution singular() {
    BlockSolution s;
    s.kind = Kind::linear;
    s.method = Method::automatic;
    s.singular = Singular{{}, {}, false};
    constexpr std::uint32_t few = 400;  // beyond: by rank after the pivots ±1
    std::vector<std::uint32_t> rows(n_);
    std::iota(rows.begin(), rows.end(), 0u);
    if (n_ <= few) {
      if (auto bad = rank_deficiency(t_, system_.rows, rows)) s.singular = Singular{std::move(bad->rows), std::move(bad->columns), false};
      return s;
    }
    Elimination e(t_, system_);
    constexpr std::uint64_t limit = 64;
    run_markowitz(e, views_[false].problem, rows, [&](std::uint32_t, std::uint32_t, Ref p) { return t_.is_constant(p); }, {.limit = limit});
    const Core core = remaining(e);
    std::vector<LinearSystem::Row> core_rows;
    for (std::uint32_t r : core.rows) core_rows.push_back(e.row(r));
    if (auto bad = rank_deficiency(t_, core_rows, core.columns)) {
      for (std::uint32_t k : bad->rows) s.singular->rows.push_back(core.rows[k]);
      for (std::uint32_t c : bad->columns) s.singular->unknowns.push_back(c);
    }
    return s;
  }

  Work& w_;
  code::Builder& t_;
  std::uint32_t n_;
  Views views_;
  const LinearSystem& system_;
  std::size_t first_;
  std::optional<std::uint64_t> key_;
  std::optional<bool> points_tell_;  // once that was asked
  std::vector<std::uint64_t> column_keys_;   // of the unknowns
  std::vector<std::uint64_t> unknown_keys_;  // likewise, ascending
  std::optional<Candidate> dearer_;  // the cheaper one of those carried over and rejected for what they cost
  const CoreUnknowns core_unknowns_ = [this](code::Builder& t, const Core& c) { return core_unknowns(t, c); };
};

}  // namespace

// Along an elimination with numbers as coefficients the digits of exact results grow with every step, and so does the time of the next one.
BlockSolution solve_linear(Work& w) {
  constexpr std::size_t few = 4;
  constexpr std::size_t bits = 128;
  if (w.rows.size() <= few) return LinearBlock(w).run();
  const std::size_t before = w.tape.fold_up_to(bits);
  BlockSolution s = LinearBlock(w).run();
  w.tape.fold_up_to(before);
  return s;
}

}  // namespace kron::solve
