// An operation that went through the device or by message, from posting to its end.
#pragma once

#include "core/outstanding.hpp"
#include "core/peer.hpp"
#include "core/queue_state.hpp"
#include "device/completion.hpp"
#include "util/spin_lock.hpp"

#include <polder/types.hpp>

#include <atomic>
#include <memory>
#include <vector>

namespace polder::core {

class Engine;

// What an operation counts in: its queue, its peer, its segment, and the whole runtime.
struct OperationTarget {
  QueueState* queue = nullptr;
  Peer* peer = nullptr;
  Outstanding* segment = nullptr;
  bool emulated = false;
};

// The flag of a get that travels as several operations, which may arrive in any order.
struct SharedFlag {
  const PeerSegment* segment = nullptr;
  Notification notification;
  std::atomic<std::size_t> missing{0};  // operations, and one for whoever still posts them

  void arrived();
};

class Operation final : public device::Completion {
 public:
  explicit Operation(Engine& engine) : engine_(engine) {}

  void begin(const OperationTarget& target);

  // Raises a flag of an own segment when this operation and all others that share `flag` have succeeded.
  void then_raise(std::shared_ptr<SharedFlag> flag) { flag_ = std::move(flag); }

  void local() override;
  void remote(const Status& status) override;

  // Instead of local() and remote(): the device did not accept it, and it never began.
  void withdraw();

 private:
  void leave_remote();

  Engine& engine_;
  OperationTarget target_;
  Outstanding::Ticket local_ = 0, remote_ = 0, peer_ = 0, segment_ = 0, all_ = 0;
  std::shared_ptr<SharedFlag> flag_;
};

// Operations are taken from here and come back with their end, so that posting does not allocate.
class OperationPool {
 public:
  explicit OperationPool(Engine& engine) : engine_(engine) {}

  Operation* take();
  void give_back(Operation* operation);

 private:
  Engine& engine_;
  util::SpinLock lock_;
  std::vector<Operation*> free_;
  std::vector<std::unique_ptr<Operation>> all_;
};

}  // namespace polder::core
