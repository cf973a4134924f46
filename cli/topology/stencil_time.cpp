#include "topology/stencil_time.hpp"

#include "coll/model/link_traffic.hpp"
#include "topology/dragonfly.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace polder::cli {
namespace {

// The cables of a Topology: nodes first, then the branches outside of them, then what joins the outermost.
class MachineCables final : public coll::Interconnect {
 public:
  explicit MachineCables(const Topology& topology) : spec_(topology.spec()), node_of_(topology.units()) {
    if (!spec_.dragonfly.empty()) dragonfly_.emplace(spec_.dragonfly);
    const bool tree = spec_.torus.empty() && !dragonfly_;
    for (Rank unit = 0; unit < topology.units(); ++unit)
      node_of_[unit] = tree ? add_branches(topology.at(unit)) : position(topology.at(unit));
    if (dragonfly_)
      nodes_ = dragonfly_->nodes(), links_ = dragonfly_->links();
    else
      tree ? number_vertices() : count_ring();
  }

  std::uint32_t node_of(Rank unit) const { return vertex_of(node_of_[unit]); }
  std::uint32_t nodes() const override { return nodes_; }
  std::uint32_t links() const override { return links_; }
  std::string describe() const override { return "the cables of a topology"; }

  Hop next(std::uint32_t at, std::uint32_t node) const override {
    if (!spec_.torus.empty()) return next_on_ring(at, node);
    if (dragonfly_) {
      const auto step = dragonfly_->next(at, node);
      return {step.link, step.to};
    }
    std::uint32_t below = node;  // the branch over `node` that lies right under `at`
    while (above_[below] != at && above_[below] != root_) below = above_[below];
    if (at == root_ || above_[below] == at) return {cable(below, node) + spread_[below], below};
    return {cable(at, node), above_[at]};
  }

 private:
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  // Branches are numbered as they are met; returns that of the node.
  std::uint32_t add_branches(std::span<const std::uint32_t> at) {
    std::vector<std::uint32_t> path;
    std::uint32_t over = kUnknown;
    for (std::size_t l = 0; l < spec_.network_levels; ++l) {
      path.push_back(at[l]);
      const auto [entry, added] = numbers_.emplace(path, std::uint32_t(over_.size()));
      if (added) over_.push_back(over), level_.push_back(l);
      over = entry->second;
    }
    return over;
  }

  std::uint32_t vertex_of(std::uint32_t branch) const { return vertex_.empty() ? branch : vertex_[branch]; }

  void number_vertices() {
    vertex_.resize(over_.size());
    for (std::size_t b = 0; b < over_.size(); ++b)
      if (level_[b] + 1 == spec_.network_levels) vertex_[b] = nodes_++;
    root_ = nodes_;
    for (std::size_t b = 0; b < over_.size(); ++b)
      if (level_[b] + 1 != spec_.network_levels) vertex_[b] = root_++;
    above_.resize(over_.size()), first_.resize(over_.size()), spread_.resize(over_.size());
    for (std::size_t b = 0; b < over_.size(); ++b) {
      const std::uint32_t v = vertex_[b];
      above_[v] = over_[b] == kUnknown ? root_ : vertex_[over_[b]];
      spread_[v] = std::max(1u, std::uint32_t(spec_.levels[level_[b]].links));
      first_[v] = links_;
      links_ += 2 * spread_[v];
    }
  }

  // Of those that lead out of `branch`, the one for letters to `node`; those that lead in follow them.
  std::uint32_t cable(std::uint32_t branch, std::uint32_t node) const {
    return first_[branch] + node % spread_[branch];
  }

  std::uint32_t position(std::span<const std::uint32_t> at) const {
    if (dragonfly_) return dragonfly_->node(at[0], at[1], at[2]);
    std::uint32_t node = 0;
    for (std::size_t d = 0; d < spec_.torus.size(); ++d) node = node * spec_.torus[d] + at[d];
    return node;
  }

  void count_ring() {
    nodes_ = 1;
    for (const std::uint32_t extent : spec_.torus) nodes_ *= extent;
    links_ = nodes_ * 2 * std::uint32_t(spec_.torus.size());
  }

  Hop next_on_ring(std::uint32_t at, std::uint32_t node) const {
    std::uint32_t stride = 1, d = std::uint32_t(spec_.torus.size()) - 1;
    for (; at / stride % spec_.torus[d] == node / stride % spec_.torus[d]; --d) stride *= spec_.torus[d];
    const std::uint32_t extent = spec_.torus[d], here = at / stride % extent, goal = node / stride % extent;
    const bool up = (goal + extent - here) % extent <= extent / 2;
    const std::uint32_t there = (here + (up ? 1 : extent - 1)) % extent;
    return {(at * std::uint32_t(spec_.torus.size()) + d) * 2 + std::uint32_t(up), at - here * stride + there * stride};
  }

  const TopologySpec& spec_;
  std::optional<topology::Dragonfly> dragonfly_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers_;
  std::vector<std::uint32_t> node_of_, over_, vertex_, above_, first_, spread_;
  std::vector<std::size_t> level_;
  std::uint32_t nodes_ = 0, links_ = 0, root_ = 0;
};

}  // namespace

double stencil_time(const CommunicationPattern& pattern, const Topology& topology, std::span<const Rank> order,
                    std::size_t bytes, const PutTimes& times) {
  const MachineCables cables(topology);
  coll::LinkTraffic traffic(cables, times.hop, times.per_byte);
  std::vector<std::size_t> put(pattern.begin.begin(), pattern.begin.end() - 1);
  const auto begin_put = [&](Rank place, double now) {
    if (put[place] == pattern.begin[place + 1]) return;
    const std::uint32_t from = cables.node_of(order[place]),
                        to = cables.node_of(order[pattern.neighbour[put[place]++]]);
    if (from == to) return traffic.deliver(place, now + times.base + double(bytes) * times.inside_per_byte);
    traffic.carry(place, from, to, bytes, now + times.base);
  };
  for (Rank place = 0; place < pattern.places(); ++place) begin_put(place, 0);
  double end = 0;
  for (coll::LinkTraffic::Arrival arrival; traffic.next(arrival);) {
    end = std::max(end, arrival.time);
    begin_put(arrival.letter, arrival.time);
  }
  return end;
}

}  // namespace polder::cli
