#include "core/group/member_records.hpp"

#include "core/group/group_memory.hpp"
#include "core/group/record_question.hpp"
#include "core/message/question.hpp"
#include "core/message/reply.hpp"
#include "core/message/requests.hpp"
#include "core/peers/peer.hpp"
#include "core/peers/peers.hpp"
#include "core/peers/root_layout.hpp"
#include "core/progress/outside.hpp"
#include "core/segment/peer_segments.hpp"
#include "util/random.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace polder::core {
namespace {

std::uint64_t checksum(std::span<const std::uint64_t> words) {
  std::uint64_t sum = 0;
  for (const std::uint64_t word : words) sum = util::mix(sum ^ word) + 1;
  return sum;
}

}  // namespace

MemberRecords::MemberRecords(const GroupPorts& ports, std::span<const Rank> ranks, std::size_t offset)
    : ports_(ports), ranks_(ranks), offset_(offset), words_(words(Rank(ranks.size()))), own_(words_ + 1) {}

void MemberRecords::open(std::uint64_t tag, std::byte* memory) {
  std::lock_guard lock(mutex_);
  tag_ = tag;
  memory_ = reinterpret_cast<std::atomic<std::uint64_t>*>(memory + offset_);
  closed_ = false;
}

void MemberRecords::close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  for (const Caller& caller : std::exchange(callers_, {})) ports_.requests.reply(caller, Code::invalid_group);
}

// ---- what this member shows ----

Status MemberRecords::check_size() const {
  const std::size_t bytes = own_.size() * sizeof(std::uint64_t) + sizeof(ReplyHead);
  if (bytes <= ports_.outside.device->capabilities().max_message) return {};
  return {Code::limit, "a group of " + std::to_string(ranks_.size()) +
                           " is too large to agree: what a member says has " + std::to_string(bytes) +
                           " bytes, and a message at most " +
                           std::to_string(ports_.outside.device->capabilities().max_message)};
}

void MemberRecords::show(std::span<const std::uint64_t> record) {
  std::lock_guard lock(mutex_);
  ++own_[0];
  std::copy(record.begin(), record.end(), own_.begin() + 1);
  for (std::size_t i = 0; i < own_.size(); ++i) memory_[1 + i].store(own_[i], std::memory_order_relaxed);
  memory_[0].store(checksum(own_), std::memory_order_release);
  for (const Caller& caller : std::exchange(callers_, {}))
    ports_.requests.reply(caller, Code::ok, std::as_bytes(std::span(own_)));
}

void MemberRecords::serve(const Caller& caller, std::uint64_t seen) {
  std::lock_guard lock(mutex_);
  if (closed_) return ports_.requests.reply(caller, Code::invalid_group);
  if (own_[0] != seen) return ports_.requests.reply(caller, Code::ok, std::as_bytes(std::span(own_)));
  std::erase_if(callers_, [&](const Caller& other) { return other.rank == caller.rank; });
  callers_.push_back(caller);
}

void MemberRecords::ring(Rank member) {
  const auto known = known_.find(member);
  if (known != known_.end() && known->second.segment != nullptr && known->second.segment->live())
    known->second.segment->control->bell.ring();
}

// ---- what others show ----

MemberRecords::Look MemberRecords::look(Rank member, Words record) {
  Known& known = known_[member];
  if (known.deleted) return Look::deleted;
  auto peer = ports_.peers.connect(ranks_[member], Timeout::test());
  if (!peer.ok()) return Look::unseen;  // it is gone, and its state says so
  if ((*peer)->root == nullptr) return ask(**peer, known, record);
  if (known.segment == nullptr) find(**peer, known);
  if (known.segment != nullptr && !known.segment->live()) known.deleted = true;
  if (known.deleted) return Look::deleted;
  return known.segment == nullptr ? Look::unseen : load(known, record);
}

// The member has committed the group, so its table names it, or it has deleted it.
void MemberRecords::find(Peer& peer, Known& known) {
  GroupSummary summary;
  if (!peer.root->group_summary.read(summary)) return;  // a writer is at work
  for (std::uint32_t slot = 0; slot < summary.entries(); ++slot) {
    GroupEntry entry;
    if (!peer.root->groups[slot].read(entry)) return;
    if (entry.tag != tag_) continue;
    if (incarnation_ != 0 && entry.before == incarnation_) break;  // it has been made anew
    auto segment = ports_.peer_segments.resolve(peer.rank, group_segment(slot), Timeout::test());
    if (segment.ok()) known.segment = *segment;
    return;
  }
  known.deleted = true;
}

MemberRecords::Look MemberRecords::load(const Known& known, Words record) const {
  const auto* memory = reinterpret_cast<const std::atomic<std::uint64_t>*>(known.segment->data + offset_);
  std::vector<std::uint64_t> copy(words_ + 1);
  const std::uint64_t sum = memory[0].load(std::memory_order_acquire);
  for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = memory[1 + i].load(std::memory_order_relaxed);
  if (copy[0] == 0 || sum != checksum(copy)) return Look::unseen;  // nothing yet, or a writer is at work
  std::copy(copy.begin() + 1, copy.end(), record.begin());
  return Look::seen;
}

// One question is always under way; what it brought the last time is what is known.
MemberRecords::Look MemberRecords::ask(Peer& peer, Known& known, Words record) {
  if (known.asked != nullptr && known.asked->answered()) {
    const auto asked = std::exchange(known.asked, nullptr);
    if (asked->status().ok()) {
      known.answer.resize(words_ + 1);
      std::memcpy(known.answer.data(), asked->answer(), known.answer.size() * sizeof(std::uint64_t));
      known.seen = true;
    } else if (asked->status().code() == Code::invalid_group) {
      known.deleted = true;
      return Look::deleted;
    }
  }
  if (known.asked == nullptr) {
    auto question = Question::make(ports_.progress, (words_ + 1) * sizeof(std::uint64_t));
    const Status asked = question->ask(question, [&](Question& q) {
      return ask_record(ports_, peer, {tag_, known.seen ? known.answer[0] : 0, incarnation_}, q);
    });
    if (asked.ok()) known.asked = std::move(question);
  }
  if (!known.seen) return Look::unseen;
  std::copy(known.answer.begin() + 1, known.answer.end(), record.begin());
  return Look::seen;
}

}  // namespace polder::core
