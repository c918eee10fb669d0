#include "engine/solve/trials.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "engine/solve/attempts.hpp"
#include "engine/solve/checks.hpp"
#include "engine/solve/frontal.hpp"
#include "engine/solve/ladders.hpp"

namespace kron::solve {

using code::Ref;

namespace {

bool cheaper(const Candidate& x, const Candidate& y) {
  return x.cost + rarely * x.early < y.cost + rarely * y.early;
}

// What orderings are tried on.
struct Ground {
  const BlockProblem& problem;
  code::Builder& tape;
  const Views& views;
  const CoreUnknowns& core_unknowns;
  Checks* checks;
  std::size_t begin;  // Work::begin
};
Ground ground(const Work& w, const Views& v, const CoreUnknowns& u) { return {w.problem, w.tape, v, u, w.problem.checks, w.begin}; }

class Trials {
 public:
  explicit Trials(const Ground& g)
      : g_(g), t_(g.tape), ladders_(g.views), n_(static_cast<std::uint32_t>(g.problem.rows.size())), first_(t_.size()), limit_(g.views.most_nodes()) {}

  std::vector<Candidate> run() {
    const std::string& method = g_.problem.method;
    if (method == "dense" || method == "sparse") {
      add({}, "natural", method == "dense" ? Method::dense : Method::sparse, [](Elimination&, Candidate&) {});
      return std::move(all_);
    }
    const bool told = g_.problem.torn_by_hand && marks().has_torn;
    if (method == "tear" || (told && method == "auto")) {
      torn();
      return std::move(all_);
    }
    relaxed();
    if (!all_.empty() && method == "relax") return std::move(all_);
    if (marks().has_torn) torn();
    const std::size_t before = all_.size();
    if (full()) {
      markowitz(false);
      return std::move(all_);
    }
    if (large()) {
      const bool first = g_.views.very_large();  // it takes least time, and sets a limit for the others
      if (first) markowitz(false);
      for (const bool aliases : views()) ladders(aliases);
      if (!first) markowitz(false);
      tree_of_best();
      try_fronts();
    } else {
      take_second_thread();
      all_orderings();
    }
    other_ends(before);
    if (!large() || net_) other_ties(before);
    return std::move(all_);
  }

  // Ladders that lose digits, as far as their own ends.
  std::vector<Candidate> ends(const std::vector<Candidate>& before) {
    limit_ = first_ + 2 * (limit_ - first_);
    for (const Candidate& c : before)
      if (c.ladder && c.end.leave > 0 && c.tried.rejected == digits_lost) to_its_end(c);
    return std::move(all_);
  }

  // Pivots that are not small at random points: entries grow by a bounded factor, as in a sparse LU with threshold pivoting [Duff, Erisman,
  // Reid, Direct Methods for Sparse Matrices, 1986]. Markowitz once more where it was given up beside an ordering that is no good.
  std::vector<Candidate> careful(const std::vector<Candidate>& before) {
    limit_ = first_ + 2 * (limit_ - first_);  // longer code is shorter than an LU's
    const auto given_up = [](const Candidate& c) { return !c.ladder && c.tried.rejected == too_much; };
    if (std::any_of(before.begin(), before.end(), given_up)) markowitz(false);
    for (const std::size_t rows : {20, 60})
      for (const bool other : {false, true}) fronts(rows, other, true);
    const auto with_threshold = [&](double threshold, const char* name) {
      for (const bool aliases : views())
        add({.aliases = aliases, .careful = true}, name + aliases_kept(aliases), Method::automatic, [&](Elimination& e, const Candidate&) {
          run_markowitz(e, g_.views[aliases].problem, remaining(e).rows, large_pivots(e, threshold));
        });
    };
    with_threshold(0.3, "markowitz, threshold");
    const std::size_t lower = all_.size();
    with_threshold(0.1, "markowitz, low threshold");  // more to choose from; guards let go of such pivots sooner
    constexpr double sooner = 1.25;
    for (std::size_t k = lower; k < all_.size(); ++k) all_[k].cost *= sooner;
    return std::move(all_);
  }

  Candidate units() {
    Candidate c;
    c.tried.name = "lu";
    Elimination e(t_, g_.views[false].system);
    constexpr std::uint64_t cheap = 4;
    std::vector<std::uint32_t> rows(n_);
    std::iota(rows.begin(), rows.end(), 0u);
    run_markowitz(e, g_.views[false].problem, rows,
                  [&](std::uint32_t, std::uint32_t, Ref p) { return p.node() == code::one.node(); }, {.limit = cheap});
    c.pivots = e.pivots();
    const Core core = remaining(e);
    std::size_t entries = 0;
    for (std::uint32_t r : core.rows) entries += e.row(r).size();
    c.method = code::is_dense(core.rows.size(), entries) ? Method::dense : Method::sparse;
    measure(c, e, core);
    t_.rewind(first_);
    return c;
  }

 private:
  static constexpr std::string_view too_much = "too much code";
  bool large() const { return g_.views.large(); }
  // Of what is full whatever is done first, no order is better than another.
  bool full() const {
    constexpr std::uint32_t few = 6;
    constexpr double most = 0.7;
    std::size_t entries = 0;
    for (const auto& row : g_.views[false].system.rows) entries += row.size();
    return n_ > few && static_cast<double>(entries) > most * n_ * n_;
  }
  // The views in the order in which they are tried: in a large block the more regular one first, which sets the limit for the other.
  std::vector<bool> views() const {
    if (!g_.views.has_aliases()) return {false};
    return {large(), !large()};
  }
  const OrderingProblem& marks() const { return g_.views[false].problem; }

  const Candidate* best() const {
    const Candidate* least = nullptr;
    for (const Candidate& c : all_)
      if (c.tried.rejected.empty() && (!least || cheaper(c, *least))) least = &c;
    return least;
  }
  // Nets of loops have no stations of one kind, and Markowitz begins everywhere in them: from an end to the other they can cost less. Where
  // they do not from the end that is better more often, the other one is left out. Where a ladder costs much less than Markowitz it is no such net.
  void try_fronts() {
    constexpr std::size_t rows = 30;
    constexpr double worth = 0.99, close = 1.1;
    const Candidate* const least = best();
    const auto regular = [&](const Candidate& c) { return c.ladder || !c.tried.rejected.empty() || c.cost > close * least->cost; };
    if (least && std::ranges::all_of(all_, regular)) return;
    net_ = true;
    const double before = least ? least->cost : std::numeric_limits<double>::infinity();
    fronts(rows, true, false);
    if (best() && best()->cost < worth * before) fronts(rows, false, false);
  }
  void fronts(std::size_t rows, bool other_end, bool careful) {
    for (const bool aliases : views())
      add({.aliases = aliases, .careful = careful, .front = {rows, other_end}},
          "frontal, " + std::to_string(rows) + " rows at a time" + (other_end ? ", from the other end" : "") + aliases_kept(aliases), Method::automatic,
          [&](Elimination& e, const Candidate& c) { frontal(e, c, careful ? large_pivots(e) : good_pivots(e)); });
  }
  void frontal(Elimination& e, const Candidate& c, const Admissible& pivots, MarkowitzOptions options = {}) {
    const OrderingProblem& p = g_.views[c.aliases].problem;
    auto& rows = swept_[c.aliases][c.front.other_end];
    if (rows.empty()) rows = sweep_from_end(p, c.front.other_end);
    run_frontal(e, p, rows, c.front.rows, pivots, options);
  }

  template <class F>
  Candidate tried(Candidate c, std::string name, Method method, F&& order) {
    c.tried.name = std::move(name);
    c.method = method;
    Elimination e(t_, g_.views[c.aliases].system, c.reference);
    // Where many pivots that cost nothing come first, the pace tells nothing.
    const bool slow_start = c.ladder && (c.ladder->tree || joins_shifts(c.ladder->order));
    // By parts of a wide tree much is made that nobody needs in the end.
    const bool wide = c.ladder && c.ladder->tree && lopsided(ladders_[*c.ladder].stations);
    e.set_limit(wide ? first_ + 2 * (limit_ - first_) : limit_, pace_ && !slow_start ? &*pace_ : nullptr);
    order(e, c);
    const Core core = remaining(e);
    if (e.exhausted()) {
      c.tried.rejected = too_much;
    } else if (std::any_of(core.rows.begin(), core.rows.end(), [&](auto r) { return e.row(r).empty(); })) {
      c.tried.rejected = "singular";
      c.tried.core = core.rows.size();
    } else if (!c.reference.empty() && !core.rows.empty()) {
      c.tried.rejected = "a core beside a reference";
    } else {
      c.pivots = e.pivots();
      if (large() && core.rows.empty() && !settled_) limit_ = std::min(limit_, first_ + 2 * (t_.size() - first_));
      measure(c, e, core);
      if (large() && core.rows.empty() && !settled_ && c.cost < fastest_) {
        fastest_ = c.cost;
        if (c.ladder || !g_.views.very_large()) pace_ = e.pace();  // others begin with what costs least
      }
    }
    t_.rewind(first_);
    if (g_.checks) g_.checks->rewind(first_);
    return c;
  }

  // ---- on two threads

  // The same block on a copy of the tape, for the second thread. Trials leave the tape as it was, so it makes no difference who does which.
  struct Second {
    explicit Second(const Ground& g)
        : tape(g.tape), views(g.views, tape), trials(std::make_unique<Trials>(Ground{g.problem, tape, views, g.core_unknowns, nullptr, g.begin})) {}
    code::Builder tape;
    Views views;
    std::unique_ptr<Trials> trials;
  };
  void take_second_thread() {
    constexpr std::uint32_t few = 24;      // unknowns: not worth it
    constexpr std::size_t many = 400;      // nodes of the tape for each: copying it would cost as much as is won
    settled_ = true;
    if (second_ || !g_.problem.helper || g_.problem.stuck || n_ < few || t_.size() > many * n_) return;
    second_ = std::make_unique<Second>(g_);
    Trials& other = *second_->trials;
    other.limit_ = limit_;
    other.pace_ = pace_;
    other.settled_ = true;
  }
  // job(trials, k) for each k.
  template <class Job>
  void share(std::size_t jobs, Job&& job) {
    if (second_) return g_.problem.helper->share(jobs, [&](std::size_t k, std::size_t who) { job(who == 0 ? *this : *second_->trials, k); });
    for (std::size_t k = 0; k < jobs; ++k) job(*this, k);
  }
  // What `f` tries.
  template <class F>
  std::vector<Candidate> only(F&& f) {
    std::vector<Candidate> before = std::exchange(all_, {});
    f();
    return std::exchange(all_, std::move(before));
  }

  void all_orderings() {
    struct Job {
      bool aliases;
      std::optional<Arrays> ladders;  // by these; else Markowitz
      std::vector<Candidate> found{};
    };
    std::vector<Job> jobs;
    for (const bool aliases : views()) {
      jobs.push_back({aliases, std::nullopt});
      for (const Arrays arrays : ladders_.arrays_in_order(aliases)) jobs.push_back({aliases, arrays});
    }
    share(jobs.size(), [&](Trials& t, std::size_t k) {
      Job& j = jobs[jobs.size() - 1 - k];  // the longest first
      j.found = t.only([&] { j.ladders ? t.ladders(j.aliases, *j.ladders) : t.markowitz(j.aliases); });
    });
    for (Job& j : jobs) std::ranges::move(j.found, std::back_inserter(all_));
  }

  void rewound(std::size_t nodes) const {
    if (g_.problem.stuck) g_.checks->rewind(nodes);
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
      if (g_.views[aliases].problem.has_relaxed)
        add({.aliases = aliases}, aliases ? "relaxed, aliases kept" : "relaxed", Method::relaxed, [&](Elimination& e, Candidate& c) {
          run_relaxed(e, g_.views[aliases].problem, c.misfits);
          for (Misfit& m : c.misfits) m.unknown = g_.views.unknown(m.unknown);
          finish(e, c.aliases, c.units_first);
        });
  }

  // Without anybody's word, on the block as it is or with its aliases kept.
  void markowitz(bool aliases) {
    for (const bool units : {false, true})
      if (!large() || !units)
        add({.aliases = aliases, .units_first = units}, (units ? "markowitz, units first" : "markowitz") + aliases_kept(aliases), Method::automatic,
            [&](Elimination& e, const Candidate& c) { finish(e, c.aliases, c.units_first); });
  }
  void ladders(bool aliases) {
    for (const Arrays arrays : ladders_.arrays_in_order(aliases)) ladders(aliases, arrays);
  }
  void ladders(bool aliases, Arrays arrays) {
    const LadderKind paths{.aliases = aliases, .arrays = arrays}, tree{.aliases = aliases, .arrays = arrays, .tree = true};
    if (!ladders_.prepare(paths)) return;
    const LadderKind loops_first{.aliases = aliases, .arrays = arrays, .loops_first = true};
    const bool has_tree = ladders_.prepare(tree), has_loops = ladders_.prepare(loops_first);
    // By paths most time goes; with these arrays they win nothing that the others do not. (In large blocks tree_of_best looks at their trees.)
    const bool by_paths = !aliases || arrays == Arrays::given || arrays == Arrays::joined || !(large() || has_tree || has_loops);
    // The tree first where many orders are tried of paths: it sets limits that these meet soon where hundreds of arms hang at one body.
    const bool tree_first = large() && !g_.views.very_large();
    if (tree_first && has_tree) prepared(tree);
    if (by_paths) prepared(paths);
    if (!tree_first && has_tree) prepared(tree);
    if (has_loops) prepared(loops_first);
  }
  void prepared(LadderKind kind) {
    const bool once = g_.views.very_large() || kind.tree;
    if (once) kind.order = ladders_.only_order(kind);
    add({.aliases = kind.aliases, .ladder = kind}, name_of(kind), Method::automatic, best_end_);
    if (!once) other_orders(kind);
    else if (!all_.empty() && all_.back().ladder == kind) all_.back() = with_best_right_side(std::move(all_.back()));
  }
  // The ladder of a candidate that left its last stations to Markowitz, whose pivots there are what counts are cheap in.
  void to_its_end(const Candidate& c) {
    const LadderKind kind = *c.ladder;
    if (!ladders_.prepare_again(kind)) return;
    add({.aliases = c.aliases, .reference = c.reference, .ladder = kind}, name_of(kind) + ", to its end", Method::automatic,
        [&](Elimination& e, const Candidate& x) { run(e, x, options(x)); });
  }
  // Where torn pairs come in one order by path sets and by parts, what stands beside them can differ. In large blocks it is looked at for
  // the best ladder of each view, in very large ones for the best of all.
  void tree_of_best() {
    std::vector<const Candidate*> best;  // the best of all first
    for (const bool aliases : views()) {
      const Candidate* own = nullptr;
      for (const Candidate& c : all_)
        if (c.tried.rejected.empty() && c.ladder && !c.ladder->loops_first && c.aliases == aliases && (!own || cheaper(c, *own))) own = &c;
      if (own) best.push_back(own);
    }
    std::ranges::stable_sort(best, [](const Candidate* x, const Candidate* y) { return cheaper(*x, *y); });
    if (g_.views.very_large() && best.size() > 1) best.pop_back();
    std::vector<LadderKind> kinds;
    for (const Candidate* c : best) kinds.push_back({.aliases = c->ladder->aliases, .arrays = c->ladder->arrays, .tree = true});
    if (!best.empty() && !g_.views.very_large())  // of the best of all also by the other arrays
      for (const Arrays arrays : ladders_.arrays_in_order(best.front()->aliases)) kinds.push_back({.aliases = best.front()->aliases, .arrays = arrays, .tree = true});
    ladders_.take_trees_alike();
    for (const LadderKind kind : kinds) {
      const auto of_this_kind = [&](const Candidate& c) {
        return c.ladder && c.ladder->tree && c.ladder->aliases == kind.aliases && c.ladder->arrays == kind.arrays;
      };
      if (std::ranges::none_of(all_, of_this_kind) && ladders_.prepare(kind)) prepared(kind);
    }
  }
  // The right side is looked at where the ladder costs less than `most`.
  Candidate follow(LadderKind kind, double most) {
    Candidate c = tried({.aliases = kind.aliases, .reference = ladders_.reference(kind), .ladder = kind}, name_of(kind), Method::automatic, best_end_);
    return c.cost < most ? with_best_right_side(std::move(c)) : c;
  }

  static constexpr double hopeless = 1.25;  // times the best: more than luck is worth
  // In place of the ladder tried last where that is worth a change of what the code looks like.
  void other_orders(LadderKind kind) {
    constexpr double worth = 0.98;
    if (all_.empty() || all_.back().ladder != kind) return;
    for (const StationOrder order : {StationOrder::known, StationOrder::nearest, StationOrder::parts}) {
      if (large() && order == StationOrder::known) continue;
      if (order == StationOrder::parts && ladders_[kind].levels.empty()) continue;
      kind.order = order;
      const bool nothing_yet = !all_.back().tried.rejected.empty();
      const double most = nothing_yet ? std::numeric_limits<double>::infinity() : hopeless * all_.back().cost;
      Candidate c = follow(kind, most);
      for (const StationOrder joins : {StationOrder::joined, StationOrder::all_joined}) {
        const PreparedLadder& l = ladders_[kind];
        if (order != StationOrder::parts || (joins == StationOrder::joined ? l.shifts.empty() : l.all_shifts.size() == l.shifts.size())) continue;
        kind.order = joins;
        Candidate joined = follow(kind, most);
        if (!c.tried.rejected.empty() || (joined.tried.rejected.empty() && cheaper(joined, c))) c = std::move(joined);
      }
      if (c.tried.rejected.empty() && (nothing_yet || c.cost < worth * all_.back().cost)) all_.back() = std::move(c);
    }
  }

  // A ladder part by part, or the same pivots with no reference, with all of it, or with as much as gathers known parts where that makes
  // no more multiplications: those that it takes at the ends of a chain for a few additions on the way would not be worth a change.
  Candidate with_best_right_side(Candidate c) {
    if (!c.tried.rejected.empty() || !by_parts(c.ladder->order)) return c;
    const PreparedLadder& l = ladders_[*c.ladder];
    Candidate best = c;
    const auto look = [&](const std::vector<Pivot>& reference, std::size_t most_mul) {
      if (reference == c.reference) return;
      Candidate other = c;
      other.reference = reference;
      other = tried(std::move(other), c.tried.name, c.method, [&](Elimination& e, Candidate&) {
        for (const auto& [row, unknown] : c.pivots) e.eliminate(row, unknown);
      });
      if (other.tried.rejected.empty() && other.tried.mul <= most_mul && cheaper(other, best)) best = std::move(other);
    };
    constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
    look({}, any);
    if (!l.reference.empty()) look(l.reference, any);
    if (!l.gathered.empty()) look(l.gathered, best.tried.mul);
    return best;
  }

  // The best ladders with all ways to end them: of one joint after another most of what luck decides is at the end.
  void other_ends(std::size_t from) {
    const std::size_t few = n_ <= small_block ? 6 : 3;
    if (g_.views.very_large()) return;
    std::vector<std::size_t> sorted;
    for (std::size_t k = from; k < all_.size(); ++k)
      if (all_[k].tried.rejected.empty() && all_[k].ladder) sorted.push_back(k);
    std::ranges::stable_sort(sorted, [&](std::size_t x, std::size_t y) { return cheaper(all_[x], all_[y]); });
    while (!sorted.empty() && all_[sorted.back()].cost > hopeless * all_[sorted.front()].cost) sorted.pop_back();
    if (sorted.size() > few) sorted.resize(few);
    take_second_thread();
    std::vector<Candidate> found(sorted.size());
    share(sorted.size(), [&](Trials& t, std::size_t k) { found[k] = t.with_best_end(all_[sorted[k]]); });
    for (std::size_t k = 0; k < sorted.size(); ++k)
      if (found[k].tried.rejected.empty() && cheaper(found[k], all_[sorted[k]])) all_[sorted[k]] = std::move(found[k]);
  }
  Candidate with_best_end(const Candidate& b) {
    const LadderKind kind = *b.ladder;
    if (ladders_[kind].stations.empty() && !ladders_.prepare_again(kind)) return b;
    return tried({.aliases = b.aliases, .reference = b.reference, .ladder = kind}, name_of(kind), Method::automatic,
                 [&](Elimination& e, Candidate& c) {
                   for (std::size_t k = 0; k < b.before_last; ++k) e.eliminate(b.pivots[k].first, b.pivots[k].second);
                   follow_to_best_end(e, c, Ends::Effort::thorough);
                 });
  }

  // The best few again with equally cheap pivots in another order, or chosen by other counts: luck should not decide what a model costs.
  void other_ties(std::size_t from) {
    std::vector<const Candidate*> sorted;
    for (std::size_t k = from; k < all_.size(); ++k)
      if (all_[k].tried.rejected.empty()) sorted.push_back(&all_[k]);
    std::stable_sort(sorted.begin(), sorted.end(), [](auto* x, auto* y) { return cheaper(*x, *y); });
    while (!sorted.empty() && sorted.back()->cost > hopeless * sorted.front()->cost) sorted.pop_back();
    // The best, and the best of those that have fewest divisions, of those that see the arrays, and of the others. (A ladder has tried
    // other orders for its end, where the luck is.)
    std::vector<Candidate> best;
    const auto take_first = [&](auto&& is) {
      const auto it = std::find_if(sorted.begin(), sorted.end(), [&](auto* c) { return is(*c); });
      if (it == sorted.end()) return;
      best.push_back(**it);
      sorted.erase(it);
    };
    take_first([](const Candidate&) { return true; });
    take_first([](const Candidate& c) { return c.units_first; });
    take_first([](const Candidate& c) { return !c.units_first && c.aliases; });
    take_first([](const Candidate& c) { return !c.units_first && !c.ladder; });
    std::erase_if(best, [](const Candidate& b) { return b.ladder.has_value(); });
    struct Job {
      const Candidate* of;
      Attempt attempt;
      Candidate found{};
    };
    std::vector<Job> jobs;
    for (const Candidate& b : best)
      for (Attempt& a : attempts(b.aliases).of_block(n_)) jobs.push_back({&b, std::move(a)});
    share(jobs.size(), [&](Trials& t, std::size_t k) { jobs[k].found = t.again(*jobs[k].of, jobs[k].attempt); });
    for (const Candidate& b : best) {
      const Candidate* winner = nullptr;
      for (const Job& j : jobs)
        if (j.of == &b && j.found.tried.rejected.empty() && cheaper(j.found, winner ? *winner : b)) winner = &j.found;
      if (winner) all_.push_back(*winner);
    }
  }
  Candidate again(const Candidate& b, const Attempt& a) {
    return tried({.aliases = b.aliases, .units_first = b.units_first, .front = b.front}, b.tried.name + a.name, Method::automatic,
                 [&](Elimination& e, const Candidate& x) {
                   if (x.front.rows > 0) frontal(e, x, good_pivots(e), {.ties = a.ties, .compared = a.compared});
                   else finish(e, x.aliases, x.units_first, a.ties, a.compared);
                 });
  }

  // The candidate's ladder with the cheapest of its ends, which the candidate is told; or the last stations of it.
  void follow_to_best_end(Elimination& e, Candidate& c, Ends::Effort effort) {
    const std::vector<Attempt> ways = attempts(c.aliases).of_end(effort);
    Ends ends(e, wanted(), ways.size(), effort,
              [&](const End& x) { finish(e, c.aliases, x.units_first, ways[x.way].ties, ways[x.way].compared); },
              [&](const std::vector<bool>& wanted, const Since& since) {
                const Cost cost = cost_of(e, t_, remaining(e), g_.core_unknowns, wanted, since);
                return cost.dynamic + rarely * cost.early;
              },
              [&] { rewound(t_.size()); });
    const PreparedLadder& l = ladders_[*c.ladder];
    const std::size_t stations = l.stations.size();
    const std::size_t first = e.pivots().empty() ? 0 : stations - Ends::few;
    const auto before = [&](std::size_t left) {
      if (left == Ends::few) c.before_last = e.pivots().size();
      if (left < stations) ends.at(left);
    };
    LadderOptions o = options(c);
    o.first = first;
    o.before = before;
    run(e, c, o);
    const End best = c.end = ends.take_best();
    if (best.leave > Ends::few) c.before_last = 0;
    if (best.leave > 0) c.tried.name += ", markowitz " + std::to_string(best.leave);
    if (best.units_first) c.tried.name += " units first";
    c.tried.name += ways[best.way].name;
  }
  LadderOptions options(const Candidate& c) {
    const PreparedLadder& l = ladders_[*c.ladder];
    return {.order = c.ladder->order, .levels = &l.levels, .shifts = c.ladder->order == StationOrder::joined ? &l.shifts : &l.all_shifts};
  }
  void run(Elimination& e, const Candidate& c, const LadderOptions& options) {
    const PreparedLadder& l = ladders_[*c.ladder];
    run_ladder(e, g_.views[c.aliases].problem, l.pairs, l.stations, options);
  }
  void finish(Elimination& e, bool aliases, bool units_first, const Ties& ties = {}, Compared compared = Compared::equals) const {
    run_markowitz(e, g_.views[aliases].problem, remaining(e).rows, good_pivots(e),
                  {.units_first = units_first, .ties = ties, .compared = compared});
  }
  Admissible good_pivots(const Elimination& e) const {
    return [this, &e](std::uint32_t r, std::uint32_t, Ref p) {
      return good_pivot(t_, e.row(r), p) && (!g_.problem.stuck || g_.checks->good_pivot(e.row(r), p));
    };
  }
  Admissible large_pivots(const Elimination& e, double threshold = 0.3) const {
    return [this, &e, threshold](std::uint32_t r, std::uint32_t c, Ref p) {
      Checks& checks = *g_.checks;
      return good_pivot(t_, e.row(r), p) && checks.large_pivot(e, r, c, threshold) && (!g_.problem.stuck || checks.good_pivot(e.row(r), p));
    };
  }

  void measure(Candidate& c, Elimination& e, const Core& core) {
    const Cost cost = cost_of(e, t_, core, g_.core_unknowns, wanted(), {g_.begin, 0});
    weigh(c, cost);
    c.tried.core = core.rows.size();
  }
  std::vector<bool> wanted() const {
    const std::vector<bool>& some = g_.problem.wanted;
    return std::find(some.begin(), some.end(), true) == some.end() ? std::vector<bool>(n_, true) : some;
  }

  const Ground g_;
  code::Builder& t_;
  Ladders ladders_;
  std::uint32_t n_;
  std::size_t first_;
  std::size_t limit_;  // nodes; in a large block what needs twice those of another is given up
  std::optional<Elimination::Pace> pace_;  // of the cheapest so far, in a large block
  double fastest_ = std::numeric_limits<double>::infinity();
  bool net_ = false;      // of loops
  bool settled_ = false;  // these stay as they are
  const std::function<void(Elimination&, Candidate&)> best_end_ = [this](Elimination& e, Candidate& c) {
    follow_to_best_end(e, c, large() || n_ <= small_block ? Ends::Effort::usual : Ends::Effort::quick);
  };
  const Attempts& attempts(bool aliases) {
    if (!attempts_[aliases]) attempts_[aliases].emplace(g_.views[aliases].problem);
    return *attempts_[aliases];
  }
  std::array<std::optional<Attempts>, 2> attempts_;
  std::array<std::array<std::vector<std::uint32_t>, 2>, 2> swept_;  // rows by view and end
  std::unique_ptr<Second> second_;
  std::vector<Candidate> all_;
};

}  // namespace

void sort_by_cost(std::vector<Candidate>& all) {
  std::stable_sort(all.begin(), all.end(), cheaper);
  const auto usable = [](const Candidate& c) { return c.tried.rejected.empty(); };
  const auto first = std::find_if(all.begin(), all.end(), usable);
  if (first == all.end()) return;
  const double about = 1.006 * first->cost + 1;
  auto best = first;
  for (auto it = first; it != all.end() && it->cost <= about; ++it)
    if (usable(*it) && std::pair{it->cost + it->early, it->tried.mul} < std::pair{best->cost + best->early, best->tried.mul}) best = it;
  std::rotate(all.begin(), best, best + 1);
}

void weigh(Candidate& c, const Cost& cost) {
  c.tried.mul = cost.mul, c.tried.add = cost.add, c.tried.div = cost.div;
  c.cost = cost.dynamic;
  c.early = cost.early;
  // Where two ways cost about the same, the one that somebody asked for is taken, then the more regular one, which costs for a further
  // station what it costs for those before.
  constexpr double asked_for = 0.95, regular = 0.985;
  if (c.method == Method::relaxed || c.method == Method::torn) c.cost *= asked_for;
  if (c.aliases && c.ladder) c.cost *= regular;
}

std::vector<Candidate> try_orderings(const Work& w, const Views& v, const CoreUnknowns& u) {
  std::vector<Candidate> all = Trials(ground(w, v, u)).run();
  sort_by_cost(all);
  return all;
}

std::vector<Candidate> try_ends(const Work& w, const Views& v, const CoreUnknowns& u, const std::vector<Candidate>& before) {
  return Trials(ground(w, v, u)).ends(before);
}

std::vector<Candidate> try_careful(const Work& w, const Views& v, const CoreUnknowns& u, const std::vector<Candidate>& before) {
  std::vector<Candidate> all = Trials(ground(w, v, u)).careful(before);
  sort_by_cost(all);
  return all;
}

Candidate try_units(const Work& w, const Views& v, const CoreUnknowns& u) { return Trials(ground(w, v, u)).units(); }

}  // namespace kron::solve
