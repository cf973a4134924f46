#include "topology/cores.hpp"
#include "topology/network_place.hpp"

#include <polder/topology.hpp>

#include <cstring>
#include <map>

namespace polder {
namespace {

using topology::CorePlace;
using topology::NetworkPlace;

// What a member tells the others.
struct MemberPlace {
  std::uint32_t node = 0;
  CorePlace core;
  NetworkPlace network;
  std::uint64_t wrong_place = 0;  // its environment cannot be read
};

// Levels inside a node; distances say the order only, far below a hop.
void add_levels_inside(TopologySpec& spec) {
  spec.levels.push_back({"socket", 0.3, 1});
  spec.levels.push_back({"numa", 0.25, 1});
  spec.levels.push_back({"cache", 0.2, 1});
  spec.levels.push_back({"core", 0.1, 1});
  spec.levels.push_back({"thread", 0.05, 1});
}
void add_coordinates_inside(TopologySpec& spec, const CorePlace& core) {
  spec.coordinates.insert(spec.coordinates.end(), {core.socket, core.numa, core.cache, core.core, core.thread});
}

// As in a tree of switches: two cables to another node of the same one, two more for each level further out.
void add_network_levels(TopologySpec& spec, std::size_t depth) {
  for (std::size_t level = 0; level < depth; ++level)
    spec.levels.push_back({"switch " + std::to_string(level + 1), 2.0 * double(depth - level + 1), 1});
  spec.levels.push_back({"node", 2, 1});
  spec.network_levels = depth + 1;
}

Result<Topology> topology_of(const std::vector<MemberPlace>& members) {
  TopologySpec spec;
  const std::uint32_t depth = members.front().network.depth;
  add_network_levels(spec, depth);
  add_levels_inside(spec);
  std::map<std::uint64_t, std::uint32_t> numbers;  // of branches, as they are met
  for (std::size_t member = 0; member < members.size(); ++member) {
    const MemberPlace& place = members[member];
    if (place.wrong_place != 0 || place.network.depth != depth)
      return Status(Code::invalid_argument,
                    "topology: member " + std::to_string(member) +
                        (place.wrong_place != 0 ? " has a place in the network that cannot be read (POLDER_PLACE, "
                                                  "SLURM_TOPOLOGY_ADDR)"
                                                : " is below " + std::to_string(place.network.depth) +
                                                      " switches, member 0 below " + std::to_string(depth)));
    for (std::uint32_t level = 0; level < depth; ++level)
      spec.coordinates.push_back(
          numbers.emplace(place.network.branch[level], std::uint32_t(numbers.size())).first->second);
    spec.coordinates.push_back(place.node);
    add_coordinates_inside(spec, place.core);
  }
  return Topology::create(std::move(spec));
}

}  // namespace

Result<Topology> gather_topology(const Runtime& runtime, Group& group, Timeout timeout) {
  const Result<Rank> node = runtime.node(runtime.rank());
  if (!node.ok()) return node.status();
  MemberPlace mine{*node, {}, {}, 0};
  if (const auto threads = topology::allowed_threads(); !threads.empty())
    mine.core = topology::core_place(threads.front());
  if (const auto network = topology::network_place(); network.ok())
    mine.network = *network;
  else
    mine.wrong_place = 1;
  const auto told = group.allgather(std::as_bytes(std::span(&mine, 1)), timeout);
  if (!told.ok()) return told.status();
  std::vector<MemberPlace> all(group.size());
  std::memcpy(all.data(), told->data(), told->size());
  return topology_of(all);
}

Result<Topology> here_topology(Rank units) {
  std::vector<CorePlace> cores;
  for (const std::uint32_t thread : topology::allowed_threads()) cores.push_back(topology::core_place(thread));
  if (cores.empty()) return Status(Code::system, "topology: the kernel does not say which cores there are");
  cores = topology::binding_order(std::move(cores));
  TopologySpec spec;
  add_network_levels(spec, 0);
  add_levels_inside(spec);
  for (Rank unit = 0; unit < units; ++unit) {
    spec.coordinates.push_back(0);
    add_coordinates_inside(spec, cores[unit % cores.size()]);
  }
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
