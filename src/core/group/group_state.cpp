#include "core/group/group_state.hpp"

#include "core/group/group_table.hpp"
#include "core/health/departures.hpp"
#include "core/post/one_sided.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/segments.hpp"
#include "util/assert.hpp"
#include "util/random.hpp"

#include <algorithm>
#include <numeric>

namespace polder::core {
namespace {

std::vector<Rank> first_numbers(std::size_t count) {
  std::vector<Rank> numbers(count);
  std::iota(numbers.begin(), numbers.end(), Rank{0});
  return numbers;
}

}  // namespace

GroupState::GroupState(GroupTable& table, std::vector<Rank> ranks, Rank index, std::uint32_t slot,
                       std::span<GroupState* const> others, std::uint64_t label)
    : table_(table),
      ports_(table.ports()),
      ranks_(std::move(ranks)),
      ascending_(std::is_sorted(ranks_.begin(), ranks_.end())),
      index_(index),
      nodes_(ports_.outside, ranks_, index),
      letters_(Rank(ranks_.size()), Rank(nodes_.leaders().size()), GroupMemory::bytes(ranks_.size()),
               GroupMemory::kNotifications),
      node_room_(nodes_.leaders().size() < ranks_.size(), letters_.bytes(), LetterRoom::kLanes),
      records_(ports_, ranks_, util::round_up(node_room_.bytes(), util::kPage)),
      everyone_(first_numbers(ranks_.size())),
      slot_(slot),
      memories_(ranks_.size()),
      flat_(nodes_.one() && !ports_.progress.patience().options().oversubscribed) {
  // Two groups of the same ranks and label are told apart by how many of them are alive.
  tag_ = 0x67726f7570;
  for (const Rank rank : ranks_) tag_ = util::mix(tag_ ^ rank);
  if (label != 0) tag_ = util::mix(tag_ ^ util::mix(label));
  tag_ = util::mix(tag_ + occurrence(others));
  tag_ += tag_ == 0;
}
std::uint32_t GroupState::occurrence(std::span<GroupState* const> others) const {
  std::set<std::uint64_t> taken;
  for (const GroupState* other : others)
    if (other != nullptr && other->ranks_ == ranks_) taken.insert(other->tag_);
  std::uint32_t number = 0;
  while (taken.count(util::mix(tag_ + number)) != 0) ++number;
  return number;
}

bool GroupState::in_forked_child() const {
  return ports_.outside.in_forked_child();
}

SegmentId group_segment(std::uint32_t slot) {
  return Root::kFirstGroupSegment + slot;
}

GroupMemory& GroupState::memory() const {
  return *reinterpret_cast<GroupMemory*>(segment_->data);
}

GroupState::~GroupState() {
  // What is under way reads and writes memory of this group.
  const util::Deadline patience(std::chrono::seconds(5), ports_.clock);
  for (Queue* const queue : {greetings_.get(), reads_.get()})
    if (queue != nullptr) (void)queue->wait(Completion::local, patience.remaining()).ok();
  end_extensions();
  let_go();
  if (stage_ != Stage::created) {
    table_.close(records_, tag_);
    ports_.departures.note(progress());
    table_.withdraw(slot_, tag_);
    // The segment can only be missing if the runtime is ending, which conceals it itself.
    if (Status status = ports_.segments.remove_internal(group_segment(slot_)); !status.ok()) return;
  }
  table_.remove(slot_);
}

// Of the commit of a partner, or of our own.
std::uint64_t GroupState::nonce_of(Rank member) const {
  if (member == index_) return nonce_;
  const auto partner =
      std::find_if(partners_.begin(), partners_.end(), [&](const Partner& each) { return each.member == member; });
  POLDER_ASSERT(partner != partners_.end() && partner->acquainted);
  return partner->nonce;
}

Status GroupState::check_committed() const {
  return committed() ? Status() : Status(Code::invalid_group, "a collective of a group that has not been committed");
}

}  // namespace polder::core
