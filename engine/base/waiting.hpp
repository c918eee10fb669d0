// engine/base/waiting.hpp: long work that somebody waits for asks now and then whether it is still wanted.
//   scope   Waiting, in the thread that does the work; where there is none, still_wanted() costs a look at a pointer
//   ends    by an exception that nobody between catches: what holds the work's data makes it anew
#pragma once
#include <functional>
#include <utility>

namespace kron {

struct Unwanted {};  // thrown by still_wanted()

class Waiting {
 public:
  using GoesOn = std::function<bool()>;
  explicit Waiting(const GoesOn& goes_on) : before_(std::exchange(now_, goes_on ? &goes_on : nullptr)) {}
  ~Waiting() { now_ = before_; }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  static void ask() {
    constexpr unsigned seldom = 64;
    if (now_ != nullptr && ++asked_ % seldom == 0 && !(*now_)()) throw Unwanted{};
  }

 private:
  const GoesOn* before_;
  inline static thread_local const GoesOn* now_ = nullptr;
  inline static thread_local unsigned asked_ = 0;
};

// At places that are passed every few microseconds.
inline void still_wanted() { Waiting::ask(); }

}  // namespace kron
