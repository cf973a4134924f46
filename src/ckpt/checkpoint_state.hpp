// What a member's checkpoint holds and how far its calls have come; each call is in the file of its name.
#pragma once

#include "ckpt/copy_layout.hpp"

#include <polder/allocation.hpp>
#include <polder/checkpoint.hpp>
#include <polder/handle.hpp>

#include <deque>
#include <optional>
#include <string>

namespace polder {

struct Checkpoint::State {
  struct Range {
    std::byte* data;
    std::size_t bytes;
  };
  // A part of the own copy that a mirror still lacks.
  struct Piece {
    std::size_t keeper;
    std::uint64_t offset;  // from the header of the copy
    std::uint64_t bytes;
  };
  // A copy that is being read from another member.
  struct Reading {
    std::size_t member = 0;
    std::size_t turn = 0;  // among the keepers of `member`
    bool posted = false;
    std::vector<std::byte> copy;
  };

  State(Runtime& runtime, Group& members, const CheckpointSpec& wanted)
      : rt(runtime), group(members), spec(wanted), last(wanted.first_epoch) {}

  // Places in this member's memory.
  std::byte* copy_here(std::size_t member, std::uint64_t epoch) const {
    return room->segment().data + layout.place(member, me(), unsigned(epoch & 1));
  }
  std::size_t me() const { return group.index(); }
  bool holds(std::size_t member, std::uint64_t epoch) const;  // a copy of it, and a whole one
  std::string named(std::size_t member) const { return "rank " + std::to_string(group.absolute(Rank(member))); }

  Status make_room(Timeout timeout);
  Status lay_out(std::span<const ckpt::MemberPart> parts);
  void take_copy(std::uint64_t epoch);
  Status decide(bool saved, Timeout timeout);
  Status end_round(Timeout timeout);
  Status vote(std::uint64_t bits, Timeout timeout, Agreement& agreed);
  Status find_lost(Timeout timeout);
  Status fill_ranges();
  Status read(std::size_t member, std::uint64_t epoch, Timeout timeout);

  Runtime& rt;
  Group& group;
  const CheckpointSpec spec;
  std::vector<Range> ranges;

  // open()
  std::vector<ckpt::MemberPart> gathered;
  std::unique_ptr<Allocation> room;
  ckpt::CopyLayout layout;
  bool opened = false;

  // start() and commit(): the round of epoch last + 1
  std::uint64_t last;
  bool copied = false;
  std::deque<Piece> pieces;
  Handle travelling;
  Status trouble;                        // why this member's part is not at all its mirrors
  std::optional<std::uint64_t> entered;  // the bits of an agreement under way

  // restore() and fetch()
  bool closed = false;  // a round has ended without an epoch, at all members
  std::string why;      // ... and this is why
  std::vector<Rank> failed;
  std::size_t step = 0;  // of find_lost(): the own part first, then failed members, 64 at a time
  std::vector<std::size_t> lost;
  bool restored = false;
  Reading reading;
  Handle arriving;
};

}  // namespace polder
