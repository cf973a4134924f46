// Ways to look at what comes of operations, for the tests of every device.
#pragma once

#include "device/device.hpp"
#include "util/bell.hpp"
#include "util/deadline.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace polder::device {

using namespace std::chrono_literals;

// Waits for `condition` for at most ten seconds.
template <class Condition>
bool eventually(Condition&& condition) {
  for (int i = 0; i < 100'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(100us);
  }
  return false;
}

// Notes what becomes of an operation, and that the rules of completions are kept.
class Watch final : public CompletionSink {
 public:
  void local() override {
    std::lock_guard lock(mutex_);
    EXPECT_FALSE(local_) << "local twice";
    EXPECT_FALSE(remote_) << "local after remote";
    local_ = true;
    changed_.notify_all();
  }
  void remote(const Status& status) override {
    std::lock_guard lock(mutex_);
    EXPECT_TRUE(local_) << "remote before local";
    EXPECT_FALSE(remote_) << "remote twice";
    remote_ = true;
    remote_ns_ = util::now_ns();
    status_ = status;
    changed_.notify_all();
  }

  bool is_local() const { return locked(local_); }
  bool is_done() const { return locked(remote_); }
  std::int64_t done_ns() const { return locked(remote_ns_); }
  Status status() const { return locked(status_); }

  // The status that the operation ends with; timeout if it does not end within ten seconds.
  Status wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 10s, [&] { return remote_; }) ? status_ : Status(Code::timeout);
  }
  bool wait_local() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 10s, [&] { return local_; });
  }

 private:
  template <class T>
  T locked(const T& value) const {
    std::lock_guard lock(mutex_);
    return value;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool local_ = false, remote_ = false;
  std::int64_t remote_ns_ = 0;
  Status status_;
};

// Keeps the messages that progress() delivers.
class Mailbox final : public MessageSink {
 public:
  struct Mail {
    Rank source;
    HandlerId handler;
    std::string text;
  };
  void deliver(Rank source, HandlerId handler, std::span<const std::byte> message) override {
    mail.push_back({source, handler, std::string(reinterpret_cast<const char*>(message.data()), message.size())});
  }
  std::vector<Mail> mail;
};

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// What a rank offers: flags with their bell, and words of data.
struct Memory {
  std::array<std::atomic<std::uint32_t>, 64> flags;
  util::Bell bell;
  std::array<std::atomic<std::uint64_t>, 4096> words;

  static std::uint64_t flag_offset(std::uint32_t id) { return offsetof(Memory, flags) + id * std::uint64_t{4}; }
  static std::uint64_t word_offset(std::uint64_t index) { return offsetof(Memory, words) + index * std::uint64_t{8}; }
  static Flag flag(std::uint32_t id, std::uint32_t value = 1) {
    return {.offset = flag_offset(id), .bell_offset = offsetof(Memory, bell), .value = value};
  }
};

}  // namespace polder::device
