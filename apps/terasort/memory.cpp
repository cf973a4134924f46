#include "memory.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace terasort {
namespace {

constexpr std::uint64_t kHugePage = 2u << 20;

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

Arena::~Arena() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

Result<Arena> Arena::reserve(std::uint64_t bytes) {
  bytes = std::max<std::uint64_t>(bytes + kHugePage - 1, kHugePage) / kHugePage * kHugePage;
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) {
    return Status(Code::out_of_memory, "the system refuses " + std::to_string(bytes) + " bytes of address space");
  }
  // A hint: without it a fault per 4 kB costs as much as copying the page.
  (void)::madvise(data, bytes, MADV_HUGEPAGE);
  return Arena(static_cast<std::byte*>(data), bytes);
}

Result<std::uint64_t> available_memory() {
  const std::optional<std::uint64_t> available = number_named("/proc/meminfo", "MemAvailable:");
  if (available) return std::min(*available * 1024, left_in_group());
  return Status(Code::system, "/proc/meminfo does not tell MemAvailable; give --memory");
}

std::uint64_t node_identity() {
  // The boot id tells apart nodes that carry the same name.
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  file >> boot;
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return std::hash<std::string>()(boot + name.data());
}

}  // namespace terasort
