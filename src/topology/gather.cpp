#include <polder/topology.hpp>

#include <sched.h>

#include <cstring>
#include <fstream>

namespace polder {
namespace {

struct Place {
  std::uint32_t node, socket, core;
};

// 0 where the kernel does not say.
std::uint32_t socket_of(int core) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(core) + "/topology/physical_package_id");
  std::int64_t socket = 0;
  return file >> socket && socket > 0 ? std::uint32_t(socket) : 0;
}

int first_allowed_core() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 0;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) return core;
  return 0;
}

}  // namespace

Result<Topology> gather_topology(const Runtime& runtime, Group& group, Timeout timeout) {
  const Result<Rank> node = runtime.node(runtime.rank());
  if (!node.ok()) return node.status();
  const auto core = std::uint32_t(first_allowed_core());
  const Place mine{*node, socket_of(int(core)), core};
  std::vector<Place> all(group.size());
  if (Status status =
          group.allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)), timeout);
      !status.ok())
    return status;
  TopologySpec spec{{{"node", 2, 1}, {"socket", 0.2, 1}, {"core", 0.1, 1}}, 1, {}, {}};
  for (const Place& place : all)
    spec.coordinates.insert(spec.coordinates.end(), {place.node, place.socket, place.core});
  return Topology::create(std::move(spec));
}

Result<std::unique_ptr<Group>> create_mapped_group(Runtime& runtime, Group& parent, std::span<const Rank> order,
                                                   Timeout timeout) {
  std::vector<std::int64_t> place(parent.size(), -1);
  for (std::size_t p = 0; p < order.size(); ++p) {
    if (order.size() != place.size() || order[p] >= place.size() || place[order[p]] >= 0)
      return Status(Code::invalid_argument, "mapped group: place " + std::to_string(p) + " of " +
                                                std::to_string(order.size()) + " has member " +
                                                std::to_string(order[p]) + " of " + std::to_string(place.size()) +
                                                ": no permutation");
    place[order[p]] = std::int64_t(p);
  }
  if (order.empty()) return Status(Code::invalid_argument, "mapped group: an empty order");
  return runtime.split(parent, 0, place[parent.index()], timeout);
}

}  // namespace polder
