#include "engine/solve/trials.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/solve/checks.hpp"
#include "engine/solve/ends.hpp"

namespace kron::solve {

using code::Ref;

namespace {

// A number may be a pivot unless it is small beside the numbers of its row: then elimination would round the row's content
// away, and the numerical core does better. Other entries are watched when the code runs.
bool good_pivot(const code::Builder& t, const std::vector<LinearSystem::Entry>& row, Ref p) {
  const code::Constant* c = t.constant_of(p);
  if (!c) return true;
  for (const auto& e : row)
    if (const code::Constant* x = t.constant_of(e.value); x && x->number > 100 * c->number) return false;
  return true;
}

bool cheaper(const Candidate& x, const Candidate& y) {
  return x.cost + rarely * x.early < y.cost + rarely * y.early;
}

void sort_by_cost(std::vector<Candidate>& all) {
  std::stable_sort(all.begin(), all.end(), cheaper);
  const auto usable = [](const Candidate& c) { return c.tried.rejected.empty(); };
  const auto first = std::find_if(all.begin(), all.end(), usable);
  if (first == all.end()) return;
  const double about = first->cost + std::max(1.0, 0.01 * first->cost);
  auto best = first;
  for (auto it = first; it != all.end() && it->cost <= about; ++it)
    if (usable(*it) && it->cost + it->early < best->cost + best->early) best = it;
  std::rotate(all.begin(), best, best + 1);
}

class Trials {
 public:
  Trials(const Work& w, const Views& v, const CoreUnknowns& u)
      : w_(w), t_(w.tape), views_(v), core_unknowns_(u), n_(static_cast<std::uint32_t>(w.rows.size())), first_(t_.size()),
        limit_(v.most_nodes()) {}

  std::vector<Candidate> run() {
    const std::string& method = w_.problem.method;
    if (method == "dense" || method == "sparse") {
      add({}, "natural", method == "dense" ? Method::dense : Method::sparse, [](Elimination&, Candidate&) {});
      return std::move(all_);
    }
    const bool told = w_.problem.torn_by_hand && marks().has_torn;
    if (method == "tear" || (told && method == "auto")) {
      torn();
      return std::move(all_);
    }
    relaxed();
    if (!all_.empty() && method == "relax") return std::move(all_);
    if (marks().has_torn) torn();
    const std::size_t before = all_.size();
    for (const bool aliases : views()) {
      if (!large()) markowitz(aliases);
      ladders(aliases);
    }
    if (large()) markowitz(false);
    other_ties(before);
    return std::move(all_);
  }

  Candidate units() {
    Candidate c;
    c.tried.name = "lu";
    c.method = n_ <= dense_core ? Method::dense : Method::sparse;
    Elimination e(t_, views_[false].system);
    constexpr std::uint64_t cheap = 4;
    std::vector<std::uint32_t> rows(n_);
    std::iota(rows.begin(), rows.end(), 0u);
    run_markowitz(e, views_[false].problem, rows,
                  [&](std::uint32_t, std::uint32_t, Ref p) { return p.node() == code::one.node(); }, {.limit = cheap});
    c.pivots = e.pivots();
    measure(c, e, remaining(e));
    t_.rewind(first_);
    return c;
  }

 private:
  bool large() const { return n_ > few_unknowns; }
  // The views in the order in which they are tried: in a large block the more regular one first, which sets the limit for the other.
  std::vector<bool> views() const {
    if (!views_.has_aliases()) return {false};
    return {large(), !large()};
  }
  const OrderingProblem& marks() const { return views_[false].problem; }

  template <class F>
  Candidate tried(Candidate c, std::string name, Method method, F&& order) {
    c.tried.name = std::move(name);
    c.method = method;
    Elimination e(t_, views_[c.aliases].system);
    e.set_limit(limit_);
    order(e, c);
    const Core core = remaining(e);
    if (e.exhausted()) {
      c.tried.rejected = "too much code";
    } else if (std::any_of(core.rows.begin(), core.rows.end(), [&](auto r) { return e.row(r).empty(); })) {
      c.tried.rejected = "singular";
      c.tried.core = core.rows.size();
    } else {
      c.pivots = e.pivots();
      if (large() && core.rows.empty()) limit_ = std::min(limit_, first_ + 2 * (t_.size() - first_));
      measure(c, e, core);
    }
    t_.rewind(first_);
    rewound(first_);
    return c;
  }
  void rewound(std::size_t nodes) const {
    if (w_.problem.stuck) w_.problem.checks->rewind(nodes);
  }
  // `c`: what is known of the candidate before it is tried.
  template <class F>
  void add(Candidate c, std::string name, Method method, F&& order) {
    c = tried(std::move(c), std::move(name), method, order);
    if (c.tried.rejected != "singular") all_.push_back(std::move(c));
  }

  void torn() {
    add({}, "tearing", Method::torn, [&](Elimination& e, Candidate& c) { c.torn = run_torn(e, marks()); });
  }

  void relaxed() {
    for (const bool aliases : views())
      if (views_[aliases].problem.has_relaxed)
        add({.aliases = aliases}, aliases ? "relaxed, aliases kept" : "relaxed", Method::relaxed, [&](Elimination& e, Candidate& c) {
          run_relaxed(e, views_[aliases].problem, c.misfits);
          for (Misfit& m : c.misfits) m.unknown = views_.unknown(m.unknown);
          finish(e, c.aliases, c.units_first);
        });
  }

  // Without anybody's word, on the block as it is or with its aliases kept.
  static std::string kept(bool aliases) { return aliases ? ", aliases kept" : ""; }
  void markowitz(bool aliases) {
    for (const bool units : {false, true})
      if (!large() || !units)
        add({.aliases = aliases, .units_first = units}, (units ? "markowitz, units first" : "markowitz") + kept(aliases), Method::automatic,
            [&](Elimination& e, const Candidate& c) { finish(e, c.aliases, c.units_first); });
  }
  void ladders(bool aliases) {
    for (const bool whole : {false, true}) {
      Ladder& l = ladder({aliases, whole});
      l.pairs = pair_groups(views_[aliases].problem, whole);
      if (l.pairs.rows.size() < 2 || (whole && l.pairs.rows == ladder({aliases, false}).pairs.rows)) continue;
      l.stations = ladder_stations(l.pairs);
      if (large() && lopsided(l.stations, l.pairs.rows.size())) continue;
      const std::string name = whole ? "ladder by arrays" : "ladder";
      add({.aliases = aliases, .ladder = LadderKind{aliases, whole}}, name + kept(aliases), Method::automatic, best_end_);
      other_orders(aliases, whole, name);
    }
  }

  // Where one station holds much of a large block it is no ladder: its pairs would be compared with each other, for code that is long.
  static bool lopsided(const Stations& all, std::size_t pairs) {
    const auto most = std::max_element(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.size() < y.size(); });
    return 8 * most->size() > pairs;
  }
  // In place of the ladder tried last where that is worth a change of what the code looks like.
  void other_orders(bool aliases, bool whole, const std::string& name) {
    constexpr double worth = 0.98;
    if (all_.empty() || all_.back().ladder != LadderKind{aliases, whole} || !all_.back().tried.rejected.empty()) return;
    for (const StationOrder order : {StationOrder::known, StationOrder::nearest}) {
      if (large() && order == StationOrder::known) continue;
      Candidate c = tried({.aliases = aliases, .ladder = LadderKind{aliases, whole, order}},
                          name + (order == StationOrder::known ? ", known first" : ", nearest first") + kept(aliases), Method::automatic, best_end_);
      if (c.tried.rejected.empty() && c.cost < worth * all_.back().cost) all_.back() = std::move(c);
    }
  }

  // The best few again with equally cheap pivots in another order: how the model is written should not decide what it costs.
  void other_ties(std::size_t from) {
    constexpr std::uint32_t small = 130;  // unknowns: where single pivots show in the count
    if (n_ > small) return;
    std::vector<const Candidate*> sorted;
    for (std::size_t k = from; k < all_.size(); ++k)
      if (all_[k].tried.rejected.empty()) sorted.push_back(&all_[k]);
    std::stable_sort(sorted.begin(), sorted.end(), [](auto* x, auto* y) { return cheaper(*x, *y); });
    // The best, and the best of those that have fewest divisions and that are most regular: they have most room for luck.
    std::vector<Candidate> best;
    const auto take_first = [&](auto&& is) {
      const auto it = std::find_if(sorted.begin(), sorted.end(), [&](auto* c) { return is(*c); });
      if (it == sorted.end()) return;
      best.push_back(**it);
      sorted.erase(it);
    };
    const auto any = [](const Candidate&) { return true; };
    take_first(any);
    take_first(any);
    take_first([](const Candidate& c) { return c.ladder && c.ladder->aliases && c.ladder->whole; });
    take_first([](const Candidate& c) { return c.units_first; });
    const std::uint32_t seeds = std::clamp(few_unknowns / n_, 6u, 30u);
    for (const Candidate& b : best) {
      std::optional<Candidate> winner;
      for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
        Candidate c = tried({.aliases = b.aliases, .ladder = b.ladder, .leave = b.leave, .units_first = b.units_first},
                            b.tried.name + ", ties by lot", Method::automatic,
                            [&](Elimination& e, const Candidate& x) { follow(e, x, seed); });
        if (c.tried.rejected.empty() && (!winner || cheaper(c, *winner))) winner = std::move(c);
      }
      if (winner && cheaper(*winner, b)) all_.push_back(std::move(*winner));
    }
  }

  // The candidate's ladder, if it has one, and Markowitz for what is left.
  void follow(Elimination& e, const Candidate& c, std::uint32_t seed) {
    if (c.ladder) run(e, c, {.order = c.ladder->order, .leave = c.leave, .seed = seed});
    finish(e, c.aliases, c.units_first, seed);
  }
  // The candidate's ladder with the cheapest of its ends, which the candidate is told.
  void follow_to_best_end(Elimination& e, Candidate& c) {
    Ends ends(e, wanted(), [&](const End& x) { finish(e, c.aliases, x.units_first); },
              [&](const std::vector<bool>& wanted, const Since& since) {
                const Cost cost = cost_of(e, t_, remaining(e), core_unknowns_, wanted, since);
                return cost.dynamic + rarely * cost.early;
              },
              [&] { rewound(t_.size()); });
    const std::size_t stations = ladder(*c.ladder).stations.size();
    run(e, c, {.order = c.ladder->order, .before = [&](std::size_t left) { if (left < stations) ends.at(left); }});
    const End best = ends.take_best();
    c.leave = best.leave;
    c.units_first = best.units_first;
    if (c.leave > 0) c.tried.name += ", markowitz " + std::to_string(c.leave);
    if (c.units_first) c.tried.name += " units first";
  }
  void run(Elimination& e, const Candidate& c, const LadderOptions& options) {
    const Ladder& l = ladder(*c.ladder);
    run_ladder(e, views_[c.aliases].problem, l.pairs, l.stations, options);
  }
  void finish(Elimination& e, bool aliases, bool units_first, std::uint32_t seed = 0) const {
    run_markowitz(e, views_[aliases].problem, remaining(e).rows,
                  [&](std::uint32_t r, std::uint32_t, Ref p) {
                    return good_pivot(t_, e.row(r), p) && (!w_.problem.stuck || w_.problem.checks->good_pivot(e.row(r), p));
                  },
                  {.units_first = units_first, .seed = seed});
  }

  void measure(Candidate& c, Elimination& e, const Core& core) {
    const Cost cost = cost_of(e, t_, core, core_unknowns_, wanted(), {first_, 0});
    c.tried.mul = cost.mul, c.tried.add = cost.add, c.tried.div = cost.div;
    c.tried.core = core.rows.size();
    c.cost = cost.dynamic;
    c.early = cost.early;
    // Where two ways cost about the same, the one that somebody asked for is taken, then the more regular one, which costs for a further
    // station what it costs for those before.
    constexpr double asked_for = 0.95, regular = 0.965;
    if (c.method == Method::relaxed || c.method == Method::torn) c.cost *= asked_for;
    if (c.aliases && c.ladder) c.cost *= regular;
  }
  std::vector<bool> wanted() const {
    const std::vector<bool>& some = w_.problem.wanted;
    return std::find(some.begin(), some.end(), true) == some.end() ? std::vector<bool>(n_, true) : some;
  }

  const Work& w_;
  code::Builder& t_;
  const Views& views_;
  const CoreUnknowns& core_unknowns_;
  std::uint32_t n_;
  std::size_t first_;
  std::size_t limit_;  // nodes; in a large block what needs twice those of another is given up
  const std::function<void(Elimination&, Candidate&)> best_end_ = [this](Elimination& e, Candidate& c) { follow_to_best_end(e, c); };
  struct Ladder {
    GroupPairs pairs;
    Stations stations;
  };
  Ladder& ladder(LadderKind k) { return ladders_[k.aliases][k.whole]; }
  std::array<std::array<Ladder, 2>, 2> ladders_;
  std::vector<Candidate> all_;
};

}  // namespace

std::vector<Candidate> try_orderings(const Work& w, const Views& v, const CoreUnknowns& u) {
  std::vector<Candidate> all = Trials(w, v, u).run();
  sort_by_cost(all);
  return all;
}

Candidate try_units(const Work& w, const Views& v, const CoreUnknowns& u) { return Trials(w, v, u).units(); }

}  // namespace kron::solve
