#include "coll/letters/letter_credits.hpp"

#include "core/direct/notification.hpp"
#include "core/group/group_ports.hpp"
#include "core/post/one_sided.hpp"
#include "core/segment/peer_segment.hpp"

#include <algorithm>
#include <utility>

namespace polder::coll {
namespace {

using Room = core::LetterRoom;

constexpr unsigned kLate = Room::kHalf / 2;  // cells of the next half that are read before a credit goes alone

}  // namespace

// Where the writer's memory is mapped a credit is a store. Else it is a frame as dear as a letter of a few bytes, and behind such
// letters, and long ones that went past the cells, it waits for the next letter to that member or offer of a window, or until half of the
// other half has been read: letters that go to and fro bring each other's credits. If none came, many go at once: where letters go one
// way, their writer would have less room (scans of 8 bytes 1.2 times as long).
void LetterCredits::owe(const In& in, ReadSlot& traffic) {
  constexpr std::size_t kShort = 4096;  // bytes
  constexpr unsigned kMany = 30;
  const bool is_amid = in.done < in.bytes;  // its writer may be waiting for room
  // Chunks reach into the next half: behind a letter that went past the cells both may be owed, and its writer has no room at all.
  const bool is_due = traffic.taken >= (traffic.credited + 1) * Room::kHalf + kLate;
  if (traffic.owes_late && is_due) traffic.at_once = kMany;
  const bool waits = !is_due && (traffic.owes_late || traffic.at_once == 0);
  const bool takes_few = in.bytes <= kShort || (in.landed && !is_amid);
  if (waits && takes_few && !traffic.comes_in_envelopes) {
    if (!std::exchange(traffic.owes_late, true)) late_.push_back(credit_of(in));
    return;
  }
  if (traffic.at_once != 0) --traffic.at_once;
  release(credit_of(in), is_amid ? core::Urgency::unawaited : core::Urgency::in_company);
}

void LetterCredits::give_all_late(Rank to, bool followed) {
  for (std::size_t i = late_.size(); i-- != 0;)
    if (late_[i].from == to) release(Credit(late_[i]), followed ? core::Urgency::followed : core::Urgency::in_company);
}

void LetterCredits::release(const Credit& credit, core::Urgency urgency) {
  if (std::exchange(state_.read[credit.slot].owes_late, false))
    std::erase_if(late_, [&](const Credit& late) { return late.slot == credit.slot; });
  if (!give(credit, urgency)) owed_.push_back(credit);
}

void LetterCredits::settle() {
  while (!late_.empty()) release(Credit(late_.back()), core::Urgency::in_company);
  std::erase_if(owed_, [this](const Credit& credit) { return give(credit, core::Urgency::unawaited); });
}

// Of halves that have been read and not been given back. A writer that is gone needs none, nor does one that has deleted the group: its
// part is done, and it is no trouble of this member's, which has its letters.
bool LetterCredits::give(const Credit& credit, core::Urgency urgency) {
  ReadSlot& traffic = state_.read[credit.slot];
  if (state_.may_lack_any() && state_.is_gone(credit.from)) return true;
  bool is_deleted = false;
  if (traffic.from.segment == nullptr && !state_.find_unless_deleted(traffic.from, credit.from, is_deleted))
    return is_deleted;
  for (; traffic.credited < traffic.taken / Room::kHalf; ++traffic.credited)
    if (!raise(traffic, credit, traffic.credited % 2, Cells::mark(traffic.credited / 2), urgency)) return false;
  return true;
}

void LetterCredits::name_window(const In& in, const ReadSlot& traffic) {
  const unsigned half = unsigned(traffic.taken % Room::kCells / Room::kHalf);
  const std::uint32_t mark = traffic.taken < Room::kCells ? 0 : Cells::mark(traffic.taken / Room::kCells - 1);
  static_cast<void>(raise(traffic, credit_of(in), half, mark, core::Urgency::unawaited));
}

// False: there was no room.
bool LetterCredits::raise(const ReadSlot& traffic, const Credit& credit, unsigned half, std::uint32_t mark,
                          core::Urgency urgency) {
  const NotificationId id = state_.ground.room().credit_flag(state_.lane, state_.first + credit.there, half);
  const Notification flag{id, mark | traffic.window, traffic.from.id};
  const core::PeerSegment& segment = *traffic.from.segment;
  if (!segment.live()) return true;  // about to go
  if (segment.control != nullptr) {
    raise_flag(segment, flag);
    return true;
  }
  const Post post(state_.ground.queue(), Timeout::test());
  const Status status =
      state_.ground.ports().one_sided.post_flag(segment.rank, traffic.from.id, segment, flag, post, urgency);
  const bool has_room = status.code() != Code::queue_full && !status.timed_out();
  if (!has_room) state_.crowd();
  return has_room;
}

bool LetterCredits::owes(Slot slot) const {
  return state_.read[slot].owes_late ||
         std::any_of(owed_.begin(), owed_.end(), [&](const Credit& credit) { return credit.slot == slot; });
}

}  // namespace polder::coll
