// The open form of a problem, and when it is the better one.
#include "engine/simulate/run.hpp"

namespace kron::simulate {

Problem open_problem(const Problem& p, const OpenForm& form) {
  Problem open = p;
  const std::size_t states = code::derivative_size(*p.dynamics);
  open.dynamics = form.program;
  open.closed = p.dynamics;
  open.unknowns = form.unknowns;
  open.algebraic = form.unknowns.size();
  open.reordered = nullptr;  // other pivots would be those of a closed form
  for (const OpenForm::Unknown& u : form.unknowns) open.nominal.push_back(p.output_nominal[u.output]);
  const auto output_of = [states, unknowns = form.unknowns](std::size_t i) { return unknowns[i - states].output; };
  open.state_name = [states, output_of, state = p.state_name, output = p.output_name](std::size_t i) {
    if (i >= states) return output ? output(output_of(i)) : "unknown " + std::to_string(i - states + 1);
    return state ? state(i) : "state " + std::to_string(i + 1);
  };
  open.derivative_origin = [states, output_of, state = p.derivative_origin, output = p.output_origin](std::size_t i) {
    if (i >= states) return output ? output(output_of(i)) : Origin{};
    return state ? state(i) : Origin{};
  };
  return open;
}

// Measured on grids of diodes with a capacitor here and there, from 12 to 760 unknowns: the open form takes from half to a quarter of the
// time. Small blocks stay closed, because the iteration inside them is the safer one (globalised, bounds kept).
bool prefers_open_form(const Problem& p) {
  constexpr std::size_t many = 64;
  return p.open_form && p.sets.empty() && p.choices.empty() && code::unknowns_to_open(*p.dynamics) >= many;
}

}  // namespace kron::simulate
