// What a barrier waits for before it begins: that what this rank's users posted to the members has been carried out.
//
// Programs expect that what was posted before a barrier is there behind it. No device's order grants that: a flag of
// the barrier may reach the target on another way, through a third member and its shared memory.
#pragma once

#include "core/group/group_ports.hpp"
#include "core/progress/outstanding.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <span>
#include <vector>

namespace polder::util {
class Deadline;
}

namespace polder::core {

class Barrier;

// Not thread safe: one thread at a time, as its group sees to it.
class MemberFence {
 public:
  // False: nothing that could have to be awaited is under way, as always between ranks that load and store each other's
  // memory. That is what this costs there: a look.
  static bool needed(const GroupPorts& ports);

  // It has timed out and waits to be called again.
  bool under_way() const { return begun_; }

  // Waits for the operations of each member, those of other threads too that were under way when it began. timeout:
  // call again to go on. What is wrong with `barrier` ends the wait, too. Failures of single operations are for their
  // queues to report.
  Status run(const GroupPorts& ports, std::span<const Rank> members, Barrier& barrier, Timeout timeout);

 private:
  struct Pending {
    Outstanding* operations;
    Outstanding::Wait wait;
  };
  Status begin(const GroupPorts& ports, std::span<const Rank> members, const util::Deadline& deadline);
  bool passed();

  bool begun_ = false;
  std::vector<Pending> pending_;
};

}  // namespace polder::core
