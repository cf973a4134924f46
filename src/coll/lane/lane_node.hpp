// The Node of a runtime: the memory of a lane at the members of a group that are of one node.
// core/group/node_room.hpp has the layout.
#pragma once

#include "coll/lane/call_record.hpp"
#include "coll/lane/scratch.hpp"
#include "coll/port/node.hpp"
#include "util/bell.hpp"

#include <polder/status.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace polder::core {
struct PeerSegment;
}

namespace polder::coll {

class LaneGround;

class LaneNode final : public Node {
 public:
  // For members of the group in these places, of which this one is the `me`th.
  LaneNode(Strand& strand, LaneGround& ground, unsigned lane, std::span<const Rank> places, Rank me);

  // The next collective.
  void begin(const CallRecord& call, const Elements& reduced);

  // ---- for the driver ----
  // Why nothing can go on; taken once.
  Status take_trouble() { return std::exchange(trouble_, {}); }
  // Of combining, here or at another member.
  Status take_failure();
  // A member has shown another call than this one, or has deleted the group before it was through.
  Status news();
  // The member of the group that has given it up without having left this piece, as far as news() has heard: it never leaves it. What it
  // had shown may still be all that this member needs.
  std::optional<Rank> never_leaves() const;
  // Before the memory goes: the others have taken what they need, or do not come any more.
  bool is_needed();
  // This member gives the call up. Once this returns nobody copies from or to what it has offered: a member that is late
  // must not write to what is somebody else's memory by then. Waits for copies that are under way, two seconds at most.
  void withdraw();
  // What was reached may have been taken back meanwhile: then what was made of it is worth nothing.
  Status check_offers();

  Offer offer(const void* memory, std::size_t bytes) const override;
  Offer offer_for_copies(const void* memory, std::size_t bytes) const override;
  std::byte* scratch(std::size_t bytes) override { return scratch_.take(bytes); }
  void refuse(Rank from, std::size_t expected, std::size_t bytes) override;
  Status failure() const override;
  void fail(const Status& why) override;
  void ring(Rank member) override;
  void ring_from(Rank first) override;

 private:
  bool attach() override;
  bool can_read_processes() override;
  bool differs(Rank member) override;
  bool fold(const void* one, const void* two, void* result, std::size_t bytes) override;
  bool find(Rank member, const Offer& offer, std::size_t bytes, std::byte*& place) override;
  std::byte* aside(const void* one, const void* two);
  Status deleted();
  bool begin_reaching(Rank member) override;
  bool copy_from_process(Rank member, std::uint64_t at, std::byte* to, std::size_t bytes) override;
  void end_reaching() override;
  Status withdrawn_by(Rank member) const;
  Rank rank_of(Rank place) const;

  LaneGround& ground_;
  const unsigned lane_;
  const std::span<const Rank> places_;
  std::vector<std::byte*> found_;  // memory of the lane, by member
  std::vector<const core::PeerSegment*> segments_;
  std::vector<util::Bell*> bells_;  // of the same: to ask all of them is a part of each short call
  Scratch scratch_;
  std::unique_ptr<std::byte[]> aside_;  // a desk's bytes for results; made when first needed
  mutable bool offered_ = false;        // memory, in this call
  bool reached_ = false;                // what another one offers
  CallRecord call_;
  Status trouble_, failure_;
};

}  // namespace polder::coll
