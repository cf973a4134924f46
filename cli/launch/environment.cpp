#include "launch/environment.hpp"

#include "bootstrap/local/attach.hpp"
#include "gpi2_directory.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace polder::cli {
namespace {

namespace local = bootstrap::local;

constexpr std::array<std::string_view, 6> kReserved = {
    local::kJobVariable, local::kRankVariable, local::kLifelineVariable,
    "POLDER_LOCAL_RANK", "POLDER_SIZE",        "POLDER_SPARES"};

bool is_reserved(std::string_view name) {
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

std::string_view name_of(std::string_view assignment) {
  return assignment.substr(0, assignment.find('='));
}

Status check(const std::string& assignment) {
  const std::string_view name = name_of(assignment);
  if (name.empty() || name.size() == assignment.size())
    return {Code::invalid_argument, fmt::format("--env {}: expected NAME=VALUE", assignment)};
  if (is_reserved(name))
    return {Code::invalid_argument, fmt::format("--env {}: the launcher sets {} itself", assignment, name)};
  return {};
}

// Without what an outer job, whose rank this launcher may be, has set.
std::vector<std::string> inherited() {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!is_reserved(name_of(*entry))) result.emplace_back(*entry);
  return result;
}

// What was linked with -lGPI2 or -lGPI2-dbg finds its libraries, after whatever the user has set.
std::string library_path() {
  const char* const given = std::getenv("LD_LIBRARY_PATH");
  const std::filesystem::path gpi2 = gpi2_directory();
  std::string path = given != nullptr ? given : "";
  if (gpi2.empty()) return path;
  if (!path.empty()) path += ':';
  return path + (gpi2 / "lib").string();
}

}  // namespace

Result<Environment> Environment::create(const RunOptions& options, const std::string& job) {
  Environment result;
  result.common_ = inherited();
  if (const std::string path = library_path(); !path.empty()) result.set("LD_LIBRARY_PATH", path);
  result.set(local::kJobVariable, job);
  result.set("POLDER_SIZE", std::to_string(options.processes()));
  result.set("POLDER_SPARES", std::to_string(options.spares));
  // By both names: programs of before know the second, and the first of a user's environment would go before it.
  if (!options.trace_directory.empty())
    for (const char* name : {"POLDER_TRACE", "POLDER_TRACE_DIR"}) result.set(name, options.trace_directory);
  if (!options.trace_limit.empty()) result.set("POLDER_TRACE_LIMIT", options.trace_limit);
  if (!options.trace_counters.empty()) result.set("POLDER_TRACE_COUNTERS", options.trace_counters);
  if (!options.device.empty()) result.set("POLDER_DEVICE", options.device);
  for (const std::string& assignment : options.environment) {
    if (Status status = check(assignment); !status.ok()) return status;
    const std::string name(name_of(assignment));
    result.set(name, assignment.substr(name.size() + 1));
  }
  return result;
}

void Environment::set(const std::string& name, const std::string& value) {
  std::erase_if(common_, [&](const std::string& entry) { return name_of(entry) == name; });
  common_.push_back(name + "=" + value);
}

char** Environment::for_rank(Rank rank, const std::string& lifeline) {
  own_ = {fmt::format("{}={}", local::kRankVariable, rank), fmt::format("POLDER_LOCAL_RANK={}", rank),
          fmt::format("{}={}", local::kLifelineVariable, lifeline)};
  pointers_.clear();
  for (std::string& entry : common_) pointers_.push_back(entry.data());
  for (std::string& entry : own_) pointers_.push_back(entry.data());
  pointers_.push_back(nullptr);
  return pointers_.data();
}

}  // namespace polder::cli
