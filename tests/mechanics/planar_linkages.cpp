// Random plane linkages of bodies with plain joints, which hold more than they need: they move as with RevolutePlanarLoopConstraint in each
// loop, which leaves nothing open, whatever the order of the statements is, on the ground and on what something else carries.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <sstream>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

struct Point {
  double x = 0, y = 0;
  Point operator-(Point o) const { return {x - o.x, y - o.y}; }
  double length() const { return std::hypot(x, y); }
};
double cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }

using Vector = std::array<double, 3>;
struct Plane {
  const char* name;
  Vector e_x, e_y, e_z;
};
constexpr Plane planes[] = {{"about z", {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                            {"about x", {0, 1, 0}, {0, 0, 1}, {1, 0, 0}},
                            {"about -x", {0, 1, 0}, {0, 0, -1}, {-1, 0, 0}},
                            {"about y", {0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};

std::string text(const Vector& v) {
  std::ostringstream out;
  out.precision(15);
  out << '{' << v[0] << ", " << v[1] << ", " << v[2] << '}';
  return out.str();
}
std::string number(double x) {
  std::ostringstream out;
  out.precision(15);
  out << x;
  return out.str();
}

enum class Kind { four_bar, parallelogram, slider_crank, quick_return, watt, stephenson, any };
constexpr const char* kind_names[] = {"four-bar", "parallelogram", "slider-crank", "quick return", "Watt", "Stephenson", "any"};

constexpr const char* carriers[] = {"Revolute(n = {0, 1, 0}, phi(start = 0.3, fixed), w(start = 1, fixed))",
                                    "Revolute(n = {1, 0, 0}, phi(start = 0.4, fixed), w(start = -0.7, fixed))",
                                    "Prismatic(n = {0, 0, 1}, s(start = 0.1, fixed), v(start = 1, fixed))",
                                    "Universal(phi_a(start = 0.2, fixed), phi_b(start = -0.3, fixed), w_a(start = 0.5, fixed), w_b(start = 1, fixed))",
                                    "Spherical(angles_fixed = true, angles_start = {0.1, 0.2, 0.3}, w_rel_a_fixed = true, w_rel_a_start = {0.5, 1, -0.3})",
                                    "FixedRotation(n = {1, 0, 0}, angle = 0.4)"};

// Body 0 turns about a pin on the ground (body -1), which is the world or what a joint holds. Dyads, pairs of bodies on three joints, are put between two bodies each: a loop each.
class Linkage {
 public:
  std::size_t bodies = 0;

  Linkage(std::uint64_t seed, Kind kind, const Plane& plane, std::string carrier = "") : random_(seed), plane_(plane), carrier_(std::move(carrier)) {
    joints_.push_back({-1, 0, false, point(), {}});
    bodies = 1;
    switch (kind) {
      case Kind::four_bar: dyad(0, -1, {}); break;
      case Kind::parallelogram: parallelogram(); break;
      case Kind::slider_crank: dyad(0, -1, 2); break;
      case Kind::quick_return: dyad(0, -1, 1); break;
      case Kind::watt: dyad(0, -1, {}), dyad(1, 2, {}); break;
      case Kind::stephenson: dyad(0, -1, {}), dyad(1, -1, {}); break;
      case Kind::any: any(); break;
    }
    write();
  }

  // `enough`: one Revolute of each loop is a RevolutePlanarLoopConstraint.
  std::string model(bool enough) const {
    std::string t = "use multibody\n";
    for (const auto& [plain, cut] : lines_) t += (enough && !cut.empty() ? cut : plain) + "\n";
    return t;
  }

 private:
  struct Joint {
    int a, b;
    bool slides;
    Point at, along;
  };

  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random_); }
  bool coin() { return random_() % 2 == 0; }
  Point point() { return {uniform(-1, 1), uniform(-1, 1)}; }

  // `slider`: which of the three joints slides.
  void dyad(int from, int to, std::optional<int> slider) {
    Point p[3];
    do
      for (Point& x : p) x = point();
    while (std::fabs(cross(p[1] - p[0], p[2] - p[1])) < 0.5 || (p[2] - p[0]).length() < 0.5);
    dyad(from, to, p, slider);
  }
  void dyad(int from, int to, const Point (&p)[3], std::optional<int> slider) {
    const int c = static_cast<int>(bodies), d = c + 1;
    bodies += 2;
    const int ends[] = {from, c, d, to};
    const Point bar = p[1] - p[0], along = slider == 2 ? Point{bar.x - 0.8 * bar.y, bar.y + 0.8 * bar.x} : p[2] - p[0];
    for (int k = 0; k < 3; ++k) joints_.push_back({ends[k], ends[k + 1], slider == k, p[k], along});
  }
  void parallelogram() {
    const Point a = joints_[0].at, b{a.x + uniform(0.3, 0.6), a.y + uniform(0.3, 0.6)}, side{uniform(0.7, 1), uniform(-0.2, 0.2)};
    dyad(0, -1, {b, {b.x + side.x, b.y + side.y}, {a.x + side.x, a.y + side.y}}, {});
  }
  void any() {
    for (auto loops = 1 + random_() % 4; loops > 0; --loops) {
      const auto body = [&](std::size_t below) { return static_cast<int>(random_() % below); };
      const int from = body(bodies), to = (from + 1 + body(bodies)) % static_cast<int>(bodies + 1);
      const std::optional<int> slider = coin() ? std::optional<int>{} : 1 + body(2);
      dyad(from, to == static_cast<int>(bodies) ? -1 : to, slider);
    }
  }

  Vector in_space(Point p) const {
    Vector v;
    for (std::size_t k = 0; k < 3; ++k) v[k] = p.x * plane_.e_x[k] + p.y * plane_.e_y[k];
    return v;
  }
  void connect(const std::string& a, const std::string& b) {
    const bool turned = coin();
    lines_.push_back({"connect " + (turned ? b : a) + ", " + (turned ? a : b), ""});
  }

  Point origin(int body) const {
    return std::ranges::find_if(joints_, [&](const Joint& j) { return j.a == body || j.b == body; })->at;
  }
  std::string frame(int body, Point p) {
    const std::string base = body < 0 ? carrier_.empty() ? "world.frame_b" : "plate.frame_a" : "b" + std::to_string(body) + ".frame_a";
    const Point arm = body < 0 ? p : p - origin(body);
    if (arm.length() == 0) return base;
    const std::string name = "arm" + std::to_string(lines_.size());
    const bool turned = coin();
    lines_.push_back({name + " : FixedTranslation(r = " + text(in_space(turned ? Point{} - arm : arm)) + ")", ""});
    connect(base, name + (turned ? ".frame_b" : ".frame_a"));
    return name + (turned ? ".frame_a" : ".frame_b");
  }

  void write() {
    const double direction = uniform(-std::numbers::pi, std::numbers::pi);
    lines_.push_back({"world : World(n = " + text(in_space({std::cos(direction), std::sin(direction)})) + ")", ""});
    if (!carrier_.empty()) {
      lines_.push_back({"carrier : " + carrier_, ""});
      lines_.push_back({"plate : Body(m = 2, r_CM = {0.1, 0.2, -0.1}, I_11 = 0.3, I_22 = 0.4, I_33 = 0.5)", ""});
      connect("world.frame_b", "carrier.frame_a");
      connect("carrier.frame_b", "plate.frame_a");
    }
    for (std::size_t b = 0; b < bodies; ++b) {
      const double x = uniform(-0.5, 0.5), y = uniform(-0.5, 0.5), m = uniform(0.5, 3);
      lines_.push_back({"b" + std::to_string(b) + " : Body(m = " + number(m) + ", r_CM = " + text(in_space({x, y})) +
                            ", I_11 = 0.1, I_22 = 0.1, I_33 = 0.1)", ""});
    }
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      const Joint& j = joints_[k];
      const std::string a = frame(j.a, j.at), b = frame(j.b, j.at), name = "j" + std::to_string(k);
      const bool turned = coin(), backwards = coin();
      Vector n = plane_.e_z;
      for (double& x : n) x *= backwards ? -1 : 1;
      std::string plain = "Revolute(n = " + text(n), cut;
      if (k == 0) plain += ", phi(start = 0, fixed), w(start = " + number(turned != backwards ? -0.5 : 0.5) + ", fixed)";
      if (j.slides) plain = "Prismatic(n = " + text(in_space(j.along));
      if (k % 3 == 1) cut = name + " : RevolutePlanarLoopConstraint(n = " + text(n) + ")";  // the first of each dyad
      lines_.push_back({name + " : " + plain + ")", cut});
      connect(a, name + (turned ? ".frame_b" : ".frame_a"));
      connect(name + (turned ? ".frame_a" : ".frame_b"), b);
    }
    std::ranges::shuffle(lines_, random_);
  }

  std::mt19937_64 random_;
  const Plane& plane_;
  const std::string carrier_;
  std::vector<Joint> joints_;
  std::vector<std::array<std::string, 2>> lines_;  // and what it is in the model that has enough
};

// How many of the runs had something open.
std::size_t compare(const Linkage& linkage) {
  CAPTURE(linkage.model(false));
  Session redundant({.library_path = {KRON_SOURCE_DIR "/stdlib"}}), enough({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE_MESSAGE(redundant.run_text(linkage.model(false)), rendered(redundant));
  REQUIRE_MESSAGE(enough.run_text(linkage.model(true)), rendered(enough));
  REQUIRE_MESSAGE(enough.simulate({.stop = 0.15, .points = 3, .tolerance = 1e-9}), rendered(enough));
  REQUIRE_MESSAGE(redundant.simulate({.stop = 0.15, .points = 3, .tolerance = 1e-9}), rendered(redundant));
  for (std::size_t b = 0; b < linkage.bodies; ++b)
    for (const char* x : {".r_0[", ".w_a["})
      for (const char* k : {"1]", "2]", "3]"}) {
        const std::string name = "b" + std::to_string(b) + x + k;
        const double expected = enough.value(name).value();
        CHECK_MESSAGE(std::fabs(redundant.value(name).value() - expected) < 1e-6 * (1 + std::fabs(expected)), name);
      }
  return std::ranges::any_of(redundant.diagnostics().list(), [](const Diagnostic& d) { return d.code == "N0317"; });
}

}  // namespace

TEST_CASE("mechanics: plane linkages of plain joints move as those that hold just what they need") {
  std::size_t noted = 0, runs = 0;
  for (std::uint64_t seed = 1; seed <= 28; ++seed) {
    const Plane& plane = planes[seed % std::size(planes)];
    const auto kind = static_cast<Kind>(seed % 7);
    CAPTURE(seed);
    CAPTURE(std::string(plane.name));
    CAPTURE(std::string(kind_names[static_cast<int>(kind)]));
    noted += compare(Linkage(seed, kind, plane));
    ++runs;
  }
  CHECK(noted == runs);
}

TEST_CASE("mechanics: plane linkages that something carries about move as those that hold just what they need") {
  std::size_t noted = 0, runs = 0;
  for (std::uint64_t seed = 101; seed <= 118; ++seed) {
    const Plane& plane = planes[seed % std::size(planes)];
    const auto kind = static_cast<Kind>(seed % 7);
    const std::string carrier = carriers[seed % std::size(carriers)];
    CAPTURE(seed);
    CAPTURE(std::string(plane.name));
    CAPTURE(std::string(kind_names[static_cast<int>(kind)]));
    CAPTURE(carrier);
    noted += compare(Linkage(seed, kind, plane, carrier));
    ++runs;
  }
  CHECK(noted == runs);
}
