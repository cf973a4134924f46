// The lifeline: when the launcher dies, however violently, the kernel kills this process.
#pragma once

#include <polder/status.hpp>

#include <string>

namespace polder::bootstrap::local {

// `path` is the launcher's descriptor of the write end of a pipe that belongs to this rank alone (/proc/PID/fd/N).
// Opens its read end and asks the kernel for SIGKILL when the write end closes. This works also where the launcher is
// not the parent (wrapper scripts), costs no thread, and lasts until this process ends or becomes another program.
//
// Does not return if the launcher died meanwhile. peer_failed: it was gone before, or cannot be seen from here.
Status arm_lifeline(const std::string& path);

}  // namespace polder::bootstrap::local
