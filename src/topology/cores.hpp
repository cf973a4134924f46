// Where a hardware thread is in its machine, by what the kernel says in /sys/devices/system/cpu.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace polder::topology {

// 0 where the kernel does not say. `cache`: the first hardware thread of those that share the last cache. `thread` is the number
// that the system gives it.
struct CorePlace {
  std::uint32_t socket = 0, numa = 0, cache = 0, core = 0, thread = 0;
};

inline constexpr const char* kKernelsCores = "/sys/devices/system/cpu";

CorePlace core_place(std::uint32_t thread, const std::string& folder = kKernelsCores);

// Hardware threads that the calling thread may run on, ascending; none if the kernel does not say.
std::vector<std::uint32_t> allowed_threads();

// In the order in which launchers bind ranks: the first thread of every core, cores of a cache, NUMA node and socket together, then
// the second ones.
std::vector<CorePlace> binding_order(std::vector<CorePlace> places);

}  // namespace polder::topology
