// The counters behind a Queue.
#pragma once

#include "core/progress/outstanding.hpp"
#include "util/mutex.hpp"

#include <polder/queue.hpp>
#include <polder/types.hpp>

#include <memory>
#include <mutex>
#include <string>

namespace polder::core {

class Ledger;

class QueueState {
 public:
  // Whose operations a queue holds. Those of groups are no business of fences.
  enum class Use : std::uint8_t { user, internal };
  QueueState(Ledger& ledger, std::size_t depth, std::uint16_t number, Use use = Use::user)
      : ledger_(ledger), depth_(depth), number_(number), use_(use) {}

  static std::unique_ptr<Queue> make(Ledger& ledger, std::size_t depth, std::uint16_t number);
  static std::unique_ptr<Queue> make_internal(Ledger& ledger);

  Status wait(Completion completion, Timeout timeout);
  // wait() would do nothing and succeed, which it nearly always does on one machine; false where it is traced.
  bool nothing_to_wait_for(Completion completion) const;
  Status purge(Timeout timeout);
  std::size_t outstanding() const { return std::size_t(remote.count()); }
  std::size_t depth() const { return depth_; }
  std::uint16_t number() const { return number_; }
  bool internal() const { return use_ == Use::internal; }
  Ledger& ledger() const { return ledger_; }

  // Success if there is room for one more; else waits for it.
  Status admit(Timeout timeout);

  void note_failure(const Status& status);

  Outstanding local;
  Outstanding remote;

 private:
  Status take_failure();

  Ledger& ledger_;
  const std::size_t depth_;
  const std::uint16_t number_;
  const Use use_;
  std::atomic<bool> failed_{false};
  util::Mutex failure_mutex_;
  Status failure_;
};

}  // namespace polder::core
