// The letters of one sender: pieces are put together, and letters come out in the order in which they were sent. What the sender
// says is not believed: no piece lies beyond its letter, and memory is taken for what has come, not for what is announced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

namespace polder::dart {

// In front of each piece. Pieces of one letter come one behind the other.
struct LetterHead {
  std::uint64_t number;  // among those of one sender to one receiver
  std::uint64_t size;    // of the whole
  std::uint64_t offset;  // of this piece
  std::uint32_t epoch;   // of the sender
  std::int32_t tag;
};

class IncomingLetters {
 public:
  // A head and a piece. `epoch`: letters of others are dropped once they are whole. False: it is malformed, and nothing has changed.
  bool take(std::span<const std::byte> message, std::uint32_t epoch);

  bool has(int tag) const { return ready_.contains(tag); }
  std::size_t next_size(int tag) const { return ready_.at(tag).front().size(); }  // REQUIRES: has(tag)
  // The oldest one that is whole, and none before which is missing. REQUIRES: has(tag).
  std::vector<std::byte> next(int tag);
  // Those that nobody has asked for are dropped.
  void drop() { ready_.clear(); }

 private:
  struct Arriving {
    LetterHead head;
    std::vector<std::byte> bytes;
    bool is_whole() const { return bytes.size() == head.size; }
  };
  bool append(const LetterHead& head, std::span<const std::byte> piece);

  std::uint64_t next_ = 0;  // all before it are in `ready_`, or have been asked for
  std::map<std::uint64_t, Arriving> arriving_;
  std::map<int, std::deque<std::vector<std::byte>>> ready_;  // none is empty
};

}  // namespace polder::dart
