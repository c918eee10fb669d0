// The one elimination, its orderings, rank and tearing: properties on random blocks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "engine/code/program.hpp"
#include "engine/solve/carried.hpp"
#include "engine/solve/flow.hpp"
#include "engine/solve/rank.hpp"
#include "engine/solve/tearing.hpp"

using namespace kron;
using namespace kron::solve;
using code::Ref;

namespace {

// A random sparse system whose entries are inputs with known values, or ±1.
struct Random {
  code::Builder tape;
  LinearSystem system;
  std::vector<double> values;                 // of the inputs
  std::vector<std::vector<double>> matrix;
  std::vector<double> rhs;
  OrderingProblem problem;
  std::vector<std::uint32_t> all;             // rows

  Random(std::uint64_t seed, std::uint32_t n, std::uint32_t group) {
    std::mt19937_64 g(seed);
    std::uniform_real_distribution<> u(0.5, 2);
    matrix.assign(n, std::vector<double>(n, 0));
    auto input = [&](double v) {
      values.push_back(v);
      return tape.input(code::InputKind::parameter, static_cast<std::uint32_t>(values.size() - 1), seed * 1000 + values.size());
    };
    for (std::uint32_t r = 0; r < n; ++r) {
      LinearSystem::Row row;
      for (std::uint32_t c = 0; c < n; ++c) {
        if (c != r && g() % 3 != 0) continue;
        const bool unit = g() % 2;
        const double v = unit ? (g() % 2 ? 1.0 : -1.0) : (c == r ? 3 * u(g) : u(g));
        matrix[r][c] = v;
        row.push_back({c, unit ? (v > 0 ? code::one : -code::one) : input(v)});
      }
      system.rows.push_back(row);
      rhs.push_back(u(g));
      system.rhs.push_back(input(rhs.back()));
      all.push_back(r);
      problem.row_group.push_back(r / group);
      problem.unknown_group.push_back(r / group);
      problem.part.push_back(r % 5 == 4 ? no_part : r / (2 * group));
    }
    problem.tape = &tape;
    problem.system = &system;
  }

  std::vector<double> evaluate(const std::vector<Ref>& roots) {
    code::Roots r;
    r.parameter = roots;
    code::Machine<double> m(code::compile(tape, r));
    std::copy(values.begin(), values.end(), m.inputs(code::InputKind::parameter).begin());
    REQUIRE(m.run_parameters() == code::Status::ok);
    return {m.parameter_roots().begin(), m.parameter_roots().end()};
  }

  double residual(const std::vector<double>& x) const {
    double worst = 0;
    for (std::size_t r = 0; r < rhs.size(); ++r) {
      double s = -rhs[r], size = std::abs(rhs[r]);
      for (std::size_t c = 0; c < rhs.size(); ++c) {
        s += matrix[r][c] * x[c];
        size += std::abs(matrix[r][c] * x[c]);
      }
      worst = std::max(worst, std::abs(s) / size);
    }
    return worst;
  }
};

}  // namespace

TEST_CASE("every ordering solves the system, and exactly so on the fingerprints") {
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const auto n = static_cast<std::uint32_t>(2 + seed % 9);
    for (int strategy = 0; strategy < 6; ++strategy) {
      Random s(seed, n, 1 + static_cast<std::uint32_t>(seed % 3));
      const GroupPairs pairs = pair_groups(s.problem);
      Stations stations = ladder_stations(s.problem, pairs);
      if (strategy == 5)
        if (std::optional<Stations> loops_first = loops_first_stations(s.problem, pairs)) stations = std::move(*loops_first);
      const std::vector<Pivot> reference = reference_solution(s.problem, pairs, stations);
      std::vector<std::uint32_t> levels = part_levels(s.problem, pairs, reference);
      if (levels.empty()) levels.assign(pairs.rows.size(), 0);
      constexpr StationOrder orders[] = {StationOrder::degree, StationOrder::nearest, StationOrder::parts,
                                         StationOrder::parts,  StationOrder::parts,   StationOrder::parts};
      Elimination e(s.tape, s.system, strategy == 3 || strategy == 4 ? reference : std::vector<Pivot>{});
      if (strategy != 4) run_ladder(e, s.problem, pairs, stations, {.order = orders[strategy], .levels = &levels});
      else run_markowitz(e, s.problem, s.all, [](std::uint32_t, std::uint32_t, Ref) { return true; });
      if (e.pivots().size() < n) continue;  // a random matrix may be singular
      std::vector<Ref> x(n, code::zero);
      e.substitute_back(x);
      for (std::uint32_t r = 0; r < n; ++r) {  // the certificate: rows with the solution put in are zero as functions
        Ref sum = -s.system.rhs[r];
        for (const auto& a : s.system.rows[r]) sum = s.tape.add(sum, s.tape.mul(a.value, x[a.column]));
        CHECK(s.tape.is_zero(sum));
      }
      const auto values = s.evaluate(x);
      if (std::all_of(values.begin(), values.end(), [](double v) { return std::abs(v) < 1e6; }))
        CHECK(s.residual(values) < 1e-9);
      ++solved;
    }
  }
  CHECK(solved > 750);
}

// A row of frames: each acceleration is the one before and a known part, each force is what hangs on the frame, a body's or the next frame's.
TEST_CASE("a reference gives what follows from the root, and no force") {
  code::Builder t;
  auto input = [&, k = 0u]() mutable { return ++k, t.input(code::InputKind::parameter, k, 77 + k); };
  constexpr std::uint32_t n = 4;  // unknowns: accelerations a, forces f, the joints' q
  LinearSystem s;
  OrderingProblem p;
  const auto add = [&](LinearSystem::Row row, Ref rhs) {
    std::sort(row.begin(), row.end(), [](const auto& x, const auto& y) { return x.column < y.column; });
    s.rows.push_back(std::move(row));
    s.rhs.push_back(rhs);
  };
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t a = k, f = n + k, q = 2 * n + k;
    if (k == 0) add({{a, code::one}, {q, input()}}, input());
    else add({{a, code::one}, {a - 1, -input()}, {q, input()}}, input());
    if (k + 1 == n) add({{f, code::one}, {a, -input()}}, input());
    else add({{f, code::one}, {a, -input()}, {f + 1, -input()}}, input());
    add({{f, input()}}, input());
  }
  for (std::uint32_t k = 0; k < 3 * n; ++k) {
    p.row_group.push_back(k);
    p.unknown_group.push_back(k);
    p.part.push_back(k / 3);
  }
  p.tape = &t;
  p.system = &s;
  const GroupPairs pairs = pair_groups(p);
  const std::vector<Pivot> reference = reference_solution(p, pairs, ladder_stations(p, pairs));
  std::vector<std::uint32_t> given;
  for (const auto& [r, c] : reference)
    if (c != 2 * n - 1) given.push_back(c);  // the last force is that of a body alone
  CHECK(given == std::vector<std::uint32_t>{0, 1, 2, 3});
  Elimination e(t, s, reference);
  for (const auto& [r, c] : reference) CHECK(t.is_zero(e.rhs(r)));
}

namespace {

// Every row and unknown an array of its own.
OrderingProblem apart(code::Builder& t, const LinearSystem& s) {
  OrderingProblem p;
  p.tape = &t;
  p.system = &s;
  p.row_group.resize(s.rows.size());
  std::iota(p.row_group.begin(), p.row_group.end(), 0u);
  p.unknown_group = p.row_group;
  return p;
}
NamedOrder order_before(std::vector<NamedPivot> pivots, std::vector<NamedPivot> reference = {}) {
  NamedOrder o{std::move(pivots), std::move(reference), {}};
  for (std::uint32_t k = 0; k < o.pivots.size(); ++k) o.groups.emplace_back(k, k);
  return o;
}
const Admissible any = [](std::uint32_t, std::uint32_t, Ref) { return true; };

}  // namespace

TEST_CASE("a carried order: what is new goes before what it touches, with what hangs on it") {
  code::Builder t;
  std::uint32_t inputs = 0;
  const auto input = [&] {
    ++inputs;
    return t.input(code::InputKind::signal, inputs, inputs);
  };
  const auto entry = [&](std::uint32_t column) { return LinearSystem::Entry{column, input()}; };
  LinearSystem s;  // a chain of 0 to 3; 4 is new and stands beside 1; 5 was elsewhere and hangs on 4
  s.rows = {{entry(0), entry(1)}, {entry(1), entry(2), entry(4)}, {entry(2), entry(3)}, {entry(3)},
            {entry(1), entry(4), entry(5)}, {entry(4), entry(5)}};
  for (std::size_t k = 0; k < s.rows.size(); ++k) s.rhs.push_back(input());
  const OrderingProblem p = apart(t, s);
  const NamedPlaces names{{10, 11, 12, 13, 14, 15}, {20, 21, 22, 23, 24, 25}};
  const NamedOrder before = order_before({{10, 20}, {11, 21}, {99, 98}, {12, 22}, {13, 23}, {15, 25}});
  Elimination e(t, s);
  CarriedOrder(before, names, p, false).run(e, any);
  CHECK(e.pivots() == std::vector<Pivot>{{5, 5}, {0, 0}, {4, 4}, {1, 1}, {2, 2}, {3, 3}});
}

TEST_CASE("a carried reference: goes on into new rows, each after what it reads") {
  code::Builder t;
  const Ref a = t.input(code::InputKind::signal, 0, 1), b = t.input(code::InputKind::signal, 1, 2);
  LinearSystem s;  // x1 = x0, x2 = x1 through a new equation, x3 = a x2; 4 has never had a value
  s.rows = {{{0, code::one}}, {{0, -code::one}, {1, code::one}}, {{1, -code::one}, {2, code::one}},
            {{2, -a}, {3, code::one}}, {{3, b}, {4, a}}};
  s.rhs = {a, a, a, a, a};
  const NamedPlaces names{{10, 11, 12, 13, 14}, {20, 21, 22, 23, 24}};
  const NamedOrder before = order_before({{10, 20}, {11, 21}, {13, 23}, {14, 24}}, {{13, 23}, {10, 20}, {11, 21}});
  const OrderingProblem p = apart(t, s);
  const std::vector<Pivot> reference = CarriedOrder(before, names, p, false).reference();
  CHECK(reference == std::vector<Pivot>{{0, 0}, {1, 1}, {2, 2}, {3, 3}});
}

TEST_CASE("a carried order: what has gone and what is new") {
  code::Builder t;
  std::uint32_t inputs = 0;
  const auto known = [&] {
    ++inputs;
    return t.input(code::InputKind::signal, inputs, inputs);
  };
  const auto number = [&](std::uint32_t column) { return LinearSystem::Entry{column, known()}; };
  const auto unit = [](std::uint32_t column) { return LinearSystem::Entry{column, code::one}; };
  LinearSystem s;
  const auto run = [&](const NamedPlaces& names, const NamedOrder& before, const OrderingProblem& p, bool mended = false) {
    s.rhs.clear();
    for (std::size_t k = 0; k < s.rows.size(); ++k) s.rhs.push_back(known());
    Elimination e(t, s);
    CarriedOrder(before, names, p, mended).run(e, any);
    return e.pivots();
  };
  SUBCASE("new elements of the two arrays take the place of a pair") {
    s.rows = {{number(0), number(1)}, {unit(1), number(2)}, {unit(2), number(3)}, {number(3)}};
    OrderingProblem p = apart(t, s);
    p.row_group = {0, 1, 1, 2};  // 2, 2 is new, of the arrays of 1, 1, and comes where 99, 98 was, which stood before 1, 1
    p.unknown_group = {0, 1, 1, 2};
    NamedOrder before = order_before({{10, 20}, {99, 98}, {11, 21}, {13, 23}});
    before.groups = {{5, 6}, {7, 8}, {7, 8}, {9, 10}};
    CHECK(run({{10, 11, 12, 13}, {20, 21, 22, 23}}, before, p) == std::vector<Pivot>{{0, 0}, {2, 2}, {1, 1}, {3, 3}});
  }
  SUBCASE("a row that is left takes the unknown of another along units") {
    s.rows = {{number(0), number(3)}, {unit(1), unit(2)}, {unit(1), number(3)}, {number(3)}};
    const OrderingProblem p = apart(t, s);  // row 2 is new, the row of unknown 2 has gone: row 1, which had 1, has 2 now
    const NamedOrder before = order_before({{10, 20}, {11, 21}, {99, 22}, {13, 23}});
    CHECK(run({{10, 11, 88, 13}, {20, 21, 22, 23}}, before, p, true) == std::vector<Pivot>{{0, 0}, {2, 1}, {1, 2}, {3, 3}});
  }
  SUBCASE("a torn unknown gets another residual, where it was eliminated") {
    s.rows = {{unit(0), number(1)}, {number(0)}, {number(0), number(2)}};
    const OrderingProblem p = apart(t, s);  // the residual 99 of unknown 1 has gone, row 1 is new and holds it once 0 is eliminated
    const NamedOrder before = order_before({{10, 20}, {99, 21}, {12, 22}});
    CHECK(run({{10, 77, 12}, {20, 21, 22}}, before, p) == std::vector<Pivot>{{0, 0}, {1, 1}, {2, 2}});
  }
}

TEST_CASE("a trial step leaves no trace") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random s(seed, 7, 1);
    Elimination e(s.tape, s.system);
    run_markowitz(e, s.problem, s.all, [&](std::uint32_t r, std::uint32_t, Ref) { return r < 2; });
    const auto snapshot = [&] {
      std::vector<std::vector<std::uint32_t>> all;
      for (std::uint32_t r = 0; r < 7; ++r) {
        std::vector<std::uint32_t> row = {e.active(r), e.unsolved(r), e.rhs(r).bits};
        for (const auto& x : e.row(r)) row.insert(row.end(), {x.column, x.value.bits});
        row.insert(row.end(), e.holders(r).begin(), e.holders(r).end());
        all.push_back(row);
      }
      return all;
    };
    const auto before = snapshot();
    const std::size_t nodes = s.tape.size(), pivots = e.pivots().size();
    e.mark();
    for (std::uint32_t r = 2; r < 5; ++r)
      if (e.active(r) && e.row_count(r) > 0) e.eliminate(r, e.row(r)[0].column);
    const auto inside = snapshot();
    e.mark();  // a trial in a trial
    for (std::uint32_t r = 5; r < 7; ++r)
      if (e.active(r) && e.row_count(r) > 0) e.eliminate(r, e.row(r)[0].column);
    e.undo();
    CHECK(snapshot() == inside);
    e.undo();
    CHECK(snapshot() == before);
    CHECK(s.tape.size() == nodes);
    CHECK(e.pivots().size() == pivots);
  }
}

TEST_CASE("an elimination that goes through many entries gives up, if few nodes come of them") {
  constexpr std::uint32_t n = 1000;  // v = R[k]*i[k], sum of i[k] = 1: taken from the sum, each current fills all rows behind it
  code::Builder tape;
  LinearSystem system;
  system.rows.resize(n + 1);
  system.rhs.assign(n + 1, code::zero);
  for (std::uint32_t k = 0; k < n; ++k) {
    system.rows[k].push_back({k, tape.input(code::InputKind::parameter, k, 1000 + k)});
    system.rows[k].push_back({n, code::one});
    system.rows[n].push_back({k, code::one});
  }
  system.rhs[n] = code::one;
  const std::size_t before = tape.size();
  Elimination bad(tape, system);
  bad.set_limit(before + 10 * n);
  std::uint32_t from = n;
  for (std::uint32_t k = 0; k < n && !bad.exhausted(); ++k) {
    bad.eliminate(from, k);
    from = k;
  }
  CHECK(bad.exhausted());
  CHECK(bad.pivots().size() < n);
  Elimination good(tape, system);
  good.set_limit(tape.size() + 10 * n);
  for (std::uint32_t k = 0; k < n; ++k) good.eliminate(k, k);
  CHECK(!good.exhausted());
}

TEST_CASE("a dependency among rows is found and named") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random s(seed, 6, 1);
    std::vector<std::uint32_t> columns = {0, 1, 2, 3, 4, 5};
    auto rows = s.system.rows;
    const bool regular = !rank_deficiency(s.tape, rows, columns).has_value();
    rows[4].clear();  // row 4 := row 1 + p·row 2
    const Ref p = s.tape.input(code::InputKind::parameter, 999, 4242);
    std::vector<Ref> sum(6, code::zero);
    for (const auto& x : rows[1]) sum[x.column] = s.tape.add(sum[x.column], x.value);
    for (const auto& x : rows[2]) sum[x.column] = s.tape.add(sum[x.column], s.tape.mul(p, x.value));
    for (std::uint32_t c = 0; c < 6; ++c)
      if (!s.tape.is_zero(sum[c])) rows[4].push_back({c, sum[c]});
    const auto d = rank_deficiency(s.tape, rows, columns);
    REQUIRE(d.has_value());
    CHECK(!d->columns.empty());
    if (regular) CHECK(d->rows == std::vector<std::uint32_t>{1, 2, 4});
  }
}

TEST_CASE("tearing: assignments need only torn and earlier unknowns") {
  std::mt19937_64 g(7);
  for (int trial = 0; trial < 400; ++trial) {
    const auto n = static_cast<std::uint32_t>(1 + g() % 12);
    std::vector<std::vector<std::uint32_t>> rows(n);
    std::vector<std::vector<bool>> solvable(n, std::vector<bool>(n));
    for (std::uint32_t r = 0; r < n; ++r)
      for (std::uint32_t c = 0; c < n; ++c)
        if (c == r || g() % 3 == 0) {
          rows[r].push_back(c);
          solvable[r][c] = g() % 2;
        }
    const Tearing t = tear(rows, n, [&](std::uint32_t r, std::uint32_t c) { return solvable[r][c]; });
    CHECK(t.torn.size() == t.residues.size());
    CHECK(t.torn.size() + t.assignments.size() == n);
    std::set<std::uint32_t> known(t.torn.begin(), t.torn.end());
    std::set<std::uint32_t> used(t.residues.begin(), t.residues.end());
    for (const auto& [r, c] : t.assignments) {
      CHECK(solvable[r][c]);
      CHECK(used.insert(r).second);
      for (std::uint32_t x : rows[r]) CHECK((x == c || known.contains(x)));
      CHECK(known.insert(c).second);
    }
    CHECK(known.size() == n);
  }
}
