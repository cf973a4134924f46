// Ranks on several nodes, some beside others, and what they bring.
#pragma once

#include "core/ranks.hpp"
#include "core/reference.hpp"
#include "util/random.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace polder::test {

struct Nodes {
  Rank ranks, per_node;
  bool scattered = false;
  SimulatedDevice device = SimulatedDevice::network;
  std::int64_t delay_ns = 0;

  SimulationOptions options() const {
    return {.device = device,
            .min_delay_ns = delay_ns / 10,
            .max_delay_ns = delay_ns,
            .ranks_per_node = per_node,
            .scattered = scattered,
            .runtime = {.timeout = kPatience}};
  }
};

// Of a course that a seed draws, in which somebody dies.
inline SimulationOptions options_of_course(std::uint64_t seed, Rank per_node, bool scattered) {
  return {.device = seed % 2 == 0 ? SimulatedDevice::network : SimulatedDevice::messages,
          .seed = seed,
          .max_delay_ns = 100'000,
          .detection_ns = 1'000'000,
          .ranks_per_node = per_node,
          .scattered = scattered,
          .runtime = {.timeout = 10s},
          .deterministic = true,
          .limit_ns = 600'000'000'000};
}

inline std::string name_of_nodes(const testing::TestParamInfo<Nodes>& info) {
  const Nodes& nodes = info.param;
  return std::to_string(nodes.ranks) + "_by_" + std::to_string(nodes.per_node) + (nodes.scattered ? "_scattered" : "") +
         (nodes.delay_ns == 0 ? "" : "_delayed") + (nodes.device == SimulatedDevice::messages ? "_messages" : "");
}

inline std::uint64_t sent_by(Rank rank, std::size_t i) {
  return util::mix(rank * std::uint64_t{1'000'003} + i);
}

// Products of matrices: associative, and not commutative.
using Matrix = std::array<std::uint64_t, 4>;

inline Matrix times(const Matrix& a, const Matrix& b) {
  return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
}

inline Matrix matrix_of(Rank rank, std::size_t i) {
  return {sent_by(rank, 4 * i), sent_by(rank, 4 * i + 1), sent_by(rank, 4 * i + 2), sent_by(rank, 4 * i + 3)};
}

inline Status multiply(const void* one, const void* two, void* result, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<Matrix*>(result)[i] = times(static_cast<const Matrix*>(one)[i], static_cast<const Matrix*>(two)[i]);
  return {};
}

inline std::vector<Rank> node_by_node(const Nodes& nodes) {
  std::vector<Rank> order;
  const Rank count = (nodes.ranks + nodes.per_node - 1) / nodes.per_node;
  for (Rank node = 0; node < count; ++node)
    for (Rank rank = 0; rank < nodes.ranks; ++rank)
      if ((nodes.scattered ? rank % count : rank / nodes.per_node) == node) order.push_back(rank);
  return order;
}

}  // namespace polder::test
