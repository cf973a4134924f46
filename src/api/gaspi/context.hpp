// The one thing that the standard makes global: this process as a GASPI process.
#pragma once

#include "api/gaspi/group_table.hpp"
#include "api/gaspi/passive.hpp"
#include "api/gaspi/queue_table.hpp"
#include "api/gaspi/replies.hpp"
#include "api/gaspi/segment_table.hpp"
#include "api/gaspi/statistics.hpp"
#include "api/gaspi/symbols.hpp"
#include "api/gaspi/timeout.hpp"

#include <polder/runtime.hpp>

#include <atomic>
#include <memory>

namespace polder::gaspi {

// All that lives between gaspi_proc_init and gaspi_proc_term.
class Context {
 public:
  // Joins the job, without waiting for the others. Code::timeout: start again.
  static Result<std::unique_ptr<Context>> create(const gaspi_config_t& config, Timeout timeout);

  // Waits for the others and makes the queues. Code::timeout: call again.
  Status complete(Timeout timeout);

  Runtime& runtime() const { return *runtime_; }
  Rank rank() const { return rank_; }
  Rank size() const { return size_; }

  const gaspi_config_t config;
  SegmentTable segments;
  Replies replies;
  PassiveSends passive_sends{replies};
  PassiveOffers passive_offers;

  // Threads of the program that are inside a call which waits.
  std::atomic<int> waiting{0};

 private:
  explicit Context(const gaspi_config_t& configuration) : config(configuration) {}
  Status register_handlers();
  Status create_queues();

  Rank rank_ = 0;
  Rank size_ = 0;
  std::unique_ptr<Runtime> runtime_;  // dies before what its message handlers use, and after what was made by it

 public:
  QueueTable queues;
  GroupTable groups;
};

// Held by a call that waits, so that the process does not take its context away while it ends.
class Waiting {
 public:
  explicit Waiting(Context& context) : context_(context) { context_.waiting.fetch_add(1); }
  ~Waiting() { context_.waiting.fetch_sub(1); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  Context& context_;
};

// What outlives a context: the configuration of the next one, an initialisation under way, and the counters.
class Process {
 public:
  gaspi_return_t init(gaspi_timeout_t timeout);
  gaspi_return_t term(gaspi_timeout_t timeout);
  // At the end of the process: as term(), but never waits, and leaves alone what threads still use.
  void leave();

  gaspi_config_t configuration();
  gaspi_return_t configure(const gaspi_config_t& config);

 private:
  gaspi_return_t begin(const Deadline& deadline);

  std::mutex mutex_;
  gaspi_config_t config_ = default_configuration();
  std::unique_ptr<Context> pending_;
  int owner_ = 0;  // the process that joined the job; a child that it forks must not leave in its name
};

Process& process();
Statistics& statistics();

// Null outside gaspi_proc_init and gaspi_proc_term. One load.
extern std::atomic<Context*> current_context;
inline Context* current() {
  return current_context.load(std::memory_order_acquire);
}

}  // namespace polder::gaspi
