// Memory that each member of a group shows to the others for a while, with flags beside it: what collectives stand on
// whose members do not wait for each other. Nothing here waits but commit() and wait(); what has no room now is refused
// and asked for again.
#pragma once

#include "core/group/group_ports.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/peer_segment.hpp"
#include "util/assert.hpp"

#include <polder/allocation.hpp>
#include <polder/group.hpp>
#include <polder/handle.hpp>
#include <polder/queue.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace polder::coll {

class MemberWindow {
 public:
  // `bytes` and `flags` at each member. Local; the group must outlive it. What is posted belongs to one of `streams`,
  // for which can be waited.
  MemberWindow(Group& group, std::size_t bytes, std::uint32_t flags, unsigned streams);
  ~MemberWindow();
  MemberWindow(const MemberWindow&) = delete;
  MemberWindow& operator=(const MemberWindow&) = delete;

  // Collective. timeout: call again to go on.
  Status commit(Timeout timeout);

  Rank me() const { return group_.index(); }
  Rank size() const { return Rank(group_.size()); }
  Rank rank_of(Rank member) const { return group_.absolute(member); }
  std::byte* own() const { return own_->data; }
  // Whether this rank's flag has that value; what its writer stored before is visible then.
  bool is_raised(NotificationId flag, std::uint32_t value) const { return value_of(flag) == value; }
  std::uint32_t value_of(NotificationId flag) const {
    return own_->control->flags()[flag].load(std::memory_order_acquire);
  }
  // It has died or left the job, or it has given its window back.
  bool is_gone(Rank member) const;
  bool has_died(Rank member) const;

  // What is posted from now on belongs to it. REQUIRES: stream < streams.
  void use_stream(unsigned stream) {
    POLDER_ASSERT(stream < queues_.size());
    stream_ = stream;
  }
  // All of this stream has arrived, so later flags cannot be overtaken by it.
  bool is_drained() const;

  // ---- posting; false: there is no room now, come again. What goes to one that is gone is dropped. ----
  // `data` stays until it is overwritten at the target: it is read at any time until then.
  bool put(Rank member, std::uint64_t offset, const void* data, std::size_t bytes, const Notification& flag);
  bool raise(Rank member, NotificationId flag, std::uint32_t value);
  bool get(void* into, Rank member, std::uint64_t offset, std::size_t bytes, Handle& handle);
  bool compare_swap(std::uint64_t& old, Rank member, std::uint64_t offset, std::uint64_t expected,
                    std::uint64_t desired, Handle& handle);

  enum class Fetched : std::uint8_t { under_way, yes, failed };
  // Of what was posted with it to `member`. failed: the member is gone, as far as this window goes.
  Fetched look_at(Handle& handle, Rank member);

  // ---- waiting ----
  // Until `ready()`, which is asked whenever something has come; makes progress. `by_completion`: it waits for a
  // handle, not for flags.
  template <class Ready>
  Status wait(Ready&& ready, bool by_completion, Timeout timeout) {
    core::Progress& going = progress();
    if (refused_ && timeout.nanoseconds() > kCrowded) timeout = std::chrono::nanoseconds(kCrowded);
    refused_ = false;
    return going.wait(
        ready, [this] { return trouble(); }, by_completion ? going.completions() : own_->control->bell, timeout,
        [](bootstrap::LongWait& wait) { wait.say("in an eventual collective"); });
  }
  // Why nothing can go on: the runtime is closed, or something that is no death went wrong.
  Status trouble() const;
  util::Clock clock() const { return progress().clock(); }
  // Nobody else of this job wants the core of one who waits.
  bool may_spin() const { return progress().patience().may_spin(); }
  // What waiting threads of this rank go on with.
  core::BackgroundList& background() const { return progress().background(); }

 private:
  static constexpr std::int64_t kCrowded = 1'000'000;  // ns, where a device had no room: no bell tells when it has

  const core::GroupPorts& ports() const;
  core::Progress& progress() const;
  bool accept(Status status, Rank member);
  GlobalAddress at(Rank member, std::uint64_t offset) const { return {rank_of(member), id_, offset}; }

  Group& group_;
  std::unique_ptr<Allocation> memory_;
  std::vector<std::unique_ptr<Queue>> queues_;  // one a stream; its own, so that nobody else's failure is found there
  unsigned stream_ = 0;
  const core::PeerSegment* own_ = nullptr;
  SegmentId id_ = 0;
  Rank found_ = 0;  // members whose memory has been found
  mutable std::vector<bool> left_;
  bool refused_ = false;
  Status fault_;
};

}  // namespace polder::coll
