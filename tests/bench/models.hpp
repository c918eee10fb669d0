// tests/bench/models.hpp: models of any size, as text.
#pragma once
#include <string>

namespace kron::bench {

std::string rc_ladder(int cells);      // electrical: source, n resistors and capacitors, as component arrays
std::string declared_ladder(int cells);  // the same ladder, each component declared and connected by statements of its own
std::string heat_rod(int cells);       // one array equation, no components
std::string equations(int count);      // statements of many kinds, for the parser
std::string coupled(int size);         // one linear block of this size beside one state
std::string chain_of_bodies(int count);  // multibody: each hangs on the one before by a revolute joint
std::string tree_of_bodies(int count);   // two on each
std::string double_pendulum();           // two rods that turn about parallel axes, of multibody
std::string row_of_loops(int loops);     // parallelograms in a row: two bodies and three joints each

}  // namespace kron::bench
