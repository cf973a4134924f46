// What a rank does for peers that cannot reach its memory themselves: carries out their puts, gets, atomics and
// accumulates, and replies. What finds elements locked is kept and tried again, so that a rank that has stopped with a
// lock holds up neither other ranks nor the progress of this one.
#pragma once

#include "core/emulate/one_sided_message.hpp"
#include "core/message/request.hpp"
#include "core/message/requests.hpp"
#include "core/progress/duty.hpp"
#include "util/deadline.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace polder::core {

class PeerSegments;
class Progress;
class Segments;
struct Outside;
struct PeerSegment;

class OneSidedServer final : public Duty {
 public:
  // What it is built from.
  struct Ports {
    Outside& outside;
    Progress& progress;
    Requests& requests;
    Segments& own;
    PeerSegments& segments;
  };
  explicit OneSidedServer(const Ports& ports);

  // Tries what has been kept. Returns how much of it has ended.
  int attend() override;
  // While something is kept: whoever holds a lock tells nobody when it gives it back.
  bool looks_again() const override { return kept_count_.load(std::memory_order_acquire) != 0; }

 private:
  // How long a request may wait here for elements that a third rank has locked: before anything else is served, and in
  // all.
  static constexpr Timeout kLockPatience = std::chrono::milliseconds(1);
  static constexpr Timeout kLongestLock = std::chrono::seconds(5);

  // What a request yields: in the segment, or in a buffer of this object.
  using Yield = std::span<const std::byte>;

  struct Attempt {
    Timeout patience;
    std::uint64_t combined = 0;  // bytes of an accumulate, by this attempt and those before
    Yield yield = {};
  };
  struct Kept {
    Caller caller;
    std::vector<std::byte> message;
    std::uint64_t combined;
    util::Deadline deadline;  // it is tried once behind that, if it had to wait for others of its rank
  };

  void serve(const Request& request);
  bool try_to_serve(const Request& request, Attempt& attempt);
  bool is_held_up(Rank caller) const;
  bool try_kept(Kept& kept);
  Status carry_out(const OneSidedRequest& request, Attempt& attempt);
  Status carry_out_piece(const OneSidedRequest& request, const PeerSegment& segment, Attempt& attempt);
  Status carry_out_runs(const OneSidedRequest& request, const PeerSegment& segment, Attempt& attempt);
  Status put(const OneSidedRequest& request, const PeerSegment& segment);
  Status find_flagged(const OneSidedRequest& request, const PeerSegment*& flagged);
  Result<const PeerSegment*> find_own(SegmentId id, std::uint64_t generation);

  const Ports ports_;
  // All that follows is guarded by Segments::hold_memory(). Requests of a rank are carried out in their order, so those
  // that come behind one that is kept are kept, too.
  std::deque<Kept> kept_;
  std::atomic<std::size_t> kept_count_{0};  // changed under that lock, read without
  // Of the request that is carried out.
  std::uint64_t old_ = 0;
  std::vector<std::byte> gathered_;
};

}  // namespace polder::core
