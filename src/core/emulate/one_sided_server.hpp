// What a rank does for peers that cannot reach its memory themselves: carries out their puts, gets, atomics and
// accumulates, and replies.
#pragma once

#include "core/emulate/one_sided_message.hpp"
#include "core/message/request.hpp"
#include "core/message/requests.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

namespace polder::core {

class PeerSegments;
class Progress;
class Segments;
struct Outside;
struct PeerSegment;

class OneSidedServer {
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

 private:
  // How long a request may wait here for elements that a third rank has locked.
  static constexpr Timeout kLockPatience = std::chrono::seconds(5);

  // What a request yields: in the segment, or in a buffer of this object.
  using Yield = std::span<const std::byte>;

  void serve(const Request& request);
  Status carry_out(const OneSidedRequest& request, Yield& yield);
  Status carry_out_piece(const OneSidedRequest& request, const PeerSegment& segment, Yield& yield);
  Status carry_out_runs(const OneSidedRequest& request, const PeerSegment& segment, Yield& yield);
  Status put(const OneSidedRequest& request, const PeerSegment& segment);
  Status find_flagged(const OneSidedRequest& request, const PeerSegment*& flagged);
  Result<const PeerSegment*> find_own(SegmentId id, std::uint64_t generation);

  const Ports ports_;
  // Of the request that is carried out; guarded by Segments::hold_memory().
  std::uint64_t old_ = 0;
  std::vector<std::byte> gathered_;
};

}  // namespace polder::core
