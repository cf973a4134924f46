// Messages between two units, in the order in which they were sent, until somebody receives them.
#pragma once

#include "api/dart/collective/incoming_letters.hpp"
#include "api/dart/job/letters.hpp"

#include <polder/runtime.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace polder::dart {

// Thread safe. What has come and has not been received is kept here, whatever its size.
class Mailbox {
 public:
  explicit Mailbox(Runtime& runtime) : runtime_(runtime), senders_(runtime.size()), sent_(runtime.size()) {}
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // Before the first message of a peer.
  Status open();
  // What was sent before and has not been received is dropped, also what comes late. All ranks begin as many; none sends before all
  // have begun.
  void begin_epoch();

  // `bytes` may be changed when it returns. Waits only for room at the target.
  Status send(Rank to, int tag, std::span<const std::byte> bytes);
  // Waits for the next one of this tag; its size is that of what was sent. invalid_size: it has more than `most` bytes,
  // and stays here. peer_failed: the sender has gone before.
  Result<std::vector<std::byte>> receive(Rank from, int tag, std::size_t most);

 private:
  void take(Rank source, std::span<const std::byte> letter);

  Runtime& runtime_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<IncomingLetters> senders_;  // by rank
  std::vector<std::uint64_t> sent_;       // letters, by rank
  std::uint32_t epoch_ = 0;
};

}  // namespace polder::dart
