// All ratings, dealt to the ranks by their users: each rank has those of consecutive users, about as many as any other.
#pragma once

#include "common/team.hpp"
#include "rating.hpp"

#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mf {

using polder::Code;
using polder::Result;
using polder::Status;

struct RatingTable {
  std::vector<std::uint64_t> users, items;  // ids of all, ascending; the same at each rank
  std::vector<std::size_t> first_user;      // of each rank, and how many there are
  std::vector<Cell> learned, held_out;      // of this rank
  std::uint64_t all_learned = 0, all_held_out = 0;
  double mean = 0;  // of all that are learned from
};

// Which ratings are not learned from, so that predictions can be held against them.
struct HeldOut {
  double share = 0.05;
  std::uint64_t seed = 1;
};

// Collective. `ratings` of this rank, any of all. `mean`: instead of that of the ratings.
Result<RatingTable> deal(const apps::Team& team, const std::vector<Rating>& ratings, const HeldOut& held_out,
                         std::optional<double> mean);

}  // namespace mf
