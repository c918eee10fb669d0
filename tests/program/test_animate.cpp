// `:animate`: the page's data against the trajectory, the page as HTML, and what can go wrong.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "tests/program/run.hpp"

using namespace kron::test;
using nlohmann::json;

namespace {

const std::string arm =
    "use multibody\n"
    "world : World(n = {0, 0, -1})\n"
    "joint : Revolute(n = {0, 1, 0}, phi(start = 0.3, fixed), w(start = 2, fixed))\n"
    "rod : BodyBox(r = {0.5, 0, 0}, width = 0.06, innerWidth = 0.02)\n"
    "hook : FixedTranslation(r = {0, 0.2, 0}, animation = false)\n"
    "spring : Spring(c = 20)\n"
    "connect world.frame_b, joint.frame_a\n"
    "connect joint.frame_b, rod.frame_a\n"
    "connect rod.frame_b, hook.frame_a\n"
    "connect hook.frame_b, spring.frame_b\n"
    "connect world.frame_b, spring.frame_a\n";

json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return json::parse(page.substr(at, page.find("</script>", at) - at));
}

const json& shape_of(const json& data, const std::string& name, const std::string& type) {
  for (const json& s : data["shapes"])
    if (s["name"] == name && s["type"] == type) return s;
  FAIL("no shape of " << name);
  return data;
}

// Elements are closed in the order in which they were opened; scripts and styles hold text.
std::string unclosed(const std::string& page) {
  std::vector<std::string> open;
  for (std::size_t at = page.find('<', 1); at != std::string::npos; at = page.find('<', at + 1)) {
    const bool raw = !open.empty() && (open.back() == "script" || open.back() == "style");
    const std::size_t end = page.find('>', at);
    if (raw && page.compare(at, open.back().size() + 2, "</" + open.back()) != 0) continue;
    const bool closes = page[at + 1] == '/';
    const std::string name = page.substr(at + 1 + closes, page.find_first_of(" >/", at + 2) - at - 1 - closes);
    if (closes && (open.empty() || open.back() != name)) return "</" + name + ">";
    if (closes) open.pop_back();
    else if (page[end - 1] != '/' && name != "!DOCTYPE") open.push_back(name);
    at = end;
  }
  return open.empty() ? "" : open.back();
}

}  // namespace

TEST_CASE("animate: the page has the frames where the run had them") {
  const std::string script = arm + ":simulate until 1 points 20 tol 1e-9\n:animate to a.html\n" +
                             ":value rod.frame_a.R.T hook.frame_b.r_0 rod.frame_a.r_0 at 0.5\n";
  const Outcome o = run_script(script, {"--json"});
  REQUIRE_MESSAGE(o.status == 0, o.err);
  CHECK(o.objects()[1]["file"] == "a.html");
  const std::string& page = o.files.at("a.html");
  CHECK(unclosed(page) == "");
  CHECK(page.find("<script src") == std::string::npos);  // nothing is loaded
  const json data = data_of(page);
  REQUIRE(data["time"].size() == 21);
  CHECK(data["time"][10].get<double>() == doctest::Approx(0.5));
  CHECK(data["up"] == json({0, 0, 1}));
  for (const json& track : data["tracks"]) CHECK(track.size() == 7 * 21);
  CHECK(data["tracks"].size() == 4);  // the world, both ends of the rod, the spring's end: frames that move alike are there once

  const json& box = shape_of(data, "rod", "box");
  CHECK(box["measures"]["length"] == doctest::Approx(0.5));
  CHECK(box["measures"]["innerWidth"] == doctest::Approx(0.02));
  CHECK(box["measures"]["lengthDirection"] == json({1, 0, 0}));
  shape_of(data, "joint", "hinge");
  for (const json& s : data["shapes"]) CHECK(s["name"] != "hook");

  const json values = o.objects()[2]["values"];
  const json& spring = shape_of(data, "spring", "spring");
  const json &moved = data["tracks"][spring["to"].get<std::size_t>()], &turned = data["tracks"][box["from"].get<std::size_t>()];
  double q[4];
  for (int i = 0; i < 3; ++i) CHECK(moved[70 + i].get<double>() == doctest::Approx(values["hook.frame_b.r_0"][i].get<double>()).epsilon(1e-6));
  for (int i = 0; i < 4; ++i) q[i] = turned[73 + i];
  // The frame's axes in the world, by the quaternion, against the rows of R.T.
  const double axis[3][3] = {{1 - 2 * (q[1] * q[1] + q[2] * q[2]), 2 * (q[0] * q[1] + q[2] * q[3]), 2 * (q[0] * q[2] - q[1] * q[3])},
                             {2 * (q[0] * q[1] - q[2] * q[3]), 1 - 2 * (q[0] * q[0] + q[2] * q[2]), 2 * (q[1] * q[2] + q[0] * q[3])},
                             {2 * (q[0] * q[2] + q[1] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]), 1 - 2 * (q[0] * q[0] + q[1] * q[1])}};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) CHECK(std::fabs(axis[i][k] - values["rod.frame_a.R.T"][i][k].get<double>()) < 1e-6);
}

TEST_CASE("animate: every part of the library has a shape") {
  const Outcome o = run_script(
      "use multibody\nuse rotational: Torque\nworld : World(gravityType = NoGravity)\n"
      "a : Body(r_CM = {0.1, 0, 0}, angles_fixed = true, w_0_fixed = true, r_0(fixed), v_0(fixed))\n"
      "b : BodyCylinder(r = {0, 0.2, 0}, diameter = 0.1)\nc : PointMass\nd : FixedRotation(r = {0, 0, 1})\ne : FixedTranslation(r = {0, 0, 1})\n"
      "s : Spherical(angles_fixed = true, w_rel_a_fixed = true)\np : Prismatic(s(start = 0.1, fixed), v(fixed))\nf : Damper(d = 1)\n"
      "connect a.frame_a, p.frame_a\nconnect p.frame_b, s.frame_a\nconnect s.frame_b, b.frame_a\nconnect b.frame_b, d.frame_a\n"
      "model Part\nframe_a, frame_b : Frame\nlook : FixedShape\nspring : Spring\nconnect frame_a, look.frame_a, spring.frame_a\n"
      "connect frame_b, spring.frame_b\nend\npart : Part\nconnect world.frame_b, part.frame_a\nconnect part.frame_b, a.frame_a\n"
      "connect d.frame_b, e.frame_a\nconnect e.frame_b, c.frame_a\nconnect world.frame_b, f.frame_a\nconnect c.frame_a, f.frame_b\n"
      ":simulate until 0.1\n:animate\n",
      {"--json"});
  REQUIRE_MESSAGE(o.status == 0, o.err);
  const json data = data_of(o.files.at("animation.html"));
  const struct { const char *name, *type; } rows[] = {{"a", "ellipsoid"}, {"a", "rod"}, {"b", "cylinder"}, {"c", "sphere"}, {"d", "rod"},
                                                      {"e", "rod"}, {"s", "ball"}, {"p", "slide"}, {"f", "line"}, {"part.look", "box"}, {"part.spring", "spring"}};
  for (const auto& row : rows) CHECK(shape_of(data, row.name, row.type)["from"].is_number());
  CHECK(data["shapes"].size() == std::size(rows));
}

TEST_CASE("animate: long runs are thinned, titles are text") {
  Invocation i{{"FILE"}, arm + ":simulate until 1 points 5000\n:animate to \"a<b&c.html\"\n", "", {}, {}};
  const Outcome o = run(i);
  REQUIRE_MESSAGE(o.status == 0, o.err);
  const std::string& page = o.files.at("a<b&c.html");
  CHECK(page.find("<title>a&lt;b&amp;c</title>") != std::string::npos);
  CHECK(unclosed(page) == "");
  const json time = data_of(page)["time"];
  CHECK(time.size() == 2000);
  CHECK(time.back() == 1);
}

TEST_CASE("animate: what can go wrong") {
  const std::string still = "variable x(start = 1, fixed)\nder(x) = -x\n:simulate until 1\n";
  const struct { const char *name, *code; std::string script; std::map<std::string, std::string> environment; } rows[] = {
      {"no result", "E0503", arm + ":animate to a.html\n", {}},
      {"no ending", "E0506", arm + ":simulate until 1\n:animate to a.txt\n", {}},
      {"nothing to draw", "E0520", still + ":animate to a.html\n", {}},
      {"no library", "E0521", arm + ":simulate until 1\n:animate to a.html\n", {{"KRON_THREE", "no-such-folder"}}},
      {"no folder", "E0505", arm + ":simulate until 1\n:animate to no-such-folder/a.html\n", {}},
      {"no file name", "E0502", arm + ":simulate until 1\n:animate to\n", {}},
      {"other words", "E0502", arm + ":simulate until 1\n:animate a.html\n", {}},
      {"more words", "E0502", arm + ":simulate until 1\n:animate to a.html b\n", {}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Invocation i{{"FILE"}, row.script, "", {}, row.environment};
    const Outcome o = run(i);
    CHECK(o.status == 1);
    CHECK(o.err.find(row.code) != std::string::npos);
    CHECK_FALSE(o.files.contains("a.html"));
  }
  Invocation full{{"FILE"}, arm + ":simulate until 1\n:animate to a.html\n", "", {{"a.html", "old"}}, {}};
  full.largest_file = 4096;
  const Outcome o = run(full);
  CHECK(o.status == 1);
  CHECK(o.err.find("E0505") != std::string::npos);
  CHECK(o.files.at("a.html") == "old");
}
