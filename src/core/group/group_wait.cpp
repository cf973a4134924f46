#include "core/group/group_wait.hpp"

#include "core/progress/outside.hpp"
#include "util/random.hpp"

namespace polder::core {

std::string name_of_group(const GroupPorts& ports, std::span<const Rank> ranks) {
  return ranks.size() == ports.outside.size() ? "the world" : "a group of " + std::to_string(ranks.size());
}

void describe_meeting(const GroupPorts& ports, std::span<const Rank> ranks, std::string_view what,
                      const GroupCall& call, bootstrap::LongWait& wait) {
  wait.say("in " + std::string(what) + " of " + name_of_group(ports, ranks));
  wait.meeting = util::mix(util::mix(call.tag + call.kind) + call.number) | 1;
  const std::int64_t now = ports.clock.now_ns();
  for (const Rank rank : ranks) {
    const bootstrap::Standing* const standing = ports.outside.bootstrap->standing(rank);
    if (rank == ports.outside.rank() || standing == nullptr) continue;
    const auto there = standing->read(now);
    if (!there || there->meeting != wait.meeting) wait.wait_for(rank);
  }
}

}  // namespace polder::core
