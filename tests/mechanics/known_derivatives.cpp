// Loops with the derivatives that the library states, against those that are derived: the same library without `@derivative`.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lang/workspace/kron.hpp"
#include "tests/support/rendered.hpp"

using namespace kron;

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string without_derivatives(std::string text) {
  const std::string word = "@derivative(";
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word)) {
    std::size_t end = at + word.size();
    for (int open = 1; open > 0; ++end) open += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    text.erase(at, end - at);
  }
  return text;
}

// A copy of the standard library, for as long as it lives.
class Library {
 public:
  Library() : path_(std::filesystem::temp_directory_path() / ("kron-derived-" + std::to_string(std::hash<std::string>{}(std::filesystem::current_path().string())))) {
    std::filesystem::remove_all(path_);
    std::filesystem::copy(KRON_SOURCE_DIR "/stdlib", path_, std::filesystem::copy_options::recursive);
    for (const auto& file : std::filesystem::directory_iterator(path_ / "multibody")) {
      const std::string text = without_derivatives(text_of(file.path()));
      std::ofstream(file.path()) << text;
    }
  }
  ~Library() { std::filesystem::remove_all(path_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

const char* const bars = R"(crank : BodyShape(r = {1, 0, 0}, r_CM = {0.4, 0.1, 0})
coupler : BodyShape(r = {2, 0, 0}, r_CM = {1.1, 0, 0.1})
rocker : BodyShape(r = {1.5, 0, 0}, r_CM = {0.7, -0.1, 0})
base : FixedTranslation(r = {2, 0, 0})
b : Revolute(phi(start = -0.4))
d : Revolute(phi(start = 0.9))
connect held.frame_b, a.frame_a, base.frame_a
connect a.frame_b, crank.frame_a
connect crank.frame_b, b.frame_a
connect b.frame_b, coupler.frame_a
connect coupler.frame_b, c.frame_a
connect c.frame_b, rocker.frame_b
connect base.frame_b, d.frame_a
connect d.frame_b, rocker.frame_a
)";

// A plane four-bar, closed by `joint`, on a carrier from the world to `held`.
std::string plane_four_bar(const std::string& joint, const std::string& carrier) {
  return "use multibody\nworld : World\n" + carrier + "a : Revolute(phi(start = 0.7, fixed), w(start = 1, fixed))\nc : " + joint + "\n" + bars;
}
const std::string fixed = "held : FixedTranslation(r = {0.1, 0.2, 0})\nconnect world.frame_b, held.frame_a\n";
const std::string turning = "held : Revolute(n = {0, 1, 0}, phi(start = 0.2, fixed), w(start = 0.5, fixed))\nconnect world.frame_b, held.frame_a\n";
const std::string swinging = "ball : Spherical(angles_fixed = true, angles_start = {0.2, 0.1, 0.3}, w_rel_a_fixed = true)\nheld : BodyShape(r = {0.3, 0.2, 0.1})\n"
                             "connect world.frame_b, ball.frame_a\nconnect ball.frame_b, held.frame_a\n";

// A crank, a rod between a ball and a universal joint, a slider.
std::string spatial_four_bar(bool turned) {
  return std::string(R"(use multibody
world : World
a : Revolute(n = {1, 0, 0}, phi(start = 0.2, fixed), w(start = 6, fixed))
arm : BodyCylinder(r = {0, 0.5, 0.1}, diameter = 0.05)
ball : Spherical
coupler : BodyCylinder(r = {1, -0.3, -0.1}, diameter = 0.05)
cardan : Universal(n_a = {0, 0, 1}, n_b = {0, 1, 0})
slider : BodyBox(r = {0.2, 0, 0}, width = 0.1, r_shape = {-0.1, 0, 0})
slide : Prismatic(n = {1, 0, 0}, s(start = 1))
base : FixedTranslation(r = {0.2, 0.2, 0})
connect world.frame_b, a.frame_a, base.frame_a
connect a.frame_b, arm.frame_a
connect coupler.frame_b, cardan.frame_a
connect cardan.frame_b, slider.frame_a
connect base.frame_b, slide.frame_a
connect slide.frame_b, slider.frame_a
)") + (turned ? "connect arm.frame_b, ball.frame_b\nconnect ball.frame_a, coupler.frame_a\n" : "connect arm.frame_b, ball.frame_a\nconnect ball.frame_b, coupler.frame_a\n");
}

// A ring in space that a rod of fixed length, or a joint, closes.
std::string ring(const std::string& joint) {
  return R"(use multibody
world : World
a : Revolute(n = {0, 1, 0}, phi(start = 0.1))
b : Revolute(phi(start = 0.5))
c : Universal(n_a = {0, 1, 0}, n_b = {0, 0, 1})
one, two, three : BodyShape(r = {0.7, 0.1, 0}, r_CM = {0.3, 0, 0.1})
ground : FixedTranslation(r = {1.5, 0.9, 0.2})
joint : )" + joint + R"(
connect world.frame_b, a.frame_a, ground.frame_a
connect a.frame_b, one.frame_a
connect one.frame_b, b.frame_a
connect b.frame_b, two.frame_a
connect two.frame_b, c.frame_a
connect c.frame_b, three.frame_a
connect three.frame_b, joint.frame_a
connect joint.frame_b, ground.frame_b
)";
}

}  // namespace

TEST_CASE("mechanics: loops move as by derived derivatives, and no position is differentiated") {
  const Library derived;
  const struct {
    const char* name;
    std::string text;
    std::vector<const char*> values;
  } rows[] = {
      {"plane four-bar", plane_four_bar("RevolutePlanarLoopConstraint", fixed), {"a.phi", "b.w", "d.a", "crank.frame_a.f[1]"}},
      {"on a turntable", plane_four_bar("RevolutePlanarLoopConstraint", turning), {"a.phi", "b.w", "d.a", "held.a", "crank.frame_a.f[1]"}},
      {"on a ball joint", plane_four_bar("RevolutePlanarLoopConstraint(n = {0, 0, 1})", swinging), {"a.phi", "d.a", "ball.w_rel[1]"}},
      {"with more than it needs", plane_four_bar("Revolute", fixed), {"a.phi", "b.w", "d.a"}},
      {"with more than it needs, on a turntable", plane_four_bar("Revolute", turning), {"a.phi", "b.w", "d.a", "held.a"}},
      {"closed by a cut", plane_four_bar("CutRevolute", fixed), {"a.phi", "b.w", "d.a"}},
      {"closed by a ball joint", plane_four_bar("Spherical", fixed), {"a.phi", "b.w", "d.a"}},
      {"four-bar in space", spatial_four_bar(false), {"a.phi", "slide.s", "slide.a", "cardan.revolute_a.w"}},
      {"its ball joint turned round", spatial_four_bar(true), {"a.phi", "slide.s", "slide.a", "cardan.revolute_b.w"}},
      {"ring closed by a cut", ring("CutSpherical"), {"a.phi", "b.w", "a.a"}},
      {"ring closed by a rod", ring("SphericalSpherical(rodLength = 0.4)"), {"a.phi", "b.w", "a.a"}},
      {"ring closed by a rod that turns", ring("UniversalSpherical(rRod_ia = {0.4, 0, 0})"), {"a.phi", "b.w", "a.a"}},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    Session known({.library_path = {KRON_SOURCE_DIR "/stdlib"}}), other({.library_path = {derived.path()}});
    for (Session* s : {&known, &other}) {
      REQUIRE_MESSAGE(s->run_text(row.text), rendered(*s));
      REQUIRE_MESSAGE(s->simulate({.stop = 0.4, .points = 5, .tolerance = 1e-10}), rendered(*s));
    }
    for (const char* name : row.values) {
      const double expected = other.value(name).value();
      CHECK_MESSAGE(std::fabs(known.value(name).value() - expected) < 1e-6 * (1 + std::fabs(expected)), name);
    }
    for (const model::VarId v : known.analysis().dummy) CHECK(name(known.analysis(), v).find("R.T") == std::string::npos);
    CHECK(known.analysis().dummy.size() < other.analysis().dummy.size());
  }
}
