// Transfers of a few bytes between a variable and memory anywhere, complete when the call returns.
#pragma once

#include <polder/continuation.hpp>
#include <polder/runtime.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

namespace polder::containers {

// Where such a transfer begins or ends on this side, whether a network is between or not: a caller whose time is up goes,
// and its variable with it, while the network still reads or writes here. A thread keeps a small one from call to call.
class LandingBuffer {
 public:
  explicit LandingBuffer(std::size_t bytes) : small_(bytes <= kSmall) {
    if (small_) bytes_ = std::move(kept());
    if (bytes_ == nullptr) bytes_ = std::make_unique_for_overwrite<std::byte[]>(small_ ? kSmall : bytes);
  }
  LandingBuffer(LandingBuffer&&) = default;

  std::byte* data() const { return bytes_.get(); }
  Post post(Until until, Timeout timeout) {
    Post how(handle_, timeout);
    how.until = until;
    return how;
  }
  // The last call. What is still under way keeps the memory until it has ended; of a runtime that closes before that
  // nobody says when, and it stays.
  void leave(Runtime& runtime) {
    if (handle_.idle()) [[likely]] {
      if (small_) kept() = std::move(bytes_);
      return;
    }
    auto* const left = new LandingBuffer(std::move(*this));
    auto ended = [left](const Status&) {
      if (left->handle_.idle()) delete left;
    };
    if (const Status status = then(runtime, left->handle_, ended); !status.ok()) ended(status);
  }

 private:
  static constexpr std::size_t kSmall = 256;
  static std::unique_ptr<std::byte[]>& kept() {
    thread_local std::unique_ptr<std::byte[]> bytes;  // null while one of them is in use
    return bytes;
  }

  std::unique_ptr<std::byte[]> bytes_;
  Handle handle_;
  bool small_;
};

// Errors as of Runtime::get(), and nothing writes to `to` afterwards, whatever the outcome.
inline Status fetch(Runtime& runtime, void* to, GlobalAddress from, std::size_t bytes, Timeout timeout) {
  LandingBuffer landing(bytes);
  Status status = runtime.get(landing.data(), from, bytes, landing.post(Until::local, timeout));
  if (status.ok()) [[likely]]
    std::memcpy(to, landing.data(), bytes);
  landing.leave(runtime);
  return status;
}

// Errors as of Runtime::put(), and nothing reads `from` afterwards, whatever the outcome.
inline Status deliver(Runtime& runtime, const void* from, GlobalAddress to, std::size_t bytes, Timeout timeout) {
  LandingBuffer landing(bytes);
  std::memcpy(landing.data(), from, bytes);
  Status status = runtime.put(landing.data(), to, bytes, landing.post(Until::remote, timeout));
  landing.leave(runtime);
  return status;
}

}  // namespace polder::containers
