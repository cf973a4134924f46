#include "info/sections.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <memory>
#include <string>
#include <vector>

namespace polder::cli {
namespace {

struct FreeTopology {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};

std::string size_text(std::uint64_t bytes) {
  if (bytes >= 10ULL << 30) return fmt::format("{} GiB", bytes >> 30);
  if (bytes >= 10ULL << 20) return fmt::format("{} MiB", bytes >> 20);
  return fmt::format("{} KiB", bytes >> 10);
}

std::string type_text(hwloc_obj_t object) {
  char name[64];
  hwloc_obj_type_snprintf(name, sizeof name, object, 0);
  return hwloc_obj_type_is_cache(object->type) ? fmt::format("{} {}", name, size_text(object->attr->cache.size)) : name;
}

std::string bitmap_text(hwloc_const_bitmap_t set) {
  char text[256];
  hwloc_bitmap_list_snprintf(text, sizeof text, set);
  return text;
}

// Equal children are shown once with their number: "4 x Core".
void append_tree(std::string& out, hwloc_obj_t object, unsigned count, int depth) {
  out += fmt::format("{:{}}{}{}", "", 2 + 2 * depth, count > 1 ? fmt::format("{} x ", count) : "", type_text(object));
  if (object->type != HWLOC_OBJ_PU && count == 1) out += fmt::format("  (cores {})", bitmap_text(object->cpuset));
  out += '\n';
  for (hwloc_obj_t memory = object->memory_first_child; memory != nullptr; memory = memory->next_sibling)
    out += fmt::format("{:{}}{} #{}: {}\n", "", 4 + 2 * depth, type_text(memory), memory->os_index,
                       size_text(memory->total_memory));
  const bool alike = object->symmetric_subtree != 0 && object->arity > 1;
  for (unsigned child = 0; child < (alike ? 1 : object->arity); ++child)
    append_tree(out, object->children[child], alike ? object->arity : 1, depth + 1);
}

const char* info_of(hwloc_obj_t object, const char* name) {
  const char* text = object == nullptr ? nullptr : hwloc_obj_get_info_by_name(object, name);
  return text != nullptr ? text : "unknown";
}

}  // namespace

std::string machine_text() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return "  hwloc cannot start\n";
  std::unique_ptr<hwloc_topology, FreeTopology> topology(raw);
  if (hwloc_topology_load(raw) != 0) return "  hwloc cannot read the topology of this machine\n";
  hwloc_obj_t root = hwloc_get_root_obj(raw);
  std::string out =
      fmt::format("  host      {}\n  kernel    {} {}\n  processor {}\n  memory    {}\n", info_of(root, "HostName"),
                  info_of(root, "OSName"), info_of(root, "OSRelease"),
                  info_of(hwloc_get_obj_by_type(raw, HWLOC_OBJ_PACKAGE, 0), "CPUModel"), size_text(root->total_memory));
  append_tree(out, root, 1, 0);
  return out;
}

}  // namespace polder::cli
