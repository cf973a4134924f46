#include "api/dart/locality/hardware.hpp"

#if POLDER_DART_HWLOC
#include "api/dart/locality/processor_hwloc.hpp"
#else
#include "api/dart/locality/processor_system.hpp"
#endif

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>

namespace polder::dart {
namespace {

constexpr int kUnknown = -1;
constexpr int kUsualBandwidth = 1235;  // MB/s, where nobody has said better

dart_hwinfo_t all_unknown(const std::string& host) {
  dart_hwinfo_t info;
  std::memset(&info, 0, sizeof info);
  std::memcpy(info.host, host.data(), std::min(host.size(), sizeof info.host));  // a full one has no terminating zero
  for (int* field : {&info.num_cores, &info.num_numa, &info.numa_id, &info.num_sockets, &info.core_id, &info.cpu_id,
                     &info.min_cpu_mhz, &info.max_cpu_mhz, &info.min_threads, &info.max_threads, &info.max_shmem_mbps,
                     &info.system_memory_bytes, &info.numa_memory_bytes})
    *field = kUnknown;
  for (int level = 0; level < DART_LOCALITY_MAX_CACHE_LEVELS; ++level)
    info.cache_sizes[level] = info.cache_line_sizes[level] = info.cache_ids[level] = kUnknown;
  for (dart_locality_scope_pos_t& position : info.scopes) position = {DART_LOCALITY_SCOPE_UNDEFINED, kUnknown};
  return info;
}

// In MHz from a file in kHz.
int frequency(int cpu, const char* file) {
  std::ifstream stream("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/" + file);
  long khz = 0;
  return stream >> khz ? int(khz / 1000) : kUnknown;
}

// Of the first processor that is listed, where the system cannot change it.
int listed_frequency() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("cpu MHz")) continue;
    const auto colon = line.find(':');
    return colon == std::string::npos ? kUnknown : int(std::strtod(line.c_str() + colon + 1, nullptr));
  }
  return kUnknown;
}

int shared_memory_bandwidth() {
  const char* const said = std::getenv("DASH_MAX_SHMEM_MBPS");
  if (said == nullptr) return kUsualBandwidth;
  const std::string_view text(said);
  int value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() && value > 0 ? value : kUsualBandwidth;
}

}  // namespace

dart_hwinfo_t discover_hardware(const std::string& host, unsigned place) {
  dart_hwinfo_t info = all_unknown(host);
#if POLDER_DART_HWLOC
  const int cpu = describe_by_hwloc(info, place);
#else
  const int cpu = describe_by_system(info, place);
#endif
  info.min_cpu_mhz = frequency(cpu, "cpuinfo_min_freq");
  info.max_cpu_mhz = frequency(cpu, "cpuinfo_max_freq");
  if (info.max_cpu_mhz == kUnknown) info.min_cpu_mhz = info.max_cpu_mhz = listed_frequency();
  info.max_shmem_mbps = shared_memory_bandwidth();
  return info;
}

}  // namespace polder::dart
