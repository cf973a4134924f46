#include "memory.hpp"

#include "cell.hpp"
#include "particle.hpp"
#include "radix_sort.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace fmm {
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

std::uint64_t memory_bound(const MemoryNeed& need) {
  constexpr std::uint64_t kSlack = 8 << 20;  // tables, lists of the runtime
  const std::uint64_t each = need.particles / need.ranks + 1;
  const std::uint64_t most = need.ranks == 1 ? need.particles : std::min(need.particles, 2 * each + 1024);
  // Where they came from, packed, received; two sorts; places, results, weights; lists of neighbours.
  constexpr std::uint64_t kPerParticle =
      3 * sizeof(Particle) + 2 * sizeof(KeyedIndex) + 9 * sizeof(double) + 8 * sizeof(double);
  const std::uint64_t per_cell = 2 * sizeof(Cell) + 2 * need.stride * sizeof(double) + 64;
  const std::uint64_t cells = most * 8 / std::max<std::size_t>(need.leaf_size, 8) + 1;
  const std::uint64_t own = most * kPerParticle + cells * per_cell;
  const std::uint64_t read = need.ranks == 1 ? 0 : most * 4 * sizeof(double) + cells * per_cell;
  return kSlack + own + read;
}

}  // namespace fmm
