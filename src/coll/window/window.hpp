// The windows of a group's members (coll/port/window.hpp) over an allocation of the group: what collectives stand on whose
// members do not wait for each other. Nothing here waits but commit() and wait(); what has no room now is refused and
// asked for again.
#pragma once

#include "coll/port/window.hpp"
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
#include <utility>
#include <vector>

namespace polder::coll {

class MemberWindow final : public WindowPort {
 public:
  // `bytes` and `flags` at each member. Local; the group must outlive it. What is posted belongs to one of `streams`,
  // for which can be waited.
  MemberWindow(Group& group, std::size_t bytes, std::uint32_t flags, unsigned streams);
  ~MemberWindow();

  // Collective. timeout: call again to go on.
  Status commit(Timeout timeout);

  Rank rank_of(Rank member) const override { return group_.absolute(member); }
  bool is_gone(Rank member) const override;
  bool has_died(Rank member) const override;
  void use_stream(unsigned stream) override {
    POLDER_ASSERT(stream < queues_.size());
    stream_ = stream;
  }
  bool is_drained() const override;

  bool put(Rank member, std::uint64_t offset, const void* data, std::size_t bytes, const Notification& flag) override;
  bool raise(Rank member, NotificationId flag, std::uint32_t value) override;
  bool get(void* into, Rank member, std::uint64_t offset, std::size_t bytes, Handle& handle) override;
  bool compare_swap(std::uint64_t& old, Rank member, std::uint64_t offset, std::uint64_t expected,
                    std::uint64_t desired, Handle& handle) override;
  Fetched look_at(Handle& handle, Rank member) override;

  // ---- waiting ----
  // Until `ready()`, which is asked whenever something has come; makes progress. `by_completion`: it waits for a
  // handle, not for flags.
  template <class Ready>
  Status wait(Ready&& ready, bool by_completion, Timeout timeout) {
    core::Progress& going = progress();
    return going.wait(
        ready, [this] { return trouble(); }, by_completion ? going.completions() : own_->control->bell, timeout,
        [](bootstrap::LongWait& wait) { wait.say("in an eventual collective"); }, core::ComesFromAnywhere(),
        [this] { return std::exchange(refused_, false) ? kCrowded : INT64_MAX; });
  }
  Status trouble() const override;
  util::Clock clock() const override { return progress().clock(); }
  // In a child that the process has forked; what members show each other is its parent's.
  bool in_forked_child() const;
  // Nobody else of this job wants the core of one who waits.
  bool may_spin() const { return progress().patience().may_spin(); }
  // What waiting threads of this rank go on with.
  core::BackgroundList& background() const { return progress().background(); }

 private:
  static constexpr std::int64_t kCrowded =
      1'000'000;  // ns of a sleep, where a device had no room: no bell tells when it has

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
