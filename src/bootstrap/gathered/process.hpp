// Processes of this machine: told from later ones with the same number, watched, and signalled without a race.
#pragma once

#include "util/fd.hpp"

#include <polder/status.hpp>

#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace polder::bootstrap::gathered {

// A number is given anew once its process has been reaped; together with the time of its start it is unique.
struct ProcessId {
  pid_t pid = 0;
  std::uint64_t started = 0;  // clock ticks after the machine's start

  friend bool operator==(const ProcessId&, const ProcessId&) = default;
};

struct ProcessInfo {
  ProcessId id;
  pid_t parent = 0;
};

// What the kernel says of `pid`; nothing if there is no such process, or this one may not see it.
std::optional<ProcessInfo> look_up_process(pid_t pid);

ProcessId this_process();

// A descriptor that becomes readable when the process ends, and to which signals can be sent.
// peer_failed: it has ended; unsupported: the kernel (before Linux 5.3), or its guard in a container, refuses.
Result<util::Fd> open_process(const ProcessId& id);

// peer_failed: the process has ended. REQUIRES: `process` is of open_process().
Status send_signal(const util::Fd& process, int signal);

}  // namespace polder::bootstrap::gathered
