// What a commit waits for that takes long, or ran out of time.
#include "core/group/group_state.hpp"
#include "core/group/group_wait.hpp"
#include "core/peers/peer.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/outside.hpp"
#include "util/deadline.hpp"
#include "util/log.hpp"

#include <algorithm>
#include <string>

namespace polder::core {

// A job that does not get under way says why, once on each node: by its first member, or by the second where it is the
// first that does not come.
void GroupState::complain_once() {
  constexpr std::int64_t kSilentWait_ns = 10'000'000'000;
  if (complained_ || slot_ != 0 || ports_.clock.now_ns() - acquainting_since_ < kSilentWait_ns) return;
  complained_ = true;
  const bool first_is_missing = std::any_of(partners_.begin(), partners_.end(), [&](const Partner& partner) {
    return partner.member == nodes_.leader() && !partner.acquainted;
  });
  if (nodes_.leads(index_) || (first_is_missing && nodes_.beside()[1] == index_))
    util::log(util::LogLevel::warning, "%s", std::string(missing_partners().message()).c_str());
}

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
  return {Code::timeout, "rank " + std::to_string(ports_.outside.rank()) + " waits for " +
                             (missing == 1 ? "rank " : "ranks ") + names + " to make a group of " +
                             std::to_string(ranks_.size()) + (why.empty() ? "" : " (" + why + ")")};
}

void GroupState::describe_commit(bootstrap::LongWait& wait) const {
  wait.say("in the making of " + name_of_group(ports_, ranks_));
  for (const Partner& partner : partners_)
    if (!partner.acquainted) wait.wait_for(ranks_[partner.member]);
}

// This one's partners are there, and wait for theirs.
Status GroupState::missing_members() const {
  return {Code::timeout, "rank " + std::to_string(ports_.outside.rank()) +
                             " has met those that it meets to make a group of " + std::to_string(ranks_.size()) +
                             ", and waits for others: rank " + std::to_string(ranks_[nodes_.leader()]) +
                             " or another first rank of its node knows for which"};
}

std::string GroupState::why_missing(const Partner& partner) {
  auto peer = ports_.peers.connect(ranks_[partner.member], Timeout::test());
  if (peer.status().timed_out()) return "no runtime was made there yet";
  if (!peer.ok()) return std::string(peer.status().message());
  if ((*peer)->root != nullptr || partner.found) return "";
  return "no answer: the group was not made there yet, or no network leads there";
}

}  // namespace polder::core
