// How a program goes on after ranks have died: see docs/guide/recovery.md.
#pragma once

#include <polder/runtime.hpp>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

inline std::vector<polder::Rank> living(const polder::Runtime& rt) {
  std::vector<polder::Rank> ranks;
  for (polder::Rank rank = 0; rank < rt.size(); ++rank)
    if (rt.health(rank) == polder::Health::healthy) ranks.push_back(rank);
  return ranks;
}

// A committed group of all ranks that live.
inline polder::Result<std::unique_ptr<polder::Group>> survivors(polder::Runtime& rt) {
  using namespace std::chrono_literals;
  while (true) {
    const std::vector<polder::Rank> members = living(rt);
    auto group = rt.create_group(members);
    if (!group.ok()) return group;
    polder::Status status;
    do {
      status = (*group)->commit(200ms);  // the same group, until it is there
    } while (status.timed_out() && living(rt) == members);
    if (status.ok()) return group;
    if (!status.timed_out() && status.code() != polder::Code::peer_failed) return status;
    // Another rank has died: this group ends here, and the next one is without it.
  }
}
