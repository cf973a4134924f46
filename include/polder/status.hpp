// Success, or what went wrong and what died of it. Every fallible call of Polder returns a Status or a Result.
//
// A Status is one pointer wide and success costs nothing. Functions that notice an error first say which rank,
// which operation and which argument; the others only pass the Status on.
#pragma once

#include <polder/export.hpp>

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace polder {

enum class Code : std::uint8_t {
  ok = 0,
  timeout,               // the time given was not enough; call again to go on, unless the call says what else holds
  invalid_rank,          // no such rank in this job
  invalid_segment,       // no such segment at that rank, or it was deleted
  invalid_offset,        // the range lies outside the segment
  invalid_size,          // a size of 0 where none is allowed, too large, or not a multiple of the element
  invalid_alignment,     // an atomic or typed operation on an offset that is not a multiple of its width
  invalid_queue,         // no such queue
  invalid_group,         // no such group, or this rank is not in it
  invalid_notification,  // the id is out of range, or the value is 0
  invalid_argument,      // any other argument that cannot be right, null pointers among them
  exists,                // the id is taken
  limit,                 // a configured maximum is reached (segments, queues, groups)
  queue_full,            // back-pressure: wait on the queue, then post again
  busy,                  // the same collective is under way on this group
  out_of_memory,
  unsupported,  // the device cannot do this to that memory
  peer_failed,  // a rank that the call depends on is dead or out of reach
  closed,       // this runtime is shutting down, or was killed by a test
  system,       // the operating system refused; the message says what
  owner_died,   // a mutex: the call succeeded, but the rank that held it before died with it; the message names it
};

// What cannot be used any more because of the error. A wrong argument kills nothing.
enum class Died : std::uint8_t { nothing, operation, queue, peer, runtime };

POLDER_API std::string_view to_string(Code code);
POLDER_API std::string_view to_string(Died died);

class [[nodiscard]] POLDER_API Status {
 public:
  Status() = default;  // success

  // An error without a text: for outcomes that are part of normal life (timeout, queue_full). Never allocates.
  Status(Code code) : state_(code == Code::ok ? 0 : (std::uintptr_t(code) << 1) | 1) {}  // NOLINT: implicit

  // An error with a sentence that names the rank, the operation and the argument. Allocates.
  Status(Code code, std::string message, Died died = Died::nothing);

  Status(Status&& other) noexcept : state_(std::exchange(other.state_, 0)) {}
  Status(const Status& other) : state_(is_plain(other.state_) ? other.state_ : copy(other.state_)) {}
  Status& operator=(Status other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Status() {
    if (!is_plain(state_)) [[unlikely]]
      destroy(state_);
  }

  bool ok() const { return state_ == 0; }
  explicit operator bool() const { return ok(); }
  bool timed_out() const { return code() == Code::timeout; }

  Code code() const;
  Died died() const;
  std::string_view message() const;  // valid while this Status lives; empty for errors without a text

  // The error as a number that owns it, for where an object cannot go; 0 is success. adopt() makes it a Status again,
  // once.
  std::uintptr_t release() && { return std::exchange(state_, 0); }
  static Status adopt(std::uintptr_t released) {
    Status status;
    status.state_ = released;
    return status;
  }

  // "invalid offset: put of 8 bytes at ..." for a log or a person.
  std::string to_string() const;

 private:
  struct Detail;
  // 0: success. Odd: a bare code, shifted by one. Else: the address of a Detail that this Status owns.
  static bool is_plain(std::uintptr_t state) { return state == 0 || (state & 1) != 0; }
  static std::uintptr_t copy(std::uintptr_t state);
  static void destroy(std::uintptr_t state);
  const Detail& detail() const { return *reinterpret_cast<const Detail*>(state_); }

  std::uintptr_t state_ = 0;
};

// A value, or the Status that says why there is none. Like std::expected of C++23, as far as Polder needs it.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                                  // NOLINT: implicit
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }  // NOLINT: implicit
  Result(Code code) : status_(code) { assert(!status_.ok()); }                   // NOLINT: implicit

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }

  // Success if there is a value.
  const Status& status() const& { return status_; }
  Status status() && { return std::move(status_); }

  // REQUIRES: ok().
  T& operator*() & { return assert(ok()), *value_; }
  const T& operator*() const& { return assert(ok()), *value_; }
  T&& operator*() && { return assert(ok()), *std::move(value_); }
  T* operator->() { return assert(ok()), &*value_; }
  const T* operator->() const { return assert(ok()), &*value_; }

  T value_or(T other) const& { return value_.value_or(std::move(other)); }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace polder
