#include "core/segments.hpp"

#include "core/engine.hpp"
#include "trace/span.hpp"

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

std::string name(SegmentId id) {
  return "segment " + std::to_string(id);
}

}  // namespace

Status Segments::open(std::uint64_t job) {
  auto memory = engine_.device->expose(nullptr, sizeof(Root));
  if (!memory.ok()) return std::move(memory).status();
  root_ = *memory;
  root().job = job;
  root().magic = Root::kMagic;
  return {};
}

void Segments::close() {
  std::lock_guard lock(mutex_);
  for (auto& [id, local] : segments_) conceal(local);
  segments_.clear();
  if (root_.data != nullptr) engine_.device->conceal(root_);
}

Result<SegmentId> Segments::choose_id(const SegmentSpec& spec) const {
  if (spec.id == kAnySegment) {
    const SegmentId id = next_free(kFirstAutomaticSegment);
    if (id >= Root::kFirstGroupSegment) return Status(Code::limit, "all automatic segment ids are in use");
    return id;
  }
  if (spec.id >= kFirstAutomaticSegment)
    return Status(Code::invalid_segment,
                  name(spec.id) + ": a chosen id must be below " + std::to_string(kFirstAutomaticSegment));
  if (segments_.count(spec.id) != 0) return Status(Code::exists, name(spec.id) + " exists already at this rank");
  return spec.id;
}

SegmentId Segments::next_free(SegmentId from) const {
  SegmentId id = from;
  for (auto at = segments_.lower_bound(id); at != segments_.end() && at->first == id; ++at) ++id;
  return std::min(id, Root::kFirstGroupSegment);
}

SegmentId Segments::free_id(SegmentId from) const {
  std::lock_guard lock(mutex_);
  return next_free(from);
}

Status Segments::check_limit() const {
  if (ids_in_use() < engine_.options.segment_limit) return {};
  return {Code::limit, "this rank has " + std::to_string(ids_in_use()) + " segments already"};
}

Result<Segment> Segments::create_at(SegmentId id, const SegmentSpec& spec) {
  std::lock_guard lock(mutex_);
  if (Status status = check_limit(); !status.ok()) return status;
  if (segments_.count(id) != 0) return Status(Code::exists, name(id) + " exists already at this rank");
  return add(id, spec);
}

Result<Segment> Segments::create(const SegmentSpec& spec) {
  // Peers may need this rank's help to reach memory that is not shared.
  if (spec.memory != nullptr) engine_.messaging.start_helper();
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
  segments_[id] = *made;
  announce(*made, ++generations_);
  return made->segment;
}

std::size_t Segments::ids_in_use() const {
  return std::size_t(std::distance(segments_.begin(), segments_.lower_bound(Root::kFirstGroupSegment)));
}

Result<Segments::Local> Segments::expose(const SegmentSpec& spec, SegmentId id) {
  trace::Span span(engine_.recorder(), trace::Kind::segment_create, {.bytes = spec.size});
  const std::size_t control_bytes = SegmentControl::bytes(spec.notifications);
  const bool users = spec.memory != nullptr;
  if (spec.size > SIZE_MAX / 2)
    return Status(Code::invalid_size, name(id) + ": " + std::to_string(spec.size) + " bytes are too many");
  auto control = engine_.device->expose(nullptr, control_bytes + (users ? 0 : spec.size));
  if (!control.ok()) return std::move(control).status();
  Local local{.segment = {},
              .control = new (control->data) SegmentControl,
              .control_memory = *control,
              .user_memory = {},
              .users = users};
  if (users) {
    auto memory = engine_.device->expose(spec.memory, spec.size);
    if (!memory.ok()) {
      engine_.device->conceal(*control);
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

void Segments::announce(const Local& local, std::uint64_t generation) {
  SegmentControl& control = *local.control;
  control.notifications = local.segment.notifications;
  control.generation.store(generation, std::memory_order_release);

  auto seen = std::make_unique<PeerSegment>();
  seen->rank = engine_.rank();
  seen->id = local.segment.id;
  seen->generation = generation;
  seen->size = local.segment.size;
  seen->notifications = local.segment.notifications;
  const auto misalignment = std::uint16_t(std::bit_cast<std::uintptr_t>(local.segment.data) % 16);
  seen->misalignment = misalignment;
  seen->data = local.segment.data;
  seen->control = local.control;
  SegmentSlot& slot = engine_.peers.at(engine_.rank()).segments.find_or_insert(local.segment.id, [] {
    return std::make_unique<SegmentSlot>();
  });
  slot.publish(std::move(seen));

  root().segments[local.segment.id].write(
      {.generation = generation,
       .size = local.segment.size,
       .data_offset = local.users ? 0 : SegmentControl::bytes(local.segment.notifications),
       .notifications = local.segment.notifications,
       .data_is_control = std::uint16_t(local.users ? 0 : 1),
       .misalignment = misalignment,
       .control_key = local.control_memory.key,
       .data_key = local.users ? local.user_memory.key : local.control_memory.key});
}

Status Segments::remove(SegmentId id) {
  trace::Span span(engine_.recorder(), trace::Kind::segment_delete, {.segment = id});
  std::lock_guard lock(mutex_);
  const auto found = segments_.find(id);
  if (found == segments_.end())
    return {Code::invalid_segment, "rank " + std::to_string(engine_.rank()) + " has no " + name(id)};
  conceal(found->second);
  segments_.erase(found);
  return {};
}

void Segments::conceal(const Local& local) {
  const Segment& segment = local.segment;
  root().segments[segment.id].write({});
  if (SegmentSlot* slot = engine_.peers.at(engine_.rank()).segments.find(segment.id)) slot->current.store(nullptr);
  engine_.peers.forget_own(segment.id);
  local.control->generation.store(0, std::memory_order_release);
  local.control->bell.ring();  // whoever waits for a notification here learns that there will be none
  const auto unused = engine_.emulation.pause_serving();  // a request of a peer may be at work on this memory
  if (local.users) engine_.device->conceal(local.user_memory);
  // A member that is late out of a group's last barrier still reads the group's memory; it is small and stays as it
  // was.
  else if (segment.id < Root::kFirstGroupSegment)
    discard(segment.data, segment.size);
  engine_.device->conceal(local.control_memory);
}

Result<Segment> Segments::find(SegmentId id) const {
  std::lock_guard lock(mutex_);
  const auto found = segments_.find(id);
  if (found == segments_.end())
    return Status(Code::invalid_segment, "rank " + std::to_string(engine_.rank()) + " has no " + name(id));
  return found->second.segment;
}

std::vector<SegmentId> Segments::ids() const {
  std::lock_guard lock(mutex_);
  std::vector<SegmentId> ids;
  for (const auto& [id, local] : segments_)
    if (id < Root::kFirstGroupSegment) ids.push_back(id);
  return ids;
}

}  // namespace polder::core
