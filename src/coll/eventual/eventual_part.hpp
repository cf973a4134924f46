// One member's part in the eventual operations of a group: what it knows, and
// the steps that the three algorithms are made of.
//
// An operation of number n has its places in the windows (layout.hpp), which
// operation n + apart uses again. So nobody begins that one before all that
// live have left this one; in between, what a member shows stays as it is.
#pragma once

#include "coll/eventual/layout.hpp"
#include "coll/eventual/piece_broadcast.hpp"
#include "coll/eventual/piece_operation.hpp"
#include "coll/eventual/piece_plan.hpp"
#include "coll/eventual/piece_reads.hpp"
#include "coll/eventual/piece_reduce.hpp"
#include "coll/eventual/selection.hpp"
#include "coll/eventual/wish.hpp"
#include "coll/port/window.hpp"
#include "coll/task/task.hpp"

#include <polder/eventual.hpp>
#include <polder/handle.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace polder::coll {

class EventualPart : public Port {
 public:
  EventualPart(Strand& s, WindowPort& window, const EventualSpec& spec);
  ~EventualPart();
  EventualPart(const EventualPart&) = delete;
  EventualPart& operator=(const EventualPart&) = delete;

  // The next operation. REQUIRES: the last one is over.
  void begin(const Wish& wish);
  const Wish& wish() const { return wish_; }
  // REQUIRES: it is over, and has not failed.
  const EventualStatus& status() const { return status_; }
  const Status& failure() const { return failure_; }
  bool has_failed() const { return !failure_.ok(); }
  // Whether there is an operation that can be enhanced.
  bool has_begun() const { return number_ != 0; }
  // Of this member's own; INT64_MAX: none.
  std::int64_t deadline_at_ns() const { return deadline_at_ns_; }
  bool waits_for_handle() const { return getting_ || swapping_ || draining_ || reads_.any_under_way(); }
  // It has failed: nothing of it is left to be enhanced.
  void forget_last();

  // ---- steps; each is asked again until it says true ----
  class Step : public WaitFor<Step> {
   public:
    using Does = bool (EventualPart::*)();
    Step(EventualPart& p, Does d) : part(p), does(d) {}
    bool is_ready() { return (part.*does)(); }

   private:
    EventualPart& part;
    Does does;
  };
  // All that live have left the operation whose places this one uses.
  Step room() { return {*this, &EventualPart::has_room}; }
  // Those that need to know that this member's contribution lies there, know.
  Step announced() { return {*this, &EventualPart::announce}; }
  // A threshold is reached, the time is over, or no more can come; or, where
  // others make results, there is one.
  Step enough() { return {*this, &EventualPart::has_enough}; }
  Step enough_or_result() { return {*this, &EventualPart::has_enough_or_result}; }
  // Who makes the result is noted.
  Step claimed() { return {*this, &EventualPart::claim}; }
  // The result of the claimant lies there, or it is gone.
  Step claimant_ended() { return {*this, &EventualPart::has_claimant_ended}; }
  // The root's result lies there, the root is gone, or the time is over.
  Step verdict() { return {*this, &EventualPart::has_verdict}; }
  // The root's contribution lies there, likewise.
  Step root_came() { return {*this, &EventualPart::has_root_come}; }
  // At the root: enough have taken its data.
  Step enough_taken() { return {*this, &EventualPart::have_enough_taken}; }
  Step told_taken() { return {*this, &EventualPart::tell_taken}; }
  // The contribution of the next one in the set has been read and combined.
  Step next_combined() { return {*this, &EventualPart::combine_next}; }
  Step published() { return {*this, &EventualPart::publish}; }
  Step head_fetched() { return {*this, &EventualPart::fetch_head}; }
  Step values_fetched() { return {*this, &EventualPart::fetch_values}; }
  Step contribution_fetched() { return {*this, &EventualPart::fetch_from_root}; }
  // Pieces of the root's data have come and are shown to others, or it is gone.
  Step pieces_come() { return {*this, &EventualPart::fetch_pieces}; }
  // Pieces are combined and shown, as far as this member does that; or there is
  // a verdict.
  Step pieces_passed_on() { return {*this, &EventualPart::pass_pieces_on}; }
  // At the root, or at all: the pieces are a whole, or cannot become one in
  // time, or there is another result.
  Step pieces_put_together() { return {*this, &EventualPart::put_pieces_together}; }
  Step told_left() { return {*this, &EventualPart::tell_left}; }

  // ---- at once ----
  bool is_root() const { return window_.me() == wish_.root; }
  bool takes_part() const { return wish_.takes_part(window_.me(), window_.size()); }
  bool is_claimant() const { return claimant_ == window_.me(); }
  bool has_result() const { return has_failed() || result_from_.has_value(); }
  bool has_root_contribution() const { return !has_failed() && fetchable_; }
  EventualWay way() const { return plan_.way(); }
  // The operation goes in pieces, and this member carries some. Of a broadcast:
  // once the root's contribution lies there.
  bool carries_pieces() const;
  bool is_whole() const { return is_whole_; }
  // The gate says that the result of an allreduce is what comes of the pieces.
  bool is_agreed() const { return is_agreed_; }
  void contribute();
  // Takes those that have come. REQUIRES: they have just been found to be enough.
  void begin_result();
  bool is_combined() const { return next_ == window_.size(); }
  // One of those has died before it was read: perhaps the others are not enough.
  bool has_lost_contribution() const { return has_lost_ && !has_failed(); }
  void end_result();
  // Out of the pieces. REQUIRES: is_whole().
  void make_whole_result();
  void take_whole_result();
  // Into the buffer and the status of this member.
  void take_own_result() { take_result(result_head(), own_result()); }
  void take_fetched_result();
  void take_broadcast();
  void take_nothing();
  void take_taken();

 private:
  bool has_room();
  bool announce();
  bool tell_all(NotificationId flag, std::uint32_t value);
  bool has_enough();
  bool has_enough_or_result();
  bool find_result();
  bool claim();
  bool has_claimant_ended();
  bool has_verdict();
  bool has_root_come();
  bool have_enough_taken();
  bool has_taken(Rank member) const;
  bool tell_taken();
  bool combine_next();
  bool publish();
  bool fetch_head();
  bool fetch_values();
  bool fetch_from_root();
  bool tell_left();
  bool fetch_pieces();
  bool pass_pieces_on();
  bool put_pieces_together();

  bool has_come(Rank member) const;
  bool is_required(Rank member) const;
  // It has died, or will do nothing more in this operation though it has not left it.
  bool is_away(Rank member) const { return window_.is_gone(member) || pieces().has_abandoned(member); }
  bool is_over_time() const;
  bool end_as(Ended how);
  Rank gate_member() const;
  PieceOperation pieces() const { return {window_, layout_, number_, plan_, element()}; }
  void begin_pieces();
  bool have_all_come() const;
  bool can_become_whole() const;
  void spoil() { is_spoilt_ = true, is_whole_ = false; }
  bool is_beyond_pieces();
  bool is_lost_to_pieces(Rank member) const;
  bool get_once(void* into, Rank member, std::uint64_t offset, std::size_t bytes);
  Got got(Rank member);
  bool fetch_contribution(Rank member);
  Status add_fetched();
  Status add_sparse(const std::byte* values, const std::uint64_t* indices);
  void pack_sparse();
  void note_mismatch(Rank member, const EventualCall& there);
  Status mismatch(Rank member, const EventualCall& there) const;
  EventualCall call_of_wish() const {
    EventualCall call = wish_.call(is_sparse() ? 0 : selection_.first);
    call.way = std::uint8_t(plan_.way());
    return call;
  }
  double weight_of(Rank member) const;
  void take_result(const ResultHead& head, const std::byte* base);
  void take_values(const ResultHead& head, const std::byte* base);
  void take_sparse(const ResultHead& head, const std::byte* base);
  void count_left_out();
  ElementSelection selection_of_call() const;

  bool is_sparse() const { return wish_.enough.choose == Choose::largest; }
  std::size_t element() const { return wish_.spec.element_size; }
  std::uint32_t tag() const { return EventualLayout::tag(number_); }
  std::uint32_t left_with_data() const { return EventualLayout::tag_with_data(number_); }
  std::byte* own_contribution() const { return window_.own() + layout_.contribution(number_); }
  std::byte* own_result() const { return window_.own() + layout_.result(number_); }
  ResultHead& result_head() const { return *reinterpret_cast<ResultHead*>(own_result()); }
  bool is_in_set(Rank member) const { return EventualStatus::has(set_, member); }

  WindowPort& window_;
  const EventualSpec spec_;
  const EventualLayout layout_;

  // Of the object.
  std::uint64_t number_ = 0;
  std::size_t turned_ = 0;                   // where the next rotating call begins, before it is taken modulo
  std::vector<unsigned> left_out_;           // operations in a row, by member
  std::vector<Announcement> announcements_;  // this member's, by lane: read until they have arrived
  EventualStatus last_;
  EventualStatus::Bits last_set_;

  // Of the operation.
  Wish wish_;
  PiecePlan plan_;
  std::uint64_t hash_ = 0;  // of the call
  ElementSelection selection_;
  EventualStatus status_;
  Status failure_;
  EventualStatus::Bits set_;
  std::int64_t deadline_at_ns_ = 0;
  Ended ended_ = Ended::thresholds;
  Rank next_ = 0;  // member, in whatever goes through all
  std::optional<Rank> result_from_;
  std::optional<Rank> claimant_;
  bool fetchable_ = false;
  Rank gate_ = 0;  // where the claim is
  std::uint64_t gate_expected_ = 0, gate_old_ = 0;
  bool swapping_ = false, getting_ = false, draining_ = false;
  bool is_whole_ = false, is_agreed_ = false;
  bool has_lost_ = false;        // a contribution of the set that it combines
  bool has_told_taken_ = false;  // the root, that this member has its data
  bool is_spoilt_ = false;       // a member may have made a result where pieces lie
  Handle handle_;
  PieceReads reads_;
  PieceBroadcast piece_broadcast_{reads_};
  PieceReduce piece_reduce_{reads_};
  std::vector<std::byte> fetched_;  // what is read of others
  std::vector<std::uint64_t> fetched_indices_;
  std::vector<std::byte> sums_;            // of largest ones: of all elements
  std::vector<std::uint32_t> sum_counts_;  // likewise, of how many each is
  std::size_t sparse_next_ = 0;            // of what one member gave, the first that is not in them
};

}  // namespace polder::coll
