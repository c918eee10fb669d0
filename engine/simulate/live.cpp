#include "engine/simulate/live.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kron::simulate {

bool evaluate_beyond(const EventModel& m, code::Machine<double>& machine, double t, std::span<const double> y, const std::function<bool()>& evaluate) {
  constexpr int most = 4;  // answers that follow from others
  const auto inputs = [&] { return machine.inputs(code::InputKind::discrete); };
  const std::vector<double> held(inputs().begin(), inputs().end());
  std::vector<double> roots(m.roots);
  const auto known = [&] { return machine.events(t, y, roots) == code::Status::ok; };
  machine.patient(false);
  bool good = evaluate_live(m, machine, evaluate);
  for (int round = 0; round < most && !good; ++round) {
    if (!known() && !evaluate_live(m, machine, known)) break;
    bool changed = false;
    for (std::size_t k = 0; k < m.terms.size(); ++k) {
      const EventTerm& x = m.terms[k];
      if (x.kind != EventTerm::Kind::relation || x.slope != EventTerm::none || !std::isfinite(roots[x.root])) continue;
      double& answer = inputs()[m.term(k)];
      if (answer != 0 ? !(roots[x.root] < 0) : !(roots[x.root] > 0)) continue;
      answer = answer == 0 ? 1 : 0;
      changed = true;
    }
    if (!changed) break;
    good = evaluate() || evaluate_live(m, machine, evaluate);
  }
  machine.patient(true);
  std::copy(held.begin(), held.end(), inputs().begin());
  return good;
}

}  // namespace kron::simulate
