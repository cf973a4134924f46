// Accesses into memory of peers that are under way. A put has *arrived* when a flush that was begun behind it has ended.
#pragma once

#include "device/wire/access/memory_keys.hpp"
#include "device/wire/state/wire_state.hpp"

#include <cstdint>

namespace polder::device::wire {

class AccessRunner {
 public:
  AccessRunner(WireState& state, MemoryKeys& keys) : state_(state), keys_(keys) {}

  void begin(Link& link, RemoteAccess& access) POLDER_REQUIRES(kWorker);
  // Returns whether puts have arrived at once and something waited for that.
  bool flush(Link& link) POLDER_REQUIRES(kWorker);
  // The transport has ended an access or a flush. `problem`: what went wrong, or null.
  void on_accessed(RemoteAccess& access, const char* problem) POLDER_REQUIRES(kWorker);
  void on_flushed(RemoteAccess& flush, const char* problem) POLDER_REQUIRES(kWorker);

 private:
  void end_get(RemoteAccess& access, bool current, bool well) POLDER_REQUIRES(kWorker);
  void note_arrival(Link& link, std::uint64_t number) POLDER_REQUIRES(kWorker);
  void settle(Link& link, const Departed& put) POLDER_REQUIRES(kWorker);

  WireState& state_;
  MemoryKeys& keys_;
};

}  // namespace polder::device::wire
