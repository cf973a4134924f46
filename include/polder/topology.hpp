// Neighbours in the program become neighbours in the machine: where units (ranks, members of a group) are, who talks to whom,
// and the order of units in which those who talk much are near each other. After the hierarchical units mapping of Idrees,
// Fuchs, Glass 2016, made general: any extents, uneven nodes, any communication graph.
//
//   auto place = polder::gather_topology(rt, rt.world(), 10s);
//   auto order = polder::map(*polder::grid_pattern({.extents = {24, 24, 16}}), *place);
//   auto group = polder::create_mapped_group(rt, rt.world(), *order, 10s);   // member p has place p of the grid, row-major
//   (*group)->commit(10s);
//
// No process moves: the group numbers its members otherwise. All but gather_topology() is local, may be called from any thread,
// and gives every caller the same for the same arguments.
#pragma once

#include <polder/export.hpp>
#include <polder/group.hpp>
#include <polder/runtime.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace polder {

// A level of the machine: a group of cabinets, a switch, a node, a socket.
struct MachineLevel {
  std::string name;
  double distance = 1;  // between units that are in different ones and share all levels further out; hops, >= 0
  double links = 1;     // cables that lead out of one; of network levels only
};

struct TopologySpec {
  std::vector<MachineLevel> levels;  // outermost first
  std::size_t network_levels = 0;    // the outer ones, down to the node; the others are inside a node
  std::vector<std::uint32_t>
      torus;  // empty: a tree. Else the extents of a torus whose coordinates the outermost levels are
  std::vector<std::uint32_t>
      dragonfly;  // empty; or groups, routers of a group and nodes of a router, the outermost levels
  std::vector<std::uint32_t> coordinates;  // for each unit as many as levels, outermost first
};

// Where each of some units is. A value; units are numbered as whoever made it says: members of a group, ranks of a launcher.
class POLDER_API Topology {
 public:
  // invalid_argument: coordinates that are no multiple of the levels, no unit, a coordinate outside of its torus or dragonfly,
  // or one of those with more than 4,000,000 nodes or 64,000,000 cables.
  static Result<Topology> create(TopologySpec spec);

  Rank units() const { return Rank(spec_.coordinates.size() / spec_.levels.size()); }
  const TopologySpec& spec() const { return spec_; }
  std::span<const std::uint32_t> at(Rank unit) const {  // its coordinates. REQUIRES, as below: unit < units()
    assert(unit < units());
    return {spec_.coordinates.data() + std::size_t{unit} * spec_.levels.size(), spec_.levels.size()};
  }
  // The outermost level that two units do not share; as many as levels if they share all. O(levels).
  std::size_t parting(Rank one, Rank two) const;
  // Of a tree: that of the level that parts them. Of a torus: cables on the short way, or that of the level inside.
  double distance(Rank one, Rank two) const;

 private:
  explicit Topology(TopologySpec spec) : spec_(std::move(spec)) {}
  TopologySpec spec_;
};

// Who sends how much to whom, as a graph: neighbours of place p are neighbour[begin[p]] .. neighbour[begin[p + 1] - 1]. Symmetric:
// a weight is what goes both ways.
struct CommunicationPattern {
  std::vector<std::size_t> begin;
  std::vector<Rank> neighbour;
  std::vector<double> weight;
  std::vector<std::uint32_t> extents;  // of a grid, row-major; else empty

  Rank places() const { return Rank(begin.size() - 1); }
};

struct GridSpec {
  std::vector<std::uint32_t> extents;  // one to six
  bool periodic = false;               // in all dimensions
  double bytes = 1;                    // that two neighbours send to each other, both ways together
};

// Each place of a grid talks to the two beside it in every dimension. invalid_argument: no or too many dimensions, an extent of 0,
// more than 2^31 places, bytes below 0 or without bound.
POLDER_API Result<CommunicationPattern> grid_pattern(const GridSpec& grid);
// What one place sent to another.
struct PlaceTraffic {
  Rank from = 0, to = 0;
  double bytes = 0;
  double messages = 0;  // each is worth a cache line, 64 bytes, besides its own: notifications have none
};
// Any traffic: that between two places is added up, both ways; that of a place with itself is ignored. O(T log T).
// invalid_argument: no place, one that is beyond `places`, bytes or messages below 0 or without bound.
POLDER_API Result<CommunicationPattern> traffic_pattern(Rank places, std::span<const PlaceTraffic> traffic);
// A square matrix as CSV: row r, column c is what r sent to c. Or, if it begins with '{', what `polder trace stats --json` prints of a
// job: an object with "ranks" and "traffic", a list of [sender, receiver, bytes, messages, ...]. Both directions are added, what a
// place sends to itself is ignored. invalid_argument: the row and column that is no number of at least 0; a row of another length; of
// JSON, the byte and what is wrong there; more than 2^20 ranks in it.
POLDER_API Result<CommunicationPattern> matrix_pattern(std::string_view text);

// Which unit takes each place: element p is the unit at place p. Recursive bipartition of machine and pattern together (Pellegrini,
// Roman 1996), a grid cut along its dimensions, each cut refined by exchanges (Kernighan, Lin 1970), then exchanges of units by
// distance. O(E log n). invalid_argument: not as many places as units.
POLDER_API Result<std::vector<Rank>> map(const CommunicationPattern& pattern, const Topology& topology);

struct MappingCost {
  double hop_bytes = 0;        // weights times distances
  double busiest = 0;          // bytes over the cable that carries most, one direction, weights halved
  std::vector<double> parted;  // by level: bytes between units that it parts; last: those that share all
};

// Of any order of units. invalid_argument: `order` is not a permutation of the units, or there are not as many places.
POLDER_API Result<MappingCost> mapping_cost(const CommunicationPattern& pattern, const Topology& topology,
                                            std::span<const Rank> order);

// Machines of `hosts` by Slurm's topology.conf (SwitchName=, Switches=, Nodes=, with brackets as in n[01-16,20]): a unit of
// `per_node` on each, in the order of hosts. invalid_argument: the line that is wrong, or the host that no switch has.
POLDER_API Result<Topology> switch_topology(std::string_view conf, std::span<const std::string> hosts, Rank per_node);

struct ModelSpec {
  std::string name =
      "aries";  // aries; fat_tree:R, of switches with R ports; dragonfly:GxRxN: groups, routers, nodes; torus:XxYxZ
  Rank nodes = 384;
  Rank per_node = 24;  // on two sockets; the last node may have fewer if `units` says so
  Rank units = 0;      // 0: nodes x per_node
  Rank machine = 0;  // nodes of the whole machine, of which blocks of 1 to 16 are allocated; 0: just as many as `nodes`
  std::uint64_t seed = 1;  // draws the blocks
};
// Machines that are not here. invalid_argument: no such model, or no place.
POLDER_API Result<Topology> model_topology(const ModelSpec& model);

// Units on this machine, as a launcher binds them: unit u on the u-th of its cores that this process may use, round and round.
// invalid_argument: no unit. system: the kernel does not say which cores there are.
POLDER_API Result<Topology> here_topology(Rank units);

// Collective over `group`: where each member is: node, by the launcher's node map; socket, NUMA node, last cache, core and hardware
// thread, by what the kernel says of the cores that the calling thread may use (the first of them). Of the network: what
// POLDER_PLACE, or else Slurm in SLURM_TOPOLOGY_ADDR, says of each member's node: names from the outermost switch (row, rack,
// placement group) to the innermost with dots between, as in spine1.leaf3; of Slurm's the last, the node's own name, is left out.
// timeout; peer_failed; as Group::allgather(). invalid_argument: members name places of different depth, or of more than eight.
POLDER_API Result<Topology> gather_topology(const Runtime& runtime, Group& group, Timeout timeout);

// Collective over `parent`, which must outlive it: a group of its members, numbered by `order`, by Runtime::split(); all commit it
// afterwards. invalid_argument: not a permutation; else as split().
POLDER_API Result<std::unique_ptr<Group>> create_mapped_group(Runtime& runtime, Group& parent,
                                                              std::span<const Rank> order, Timeout timeout);

}  // namespace polder
