// The members of a working set as the ranks that the parts of the sort know, numbered by their places.
#pragma once

#include "../team.hpp"
#include "common/team.hpp"

#include <polder/collective.hpp>

#include <vector>

namespace terasort {

class MemberTeam final : public Team {
 public:
  // `team` must outlive this.
  explicit MemberTeam(const apps::Team& team) : team_(team) {}

  unsigned rank() const override { return team_.rank(); }
  unsigned size() const override { return team_.size(); }

  Status allgather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    return team_.named("allgather",
                       polder::allgather(team_.group(), sizes(mine), mine.data(), all.data(), team_.patience()));
  }
  Status gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    return team_.named("gather",
                       polder::gather(team_.group(), 0, sizes(mine), mine.data(), all.data(), team_.patience()));
  }
  Status broadcast(std::span<std::byte> data) override {
    return team_.named("broadcast", polder::broadcast(team_.group(), 0, data.data(), data.size(), team_.patience()));
  }
  Result<std::uint64_t> maximum(std::uint64_t mine) override { return team_.maximum(mine); }

 private:
  std::vector<std::size_t> sizes(std::span<const std::byte> mine) const {
    return std::vector<std::size_t>(team_.size(), mine.size());
  }

  const apps::Team& team_;
};

}  // namespace terasort
