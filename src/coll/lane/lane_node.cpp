#include "coll/lane/lane_node.hpp"

#include "coll/lane/lane_ground.hpp"
#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/peer_segments.hpp"
#include "core/segment/segments.hpp"
#include "util/copy.hpp"
#include "util/platform.hpp"
#include "util/thread.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace polder::coll {
namespace {

// The words at the first member in which others find that combining has failed: the call, of which the last 32 bits tell
// it from others, where, and the code.
constexpr std::uint64_t failure_word(std::uint64_t number, Rank member, Code code) {
  return number << 32 | std::uint64_t{member} << 8 | std::uint64_t(code);
}

}  // namespace

LaneNode::LaneNode(Strand& s, LaneGround& ground, unsigned lane, std::span<const Rank> places, Rank member)
    : Node(s, member, Rank(places.size()), ground.outward()), ground_(ground), lane_(lane), places_(places) {}

Rank LaneNode::rank_of(Rank place) const {
  return ground_.rank_of(places_[place]);
}

void LaneNode::begin(const CallRecord& call, const Elements& reduced) {
  call_ = call;
  print_ = call.fingerprint();
  elements = reduced;
  trouble_ = {};
  failure_ = {};
  is_first_piece_ = true;
  const bool reduces = call.kind == Kind::allreduce || call.kind == Kind::reduce_scatter;
  ways_ = reduces ? &ground_.reduction_ways() : &ground_.copy_ways();
  measured_ = nullptr;
  offered_ = reached_ = false;
  scratch_.reset();
}

bool LaneNode::attach() {
  const core::NodeRoom& room = ground_.group().node_room();
  while (found_.size() < size) {
    core::MemberMemory memory;
    Status failure;
    const bool located = ground_.locate(places_[found_.size()], memory, failure);
    const Rank rank = ground_.rank_of(places_[found_.size()]);
    if (!failure.ok()) trouble_ = failure.code() == Code::invalid_group ? ground_.deleted_by(rank) : std::move(failure);
    if (!located) return false;
    segments_.push_back(memory.segment);
    bells_.push_back(&memory.segment->control->bell);
    found_.push_back(memory.segment->data + room.memory(lane_));
  }
  bases_ = found_.data();
  return true;
}

// ---- offers ----

Offer LaneNode::offer(const void* memory, std::size_t bytes) const {
  const auto place = ground_.ports().segments.holding(memory, bytes);
  if (!place) return {};
  offered_ = true;
  return {place->segment, Offer::segment, place->offset};
}

Offer LaneNode::offer_for_copies(const void* memory, std::size_t bytes) const {
  if (const Offer in_segment = offer(memory, bytes); in_segment.kind != Offer::nothing) return in_segment;
  if (!ways().may_be_once() || !ground_.process_reads().are_possible()) return {};
  offered_ = true;
  return {0, Offer::process, std::bit_cast<std::uintptr_t>(memory)};
}

bool LaneNode::can_read_processes() {
  return ground_.process_reads().are_possible();
}

bool LaneNode::find(Rank member, const Offer& offer, std::size_t bytes, std::byte*& place) {
  reached_ = true;
  if (offer.kind == Offer::no_bytes) return true;
  core::PeerSegments& all = ground_.ports().peer_segments;
  const Rank rank = rank_of(member);
  const core::PeerSegment* segment = all.find(rank, offer.id);
  if (segment == nullptr) {
    auto resolved = all.resolve(rank, offer.id, Timeout::test());
    if (!resolved.ok()) {
      if (!resolved.status().timed_out()) trouble_ = std::move(resolved).status();
      return false;
    }
    segment = *resolved;
  }
  if (segment->data == nullptr || !segment->contains(offer.at, bytes)) {
    trouble_ = Status(Code::invalid_size,
                      std::string(to_string(call_.kind)) + ": the memory that rank " + std::to_string(rank) +
                          " offers cannot be read, or is too short",
                      Died::operation);
    return false;
  }
  place = segment->data + offer.at;
  return true;
}

bool LaneNode::begin_reaching(Rank member) {
  // In any other order, or with less than seq_cst, both sides may miss each other.
  memory(me).reaching.store(1, std::memory_order_seq_cst);
  if (memory(member).withdrawn.load(std::memory_order_seq_cst) != call_.number) return true;
  end_reaching();
  trouble_ = withdrawn_by(member);
  return false;
}

bool LaneNode::copy_from_process(Rank member, std::uint64_t at, std::byte* to, std::size_t bytes) {
  reached_ = true;
  if (bytes == 0) return true;
  if (!begin_reaching(member)) return false;
  const iovec into{to, bytes};
  Status status;
  ways().measure(CopyWays::Step::once, bytes, [&] {
    status = ground_.process_reads().read(*segments_[member], at, {&into, 1});
  });
  end_reaching();
  const bool is_read = status.ok();
  if (!is_read) trouble_ = std::move(status);
  return is_read;
}

void LaneNode::end_reaching() {
  memory(me).reaching.store(0, std::memory_order_release);
}

Status LaneNode::withdrawn_by(Rank member) const {
  return ground_.given_up_by(places_[member]);
}

void LaneNode::withdraw() {
  constexpr std::int64_t kLongest = 2'000'000'000;  // ns
  if (!offered_ || bases_ == nullptr) return;
  memory(me).withdrawn.store(call_.number, std::memory_order_seq_cst);
  const util::Clock clock = ground_.ports().progress.clock();
  const std::int64_t end = clock.now_ns() + kLongest;
  for (Rank member = 0; member < size; ++member)
    while (member != me && memory(member).reaching.load(std::memory_order_seq_cst) != 0 &&
           ground_.ports().peers.health(rank_of(member)) == Health::healthy && clock.now_ns() < end)
      util::yield_core();
}

Status LaneNode::check_offers() {
  if (!reached_) return {};
  for (Rank member = 0; member < size; ++member)
    if (memory(member).withdrawn.load(std::memory_order_acquire) == call_.number) return withdrawn_by(member);
  return {};
}

// ---- combining ----

bool LaneNode::fold(const void* one, const void* two, void* result, std::size_t bytes) {
  if (!failure_.ok() || bytes == 0) return true;
  const bool is_slow = util::is_just_behind(result, one) || util::is_just_behind(result, two);
  void* const into = is_slow && bytes >= util::kShortCopy && bytes <= kDesk ? aside(one, two) : result;
  Status status = combine_guarded(*elements.combine, one, two, into, bytes / elements.size);
  if (status.timed_out()) return false;
  fail(status);
  if (into != result) util::copy_block(result, into, bytes);
  return true;
}

// Loops over vectors wait for each of their stores where the result lies just behind an operand, as a vector of malloc()'s behind
// a desk: 2 to 7 times as long as with a copy more. Of three places a cache line apart one is just behind neither.
std::byte* LaneNode::aside(const void* one, const void* two) {
  if (aside_ == nullptr) aside_.reset(new std::byte[kDesk + 2 * util::kCacheLine]);
  std::byte* place = aside_.get();
  while (util::is_just_behind(place, one) || util::is_just_behind(place, two)) place += util::kCacheLine;
  return place;
}

void LaneNode::fail(const Status& why) {
  if (why.ok() || !failure_.ok()) return;
  failure_ = why;
  if (bases_ == nullptr) return;
  core::NodeReason reason{call_.number};
  std::memcpy(reason.text, why.message().data(), std::min(why.message().size(), sizeof reason.text - 1));
  memory(me).reason.write(reason);
  failure_of_call().store(failure_word(call_.number, me, failure_.code()), std::memory_order_release);
}

Status LaneNode::take_failure() {
  Status taken = failure();
  failure_ = {};
  return taken;
}

Status LaneNode::failure() const {
  if (!failure_.ok() || bases_ == nullptr) return failure_;
  const auto is_of_call = [&](std::uint64_t word) { return std::uint32_t(word >> 32) == std::uint32_t(call_.number); };
  std::uint64_t word = failure_seen_;
  if (!is_of_call(word)) word = failure_of_call().load(std::memory_order_acquire);
  if (!is_of_call(word)) return {};
  const Rank where = Rank(word >> 8) & 0xffffff;
  const auto code = std::uint32_t(word & 0xff);
  if (where >= size || code > std::uint32_t(Code::owner_died))
    return {Code::system, std::string(to_string(call_.kind)) + ": its memory on this node is damaged", Died::operation};
  core::NodeReason reason;
  const bool told = memory(where).reason.read(reason) && reason.number == call_.number;
  reason.text[sizeof reason.text - 1] = '\0';
  return {Code(code),
          std::string(to_string(call_.kind)) + ": combining failed at rank " + std::to_string(rank_of(where)) +
              (told ? ": " + std::string(reason.text) : ""),
          Died::operation};
}

void LaneNode::refuse(Rank from, std::size_t expected, std::size_t bytes) {
  if (failure_.ok())
    failure_ = Status(Code::invalid_size,
                      std::string(to_string(call_.kind)) + ": rank " + std::to_string(rank_of(from)) + " sends " +
                          std::to_string(bytes) + " bytes where this rank expects " + std::to_string(expected),
                      Died::operation);
}

// ---- calls that do not fit ----

bool LaneNode::differs(Rank member) {
  const auto there = ground_.published(lane_, places_[member]);
  if (there && there->number == call_.number)
    trouble_ = ground_.mismatch(call_, *there, places_[member]);
  else
    trouble_ =
        Status(Code::invalid_argument,
               "collective " + std::to_string(call_.number) + " of the group is " + call_.describe() + " at rank " +
                   std::to_string(rank_of(me)) + " and another one at rank " + std::to_string(rank_of(member)),
               Died::operation);
  return false;
}

Status LaneNode::news() {
  if (bases_ == nullptr) return {};
  for (Rank member = 0; member < size; ++member) {
    const auto there = ground_.published(lane_, places_[member]);
    if (there && there->number == call_.number && there->fingerprint() != call_.fingerprint())
      return ground_.mismatch(call_, *there, places_[member]);
    if (line(member).number.load(std::memory_order_acquire) != piece() ||
        line(member).print.load(std::memory_order_relaxed) == print_)
      continue;
    if (memory(me).left.load(std::memory_order_relaxed) < piece()) differs(member);
    if (!trouble_.ok()) return take_trouble();
  }
  return deleted();
}

// What a member showed stays readable, but one that deleted the group before it has left this piece never leaves it.
Status LaneNode::deleted() {
  for (Rank member = 0; member < size; ++member) {
    if (segments_[member]->live() || memory(member).left.load(std::memory_order_acquire) >= piece()) continue;
    if (Status status = ground_.deleted_by(rank_of(member)); !status.ok()) return status;
  }
  return {};
}

std::optional<Rank> LaneNode::never_leaves() const {
  if (bases_ == nullptr || !ground_.any_given_up()) return {};
  for (Rank member = 0; member < size; ++member)
    if (ground_.has_given_up(places_[member]) && memory(member).left.load(std::memory_order_acquire) < piece())
      return places_[member];
  return {};
}

bool LaneNode::is_needed() {
  if (bases_ == nullptr) return false;
  for (Rank member = 0; member < size; ++member)
    if (segments_[member]->live() && memory(member).left.load(std::memory_order_acquire) < piece() &&
        !ground_.ports().peers.is_gone(rank_of(member)))
      return true;
  return false;
}

// ---- bells ----

void LaneNode::ring(Rank member) {
  bells_[member]->ring();
}

void LaneNode::ring_from(Rank first) {
  // One fence for all bells: what was stored must be visible before `sleepers` is read, as Bell::ring() says.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (Rank member = first; member < size; ++member)
    if (member != me && bells_[member]->sleepers.load(std::memory_order_relaxed) != 0) [[unlikely]]
      ring(member);
}

}  // namespace polder::coll
