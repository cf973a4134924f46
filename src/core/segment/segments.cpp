#include "core/segment/segments.hpp"

#include "core/message/messaging.hpp"
#include "core/message/requests.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/continuations.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "core/progress/waits.hpp"
#include "core/segment/peer_segments.hpp"
#include "core/segment/segment_messages.hpp"
#include "trace/record/span.hpp"
#include "util/mapped_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <new>
#include <string>

namespace polder::core {
namespace {

// Gives the memory of a shared mapping back although peers map it still. Where the memory is not shared this does
// nothing.
void discard(std::byte* data, std::size_t size) {
  if (size != 0) madvise(data, size, MADV_REMOVE);
}

std::string segment_name(SegmentId id) {
  return "segment " + std::to_string(id);
}

// A peer that has not answered may take the next segment of that number for the one that has gone.
bool is_in_use_elsewhere(const std::vector<std::shared_ptr<Withdrawal>>& leaving, SegmentId id) {
  return std::any_of(leaving.begin(), leaving.end(), [id](const auto& withdrawal) {
    return withdrawal->local_segment().segment.id == id && withdrawal->unanswered() != 0;
  });
}

}  // namespace

Segments::Segments(const Ports& ports, std::size_t limit) : ports_(ports), limit_(limit) {
  ports_.progress.add(*this);
  ports_.requests.serve(number::kFindSegment, [this](const Request& request) { answer(request); });
}

Status Segments::open(std::uint64_t job) {
  auto memory = ports_.outside.device->expose_to_neighbours(sizeof(Root));
  if (!memory.ok()) return std::move(memory).status();
  root_ = *memory;
  root().job = job;
  root().magic = Root::kMagic;
  return {};
}

void Segments::close() {
  std::map<SegmentId, LocalSegment> rest;
  std::vector<std::shared_ptr<Withdrawal>> leaving;
  {
    std::lock_guard lock(mutex_);
    rest.swap(segments_);
    leaving.swap(leaving_);
  }
  for (auto& [id, local] : rest) {
    hide(local);
    conceal(local);
  }
  for (const auto& withdrawal : leaving) conceal(withdrawal->local_segment());
  if (root_.data != nullptr) ports_.outside.device->conceal(root_);
}

Result<SegmentId> Segments::choose_id(const SegmentSpec& spec) const {
  if (spec.id == kAnySegment) {
    const SegmentId id = next_free(kFirstAutomaticSegment);
    if (id >= Root::kFirstGroupSegment) return Status(Code::limit, "all automatic segment ids are in use");
    return id;
  }
  if (spec.id >= kFirstAutomaticSegment)
    return Status(Code::invalid_segment,
                  segment_name(spec.id) + ": a chosen id must be below " + std::to_string(kFirstAutomaticSegment));
  if (segments_.count(spec.id) != 0)
    return Status(Code::exists, segment_name(spec.id) + " exists already at this rank");
  return spec.id;
}

SegmentId Segments::next_free(SegmentId from) const {
  SegmentId id = from;
  for (auto at = segments_.lower_bound(id);; ++id)
    if (at != segments_.end() && at->first == id)
      ++at;
    else if (!is_in_use_elsewhere(leaving_, id))
      break;
  return std::min(id, Root::kFirstGroupSegment);
}

SegmentId Segments::free_id(SegmentId from) const {
  std::lock_guard lock(mutex_);
  return next_free(from);
}

Status Segments::check_limit() const {
  if (ids_in_use() < limit_) return {};
  return {Code::limit, "this rank has " + std::to_string(ids_in_use()) + " segments already"};
}

Result<Segment> Segments::create_at(SegmentId id, const SegmentSpec& spec) {
  std::lock_guard lock(mutex_);
  if (Status status = check_limit(); !status.ok()) return status;
  if (next_free(id) != id) return Status(Code::exists, segment_name(id) + " exists already at this rank");
  return add(id, spec);
}

Result<Segment> Segments::create(const SegmentSpec& spec) {
  // Peers may need this rank's help to reach memory that is not shared.
  if (spec.memory != nullptr) ports_.progress.start_helper();
  std::lock_guard lock(mutex_);
  if (Status status = check_limit(); !status.ok()) return status;
  auto id = choose_id(spec);
  if (!id.ok()) return std::move(id).status();
  return add(*id, spec);
}

Result<Segment> Segments::create_internal(SegmentId id, const SegmentSpec& spec) {
  std::lock_guard lock(mutex_);
  return add(id, spec);
}

Result<Segment> Segments::add(SegmentId id, const SegmentSpec& spec) {
  auto made = expose(spec, id);
  if (!made.ok()) return std::move(made).status();
  LocalSegment& local = segments_[id] = *std::move(made);
  announce(local, ++generations_);
  return local.segment;
}

std::size_t Segments::ids_in_use() const {
  return std::size_t(std::distance(segments_.begin(), segments_.lower_bound(Root::kFirstGroupSegment)));
}

Result<LocalSegment> Segments::expose(const SegmentSpec& spec, SegmentId id) {
  trace::Span span(ports_.outside.recorder(), trace::EventKind::segment_create, {.bytes = spec.size});
  return span.outcome(expose_untraced(spec, id));
}

Result<LocalSegment> Segments::expose_untraced(const SegmentSpec& spec, SegmentId id) {
  const std::size_t control_bytes = SegmentControl::bytes(spec.notifications);
  const bool users = spec.memory != nullptr;
  if (spec.size > SIZE_MAX / 2)
    return Status(Code::invalid_size, segment_name(id) + ": " + std::to_string(spec.size) + " bytes are too many");
  // A peer would fault in the owner's helper, which cannot answer for it.
  if (users && !util::is_mapped(spec.memory, spec.size))
    return Status(Code::invalid_argument, segment_name(id) + ": of the " + std::to_string(spec.size) +
                                              " bytes of user memory some cannot be read and written");
  auto control = ports_.outside.device->expose(nullptr, control_bytes + (users ? 0 : spec.size));
  if (!control.ok()) return std::move(control).status();
  LocalSegment local{.segment = {},
                     .control = new (control->data) SegmentControl,
                     .control_memory = *control,
                     .user_memory = {},
                     .users = users,
                     .own = nullptr,
                     .entry = {},
                     .importers = {}};
  if (users) {
    auto memory = ports_.outside.device->expose(spec.memory, spec.size);
    if (!memory.ok()) {
      ports_.outside.device->conceal(*control);
      return std::move(memory).status();
    }
    local.user_memory = *memory;
  }
  local.segment = {.id = id,
                   .data = users ? static_cast<std::byte*>(spec.memory) : control->data + control_bytes,
                   .size = spec.size,
                   .notifications = spec.notifications};
  return local;
}

void Segments::announce(LocalSegment& local, std::uint64_t generation) {
  SegmentControl& control = *local.control;
  control.notifications = local.segment.notifications;
  control.generation.store(generation, std::memory_order_release);

  auto seen = std::make_unique<PeerSegment>();
  seen->rank = ports_.outside.rank();
  seen->id = local.segment.id;
  seen->generation = generation;
  seen->size = local.segment.size;
  seen->notifications = local.segment.notifications;
  const auto misalignment = std::uint16_t(std::bit_cast<std::uintptr_t>(local.segment.data) % 16);
  seen->misalignment = misalignment;
  seen->data = local.segment.data;
  seen->control = local.control;
  local.own = seen.get();
  ports_.all.add_own(std::move(seen));

  local.entry = {.generation = generation,
                 .size = local.segment.size,
                 .data_offset = local.users ? 0 : SegmentControl::bytes(local.segment.notifications),
                 .notifications = local.segment.notifications,
                 .data_is_control = std::uint16_t(local.users ? 0 : 1),
                 .misalignment = misalignment,
                 .control_key = local.control_memory.key,
                 .data_key = local.users ? local.user_memory.key : local.control_memory.key};
  root().segments[local.segment.id].write(local.entry);
}

void Segments::answer(const Request& request) {
  FindSegment wanted;
  SegmentEntry entry;
  Decoder decoder(request.message);
  const bool well_formed = decoder.take(wanted) && decoder.done() && wanted.segment < kSegmentIdLimit;
  if (!well_formed || !admit(request.caller.rank, SegmentId(wanted.segment), entry))
    return ports_.requests.reply(request.caller, Code::invalid_segment);
  ports_.requests.reply(request.caller, Code::ok, bytes_of(entry));
}

// Notes that `peer` will use the segment, so that it is told of its end. False: there is none.
bool Segments::admit(Rank peer, SegmentId id, SegmentEntry& entry) {
  std::lock_guard lock(mutex_);
  const auto found = segments_.find(id);
  if (found == segments_.end()) return false;
  std::vector<Rank>& importers = found->second.importers;
  if (std::find(importers.begin(), importers.end(), peer) == importers.end()) importers.push_back(peer);
  entry = found->second.entry;
  return true;
}

Status Segments::remove(SegmentId id, Timeout timeout) {
  trace::Span span(ports_.outside.recorder(), trace::EventKind::segment_delete, {.segment = id});
  return span.outcome(remove_untraced(id, timeout));
}

Status Segments::remove_untraced(SegmentId id, Timeout timeout) {
  auto withdrawal = withdraw(id);
  if (!withdrawal.ok()) return std::move(withdrawal).status();
  if (may_not_wait(**withdrawal)) timeout = Timeout::test();
  const Status waited = wait_for(
      ports_.progress, [&] { return settle(), (*withdrawal)->concealed(); }, timeout,
      [&](bootstrap::LongWait& wait) { wait.say("for the end of " + segment_name(id)); });
  if (!waited.timed_out()) return waited;
  if ((*withdrawal)->unanswered() == 0)
    return {Code::timeout, segment_name(id) +
                               " is deleted, but a thread of this rank still waits for what changes in it; "
                               "its memory is kept until that wait has ended"};
  return {Code::timeout,
          segment_name(id) + " is deleted, but " + std::to_string((*withdrawal)->unanswered()) +
              " of its peers have not confirmed that they use it no more; its memory is kept until they do"};
}

// The answers of peers are messages, too. And a thread that runs a continuation may do so in the middle of the very wait
// that has to end first.
bool Segments::may_not_wait(const Withdrawal& withdrawal) const {
  return ports_.messaging.in_handler() || (withdrawal.in_use() && ports_.continuations.runs_here());
}

Status Segments::remove_internal(SegmentId id) {
  auto withdrawal = withdraw(id);
  if (!withdrawal.ok()) return std::move(withdrawal).status();
  settle();
  return {};
}

Result<std::shared_ptr<Withdrawal>> Segments::withdraw(SegmentId id) {
  if (ports_.outside.in_forked_child())
    return Status(Code::closed, segment_name(id) + " is that of the process that has forked this one", Died::runtime);
  std::lock_guard lock(mutex_);
  const auto found = segments_.find(id);
  if (found == segments_.end())
    return Status(Code::invalid_segment,
                  "rank " + std::to_string(ports_.outside.rank()) + " has no " + segment_name(id));
  hide(found->second);
  auto withdrawal =
      std::make_shared<Withdrawal>(ports_.progress, ports_.peers, ports_.requests, std::move(found->second));
  segments_.erase(found);
  leaving_.push_back(withdrawal);
  leaving_count_.store(leaving_.size(), std::memory_order_release);
  return withdrawal;
}

int Segments::settle() {
  if (leaving_count_.load(std::memory_order_acquire) == 0) return 0;
  std::vector<std::shared_ptr<Withdrawal>> untold, complete;
  {
    std::lock_guard lock(mutex_);
    std::erase_if(leaving_, [&](const auto& withdrawal) {
      const bool ended = withdrawal->unanswered() == 0 && !withdrawal->in_use();
      (ended ? complete : untold).push_back(withdrawal);
      return ended;
    });
    leaving_count_.store(leaving_.size(), std::memory_order_release);
  }
  int events = 0;
  for (const auto& withdrawal : complete) {
    conceal(withdrawal->local_segment());
    withdrawal->set_concealed();
    ++events;
  }
  if (!complete.empty()) ring_completions(ports_.progress);
  for (const auto& withdrawal : untold) events += withdrawal->tell();
  return events;
}

// Nobody finds it any more, and those who wait for what changes there are about to leave it.
void Segments::hide(const LocalSegment& local) {
  const SegmentId id = local.segment.id;
  root().segments[id].write({});
  ports_.all.forget_own(id);
  local.control->generation.store(0, std::memory_order_release);
  local.control->bell.ring();
}

// Gives the memory back. REQUIRES: hidden, and mutex_ is not held: a request of a peer, which may need it, comes first.
void Segments::conceal(const LocalSegment& local) {
  const Segment& segment = local.segment;
  ports_.continuations.let_go(local.control->bell);
  const auto unused = hold_memory();  // a request of a peer may be at work on it
  if (local.users) ports_.outside.device->conceal(local.user_memory);
  // A member that is late out of a group's last barrier still reads the group's memory; it is small and stays as it
  // was.
  else if (segment.id < Root::kFirstGroupSegment)
    discard(segment.data, segment.size);
  ports_.outside.device->conceal(local.control_memory);
}

Result<Segment> Segments::find(SegmentId id) const {
  std::lock_guard lock(mutex_);
  const auto found = segments_.find(id);
  if (found == segments_.end())
    return Status(Code::invalid_segment,
                  "rank " + std::to_string(ports_.outside.rank()) + " has no " + segment_name(id));
  return found->second.segment;
}

std::vector<SegmentId> Segments::ids() const {
  std::lock_guard lock(mutex_);
  std::vector<SegmentId> ids;
  for (const auto& [id, local] : segments_)
    if (id < Root::kFirstGroupSegment) ids.push_back(id);
  return ids;
}

device::Exposure Segments::exposure_of(SegmentId id) const {
  std::lock_guard lock(mutex_);
  const auto found = segments_.find(id);
  return found == segments_.end() ? device::Exposure{} : found->second.control_memory;
}

std::optional<GlobalAddress> Segments::holding(const void* memory, std::size_t bytes) const {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  std::lock_guard lock(mutex_);
  for (const auto& [id, local] : segments_) {
    const auto begin = reinterpret_cast<std::uintptr_t>(local.segment.data);
    if (local.users || address < begin || address - begin > local.segment.size) continue;
    if (bytes <= local.segment.size - (address - begin))
      return GlobalAddress{ports_.outside.rank(), id, address - begin};
  }
  return {};
}

}  // namespace polder::core
