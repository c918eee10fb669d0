// Trials of orderings are shared by two threads (engine/solve/trials.cpp): who does which must not show. Here others take the processor in
// turn, so that it differs from one translation to the next.
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "lang/workspace/kron.hpp"

using namespace kron;

namespace {

std::string what_was_tried(const std::string& text) {
  Session s({.library_path = {KRON_SOURCE_DIR "/stdlib"}});
  REQUIRE(s.run_text(text));
  REQUIRE(s.analysis().complete);
  std::string all;
  for (const session::Block& b : s.analysis().blocks)
    for (const auto& t : b.how().tried)
      all += t.name + " " + std::to_string(t.mul) + " " + std::to_string(t.add) + " " + std::to_string(t.div) + " " + std::to_string(t.core) + " " + t.rejected + "\n";
  return all;
}

std::string chain_of(int n, const std::string& parts) {
  std::string text = "use multibody\nworld : World\n", end = "world.frame_b";
  for (int k = 1; k <= n; ++k) {
    const std::string i = std::to_string(k);
    text += "joint" + i + " : Revolute(n = {0, 0, 1})\nconnect " + end + ", joint" + i + ".frame_a\n" + "body" + i +
            " : Body(r_CM = {0.31, 0.02, 0.05}, m = 1.2, I_11 = 0.1, I_22 = 0.21, I_33 = 0.3, I_21 = 0.01)\nconnect joint" + i + ".frame_b, body" + i + ".frame_a\n";
    end = "joint" + i + ".frame_b";
    for (const char part : parts) {
      const std::string name = part + std::string("part") + i;
      text += name + (part == 's' ? " : FixedTranslation(r = {0.4, 0, 0.2})\n" : " : FixedRotation(n = {1, 0, 0}, angle = 0.7)\n") +
              "connect " + end + ", " + name + ".frame_a\n";
      end = name + ".frame_b";
    }
  }
  return text;
}

// Link k hangs at the link `before`, in k.
std::string tree_of(int n, const std::string& joint, const std::string& before) {
  const std::string count = std::to_string(n);
  return "use multibody\nworld : World\nj[" + count + "] : " + joint + "\nb[" + count + "] : BodyShape(r = {0, -0.3, 0}, r_CM = {0, -0.15, 0}, m = 0.2, I_11 = 0.0015, I_22 = 1e-5, I_33 = 0.0015)\n" +
         "connect world.frame_b, j[1].frame_a\nfor k in 1:" + count + "\n  connect j[k].frame_b, b[k].frame_a\nend\nfor k in 2:" + count + "\n  connect b[" +
         before + "].frame_b, j[k].frame_a\nend\n";
}

class Spinning {
 public:
  explicit Spinning(std::size_t threads) {
    for (std::size_t k = 0; k < threads; ++k)
      threads_.emplace_back([this] { while (!stop_) {} });
  }
  ~Spinning() {
    stop_ = true;
    for (std::thread& t : threads_) t.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

}  // namespace

TEST_CASE("threads: whoever tries an ordering, the same is found") {
  const std::string texts[] = {chain_of(3, "sr"), chain_of(5, "rs"), chain_of(12, "s"), tree_of(4, "Spherical", "k - 1"),
                               tree_of(7, "Revolute(n = {if mod(k, 2) == 0 then {0, 0, 1} else {1, 0, 0} for k in 1:7})", "div(k, 2)")};
  for (const std::string& text : texts) {
    CAPTURE(text);
    const std::string first = what_was_tried(text);
    CHECK_FALSE(first.empty());
    for (const std::size_t busy : {1, 2, 2, 3, 3}) {
      const Spinning others(busy);
      CHECK(what_was_tried(text) == first);
    }
  }
}
