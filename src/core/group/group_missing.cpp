// What a commit waited for that ran out of time.
#include "core/engine/engine.hpp"
#include "core/group/group_state.hpp"

#include <string>

namespace polder::core {

Status GroupState::missing_partners() {
  constexpr std::size_t kNamed = 4;
  std::string names, why;
  std::size_t missing = 0;
  for (const Partner& partner : partners_) {
    if (partner.acquainted) continue;
    if (++missing <= kNamed) names += (names.empty() ? "" : ", ") + std::to_string(ranks_[partner.member]);
    if (why.empty()) why = why_missing(partner);
  }
  if (missing > kNamed) names += " and " + std::to_string(missing - kNamed) + " more";
  return {Code::timeout, "rank " + std::to_string(engine_.rank()) + " waits for " +
                             (missing == 1 ? "rank " : "ranks ") + names + " to make a group of " +
                             std::to_string(ranks_.size()) + (why.empty() ? "" : " (" + why + ")")};
}

std::string GroupState::why_missing(const Partner& partner) {
  auto peer = engine_.peers.connect(ranks_[partner.member], Timeout::test());
  if (peer.status().timed_out()) return "no runtime was made there yet";
  if (!peer.ok()) return std::string(peer.status().message());
  if ((*peer)->root != nullptr || partner.found) return "";
  return "no answer: the group was not made there yet, or no network leads there";
}

}  // namespace polder::core
