// The end of a segment that peers reach over a network: each of those that know it is told, and answers once it uses
// the segment no more. Until then the memory stays what it is.
#pragma once

#include "core/peers/root_layout.hpp"
#include "core/segment/segment_layout.hpp"
#include "device/completion_sink.hpp"
#include "device/device.hpp"
#include "util/mutex.hpp"

#include <polder/segment.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

namespace polder::core {

class Peers;
struct PeerSegment;
class Progress;
class Requests;

// A segment of this rank.
struct LocalSegment {
  Segment segment;
  SegmentControl* control = nullptr;
  device::Exposure control_memory;
  device::Exposure user_memory;  // if the user brought it
  bool users = false;
  const PeerSegment* own = nullptr;  // as this rank finds it, like those of peers
  SegmentEntry entry;
  std::vector<Rank> importers;  // peers that must be told of its end
};

class Withdrawal final : public device::CompletionSink {
 public:
  Withdrawal(Progress& progress, Peers& peers, Requests& requests, LocalSegment local);

  const LocalSegment& local_segment() const { return local_; }

  // Tells those that have not been told yet, as far as the device takes it now. Returns how many.
  int tell();

  // Peers that have not answered. One that has failed counts as one that has.
  std::size_t unanswered() const { return unanswered_.load(std::memory_order_acquire); }
  // A thread of this rank waits for what changes there.
  bool in_use() const;

  // The memory has been given back.
  bool concealed() const { return concealed_.load(std::memory_order_acquire); }
  void set_concealed() { concealed_.store(true, std::memory_order_release); }

  void local() override {}
  void remote(const Status& status) override;

 private:
  bool tell(Rank importer);

  Progress& progress_;
  Peers& peers_;
  Requests& requests_;
  const LocalSegment local_;
  std::atomic<std::size_t> unanswered_;
  std::atomic<bool> concealed_{false};
  util::Mutex telling_;
  std::vector<Rank> untold_;
};

}  // namespace polder::core
