// Where things lie in the windows of eventual collectives: for each operation that may be under way, a contribution, a
// result, what each member has announced and the gate, a word by which one of them claims the operation.
// Operations that go in pieces have them in the same places: those of a broadcast in the contributions of all, those that
// were combined for a reduce in the results.
#pragma once

#include "coll/eventual/eventual_call.hpp"
#include "coll/eventual/piece_plan.hpp"
#include "util/platform.hpp"

#include <polder/eventual.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>

namespace polder::coll {

// What a member tells those that are going to read its contribution.
struct Announcement {
  double weight = 0;
  std::uint64_t call = 0;  // a hash
};

// In front of a contribution.
struct ContributionHead {
  std::uint64_t number = 0;  // of the operation
  EventualCall call;
};

// In front of a result; behind it a bit for each member that is in it.
struct ResultHead {
  std::uint64_t number = 0;
  EventualCall call;
  std::uint64_t chosen = 0;  // elements that follow
  double weight = 0;
  std::uint32_t code = 0;      // an error, instead of a result
  std::uint32_t offender = 0;  // the member that made another call
  std::uint32_t ended = 0;
  std::uint32_t kept = 0;       // the result before this one stays
  EventualCall offending = {};  // its call; of no kind: nobody made another one
  std::uint64_t unused[5] = {};
};
static_assert(sizeof(Announcement) == 16 && sizeof(ContributionHead) == 64 && sizeof(ResultHead) == 192);

class EventualLayout {
 public:
  EventualLayout(const EventualSpec& spec, Rank members) : spec_(spec), members_(members) {}

  std::size_t bytes() const { return spec_.apart * lane_bytes(); }
  std::uint32_t flags() const { return (kKinds * spec_.apart + 1) * members_; }

  // Of the operation of that number; it shares its place with the one `apart` before it.
  std::size_t contribution(std::uint64_t number) const { return lane(number) * lane_bytes(); }
  std::size_t result(std::uint64_t number) const { return contribution(number) + contribution_bytes(); }
  std::size_t announcement(std::uint64_t number, Rank member) const {
    return result(number) + result_bytes() + sizeof(Announcement) * member;
  }
  std::size_t gate(std::uint64_t number) const { return announcement(number, members_); }

  // Behind the head of a contribution: values, and at a place of its own which elements they are.
  std::size_t indices_of_contribution() const { return sizeof(ContributionHead) + vector(); }
  // Behind the head of a result: members, values; at places of their own which elements they are, and of how many.
  std::size_t member_bytes() const { return util::round_up(std::size_t{members_}, 64) / 8; }
  std::size_t values_of_result() const { return sizeof(ResultHead) + member_bytes(); }
  std::size_t indices_of_result() const { return values_of_result() + vector(); }
  std::size_t counts_of_result() const { return indices_of_result() + indices(); }

  // Flags, each with one writer for life; a value says of which operation.
  NotificationId arrived(std::uint64_t number, Rank member) const { return flag(number, 0, member); }
  NotificationId has_result(std::uint64_t number, Rank member) const { return flag(number, 1, member); }
  NotificationId has_left(std::uint64_t number, Rank member) const { return flag(number, 2, member); }
  // Of a piece that it passes on.
  NotificationId shown(std::uint64_t number, Rank member, unsigned round) const {
    return flag(number, 3 + round, member);
  }
  NotificationId ends(Rank member) const { return kKinds * spec_.apart * members_ + member; }

  // Never 0, and in order as long as those compared are not 2^29 operations apart.
  static std::uint32_t tag(std::uint64_t number) { return std::uint32_t(4 * number + 1); }
  // Of has_left, from a member that has the data of a broadcast; likewise, between the tag and the next one.
  static std::uint32_t tag_with_data(std::uint64_t number) { return tag(number) + 1; }

 private:
  static constexpr unsigned kKinds = 3 + kMostRounds;  // of flags

  std::uint64_t lane(std::uint64_t number) const { return number % spec_.apart; }
  std::size_t vector() const { return util::round_up(spec_.bytes, 64); }
  std::size_t indices() const { return spec_.largest ? 8 * vector() : 0; }
  std::size_t counts() const { return spec_.largest ? 4 * vector() : 0; }
  std::size_t contribution_bytes() const { return sizeof(ContributionHead) + vector() + indices(); }
  std::size_t result_bytes() const { return counts_of_result() + counts(); }
  std::size_t lane_bytes() const {
    return util::round_up(contribution_bytes() + result_bytes() + sizeof(Announcement) * members_ + 8, 64);
  }
  NotificationId flag(std::uint64_t number, unsigned kind, Rank member) const {
    return NotificationId((lane(number) * kKinds + kind) * members_ + member);
  }

  const EventualSpec spec_;
  const Rank members_;
};

}  // namespace polder::coll
