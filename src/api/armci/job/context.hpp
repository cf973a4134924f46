// The one thing that the interface makes global: this process as a rank of ARMCI.
#pragma once

#include "api/armci/job/armci_rank.hpp"
#include "api/armci/job/held_mutexes.hpp"
#include "api/armci/job/nodes.hpp"
#include "api/armci/job/team.hpp"
#include "api/armci/memory/allocations.hpp"
#include "api/armci/transfer/handle_table.hpp"

#include <polder/mutex.hpp>
#include <polder/status.hpp>

#include <atomic>
#include <map>
#include <memory>

namespace polder::armci {

// All that lives between ARMCI_Init and ARMCI_Finalize.
class Context : public ArmciRank {
 public:
  // Collective over the ranks of `mpi`.
  static Result<std::unique_ptr<Context>> begin(std::unique_ptr<Mpi> mpi);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Status barrier(const Team& team) const { return ArmciRank::barrier(team.group()); }

  std::shared_ptr<Team> world;
  std::shared_ptr<Team> default_team;
  std::map<const int*, std::shared_ptr<Team>> teams;  // by their grp_to_abs, world among them
  Nodes nodes;
  Allocations allocations;
  HandleTable handles;
  std::unique_ptr<Mutexes> mutexes;
  HeldMutexes held;

 private:
  Context(std::unique_ptr<Mpi> mpi, const Options& options, std::unique_ptr<Runtime> runtime);
};

// Null outside ARMCI_Init and ARMCI_Finalize. One load.
extern std::atomic<Context*> current_context;
inline Context* current() {
  return current_context.load(std::memory_order_acquire);
}

}  // namespace polder::armci
