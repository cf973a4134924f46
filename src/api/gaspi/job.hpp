// This process's place in the job, from the first gaspi_proc_init to the end of the process.
//
// A rank that leaves its job cannot come back, but gaspi_proc_init may follow gaspi_proc_term. So the runtime outlives
// the life cycles of the standard, and what a life cycle has made in it is taken down at its end.
#pragma once

#include "api/gaspi/passive.hpp"
#include "api/gaspi/replies.hpp"
#include "api/gaspi/timeout.hpp"

#include <polder/runtime.hpp>

#include <cstdint>
#include <memory>

namespace polder::gaspi {

class Job {
 public:
  // Does not wait for the other ranks.
  static Result<std::unique_ptr<Job>> join(Timeout timeout);

  Runtime& runtime() const { return *runtime_; }
  // The number of the life cycle, equal at all ranks.
  std::uint32_t life() const { return life_; }

  // A group of all ranks, not committed yet, for the life cycle that begins.
  Result<Group*> begin_life();
  // Forgets what came for the life cycle that ends, and removes its segments.
  void end_life();

  Replies replies;
  PassiveOffers offers;

 private:
  Job() = default;
  Status register_handlers();

  std::uint32_t life_ = 0;
  std::unique_ptr<Runtime> runtime_;  // dies before what its message handlers use
  std::unique_ptr<Group> all_;        // of all life cycles but the first, which has the runtime's own group
};

}  // namespace polder::gaspi
