// engine/base/helper.hpp: a second thread, for work that its owner goes on beside.
//   One task after the other, in the order in which they came. What a task reads must stay as it is until its result has been asked for;
//   what it changes nobody else may touch until then. On a machine with one core tasks are done at once, by the caller.
//   An exception of a task comes out where its result is asked for.
#pragma once
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace kron {

// What is there, or will be once a task is done. Copies are of the same.
template <class T>
class Later {
 public:
  Later() = default;
  Later(std::shared_future<T> made) : made_(std::move(made)) {}
  // There is, or will be, something.
  explicit operator bool() const { return made_.valid(); }
  const T& get() const { return made_.get(); }  // waits for it
  decltype(auto) operator*() const { return *get(); }
  const T& operator->() const { return get(); }

 private:
  std::shared_future<T> made_;
};

class Helper {
 public:
  Helper() = default;
  ~Helper();  // waits for all tasks
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  template <class F>
  auto run(F task) -> Later<decltype(task())> {
    auto promise = std::make_shared<std::promise<decltype(task())>>();
    Later<decltype(task())> made = promise->get_future().share();
    add([promise = std::move(promise), task = std::move(task)]() mutable {
      try {
        promise->set_value(task());
      } catch (...) {
        promise->set_exception(std::current_exception());
      }
    });
    return made;
  }

  // piece(k, who) for each k below `pieces`, by whoever comes to it first: the caller (who = 0), who returns when all is done, and, as soon
  // as it has time, this thread (1).
  template <class F>
  void share(std::size_t pieces, F&& piece) {
    struct Shared {
      std::atomic<std::size_t> next{0}, done{0};
      std::atomic<bool> failed{false};
      std::array<std::exception_ptr, 2> error{};  // by thread
    };
    auto s = std::make_shared<Shared>();
    const auto take = [pieces, &piece](Shared& x, std::size_t who) {  // `piece` is there while a piece is left
      for (std::size_t k; (k = x.next++) < pieces; x.done.notify_all()) {
        try {
          if (!x.failed) piece(k, who);
        } catch (...) {
          x.error[who] = std::current_exception();
          x.failed = true;
        }
        ++x.done;
      }
    };
    if (pieces > 1) add([s, take] { take(*s, 1); });
    take(*s, 0);
    for (std::size_t done; (done = s->done) < pieces;) s->done.wait(done);
    for (const std::exception_ptr& e : s->error)
      if (e) std::rethrow_exception(e);
  }

  // own() here and other() on this thread, or here too if that has not come to it by then. Both are done when it returns.
  template <class Own, class Other>
  void beside(Own&& own, Other&& other) {
    struct Shared {
      std::atomic<bool> taken{false}, done{false};
      std::exception_ptr error;
    };
    auto s = std::make_shared<Shared>();
    const auto take = [&other](Shared& x) {
      if (x.taken.exchange(true)) return;
      try {
        other();
      } catch (...) {
        x.error = std::current_exception();
      }
      x.done = true;
      x.done.notify_one();
    };
    add([s, take] { take(*s); });
    std::exception_ptr error;
    try {
      own();
    } catch (...) {
      error = std::current_exception();
    }
    take(*s);
    s->done.wait(false);
    if (error || s->error) std::rethrow_exception(error ? error : s->error);
  }

 private:
  void add(std::function<void()>);
  void work();
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::function<void()>> tasks_;
  bool ended_ = false;
  std::thread thread_;  // begins with the first task
};

}  // namespace kron
