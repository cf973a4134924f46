#include "api/gaspi/machine/sockets.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

namespace polder::gaspi {
namespace {

std::string core_folder(int core) {
  return "/sys/devices/system/cpu/cpu" + std::to_string(core);
}

template <class Number>
std::optional<Number> read_number(const std::string& path) {
  std::ifstream file(path);
  Number number{};
  if (file >> number) return number;
  return std::nullopt;
}

std::optional<unsigned> socket_of(int core) {
  const auto socket = read_number<int>(core_folder(core) + "/topology/physical_package_id");
  // -1: a virtual machine that does not tell; all its cores are together then.
  if (socket) return unsigned(*socket < 0 ? 0 : *socket);
  return std::nullopt;
}

// The line of /proc/cpuinfo "cpu MHz : 2400.000".
std::optional<float> rate_from_cpuinfo() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("cpu MHz")) continue;
    const auto colon = line.find(':');
    if (colon != std::string::npos) return std::strtof(line.c_str() + colon + 1, nullptr);
  }
  return std::nullopt;
}

}  // namespace

std::optional<unsigned> current_socket() {
  const int core = sched_getcpu();
  return core < 0 ? std::nullopt : socket_of(core);
}

std::optional<cpu_set_t> cores_of_socket(unsigned socket) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  const int configured = int(std::min<long>(sysconf(_SC_NPROCESSORS_CONF), CPU_SETSIZE));
  for (int core = 0; core < configured; ++core) {
    if (socket_of(core) == socket) CPU_SET(core, &cores);
  }
  if (CPU_COUNT(&cores) == 0) return std::nullopt;
  return cores;
}

std::optional<float> clock_rate_mhz() {
  const int core = sched_getcpu();
  const auto kilohertz = read_number<float>(core_folder(core < 0 ? 0 : core) + "/cpufreq/cpuinfo_max_freq");
  if (kilohertz) return *kilohertz / 1000;
  return rate_from_cpuinfo();
}

}  // namespace polder::gaspi
