// The units of a DART program as the World of sampling.hpp.
#pragma once

#include <dash/dart/if/dart.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace bench {

class DartWorld {
 public:
  DartWorld() {
    must("dart_init", dart_init(nullptr, nullptr));
    must("dart_myid", dart_myid(&me_));
    must("dart_size", dart_size(&size_));
  }
  ~DartWorld() { must("dart_exit", dart_exit()); }
  DartWorld(const DartWorld&) = delete;
  DartWorld& operator=(const DartWorld&) = delete;

  int rank() const { return me_.id; }
  int size() const { return int(size_); }

  void barrier() { must("dart_barrier", dart_barrier(DART_TEAM_ALL)); }
  std::uint64_t from_zero(std::uint64_t value) { return largest(rank() == 0 ? value : 0); }
  std::uint64_t largest(std::uint64_t value) {
    std::uint64_t most = 0;
    must("dart_allreduce", dart_allreduce(&value, &most, 1, DART_TYPE_ULONGLONG, DART_OP_MAX, DART_TEAM_ALL));
    return most;
  }

  // Ends the unit, and with it the job, unless `code` is success: a measurement with a failed operation in it is none.
  void must(const char* call, dart_ret_t code) const {
    if (code == DART_OK) [[likely]]
      return;
    std::fprintf(stderr, "bench-dart: unit %d: %s gave %d\n", int(me_.id), call, int(code));
    std::_Exit(EXIT_FAILURE);
  }

 private:
  dart_global_unit_t me_{};
  std::size_t size_ = 0;
};

}  // namespace bench
