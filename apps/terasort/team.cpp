#include "team.hpp"

namespace terasort {

Status agree(Team& team, const Status& mine) {
  return apps::vote(team.rank(), team.size(), mine, [&team](std::uint64_t number) { return team.maximum(number); });
}

apps::Crew crew_of(Team& team) {
  return {team.rank(), [&team](std::uint64_t mine) { return team.maximum(mine); },
          [&team](const Status& mine) { return agree(team, mine); }};
}

}  // namespace terasort
