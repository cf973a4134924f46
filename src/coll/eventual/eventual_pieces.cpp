// What a member does for operations whose vectors go in pieces, and when it does without.
#include "coll/eventual/eventual_part.hpp"

#include <algorithm>

namespace polder::coll {

bool EventualPart::carries_pieces() const {
  if (plan_.is_flat() || !plan_.takes_part(window_.me())) return false;
  return wish_.kind != Kind::broadcast || pieces().fits(wish_.root, hash_);
}

void EventualPart::begin_pieces() {
  is_whole_ = false;
  piece_reduce_.begin();
  if (wish_.kind == Kind::broadcast && !is_root() && !plan_.is_flat()) piece_broadcast_.begin(pieces(), wish_.root);
}

// ---- a broadcast ----

// Whose time is over does not wait for what others have: the root has come, and has all of it.
bool EventualPart::fetch_pieces() {
  if (!piece_broadcast_.advance(pieces(), is_over_time())) return false;
  if (piece_broadcast_.has_lost_root())
    failure_ = Status(Code::peer_failed, "eventual broadcast: the root died", Died::operation);
  return true;
}

// ---- a reduce ----

bool EventualPart::pass_pieces_on() {
  if (has_verdict()) piece_reduce_.stop();
  if (!piece_reduce_.advance(pieces(), wish_.spec.combine, hash_)) return false;
  // The root finds out by itself what the function says there.
  return piece_reduce_.failure().ok() || window_.raise(wish_.root, layout_.has_result(number_, window_.me()), tag());
}

bool EventualPart::put_pieces_together() {
  if (is_beyond_pieces()) piece_reduce_.stop();
  if (!piece_reduce_.advance(pieces(), wish_.spec.combine, hash_)) return false;
  is_whole_ = piece_reduce_.is_done(pieces()) && have_all_come();
  return is_whole_ || is_beyond_pieces() || !piece_reduce_.failure().ok();
}

bool EventualPart::have_all_come() const {
  for (Rank i = 0; i < plan_.taking_part(); ++i)
    if (!pieces().has_come(plan_.participant(i))) return false;
  return true;
}

// What would be whole cannot be waited for: this member's time is over, one that takes part is lost, made another call
// or could not combine.
bool EventualPart::is_beyond_pieces() const {
  if (is_over_time()) return true;
  const PieceOperation operation = pieces();
  for (Rank i = 0; i < plan_.taking_part(); ++i) {
    const Rank member = plan_.participant(i);
    if (member == window_.me()) continue;
    if (operation.is_lost(member) || window_.is_raised(layout_.has_result(number_, member), tag())) return true;
    if (operation.has_come(member) && !operation.fits(member, hash_)) return true;
  }
  return false;
}

void EventualPart::make_whole_result() {
  ended_ = Ended::thresholds;
  std::fill(set_.begin(), set_.end(), 0);
  result_head() = {.number = number_, .call = call_of_wish(), .chosen = selection_.chosen};
  for (Rank i = 0; i < plan_.taking_part(); ++i) {
    set_bit(set_, plan_.participant(i));
    result_head().weight += weight_of(plan_.participant(i));
  }
  end_result();
}

}  // namespace polder::coll
