// engine/session/parallel_axes.hpp: axes that are parallel by their numbers, in models that close loops.
//   problem  whether a loop holds more than it needs depends on which of its joints' axes are parallel. Of coordinate axes that is structure;
//            of {0, 0.6, 0.8} in four joints it is what parameters happen to be, and at a random point they are not
//   method   numbers of such axes, and of angles that are the same, are part of the equations (FlatModel::fixed): an edit of one makes another
//            analysis. Another axis of the same direction is a multiple of the first; a slide at a right angle to it is so exactly
//   keep     the length of an axis must have a root in both prime fields, or nothing shows there that its unit vector is of length 1; so the
//            numbers may be some last places off
#pragma once
#include "engine/session/values.hpp"

namespace kron::session {

// `all`: axes that are parallel to none, too, as a fixed rotation is one in the fields only then.
FlatModel::Axes parallel_axes(const FlatModel&, bool all, const Overrides& = {});

// Whether with these numbers of parameters the same ones are part of the equations.
bool same_axes(const FlatModel&, const Overrides&);

}  // namespace kron::session
