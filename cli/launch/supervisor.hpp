// Watches over a running job: who ended and how, what ranks ask for, what signals and the clock say.
#pragma once

#include "bootstrap/local/job_page.hpp"
#include "bootstrap/local/launcher_news.hpp"
#include "launch/crew.hpp"
#include "launch/escalation.hpp"
#include "launch/event_loop.hpp"
#include "launch/run_options.hpp"
#include "launch/signals.hpp"
#include "live/screen.hpp"
#include "live/snapshot.hpp"
#include "util/fd.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>

namespace polder::cli {

// All that the supervisor works with; owned by who made it, and outlives it.
struct Surroundings {
  EventLoop& loop;
  SignalSource& signals;
  Plumbing& plumbing;
  Crew& crew;
  Screen& screen;  // for --watch
  const bootstrap::local::JobPage& page;
  int news;  // the read end
};

class Supervisor {
 public:
  Supervisor(const RunOptions& options, Surroundings surroundings);

  // Returns when the last rank has ended: the exit code of the job. 0, or that of the first failure.
  int run();

 private:
  // Duties.
  Status watch();
  void on_signals();
  void on_news();
  void on_time();
  std::int64_t nanoseconds_to_sleep() const;

  // Signals.
  void reap();
  void pass_on(int signal);
  void suspend();
  void resume();

  // The end of a rank.
  void on_end(Rank rank, int wait_status);
  void on_failure(Rank rank, int wait_status);
  void on_quiet_end(Rank rank, bool was_attached);
  void on_attached_end(Rank rank);
  bool is_our_doing(Rank rank, int wait_status) const;

  // Requests of ranks.
  void take(const bootstrap::local::News& news);
  void watch_attached(Rank rank);
  void abort();
  void report_not_started(Rank rank, int error);

  // What a person is told.
  void say(const std::string& sentence);
  void say_where_ranks_stand();

  void settle(int code);
  std::string name(Rank rank) const;

  const RunOptions& options_;
  Surroundings with_;
  Escalation escalation_;
  std::int64_t timeout_at_;
  Observer observer_;
  std::int64_t look_at_;          // for --watch
  std::optional<int> exit_code_;  // settled by the first failure
  std::optional<Rank> aborted_by_;
  std::set<int> passed_on_;    // signals that ranks got from our user
  bool start_failed_ = false;  // said once, not for every rank
  bool unwatched_ = false;     // likewise
};

}  // namespace polder::cli
