// Random index-1 models with a known solution built in, against that solution and a plain dense Newton iteration.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "engine/session/analysis.hpp"
#include "engine/session/model.hpp"

using namespace kron;
using GiNaC::ex;

namespace {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

// z: algebraic unknowns with A z + c·f(z) + B x = b(t), x: states that follow g(t). Rows and columns are scaled over 1e±6.
struct Generated {
  std::size_t n = 0, states = 0;
  Matrix A, B, coupling;
  Vector unit, amplitude, offset, frequency;                 // z*_j(t) = offset + amplitude sin(frequency t)
  Vector state_offset, state_amplitude, rate;          // x*_i(t) = offset + amplitude cos(t)
  struct Term { std::size_t row, column; int kind; double factor; };
  std::vector<Term> terms;

  double z(std::size_t j, double t) const { return offset[j] + amplitude[j] * std::sin(frequency[j] * t); }
  double x(std::size_t i, double t) const { return state_offset[i] + state_amplitude[i] * std::cos(t); }
  // Slopes at most 1 in units of the unknown's scale, so that the diagonal dominates and the solution is unique.
  static double shape(int kind, double u) { return kind == 0 ? std::tanh(u) : kind == 1 ? std::sin(u) : std::sqrt(1 + u * u); }
  static double slope(int kind, double u) {
    return kind == 0 ? 1 - std::tanh(u) * std::tanh(u) : kind == 1 ? std::cos(u) : u / std::sqrt(1 + u * u);
  }
  double scale(std::size_t j) const { return unit[j]; }
  double b(std::size_t i, double t) const {
    double s = 0;
    for (std::size_t j = 0; j < n; ++j) s += A[i][j] * z(j, t);
    for (std::size_t k = 0; k < states; ++k) s += B[i][k] * x(k, t);
    for (const Term& e : terms)
      if (e.row == i) s += e.factor * shape(e.kind, z(e.column, t) / scale(e.column));
    return s;
  }
};

double log_uniform(std::mt19937_64& g, double decades) {
  return std::pow(10.0, std::uniform_real_distribution<>(-decades, decades)(g));
}

Generated generate(std::uint64_t seed) {
  std::mt19937_64 g(seed);
  std::uniform_real_distribution<> u(-1, 1);
  Generated m;
  m.n = seed % 2 == 0 ? 5 + g() % 8 : 1 + g() % 6;
  m.states = g() % 4;
  const std::size_t n = m.n;
  const bool ring = seed % 2 == 0;  // one strongly connected block of all unknowns
  Vector row(n), column(n);
  for (std::size_t i = 0; i < n; ++i) { row[i] = log_uniform(g, 3); column[i] = log_uniform(g, 3); }
  m.A.assign(n, Vector(n, 0));
  m.B.assign(n, Vector(m.states, 0));
  for (std::size_t i = 0; i < n; ++i) {
    m.A[i][i] = (2.5 + 0.5 * u(g)) * (g() % 2 ? 1 : -1) * row[i] * column[i];
    for (std::size_t j = 0; j < n; ++j)
      if (j != i && ((ring && j == (i + 1) % n) || g() % 4 == 0))
        m.A[i][j] = (ring && j == (i + 1) % n ? 0.9 : 0.6 / static_cast<double>(n)) * (g() % 2 ? 1 : -1) * row[i] * column[j];
    if (m.states > 0 && g() % 2) m.B[i][g() % m.states] = u(g) * row[i];
  }
  for (std::size_t j = 0; j < n; ++j) {
    m.unit.push_back(1 / column[j]);
    m.offset.push_back(u(g) / column[j]);
    m.amplitude.push_back(u(g) / column[j]);
    m.frequency.push_back(0.5 + std::abs(u(g)));
  }
  if (seed % 3 != 0)
    for (std::size_t i = 0; i < n; ++i)
      if (g() % 3 == 0) m.terms.push_back({i, g() % n, static_cast<int>(g() % 3), 0.1 * u(g) * row[i]});
  m.coupling.assign(m.states, Vector(n, 0));
  for (std::size_t k = 0; k < m.states; ++k) {
    m.state_offset.push_back(u(g));
    m.state_amplitude.push_back(u(g));
    m.rate.push_back(0.5 + std::abs(u(g)));
    m.coupling[k][g() % n] = 1;
  }
  return m;
}

ex shape(int kind, const ex& u) { return kind == 0 ? GiNaC::tanh(u) : kind == 1 ? GiNaC::sin(u) : GiNaC::sqrt(1 + u * u); }

GiNaC::numeric number(double v) { return GiNaC::numeric(v); }

struct Built {
  Model model;
  std::vector<std::string> z, x;
};

// Coefficients as parameters or as literals, equations shuffled, sides exchanged, some unknowns behind an alias.
Built build(const Generated& m, std::uint64_t seed) {
  std::mt19937_64 g(seed ^ 0x5eed);
  Built out;
  std::vector<ex> z, x;
  int parameters = 0;
  auto coefficient = [&](double v) -> ex {
    if (g() % 2) return number(v);
    return out.model.parameter("p" + std::to_string(++parameters), v);
  };
  const ex t = Model::time();
  for (std::size_t j = 0; j < m.n; ++j) {
    out.z.push_back("z" + std::to_string(j));
    z.push_back(out.model.variable(out.z.back(), {.start = m.z(j, 0) * (1 + 0.1 * std::sin(static_cast<double>(j)))}));
  }
  for (std::size_t k = 0; k < m.states; ++k) {
    out.x.push_back("x" + std::to_string(k));
    x.push_back(out.model.variable(out.x.back(), {.start = m.x(k, 0), .fixed = true}));
  }
  const std::vector<ex> used = z;
  std::vector<ex> seen = z;
  struct Equation { ex l, r; };
  std::vector<Equation> equations;
  for (std::size_t j = 0; j < m.n; ++j)
    if (g() % 4 == 0) {  // an alias, now and then with a sign
      const ex a = out.model.variable("a" + std::to_string(j));
      const bool minus = g() % 2;
      equations.push_back({a, minus ? -z[j] : z[j]});
      seen[j] = minus ? -a : a;
    }
  auto star = [&](std::size_t j) { return number(m.offset[j]) + number(m.amplitude[j]) * GiNaC::sin(number(m.frequency[j]) * t); };
  auto state_star = [&](std::size_t k) { return number(m.state_offset[k]) + number(m.state_amplitude[k]) * GiNaC::cos(t); };
  for (std::size_t i = 0; i < m.n; ++i) {
    ex left = 0, right = 0;
    for (std::size_t j = 0; j < m.n; ++j)
      if (m.A[i][j] != 0) {
        if (g() % 3) left += coefficient(m.A[i][j]) * (g() % 2 ? seen[j] : z[j]);
        else right -= coefficient(m.A[i][j]) * z[j];
        right += number(m.A[i][j]) * star(j);
      }
    for (std::size_t k = 0; k < m.states; ++k)
      if (m.B[i][k] != 0) { left += number(m.B[i][k]) * x[k]; right += number(m.B[i][k]) * state_star(k); }
    for (const auto& e : m.terms)
      if (e.row == i) {
        left += number(e.factor) * shape(e.kind, z[e.column] / number(m.scale(e.column)));
        right += number(e.factor) * shape(e.kind, star(e.column) / number(m.scale(e.column)));
      }
    if (g() % 2) std::swap(left, right);
    equations.push_back({left, right});
  }
  for (std::size_t k = 0; k < m.states; ++k) {
    ex rhs = number(-m.rate[k]) * (x[k] - state_star(k)) - number(m.state_amplitude[k]) * GiNaC::sin(t);
    for (std::size_t j = 0; j < m.n; ++j)
      if (m.coupling[k][j] != 0) rhs += (seen[j] - star(j)) / number(m.scale(j));
    equations.push_back({der(x[k]), rhs});
  }
  std::shuffle(equations.begin(), equations.end(), g);
  for (const Equation& e : equations) out.model.add(e.l == e.r);
  return out;
}

// Dense Newton with partial pivoting on row-scaled residuals, from the known solution's neighbourhood.
Vector reference(const Generated& m, double t, const Vector& x) {
  const std::size_t n = m.n;
  Vector z(n);
  for (std::size_t j = 0; j < n; ++j) z[j] = m.z(j, t) * 1.01;
  for (int iteration = 0; iteration < 60; ++iteration) {
    Matrix J = m.A;
    Vector r(n);
    for (std::size_t i = 0; i < n; ++i) {
      r[i] = -m.b(i, t);
      for (std::size_t j = 0; j < n; ++j) r[i] += m.A[i][j] * z[j];
      for (std::size_t k = 0; k < m.states; ++k) r[i] += m.B[i][k] * x[k];
    }
    for (const auto& e : m.terms) {
      const double s = m.scale(e.column), u = z[e.column] / s;
      r[e.row] += e.factor * Generated::shape(e.kind, u);
      J[e.row][e.column] += e.factor * Generated::slope(e.kind, u) / s;
    }
    for (std::size_t i = 0; i < n; ++i) {  // rows, then columns, to size one
      double s = 0;
      for (std::size_t j = 0; j < n; ++j) s = std::max(s, std::abs(J[i][j] * m.scale(j)));
      for (std::size_t j = 0; j < n; ++j) J[i][j] *= m.scale(j) / s;
      r[i] /= s;
    }
    for (std::size_t c = 0; c < n; ++c) {
      std::size_t p = c;
      for (std::size_t i = c; i < n; ++i)
        if (std::abs(J[i][c]) > std::abs(J[p][c])) p = i;
      std::swap(J[p], J[c]);
      std::swap(r[p], r[c]);
      for (std::size_t i = c + 1; i < n; ++i) {
        const double f = J[i][c] / J[c][c];
        for (std::size_t j = c; j < n; ++j) J[i][j] -= f * J[c][j];
        r[i] -= f * r[c];
      }
    }
    double change = 0;
    for (std::size_t c = n; c-- > 0;) {
      for (std::size_t j = c + 1; j < n; ++j) r[c] -= J[c][j] * r[j];
      r[c] /= J[c][c];
      change = std::max(change, std::abs(r[c]));
    }
    for (std::size_t j = 0; j < n; ++j) z[j] -= r[j] * m.scale(j);
    if (change < 1e-14) break;
  }
  return z;
}

bool agrees(std::uint64_t seed, std::size_t& coupled) {
  const Generated m = generate(seed);
  const Built b = build(m, seed);
  session::Engine engine;
  const auto a = engine.analyse(b.model.blueprint(), {});
  if (!a->complete) {
    for (const auto& d : a->diagnostics.list()) MESSAGE(render(d));
    return false;
  }
  for (const auto& block : a->blocks) coupled += block.unknowns.size() >= 5;
  Diagnostics d;
  const simulate::Problem p = engine.problem(a, {}, d);
  simulate::Options o;
  o.stop = 2;
  o.points = 4;
  o.tolerance = 1e-8;
  const simulate::Result r = simulate::simulate(p, o);
  if (!r.ok()) { MESSAGE(r.trouble.message); return false; }
  session::Sampler sampler(a, p, r.trajectory);
  for (double t : r.trajectory.time()) {
    Vector x;
    for (std::size_t k = 0; k < m.states; ++k) {
      x.push_back(sampler.value(*model::find(a->flat, b.x[k]), t));
      if (std::abs(x[k] - m.x(k, t)) > 2e-6) { MESSAGE("state ", k, " at ", t, ": ", x[k], " for ", m.x(k, t)); return false; }
    }
    const Vector z = reference(m, t, x);
    for (std::size_t j = 0; j < m.n; ++j) {
      const double value = sampler.value(*model::find(a->flat, b.z[j]), t);
      if (!(std::abs(value - z[j]) <= 2e-8 * m.scale(j))) {
        MESSAGE(b.z[j], " at ", t, ": ", value, ", reference ", z[j], ", exact ", m.z(j, t));
        return false;
      }
    }
  }
  return true;
}

}  // namespace

TEST_CASE("random index-1 models agree with a dense Newton iteration and their built-in solution") {
  std::size_t coupled = 0, failed = 0;
  constexpr std::uint64_t models = 5000;
  for (std::uint64_t seed = 1; seed <= models && failed < 5; ++seed) {
    CAPTURE(seed);
    const bool fine = agrees(seed, coupled);
    CHECK(fine);
    failed += !fine;
  }
  CHECK(coupled >= models / 2);
}
