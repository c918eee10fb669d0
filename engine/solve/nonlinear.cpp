// Non-linear blocks: Newton on the torn unknowns. The assignments are on the tape inside the iteration; the Jacobian of the
// residues by the torn unknowns comes from forward accumulation through the assignments, exact.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "engine/base/hash.hpp"
#include "engine/solve/checks.hpp"
#include "engine/solve/cost.hpp"
#include "engine/solve/rows.hpp"
#include "engine/solve/tearing.hpp"

namespace kron::solve {

using code::Ref;
using model::forms;

namespace {

// Coefficient of the unknown where the row gives it by a division by a plain constant; else zero.
bool safely_solvable(const Work& w, std::uint32_t row, std::uint32_t unknown) {
  const WorkRow& r = w.rows[row];
  for (const Occurrence& o : r.occurrences) {
    if (o.unknown != unknown) continue;
    const model::Linear& l = forms().linear(r.form, o.placeholder);
    if (!l.linear) return false;
    for (std::uint32_t k : forms().placeholders(l.coefficient)) {
      const auto c = w.tape.rational_of(r.values[k]);
      if (!c || *c == 0) return false;
    }
    const double size = std::abs([&] {
      const Rational* literal = forms().exprs().if_literal(l.coefficient);
      return literal ? to_double(*literal) : 1.0;
    }());
    return size > 0;
  }
  return false;
}

// The Jacobian's entries at a random point (the unknowns at zero), rows and columns scaled so that the largest of each is about 1 [Ruiz
// 2001]: an assignment by an entry that is small there would blow up what it computes.
std::vector<std::vector<double>> scaled_entries(Work& w) {
  std::vector<std::vector<double>> size(w.rows.size());
  const std::size_t first = w.tape.size();
  for (std::size_t r = 0; r < w.rows.size(); ++r)
    for (const Occurrence& o : w.rows[r].occurrences) {
      const double x = w.problem.checks ? w.problem.checks->value_of(w.partial(w.rows[r], o.placeholder)) : 1;
      size[r].push_back(std::isfinite(x) ? x : 1);
    }
  w.tape.rewind(first);
  if (w.problem.checks) w.problem.checks->rewind(first);
  constexpr int rounds = 8;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> row(w.rows.size(), 0), column(w.problem.unknowns.size(), 0);
    for (std::size_t r = 0; r < size.size(); ++r)
      for (std::size_t k = 0; k < size[r].size(); ++k) {
        row[r] = std::max(row[r], std::fabs(size[r][k]));
        double& c = column[w.rows[r].occurrences[k].unknown];
        c = std::max(c, std::fabs(size[r][k]));
      }
    for (std::size_t r = 0; r < size.size(); ++r)
      for (std::size_t k = 0; k < size[r].size(); ++k)
        if (size[r][k] != 0) size[r][k] /= std::sqrt(row[r] * column[w.rows[r].occurrences[k].unknown]);
  }
  return size;
}

// The coefficient of the unknown, and the value that the row gives it: -rest/coefficient.
std::pair<Ref, Ref> given_by(Work& w, const WorkRow& row, std::uint32_t unknown) {
  std::uint32_t k = 0;
  for (const Occurrence& o : row.occurrences)
    if (o.unknown == unknown) k = o.placeholder;
  const model::Linear& l = forms().linear(row.form, k);
  const Ref a = w.templates.emit(w.tape, l.coefficient, row.values);
  return {a, w.tape.div(-w.templates.emit(w.tape, l.rest, row.values), a)};
}

// Where the iteration starts: start values, and for unknowns without one what an equation makes of those of the others, if it gives the
// unknown by a plain number and knows the rest from them and from parameters. For those of `torn` that are left, what other blocks say.
struct FirstGuesses {
  std::vector<Ref> value;
  std::vector<bool> open;  // nobody said it
};
FirstGuesses first_guesses(Work& w, const std::vector<std::uint32_t>& torn) {
  const auto n = static_cast<std::uint32_t>(w.problem.unknowns.size());
  std::vector<Ref> guess(n);
  std::vector<bool> known(n), vague(n);
  std::vector<std::vector<std::uint32_t>> holders(n);
  for (std::uint32_t u = 0; u < n; ++u) {
    const UnknownInfo info = w.problem.info(w.problem.unknowns[u]);
    guess[u] = info.start;
    known[u] = info.given && !info.vague;
    vague[u] = info.vague;
  }
  std::vector<std::uint32_t> open(w.rows.size(), 0), ready;
  const auto look = [&](std::uint32_t r) {
    if (open[r] == 1) ready.push_back(r);
  };
  for (std::uint32_t r = 0; r < w.rows.size(); ++r) {
    for (const Occurrence& o : w.rows[r].occurrences) {
      holders[o.unknown].push_back(r);
      open[r] += !known[o.unknown];
    }
    look(r);
  }
  const auto learn = [&](std::uint32_t unknown, Ref value) {
    guess[unknown] = value;
    known[unknown] = true;
    for (std::uint32_t r : holders[unknown]) {
      --open[r];
      look(r);
    }
  };
  std::size_t done = 0;
  const auto carry = [&] {
    for (; done < ready.size(); ++done) {
      WorkRow row = w.rows[ready[done]];
      std::uint32_t unknown = n;
      for (const Occurrence& o : row.occurrences) {
        row.values[o.placeholder] = guess[o.unknown];
        if (!known[o.unknown]) unknown = o.unknown;
      }
      if (unknown == n || !safely_solvable(w, ready[done], unknown)) continue;
      const std::size_t first = w.tape.size();
      const Ref value = given_by(w, row, unknown).second;
      if (w.tape.problem() || w.tape.section(value) > code::Section::parameter) {
        w.tape.rewind(first);
        continue;
      }
      learn(unknown, value);
    }
  };
  carry();
  std::vector<std::uint32_t> open_ones;
  for (std::size_t k = 0; w.problem.guess && k < torn.size(); ++k) {
    if (known[torn[k]]) continue;
    const std::optional<Guess> guessed = w.problem.guess(w.problem.unknowns[torn[k]]);
    if (!guessed) continue;
    learn(torn[k], guessed->value);
    if (guessed->open) open_ones.push_back(torn[k]);
    carry();
  }
  std::vector<bool> open_guess = known;
  open_guess.flip();
  for (std::uint32_t u : open_ones) open_guess[u] = true;
  for (std::uint32_t u = 0; u < n; ++u) {
    if (!vague[u] || known[u]) continue;
    learn(u, guess[u]);
    carry();
  }
  return {std::move(guess), std::move(open_guess)};
}

class TornBlock {
 public:
  explicit TornBlock(Work& w) : w_(w), n_(static_cast<std::uint32_t>(w.problem.unknowns.size())), derivative_(n_), computed_(n_, false) {}

  BlockSolution run() {
    std::vector<std::vector<std::uint32_t>> rows;
    for (const WorkRow& r : w_.rows) {
      std::vector<std::uint32_t> columns;
      for (const Occurrence& o : r.occurrences) columns.push_back(o.unknown);
      rows.push_back(std::move(columns));
    }
    // Marks come first; what they leave coupled is torn further.
    const std::vector<std::vector<double>> entry = scaled_entries(w_);
    const auto solvable = [&](std::uint32_t r, std::uint32_t c) {
      constexpr double least = 0.03;
      for (std::size_t k = 0; k < rows[r].size(); ++k)
        if (rows[r][k] == c) return !w_.residue_row[r] && std::fabs(entry[r][k]) >= least && safely_solvable(w_, r, c);
      return false;
    };
    std::vector<bool> first = w_.tearing_unknown;  // by its own steps an iteration keeps bounds, not by what they make of others
    for (const std::uint32_t u : w_.problem.bounded) first[u] = true;
    plan_ = tear(rows, n_, solvable, first);
    if (plan_.torn.size() > dense && plan_.residues.size() > few_rows) {
      Tearing sparse = tear(rows, n_, solvable, first, few_terms);
      if (plan_.torn.size() <= worth_trying) {
        constexpr double clearly = 0.5;  // as the cost of a sparse LU is guessed, on the high side
        if (clearly * cost_with(sparse) < cost_of_build()) plan_ = std::move(sparse);
      } else {
        plan_ = std::move(sparse);
      }
    }
    limit_growth(entry);
    build();
    w_.tape.add_newton(std::move(step_), w_.problem.number);
    return std::move(solution_);
  }

 private:
  // A Jacobian larger than this is sparse, if the assignments leave it so: along a chain of them it fills. But few rows may be long: those
  // of a large loop or two.
  // A moderate one may be cheaper all the same: then both are built, and the cheaper one counts.
  static constexpr std::size_t dense = 40, few_terms = 4, few_rows = 12, worth_trying = 160;
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();
  using Gradient = std::vector<std::pair<std::uint32_t, Ref>>;  // by torn number (adjoints: by residue), ascending

  // Along a row of nodes each of which gives the next one a small change of the first may be a large one of the last, and then Newton's
  // iteration finds nothing, or rounding errors. An unknown that moves by so many times what the torn ones do is torn, too.
  void limit_growth(const std::vector<std::vector<double>>& entry) {
    constexpr double most = 30;
    constexpr std::size_t directions = 3;
    using Moves = std::array<double, directions>;
    std::vector<Moves> moves(n_);
    const auto any = [](std::uint32_t unknown) {
      Moves m{};
      for (std::size_t d = 0; d < directions; ++d) m[d] = mix(unknown * directions + d) % 2 == 0 ? 1 : -1;
      return m;
    };
    for (const std::uint32_t u : plan_.torn) moves[u] = any(u);
    std::erase_if(plan_.assignments, [&](const Pivot& p) {
      const auto& [r, c] = p;
      double divisor = 0;
      Moves sum{};
      for (std::size_t k = 0; k < entry[r].size(); ++k) {
        const std::uint32_t u = w_.rows[r].occurrences[k].unknown;
        if (u == c) divisor += entry[r][k];
        for (std::size_t d = 0; u != c && d < directions; ++d) sum[d] -= entry[r][k] * moves[u][d];
      }
      for (std::size_t d = 0; d < directions; ++d) moves[c][d] = sum[d] / divisor;
      if (std::ranges::all_of(moves[c], [](double x) { return std::fabs(x) <= most; })) return false;
      moves[c] = any(c);
      plan_.torn.push_back(c);
      plan_.residues.push_back(r);
      return true;
    });
    std::ranges::sort(plan_.torn);
    std::ranges::sort(plan_.residues);
  }

  void build() {
    solution_.kind = Kind::nonlinear;
    solution_.method = Method::newton;
    solution_.ordering = plan_.assignments.empty() ? "natural" : "tearing";
    solution_.core = static_cast<std::uint32_t>(plan_.residues.size());
    solution_.torn = plan_.torn;
    solution_.residues = plan_.residues;
    solution_.pivots = plan_.assignments;
    solution_.values.assign(n_, code::zero);
    unknowns();
    if (plan_.residues.size() < plan_.torn.size()) with_either_jacobian();
    else with_gradients();
  }
  // Of an iteration as `plan_` has it, which is forgotten.
  double cost_of_build() {
    first_guesses(w_, plan_.torn);  // parameters that it reads for the first time stay
    for (std::uint32_t k : plan_.torn) w_.problem.info(w_.problem.unknowns[k]);
    const std::size_t first = w_.tape.size();
    std::vector<WorkRow> rows = w_.rows;
    build();
    LinearSystem jacobian;
    jacobian.rows.resize(step_.size);
    for (const code::Entry& x : step_.jacobian) jacobian.rows[x.row].push_back({x.column, x.value});
    const double cost = static_cast<double>(w_.tape.size() - first) + lu_cost(jacobian, static_cast<std::uint32_t>(plan_.torn.size()));
    w_.tape.rewind(first);
    if (w_.problem.checks) w_.problem.checks->rewind(first);
    w_.rows = std::move(rows);
    step_ = {};
    computed_.assign(n_, false);
    derivative_.assign(n_, {});
    return cost;
  }
  double cost_with(const Tearing& other) {
    Tearing kept = std::exchange(plan_, other);
    const double cost = cost_of_build();
    plan_ = std::move(kept);
    return cost;
  }

  void unknowns() {
    step_.size = static_cast<std::uint32_t>(plan_.residues.size());
    const FirstGuesses guess = first_guesses(w_, plan_.torn);
    std::vector<std::uint32_t> column(n_, 0);
    for (std::uint32_t k = 0; k < plan_.torn.size(); ++k) {
      column[plan_.torn[k]] = k;
      const std::uint32_t v = w_.problem.unknowns[plan_.torn[k]];
      const Ref u = w_.tape.unknown(w_.problem.key(v), w_.section);
      const UnknownInfo info = w_.problem.info(v);
      step_.unknowns.push_back(u.node());
      step_.start.push_back(guess.value[plan_.torn[k]]);
      step_.open.push_back(guess.open[plan_.torn[k]]);
      step_.nominal.push_back(info.nominal);
      step_.minimum.push_back(info.minimum);
      step_.maximum.push_back(info.maximum);
      set(plan_.torn[k], u, {{k, code::one}});
    }
    step_.pins = pins_of(w_.problem, column);
  }

  void set(std::uint32_t unknown, Ref value, Gradient g) {
    solution_.values[unknown] = value;
    computed_[unknown] = true;
    derivative_[unknown] = std::move(g);
  }

  // The rows' placeholders of unknowns that are known by now, and of relations that look at these.
  WorkRow& filled(std::uint32_t r) {
    WorkRow& row = w_.rows[r];
    for (const Occurrence& o : row.occurrences) row.values[o.placeholder] = solution_.values[o.unknown];
    const auto operands = w_.problem.rows[r].operands;
    for (std::uint32_t k : forms().placeholders(forms().root(row.form)))
      if (w_.problem.live && operands[k].kind() == model::OperandKind::event)
        if (const auto live = w_.problem.live(operands[k], [this](std::uint32_t v) { return inside(v); })) row.values[k] = *live;
    return row;
  }
  std::optional<Ref> inside(std::uint32_t variable) const {
    const auto& all = w_.problem.unknowns;
    const auto at = static_cast<std::size_t>(std::find(all.begin(), all.end(), variable) - all.begin());
    return at < all.size() && computed_[at] ? std::optional(solution_.values[at]) : std::nullopt;
  }

  // Σ ∂row/∂u · du/dz over the unknowns of the row but `except`.
  Gradient gradient(const WorkRow& row, std::uint32_t except) {
    std::map<std::uint32_t, Ref> sum;
    for (const Occurrence& o : row.occurrences) {
      if (o.unknown == except) continue;
      const Ref p = w_.partial(row, o.placeholder);
      for (const auto& [z, d] : derivative_[o.unknown]) {
        auto [it, is_new] = sum.emplace(z, code::zero);
        it->second = w_.tape.add(it->second, w_.tape.mul(p, d));
      }
    }
    Gradient g;
    for (const auto& [z, d] : sum)
      if (!w_.tape.is_zero(d)) g.emplace_back(z, d);
    return g;
  }

  // Du/dz of what a row gives by dividing by a.
  Gradient quotient(const WorkRow& row, std::uint32_t unknown, Ref a) {
    Gradient g = gradient(row, unknown);
    for (auto& [z, d] : g) d = w_.tape.div(-d, a);
    return g;
  }

  void with_gradients() {
    for (const auto& [r, c] : plan_.assignments) {
      WorkRow& row = filled(r);
      const auto [a, value] = given_by(w_, row, c);
      set(c, value, quotient(row, c, a));
    }
    for (std::uint32_t i = 0; i < plan_.residues.size(); ++i) {
      WorkRow& row = filled(plan_.residues[i]);
      step_.residual.push_back(w_.residual(row));
      add_row(i, gradient(row, nobody));
    }
  }
  void add_row(std::uint32_t i, const Gradient& g) {
    for (const auto& [z, d] : g) step_.jacobian.push_back({i, z, d});
  }

  // With fewer rows than unknowns (others are given at run time) the Jacobian may be cheaper from the residues backwards: along a chain of
  // n joints the gradients have n²/2 elements, the adjoints of three residues 3 n.
  void with_either_jacobian() {
    std::vector<Ref> divisor;
    for (const auto& [r, c] : plan_.assignments) {
      const auto [a, value] = given_by(w_, filled(r), c);
      set(c, value, {});
      divisor.push_back(a);
    }
    for (std::uint32_t r : plan_.residues) step_.residual.push_back(w_.residual(filled(r)));
    const std::size_t first = w_.tape.size();
    backwards(divisor);
    const std::size_t most = w_.tape.size();
    step_.jacobian.clear();
    w_.tape.rewind(first);
    if (forwards(divisor, most)) return;
    step_.jacobian.clear();
    w_.tape.rewind(first);
    backwards(divisor);
  }
  // False: given up, as the tape has more than `most` nodes.
  bool forwards(const std::vector<Ref>& divisor, std::size_t most) {
    for (std::size_t k = 0; k < plan_.assignments.size() && w_.tape.size() <= most; ++k) {
      const auto [r, c] = plan_.assignments[k];
      derivative_[c] = quotient(w_.rows[r], c, divisor[k]);
    }
    for (std::uint32_t i = 0; i < plan_.residues.size() && w_.tape.size() <= most; ++i)
      add_row(i, gradient(w_.rows[plan_.residues[i]], nobody));
    return w_.tape.size() <= most;
  }
  // By unknown, the derivatives of the residues by it, assigned ones being taken for independent until it is their turn.
  void backwards(const std::vector<Ref>& divisor) {
    std::vector<Gradient> adjoint(n_);
    const auto hand_on = [&](std::uint32_t unknown, std::uint32_t residue, Ref d) {
      Gradient& g = adjoint[unknown];
      const auto at = std::lower_bound(g.begin(), g.end(), residue, [](const auto& x, std::uint32_t i) { return x.first < i; });
      if (at != g.end() && at->first == residue) at->second = w_.tape.add(at->second, d);
      else g.insert(at, {residue, d});
    };
    for (std::uint32_t i = 0; i < plan_.residues.size(); ++i) {
      const WorkRow& row = w_.rows[plan_.residues[i]];
      for (const Occurrence& o : row.occurrences) hand_on(o.unknown, i, w_.partial(row, o.placeholder));
    }
    for (std::size_t k = plan_.assignments.size(); k-- > 0;) {
      const auto [r, c] = plan_.assignments[k];
      const Gradient own = std::move(adjoint[c]);
      if (own.empty()) continue;
      for (const Occurrence& o : w_.rows[r].occurrences) {
        if (o.unknown == c) continue;
        const Ref slope = w_.tape.div(-w_.partial(w_.rows[r], o.placeholder), divisor[k]);
        for (const auto& [i, d] : own)
          if (const Ref term = w_.tape.mul(d, slope); !w_.tape.is_zero(term)) hand_on(o.unknown, i, term);
      }
    }
    for (std::uint32_t z = 0; z < plan_.torn.size(); ++z)
      for (const auto& [i, d] : adjoint[plan_.torn[z]])
        if (!w_.tape.is_zero(d)) step_.jacobian.push_back({i, z, d});
    std::sort(step_.jacobian.begin(), step_.jacobian.end(),
              [](const code::Entry& x, const code::Entry& y) { return std::pair{x.row, x.column} < std::pair{y.row, y.column}; });
  }

  Work& w_;
  std::uint32_t n_;
  Tearing plan_;
  BlockSolution solution_;
  code::NewtonStep step_;
  std::vector<Gradient> derivative_;
  std::vector<bool> computed_;  // by unknown
};

}  // namespace

BlockSolution solve_nonlinear(Work& w) { return TornBlock(w).run(); }

}  // namespace kron::solve
