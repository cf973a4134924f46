// Segments of peers that this rank shall use no more. Their owners wait for our answer: it comes when no operation of
// this rank is under way to them.
#pragma once

#include "core/message/request.hpp"
#include "core/message/requests.hpp"
#include "core/progress/duty.hpp"
#include "util/mutex.hpp"

#include <atomic>
#include <mutex>
#include <vector>

namespace polder::core {

class PeerSegments;
class Progress;
struct PeerSegment;

class Revocations final : public Duty {
 public:
  Revocations(Progress& progress, PeerSegments& segments, Requests& requests);

  // Answers the owners of segments that are used no more. Returns how many.
  int attend() override;

 private:
  struct Waiting {
    Caller owner;
    const PeerSegment* segment;
  };
  void revoke(const Request& request);

  PeerSegments& segments_;
  Requests& requests_;
  util::Mutex mutex_;
  std::vector<Waiting> waiting_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace polder::core
