#include "topology/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <tuple>

namespace polder::topology {
namespace {

// The number that a file begins with: of "4-7,12" it is 4.
std::uint32_t first_number(const std::string& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  return file >> number && number > 0 ? std::uint32_t(number) : 0;
}

// A folder nodeN stands beside those of the thread.
std::uint32_t numa_node(const std::string& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("node") && name.find_first_not_of("0123456789", 4) == std::string::npos && name.size() > 4 &&
        name.size() < 13)
      return std::uint32_t(std::stoul(name.substr(4)));
  }
  return 0;
}

std::uint32_t last_cache(const std::string& folder) {
  std::uint32_t first = 0, last_level = 0;
  for (int index = 0; index < 16; ++index) {
    const std::string cache = folder + "/cache/index" + std::to_string(index);
    const std::uint32_t level = first_number(cache + "/level");
    if (level <= last_level) continue;
    last_level = level;
    first = first_number(cache + "/shared_cpu_list");
  }
  return first;
}

}  // namespace

CorePlace core_place(std::uint32_t thread, const std::string& folder) {
  const std::string mine = folder + "/cpu" + std::to_string(thread);
  return {.socket = first_number(mine + "/topology/physical_package_id"),
          .numa = numa_node(mine),
          .cache = last_cache(mine),
          .core = first_number(mine + "/topology/core_id"),
          .thread = thread};
}

std::vector<std::uint32_t> allowed_threads() {
  std::vector<std::uint32_t> threads;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return threads;
  for (int thread = 0; thread < CPU_SETSIZE; ++thread)
    if (CPU_ISSET(thread, &allowed)) threads.push_back(std::uint32_t(thread));
  return threads;
}

std::vector<CorePlace> binding_order(std::vector<CorePlace> places) {
  auto core_of = [](const CorePlace& place) { return std::tuple(place.socket, place.numa, place.cache, place.core); };
  std::sort(places.begin(), places.end(), [&](const CorePlace& one, const CorePlace& other) {
    return std::tuple_cat(core_of(one), std::tuple(one.thread)) <
           std::tuple_cat(core_of(other), std::tuple(other.thread));
  });
  std::vector<std::size_t> of_core(places.size());  // how many threads of its core come before each
  for (std::size_t i = 1; i < places.size(); ++i)
    of_core[i] = core_of(places[i]) == core_of(places[i - 1]) ? of_core[i - 1] + 1 : 0;
  std::vector<CorePlace> ordered;
  for (std::size_t turn = 0; ordered.size() < places.size(); ++turn)
    for (std::size_t i = 0; i < places.size(); ++i)
      if (of_core[i] == turn) ordered.push_back(places[i]);
  return ordered;
}

}  // namespace polder::topology
