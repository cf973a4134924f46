#include "launch/binding.hpp"

#include <hwloc.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <utility>

namespace polder::cli {
namespace {

constexpr unsigned kBitsPerWord = sizeof(unsigned long) * CHAR_BIT;

struct DestroyTopology {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;

Result<Topology> load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return Status(Code::system, "hwloc cannot start");
  Topology topology(raw);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING | HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM);
  if (hwloc_topology_load(raw) != 0) return Status(Code::system, "hwloc cannot read the topology of this machine");
  return topology;
}

// Its place among the hardware threads of its physical core.
unsigned thread_of_core(hwloc_topology_t topology, hwloc_obj_t unit) {
  hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit);
  return core == nullptr
             ? 0
             : unit->logical_index -
                   hwloc_get_obj_inside_cpuset_by_type(topology, core->cpuset, HWLOC_OBJ_PU, 0)->logical_index;
}

}  // namespace

CoreSet::CoreSet(unsigned core) : bits_(core / kBitsPerWord + 1) {
  bits_[core / kBitsPerWord] |= 1UL << (core % kBitsPerWord);
}

Result<std::vector<CoreSet>> binding_order() {
  auto topology = load_topology();
  if (!topology) return topology.status();
  std::vector<std::pair<unsigned, unsigned>> units;  // thread of its core, number that the system gives it
  for (hwloc_obj_t unit = nullptr; (unit = hwloc_get_next_obj_by_type(topology->get(), HWLOC_OBJ_PU, unit)) != nullptr;)
    units.emplace_back(thread_of_core(topology->get(), unit), unit->os_index);
  std::stable_sort(units.begin(), units.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (units.empty()) return Status(Code::system, "hwloc finds no core that this process may use");
  std::vector<CoreSet> order;
  for (const auto& [thread, number] : units) order.emplace_back(number);
  return order;
}

}  // namespace polder::cli
