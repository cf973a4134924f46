#include "trace/convert/otf2_location.hpp"

#include "trace/format/kind.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace polder::trace {
namespace {

// Of a program that waits for nothing, whose operations are stored directly; older ones are never seen to complete.
constexpr std::size_t kMostPosted = 1 << 16;

OTF2_RegionRole region_role(EventKind like) {
  switch (like) {
    case EventKind::put:
    case EventKind::get:
    case EventKind::put_notify:
    case EventKind::notify:
    case EventKind::atomic:
    case EventKind::accumulate:
    case EventKind::wait_some:
    case EventKind::reset:
    case EventKind::queue_wait: return OTF2_REGION_ROLE_RMA;
    case EventKind::fence: return OTF2_REGION_ROLE_FLUSH;
    case EventKind::lock:
    case EventKind::unlock: return OTF2_REGION_ROLE_CRITICAL;
    case EventKind::message:
    case EventKind::receive:
    case EventKind::handler: return OTF2_REGION_ROLE_POINT2POINT;
    case EventKind::barrier: return OTF2_REGION_ROLE_BARRIER;
    case EventKind::broadcast:
    case EventKind::scatter: return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case EventKind::reduce:
    case EventKind::gather: return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case EventKind::allreduce:
    case EventKind::reduce_scatter:
    case EventKind::allgather:
    case EventKind::alltoall: return OTF2_REGION_ROLE_COLL_ALL2ALL;
    case EventKind::scan:
    case EventKind::exscan:
    case EventKind::neighbours: return OTF2_REGION_ROLE_COLL_OTHER;
    case EventKind::region: return OTF2_REGION_ROLE_CODE;
    default: return OTF2_REGION_ROLE_FUNCTION;
  }
}

OTF2_CollectiveOp collective_of(EventKind like) {
  switch (like) {
    case EventKind::broadcast: return OTF2_COLLECTIVE_OP_BCAST;
    case EventKind::reduce: return OTF2_COLLECTIVE_OP_REDUCE;
    case EventKind::allreduce: return OTF2_COLLECTIVE_OP_ALLREDUCE;
    case EventKind::reduce_scatter: return OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
    case EventKind::allgather: return OTF2_COLLECTIVE_OP_ALLGATHER;
    case EventKind::gather: return OTF2_COLLECTIVE_OP_GATHER;
    case EventKind::scatter: return OTF2_COLLECTIVE_OP_SCATTER;
    case EventKind::alltoall: return OTF2_COLLECTIVE_OP_ALLTOALL;
    case EventKind::scan: return OTF2_COLLECTIVE_OP_SCAN;
    case EventKind::exscan: return OTF2_COLLECTIVE_OP_EXSCAN;
    case EventKind::neighbours: return OTF2_COLLECTIVE_OP_ALLTOALLV;  // what comes nearest
    default: return OTF2_COLLECTIVE_OP_BARRIER;
  }
}

// Of those that move data, flags or locks through a window.
bool uses_window(EventKind like) {
  return like <= EventKind::wait_some || like == EventKind::fence || like == EventKind::lock ||
         like == EventKind::unlock;
}

bool has_peer(const Event& event) {
  return event.peer != kNoPeer;
}

}  // namespace

// ---- names ----

Otf2Names::Otf2Names(Job& job, Otf2Archive& archive)
    : archive_(archive), world_(archive.communicator("world", {})), attributes_() {
  const auto number = [&](const char* name, const char* what) {
    return archive.attribute(name, what, OTF2_TYPE_UINT64);
  };
  attributes_ = {.segment = number("segment", "the segment of the call"),
                 .notification = number("notification", "the notification of the call"),
                 .value = number("value", "of the notification, or what was taken"),
                 .queue = number("queue", "the queue of the call"),
                 .peer = number("peer", "the other rank"),
                 .outcome = archive.attribute("outcome", "how the call ended, unless well", OTF2_TYPE_STRING)};
  for (const TraceFile& file : job.files())
    for (const auto& [tag, ranks] : file.groups) {
      const bool known = std::ranges::all_of(ranks, [&](Rank rank) { return rank < job.size(); });
      if (!known || ranks.empty() || ranks.size() == job.size() || groups_.contains(tag)) continue;
      const std::string name = "group of " + std::to_string(ranks.size()) + ", " + std::to_string(tag);
      groups_.emplace(tag, Group{ranks, archive.communicator(name, ranks)});
    }
}

OTF2_RegionRef Otf2Names::region(const TraceFile& file, EventKind kind) {
  const NameEntry entry = file.name_of(kind);
  return archive_.region(entry.name, entry.category, region_role(Job::like(file, kind)));
}

OTF2_MetricRef Otf2Names::metric(const TraceFile& file, EventKind kind) {
  return archive_.metric(file.name_of(kind).name, Job::like(file, kind) == EventKind::hardware);
}

OTF2_RmaWinRef Otf2Names::segment(SegmentId id) {
  return archive_.window(id == kNoSegment ? "no segment" : "segment " + std::to_string(id), world_);
}

OTF2_RmaWinRef Otf2Names::group(std::uint32_t tag) {
  const auto known = groups_.find(tag);
  if (known == groups_.end()) return archive_.window("collectives of the world", world_);
  return archive_.window("collectives of group " + std::to_string(tag), known->second.communicator);
}

std::uint32_t Otf2Names::member(std::uint32_t tag, Rank rank) const {
  const auto known = groups_.find(tag);
  if (rank == kNoPeer || known == groups_.end()) return rank == kNoPeer ? OTF2_UNDEFINED_UINT32 : rank;
  const auto& ranks = known->second.ranks;
  const auto at = std::find(ranks.begin(), ranks.end(), rank);
  return at == ranks.end() ? OTF2_UNDEFINED_UINT32 : std::uint32_t(at - ranks.begin());
}

OTF2_RmaWinRef Otf2Names::messages() {
  return archive_.window("messages", world_);
}

// ---- one thread ----

void Otf2Location::check(OTF2_ErrorCode code) const {
  if (code != OTF2_SUCCESS) throw std::runtime_error(std::string("OTF2: ") + OTF2_Error_GetDescription(code));
}

// Never backwards, whatever a damaged file says.
std::uint64_t Otf2Location::at(std::int64_t time_ns) {
  last_ns_ = std::max(last_ns_, time_ns);
  return std::uint64_t(last_ns_);
}

void Otf2Location::add(const Otf2Record& record) {
  using What = Otf2Record::What;
  const Event& event = record.event;
  leave_until(record.time(), record.what != What::notified);
  switch (record.what) {
    case What::span: return enter(event);
    case What::instant: return instant(event);
    case What::ended: return end_collective(event, Job::like(file_, event.kind));
    case What::notified:
      // A flag has come with its data, of `peer`.
      check(OTF2_EvtWriter_RmaSync(writer_, nullptr, at(event.begin_ns),
                                   event.segment == kNoSegment ? names_.messages() : names_.segment(event.segment),
                                   event.peer, OTF2_RMA_SYNC_TYPE_NOTIFY_IN));
  }
}

void Otf2Location::finish() {
  while (!open_.empty()) leave();
}

void Otf2Location::leave_until(std::int64_t time_ns, bool also_then) {
  while (!open_.empty() && (open_.back().event.end_ns < time_ns || (also_then && open_.back().event.end_ns == time_ns)))
    leave();
}

void Otf2Location::enter(Event event) {
  if (!open_.empty()) event.end_ns = std::min(event.end_ns, open_.back().event.end_ns);
  Open open{event, Job::like(file_, event.kind), names_.region(file_, event.kind), 0, 0};
  OTF2_AttributeList* const attributes = OTF2_AttributeList_New();
  const Otf2Names::Attributes& known = names_.attributes();
  const auto add = [&](bool given, OTF2_AttributeRef attribute, std::uint64_t value) {
    if (given) OTF2_AttributeList_AddUint64(attributes, attribute, value);
  };
  add(event.segment != kNoSegment && !is_collective(open.like), known.segment, event.segment);
  add(event.notification != kNoNotification, known.notification, event.notification);
  add(event.value != 0, known.value, event.value);
  add(event.queue != kNoQueue && !is_collective(open.like), known.queue, event.queue);
  add(has_peer(event), known.peer, event.peer);
  if (event.outcome != Code::ok)
    OTF2_AttributeList_AddStringRef(attributes, known.outcome,
                                    names_.archive().string(std::string(to_string(event.outcome))));
  const OTF2_ErrorCode entered = OTF2_EvtWriter_Enter(writer_, attributes, at(event.begin_ns), open.region);
  OTF2_AttributeList_Delete(attributes);
  check(entered);
  begin_operation(open);
  open_.push_back(open);
}

void Otf2Location::leave() {
  const Open open = open_.back();
  open_.pop_back();
  end_operation(open);
  check(OTF2_EvtWriter_Leave(writer_, nullptr, at(open.event.end_ns), open.region));
}

// What failed, or ran out of time before it was posted, has moved nothing.
void Otf2Location::begin_operation(Open& open) {
  const Event& event = open.event;
  const std::uint64_t now = at(event.begin_ns);
  if (is_collective(open.like)) return check(OTF2_EvtWriter_RmaCollectiveBegin(writer_, nullptr, now));
  if (event.outcome != Code::ok) return;
  if (uses_window(open.like)) open.window = names_.segment(event.segment);
  const auto notify = [&] {
    check(OTF2_EvtWriter_RmaSync(writer_, nullptr, now, open.window, event.peer, OTF2_RMA_SYNC_TYPE_NOTIFY_OUT));
  };
  if (open.like == EventKind::wait_some) return check(OTF2_EvtWriter_RmaWaitChange(writer_, nullptr, now, open.window));
  if (!has_peer(event)) return;
  switch (open.like) {
    case EventKind::put:
    case EventKind::put_notify:
      open.id = ++operations_;
      check(OTF2_EvtWriter_RmaPut(writer_, nullptr, now, open.window, event.peer, event.bytes, open.id));
      if (open.like == EventKind::put_notify) notify();
      return;
    case EventKind::message:
      open.window = names_.messages();
      open.id = ++operations_;
      check(OTF2_EvtWriter_RmaPut(writer_, nullptr, now, open.window, event.peer, event.bytes, open.id));
      return notify();
    case EventKind::get:
      open.id = ++operations_;
      return check(OTF2_EvtWriter_RmaGet(writer_, nullptr, now, open.window, event.peer, event.bytes, open.id));
    case EventKind::notify: return notify();
    case EventKind::atomic:
      open.id = ++operations_;
      return check(OTF2_EvtWriter_RmaAtomic(writer_, nullptr, now, open.window, event.peer,
                                            OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE, event.bytes, event.bytes,
                                            open.id));
    case EventKind::accumulate:
      open.id = ++operations_;
      return check(OTF2_EvtWriter_RmaAtomic(writer_, nullptr, now, open.window, event.peer,
                                            OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, event.bytes, 0, open.id));
    case EventKind::fence:
      return check(OTF2_EvtWriter_RmaSync(writer_, nullptr, now, open.window, event.peer, OTF2_RMA_SYNC_TYPE_MEMORY));
    case EventKind::lock:
      return check(OTF2_EvtWriter_RmaRequestLock(writer_, nullptr, now, open.window, event.peer, event.value,
                                                 OTF2_LOCK_EXCLUSIVE));
    default: return;
  }
}

void Otf2Location::end_operation(const Open& open) {
  const Event& event = open.event;
  if (is_collective(open.like)) return end_collective(event, open.like);
  if (event.outcome != Code::ok) return;
  const std::uint64_t now = at(event.end_ns);
  if (open.like == EventKind::queue_wait) return complete(event.queue, event.end_ns);
  if (open.like == EventKind::lock && has_peer(event))
    return check(OTF2_EvtWriter_RmaAcquireLock(writer_, nullptr, now, open.window, event.peer, event.value,
                                               OTF2_LOCK_EXCLUSIVE));
  if (open.like == EventKind::unlock && has_peer(event))
    return check(OTF2_EvtWriter_RmaReleaseLock(writer_, nullptr, now, open.window, event.peer, event.value));
  if (open.id == 0) return;
  if (event.queue == kNoQueue || open.like == EventKind::message)
    return check(OTF2_EvtWriter_RmaOpCompleteBlocking(writer_, nullptr, now, open.window, open.id));
  std::deque<Posted>& posted = posted_[event.queue];
  posted.push_back({open.window, open.id});
  if (posted.size() > kMostPosted) posted.pop_front();
}

void Otf2Location::end_collective(const Event& event, EventKind like) {
  const bool has_data = like != EventKind::barrier;
  check(OTF2_EvtWriter_RmaCollectiveEnd(writer_, nullptr, at(event.end_ns), collective_of(like),
                                        OTF2_RMA_SYNC_LEVEL_PROCESS | (has_data ? OTF2_RMA_SYNC_LEVEL_MEMORY : 0),
                                        names_.group(event.segment), names_.member(event.segment, event.peer),
                                        has_data ? event.bytes : 0, has_data ? event.bytes : 0));
}

// A wait without a queue's number is for a handle, of which it is not known what it stands for.
void Otf2Location::complete(std::uint16_t queue, std::int64_t time_ns) {
  const auto posted = posted_.find(queue);
  if (queue == kNoQueue || posted == posted_.end()) return;
  for (const Posted& each : posted->second)
    check(OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer_, nullptr, at(time_ns), each.window, each.id));
  posted->second.clear();
}

void Otf2Location::instant(const Event& event) {
  const EventKind like = Job::like(file_, event.kind);
  if (event.phase == Phase::counter) {
    const OTF2_Type type = OTF2_TYPE_UINT64;
    const OTF2_MetricValue value{.unsigned_int = event.bytes};
    return check(OTF2_EvtWriter_Metric(writer_, nullptr, at(event.begin_ns), names_.metric(file_, event.kind), 1, &type,
                                       &value));
  }
  if (event.phase == Phase::async) {
    if (is_collective(like)) check(OTF2_EvtWriter_RmaCollectiveBegin(writer_, nullptr, at(event.begin_ns)));
    return;
  }
  Event mark = event;
  mark.end_ns = mark.begin_ns;
  enter(mark);
  leave();
}

}  // namespace polder::trace
