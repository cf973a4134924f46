// What shall go on when something has come true. Whoever makes progress looks, and runs what is due; a thread of its
// own looks after what nobody tells of: flags that others store.
#pragma once

#include "core/progress/duty.hpp"
#include "util/bell.hpp"
#include "util/mutex.hpp"
#include "util/thread.hpp"

#include <polder/status.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace polder::core {

class Progress;

// Thread safe.
class Continuations final : public Duty {
 public:
  // Something that comes true once. Every function but run() is called with the list locked: they only look.
  class Event {
   public:
    virtual ~Event() = default;
    virtual bool ready() = 0;
    // Why it never will be ready, asked while it is not.
    virtual Status trouble() = 0;
    // Once, without a lock; then the event is destroyed.
    virtual void run(const Status& outcome) = 0;
    // Rung by others when it becomes ready, if nobody here does; null: those who make progress find out.
    virtual util::Bell* bell() { return nullptr; }
  };

  explicit Continuations(Progress& progress);
  ~Continuations() { stop(); }

  // closed: the runtime has ended, and `event` will not run.
  Status add(std::unique_ptr<Event> event);

  // Runs what is due. A load where nothing is open. Returns how many ran.
  int attend() override;

  // The memory of this bell is about to go, and whatever watches it is in trouble by now: returns when nobody here
  // sleeps on it. What is added from now on must know that it has gone: the lock that this takes, and add(), sees to it.
  void let_go(const util::Bell& bell);

  // The calling thread is in the middle of one.
  bool runs_here();

  // The runtime ends: runs all that is open, with `closed`; from now on add() fails. Ends the thread.
  void stop();

 private:
  using Due = std::vector<std::pair<std::unique_ptr<Event>, Status>>;

  Due take_due();
  Due take_due_now();
  int look();
  int run(Due& due);
  void watch();
  bool wake(const util::Bell* only);
  util::Bell* choose_bell(bool& alone);

  Progress& progress_;
  util::Mutex mutex_;  // of events_, running_ and stopped_
  std::vector<std::unique_ptr<Event>> events_;
  std::vector<const void*> running_;  // threads, each as often as it is in run()
  bool stopped_ = false;
  std::atomic<std::size_t> open_{0};
  std::atomic<bool> stopping_{false};
  util::Bell idle_;                              // of nobody: add() rings it
  std::atomic<util::Bell*> asleep_on_{nullptr};  // set, and rung by others, under mutex_ only: bells go
  util::Thread watcher_;                         // started with the first event that has a bell
};

}  // namespace polder::core
