// A team as the World of sampling.hpp.
#pragma once

#include <polder/containers/team.hpp>

#include <algorithm>
#include <cstdint>

namespace bench {

class TeamWorld {
 public:
  explicit TeamWorld(const polder::containers::Team& team) : team_(team) {}

  int rank() const { return int(team_.unit()); }
  int size() const { return int(team_.units()); }
  const polder::containers::Team& team() const { return team_; }

  void barrier() { team_.barrier(); }
  std::uint64_t from_zero(std::uint64_t value) { return team_.gather(value, "a measurement").front(); }
  std::uint64_t largest(std::uint64_t value) { return std::ranges::max(team_.gather(value, "a measurement")); }

 private:
  polder::containers::Team team_;
};

}  // namespace bench
