// Notices the end of ranks that nobody else reports: there is no launcher, or it keeps what it sees to itself.
//
// Each rank has a thread that sleeps until the next rank in the ring ends (pidfd). When one has ended, or watches no
// more because its runtime is gone, the one before it takes over those that it watched. So any number of ranks may die
// at once, a rank holds as many descriptors as ranks after it watch nobody, usually one, and nothing ticks.
#pragma once

#include "bootstrap/gathered/crew.hpp"
#include "bootstrap/gathered/wake_pipe.hpp"

#include <polder/status.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <thread>

namespace polder::bootstrap::gathered {

class Watcher {
 public:
  // Null for a crew of one, where there is nobody to watch. REQUIRES: the slots of the crew name its processes.
  static Result<std::shared_ptr<Watcher>> start(Crew crew);

  // Hands over to the rank before. In a child of the process that started it, does nothing.
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  Watcher(Crew crew, WakePipe pipe) : crew_(std::move(crew)), pipe_(std::move(pipe)) {}

  void run();
  void watch_the_next();
  bool watch(Rank rank);
  void sleep_until_news();
  void look_for_abort() const;
  void hand_over() const;

  const Crew crew_;
  const WakePipe pipe_;
  std::atomic<bool> stop_{false};
  std::map<Rank, util::Fd> watched_;
  pid_t process_ = 0;
  std::thread thread_;
};

}  // namespace polder::bootstrap::gathered
