#include "coll/model/interconnect.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <vector>

namespace polder::coll {
namespace {

using Vertex = std::uint32_t;

class Crossbar final : public Interconnect {
 public:
  explicit Crossbar(Vertex nodes) : nodes_(nodes) {}
  std::uint32_t nodes() const override { return nodes_; }
  std::uint32_t links() const override { return 2 * nodes_; }
  Hop next(Vertex at, Vertex node) const override { return at < nodes_ ? Hop{at, nodes_} : Hop{nodes_ + node, node}; }
  std::string describe() const override { return "one switch"; }

 private:
  const Vertex nodes_;
};

// Pods of half an edge and half an aggregation switch; h = ports / 2 of everything. Vertices: nodes, edge switches,
// aggregation switches, core switches. The way up is chosen by the destination: letters to one node meet early.
class FatTree final : public Interconnect {
 public:
  explicit FatTree(Vertex ports) : h_(ports / 2), nodes_(2 * h_ * h_ * h_), switches_(2 * h_ * h_) {}

  std::uint32_t nodes() const override { return nodes_; }
  std::uint32_t links() const override { return 6 * nodes_; }

  Hop next(Vertex at, Vertex node) const override {
    const Vertex up_to = node % h_, core = node / h_ % h_;  // among aggregation switches of a pod; among their cores
    if (at < nodes_) return {at, edge(at / h_)};
    if (at < edge(switches_)) {
      const Vertex e = at - edge(0);
      if (node / h_ == e) return {link(5, node), node};
      return {link(1, e * h_ + up_to), aggregation(e / h_ * h_ + up_to)};
    }
    if (at < aggregation(switches_)) {
      const Vertex a = at - aggregation(0), pod = a / h_;
      if (node / (h_ * h_) == pod) return {link(4, a * h_ + node / h_ % h_), edge(node / h_)};
      return {link(2, a * h_ + core), top(a % h_ * h_ + core)};
    }
    const Vertex t = at - top(0), pod = node / (h_ * h_);
    return {link(3, pod * h_ * h_ + t), aggregation(pod * h_ + t / h_)};
  }

  std::string describe() const override {
    return "fat tree of 3 levels of switches with " + std::to_string(2 * h_) + " ports, for " + std::to_string(nodes_) +
           " nodes";
  }

 private:
  Vertex edge(Vertex i) const { return nodes_ + i; }
  Vertex aggregation(Vertex i) const { return nodes_ + switches_ + i; }
  Vertex top(Vertex i) const { return nodes_ + 2 * switches_ + i; }
  // Stages of links: up from nodes, edges, aggregation switches, and down again; as many as nodes each.
  std::uint32_t link(Vertex stage, Vertex i) const { return stage * nodes_ + i; }

  const Vertex h_, nodes_, switches_;
};

// Group g's global link k leads to the k-th other group; it sits at router k / h. All routers of a group are joined.
class Dragonfly final : public Interconnect {
 public:
  explicit Dragonfly(Vertex h)
      : h_(h), routers_(2 * h), groups_(routers_ * h + 1), nodes_(groups_ * routers_ * h), all_(groups_ * routers_) {}

  std::uint32_t nodes() const override { return nodes_; }
  std::uint32_t links() const override { return 2 * nodes_ + all_ * routers_ + all_ * h_; }

  Hop next(Vertex at, Vertex node) const override {
    if (at < nodes_) return {at, router(at / h_)};
    const Vertex here = at - nodes_, goal = node / h_;
    if (here == goal) return {nodes_ + node, node};
    const Vertex group = here / routers_, goal_group = goal / routers_;
    if (group == goal_group) return local(here, goal);
    const Vertex k = goal_group < group ? goal_group : goal_group - 1;
    const Vertex exit = group * routers_ + k / h_;
    if (here != exit) return local(here, exit);
    const Vertex back = group < goal_group ? group : group - 1;
    return {2 * nodes_ + all_ * routers_ + group * routers_ * h_ + k, router(goal_group * routers_ + back / h_)};
  }

  std::string describe() const override {
    return "dragonfly of " + std::to_string(groups_) + " groups of " + std::to_string(routers_) + " routers with " +
           std::to_string(h_) + " nodes each";
  }

 private:
  Vertex router(Vertex i) const { return nodes_ + i; }
  Hop local(Vertex from, Vertex to) const { return {2 * nodes_ + from * routers_ + to % routers_, router(to)}; }

  const Vertex h_, routers_, groups_, nodes_, all_;
};

// A node's router is one with it. Links: for each node and dimension one up and one down.
class Torus final : public Interconnect {
 public:
  explicit Torus(std::vector<Vertex> extents) : extents_(std::move(extents)) {
    for (const Vertex extent : extents_) nodes_ *= extent;
  }

  std::uint32_t nodes() const override { return nodes_; }
  std::uint32_t links() const override { return nodes_ * 2 * Vertex(extents_.size()); }

  Hop next(Vertex at, Vertex node) const override {
    Vertex stride = 1, dimension = 0;
    while (at / stride % extents_[dimension] == node / stride % extents_[dimension]) stride *= extents_[dimension++];
    const Vertex extent = extents_[dimension], here = at / stride % extent, goal = node / stride % extent;
    const bool up = (goal + extent - here) % extent <= extent / 2;
    const Vertex there = up ? (here + 1) % extent : (here + extent - 1) % extent;
    return {(at * Vertex(extents_.size()) + dimension) * 2 + Vertex(up), at - here * stride + there * stride};
  }

  std::string describe() const override {
    std::string text = "torus of ";
    for (const Vertex& extent : extents_) text += (&extent == extents_.data() ? "" : " x ") + std::to_string(extent);
    return text + " nodes";
  }

 private:
  const std::vector<Vertex> extents_;
  Vertex nodes_ = 1;
};

Status wrong(std::string_view description, const std::string& what) {
  return {Code::invalid_argument, "network '" + std::string(description) + "': " + what};
}

bool read(std::string_view word, Vertex& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() && number >= 1 && number <= 1'000'000;
}

constexpr std::uint64_t kMostNodes = 4'000'000;

Result<std::unique_ptr<Interconnect>> fat_tree(std::string_view description, std::string_view size, Vertex nodes) {
  const auto room = [](std::uint64_t ports) { return ports * ports * ports / 4; };
  Vertex ports = 2;
  if (!size.empty()) {
    if (!read(size, ports) || ports % 2 != 0 || ports > 128) return wrong(description, "ports are even, up to 128");
  } else {
    while (room(ports) < nodes && ports < 128) ports += 2;
  }
  if (room(ports) < nodes) return wrong(description, "it has no place for " + std::to_string(nodes) + " nodes");
  return std::unique_ptr<Interconnect>(new FatTree(ports));
}

Result<std::unique_ptr<Interconnect>> dragonfly(std::string_view description, std::string_view size, Vertex nodes) {
  const auto room = [](std::uint64_t h) { return (2 * h * h + 1) * 2 * h * h; };
  Vertex h = 1;
  if (!size.empty()) {
    if (!read(size, h) || room(h) > kMostNodes) return wrong(description, "1 to 31 nodes at a router");
  } else {
    while (room(h) < nodes && room(h + 1) <= kMostNodes) ++h;
  }
  if (room(h) < nodes) return wrong(description, "it has no place for " + std::to_string(nodes) + " nodes");
  return std::unique_ptr<Interconnect>(new Dragonfly(h));
}

Result<std::unique_ptr<Interconnect>> torus(std::string_view description, std::string_view size, Vertex nodes) {
  std::vector<Vertex> extents;
  while (!size.empty()) {
    const std::string_view word = size.substr(0, size.find('x'));
    if (Vertex extent = 0; !read(word, extent) || extents.size() == 6)
      return wrong(description, "extents are numbers with an x between them, up to six");
    else
      extents.push_back(extent);
    size.remove_prefix(std::min(size.size(), word.size() + 1));
  }
  if (extents.empty()) {
    extents.assign(3, 1);
    const auto room = [&] { return std::uint64_t{extents[0]} * extents[1] * extents[2]; };
    while (room() < nodes) ++*std::min_element(extents.begin(), extents.end());
  }
  std::uint64_t room = 1;
  for (const Vertex extent : extents) room = std::min(room * extent, kMostNodes + 1);
  if (room > kMostNodes) return wrong(description, "more than " + std::to_string(kMostNodes) + " nodes");
  if (room < nodes) return wrong(description, "it has no place for " + std::to_string(nodes) + " nodes");
  return std::unique_ptr<Interconnect>(new Torus(std::move(extents)));
}

}  // namespace

Result<std::unique_ptr<Interconnect>> make_interconnect(std::string_view description, std::uint32_t nodes) {
  const std::string_view name = description.substr(0, description.find(':'));
  const std::string_view size = description.substr(std::min(description.size(), name.size() + 1));
  if (nodes > kMostNodes) return wrong(description, "more than " + std::to_string(kMostNodes) + " nodes");
  if (name == "crossbar" && size.empty()) return std::unique_ptr<Interconnect>(new Crossbar(nodes));
  if (name == "fat_tree") return fat_tree(description, size, nodes);
  if (name == "dragonfly") return dragonfly(description, size, nodes);
  if (name == "torus") return torus(description, size, nodes);
  return wrong(description, "there are crossbar, fat_tree, dragonfly and torus");
}

}  // namespace polder::coll
