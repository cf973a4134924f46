#include "decomposition.hpp"

#include "morton.hpp"
#include "partition.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace fmm {
namespace {

// Bodies in a cell of the deepest level act on each other directly: so many cost some tenths of a second.
constexpr std::size_t kMostInDeepest = 20'000;

}  // namespace

Decomposition::Decomposition(const Team& team)
    : team_(team), exchange_(team), body_window_(team.runtime(), Part::bodies) {}

Status Decomposition::find_domain(std::span<const Particle> particles) {
  std::array<double, 6> low;
  low.fill(std::numeric_limits<double>::infinity());
  for (const Particle& particle : particles) {
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], particle.position[i]);
      low[i + 3] = std::min(low[i + 3], -particle.position[i]);
    }
  }
  Status status = team_.minimum(low);
  if (!status.ok()) return status;
  double side = 0;
  for (std::size_t i = 0; i < 3; ++i) side = std::max(side, -low[i + 3] - low[i]);
  // One particle, or several at one place.
  domain_ = Domain({low[0], low[1], low[2]}, side > 0 ? side : 1);
  return {};
}

void Decomposition::sort(std::span<const Particle> particles) {
  order_.resize(particles.size());
  for (std::size_t i = 0; i < particles.size(); ++i)
    order_[i] = {morton_key(domain_.to_unit(particles[i].position)), i};
  radix_sort(order_);
}

Status Decomposition::distribute(std::span<const Particle> particles, std::span<const double> weights) {
  Status status = find_domain(particles);
  if (!status.ok()) return status;
  if (team_.size() == 1) {
    if (particles.data() != own_.data()) own_.assign(particles.begin(), particles.end());
    particles_ = own_;
    return {};
  }
  sort(particles);
  const Result<std::vector<std::uint64_t>> cuts = find_cuts(team_, order_, weights);
  if (!cuts.ok()) return cuts.status();
  const Result<std::span<Particle>> mine = exchange_.run(particles, order_, *cuts);
  if (!mine.ok()) return mine.status();
  particles_ = *mine;
  return {};
}

Status Decomposition::build(std::size_t leaf_size) {
  if (particles_.size() >= std::numeric_limits<std::uint32_t>::max()) {
    return {Code::limit, "a rank can hold 4,294,967,294 particles, and this one got more: use more ranks"};
  }
  sort(particles_);
  Status status = place_bodies();
  if (status.ok()) status = check_places();
  if (!status.ok()) return status;
  tree_ = build_tree(order_, leaf_size);
  return check_depth(leaf_size);
}

Status Decomposition::place_bodies() {
  body_stride_ = order_.size() + kPadding;
  Status status = body_window_.reserve(4 * body_stride_ * sizeof(double));
  if (!status.ok()) return status;
  double* values = body_window_.as<double>();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const Particle& particle = particles_[order_[i].index];
    for (std::size_t axis = 0; axis < 3; ++axis)
      values[axis * body_stride_ + i] = domain_.in_units(particle.position[axis]);
    values[3 * body_stride_ + i] = particle.charge;
  }
  for (std::size_t array = 0; array < 4; ++array)
    std::fill_n(values + array * body_stride_ + order_.size(), kPadding, 0.0);
  return {};
}

Bodies Decomposition::bodies() const {
  const double* first = body_window_.as<double>();
  return {first, first + body_stride_, first + 2 * body_stride_, first + 3 * body_stride_};
}

Status Decomposition::check_places() const {
  const Bodies at = bodies();
  const auto before = [&](std::size_t a, std::size_t b) {
    if (at.x[a] != at.x[b]) return at.x[a] < at.x[b];
    return at.y[a] != at.y[b] ? at.y[a] < at.y[b] : at.z[a] < at.z[b];
  };
  std::vector<std::size_t> group;
  for (std::size_t first = 0, end = 0; first < order_.size(); first = end) {
    while (end < order_.size() && order_[end].key == order_[first].key) ++end;
    if (end - first < 2) continue;
    group.resize(end - first);
    for (std::size_t i = 0; i < group.size(); ++i) group[i] = first + i;
    std::sort(group.begin(), group.end(), before);
    for (std::size_t i = 1; i < group.size(); ++i) {
      if (before(group[i - 1], group[i])) continue;
      const Particle& one = particles_[order_[group[i - 1]].index];
      const Particle& two = particles_[order_[group[i]].index];
      return {Code::invalid_argument, "particles " + std::to_string(std::min(one.id, two.id)) + " and " +
                                          std::to_string(std::max(one.id, two.id)) + " are at the same place " +
                                          text_of(one.position) + ": their potential is infinite"};
    }
  }
  return {};
}

Status Decomposition::check_depth(std::size_t leaf_size) const {
  if (tree_.depth() <= kDeepest) return {};
  for (const Cell& cell : tree_.level(kDeepest)) {
    if (cell.count <= std::max(leaf_size, kMostInDeepest)) continue;
    return {Code::limit, std::to_string(cell.count) + " particles around " +
                             text_of(particles_[order_[cell.begin].index].position) +
                             " lie within 1/2^21 of the size of all: too clustered for the octree; compute them apart"};
  }
  return {};
}

}  // namespace fmm
