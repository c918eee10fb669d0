// The second thread.
#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "engine/base/helper.hpp"

using namespace kron;

TEST_CASE("tasks are done in their order, and waited for") {
  std::vector<int> done;
  {
    Helper helper;
    Later<int> last;
    CHECK_FALSE(last);
    for (int k = 0; k < 100; ++k)
      last = helper.run([&done, k] {
        done.push_back(k);
        return k;
      });
    CHECK(last);
    CHECK(last.get() == 99);
    CHECK(done.size() == 100);
    for (int k = 100; k < 200; ++k)
      helper.run([&done, k] {
        done.push_back(k);
        return k;
      });
  }
  REQUIRE(done.size() == 200);
  for (int k = 0; k < 200; ++k) CHECK(done[static_cast<std::size_t>(k)] == k);
}

TEST_CASE("an exception of a task comes out where its result is asked for, and nowhere else") {
  Helper helper;
  const Later<int> bad = helper.run([]() -> int { throw std::runtime_error("no"); }), good = helper.run([] { return 7; });
  CHECK(good.get() == 7);
  CHECK_THROWS_AS(bad.get(), std::runtime_error);
  CHECK_THROWS_AS(bad.get(), std::runtime_error);
}

TEST_CASE("what a task holds goes with it, not with its result") {
  Helper helper;
  const auto held = std::make_shared<int>(3);
  const Later<int> x = helper.run([held] { return *held; });
  CHECK(x.get() == 3);
  helper.run([] { return 0; }).get();
  CHECK(held.use_count() == 1);
}

TEST_CASE("shared work: every piece once, by two threads at most") {
  Helper helper;
  for (const std::size_t pieces : {0u, 1u, 2u, 3u, 1000u}) {
    std::vector<std::atomic<int>> times(pieces);
    std::array<std::vector<std::size_t>, 2> by;
    helper.share(pieces, [&](std::size_t k, std::size_t who) {
      ++times[k];
      by[who].push_back(k);
    });
    for (const auto& t : times) CHECK(t == 1);
    CHECK(by[0].size() + by[1].size() == pieces);
  }
  // Whoever comes too late finds nothing left, even where what was shared has gone.
  for (int round = 0; round < 1000; ++round) {
    std::atomic<int> sum = 0;
    helper.share(3, [&](std::size_t k, std::size_t) { sum += static_cast<int>(k); });
    CHECK(sum == 3);
  }
}

TEST_CASE("two things at a time: both are done, and each may fail") {
  Helper helper;
  for (int round = 0; round < 1000; ++round) {
    int x = 0, y = 0;
    const auto here = std::this_thread::get_id();
    bool own = false;
    helper.beside(
        [&] {
          x = 1;
          own = std::this_thread::get_id() == here;
        },
        [&] { y = 2; });
    CHECK(own);
    CHECK(x + y == 3);
  }
  const auto fails = [] { throw std::runtime_error("no"); };
  bool done = false;
  CHECK_THROWS_AS(helper.beside(fails, [&] { done = true; }), std::runtime_error);
  CHECK(std::exchange(done, false));
  CHECK_THROWS_AS(helper.beside([&] { done = true; }, fails), std::runtime_error);
  CHECK(done);
}

TEST_CASE("shared work that fails ends, and says so") {
  Helper helper;
  for (int round = 0; round < 100; ++round)
    CHECK_THROWS_AS(helper.share(50, [](std::size_t k, std::size_t) {
      if (k == 20) throw std::runtime_error("no");
    }),
                    std::runtime_error);
  CHECK(helper.run([] { return 1; }).get() == 1);
}
