#include "common/available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace apps {
namespace {

constexpr char kGroup[] = "/sys/fs/cgroup/";

// The number after `name` in a file of "name number" lines (/proc/meminfo, memory.stat).
std::optional<std::uint64_t> number_named(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::string word, rest;
  std::uint64_t number = 0;
  while (file >> word >> number) {
    if (word == name) return number;
    std::getline(file, rest);
  }
  return {};
}

// The only number of a file; none if there is no such file or it says "max".
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return {};
}

// What the control group allows beyond what it uses; cached files do not count, the kernel drops them when it must.
std::uint64_t left_in_group() {
  const std::optional<std::uint64_t> limit = number_in(std::string(kGroup) + "memory.max");
  if (!limit) return ~std::uint64_t{0};
  const std::uint64_t current = number_in(std::string(kGroup) + "memory.current").value_or(0);
  const std::string stat = std::string(kGroup) + "memory.stat";
  const std::uint64_t cached =
      number_named(stat, "inactive_file").value_or(0) + number_named(stat, "active_file").value_or(0);
  const std::uint64_t used = current - std::min(current, cached);
  return *limit - std::min(*limit, used);
}

}  // namespace

polder::Result<std::uint64_t> available_memory() {
  const std::optional<std::uint64_t> available = number_named("/proc/meminfo", "MemAvailable:");
  if (available) return std::min(*available * 1024, left_in_group());
  return polder::Status(polder::Code::system, "/proc/meminfo does not tell MemAvailable; give --memory");
}

}  // namespace apps
