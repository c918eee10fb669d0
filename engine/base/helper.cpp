#include "engine/base/helper.hpp"

namespace kron {

Helper::~Helper() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  more_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Helper::add(std::function<void()> task) {
  static const bool alone = std::thread::hardware_concurrency() < 2;
  if (alone) return task();
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  }
  more_.notify_one();
}

void Helper::work() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [this] { return ended_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace kron
