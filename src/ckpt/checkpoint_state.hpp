// What a member's checkpoint holds and how far its calls have come; each call is in the file of its name.
#pragma once

#include "ckpt/copy_reader.hpp"

#include <polder/allocation.hpp>
#include <polder/checkpoint.hpp>
#include <polder/handle.hpp>

#include <deque>
#include <optional>
#include <string>
#include <string_view>

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

  State(Runtime& runtime, Group& members, const CheckpointSpec& wanted)
      : rt(runtime), group(members), spec(wanted), last(wanted.first_epoch), reader(runtime) {}

  // Places in this member's memory.
  std::byte* copy_here(std::size_t member, std::uint64_t epoch) const {
    return room->segment().data + layout.place(member, me(), unsigned(epoch & 1));
  }
  std::size_t me() const { return group.index(); }
  bool holds(std::size_t member, std::uint64_t epoch) const;  // a copy of it, and a whole one
  bool has_epoch() const { return last != spec.first_epoch; }
  ckpt::SavedEpoch saved() const;  // the last one
  void reached(std::string_view name) const {
    if (spec.at_step) spec.at_step(name);
  }
  std::string named(std::size_t member) const { return "rank " + std::to_string(group.absolute(Rank(member))); }

  Status make_room(const ckpt::Deadline& deadline);
  Status lay_out(std::span<const ckpt::MemberPart> parts);
  Status start(std::span<const Range> of, const ckpt::Deadline& deadline);
  void take_copy(std::uint64_t epoch, std::span<const Range> of);
  Status post(const ckpt::Deadline& deadline);
  Status decide(bool saved, const ckpt::Deadline& deadline);
  Status end_round(const ckpt::Deadline& deadline);
  Status end(const ckpt::Deadline& deadline);
  Status vote(std::uint64_t bits, const ckpt::Deadline& deadline, Agreement& agreed);
  Status find_lost(const ckpt::Deadline& deadline);
  Result<std::uint64_t> own_copy(const ckpt::Deadline& deadline);
  std::uint64_t missing_copies(std::size_t first, std::size_t many) const;
  void fill_ranges();

  Runtime& rt;
  Group& group;
  const CheckpointSpec spec;
  std::vector<Range> ranges;

  // open()
  bool opening = false;  // it has been called
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

  bool given_up =
      false;  // by the others of the group: they have ended this round without this member, and come to no other

  // restore() and fetch()
  bool closed = false;  // a round has ended without an epoch, at all members
  std::string why;      // ... and this is why
  std::vector<Rank> failed;
  std::size_t step = 0;  // of find_lost(): the own part first, then failed members, 64 at a time
  std::vector<std::size_t> lost;
  bool restored = false;
  ckpt::CopyReader reader;
};

}  // namespace polder
