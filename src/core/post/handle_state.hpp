// The counters behind a Handle, shared between it and the operations that count in them: the last of both frees them.
#pragma once

#include "util/assert.hpp"
#include "util/mutex.hpp"

#include <polder/handle.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace polder::core {

class Aggregate;
class Ledger;

class HandleState {
 public:
  explicit HandleState(Ledger& ledger);
  HandleState(const HandleState&) = delete;
  HandleState& operator=(const HandleState&) = delete;

  // The state of a handle, made on first use.
  static HandleState& of(Ledger& ledger, Handle& handle);

  // ---- from operations ----
  void enter(bool local = true);  // false: it does not use local memory
  void leave_local() {
    [[maybe_unused]] const auto before = local_.fetch_sub(1, std::memory_order_acq_rel);
    POLDER_ASSERT(before > 0);
  }
  void leave_remote();  // may free this object
  // False: nobody watches any more, so somebody else has to be told.
  bool note_failure(const Status& status);

  // ---- from the handle ----
  Status wait(Completion completion, Timeout timeout);
  bool idle() const { return remote_.load(std::memory_order_acquire) == 0; }
  void release();  // the handle's share

  // ---- from a continuation, which has a share and watches as well ----
  void keep();
  void let_go();
  // The failure that nobody has been told yet, if there is one.
  Status outcome() { return failed_.load(std::memory_order_acquire) ? take_failure() : Status(); }
  // The state if anything was ever posted with the handle, else null.
  static HandleState* if_any(Handle& handle) { return handle.state_; }

  // What an aggregate handle keeps back.
  Aggregate& aggregate();

  // A plain handle that counts here as well, to be taken back before this object or the handle ends.
  Handle lend();
  static void take_back(Handle& lent);

 private:
  ~HandleState();
  void drop_share();
  void stop_watching();
  Status take_failure();

  Ledger& ledger_;
  std::atomic<std::uint64_t> local_{0};
  std::atomic<std::uint64_t> remote_{0};
  std::atomic<std::uint64_t> shares_{1};
  std::unique_ptr<Aggregate> aggregate_;
  std::atomic<bool> failed_{false};
  util::Mutex failure_mutex_;
  std::size_t watchers_ = 1;  // the handle, and continuations that have not run
  Status failure_;
};

}  // namespace polder::core
