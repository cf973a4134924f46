#include "common/available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace apps {
namespace {

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

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

// How a version of control groups names what a group may have, has, and has only to read files faster.
struct GroupFiles {
  const char *limit, *used, *inactive, *active;
};
constexpr GroupFiles kUnified{"memory.max", "memory.current", "inactive_file", "active_file"};
constexpr GroupFiles kOfController{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
                                   "total_active_file"};

// What one control group allows beyond what it uses; cached files do not count, the kernel drops them when it must.
std::uint64_t left_in_group(const std::string& group, const GroupFiles& files) {
  const std::optional<std::uint64_t> limit = number_in(group + files.limit);
  if (!limit) return kNoLimit;
  const std::uint64_t current = number_in(group + files.used).value_or(0);
  const std::string stat = group + "memory.stat";
  const std::uint64_t cached =
      number_named(stat, files.inactive).value_or(0) + number_named(stat, files.active).value_or(0);
  const std::uint64_t used = current - std::min(current, cached);
  return *limit - std::min(*limit, used);
}

// Of a group and of all that it lies in: each of them has a limit of its own.
std::uint64_t left_on_way(const std::string& root, std::string group, const GroupFiles& files) {
  std::uint64_t left = kNoLimit;
  while (!group.empty() && group.back() == '/') group.pop_back();
  for (;; group.resize(group.rfind('/'))) {
    left = std::min(left, left_in_group(root + group + "/", files));
    if (group.find('/') == std::string::npos) return left;
  }
}

// Of this process's groups: "0::/path", and with the first version of control groups "4:cpu,memory:/path".
std::uint64_t left_in_groups(const SystemFiles& files) {
  // Where a container sees no more than its own group, that is the root, whatever path the process is said to have.
  std::uint64_t left =
      std::min(left_in_group(files.groups + "/", kUnified), left_in_group(files.groups + "/memory/", kOfController));
  std::ifstream file(files.process + "/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") left = std::min(left, left_on_way(files.groups, path, kUnified));
    if (controllers.find(",memory,") != std::string::npos)
      left = std::min(left, left_on_way(files.groups + "/memory", path, kOfController));
  }
  return left;
}

}  // namespace

polder::Result<std::uint64_t> available_memory(const SystemFiles& files) {
  const std::optional<std::uint64_t> available = number_named(files.process + "/meminfo", "MemAvailable:");
  if (available) return std::min(*available * 1024, left_in_groups(files));
  return polder::Status(polder::Code::system, files.process + "/meminfo does not tell MemAvailable; give --memory");
}

}  // namespace apps
