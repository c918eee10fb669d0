#include "tests/hybrid/circuit.hpp"

#include <sstream>

namespace kron::hybrid {

namespace {

const double pi = std::acos(-1.0);

// Places in z: capacitor voltages, then sine and cosine or the step of each source, then 1.
std::size_t place_of_source(const Circuit& c, std::size_t k) { return c.capacitors.size() + 2 * k; }
std::size_t size_of_state(const Circuit& c) { return c.capacitors.size() + 2 * c.sources.size() + 1; }

}  // namespace

std::string text(const Circuit& c) {
  std::ostringstream out;
  out.precision(17);
  out << "use electrical\ng : Ground\n";
  std::vector<std::string> at(c.nodes);
  at[0] = "g.p";
  const auto put = [&](const std::string& name, std::size_t p, std::size_t n) {
    at[p] += (at[p].empty() ? "" : ", ") + name + ".p";
    at[n] += (at[n].empty() ? "" : ", ") + name + ".n";
  };
  const auto named = [](const char* letter, std::size_t k) { return letter + std::to_string(k + 1); };
  for (std::size_t k = 0; k < c.resistors.size(); ++k) {
    out << named("R", k) << " : Resistor(R = " << c.resistors[k].R << ")\n";
    put(named("R", k), c.resistors[k].p, c.resistors[k].n);
  }
  for (std::size_t k = 0; k < c.capacitors.size(); ++k) {
    out << named("C", k) << " : Capacitor(C = " << c.capacitors[k].C << ", v(start = " << c.capacitors[k].v << ", fixed))\n";
    put(named("C", k), c.capacitors[k].p, c.capacitors[k].n);
  }
  for (std::size_t k = 0; k < c.diodes.size(); ++k) {
    const Circuit::Diode& d = c.diodes[k];
    out << named("D", k) << " : IdealDiode(Ron = " << d.Ron << ", Goff = " << d.Goff << ", Vknee = " << d.Vknee << ")\n";
    put(named("D", k), d.p, d.n);
  }
  for (std::size_t k = 0; k < c.sources.size(); ++k) {
    const Circuit::Source& s = c.sources[k];
    const std::string letter = s.current ? "I" : "V", kind = s.current ? "Current" : "Voltage";
    out << named("S", k) << " : ";
    if (s.f != 0) out << "Sine" << kind << "(offset = " << s.offset << ", " << letter << " = " << s.V << ", f = " << s.f << ", phase = " << s.phase << ")\n";
    else if (s.V != 0) out << "Step" << kind << "(offset = " << s.offset << ", " << letter << " = " << s.V << ", startTime = " << s.start << ")\n";
    else out << "Constant" << kind << "(" << letter << " = " << s.offset << ")\n";
    put(named("S", k), s.p, s.n);
  }
  for (const std::string& pins : at)
    if (pins.find(',') != std::string::npos) out << "connect " << pins << "\n";
  return out.str();
}

CircuitRun::CircuitRun(const Circuit& c, double stop, double disturbed) : c_(c) {
  for (std::size_t k = 0; k < c.sources.size(); ++k) {
    if (!c.sources[k].current) voltages_.push_back(k);
    size_ = std::max(size_, std::fabs(c.sources[k].offset) + std::fabs(c.sources[k].V));
  }
  std::vector<double> z(size_of_state(c));
  std::vector<double> moments;
  for (std::size_t k = 0; k < c.capacitors.size(); ++k) z[k] = c.capacitors[k].v + disturbed * size_;
  for (std::size_t k = 0; k < c.sources.size(); ++k) {
    const Circuit::Source& s = c.sources[k];
    const std::size_t at = place_of_source(c, k);
    if (s.f != 0) z[at] = std::sin(s.phase) * (1 + disturbed), z[at + 1] = std::cos(s.phase) * (1 + disturbed);
    else if (s.V != 0) moments.push_back(s.start);
  }
  z.back() = 1 + disturbed;
  moments.push_back(stop);
  std::sort(moments.begin(), moments.end());

  double t = 0;
  auto mask = choose(z);
  std::size_t next = 0;
  while (mask) {
    pieces_.push_back({t, *mask, z});
    if (t > 0) events_.push_back(t);
    if (events_.size() > 150) verdict_ = Verdict::edge;
    if (t >= stop || verdict_ != Verdict::clear) return;
    const Combination& now = *combination(*mask);
    const double to = moments[next];
    const auto steps = static_cast<std::size_t>(std::max(8.0, std::ceil((to - t) / stop * 800)));
    const double h = (to - t) / static_cast<double>(steps);
    const Matrix step = exponential(now.rate, h);
    bool switched = false;
    for (std::size_t s = 1; s <= steps && !switched; ++s) {
      std::vector<double> after = step * z;
      if (holds(now, *mask, after)) {
        z = std::move(after);
        continue;
      }
      double low = 0, high = h;
      while (high - low > 1e-15) {
        const double middle = 0.5 * (low + high);
        (holds(now, *mask, exponential(now.rate, middle) * z) ? low : high) = middle;
      }
      t = t + static_cast<double>(s - 1) * h + high;
      z = exponential(now.rate, high) * z;
      switched = true;
    }
    if (!switched) {
      t = to;
      if (t >= stop) return;
      ++next;
      for (std::size_t k = 0; k < c.sources.size(); ++k)
        if (c.sources[k].f == 0 && c.sources[k].V != 0 && c.sources[k].start == t) z[place_of_source(c, k)] = 1;
    }
    mask = choose(z);
  }
}

const Combination* CircuitRun::combination(std::uint32_t mask) {
  const auto [it, fresh] = known_.try_emplace(mask);
  if (!fresh) return it->second ? &*it->second : nullptr;
  const std::size_t inner = c_.nodes - 1, capacitors = c_.capacitors.size(), diodes = c_.diodes.size();
  const std::size_t n = first_diode() + diodes, m = size_of_state(c_);
  Matrix a(n, n), b(n, m);
  // A current `factor * u[k]` through a branch from p to n leaves node p.
  const auto flows = [&](std::size_t p, std::size_t q, std::size_t k, double factor) {
    if (p > 0) a(p - 1, k) += factor;
    if (q > 0) a(q - 1, k) -= factor;
  };
  const auto drop = [&](std::size_t row, std::size_t p, std::size_t q) {
    if (p > 0) a(row, p - 1) += 1;
    if (q > 0) a(row, q - 1) -= 1;
  };
  for (const auto& r : c_.resistors) {
    if (r.p > 0) flows(r.p, r.n, r.p - 1, 1 / r.R);
    if (r.n > 0) flows(r.p, r.n, r.n - 1, -1 / r.R);
  }
  std::size_t row = inner;
  for (std::size_t k = 0; k < capacitors; ++k, ++row) {
    flows(c_.capacitors[k].p, c_.capacitors[k].n, row, 1);
    drop(row, c_.capacitors[k].p, c_.capacitors[k].n);
    b(row, k) = 1;
  }
  const auto signal = [&](std::size_t r, std::size_t k, double factor) {
    b(r, m - 1) += factor * c_.sources[k].offset;
    b(r, place_of_source(c_, k)) += factor * c_.sources[k].V;
  };
  for (std::size_t k : voltages_) {
    flows(c_.sources[k].p, c_.sources[k].n, row, 1);
    drop(row, c_.sources[k].p, c_.sources[k].n);
    signal(row++, k, 1);
  }
  for (std::size_t k = 0; k < c_.sources.size(); ++k)
    if (c_.sources[k].current) {
      if (c_.sources[k].p > 0) signal(c_.sources[k].p - 1, k, -1);
      if (c_.sources[k].n > 0) signal(c_.sources[k].n - 1, k, 1);
    }
  for (std::size_t k = 0; k < diodes; ++k, ++row) {
    const Circuit::Diode& d = c_.diodes[k];
    const bool on = (mask >> k & 1) != 0;
    drop(row, d.p, d.n);
    a(row, row) -= on ? d.Ron : 1;
    b(row, m - 1) += d.Vknee;
    flows(d.p, d.n, row, on ? 1 : d.Goff);
    if (d.p > 0) b(d.p - 1, m - 1) -= d.Goff * d.Vknee;
    if (d.n > 0) b(d.n - 1, m - 1) += d.Goff * d.Vknee;
  }
  auto u = solve(a, b);
  if (!u) return nullptr;
  Combination made{*u, Matrix(m, m)};
  for (std::size_t k = 0; k < capacitors; ++k)
    for (std::size_t j = 0; j < m; ++j) made.rate(k, j) = (*u)(inner + k, j) / c_.capacitors[k].C;
  for (std::size_t k = 0; k < c_.sources.size(); ++k) {
    const std::size_t at = place_of_source(c_, k);
    made.rate(at, at + 1) = 2 * pi * c_.sources[k].f;
    made.rate(at + 1, at) = -2 * pi * c_.sources[k].f;
  }
  it->second = std::move(made);
  return &*it->second;
}

double CircuitRun::position(const Combination& x, std::size_t diode, const std::vector<double>& z) const {
  double s = 0;
  for (std::size_t j = 0; j < z.size(); ++j) s += x.solution(first_diode() + diode, j) * z[j];
  return s;
}

bool CircuitRun::holds(const Combination& x, std::uint32_t mask, const std::vector<double>& z) const {
  for (std::size_t k = 0; k < c_.diodes.size(); ++k)
    if (const double s = position(x, k, z), noise = 1e-13 * size_; (mask >> k & 1) != 0 ? s < -noise : s > noise) return false;
  return true;
}

// The combination right behind now: on a diode's border its direction decides.
std::optional<std::uint32_t> CircuitRun::choose(const std::vector<double>& z) {
  std::optional<std::uint32_t> found;
  bool several = false, unclear = false;
  for (std::uint32_t mask = 0; mask < 1u << c_.diodes.size(); ++mask) {
    const Combination* x = combination(mask);
    if (!x) continue;
    const std::vector<double> rate = x->rate * z;
    bool fits = true, border = false;
    for (std::size_t k = 0; fits && k < c_.diodes.size(); ++k) {
      const double sign = (mask >> k & 1) != 0 ? 1 : -1, s = sign * position(*x, k, z);
      if (s > 1e-9 * size_) continue;
      const double ds = sign * position(*x, k, rate);
      border = border || (s > -1e-9 * size_ && std::fabs(ds) < 1e-6 * size_);
      fits = s > -1e-9 * size_ && ds > -1e-6 * size_;
    }
    if (!fits) continue;
    unclear = unclear || border;
    several = several || found;
    found = mask;
  }
  if (!found) verdict_ = Verdict::none;
  else if (unclear) verdict_ = Verdict::edge;
  else if (several) verdict_ = Verdict::several;
  return verdict_ == Verdict::clear ? found : std::nullopt;
}

const CircuitRun::Piece& CircuitRun::piece(double t) const {
  const Piece* at = &pieces_.front();
  for (const Piece& p : pieces_)
    if (p.from <= t) at = &p;
  return *at;
}
bool CircuitRun::regular() const {
  return std::all_of(known_.begin(), known_.end(), [](const auto& x) { return x.second.has_value(); });
}
std::uint32_t CircuitRun::mask(double t) const { return piece(t).mask; }
std::vector<double> CircuitRun::values(double t) const {
  const Piece& p = piece(t);
  const Combination& x = *known_.at(p.mask);
  return x.solution * (exponential(x.rate, t - p.from) * p.z);
}

}  // namespace kron::hybrid
