// The ranks of a GASPI program as the World of sampling.hpp.
#pragma once

#include <GASPI.h>
#include <GASPI_Ext.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace bench {

// Milliseconds, long enough for the slowest measurement on the busiest machine; a run that needs more has hung.
inline constexpr gaspi_timeout_t kGaspiPatience = 60000;

class GaspiWorld {
 public:
  GaspiWorld() {
    must("gaspi_proc_init", gaspi_proc_init(kGaspiPatience));
    must("gaspi_proc_rank", gaspi_proc_rank(&rank_));
    must("gaspi_proc_num", gaspi_proc_num(&size_));
  }
  ~GaspiWorld() { must("gaspi_proc_term", gaspi_proc_term(kGaspiPatience)); }
  GaspiWorld(const GaspiWorld&) = delete;
  GaspiWorld& operator=(const GaspiWorld&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  void barrier() { must("gaspi_barrier", gaspi_barrier(GASPI_GROUP_ALL, kGaspiPatience)); }
  std::uint64_t from_zero(std::uint64_t value) { return largest(rank_ == 0 ? value : 0); }
  std::uint64_t largest(std::uint64_t value) {
    must("gaspi_allreduce",
         gaspi_allreduce(&value, &value, 1, GASPI_OP_MAX, GASPI_TYPE_ULONG, GASPI_GROUP_ALL, kGaspiPatience));
    return value;
  }

  // Ends the rank, and with it the job, unless `code` is success: a measurement with a failed operation in it is none.
  void must(const char* call, gaspi_return_t code) const {
    if (code != GASPI_SUCCESS) [[unlikely]]
      fail(call, code);
  }

 private:
  [[noreturn]] void fail(const char* call, gaspi_return_t code) const {
    std::fprintf(stderr, "bench-gaspi: rank %u: %s: %s; %s\n", unsigned(rank_), call, gaspi_error_str(code),
                 gaspi_error_detail());
    std::_Exit(EXIT_FAILURE);
  }

  gaspi_rank_t rank_ = 0;
  gaspi_rank_t size_ = 0;
};

// A segment at every rank, for as long as one measurement lasts. Collective to make and to destroy.
class GaspiSegment {
 public:
  GaspiSegment(GaspiWorld& world, gaspi_size_t bytes) : world_(world) {
    world_.must("gaspi_segment_create",
                gaspi_segment_create(kId, bytes, GASPI_GROUP_ALL, kGaspiPatience, GASPI_MEM_INITIALIZED));
  }
  ~GaspiSegment() {
    world_.barrier();  // nobody still uses it
    world_.must("gaspi_segment_delete", gaspi_segment_delete(kId));
  }
  GaspiSegment(const GaspiSegment&) = delete;
  GaspiSegment& operator=(const GaspiSegment&) = delete;

  static constexpr gaspi_segment_id_t kId = 1;

 private:
  GaspiWorld& world_;
};

}  // namespace bench
