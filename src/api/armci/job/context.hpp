// The one thing that the interface makes global: this process as a rank of ARMCI.
#pragma once

#include "api/armci/job/held_mutexes.hpp"
#include "api/armci/job/mpi.hpp"
#include "api/armci/job/nodes.hpp"
#include "api/armci/job/options.hpp"
#include "api/armci/job/team.hpp"
#include "api/armci/memory/allocations.hpp"
#include "api/armci/transfer/handle_table.hpp"

#include <polder/address_map.hpp>
#include <polder/mutex.hpp>
#include <polder/runtime.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <thread>
#include <utility>

namespace polder::armci {

// All that lives between ARMCI_Init and ARMCI_Finalize.
class Context {
  // First, so that all else ends before them.
  std::unique_ptr<Mpi> mpi_;
  const Options options_;
  const std::unique_ptr<Runtime> runtime_;

 public:
  // Collective over the ranks of `mpi`.
  static Result<std::unique_ptr<Context>> begin(std::unique_ptr<Mpi> mpi);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Rank rank() const { return rank_; }
  Rank size() const { return size_; }
  const Options& options() const { return options_; }
  Runtime& runtime() const { return *runtime_; }
  Mpi& mpi() const { return *mpi_; }
  // For the end, which MPI outlives. Nothing here waits afterwards.
  std::unique_ptr<Mpi> release_mpi() { return std::move(mpi_); }

  // Repeats `attempt(slice)` until it ends otherwise than by a timeout. In between MPI may go on: the rank that this
  // one waits for may itself be waiting, inside MPI, for a message that this rank has begun to send.
  template <class Attempt>
  Status wait(Attempt&& attempt) const {
    if (std::this_thread::get_id() != mpi_thread_) return attempt(Timeout::block());
    for (auto slice = kFirstSlice;; slice = std::min(2 * slice, kLongestSlice)) {
      Status status = attempt(Timeout(slice));
      if (!status.timed_out()) return status;
      mpi_->progress();
    }
  }
  Status barrier(const Team& team) const;

  AddressMap addresses;  // of what ARMCI_Malloc gave out
  std::shared_ptr<Team> world;
  std::shared_ptr<Team> default_team;
  std::map<const int*, std::shared_ptr<Team>> teams;  // by their grp_to_abs, world among them
  Nodes nodes;
  Allocations allocations;
  HandleTable handles;
  std::unique_ptr<Mutexes> mutexes;
  HeldMutexes held;

 private:
  static constexpr std::chrono::microseconds kFirstSlice{500};
  static constexpr std::chrono::microseconds kLongestSlice{8000};

  Context(std::unique_ptr<Mpi> mpi, const Options& options, std::unique_ptr<Runtime> runtime);

  const Rank rank_;
  const Rank size_;
  const std::thread::id mpi_thread_;
};

// Null outside ARMCI_Init and ARMCI_Finalize. One load.
extern std::atomic<Context*> current_context;
inline Context* current() {
  return current_context.load(std::memory_order_acquire);
}

}  // namespace polder::armci
