// Edits inside a large linear block: the session takes over the order that won before (engine/solve/carried.hpp), a new session tries
// all orderings. What they compute must agree, and what the session's code costs must be what the new session's costs, within what the
// rule allows.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "engine/code/program.hpp"
#include "tests/incremental/listing.hpp"
#include "tests/support/sanitized.hpp"

using namespace kron;
using namespace kron::test;

namespace {

constexpr int bodies = 20;  // more than 400 unknowns in the block

std::string chain_of_links() {
  std::string t = "use multibody\nmodel Link extends BodyShape\nend\nworld : World\n";
  std::string before = "world.frame_b";
  for (int k = 1; k <= bodies; ++k) {
    const std::string n = std::to_string(k);
    t += "joint" + n + " : Revolute(n = " + (k % 2 ? "{0, 1, 0}" : "{0, 0, 1}") + ", phi(start = 0." + n + "))\nbody" + n +
         " : Link(r = {0.7, 0, 0}, r_CM = {0.3, 0.02, 0.05}, I_11 = 0.1, I_22 = 0.2, I_33 = 0.3, I_21 = 0.01, I_31 = 0.02, I_32 = 0.03)\nconnect " + before + ", joint" + n +
         ".frame_a\nconnect joint" + n + ".frame_b, body" + n + ".frame_a\n";
    before = "body" + n + ".frame_b";
  }
  return t;
}

class BlockEditor {
 public:
  explicit BlockEditor(std::uint64_t seed) : g_(seed) {}
  std::string next() {
    const std::string k = place(), x = std::to_string(pick(3));
    switch (pick(8)) {
      case 0: case 1: return "delete x" + x + "\nx" + x + " : Body(m = 0.3, r_CM = {0.1, 0, 0})\nconnect x" + x + ".frame_a, body" + k + ".frame_b";
      case 2: return "delete x" + x;
      case 3: {
        static const char* const kinds[] = {"Revolute(n = {1, 0, 0}, phi(start = 0.2))", "Revolute(n = {0, 0, 1}, phi(start = 0.2))", "Revolute(n = {0, 1, 0})", "Revolute(n = {0.6, 0, 0.8})"};
        return "joint" + k + " : " + kinds[pick(4)];
      }
      case 4: return "body" + k + " : BodyShape(m = 0." + x + "5, r = {0, 0.2, 0.4}, r_CM = {0.1, 0.1, 0.2})";
      case 5: return "model Link extends BodyShape\n  variable extra = " + x + ".5 * frame_a.f[1]\nend";
      case 6: return "delete tool" + x + "\ndelete arm" + x + "\narm" + x + " : Revolute(n = {0, 1, 0})\ntool" + x + " : Body(m = 0.2, r_CM = {0.2, 0, 0.1})\nconnect arm" + x + ".frame_a, body" + k + ".frame_b\nconnect arm" + x +
                     ".frame_b, tool" + x + ".frame_a";
      default: return "delete tool" + x + "\ndelete arm" + x;
    }
  }

 private:
  std::string place() { return std::to_string(1 + pick(bodies)); }
  std::size_t pick(std::size_t n) { return g_() % n; }
  std::mt19937_64 g_;
};

// Statement by statement: those that have nothing to delete change nothing.
void apply_statements(Session& s, const std::string& text) {
  std::size_t begin = 0;
  const auto line = [&] {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string l = text.substr(begin, end - begin);
    begin = end + 1;
    return l;
  };
  if (text.starts_with("model")) {
    edit(s, text);
    return;
  }
  while (begin < text.size()) edit(s, line());
}

std::size_t operations(const session::Analysis& a) {
  const code::OperationCount n = code::operations(*a.program, code::Section::dynamic);
  return n.mul + n.add + n.div + n.sqrt + n.trig + n.other;
}

// Joint by joint; a session and a new one may number states in different ways.
double worst_difference(Session& x, Session& y) {
  double worst = 0, largest = 1;
  for (int k = 1; k <= bodies; ++k) {
    const std::string a = "joint" + std::to_string(k) + ".a";
    const auto p = x.value(a), q = y.value(a);
    REQUIRE((p && q));
    worst = std::max(worst, std::abs(*p - *q));
    largest = std::max(largest, std::abs(*q));
  }
  return worst / largest;
}

const session::Block& largest(const session::Analysis& a) {
  return *std::ranges::max_element(a.blocks, {}, [](const session::Block& b) { return b.unknowns.size(); });
}

}  // namespace

TEST_CASE("bodies that are added, moved and taken away: the order is carried over, at the cost of a new session's") {
  const struct {
    const char* text;
    std::size_t operations;
  } edits[] = {
      {"x : Body(m = 0.3, r_CM = {0.1, 0, 0})\nconnect x.frame_a, body7.frame_b", 5170},
      {"delete connect x.frame_a, body7.frame_b\nconnect x.frame_a, body13.frame_b", 5170},
      {"y : Body(m = 0.2, r_CM = {0.1, 0, 0})\nconnect y.frame_a, body8.frame_b", 5203},
      {"delete x", 5170},
  };
  Session s(settings());
  REQUIRE(s.run_text(chain_of_links()));
  REQUIRE(s.analysis().complete);
  for (const auto& edit : edits) {
    CAPTURE(std::string(edit.text));
    REQUIRE(s.run_text(edit.text));
    REQUIRE(s.analysis().complete);
    Session fresh(settings());
    REQUIRE(fresh.run_text(s.workspace().text()));
    CHECK(largest(s.analysis()).how().tried.size() == 1);
    CHECK(largest(s.analysis()).how().ordering.ends_with(", carried over"));
    // The right side stays what it was: a new session gathers the known parts of two bodies at one joint, 46 operations of 5,170.
    CHECK(operations(s.analysis()) <= edit.operations);
    CHECK(static_cast<double>(operations(s.analysis())) <= 1.012 * static_cast<double>(operations(fresh.analysis())));
  }
}

// The connections at two links are others then, so the chain is in three pieces: its rest goes before the link between.
TEST_CASE("a body that is taken from link to link: the order is carried over each time") {
  Session s(settings());
  REQUIRE(s.run_text(chain_of_links() + "x : Body(m = 0.3, r_CM = {0.1, 0, 0})\nconnect x.frame_a, body9.frame_b\n"));
  REQUIRE(s.analysis().complete);
  const auto first = static_cast<double>(operations(s.analysis()));
  for (int k = 9; k < 13; ++k) {
    const std::string text = "delete connect x.frame_a, body" + std::to_string(k) + ".frame_b\nconnect x.frame_a, body" + std::to_string(k + 1) + ".frame_b";
    CAPTURE(text);
    REQUIRE(s.run_text(text));
    REQUIRE(s.analysis().complete);
    CHECK(largest(s.analysis()).how().tried.size() == 1);
    CHECK(largest(s.analysis()).how().ordering.ends_with(", carried over"));
    CHECK(static_cast<double>(operations(s.analysis())) <= 1.025 * first);
  }
}

// Other elements of its vectors are zero then, and its torn unknown has another residual; or frames that turned against each other are one.
TEST_CASE("joints that become others: the order is carried over, at the cost of a new session's") {
  constexpr double worse = 1.06;  // 1 %, more for what has changed (memory.hpp), twice, and what gathering known parts would save: 5 % of so short a chain
  for (const char* kind : {"Revolute(n = {1, 0, 0})", "Revolute(n = {0, 0, 1})", "Prismatic(n = {1, 0, 0})", "Prismatic(n = {0, 1, 0})", "Cylindrical(n = {1, 0, 0})",
                           "FixedTranslation(r = {1, 0, 0})", "FixedRotation(n = {1, 0, 0}, angle = 0.3)",
                           "FixedRotation(n = {1, 0, 0}, angle = 0.3, r = {1, 0, 0})"}) {
    CAPTURE(std::string(kind));
    Session s(settings());
    REQUIRE(s.run_text(chain_of_links()));
    REQUIRE(s.analysis().complete);
    for (const char* joint : {"joint11", "joint12"}) {
      CAPTURE(std::string(joint));
      REQUIRE(s.run_text(std::string(joint) + " : " + kind));
      REQUIRE(s.analysis().complete);
      Session fresh(settings());
      REQUIRE(fresh.run_text(s.workspace().text()));
      CHECK(largest(s.analysis()).how().ordering.ends_with(", carried over"));
      CHECK(static_cast<double>(operations(s.analysis())) <= worse * static_cast<double>(operations(fresh.analysis())));
    }
  }
}

TEST_CASE("edits inside a large block: the numbers of a new session, and no more operations than its orderings have") {
  constexpr std::uint64_t sequences = kron::sanitized ? 1 : 3;
  constexpr double worse = 1.03;  // memory.hpp: 1 %, more for what was added
  std::size_t edits = 0, tried_less = 0;
  for (std::uint64_t seed = 1; seed <= sequences; ++seed) {
    Session s(settings());
    BlockEditor editor(seed);
    REQUIRE(s.run_text(chain_of_links()));
    REQUIRE(s.analysis().complete);
    std::string log;
    for (int k = 0; k < 8; ++k) {
      const std::string text = editor.next();
      log += text + "\n";
      CAPTURE(log);
      apply_statements(s, text);
      REQUIRE(s.analysis().complete);
      Session fresh(settings());
      REQUIRE(fresh.run_text(s.workspace().text()));
      REQUIRE(fresh.analysis().complete);
      const auto all = operations(fresh.analysis()), ours = operations(s.analysis());
      CHECK(static_cast<double>(ours) <= worse * static_cast<double>(all));
      for (Session* x : {&s, &fresh}) x->simulate({.stop = 0.02, .points = 3, .tolerance = 1e-8});
      CHECK(worst_difference(s, fresh) < 1e-6);
      const session::Block &mine = largest(s.analysis()), &theirs = largest(fresh.analysis());
      tried_less += mine.how().tried.size() < theirs.how().tried.size();
      ++edits;
    }
  }
  MESSAGE(edits, " edits, ", tried_less, " with fewer trials");
  CHECK(4 * tried_less > edits);  // others bring a block back, leave it as it was, or are tried in full
}
