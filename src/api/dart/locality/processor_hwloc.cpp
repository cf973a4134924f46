#include "api/dart/locality/processor_hwloc.hpp"

#include "api/dart/locality/processor_system.hpp"

#include <hwloc.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace polder::dart {
namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using HwlocTopology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

struct BitmapDeleter {
  void operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }
};
using HwlocBitmap = std::unique_ptr<hwloc_bitmap_s, BitmapDeleter>;

HwlocTopology load_topology() {
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) return nullptr;
  HwlocTopology topology(made);
  return hwloc_topology_load(made) == 0 ? std::move(topology) : nullptr;
}

// Where this process may run.
HwlocBitmap allowed(hwloc_topology_t topology) {
  HwlocBitmap set(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(topology, set.get(), HWLOC_CPUBIND_PROCESS) != 0)
    hwloc_bitmap_copy(set.get(), hwloc_topology_get_allowed_cpuset(topology));
  return set;
}

// The place-th of those that have a part in the set.
hwloc_obj_t nth_of(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t set, unsigned place) {
  const int all = std::max(0, hwloc_get_nbobjs_by_type(topology, type));
  const auto counts = [&](hwloc_obj_t object) { return hwloc_bitmap_intersects(object->cpuset, set) != 0; };
  unsigned count = 0;
  for (int i = 0; i < all; ++i) count += counts(hwloc_get_obj_by_type(topology, type, unsigned(i))) ? 1 : 0;
  if (count == 0) return nullptr;
  unsigned left = place % count;
  for (int i = 0; i < all; ++i) {
    hwloc_obj_t object = hwloc_get_obj_by_type(topology, type, unsigned(i));
    if (counts(object) && left-- == 0) return object;
  }
  return nullptr;
}

// Nothing: it is no level of the tree, as memory that only instructions go through.
std::optional<dart_locality_scope_t> scope_of(hwloc_obj_t object) {
  if (hwloc_obj_type_is_icache(object->type)) return {};
  if (hwloc_obj_type_is_cache(object->type)) return DART_LOCALITY_SCOPE_CACHE;
  switch (object->type) {
    case HWLOC_OBJ_PACKAGE: return DART_LOCALITY_SCOPE_PACKAGE;
    case HWLOC_OBJ_NUMANODE: return DART_LOCALITY_SCOPE_NUMA;
    default: return DART_LOCALITY_SCOPE_UNDEFINED;
  }
}

void describe_caches(dart_hwinfo_t& info, hwloc_obj_t core) {
  for (hwloc_obj_t object = core; object != nullptr; object = object->parent) {
    if (!hwloc_obj_type_is_dcache(object->type)) continue;
    const auto& cache = object->attr->cache;
    if (cache.depth == 0 || cache.depth > unsigned(DART_LOCALITY_MAX_CACHE_LEVELS)) continue;
    info.cache_sizes[cache.depth - 1] = int(cache.size);
    info.cache_line_sizes[cache.depth - 1] = cache.linesize == 0 ? -1 : int(cache.linesize);
    info.cache_ids[cache.depth - 1] = int(object->logical_index);
  }
}

void describe_scopes(dart_hwinfo_t& info, hwloc_obj_t core) {
  info.num_scopes = 0;
  info.scopes[info.num_scopes++] = {DART_LOCALITY_SCOPE_CORE, int(core->logical_index)};
  for (hwloc_obj_t object = core->parent; object != nullptr && object->type != HWLOC_OBJ_MACHINE;
       object = object->parent) {
    const auto scope = scope_of(object);
    if (!scope || info.num_scopes == DART_LOCALITY_MAX_DOMAIN_SCOPES) continue;
    info.scopes[info.num_scopes++] = {*scope, int(object->logical_index)};
  }
}

// Memory hangs beside the cores, not above them.
void describe_memory(dart_hwinfo_t& info, hwloc_topology_t topology, hwloc_obj_t core) {
  info.system_memory_bytes = int(hwloc_get_root_obj(topology)->total_memory >> 20);
  for (int i = 0; i < info.num_numa; ++i) {
    hwloc_obj_t memory = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, unsigned(i));
    if (memory == nullptr || !hwloc_bitmap_isincluded(core->cpuset, memory->cpuset)) continue;
    info.numa_id = int(memory->logical_index);
    info.numa_memory_bytes = int(memory->attr->numanode.local_memory >> 20);
    return;
  }
}

void describe_threads(dart_hwinfo_t& info, hwloc_topology_t topology, hwloc_obj_type_t core_type) {
  for (int i = 0; i < info.num_cores; ++i) {
    hwloc_obj_t core = hwloc_get_obj_by_type(topology, core_type, unsigned(i));
    const int threads = hwloc_bitmap_weight(core->cpuset);
    info.min_threads = info.min_threads < 0 ? threads : std::min(info.min_threads, threads);
    info.max_threads = std::max(info.max_threads, threads);
  }
}

}  // namespace

int describe_by_hwloc(dart_hwinfo_t& info, unsigned place) {
  const HwlocTopology owner = load_topology();
  if (owner == nullptr) return describe_by_system(info, place);
  hwloc_topology_t topology = owner.get();
  // Some virtual machines say nothing of cores.
  const auto core_type = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  const HwlocBitmap set = allowed(topology);
  hwloc_obj_t core = nth_of(topology, core_type, set.get(), place);
  if (core == nullptr) return describe_by_system(info, place);
  hwloc_bitmap_and(set.get(), set.get(), core->cpuset);
  hwloc_obj_t processor = nth_of(topology, HWLOC_OBJ_PU, set.get(), 0);
  info.num_cores = hwloc_get_nbobjs_by_type(topology, core_type);
  info.num_numa = std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE));
  info.num_sockets = std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE));
  info.core_id = int(core->logical_index);
  info.cpu_id = int(processor->logical_index);
  describe_caches(info, core);
  describe_scopes(info, core);
  describe_memory(info, topology, core);
  describe_threads(info, topology, core_type);
  return int(processor->os_index);
}

}  // namespace polder::dart
