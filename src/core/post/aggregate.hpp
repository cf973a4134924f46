// Small puts and gets that aggregate handles keep back until several can travel as one operation.
#pragma once

#include "core/post/ledger.hpp"
#include "core/post/transfer.hpp"
#include "util/mutex.hpp"

#include <polder/handle.hpp>
#include <polder/shape.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace polder::core {

class HandleState;

// Of one handle: pieces of one kind, to one segment of one peer. Guarded by the lock of Aggregates.
class Aggregate {
 public:
  static constexpr std::size_t kPieces = 32;
  static constexpr std::size_t kLargest = 2048;  // bytes; larger transfers gain nothing

 private:
  friend class Aggregates;
  Transfer::Kind kind_ = Transfer::Kind::put;
  GlobalAddress base_;
  std::byte* local_ = nullptr;
  Ordering ordering_ = Ordering::inherit;
  Queue* queue_ = nullptr;
  std::array<ListItem, kPieces> items_;
  std::size_t count_ = 0;
};

// All of a runtime.
class Aggregates final : public KeptBack {
 public:
  Aggregates(Ledger& ledger, Ordering ordering);

  // How a transfer is posted. Once, before anything is kept back.
  using PostIt = std::function<Status(const Transfer&)>;
  void set_posting(PostIt post_it) { post_it_ = std::move(post_it); }

  // Keeps the transfer back if its handle and its size allow; false: post it now. REQUIRES: it has been checked.
  bool keep(const Transfer& transfer);

  void post(HandleState& handle, Timeout timeout) override;
  void post_all(Timeout timeout) override;

 private:
  using Lock = std::unique_lock<util::RecursiveMutex>;

  // A handler of messages must not wait for a thread that waits for messages.
  Lock lock(Timeout timeout);
  void post_now(HandleState& handle);
  void append(HandleState& handle, const Transfer& transfer);
  bool may_join(const Aggregate& aggregate, const Transfer& transfer) const;
  static bool fits(const Aggregate& aggregate, const Transfer& transfer);

  Ledger& ledger_;
  const Ordering ordering_;
  PostIt post_it_;
  util::RecursiveMutex mutex_;  // posting may run a handler that posts
  std::vector<HandleState*> holding_;
};

}  // namespace polder::core
