// repl/scene.hpp: what `:animate` draws: the shapes of a model's parts, and how the frames that carry them moved in the last run.
//   A component of nothing but parameters with `shapeType : ShapeType` among them is a shape (multibody.Shape), they are its measures. It is fixed to its
//   neighbour `frame_a` (else `frame_b`), or spans from the one to the other. A frame is a connector with r_0[3] and R.T[3, 3].
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lang/workspace/kron.hpp"

namespace kron::repl {

// Position and orientation of a frame at the scene's times: x, y, z and the quaternion (scalar last) that turns the frame's axes to the
// world's, of one sign throughout.
using Pose = std::array<double, 7>;
using Track = std::vector<Pose>;

struct Shape {
  std::string name;                    // of the component that it shows
  std::string type;                    // literal of ShapeType
  std::size_t from = 0;                // track of the frame that carries it
  std::optional<std::size_t> to;       // track of the component's frame_b
  std::vector<std::pair<std::string, std::vector<double>>> measures;
};

struct Scene {
  std::vector<double> time;            // ascending, twice the same at an event
  std::vector<Track> tracks;           // no two the same
  std::vector<Shape> shapes;           // in the order of the components; empty: nothing to draw
  std::array<double, 3> up{0, 1, 0};   // against gravity
};

// Of the last result, which there must be. Points where a frame is not finite are left out; more than `most` are thinned.
Scene scene_of(Session&, std::size_t most = 2000);

// One self-contained HTML page: `libraries` are scripts (three.js and its orbit controls) to be put in.
std::string animation_page(const Scene&, const std::string& title, const std::vector<std::string>& libraries);

}  // namespace kron::repl
