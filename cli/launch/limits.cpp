#include "launch/limits.hpp"

#include "util/shared_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace polder::cli {
namespace {

// Page tables, stacks, and relocated pages of libraries of a program that does nothing.
constexpr std::uint64_t kEmptyProcessBytes = 256 << 10;

}  // namespace

Status allow_descriptors(std::size_t count, std::size_t better, rlimit& before) {
  if (getrlimit(RLIMIT_NOFILE, &before) != 0) return util::system_error("getrlimit(RLIMIT_NOFILE)");
  if (before.rlim_cur >= better) return {};
  if (before.rlim_max < count)
    return {Code::limit,
            fmt::format("a job of this size needs {} descriptors in the launcher, the limit is {} (ulimit -Hn)", count,
                        before.rlim_max)};
  rlimit raised = before;
  raised.rlim_cur = std::min<rlim_t>(better, before.rlim_max);
  return setrlimit(RLIMIT_NOFILE, &raised) == 0 ? Status() : util::system_error("setrlimit(RLIMIT_NOFILE)");
}

std::optional<std::uint64_t> available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kilobytes = 0;
  while (file >> name >> kilobytes) {
    if (name == "MemAvailable:") return kilobytes << 10;
    file.ignore(64, '\n');
  }
  return std::nullopt;
}

Status check_memory(Rank processes) {
  const auto available = available_memory();
  if (!available || processes * kEmptyProcessBytes <= *available) return {};
  return {Code::limit, fmt::format("{} processes need at least {} MiB, and this machine has {} MiB free", processes,
                                   (processes * kEmptyProcessBytes) >> 20, *available >> 20)};
}

}  // namespace polder::cli
