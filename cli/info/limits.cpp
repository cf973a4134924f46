#include "launch/limits.hpp"
#include "info/sections.hpp"
#include "util/cpu.hpp"

#include <fmt/format.h>

#include <sys/resource.h>

#include <fstream>
#include <string>

namespace polder::cli {
namespace {

std::string system_setting(const char* path) {
  std::ifstream file(path);
  std::string value;
  std::getline(file, value);
  return value.empty() ? "not there" : value;
}

std::string limit_text(rlim_t value) {
  return value == RLIM_INFINITY ? "unlimited" : std::to_string(value);
}

std::string resource_text(__rlimit_resource resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return "unknown";
  return fmt::format("{} (can be raised to {})", limit_text(limit.rlim_cur), limit_text(limit.rlim_max));
}

std::string line(const char* name, const std::string& value, const char* why) {
  return fmt::format("  {:22}{}\n  {:22}  {}\n", name, value, "", why);
}

std::string memory_text() {
  const auto bytes = available_memory();
  return bytes ? fmt::format("{} MiB", *bytes >> 20) : "unknown";
}

}  // namespace

std::string limits_text() {
  return line("usable cores", std::to_string(util::usable_cores()),
              "with more ranks than this they take turns and sleep early") +
         line("free memory", memory_text(), "segments count when they are touched") +
         line("open files", resource_text(RLIMIT_NOFILE),
              "a rank needs some for each peer; the launcher up to 3 for each rank") +
         line("processes", resource_text(RLIMIT_NPROC), "of this user") +
         line("locked memory", resource_text(RLIMIT_MEMLOCK), "bytes; network devices pin what they transfer") +
         line("core files", resource_text(RLIMIT_CORE), "bytes; 0: a crash leaves no core") +
         line("ptrace_scope", system_setting("/proc/sys/kernel/yama/ptrace_scope"),
              "2 or 3: no cross-memory attach; not there: no restriction") +
         line("max_map_count", system_setting("/proc/sys/vm/max_map_count"),
              "a rank maps each segment of each peer that it uses") +
         line("overcommit_memory", system_setting("/proc/sys/vm/overcommit_memory"),
              "2: address ranges count as memory") +
         line("pid_max", system_setting("/proc/sys/kernel/pid_max"), "processes of this machine") +
         line("pipe-user-pages-soft", system_setting("/proc/sys/fs/pipe-user-pages-soft"),
              "pages of a user's pipes, before they get small; with --tag-output 33 for each rank");
}

}  // namespace polder::cli
