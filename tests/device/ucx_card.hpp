// A network card for tests: puts and gets of UCX that take effect without the target, late, in any order that the rules
// of UCX allow, and not at all when that is asked for. It takes the place of UCX's functions in this executable (those
// that a program defines go before those of its libraries), and reaches the memory of other ranks because they live in
// this process.
#pragma once

#include <ucp/api/ucp.h>

#include <cstddef>

namespace polder::device::ucx {

class Card {
 public:
  // Until the Card ends, puts and gets of all ranks of this process are its own; before and after it, those of UCX.
  Card();
  ~Card();
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  // Nothing takes effect while it is held.
  void hold(bool held);
  // Accesses end with that status from now on, and do nothing.
  void fail(ucs_status_t how);
  // Memory is not registered from now on.
  void refuse_memory();

  struct Counts {
    std::size_t puts = 0;  // begun so far
    std::size_t gets = 0;
    std::size_t waiting = 0;   // of both
    std::size_t keys = 0;      // that ranks have of others' memory
    std::size_t memories = 0;  // that are registered
    std::size_t faults = 0;    // accesses to memory that was not registered, or with a key that was destroyed
  };
  Counts counts() const;
};

}  // namespace polder::device::ucx
