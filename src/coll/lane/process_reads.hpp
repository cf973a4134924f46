// Private memory of members of this machine, which others of it read through the kernel (cross-memory attach): one copy, where
// by way of a cell or desk it would be two.
#pragma once

#include "core/group/letter_room.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include <sys/uio.h>

namespace polder::core {
class GroupState;
struct PeerSegment;
}  // namespace polder::core

namespace polder::coll {

// What a member shows in the group's memory so that others can read its process.
struct ReadableProcess {
  enum class Reads : std::uint32_t { unknown, all, not_all };

  std::atomic<std::uint32_t> shown{0};  // not 0: the next three are there
  std::int32_t pid = 0;
  std::uint64_t seal = 0;     // drawn at random: who finds it there reads this process and no later one of that number
  std::uint64_t seal_at = 0;  // address of it in that process
  std::atomic<Reads> reads{Reads::unknown};  // whether this member reads all others of its machine
};
static_assert(sizeof(ReadableProcess) <= core::LetterRoom::kProcess);

class ProcessReads {
 public:
  // The memory of the group at a member, if it is mapped and known by now; else null.
  using Find = std::function<const core::PeerSegment*(Rank member)>;

  // Shows how this process is read. `allowed`: false, and nobody reads private memory of any member.
  ProcessReads(core::GroupState& group, Find find, bool allowed);
  ProcessReads(const ProcessReads&) = delete;
  ProcessReads& operator=(const ProcessReads&) = delete;

  // Each member of this machine reads each other one, as all have tried and said: the kernel lets them. False as long as that is not
  // known. Any thread; costs a system call for each member once, and an atomic load from then on.
  bool are_possible() { return state_.load(std::memory_order_acquire) == State::possible || find_out(); }

  // Copies from address `at` of the process of the member whose memory of the group this is. peer_failed: the process is gone, also if
  // another one has its number by now; else as util::cross_copy says.
  // REQUIRES: the memory is mapped; `into` has up to kPieces pieces, none of which is empty.
  Status read(const core::PeerSegment& member, std::uint64_t at, std::span<const iovec> into);
  static constexpr std::size_t kPieces = 255;

 private:
  enum class State : std::uint8_t { unknown, possible, impossible };

  ReadableProcess& in(const core::PeerSegment& memory) const;
  const ReadableProcess* of(Rank member) const;
  bool find_out();
  State look();
  bool reads(const ReadableProcess& process) const;

  core::GroupState& group_;
  const Find find_;
  ReadableProcess& own_;
  std::atomic<State> state_{State::unknown};
  std::mutex looking_;
  std::vector<bool> tried_;  // of the members of this machine, in their order; under looking_
};

}  // namespace polder::coll
