#include "launch/binding.hpp"

#include <hwloc.h>

#include <climits>
#include <memory>
#include <utility>

namespace polder::cli {
namespace {

constexpr unsigned kBitsPerWord = sizeof(unsigned long) * CHAR_BIT;

struct DestroyHwloc {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using HwlocTopology = std::unique_ptr<hwloc_topology, DestroyHwloc>;

Result<HwlocTopology> load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return Status(Code::system, "hwloc cannot start");
  HwlocTopology topology(raw);
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

unsigned part_of(hwloc_topology_t topology, hwloc_obj_t unit, hwloc_obj_type_t type) {
  const hwloc_obj_t part = hwloc_get_ancestor_obj_by_type(topology, type, unit);
  return part == nullptr ? 0 : part->logical_index;
}

// Memory is no ancestor of cores: the node is known by its set of them.
unsigned numa_of(hwloc_topology_t topology, hwloc_obj_t unit) {
  for (hwloc_obj_t node = nullptr; (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr;)
    if (hwloc_bitmap_isset(node->cpuset, unit->os_index)) return node->logical_index;
  return 0;
}

CoreUnit describe_unit(hwloc_topology_t topology, hwloc_obj_t unit) {
  return {.thread = thread_of_core(topology, unit),
          .socket = part_of(topology, unit, HWLOC_OBJ_PACKAGE),
          .numa = numa_of(topology, unit),
          .cache = part_of(topology, unit, HWLOC_OBJ_L3CACHE),
          .core = part_of(topology, unit, HWLOC_OBJ_CORE),
          .number = unit->os_index};
}

}  // namespace

CoreSet::CoreSet(unsigned core) : bits_(core / kBitsPerWord + 1) {
  bits_[core / kBitsPerWord] |= 1UL << (core % kBitsPerWord);
}

Result<std::vector<CoreSet>> binding_order(const RankOrder& rank_order) {
  auto topology = load_topology();
  if (!topology) return topology.status();
  std::vector<CoreUnit> units;
  for (hwloc_obj_t unit = nullptr; (unit = hwloc_get_next_obj_by_type(topology->get(), HWLOC_OBJ_PU, unit)) != nullptr;)
    units.push_back(describe_unit(topology->get(), unit));
  if (units.empty()) return Status(Code::system, "hwloc finds no core that this process may use");
  const auto numbers = order_cores(std::move(units), rank_order);
  if (!numbers.ok()) return numbers.status();
  std::vector<CoreSet> order;
  for (const unsigned number : *numbers) order.emplace_back(number);
  return order;
}

}  // namespace polder::cli
