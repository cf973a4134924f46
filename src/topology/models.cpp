#include "util/random.hpp"

#include <polder/topology.hpp>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace polder {
namespace {

constexpr Rank kMostModelNodes = 4'000'000;
constexpr Rank kSocketsOfNode = 2;

Status wrong_model(const ModelSpec& model, const std::string& what) {
  return {Code::invalid_argument, "machine '" + model.name + "': " + what};
}

struct MachineShape {
  TopologySpec spec;
  std::vector<Rank> branches;  // of each network level, how many in one of the level outside; of the outermost, in all
};

// Cray XC: 4 nodes share an Aries, 16 of those a chassis's backplane, 6 chassis the copper of a group, groups the optics; the
// longest of the shortest ways (Faanes et al. 2012).
MachineShape aries(Rank nodes) {
  return {{{{"group", 7, 240}, {"chassis", 4, 240}, {"blade", 3, 15}, {"node", 2, 1}}, 4, {}, {}, {}},
          {(nodes + 383) / 384, 6, 16, 4}};
}

bool read_numbers(std::string_view text, std::vector<std::uint32_t>& numbers) {
  if (text.ends_with('x')) return false;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find('x'));
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size() || number == 0 || number > 1'000'000) return false;
    numbers.push_back(number);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return !numbers.empty() && numbers.size() <= 6;
}

Status shape_of(const ModelSpec& model, Rank nodes, MachineShape& shape) {
  const std::string kind = model.name.substr(0, model.name.find(':'));
  const std::string size = model.name.substr(std::min(model.name.size(), kind.size() + 1));
  if (model.name == "aries") return shape = aries(nodes), Status();
  std::vector<std::uint32_t> numbers;
  if ((kind != "fat_tree" && kind != "torus" && kind != "dragonfly") || !read_numbers(size, numbers))
    return wrong_model(model, "there are aries, fat_tree:PORTS, dragonfly:GROUPSxROUTERSxNODES and torus:XxYxZ");
  if (kind == "dragonfly") {
    if (numbers.size() != 3 || numbers[0] > 4096 || numbers[1] > 512 || numbers[2] > 128)
      return wrong_model(model, "up to 4096 groups, 512 routers of a group, 128 nodes of a router");
    shape.spec.levels = {{"group", 5, 1}, {"router", 3, 1}, {"node", 2, 1}};
    shape.spec.dragonfly = shape.branches = numbers;
    shape.spec.network_levels = 3;
    return {};
  }
  if (kind == "torus") {
    for (std::size_t d = 0; d < numbers.size(); ++d) shape.spec.levels.push_back({std::string(1, "xyzuvw"[d]), 1, 1});
    shape.spec.torus = shape.branches = numbers;
    shape.spec.network_levels = numbers.size();
    return {};
  }
  const Rank half = numbers[0] / 2;
  if (numbers.size() != 1 || numbers[0] % 2 != 0 || half > 64) return wrong_model(model, "ports are even, up to 128");
  shape.spec.levels = {{"pod", 6, double(half) * half}, {"switch", 4, double(half)}, {"node", 2, 1}};
  shape.spec.network_levels = 3;
  shape.branches = {2 * half, half, half};
  return {};
}

// `wanted` of `nodes`, ascending: blocks of 1 to 16, as a busy machine has them to give.
std::vector<Rank> allocate_blocks(Rank wanted, Rank nodes, std::uint64_t seed) {
  std::vector<bool> taken(nodes);
  util::Random random(seed);
  for (Rank have = 0; have < wanted;) {
    Rank node = Rank(random.below(nodes));
    const Rank end = Rank(std::min<std::uint64_t>(nodes, node + 1 + random.below(16)));
    for (; node < end && have < wanted; ++node)
      if (!taken[node]) taken[node] = true, ++have;
  }
  std::vector<Rank> chosen;
  for (Rank node = 0; node < nodes; ++node)
    if (taken[node]) chosen.push_back(node);
  return chosen;
}

}  // namespace

Result<Topology> model_topology(const ModelSpec& model) {
  const Rank nodes = std::max(model.machine, model.nodes);
  if (model.nodes == 0 || model.per_node == 0 || nodes > kMostModelNodes ||
      std::uint64_t{model.nodes} * model.per_node > (1u << 30))
    return wrong_model(model, "1 to 4,000,000 nodes, at least a unit on each, 2^30 units at most");
  const Rank units = model.units != 0 ? model.units : model.nodes * model.per_node;
  if (units > model.nodes * model.per_node) return wrong_model(model, "more units than its nodes have places for");
  MachineShape shape;
  if (Status status = shape_of(model, nodes, shape); !status.ok()) return status;
  std::uint64_t room = 1;
  for (const Rank branches : shape.branches) room = std::min<std::uint64_t>(room * branches, kMostModelNodes);
  if (room < nodes) return wrong_model(model, "it has no place for " + std::to_string(nodes) + " nodes");
  shape.spec.levels.push_back({"socket", 0.2, 1});
  shape.spec.levels.push_back({"core", 0.1, 1});
  const std::vector<Rank> chosen = allocate_blocks(model.nodes, nodes, model.seed);
  for (Rank unit = 0; unit < units; ++unit) {
    Rank rest = chosen[unit / model.per_node];
    const Rank core = unit % model.per_node, in_socket = (model.per_node + kSocketsOfNode - 1) / kSocketsOfNode;
    std::vector<std::uint32_t> at(shape.branches.size());
    for (std::size_t l = at.size(); l-- > 0; rest /= shape.branches[l]) at[l] = rest % shape.branches[l];
    shape.spec.coordinates.insert(shape.spec.coordinates.end(), at.begin(), at.end());
    shape.spec.coordinates.insert(shape.spec.coordinates.end(), {core / in_socket, core});
  }
  return Topology::create(std::move(shape.spec));
}

}  // namespace polder
