#include "delivery.hpp"

#include "../shuffle.hpp"

#include <polder/clock.hpp>
#include <polder/collective.hpp>
#include <polder/health.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace terasort {
namespace {

using polder::NotificationValue;

// Twice the number of records, plus 1 if they are the last ones. (0 records come only as the last.)
constexpr NotificationValue filled_value(std::uint64_t records, bool last) {
  return NotificationValue(records << 1 | (last ? 1 : 0));
}
constexpr NotificationValue kSenderStops = std::numeric_limits<NotificationValue>::max();  // it has failed, alive
constexpr std::uint64_t kMostInSlot = (1u << 30) - 1;
constexpr std::uint64_t kRecordsATurn = 2048;  // between two looks at what has arrived: about 30 us
constexpr std::chrono::milliseconds kAtOnce{100};

std::uint64_t records_of(std::uint64_t buffer_bytes) {
  return std::clamp<std::uint64_t>(buffer_bytes / kRecordBytes, 1, kMostInSlot);
}

}  // namespace

Status check_members(const apps::Team& team) {
  for (const polder::Rank rank : team.group().ranks())
    if (rank != team.runtime().rank() && team.runtime().health(rank) != polder::Health::healthy)
      return {Code::peer_failed, "rank " + std::to_string(rank) + " has died", polder::Died::peer};
  return {};
}

Delivery::Delivery(const apps::Team& team, polder::SegmentId segment, std::uint64_t buffer_bytes, Streams& streams,
                   Share& share)
    : team_(team),
      segment_(segment),
      buffer_records_(records_of(buffer_bytes)),
      streams_(streams),
      share_(share),
      peers_(team.size()) {}

std::uint64_t Delivery::bytes_for(unsigned places, std::uint64_t buffer_bytes) {
  return 3 * std::uint64_t{places} * records_of(buffer_bytes) * kRecordBytes;
}

Status Delivery::run(const std::function<void(std::uint64_t)>& at_turn) {
  Status status = open();
  if (status.ok()) status = prepare();
  last_news_ns_ = polder::now_ns(team_.runtime());
  while (status.ok() && !finished()) {
    at_turn(streams_.done());
    bool moved = false;
    status = turn(moved);
    if (status.ok() && !moved && !finished()) status = wait_for_news();
  }
  if (!status.ok() && !apps::lost_others(status)) stop_others();
  status = team_.agree(status);
  return status.ok() ? check_lengths() : status;
}

Status Delivery::open() {
  const std::uint64_t bytes = 2 * std::uint64_t{team_.size()} * buffer_records_ * kRecordBytes;
  Result<polder::Segment> made = team_.runtime().create_segment(
      {.size = bytes, .id = segment_, .notifications = polder::NotificationId(4 * team_.size())}, team_.group(),
      team_.patience());
  if (!made.ok()) return team_.named("the slots of the shuffle", made.status());
  slots_ = made->data;
  for (Peer& peer : peers_) peer.buffer.resize(buffer_records_ * kRecordBytes);
  peers_[team_.rank()].all_sent = peers_[team_.rank()].all_received = true;  // nothing is sent to itself
  return {};
}

// Everybody tells each sender how much of its stream it has.
Status Delivery::prepare() {
  std::vector<std::uint64_t> arrived(team_.size());
  Status status = trade(share_.from, arrived);
  if (status.ok()) streams_.resume(arrived);
  return status;
}

Status Delivery::trade(std::span<const std::uint64_t> mine, std::span<std::uint64_t> theirs) {
  return team_.named("the counts of the shuffle", polder::alltoall(team_.group(), sizeof(std::uint64_t), mine.data(),
                                                                   theirs.data(), team_.patience()));
}

bool Delivery::finished() const {
  return streams_.at_end() &&
         std::ranges::all_of(peers_, [](const Peer& peer) { return peer.all_sent && peer.all_received; });
}

Status Delivery::turn(bool& moved) {
  Status status = receive(moved);
  if (status.ok()) status = partition(moved);
  if (status.ok()) status = send_rests(moved);
  return status;
}

// Slots in the order in which they were filled: what is counted of a stream is its beginning.
Status Delivery::receive(bool& moved) {
  polder::Runtime& runtime = team_.runtime();
  for (unsigned other = 0; other < peers_.size(); ++other) {
    Peer& peer = peers_[other];
    if (other == team_.rank()) continue;
    // Also after its last record: a place that fails then empties no slot any more, and says so here.
    const unsigned next = peer.receives_from;
    const Result<NotificationValue> filled = runtime.reset(segment_, filled_flag(other, next));
    if (!filled.ok()) return filled.status();
    if (*filled != 0)
      if (Status status = take(other, *filled); !status.ok()) return status;
    moved |= *filled != 0;
    for (unsigned slot = 0; slot < 2; ++slot) {
      if (peer.free[slot]) continue;
      const Result<NotificationValue> value = runtime.reset(segment_, emptied_flag(other, slot));
      if (!value.ok()) return value.status();
      peer.free[slot] = *value != 0;
      moved |= *value != 0;
    }
  }
  if (moved) last_news_ns_ = polder::now_ns(runtime);
  return {};
}

Status Delivery::take(unsigned from, NotificationValue value) {
  if (value == kSenderStops) return apps::stopped_by_another();
  Peer& peer = peers_[from];
  const std::uint64_t records = value >> 1;
  if (records > share_.store.room()) return share_too_large(share_.store.capacity());
  share_.store.append(slots_ + offset_of(from, peer.receives_from), records);
  share_.from[from] += records;
  peer.all_received = (value & 1) != 0;
  const polder::NotificationId flag = emptied_flag(team_.rank(), peer.receives_from);
  peer.receives_from ^= 1;
  if (peer.all_received) return {};
  return sent(from, team_.runtime().notify(rank_of(from), segment_, {.id = flag}, polder::Post(team_.patience())));
}

Status Delivery::partition(bool& moved) {
  const Result<std::uint64_t> looked =
      streams_.read(kRecordsATurn, [this](unsigned to, const std::byte* record) { return keep(to, record); });
  if (!looked.ok()) return looked.status();
  moved |= *looked > 0;
  return std::move(refused_);
}

// Into the share of this place, or what is sent to another one.
bool Delivery::keep(unsigned to, const std::byte* record) {
  if (to == team_.rank()) {
    if (share_.store.room() == 0) {
      refused_ = share_too_large(share_.store.capacity());
      return false;
    }
    share_.store.append(record);
    ++share_.from[to];
    return true;
  }
  Peer& peer = peers_[to];
  if (peer.filled == buffer_records_) {
    if (!peer.free[peer.sends_to]) return false;
    refused_ = send(to, false);
    if (!refused_.ok()) return false;
  }
  std::memcpy(peer.buffer.data() + peer.filled++ * kRecordBytes, record, kRecordBytes);
  return true;
}

// After the last record of the part: what is left in the buffers, or only the news that nothing comes any more.
Status Delivery::send_rests(bool& moved) {
  if (!streams_.at_end()) return {};
  for (unsigned step = 1; step < team_.size(); ++step) {
    const unsigned to = (team_.rank() + step) % team_.size();
    Peer& peer = peers_[to];
    if (peer.all_sent || !peer.free[peer.sends_to]) continue;
    if (Status status = send(to, true); !status.ok()) return status;
    moved = true;
  }
  return {};
}

// REQUIRES: the slot is free.
Status Delivery::send(unsigned to, bool last) {
  Peer& peer = peers_[to];
  const unsigned slot = peer.sends_to;
  const polder::GlobalAddress target{rank_of(to), segment_, offset_of(team_.rank(), slot)};
  Status status = sent(
      to, team_.runtime().put_notify(peer.buffer.data(), target, peer.filled * kRecordBytes,
                                     {.id = filled_flag(team_.rank(), slot), .value = filled_value(peer.filled, last)},
                                     polder::Post(polder::Until::local, team_.patience())));
  if (!status.ok()) return status;
  peer.free[slot] = false;
  peer.sends_to ^= 1;
  peer.filled = 0;
  peer.all_sent = last;
  return {};
}

// Slots stay until all that live have ended the work: a place without has been left, and its death will be heard of.
Status Delivery::sent(unsigned to, const Status& status) const {
  if (status.code() == Code::invalid_segment)
    return {Code::peer_failed, "rank " + std::to_string(rank_of(to)) + " has left", polder::Died::peer};
  return team_.named("sending records", status);
}

Status Delivery::wait_for_news() {
  polder::Runtime& runtime = team_.runtime();
  const std::uint64_t seen = runtime.health_changes();
  if (Status status = check_members(team_); !status.ok()) return status;
  const Result<polder::NotificationId> flag =
      runtime.wait_some(segment_, 0, 4 * team_.size(), kAtOnce, {.changes = seen});
  if (flag.ok()) {
    bool moved = false;
    Status status = receive(moved);
    if (!status.ok() || moved) return status;
    // Only a slot that comes after the one whose turn it is: no news, and patience ends.
  }
  const bool only_slow = flag.ok() || flag.status().timed_out() || flag.status().code() == Code::peer_failed;
  if (!only_slow) return flag.status();
  if (polder::now_ns(runtime) - last_news_ns_ < team_.patience().nanoseconds()) return {};
  return team_.named("the shuffle", Code::timeout);
}

// Best effort: who does not hear it learns of it at the agreement that follows.
void Delivery::stop_others() {
  for (unsigned place = 0; place < team_.size(); ++place)
    if (place != team_.rank())
      for (unsigned slot = 0; slot < 2; ++slot)
        (void)team_.runtime().notify(rank_of(place), segment_,
                                     {.id = filled_flag(team_.rank(), slot), .value = kSenderStops},
                                     polder::Post(polder::Timeout(kAtOnce)));
}

// No record may be lost or doubled: each stream has the length that its sender says.
Status Delivery::check_lengths() {
  std::vector<std::uint64_t> lengths(team_.size());
  Status status = trade(streams_.counts(), lengths);
  if (!status.ok()) return status;
  for (unsigned place = 0; place < team_.size() && status.ok(); ++place)
    if (lengths[place] != share_.from[place])
      status = Status(Code::system, "place " + std::to_string(place) + " sent " + std::to_string(lengths[place]) +
                                        " records, and " + std::to_string(share_.from[place]) +
                                        " have come; this is a bug or broken memory, and the output is not written");
  return team_.agree(status);
}

}  // namespace terasort
