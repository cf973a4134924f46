// The one thing that the standard makes global: this process as a GASPI process.
#pragma once

#include "api/gaspi/base/configuration.hpp"
#include "api/gaspi/base/statistics.hpp"
#include "api/gaspi/base/symbols.hpp"
#include "api/gaspi/base/timeout.hpp"
#include "api/gaspi/base/waiting.hpp"
#include "api/gaspi/life/job.hpp"
#include "api/gaspi/messages/passive.hpp"
#include "api/gaspi/messages/pings.hpp"
#include "api/gaspi/state/group_table.hpp"
#include "api/gaspi/state/pending_atomics.hpp"
#include "api/gaspi/state/queue_table.hpp"
#include "api/gaspi/state/segment_table.hpp"

#include <polder/runtime.hpp>

#include <atomic>
#include <memory>
#include <mutex>

namespace polder::gaspi {

// All that lives between gaspi_proc_init and gaspi_proc_term.
class Context {
 public:
  // In `job`, which must outlive it.
  Context(Job& job, const gaspi_config_t& configuration);

  // Waits for the others and makes the queues. Code::timeout: call again.
  Status complete(Timeout timeout);

  Runtime& runtime() const { return runtime_; }
  Rank rank() const { return rank_; }
  Rank size() const { return size_; }
  PassiveOffers& passive_offers() { return job_.offers; }

  const gaspi_config_t config;
  const Limits limits{config};
  SegmentTable segments;
  QueueTable queues;
  GroupTable groups;
  PassiveSends passive_sends;
  Pings pings;
  PendingAtomics pending_atomics;

  // Wakes the threads in endable calls, which ask ends() then. Nobody uses the segments after this: it raises flags.
  void end();
  bool ends() const { return ending_.load(std::memory_order_acquire); }

  // Of Process: the one that was left to its users before this one.
  Context* left_before = nullptr;

 private:
  Status create_queues();

  Job& job_;
  Runtime& runtime_;
  const Rank rank_;
  const Rank size_;
  std::atomic<bool> ending_{false};
};

// The life cycles of this process, one after the other: the configuration of the next one, the one that runs, and an
// initialisation under way.
class Process {
 public:
  gaspi_return_t init(gaspi_timeout_t timeout);
  gaspi_return_t term(gaspi_timeout_t timeout);
  // At the end of the process: as term(), but leaves alone what threads still use.
  void leave();

  gaspi_config_t configuration();
  gaspi_return_t configure(const gaspi_config_t& config);

 private:
  Status begin(const Deadline& deadline);
  void abandon();
  void leave_to_users(Context& context);

  std::mutex mutex_;
  gaspi_config_t config_ = default_configuration();
  std::unique_ptr<StartNetwork> meeting_;  // of a start that ran out of time
  std::unique_ptr<Job> job_;
  std::unique_ptr<Context> pending_;
  Context* left_to_users_ = nullptr;  // the latest of those that nobody can free: so they are no leaks
  int owner_ = 0;  // the process that joined the job; a child that it forks must not leave in its name
};

Process& process();

// Null outside gaspi_proc_init and gaspi_proc_term. One load.
extern std::atomic<Context*> current_context;
inline Context* current() {
  return current_context.load(std::memory_order_acquire);
}

}  // namespace polder::gaspi
