// This process as a rank of the job: its runtime, MPI beside it, and how it waits for others.
#pragma once

#include "api/armci/job/mpi.hpp"
#include "api/armci/job/options.hpp"

#include <polder/address_map.hpp>
#include <polder/group.hpp>
#include <polder/runtime.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

namespace polder::armci {

class ArmciRank {
  // First, so that all else ends before them.
  std::unique_ptr<Mpi> mpi_;
  const Options options_;
  const std::unique_ptr<Runtime> runtime_;

 public:
  ArmciRank(std::unique_ptr<Mpi> mpi, const Options& options, std::unique_ptr<Runtime> runtime)
      : mpi_(std::move(mpi)),
        options_(options),
        runtime_(std::move(runtime)),
        addresses(runtime_->size()),
        rank_(runtime_->rank()),
        size_(runtime_->size()),
        mpi_thread_(std::this_thread::get_id()) {}

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
  Status barrier(Group& group) const {
    return wait([&](Timeout slice) { return group.barrier(slice); });
  }

  AddressMap addresses;  // of what ARMCI_Malloc gave out

 private:
  static constexpr std::chrono::microseconds kFirstSlice{500};
  static constexpr std::chrono::microseconds kLongestSlice{8000};

  const Rank rank_;
  const Rank size_;
  const std::thread::id mpi_thread_;
};

}  // namespace polder::armci
