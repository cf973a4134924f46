// This process's place in the job, for one life cycle: from gaspi_proc_init to gaspi_proc_term.
#pragma once

#include "api/gaspi/base/timeout.hpp"
#include "api/gaspi/life/start_network.hpp"
#include "api/gaspi/messages/passive.hpp"
#include "api/gaspi/messages/replies.hpp"

#include <polder/runtime.hpp>

#include <memory>

namespace polder::gaspi {

class Job {
 public:
  // Does not wait for the other ranks, unless they have to be met at `port` of the host of rank 0 (start_network.hpp).
  // After a timeout `meeting` has those that have come so far, for the next call.
  static Result<std::unique_ptr<Job>> join(unsigned port, std::unique_ptr<StartNetwork>& meeting, Timeout timeout);

  ~Job() { offers.let_go(); }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  Runtime& runtime() const { return *runtime_; }

  Replies replies;
  PassiveOffers offers;

 private:
  Job() = default;
  Status register_handlers();

  std::unique_ptr<Runtime> runtime_;  // dies before what its message handlers use
};

}  // namespace polder::gaspi
