// Answers from handlers of messages, which must not wait: what finds no room is sent by a thread of its own.
#pragma once

#include <polder/message.hpp>
#include <polder/runtime.hpp>
#include <polder/types.hpp>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace polder::dart {

// Messages of this door.
inline constexpr MessageId kLetterMessage = 1, kAtomicRequest = 2, kAtomicAnswer = 3;

class LetterOffice {
 public:
  explicit LetterOffice(Runtime& runtime) : runtime_(runtime) {}
  ~LetterOffice() { close(); }
  LetterOffice(const LetterOffice&) = delete;
  LetterOffice& operator=(const LetterOffice&) = delete;

  // Thread safe; does not wait. To a rank that has gone, or after close(): dropped.
  void post(Rank to, MessageId id, std::span<const std::byte> bytes);
  // Drops what waits. Not from two threads.
  void close();

 private:
  struct Waiting {
    Rank to;
    MessageId id;
    std::vector<std::byte> bytes;
  };
  void carry();

  Runtime& runtime_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<Waiting> waiting_;
  bool closing_ = false;
  std::thread carrier_;  // started when something has to wait for the first time
};

}  // namespace polder::dart
