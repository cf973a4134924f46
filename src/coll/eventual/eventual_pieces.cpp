// What a member does for operations whose vectors go in pieces, and when it
// does without.
#include "coll/eventual/eventual_part.hpp"

#include <algorithm>

namespace polder::coll {

bool EventualPart::carries_pieces() const {
  if (plan_.is_flat() || !plan_.takes_part(window_.me())) return false;
  return wish_.kind != Kind::broadcast || pieces().fits(wish_.root, hash_);
}

void EventualPart::begin_pieces() {
  is_whole_ = is_agreed_ = is_spoilt_ = false;
  piece_reduce_.begin();
  if (wish_.kind == Kind::broadcast && !is_root() && !plan_.is_flat()) piece_broadcast_.begin(pieces(), wish_.root);
}

// ---- a broadcast ----

// Whose time is over does not wait for what others have: the root has come, and
// has all of it.
bool EventualPart::fetch_pieces() {
  if (!piece_broadcast_.advance(pieces(), is_over_time())) return false;
  if (piece_broadcast_.has_lost_root())
    failure_ = Status(Code::peer_failed, "eventual broadcast: the root died", Died::operation);
  return true;
}

// ---- a reduce ----

bool EventualPart::pass_pieces_on() {
  if (has_verdict()) return piece_reduce_.settle(pieces());
  if (!piece_reduce_.advance(pieces(), wish_.spec.combine, hash_)) return false;
  // The root finds out by itself what the function says there.
  return piece_reduce_.failure().ok() || window_.raise(wish_.root, layout_.has_result(number_, window_.me()), tag());
}

bool EventualPart::put_pieces_together() {
  if (is_beyond_pieces()) return piece_reduce_.settle(pieces());
  if (!piece_reduce_.advance(pieces(), wish_.spec.combine, hash_)) return false;
  is_whole_ = piece_reduce_.is_done(pieces()) && have_all_come();
  return is_whole_ || piece_reduce_.has_stopped();
}

bool EventualPart::have_all_come() const {
  for (Rank i = 0; i < plan_.taking_part(); ++i)
    if (!pieces().has_come(plan_.participant(i))) return false;
  return true;
}

// What would be whole is not waited for: another result is there, this member's
// time is over, or one that takes part is lost, made another call or could not
// combine.
bool EventualPart::is_beyond_pieces() {
  if (wish_.kind == Kind::allreduce && find_result()) return true;
  return (is_over_time() && !is_agreed_) || !can_become_whole();
}

bool EventualPart::can_become_whole() const {
  if (piece_reduce_.has_stopped() || is_spoilt_) return false;
  const PieceOperation operation = pieces();
  for (Rank i = 0; i < plan_.taking_part(); ++i) {
    const Rank member = plan_.participant(i);
    if (member == window_.me()) continue;
    if (is_lost_to_pieces(member) || (operation.has_come(member) && !operation.fits(member, hash_))) return false;
  }
  return true;
}

// A member leaves an allreduce with a result only, which the others find or can
// put together as well.
bool EventualPart::is_lost_to_pieces(Rank member) const {
  if (wish_.kind == Kind::allreduce) return is_away(member);
  return pieces().is_lost(member) || window_.is_raised(layout_.has_result(number_, member), tag());
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

// Each has it for itself.
void EventualPart::take_whole_result() {
  make_whole_result();
  result_from_ = window_.me();
  take_own_result();
}

}  // namespace polder::coll
