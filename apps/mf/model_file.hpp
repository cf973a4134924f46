// A model as a file: what has been learned so far, with the ids of users and items. Doubles and integers in the byte
// order of the machine.
#pragma once

#include "common/team.hpp"
#include "factors.hpp"
#include "rating_table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace mf {

struct Model {
  std::uint64_t iterations = 0;  // that it has learned
  double mean = 0;
  std::vector<std::uint64_t> users, items;  // ids, ascending
  Factors user_factors, item_factors;
};

// Collective. Written beside its name by all ranks, each its users, and renamed when it is complete. `users` of this
// rank, `items` of all.
Status write_model(const apps::Team& team, const std::string& path, const RatingTable& table, const Factors& users,
                   const Factors& items, std::uint64_t iterations);

// Everything, at each rank that calls it. What is no model, or not all of one, is refused.
Result<Model> read_model(const std::string& path);

}  // namespace mf
