// engine/session/loop_flows.hpp: what flows through the connections, and the joints without coordinates, that close loops of over-determined
// connectors.
//   A connection divides the connectors that are connected into those on its one side and those on its other; what passes it is the sum of
//   the flows on one side, of a single flow where one connector stands alone there. A flow that goes round in a loop passes the connection
//   that closes it, and only what passes it tells of it: in the sum of three connectors' flows, say of the world's with two others, what
//   comes by one of them and leaves by the other is lost.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/model/flat_model.hpp"

namespace kron::session {

// By equation of the flat model: it belongs to a connection that closes a loop, where `equal` stands in place of member equality, or to a joint
// that does, which says what its derivatives are.
std::vector<bool> closing_equations(const model::FlatModel&);

bool closes_loops(const model::FlatModel&);  // whether there are such

// The connector, an instance, that holds a slot; 0: none does.
std::uint32_t connector_of(const model::FlatModel&, std::uint32_t slot);

struct SignedFlow {
  std::uint32_t slot = 0;
  double factor = 1;
};
using FlowSum = std::vector<SignedFlow>;

// Of each joint that closes a loop: the flows of its first connector. Of each connection that does, of each of its flows: what passes it, from
// fewer flows.
std::vector<FlowSum> closing_flows(const model::FlatModel&);

// Where one of the equations speaks of connectors of such a loop, and their flows have a hint: what to do where the equations depend on each
// other. Else "".
std::string loop_hint(const model::FlatModel&, std::span<const model::EqId> equations);

// Where one of the equations is the zero of a flow that nobody connected, or names such a flow: what to do. Empty: none is.
std::string open_flow_hint(const model::FlatModel&, std::span<const model::EqId> equations);

// Of variables that nothing determines, the most telling one first: that nothing is connected to connectors that hold some, to that of its own
// component where there is one. Empty: there are none.
std::string unconnected_hint(const model::FlatModel&, std::span<const model::VarId>);

}  // namespace kron::session
