#include "coll/drive/call_news.hpp"

#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/group/group_wait.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"

#include <algorithm>
#include <string>

namespace polder::coll {
namespace {

constexpr std::int64_t kGrace = 2'000'000'000;  // ns in which the last letters of one that has left may still come

}  // namespace

Status CallNews::trouble() {
  if (Status status = call_.ground().broken(); !status.ok()) return status;
  if (Status status = gone(); !status.ok()) return status;
  if (const auto member = call_.awaited())
    if (Status status = news_of(*member); !status.ok()) return status;
  return call_.over == Over::wires ? news_beside() : news_of_node();
}

bool CallNews::differs(const std::optional<CallRecord>& there) const {
  return there && there->number == call_.record.number && there->fingerprint() != call_.record.fingerprint();
}

// Letters of one that has left, or given up, have come or are on their way for a moment yet.
bool CallNews::is_grace_over() const {
  std::int64_t unset = 0;
  const std::int64_t now = call_.lanes->ports().progress.clock().now_ns();
  left_since_ns_.compare_exchange_strong(unset, now);
  return now - left_since_ns_ > kGrace;
}

// Who left in good order has either been through this collective, and then it will end; or it will never come. Its own
// word tells. Where there is none, its last letters may still be on their way, for a moment.
Status CallNews::gone() const {
  core::Peers& peers = call_.lanes->ports().peers;
  if (Status status = peers.check_open(); !status.ok()) return status;
  const auto ranks = call_.ranks();
  const auto one = call_.living == Living::reached ? call_.lost() : call_.awaited();
  const auto needed = call_.living == Living::all ? ranks : ranks.subspan(one.value_or(0), one ? 1 : 0);
  if (call_.living == Living::reached && one && !peers.is_gone(ranks[*one]) && call_.ground().has_given_up(*one))
    return call_.ground().given_up_by(*one);
  const Rank *left = nullptr, *never = nullptr;
  for (const Rank& rank : needed) {
    const Health health = peers.health(rank);
    if (health == Health::healthy) continue;
    const bool has_left =
        health == Health::finished || call_.lanes->ports().outside.bootstrap->health(rank) == Health::healthy;
    if (!has_left) return peers.gone(rank);  // named before those that left, mostly because of it
    const auto word = call_.ground().group().word(rank, call_.record.number);
    if (word == core::DepartureWord::never && never == nullptr) never = &rank;
    // Of an eventual collective a member may have ended that never sent what this one waits for.
    if (word != core::DepartureWord::passed || call_.living != Living::all) left = &rank;
  }
  if (never != nullptr) return peers.gone(*never);
  return left != nullptr && is_grace_over() ? peers.gone(*left) : Status();
}

// What the member that is waited for says in its own memory, if that can be read: another call than ours, or that it
// has given up.
Status CallNews::news_of(Rank member) const {
  if (call_.living == Living::reached && call_.lanes->ports().peers.is_gone(call_.ground().rank_of(member))) return {};
  if (call_.ground().is_deleted(member)) return call_.ground().deleted_by(call_.ground().rank_of(member));
  if (!call_.is_running()) return {};
  const auto there = call_.ground().published_or_asked(call_.lane_number(), member, call_.record.number);
  if (call_.living == Living::reached && call_.ground().has_given_up(member))
    return {};  // what else there is comes first
  if (differs(there)) return call_.ground().mismatch(call_.record, *there, member);
  // One that is past this call has sent its letters.
  const bool has_ended = call_.living == Living::all && call_.ground().has_given_up(member) &&
                         !(there && there->number > call_.record.number) && is_grace_over();
  return has_ended ? call_.ground().given_up_by(member) : Status();
}

// Who waits for letters mostly waits for one that waits, too, and only the last of them for the one that made another call: where
// that can be read, all say so. Not of exchanges in which nobody needs more than its neighbours.
Status CallNews::news_beside() const {
  if (call_.living != Living::all || !call_.is_running()) return {};
  LaneGround& ground = call_.ground();
  for (const Rank member : ground.group().nodes().beside()) {
    const auto there = ground.published(call_.lane_number(), member);
    if (differs(there)) return ground.mismatch(call_.record, *there, member);
  }
  return {};
}

// Where members show each other what they do. Whoever drives the lane at this instant finds out itself.
Status CallNews::news_of_node() {
  LaneNode* const on_node = call_.node();
  if (on_node == nullptr || call_.lane->driven.exchange(true, std::memory_order_acquire)) return {};
  Status status;
  if (call_.is_running()) {
    status = on_node->news();
    if (const auto member = on_node->never_leaves(); status.ok() && member && is_grace_over())
      status = call_.ground().given_up_by(*member);
  }
  call_.lane->driven.store(false, std::memory_order_release);
  return status;
}

// Those who say in their memory that they are not that far, as far as it can be read.
std::vector<Rank> CallNews::late_members() const {
  std::vector<Rank> late;
  const auto& group = call_.ground().group();
  for (Rank member = 0; member < group.ranks().size(); ++member) {
    if (member == group.index()) continue;
    const auto there = call_.ground().published(call_.lane_number(), member);
    if (there && there->number < call_.record.number) late.push_back(call_.ground().rank_of(member));
  }
  return late;
}

Status CallNews::timed_out() const {
  constexpr std::size_t kNamed = 4;
  const std::vector<Rank> late = late_members();
  if (late.empty()) return Code::timeout;
  std::string names;
  for (std::size_t i = 0; i < std::min(late.size(), kNamed); ++i)
    names += (names.empty() ? "" : ", ") + std::to_string(late[i]);
  if (late.size() > kNamed) names += " and " + std::to_string(late.size() - kNamed) + " more";
  return {Code::timeout, (late.size() == 1 ? "rank " : "ranks ") + names + (late.size() == 1 ? " has" : " have") +
                             " not entered " + std::string(to_string(call_.record.kind)) + ", collective " +
                             std::to_string(call_.record.number) + " of the group"};
}

void CallNews::describe(bootstrap::LongWait& wait) const {
  const core::GroupState& group = call_.ground().group();
  wait.say("in " + std::string(to_string(call_.record.kind)) + " of " +
           core::name_of_group(group.ports(), group.ranks()));
  for (const Rank rank : late_members()) wait.wait_for(rank);
  if (wait.missing != 0) return;
  if (const auto member = call_.awaited()) wait.wait_for(call_.ground().rank_of(*member));
}

}  // namespace polder::coll
