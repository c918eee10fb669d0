#include "repl/scene.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace kron::repl {

namespace {

using model::FlatModel;
using model::VarId;

// The instances of a model, by parent.
struct Tree {
  const FlatModel& flat;
  std::vector<std::vector<std::uint32_t>> children;

  explicit Tree(const FlatModel& m) : flat(m), children(m.instances.size()) {
    for (std::uint32_t i = 1; i < m.instances.size(); ++i) children[m.instances[i].parent].push_back(i);
  }
  std::optional<std::uint32_t> child(std::uint32_t of, std::string_view name) const {
    for (std::uint32_t i : children[of]) {
      const model::Child& c = flat.instances[of].type->children[flat.instances[i].child];
      if (c.index.empty() && c.name.str() == name) return i;
    }
    return std::nullopt;
  }
  // First slot of a declared quantity with so many scalars.
  std::optional<std::uint32_t> slot(std::uint32_t of, std::string_view name, std::uint32_t count) const {
    for (const model::Declaration& d : flat.instances[of].type->declarations)
      if (d.name.str() == name && d.count == count) return flat.instances[of].slot_base + d.first;
    return std::nullopt;
  }
};

struct Frame {
  std::uint32_t position = 0, orientation = 0;  // first slots of r_0 and R.T
  friend auto operator<=>(const Frame&, const Frame&) = default;
};

std::optional<Frame> frame_of(const Tree& t, std::uint32_t component, std::string_view name) {
  const auto connector = t.child(component, name);
  const auto rotation = connector ? t.child(*connector, "R") : std::nullopt;
  if (!rotation) return std::nullopt;
  const auto r = t.slot(*connector, "r_0", 3), orientation = t.slot(*rotation, "T", 9);
  if (!r || !orientation) return std::nullopt;
  return Frame{*r, *orientation};
}

bool is_shape(const model::Blueprint& b) {
  return b.children.empty() && std::any_of(b.declarations.begin(), b.declarations.end(), [](const model::Declaration& d) {
    return d.name.str() == "shapeType" && d.enumeration.str() == "ShapeType";
  });
}

// Shepperd's way: the largest of the four is computed by a root, the others by division. T takes components in the world to the frame.
std::array<double, 4> quaternion(const double* T) {
  auto a = [&](int i, int k) { return T[3 * k + i]; };  // its transpose, which turns the axes
  const double trace = a(0, 0) + a(1, 1) + a(2, 2);
  std::array<double, 4> q{};
  int largest = 3;
  double most = trace;
  for (int i = 0; i < 3; ++i)
    if (a(i, i) > most) most = a(i, i), largest = i;
  if (largest == 3) {
    q = {a(2, 1) - a(1, 2), a(0, 2) - a(2, 0), a(1, 0) - a(0, 1), 1 + trace};
  } else {
    const int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
    q[i] = 1 + a(i, i) - a(j, j) - a(k, k);
    q[j] = a(i, j) + a(j, i);
    q[k] = a(i, k) + a(k, i);
    q[3] = a(k, j) - a(j, k);
  }
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (double& x : q) x /= length;
  return q;
}

// Columns of the trajectory for the frames: three of the position and nine of the orientation each.
std::vector<std::vector<double>> frame_columns(Session& s, const std::vector<Frame>& frames) {
  std::vector<VarId> wanted;
  for (const Frame& f : frames) {
    for (std::uint32_t i = 0; i < 3; ++i) wanted.emplace_back(f.position + i);
    for (std::uint32_t i = 0; i < 9; ++i) wanted.emplace_back(f.orientation + i);
  }
  return s.sampler()->series(wanted);
}

std::vector<std::size_t> points_to_show(const std::vector<std::vector<double>>& columns, std::size_t points, std::size_t most) {
  std::vector<std::size_t> finite;
  for (std::size_t i = 0; i < points; ++i)
    if (std::all_of(columns.begin(), columns.end(), [&](const auto& c) { return std::isfinite(c[i]); })) finite.push_back(i);
  if (finite.size() <= most) return finite;
  std::vector<std::size_t> thinned;
  for (std::size_t k = 0; k < most; ++k) thinned.push_back(finite[k * (finite.size() - 1) / (most - 1)]);
  return thinned;
}

Track track_of(const std::vector<double>* columns, const std::vector<std::size_t>& points) {
  Track track;
  for (std::size_t i : points) {
    double T[9];
    for (std::size_t k = 0; k < 9; ++k) T[k] = columns[3 + k][i];
    std::array<double, 4> q = quaternion(T);
    if (!track.empty()) {
      const Pose& before = track.back();
      if (q[0] * before[3] + q[1] * before[4] + q[2] * before[5] + q[3] * before[6] < 0)
        for (double& x : q) x = -x;
    }
    track.push_back({columns[0][i], columns[1][i], columns[2][i], q[0], q[1], q[2], q[3]});
  }
  return track;
}

void read_measures(Session& s, const Tree& t, std::uint32_t instance, Shape& shape) {
  const double start = s.result()->trajectory.time().front();
  const model::Instance& i = t.flat.instances[instance];
  for (const model::Declaration& d : i.type->declarations) {
    std::vector<double> values;
    for (std::uint32_t k = 0; k < d.count; ++k) values.push_back(s.sampler()->value(VarId{i.slot_base + d.first + k}, start));
    if (d.name.str() != "shapeType") shape.measures.emplace_back(d.name.str(), std::move(values));
    else if (values[0] >= 1 && values[0] <= static_cast<double>(d.literals.size())) shape.type = d.literals[static_cast<std::size_t>(values[0]) - 1].str();
  }
}

std::optional<std::array<double, 3>> against_gravity(Session& s, const Tree& t) {
  for (std::uint32_t i = 0; i < t.flat.instances.size(); ++i) {
    const auto first = t.flat.instances[i].type->class_name.str() == "World" ? t.slot(i, "n", 3) : std::nullopt;
    if (!first) continue;
    std::array<double, 3> up{};
    double length = 0;
    for (std::uint32_t k = 0; k < 3; ++k) up[k] = -s.sampler()->value(VarId{*first + k}, s.result()->trajectory.time().front());
    for (double x : up) length += x * x;
    if (std::isfinite(length) && length > 0) return up;
  }
  return std::nullopt;
}

}  // namespace

Scene scene_of(Session& s, std::size_t most) {
  const Tree tree(s.result_analysis()->flat);
  Scene scene;
  std::vector<Frame> frames;
  std::map<Frame, std::size_t> number;
  auto track = [&](const Frame& f) {
    const auto [at, fresh] = number.try_emplace(f, frames.size());
    if (fresh) frames.push_back(f);
    return at->second;
  };
  for (std::uint32_t i = 1; i < tree.flat.instances.size(); ++i) {
    if (!is_shape(*tree.flat.instances[i].type)) continue;
    const std::uint32_t part = tree.flat.instances[i].parent;
    const auto a = frame_of(tree, part, "frame_a"), b = frame_of(tree, part, "frame_b");
    if (!a && !b) continue;
    Shape shape{model::path(tree.flat, part), {}, track(a ? *a : *b), {}, {}};
    if (b) shape.to = track(*b);
    read_measures(s, tree, i, shape);
    scene.shapes.push_back(std::move(shape));
  }
  if (scene.shapes.empty()) return scene;
  const auto columns = frame_columns(s, frames);
  const auto time = s.result()->trajectory.time();
  const auto points = points_to_show(columns, time.size(), most);
  for (std::size_t i : points) scene.time.push_back(time[i]);

  // Frames that are connected, and those of parts inside a part, move alike.
  std::map<Track, std::size_t> known;
  std::vector<std::size_t> place;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    Track t = track_of(&columns[12 * f], points);
    const auto [at, fresh] = known.try_emplace(std::move(t), scene.tracks.size());
    if (fresh) scene.tracks.push_back(at->first);
    place.push_back(at->second);
  }
  for (Shape& shape : scene.shapes) {
    shape.from = place[shape.from];
    if (shape.to) shape.to = place[*shape.to];
  }
  if (const auto up = against_gravity(s, tree)) scene.up = *up;
  return scene;
}

}  // namespace kron::repl
