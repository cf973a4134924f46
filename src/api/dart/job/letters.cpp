#include "api/dart/job/letters.hpp"

#include <chrono>
#include <utility>

namespace polder::dart {

using std::chrono::milliseconds;

void LetterOffice::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  more_.notify_all();
  if (carrier_.joinable()) carrier_.join();
}

void LetterOffice::post(Rank to, MessageId id, std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  if (closing_) return;
  if (waiting_.empty()) {
    const Code code = runtime_.send(to, id, bytes, Timeout::test()).code();
    if (code != Code::queue_full && code != Code::timeout) return;
  }
  waiting_.push_back({to, id, {bytes.begin(), bytes.end()}});
  if (!carrier_.joinable()) carrier_ = std::thread([this] { carry(); });
  more_.notify_one();
}

void LetterOffice::carry() {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [&] { return closing_ || !waiting_.empty(); });
    if (closing_) return;
    Waiting letter = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    // In slices, so that the end of the process need not wait for a target that takes nothing.
    Code code = Code::queue_full;
    while (code == Code::queue_full || code == Code::timeout) {
      code = runtime_.send(letter.to, letter.id, letter.bytes, milliseconds(100)).code();
      const std::lock_guard look(mutex_);
      if (closing_) return;
    }
    lock.lock();
  }
}

}  // namespace polder::dart
