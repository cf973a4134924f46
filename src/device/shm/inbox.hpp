// Where a rank receives messages: one ring per sender, a bit per sender that has written, and a bell.
//
// The file is sparse: a ring costs memory only once its sender has used it, so the inbox grows with the peers that talk
// to this rank.
#pragma once

#include "device/shm/ring.hpp"
#include "util/bell.hpp"
#include "util/shared_memory.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace polder::device::shm {

class Inbox {
 public:
  // The inbox of this rank, with room for `ranks` senders.
  static Result<Inbox> create(Rank ranks);
  // That of a peer, from its file. system: the file is not an inbox for `ranks` senders.
  static Result<Inbox> map(const util::Fd& file, Rank ranks);

  const util::Fd& file() const { return file_; }
  util::Bell& bell() { return header().bell; }
  Ring& ring(Rank sender) {
    return *reinterpret_cast<Ring*>(mapping_.data() + rings_offset(ranks_) + sender * sizeof(Ring));
  }

  // Tells the owner that `sender` has written. The bit is set after the ring's tail, so the reader finds what it stands
  // for.
  void announce(Rank sender) {
    word(sender / 64).fetch_or(std::uint64_t{1} << (sender % 64), std::memory_order_seq_cst);
    bell().ring();
  }

  // True if some sender has announced. For the owner, before it sleeps.
  bool pending() {
    for (Rank i = 0; i < words(ranks_); ++i)
      if (word(i).load(std::memory_order_relaxed) != 0) return true;
    return false;
  }

  // Calls `visit(sender)` for each sender that has announced since the last time, and forgets the announcement first.
  template <class Visit>
  void take_announced(Visit&& visit) {
    for (Rank i = 0; i < words(ranks_); ++i) {
      if (word(i).load(std::memory_order_relaxed) == 0) continue;
      for (std::uint64_t bits = word(i).exchange(0, std::memory_order_acq_rel); bits != 0; bits &= bits - 1)
        visit(Rank(i * 64 + Rank(__builtin_ctzll(bits))));
    }
  }

 private:
  struct Header {
    std::uint64_t magic;
    std::uint64_t ranks;
    util::Bell bell;
  };
  static constexpr std::uint64_t kMagic = 0x706f6c6465720001;

  static Rank words(Rank ranks) { return (ranks + 63) / 64; }
  static std::size_t rings_offset(Rank ranks) {
    return util::round_up(util::kCacheLine + words(ranks) * sizeof(std::uint64_t), util::kPage);
  }
  static std::size_t bytes(Rank ranks) { return rings_offset(ranks) + ranks * sizeof(Ring); }

  Header& header() { return *reinterpret_cast<Header*>(mapping_.data()); }
  std::atomic<std::uint64_t>& word(Rank index) {
    return reinterpret_cast<std::atomic<std::uint64_t>*>(mapping_.data() + util::kCacheLine)[index];
  }

  util::Fd file_;  // of the owner's own inbox
  util::Mapping mapping_;
  Rank ranks_ = 0;
};

}  // namespace polder::device::shm
