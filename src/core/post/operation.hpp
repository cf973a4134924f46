// An operation that went through the device or by message, from posting to its end.
#pragma once

#include "core/post/handle_state.hpp"
#include "core/post/queue_state.hpp"
#include "core/post/staging.hpp"
#include "core/progress/outstanding.hpp"
#include "core/segment/byte_range.hpp"
#include "device/completion_sink.hpp"
#include "util/spin_lock.hpp"

#include <polder/types.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <vector>

namespace polder::core {

class Ledger;
class OperationPool;
class RangesUnderWay;
struct Peer;
struct PeerSegment;

// What an operation counts in: its queue, its handle, its peer, its segment, and the whole runtime; and where it goes.
struct OperationTarget {
  QueueState* queue = nullptr;
  Peer* peer = nullptr;
  Outstanding* segment = nullptr;
  bool emulated = false;
  bool reads = false;                // into the caller's memory, which is his again with the end of the operation
  HandleState* handle = nullptr;     // may be null
  RangesUnderWay* ranges = nullptr;  // of its kind, at that segment of that peer; may be null
  ByteRange range = {};              // in the segment
  StagingBuffer* staging = nullptr;  // its data lies there, not in the caller's memory; may be null
  bool copied = false;               // the device has read the caller's memory when it accepts the operation
};

// The flag of a get that travels as several operations, which may arrive in any order.
struct SharedFlag {
  const PeerSegment* segment = nullptr;
  Notification notification;
  std::atomic<std::size_t> missing{0};  // operations, and one for whoever still posts them

  void arrived();
};

class Operation final : public device::CompletionSink {
 public:
  Operation(Ledger& ledger, StagingPool& staging, OperationPool& home)
      : ledger_(ledger), staging_(staging), home_(home) {}

  void begin(const OperationTarget& target);

  // Raises a flag of an own segment when this operation and all others that share `flag` have succeeded.
  void then_raise(std::shared_ptr<SharedFlag> flag) { flag_ = std::move(flag); }

  // Where the device leaves the old value of an atomic; when this operation has succeeded its low `bytes` are stored at
  // `destination`, if that is not null.
  std::uint64_t* fetch_to(void* destination, std::size_t bytes) {
    destination_ = destination;
    width_ = bytes;
    return &fetched_;
  }

  // Before the device is asked to reach into `segment`: it stays there until this operation ends. False: it was
  // revoked.
  bool hold(const PeerSegment& segment);

  void local() override;
  void remote(const Status& status) override;

  // Instead of local() and remote(): the device did not accept it, and it never began.
  void withdraw();

 private:
  // Data in the staging pool is not the caller's, and what was copied is his again when the call returns: there is
  // nothing to wait for.
  bool uses_local() const { return target_.staging == nullptr && !target_.copied; }
  void leave_local();
  void leave_remote();
  bool internal() const { return target_.queue->internal(); }

  Ledger& ledger_;
  StagingPool& staging_;
  OperationPool& home_;
  OperationTarget target_;
  Outstanding::Ticket local_ = 0, remote_ = 0, peer_ = 0, peer_local_ = 0, segment_ = 0, all_ = 0, all_local_ = 0;
  Outstanding::Ticket range_ = 0;
  std::shared_ptr<SharedFlag> flag_;
  void* destination_ = nullptr;  // of the old value
  std::size_t width_ = 0;
  std::uint64_t fetched_ = 0;
  std::array<const PeerSegment*, 2> held_{};  // of the data, of the flag
};

// Operations are taken from here and come back with their end, so that posting does not allocate.
class OperationPool {
 public:
  OperationPool(Ledger& ledger, StagingPool& staging) : ledger_(ledger), staging_(staging) {}

  Operation* take();
  void give_back(Operation* operation);

 private:
  Ledger& ledger_;
  StagingPool& staging_;
  util::SpinLock lock_;
  std::vector<Operation*> free_;
  std::vector<std::unique_ptr<Operation>> all_;
};

}  // namespace polder::core
