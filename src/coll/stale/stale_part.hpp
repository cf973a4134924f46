// One member's part in a stale-synchronous allreduce: its totals, and the steps that the three shapes are made of.
//
// A call *meets* if it has slack 0 and the one before had, or is the first: all members are through with all that came
// before, so totals go through a consistent allreduce (StaleMeeting), and links have nothing to do. Then `own_` is what
// this member has given since the first of these calls, and the first member's also what all had given before that: their
// sum is the result, and there is nothing to be added to it.
#pragma once

#include "coll/port/window.hpp"
#include "coll/stale/stale_layout.hpp"
#include "coll/stale/stale_link.hpp"
#include "coll/stale/stale_news.hpp"
#include "coll/stale/stale_server.hpp"
#include "coll/stale/stale_total.hpp"
#include "coll/task/task.hpp"

#include <polder/stale.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace polder::coll {

struct StaleCall {
  const std::byte* mine = nullptr;  // null: nothing is added
  std::byte* sum = nullptr;
  std::uint64_t slack = 0;
  bool operator==(const StaleCall&) const = default;
};

class StalePart : public Port {
 public:
  StalePart(Strand& s, WindowPort& window, const StaleSpec& spec, const StaleLayout& layout);
  StalePart(const StalePart&) = delete;
  StalePart& operator=(const StalePart&) = delete;

  // Once there is a window.
  void place_totals();

  // The next call. REQUIRES: the last one is over, and nothing has failed.
  void begin(const StaleCall& call);
  const StaleCall& call() const { return call_; }
  const StaleSpec& spec() const { return spec_; }
  // REQUIRES: it is over.
  const Staleness& told();

  // ---- of a call that meets ----
  // Then it is the allreduce that finds out who does not come.
  bool would_meet(const StaleCall& call) const { return call.slack == 0 && was_consistent_; }
  bool meets() const { return meets_; }
  // This member's total has what it gives in this call; false: ask again.
  bool is_ready_to_meet();
  // Null: nobody has given anything since totals of such calls began.
  const std::byte* given() const { return has_given_ ? own_.data() : nullptr; }
  std::byte* sum_of_all() { return base_.data(); }
  std::byte* of_no_use() { return sum_.data(); }  // memory for a vector
  void has_met();
  // What keeps others from coming.
  void look_for_trouble_of_meeting();
  void fail(Status status) { news_.fail(std::move(status)); }

  // What can be done at once, in a call or in the background. True: nothing waits for a cell or a queue.
  bool work();
  // Whether somebody who makes progress should ask for work().
  bool has_work() const;
  // Whether a member has died, or has failed in another way.
  void look_for_trouble();
  bool has_failed() const { return news_.has_failed(); }
  const Status& failure() const { return news_.failure(); }
  std::uint64_t clock() const { return told_.clock; }
  // Tells the others that this object ends; true: all theirs do, too.
  bool ends() { return news_.ends(clock()); }
  // Likewise, that it does not wait for theirs.
  bool goes() { return news_.goes(); }

  // ---- steps; each is asked again until it says true ----
  class OwnAdded : public WaitFor<OwnAdded> {
   public:
    explicit OwnAdded(StalePart& p) : part(p) {}
    bool is_ready() { return part.add_own(); }
    StalePart& part;
  };
  // This member's own total has what it gives in this call.
  OwnAdded own_added() { return OwnAdded(*this); }

  class Fresh : public WaitFor<Fresh> {
   public:
    Fresh(StalePart& p, StaleLink& l) : part(p), link(l) {}
    bool is_ready() { return part.is_fresh(link); }
    StalePart& part;
    StaleLink& link;
  };
  // What has come is new enough.
  Fresh fresh(StaleLink& link) { return {*this, link}; }

  class Added : public WaitFor<Added> {
   public:
    Added(StalePart& p, const StaleHead& h, const std::byte* v, StaleSide s) : part(p), head(h), values(v), side(s) {}
    bool is_ready() { return part.add(head, values, side); }
    StalePart& part;
    const StaleHead& head;
    const std::byte* values;
    const StaleSide side;
  };
  // It is in the sum, on that side of what was there.
  Added added(StaleLink& link, StaleSide side) { return {*this, link.head(), link.values(), side}; }
  Added own_in_sum() { return {*this, own_head_, own_.data(), StaleSide::after}; }

  class SliceAdded : public WaitFor<SliceAdded> {
   public:
    SliceAdded(StalePart& p, Rank k) : part(p), keeper(k) {}
    bool is_ready() { return part.add_slice(keeper); }
    StalePart& part;
    const Rank keeper;
  };
  // The slice that this member keeps, with what this member has given, is in the sum.
  SliceAdded slice_added(Rank keeper) { return {*this, keeper}; }

  class Finished : public WaitFor<Finished> {
   public:
    explicit Finished(StalePart& p) : part(p) {}
    bool is_ready() { return part.finish(); }
    StalePart& part;
  };
  // The sum has what was given before totals began anew, too.
  Finished finished() { return Finished(*this); }

  class Left : public WaitFor<Left> {
   public:
    explicit Left(StalePart& p) : part(p) {}
    bool is_ready() { return part.have_left(); }
    StalePart& part;
  };
  // What this member sends has left.
  Left all_left() { return Left(*this); }

  // ---- at once ----
  Rank me() const { return window_.me(); }
  Rank size() const { return window_.size(); }
  const StaleLayout& layout() const { return layout_; }
  StaleLink& link(std::uint32_t number) { return links_[number]; }
  bool is_consistent() const { return call_.slack == 0; }
  // An empty sum with the clocks of this call.
  void begin_sum();
  void send_sum(StaleLink& link);
  void send_slice(Rank keeper);
  // The sum is in the user's buffer; nothing, if the call has failed.
  void store();
  // It is: what fails behind that, in what this member does for others, fails its next call.
  bool has_stored() const { return has_stored_; }
  // Calls after this one begin anew.
  void begin_anew();

 private:
  void begin_to_meet();
  void catch_up(std::uint64_t call);
  bool add_given();
  bool add_own();
  void store(const StaleTotal& total);
  bool is_fresh(StaleLink& link);
  void end_wait(Rank slowest);
  bool have_left();
  bool is_fresh_now(const StaleLink& link) const;
  bool add(const StaleHead& head, const std::byte* values, StaleSide side);
  bool add_slice(Rank keeper);
  bool finish();
  bool settle(Status status);
  void note_clocks(const StaleHead& head);

  std::optional<StaleNews::Trouble> trouble_of(const StaleLink& awaited) const;
  bool has_other_slack(const StaleLink& link) const;
  bool serves() const { return spec_.shape == StaleShape::sharded; }
  std::uint64_t last_to_take() const;

  WindowPort& window_;
  const StaleSpec spec_;
  const StaleLayout& layout_;
  std::vector<StaleLink> links_;
  std::optional<StaleServer> server_;

  // Of the object.
  bool was_consistent_ = true;   // the last call
  bool meets_ = false;           // the last call, or this one
  bool has_given_ = false;       // in a call that met, since meetings_ began
  bool is_meeting_ = false;      // this one, and it has not met
  std::uint64_t caught_up_ = 0;  // links know of all calls that met up to this one
  unsigned meetings_ = 0;        // since totals of those calls began anew
  StaleTotal own_;               // since totals began anew
  StaleTotal base_;              // of all, before that
  StaleNews news_;

  // Of the call.
  StaleCall call_;
  bool has_stored_ = false;
  Staleness told_;
  std::uint64_t bytes_before_ = 0;
  std::int64_t wait_began_ns_ = 0, longest_wait_ns_ = 0;  // for one link; 0: it does not wait
  StaleHead own_head_;
  StaleHead head_;  // of the sum
  StaleTotal sum_;
  std::vector<std::byte> widened_;
};

}  // namespace polder::coll
