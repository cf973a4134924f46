// How much memory there is for a job.
#pragma once

#include <polder/status.hpp>

#include <cstdint>
#include <string>

namespace apps {

// Where the kernel tells of this process and of control groups.
struct SystemFiles {
  std::string process = "/proc";
  std::string groups = "/sys/fs/cgroup";
};

// Bytes that the processes of this node can use without swapping: MemAvailable, or what is left in this process's control group,
// or in one that it lies in, if that is less.
polder::Result<std::uint64_t> available_memory(const SystemFiles& files = {});

}  // namespace apps
