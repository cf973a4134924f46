#include "core/group/group_table.hpp"

#include "core/group/group_memory.hpp"
#include "core/group/member_records.hpp"
#include "core/group/record_question.hpp"
#include "core/message/question.hpp"
#include "core/message/requests.hpp"
#include "core/peers/root_layout.hpp"
#include "core/progress/outside.hpp"
#include "core/segment/peer_segments.hpp"
#include "core/segment/segments.hpp"
#include "util/thread.hpp"

#include <algorithm>
#include <atomic>
#include <string>

namespace polder::core {
namespace {

// Answered with a FoundGroup.
struct FindGroup : RequestHead {
  std::uint64_t tag = 0;
  std::uint64_t committed = 0;  // 1: only if it is
};

}  // namespace

GroupTable::GroupTable(const GroupPorts& ports) : ports_(ports), groups_(Root::kGroups) {
  ports_.requests.serve(number::kFindGroup, [this](const Request& request) { serve(request); });
  ports_.requests.serve(number::kRecord, [this](const Request& request) { serve_record(request); });
}

Result<std::uint32_t> GroupTable::free_slot() const {
  const auto free = std::find(groups_.begin(), groups_.end(), nullptr);
  if (free != groups_.end()) return std::uint32_t(free - groups_.begin());
  return Status(Code::limit, "this rank has " + std::to_string(groups_.size()) + " groups already");
}

bool GroupTable::has_room() {
  std::lock_guard lock(mutex_);
  return free_slot().ok();
}

void GroupTable::remove(std::uint32_t slot) {
  std::lock_guard lock(mutex_);
  groups_[slot] = nullptr;
}

// ---- being found ----

void GroupTable::announce(std::uint32_t slot, std::uint64_t tag, std::uint64_t nonce) {
  Root& root = ports_.segments.root();
  {
    std::lock_guard lock(mutex_);
    GroupSummary summary;
    if (!root.group_summary.read(summary) || summary.used <= slot) root.group_summary.write({slot + 1u});
  }
  std::uint64_t before = 0;
  {
    std::lock_guard lock(records_mutex_);
    before = ended(tag);
  }
  root.groups[slot].write({tag, nonce, 0, before});
  std::atomic_thread_fence(
      std::memory_order_seq_cst);  // announce, then look: of two members at least one sees the other
  answer_finders(tag);
}

void GroupTable::note_committed(std::uint32_t slot, std::uint64_t tag, std::uint64_t nonce) {
  ports_.segments.root().groups[slot].write({tag, nonce, 1});
  answer_finders(tag);
}

void GroupTable::withdraw(std::uint32_t slot, std::uint64_t tag) {
  ports_.segments.root().groups[slot].write({});
  answer_finders(tag);
}

void GroupTable::answer_finders(std::uint64_t tag) {
  std::lock_guard lock(finders_mutex_);
  std::erase_if(finders_, [&](const Finder& finder) { return finder.tag == tag && answer(finder); });
}

void GroupTable::serve(const Request& request) {
  FindGroup wanted;
  Decoder decoder(request.message);
  if (!decoder.take(wanted) || !decoder.done() || wanted.committed > 1)
    return ports_.requests.reply(request.caller, Code::invalid_argument);
  const Finder finder{request.caller, wanted.tag, wanted.committed == 1 ? Found::committed : Found::announced};
  std::lock_guard lock(finders_mutex_);
  if (answer(finder)) return;
  // A member asks anew after a while; its older question is forgotten there.
  std::erase_if(finders_, [&](const Finder& old) {
    return old.caller.rank == finder.caller.rank && old.tag == finder.tag && old.wanted == finder.wanted;
  });
  finders_.push_back(finder);
}

// False: there is no such group yet. Whoever asks for a committed one has been through the commit itself, for which all
// members have announced theirs: where there is none, it has been deleted.
bool GroupTable::answer(const Finder& finder) {
  Root& root = ports_.segments.root();
  GroupSummary summary;
  if (!root.group_summary.read(summary)) return false;  // announced this instant: announce() looks again
  for (std::uint32_t index = 0; index < summary.entries(); ++index) {
    GroupEntry entry;
    while (!root.groups[index].read(entry)) util::yield_core();  // another thread is at work, for an instant
    if (entry.tag != finder.tag) continue;
    if (finder.wanted == Found::committed && entry.committed == 0) return false;
    auto memory = ports_.peer_segments.resolve(ports_.outside.rank(), group_segment(index), Timeout::test());
    if (!memory.ok()) return false;  // it is about to be deleted
    const FoundGroup found{index, entry.nonce, (*memory)->generation, entry.committed};
    ports_.requests.reply(finder.caller, Code::ok, bytes_of(found));
    return true;
  }
  if (finder.wanted == Found::announced) return false;
  ports_.requests.reply(finder.caller, Code::invalid_group);
  return true;
}

// ---- finding ----

Status GroupTable::ask(Peer& peer, std::uint64_t tag, Found wanted, Question& question) {
  FindGroup request;
  request.tag = tag;
  request.committed = wanted == Found::committed ? 1 : 0;
  return ports_.requests.call(peer, number::kFindGroup, request, {},
                              {.completion = &question, .data = question.answer(), .bytes = sizeof(FoundGroup)});
}

// ---- records ----

void GroupTable::open(MemberRecords& records, std::uint64_t tag) {
  std::lock_guard lock(records_mutex_);
  records_[tag] = &records;
}

void GroupTable::close(MemberRecords& records, std::uint64_t tag) {
  {
    std::lock_guard lock(records_mutex_);
    records_.erase(tag);
    if (records.incarnation() != 0) {
      std::erase_if(ended_, [&](const Ended& old) { return old.tag == tag; });
      ended_.push_back({tag, records.incarnation()});
      if (ended_.size() > kMostEnded) ended_.pop_front();
    }
  }
  records.close();
}

std::uint64_t GroupTable::ended(std::uint64_t tag) const {
  records_mutex_.assert_held();
  const auto found = std::find_if(ended_.begin(), ended_.end(), [&](const Ended& each) { return each.tag == tag; });
  return found == ended_.end() ? 0 : found->incarnation;
}

void GroupTable::serve_record(const Request& request) {
  FindRecord find;
  Decoder decoder(request.message);
  if (!decoder.take(find) || !decoder.done()) return ports_.requests.reply(request.caller, Code::invalid_argument);
  std::lock_guard lock(records_mutex_);
  const auto records = records_.find(find.wanted.tag);
  const std::uint64_t incarnation = find.wanted.incarnation;
  if (records == records_.end() || (incarnation != 0 && incarnation == ended(find.wanted.tag)))
    return ports_.requests.reply(request.caller, Code::invalid_group);
  records->second->serve(request.caller, find.wanted.seen);
}

}  // namespace polder::core
