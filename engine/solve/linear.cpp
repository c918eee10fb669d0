// Coupled linear blocks: the orderings that apply are tried on the one elimination, the cheapest that stands the checks is kept.
// What it leaves (the core) is solved by pivoting LU; where a pivot may become zero the code is guarded by an LU of the whole
// block.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_set>

#include "engine/base/hash.hpp"
#include "engine/solve/checks.hpp"
#include "engine/solve/fill.hpp"
#include "engine/solve/ladder.hpp"
#include "engine/solve/ordering.hpp"
#include "engine/solve/rank.hpp"
#include "engine/solve/rows.hpp"

namespace kron::solve {

using code::Ref;
using model::forms;

namespace {

LinearSystem assemble(Work& w) {
  LinearSystem s;
  for (const WorkRow& r : w.rows) {
    std::vector<LinearSystem::Entry> row;
    for (const Occurrence& o : r.occurrences)
      if (const Ref a = w.partial(r, o.placeholder); !w.tape.is_zero(a)) row.push_back({o.unknown, a});
    s.rows.push_back(std::move(row));
    s.rhs.push_back(-w.residual(r));  // the unknowns' values are zero here
  }
  return s;
}

// A number may be a pivot unless it is small beside the numbers of its row: then elimination would round the row's content
// away, and the numerical core does better. Other entries are watched when the code runs.
bool good_pivot(const code::Builder& t, const std::vector<LinearSystem::Entry>& row, Ref p) {
  const code::Constant* c = t.constant_of(p);
  if (!c) return true;
  for (const auto& e : row)
    if (const code::Constant* x = t.constant_of(e.value); x && x->number > 100 * c->number) return false;
  return true;
}

struct Candidate {
  bool aliases = false;  // on the system with connector aliases kept
  Tried tried;
  Method method{};
  std::vector<Pivot> pivots;
  Torn torn;
  double cost = 0;
  int ladder = -1;       // which of the block's ladders it follows, but for so many last stations
  std::size_t leave = 0;
  bool units_first = false;
};

// What the nodes made since `first` and needed for `roots` cost.
class Live {
 public:
  Live(const code::Builder& t, std::size_t first) : t_(t), first_(first), seen_(t.size() - first, false) {}
  void want(Ref r) {
    if (r.node() < first_ || seen_[r.node() - first_]) return;
    seen_[r.node() - first_] = true;
    open_.push_back(r.node());
  }
  // With `share` 1 they are counted; what only stored results need costs less and is not.
  void count(Candidate& c, double share) {
    constexpr double early = 1e-3, division = 2.5;  // in units of a multiplication; early: of the parameter section
    Tried& t = share == 1 ? c.tried : other_;
    while (!open_.empty()) {
      const code::Node& n = t_.nodes()[open_.back()];
      open_.pop_back();
      for (Ref r : t_.arguments(n)) want(r);
      const double weight = share * (n.section == code::Section::dynamic ? 1 : early);
      if (n.op == code::Op::add) ++t.add, c.cost += weight;
      else if (n.op == code::Op::mul) ++t.mul, c.cost += weight;
      else if (n.op == code::Op::div || n.op == code::Op::inv) ++t.div, c.cost += division * weight;
    }
  }

 private:
  const code::Builder& t_;
  std::size_t first_;
  std::vector<bool> seen_;
  std::vector<std::uint32_t> open_;
  Tried other_;
};

// Operations of an LU of the core: dense, or a guess from its entries.
double core_cost(std::size_t n, std::size_t entries) {
  const auto k = static_cast<double>(n);
  return n <= 40 ? k * (k - 1) * (2 * k - 1) / 3 + 2 * k * (k - 1) + 4 * k
                 : 40 * static_cast<double>(entries);
}

constexpr std::uint32_t none = ~0u;
constexpr std::uint32_t few = 400;   // unknowns: up to here every ordering is tried

class LinearBlock {
 public:
  explicit LinearBlock(Work& w) : w_(w), t_(w.tape), n_(static_cast<std::uint32_t>(w.rows.size())), system_(assemble(w)) {
    p_.tape = &t_;
    p_.system = &system_;
    p_.row_group = dense(w.problem.row_group);
    p_.unknown_group = dense(w.problem.unknown_group);
    p_.relaxed.resize(n_);
    p_.residue_row = w.residue_row;
    p_.tearing_unknown = w.tearing_unknown;
    std::size_t entries = 0;
    for (std::uint32_t r = 0; r < n_; ++r) {
      p_.relaxed[r] = w.rows[r].relaxed;
      p_.has_relaxed |= !p_.relaxed[r].empty();
      p_.has_torn |= w.residue_row[r] || w.tearing_unknown[r];
      entries += system_.rows[r].size();
    }
    first_ = t_.size();
    // Beyond this much code the numerical factorisation does better than straight-line code.
    p_.most_nodes = first_ + 4000 + 16 * entries;
    keep_aliases();
  }

  BlockSolution run() {
    if (w_.problem.relaxation != "eliminate" && p_.has_relaxed)
      if (std::optional<BlockSolution> s = iterated()) return std::move(*s);
    const Memory::Choice* known = w_.problem.memory ? w_.problem.memory->find(key()) : nullptr;
    if (known) {
      Candidate c = from(*known);
      misfits_ = known->misfits;
      if (std::optional<BlockSolution> s = build(c, known->tried)) return std::move(*s);
    }
    std::vector<Candidate> all;
    const std::string& method = w_.problem.method;
    // Trials of a large block that fills up would only find that out.
    constexpr double hopeless = 4;
    if (n_ > few && method == "auto" && !w_.problem.torn_by_hand &&
        elimination_products(system_) > hopeless * static_cast<double>(p_.most_nodes - first_))
      return plain(all);
    all = candidates();
    if (all.empty()) return singular();
    std::stable_sort(all.begin(), all.end(), [](const Candidate& x, const Candidate& y) { return x.cost < y.cost; });
    for (Candidate& c : all) {
      if (!c.tried.rejected.empty()) continue;
      std::vector<Tried> tried;
      for (const Candidate& x : all) tried.push_back(x.tried);
      if (std::optional<BlockSolution> s = build(c, tried)) {
        if (w_.problem.memory) w_.problem.memory->put(key(), {c.aliases, c.method, c.tried.name, c.pivots, c.torn, misfits_, s->tried});
        return std::move(*s);
      }
    }
    return plain(all);
  }

 private:
  static std::vector<std::uint32_t> dense(const std::vector<std::uint64_t>& groups) {
    std::unordered_map<std::uint64_t, std::uint32_t> number;
    std::vector<std::uint32_t> out;
    for (std::uint64_t g : groups) out.push_back(number.emplace(g, static_cast<std::uint32_t>(number.size())).first->second);
    return out;
  }

  // The same block with a copy of an unknown for each variable of its alias set that the equations name, and the equations
  // x = ±y of the model between them. Array groups and data flow are then those of the components, which the ladder needs;
  // elimination takes the copies out again at no cost.
  void keep_aliases() {
    if (w_.problem.row_group.empty() || !w_.problem.neighbours) return;
    expanded_ = system_;
    q_ = p_;
    std::vector<std::uint64_t> row_group = w_.problem.row_group, unknown_group = w_.problem.unknown_group;
    std::vector<std::vector<std::uint64_t>> members(n_);
    for (const WorkRow& r : w_.rows)
      for (const Occurrence& o : r.occurrences) members[o.unknown].push_back(o.member);
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> copy;  // the first member is the unknown itself
    for (std::uint32_t c = 0; c < n_; ++c) {
      auto& m = members[c];
      std::sort(m.begin(), m.end());
      m.erase(std::unique(m.begin(), m.end()), m.end());
      if (m.empty()) continue;
      unknown_group[c] = w_.problem.member_group(m[0]);
      if (m.size() == 1) continue;
      for (const Tie& t : tree(m)) {
        for (std::uint64_t x : {t.a, t.b}) {
          const auto next = static_cast<std::uint32_t>(unknown_group.size());
          if (!copy.emplace(std::pair{c, x}, x == m[0] ? c : next).second || x == m[0]) continue;
          unknown_group.push_back(w_.problem.member_group(x));
        }
        expanded_.rows.push_back({{copy.at({c, t.a}), code::one}, {copy.at({c, t.b}), -code::one}});
        auto& row = expanded_.rows.back();
        if (row[0].column > row[1].column) std::swap(row[0], row[1]);
        expanded_.rhs.push_back(code::zero);
        row_group.push_back(t.group);
        q_.relaxed.emplace_back();
        if (t.a_relaxed || t.b_relaxed) q_.relaxed.back().push_back(copy.at({c, t.a_relaxed ? t.a : t.b}));
      }
    }
    if (copy.empty()) return;
    const auto copied = [&](std::uint32_t r, std::uint32_t unknown) {
      for (const Occurrence& o : w_.rows[r].occurrences)
        if (o.unknown == unknown)
          if (const auto it = copy.find({unknown, o.member}); it != copy.end()) return it->second;
      return unknown;
    };
    for (std::uint32_t r = 0; r < n_; ++r) {
      for (auto& x : expanded_.rows[r]) x.column = copied(r, x.column);
      std::sort(expanded_.rows[r].begin(), expanded_.rows[r].end(),
                [](const auto& x, const auto& y) { return x.column < y.column; });
      for (auto& x : q_.relaxed[r]) x = copied(r, x);
      std::sort(q_.relaxed[r].begin(), q_.relaxed[r].end());
    }
    q_.system = &expanded_;
    q_.row_group = dense(row_group);
    q_.unknown_group = dense(unknown_group);
    q_.has_relaxed |= std::any_of(q_.relaxed.begin() + n_, q_.relaxed.end(), [](const auto& r) { return !r.empty(); });
    q_.residue_row.resize(expanded_.rows.size(), false);
    q_.tearing_unknown.resize(expanded_.rows.size(), false);
    has_aliases_ = true;
  }
  struct Tie {
    std::uint64_t a = 0, b = 0, group = 0;
    bool a_relaxed = false, b_relaxed = false;
  };
  // Equations that hold the wanted members (ascending) together, by a walk from the first; members on the way are taken along. What
  // the walk does not reach (aliases that follow from sums) is tied to the first.
  std::vector<Tie> tree(const std::vector<std::uint64_t>& wanted) const {
    std::map<std::uint64_t, Tie> from{{wanted[0], {}}};  // the tie by which it was reached
    std::vector<std::uint64_t> order{wanted[0]};
    std::vector<BlockProblem::Neighbour> near;
    for (std::size_t k = 0; k < order.size(); ++k) {
      near.clear();
      w_.problem.neighbours(order[k], near);
      for (const auto& x : near)
        if (from.emplace(x.member, Tie{order[k], x.member, x.group, x.from_relaxed, x.relaxed}).second) order.push_back(x.member);
    }
    std::vector<Tie> out;
    std::unordered_set<std::uint64_t> kept{wanted[0]};
    for (std::uint64_t m : wanted) {
      if (!from.contains(m)) {
        out.push_back({wanted[0], m, combine(0xa11a5, w_.problem.member_group(m))});
        continue;
      }
      for (std::uint64_t at = m; kept.insert(at).second; at = from.at(at).a) out.push_back(from.at(at));
    }
    return out;
  }
  const OrderingProblem& problem(const Candidate& c) const { return c.aliases ? q_ : p_; }
  const LinearSystem& system(const Candidate& c) const { return c.aliases ? expanded_ : system_; }

  // Everything that the choice depends on.
  std::uint64_t key() {
    if (key_) return *key_;
    std::uint64_t h = combine(hash_text(w_.problem.method), n_);
    const auto add = [&](Ref r) {
      const code::Fingerprint f = t_.fingerprint(r);
      h = combine(combine(combine(h, f.a), f.b), static_cast<std::uint64_t>(t_.section(r)));
    };
    for (std::uint32_t r = 0; r < n_; ++r) {
      for (const auto& e : system_.rows[r]) {
        h = combine(h, e.column);
        add(e.value);
      }
      add(system_.rhs[r]);
      for (std::uint32_t c : p_.relaxed[r]) h = combine(h, 0x72ull << 32 | c);
      h = combine(h, std::uint64_t{p_.row_group[r]} << 34 | std::uint64_t{p_.unknown_group[r]} << 2 |
                         (p_.residue_row[r] ? 2u : 0u) | (p_.tearing_unknown[r] ? 1u : 0u));
    }
    if (has_aliases_)
      for (std::size_t r = 0; r < expanded_.rows.size(); ++r) {
        h = combine(h, std::uint64_t{q_.row_group[r]} << 32 | q_.unknown_group[r]);
        for (const auto& e : expanded_.rows[r]) h = combine(h, e.column);
      }
    key_ = h;
    return h;
  }

  static Candidate from(const Memory::Choice& k) {
    Candidate c;
    c.aliases = k.aliases;
    c.method = k.method;
    c.tried.name = k.name;
    c.pivots = k.pivots;
    c.torn = k.torn;
    return c;
  }

  // ---- trials

  std::vector<Candidate> candidates() {
    const std::string& method = w_.problem.method;
    std::vector<Candidate> all;
    if (method == "dense" || method == "sparse") {
      const Method m = method == "dense" ? Method::dense : Method::sparse;
      add(all, "natural", m, [](Elimination&, Candidate&) {});
      return all;
    }
    const bool told = w_.problem.torn_by_hand && p_.has_torn;
    if (method == "tear" || (told && method == "auto")) {
      add(all, "tearing", Method::torn, [&](Elimination& e, Candidate& c) { c.torn = run_torn(e, p_); });
      return all;
    }
    for (const bool aliases : {false, true}) {
      const OrderingProblem& p = aliases ? q_ : p_;
      if (!p.has_relaxed || (aliases && !has_aliases_)) continue;
      add(all, aliases ? "relaxed, aliases kept" : "relaxed", Method::relaxed, [&](Elimination& e, Candidate&) {
        misfits_.clear();
        run_relaxed(e, p, misfits_);
        finish(e);
      }, aliases);
    }
    if (!all.empty() && method == "relax") return all;
    if (p_.has_torn)
      add(all, "tearing", Method::torn, [&](Elimination& e, Candidate& c) { c.torn = run_torn(e, p_); });
    const std::size_t before = all.size();
    for (const bool aliases : {false, true})
      if (!aliases || has_aliases_) automatic(all, aliases);
    last_stations(all, before);
    other_ties(all, before);
    return all;
  }

  // The best few again with equally cheap pivots in another order: how the model is written should not decide what it costs.
  void other_ties(std::vector<Candidate>& all, std::size_t from) {
    constexpr std::uint32_t small = 130;  // unknowns: where single pivots show in the count
    if (n_ > small) return;
    std::vector<Candidate> best;
    for (std::size_t k = from; k < all.size(); ++k)
      if (all[k].tried.rejected.empty()) best.push_back(all[k]);
    std::stable_sort(best.begin(), best.end(), [](const Candidate& x, const Candidate& y) { return x.cost < y.cost; });
    constexpr std::size_t tried = 3;
    constexpr std::uint32_t seeds = 6;
    constexpr int regular = 3;  // by arrays, aliases kept
    const auto it = std::find_if(best.begin(), best.end(), [](const Candidate& c) { return c.ladder == regular; });
    if (it - best.begin() >= static_cast<std::ptrdiff_t>(tried) && it != best.end()) std::swap(best[tried - 1], *it);
    best.resize(std::min(best.size(), tried));
    for (const Candidate& b : best) {
      Candidate winner;
      for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
        std::vector<Candidate> one;
        add(one, b.tried.name + ", ties by lot", Method::automatic, [&](Elimination& e, Candidate& c) {
          c.ladder = b.ladder;
          if (b.ladder >= 0) {
            const Ladders& l = ladders_[static_cast<std::size_t>(b.ladder)];
            run_ladder(e, problem(b), l.pairs, l.stations, b.leave, seed);
          }
          finish(e, b.units_first, seed);
        }, b.aliases);
        if (!one.empty() && one[0].tried.rejected.empty() && (seed == 1 || one[0].cost < winner.cost)) winner = one[0];
      }
      if (!winner.tried.name.empty() && winner.cost < b.cost) all.push_back(std::move(winner));
    }
  }

  // Without anybody's word, on the block as it is or with its aliases kept.
  void automatic(std::vector<Candidate>& all, bool aliases) {
    const OrderingProblem& p = aliases ? q_ : p_;
    const std::string kept = aliases ? ", aliases kept" : "";
    for (const bool units : {false, true})
      if (n_ <= few || (!units && !aliases))
        add(all, (units ? "markowitz, units first" : "markowitz") + kept, Method::automatic,
            [&](Elimination& e, Candidate& c) {
              c.units_first = units;
              finish(e, units);
            }, aliases);
    for (const bool whole : {false, true}) {
      if (n_ > few && whole != aliases) continue;
      Ladders& l = ladders_[2 * aliases + whole];
      l.pairs = pair_groups(p, whole);
      if (l.pairs.rows.size() < 2 || (whole && l.pairs.rows == ladders_[2 * aliases].pairs.rows)) continue;
      l.stations = ladder_stations(l.pairs);
      add(all, (whole ? "ladder by arrays" : "ladder") + kept, Method::automatic, [&](Elimination& e, Candidate& c) {
        c.ladder = 2 * aliases + whole;
        run_ladder(e, p, l.pairs, l.stations);
        finish(e);
      }, aliases);
    }
  }

  // The ladders again with Markowitz for the last stations; of a large block only the best one.
  void last_stations(std::vector<Candidate>& all, std::size_t from) {
    std::vector<Candidate> ladders;
    for (std::size_t k = from; k < all.size(); ++k)
      if (all[k].ladder >= 0 && all[k].tried.rejected.empty()) ladders.push_back(all[k]);
    if (n_ > few && !ladders.empty())
      ladders = {*std::min_element(ladders.begin(), ladders.end(), [](auto& x, auto& y) { return x.cost < y.cost; })};
    for (const Candidate& best : ladders) {
      const Ladders& l = ladders_[static_cast<std::size_t>(best.ladder)];
      for (std::size_t leave = n_ > few ? 3 : 1; leave <= 3 && leave < l.stations.size(); ++leave)
        for (const bool units : {false, true}) {
          if (units && n_ > few) continue;
          add(all, best.tried.name + ", markowitz " + std::to_string(leave) + (units ? " units first" : ""), Method::automatic,
              [&](Elimination& e, Candidate& c) {
                c.ladder = best.ladder;
                c.leave = leave;
                c.units_first = units;
                run_ladder(e, problem(best), l.pairs, l.stations, leave);
                finish(e, units);
              }, best.aliases);
        }
    }
  }

  void finish(Elimination& e, bool units_first = false, std::uint32_t seed = 0) const {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t r = 0; r < e.size(); ++r)
      if (e.active(r)) rows.push_back(r);
    run_markowitz(e, e.size() == n_ ? p_ : q_, rows, [&](std::uint32_t r, std::uint32_t, Ref p) { return good_pivot(t_, e.row(r), p); },
                  {.units_first = units_first, .seed = seed});
  }

  struct Core {
    std::vector<std::uint32_t> rows, columns;
    std::size_t entries = 0;
  };
  Core remaining(const Elimination& e) const {
    Core c;
    for (std::uint32_t k = 0; k < e.size(); ++k) {
      if (e.active(k)) {
        c.rows.push_back(k);
        c.entries += e.row(k).size();
      }
      if (e.unsolved(k)) c.columns.push_back(k);
    }
    return c;
  }
  std::vector<Ref> core_unknowns(const Core& core) {
    std::vector<Ref> u;
    for (std::uint32_t c : core.columns)
      u.push_back(t_.unknown(c < n_ ? w_.problem.key(w_.problem.unknowns[c]) : combine(key(), c), w_.section));
    return u;
  }

  template <class F>
  void add(std::vector<Candidate>& all, std::string name, Method method, F&& order, bool aliases = false) {
    Candidate c;
    c.aliases = aliases;
    c.tried.name = std::move(name);
    c.method = method;
    Elimination e(t_, system(c));
    order(e, c);
    const Core core = remaining(e);
    if (t_.size() > p_.most_nodes) {
      c.tried.rejected = "too much code";
    } else if (std::any_of(core.rows.begin(), core.rows.end(), [&](auto r) { return e.row(r).empty(); })) {
      c.tried.rejected = "singular";
      c.tried.core = core.rows.size();
      t_.rewind(first_);
      return;
    } else {
      c.pivots = e.pivots();
      measure(c, e, core);
    }
    t_.rewind(first_);
    all.push_back(std::move(c));
  }

  void measure(Candidate& c, Elimination& e, const Core& core) {
    std::vector<Ref> values(e.size(), code::zero);
    const std::vector<Ref> u = core_unknowns(core);
    for (std::size_t k = 0; k < u.size(); ++k) values[core.columns[k]] = u[k];
    e.substitute_back(values);
    values.resize(n_);
    Live live(t_, first_);
    const std::vector<bool>& wanted = w_.problem.wanted;
    const bool some = std::find(wanted.begin(), wanted.end(), true) != wanted.end();
    for (std::uint32_t k = 0; k < n_; ++k)
      if (!some || wanted[k]) live.want(values[k]);
    for (std::uint32_t r : core.rows) {
      for (const auto& x : e.row(r)) live.want(x.value);
      live.want(e.rhs(r));
    }
    live.count(c, 1);
    constexpr double stored = 0.05;
    for (Ref r : values) live.want(r);
    live.count(c, stored);
    c.tried.core = core.rows.size();
    if (!core.rows.empty()) c.cost += core_cost(core.rows.size(), core.entries);
    // Where two ways cost about the same, the one that somebody asked for is taken, then the more regular one.
    if (c.method == Method::relaxed || c.method == Method::torn) c.cost *= 0.95;
    if (c.aliases && c.ladder >= 0) c.cost *= 0.99;
  }

  // ---- the chosen one

  // Null where it does not stand the checks; the candidate then says why.
  std::optional<BlockSolution> build(Candidate& c, std::vector<Tried> tried) {
    Elimination e(t_, system(c));
    for (const auto& [r, k] : c.pivots) {
      if (r >= e.size() || k >= e.size() || !e.active(r) || !e.unsolved(k) || !e.entry(r, k)) return reject(c, "the pivot sequence no longer fits");
      e.eliminate(r, k);
    }
    const Core core = remaining(e);
    std::vector<std::vector<LinearSystem::Entry>> core_rows;
    for (std::uint32_t r : core.rows) core_rows.push_back(e.row(r));
    if (rank_deficiency(t_, core_rows, core.columns)) return reject(c, "singular");
    std::vector<Ref> values(e.size(), code::zero);
    const std::vector<Ref> u = core_unknowns(core);
    for (std::size_t k = 0; k < u.size(); ++k) values[core.columns[k]] = u[k];
    e.substitute_back(values);
    if (w_.problem.checks && core.rows.size() <= Checks::largest_core) {
      const std::string fault = w_.problem.checks->fault(system_, values, e, core.rows, core.columns);
      if (!fault.empty()) return reject(c, fault);
    }
    BlockSolution s;
    s.kind = Kind::linear;
    s.method = c.method;
    s.ordering = c.tried.name;
    s.core = static_cast<std::uint32_t>(core.rows.size());
    s.torn = c.torn.unknowns;
    s.residues = c.torn.residues;
    s.pivots = c.pivots;
    s.tried = std::move(tried);
    for (const Misfit& m : misfits_) s.misfits.emplace_back(m.row, m.unknown);
    if (c.method == Method::relaxed) s.relaxed = relaxed_unknowns();
    emit(s, e, core, values);
    return s;
  }

  std::optional<BlockSolution> reject(Candidate& c, std::string why) {
    c.tried.rejected = std::move(why);
    t_.rewind(first_);
    if (w_.problem.checks) w_.problem.checks->rewind(first_);
    return std::nullopt;
  }

  std::vector<std::uint32_t> relaxed_unknowns() const {
    std::vector<bool> is(n_, false);
    for (std::uint32_t r = 0; r < n_; ++r)
      for (std::uint32_t k : p_.relaxed[r])
        if (std::find(misfits_.begin(), misfits_.end(), Misfit{r, k}) == misfits_.end()) is[k] = true;
    std::vector<std::uint32_t> out;
    for (std::uint32_t k = 0; k < n_; ++k)
      if (is[k]) out.push_back(k);
    return out;
  }

  void emit(BlockSolution& s, const Elimination& e, const Core& core, const std::vector<Ref>& values) {
    std::vector<code::Watch> watch;
    std::unordered_set<std::uint32_t> watched;
    for (const auto& [r, c] : s.pivots) conditions(e.entry(r, c)->value, watch, watched);
    std::erase_if(s.pivots, [&](const Pivot& p) { return p.first >= n_ || p.second >= n_; });
    s.values.assign(values.begin(), values.begin() + n_);
    s.guards = static_cast<std::uint32_t>(watch.size());
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
    s.values = t_.add_guarded(std::move(whole), first_, w_.problem.number);
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

  // What must hold for a division by p: its factors are not zero, its sums not what is left of a cancellation.
  void conditions(Ref p, std::vector<code::Watch>& watch, std::unordered_set<std::uint32_t>& watched) const {
    std::vector<Ref> open{p};
    while (!open.empty()) {
      const Ref r{open.back().bits & ~1u};
      open.pop_back();
      if (t_.is_constant(r) || !watched.insert(r.node()).second) continue;
      const code::Node& n = t_.nodes()[r.node()];
      switch (n.op) {
        case code::Op::mul:
          open.insert(open.end(), {n.a, n.b});
          break;
        case code::Op::div:  // the divisor is a pivot, or the user's own
        case code::Op::inv:
        case code::Op::pow_int:
          open.push_back(n.a);
          break;
        case code::Op::add:
          watch.push_back({code::Watch::Kind::sum, r, n.a, n.b});
          break;
        default:
          watch.push_back({code::Watch::Kind::nonzero, r, {}, {}});
      }
    }
  }

  // Relaxed unknowns by sweeps at run time.
  std::optional<BlockSolution> iterated() {
    const bool gauss_seidel = w_.problem.relaxation == "iterate";
    const std::vector<std::vector<bool>> swept = swept_entries(p_, gauss_seidel);
    if (swept.empty()) return std::nullopt;
    Elimination e(t_, system_);
    const Core core = remaining(e);
    std::vector<std::vector<LinearSystem::Entry>> rows;
    for (std::uint32_t r : core.rows) rows.push_back(e.row(r));
    if (rank_deficiency(t_, rows, core.columns)) return std::nullopt;
    BlockSolution s;
    s.kind = Kind::linear;
    s.method = Method::relaxed;
    s.ordering = gauss_seidel ? "gauss-seidel" : "jacobi";
    s.core = n_;
    s.values = core_unknowns(core);
    s.relaxed = relaxed_unknowns();
    code::LinearStep step = core_step(e, core, s.values);
    for (const auto& row : swept) step.swept.insert(step.swept.end(), row.begin(), row.end());
    t_.add_linear(std::move(step), w_.problem.number);
    return s;
  }

  // ---- where no ordering does

  // Nothing stands the checks, or all are too long: an LU, after the pivots ±1 that cost next to nothing.
  BlockSolution plain(const std::vector<Candidate>& all) {
    Candidate c;
    c.tried.name = "lu";
    c.method = n_ <= 40 ? Method::dense : Method::sparse;
    {
      Elimination e(t_, system_);
      constexpr std::uint64_t cheap = 4;
      std::vector<std::uint32_t> rows(n_);
      std::iota(rows.begin(), rows.end(), 0u);
      run_markowitz(e, p_, rows, [&](std::uint32_t, std::uint32_t, Ref p) { return p.node() == code::one.node(); },
                    {.limit = cheap});
      c.pivots = e.pivots();
      measure(c, e, remaining(e));
      t_.rewind(first_);
    }
    std::vector<Tried> tried;
    for (const Candidate& x : all) tried.push_back(x.tried);
    tried.push_back(c.tried);
    if (auto s = build(c, tried)) return std::move(*s);
    c.pivots.clear();
    if (auto s = build(c, tried)) return std::move(*s);
    return singular();
  }

  // Which rows depend on each other, and what they leave open: by rank after the pivots ±1.
  BlockSolution singular() {
    Elimination e(t_, system_);
    std::vector<std::uint32_t> rows(n_);
    std::iota(rows.begin(), rows.end(), 0u);
    constexpr std::uint64_t limit = 64;
    run_markowitz(e, p_, rows, [&](std::uint32_t, std::uint32_t, Ref p) { return t_.is_constant(p); }, {.limit = limit});
    const Core core = remaining(e);
    std::vector<std::vector<LinearSystem::Entry>> core_rows;
    for (std::uint32_t r : core.rows) core_rows.push_back(e.row(r));
    BlockSolution s;
    s.kind = Kind::linear;
    s.method = Method::automatic;
    s.singular = Singular{{}, {}, false};
    if (auto bad = rank_deficiency(t_, core_rows, core.columns)) {
      for (std::uint32_t k : bad->rows) s.singular->rows.push_back(core.rows[k]);
      for (std::uint32_t c : bad->columns) s.singular->unknowns.push_back(c);
    }
    return s;
  }

  Work& w_;
  code::Builder& t_;
  std::uint32_t n_;
  LinearSystem system_;
  OrderingProblem p_;
  LinearSystem expanded_;  // with aliases kept
  OrderingProblem q_;
  bool has_aliases_ = false;
  struct Ladders {
    GroupPairs pairs;
    Stations stations;
  };
  std::array<Ladders, 4> ladders_;
  std::vector<Misfit> misfits_;  // of the relaxed ordering, whichever is taken
  std::size_t first_ = 0;
  std::optional<std::uint64_t> key_;
};

}  // namespace

BlockSolution solve_linear(Work& w) { return LinearBlock(w).run(); }

}  // namespace kron::solve
