// tests/bench/models.hpp: models of any size, as text.
#pragma once
#include <string>

namespace kron::bench {

std::string rc_ladder(int cells);      // electrical: source, n resistors and capacitors, as component arrays
std::string declared_ladder(int cells);  // the same ladder, each component declared and connected by statements of its own
std::string step_ladder(int cells);    // R = 1 kOhm/n and C = 1 uF/n in each, a unit step at one end (ladder_reference.hpp)
// n x n nodes with a diode each, 100 Ohm between neighbours, 5 V of 1 kHz behind 100 Ohm at a corner; 10 nF at every node, or 100 nF at
// those of the diagonal alone, which leaves the others implicit
std::string diode_grid(int n, bool capacitor_everywhere);
std::string varying_block(int size);   // a linear block of this size, its matrix full and a function of the state
std::string heat_rod(int cells);       // one array equation, no components
std::string equations(int count);      // statements of many kinds, for the parser
std::string coupled(int size);         // one linear block of this size beside one state
std::string chain_of_bodies(int count);  // multibody: each hangs on the one before by a revolute joint
std::string tree_of_bodies(int count);   // two on each
std::string row_of_loops(int loops);     // parallelograms in a row: two bodies and three joints each
std::string star_of_bodies(int arms);    // on one body that floats
std::string carried_loops(int loops);    // each plane one on a plate that turns on the plate before: four bodies and five joints

// The same circuits for ngspice. Output: two nodes at the steps taken.
std::string step_ladder_netlist(int cells);
std::string diode_grid_netlist(int n);

}  // namespace kron::bench
