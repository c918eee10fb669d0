// Random edits of mechanisms: axes, shapes and classes of joints, whose elements are 0 and ±1 or are not, so that known values come, go and
// lead from one part to the next. After every edit the session has what a new session makes of its text.
#include <doctest/doctest.h>

#include <random>

#include "tests/incremental/listing.hpp"
#include "tests/support/sanitized.hpp"

using namespace kron;
using namespace kron::test;

namespace {

const char* const loop =  // a plane four-bar on a link that may be tilted
    "use multibody\nworld : World\nbase : FixedRotation(n = {0, 1, 0}, angle = 0)\nground : FixedTranslation(r = {2.2, 0, 0})\n"
    "j1 : Revolute(phi(start = 1.2))\nj2 : Revolute(phi(start = -1.1))\nj3 : Revolute(phi(start = 1.3))\ncut : RevolutePlanarLoopConstraint\n"
    "b1 : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0})\nb2 : BodyShape(r = {2, 0, 0}, r_CM = {1, 0, 0})\nb3 : BodyShape(r = {1.3, 0, 0}, r_CM = {0.6, 0, 0})\n"
    "connect world.frame_b, base.frame_a\nconnect base.frame_b, j1.frame_a, ground.frame_a\nconnect j1.frame_b, b1.frame_a\n"
    "connect b1.frame_b, j2.frame_a\nconnect j2.frame_b, b2.frame_a\nconnect ground.frame_b, j3.frame_a\nconnect j3.frame_b, b3.frame_a\n"
    "connect b2.frame_b, cut.frame_a\nconnect b3.frame_b, cut.frame_b\n";

const char* const tree =
    "use multibody\nworld : World\nbase : FixedRotation(n = {0, 1, 0}, angle = 0)\n"
    "j1 : Revolute\nj2 : Revolute\nj3 : Prismatic\nj4 : Revolute\n"
    "b1 : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0})\nb2 : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0})\nb3 : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0})\nb4 : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0})\n"
    "connect world.frame_b, base.frame_a\nconnect base.frame_b, j1.frame_a\nconnect j1.frame_b, b1.frame_a\nconnect b1.frame_b, j2.frame_a\n"
    "connect j2.frame_b, b2.frame_a\nconnect b2.frame_b, j3.frame_a\nconnect j3.frame_b, b3.frame_a\nconnect b1.frame_b, j4.frame_a\nconnect j4.frame_b, b4.frame_a\n";

const char* const pendulum =
    "use multibody\nworld : World\nj1 : Revolute\nb1 : BodyShape(r = {1, 0, 0}, r_CM = {0.5, 0, 0})\n"
    "connect world.frame_b, j1.frame_a\nconnect j1.frame_b, b1.frame_a\n";

const char* const given =  // by parameters that nobody marked
    "use multibody\nparameter ez[3] = {0, 0, 1}\nparameter L = 1\nparameter alpha : rad = pi / 2\nparameter product = 0\n"
    "model Link\n  parameter n[3] = {0, 0, 1}\n  parameter a = 0\n  parameter J = 0\n  frame_a, frame_b : Frame\n  joint : Revolute(n = n)\n"
    "  body : BodyShape(r = {a, 0, 0.2}, r_CM = {0.3, 0, 0}, I_21 = J)\n  connect frame_a, joint.frame_a\n  connect joint.frame_b, body.frame_a\n"
    "  connect body.frame_b, frame_b\nend\n"
    "world : World\nturn : FixedRotation(n = {1, 0, 0}, angle = alpha)\nj1 : Revolute(n = -ez)\nb1 : BodyShape(r = {L, 0, 0}, I_21 = product)\n"
    "link1 : Link(n = ez, a = L)\nlink2 : Link(J = product)\nconnect world.frame_b, j1.frame_a\nconnect j1.frame_b, b1.frame_a\nconnect b1.frame_b, turn.frame_a\n"
    "connect turn.frame_b, link1.frame_a\nconnect link1.frame_b, link2.frame_a\n";

std::string difference(const std::string& x, const std::string& y) {  // the first line that is not the same
  std::size_t k = 0;
  while (k < x.size() && k < y.size() && x[k] == y[k]) ++k;
  const std::size_t line = k == 0 ? 0 : x.rfind('\n', k - 1) + 1;
  return "edited:  " + x.substr(line, x.find('\n', k) - line) + "\nscratch: " + y.substr(line, y.find('\n', k) - line);
}

class MechanismEditor {
 public:
  MechanismEditor(const char* model, std::uint64_t seed) : joints_(model == pendulum ? 1 : model == loop ? 3 : 4), based_(model != pendulum), of_given_(model == given), g_(seed) {}

  std::string next() {
    if (of_given_) return next_given();
    const std::string k = std::to_string(1 + pick(joints_));
    switch (pick(12)) {
      case 0: case 1: case 2: return "j" + k + ".n := " + vector();
      case 3: return "world.n := " + vector();
      case 4: return "b" + k + ".r := " + vector();
      case 5: return "b" + k + ".r_CM := " + vector();
      case 6: return "b" + k + ".I_" + (pick(2) ? "21" : "33") + " := " + number();
      case 7: return based_ ? "base." + (pick(2) ? "angle := " + number() : "n := " + vector()) : "world.g := " + number();
      case 8: return "j" + k + " : " + (pick(3) ? "Revolute" : pick(2) ? "Prismatic" : "Universal");
      case 9: return "extra" + k + " : Body(m = 0.5, r_CM = " + vector() + ")\nconnect extra" + k + ".frame_a, b" + k + ".frame_" + (pick(2) ? "a" : "b");
      case 10: return "delete extra" + k;
      default: return "undo";
    }
  }

 private:
  std::string next_given() {
    const std::string link = pick(2) ? "link1" : "link2";
    switch (pick(12)) {
      case 0: return "ez := " + vector();
      case 1: return "ez[" + std::to_string(1 + pick(3)) + "] := " + number();
      case 2: case 3: return "L := " + number();
      case 4: return "alpha := " + std::string(pick(2) ? "90 [deg]" : "pi") + " * " + number();
      case 5: return "alpha := " + number();
      case 6: return "product := " + number();
      case 7: return link + ".n := " + vector();
      case 8: return link + (pick(2) ? ".a := " : ".J := ") + number();
      case 9: return "b1.r[" + std::to_string(1 + pick(3)) + "] := " + number();
      case 10: return link + " : Link(n = " + (pick(2) ? "ez" : vector()) + ", a = " + (pick(2) ? "L" : number()) + ")";
      default: return "undo";
    }
  }
  std::size_t pick(std::size_t n) { return g_() % n; }
  std::string number() {
    static const char* const some[] = {"0", "0", "1", "-1", "0.5", "2"};
    return some[pick(std::size(some))];
  }
  std::string vector() {
    static const char* const some[] = {"{1, 0, 0}", "{0, 1, 0}", "{0, 0, 1}", "{0, 0, -1}", "{0, 0, 3}", "{2, 0, 0}", "{0, -1, 1}", "{0.6, 0.8, 0}", "{1, 2, 3}"};
    return some[pick(std::size(some))];
  }
  std::size_t joints_;
  bool based_, of_given_;
  std::mt19937_64 g_;
};

}  // namespace

TEST_CASE("random edits of axes, shapes and joints: every analysis is the from-scratch analysis of the workspace's text") {
  constexpr std::uint64_t sequences = kron::sanitized ? 1 : 6;
  std::size_t compared = 0;
  for (const char* model : {pendulum, tree, loop, given})
    for (std::uint64_t seed = 1; seed <= sequences; ++seed) {
      Session s(settings());
      REQUIRE(s.run_text(model));
      s.analysis();
      MechanismEditor editor(model, seed);
      std::string log = model;
      for (int k = 0; k < 12; ++k) {
        const std::string text = editor.next();
        log += text + "\n";
        std::string what;
        const bool done = text == "undo" ? s.undo(what) : s.run_text(text);
        s.diagnostics().clear();
        if (!done) continue;
        Session fresh(settings());
        const bool stands = fresh.run_text(s.workspace().text());
        REQUIRE_MESSAGE(stands, log);
        const std::string edited = listing(s.analysis(), false) + numbers(s), scratch = listing(fresh.analysis(), false) + numbers(fresh);
        REQUIRE_MESSAGE(edited == scratch, (log + difference(edited, scratch)));
        ++compared;
      }
    }
  CHECK(compared > 8 * 4 * sequences);
}
