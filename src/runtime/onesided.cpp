// The hot path. A put to memory that can be stored to is here from beginning to end: find the segment, compare the
// range, copy, raise the flag. Whatever is not that simple, or not right, goes to core/post/one_sided.cpp, and whatever is
// traced is done by a function of its own: so the short way keeps nothing on the stack.
#include "core/direct/notification.hpp"
#include "core/engine/engine.hpp"
#include "core/post/post_check.hpp"
#include "core/post/shape_walk.hpp"
#include "core/post/transfer.hpp"
#include "core/segment/segment_use.hpp"
#include "trace/record/span.hpp"
#include "util/copy.hpp"

#include <polder/runtime.hpp>

#include <string>

namespace polder {

using core::Engine;
using core::PeerSegment;
using core::Transfer;
using trace::EventKind;

namespace {

std::uint16_t queue_number(const Post& post) {
  return post.queue == nullptr ? 0 : post.queue->state().number();
}

// Of payload, which a recorder alone asks for.
std::size_t recorded_bytes(const Engine& engine, const Shape& shape) {
  return engine.recorder() == nullptr ? 0 : core::payload_bytes(shape);
}

// True if `bytes` at `address` of a recent segment can be copied at once.
POLDER_ALWAYS_INLINE bool simple(const PeerSegment* segment, GlobalAddress address, const void* local,
                                 std::size_t bytes) {
  return segment != nullptr && segment->contains(address.offset, bytes) && (local != nullptr || bytes == 0);
}

// A segment of this rank that is alive, else null.
POLDER_ALWAYS_INLINE const PeerSegment* own_segment_at_once(Engine& engine, SegmentId id) {
  const PeerSegment* segment = engine.recent(engine.rank(), id);
  return segment != nullptr ? segment : engine.peer_segments().find(engine.rank(), id);
}

// The segment whose flag goes up.
SegmentId flagged_segment(SegmentId of_data, const Notification& notification) {
  return notification.segment == kAnySegment ? of_data : notification.segment;
}

std::byte* writable(const void* source) {
  return static_cast<std::byte*>(const_cast<void*>(source));
}

// ---- what is done at once ----
// False, and nothing is done: it is not that simple, or not right.

POLDER_ALWAYS_INLINE bool put_at_once(const Engine& engine, const void* source, GlobalAddress target, std::size_t bytes,
                                      const Post& post) {
  const PeerSegment* segment = engine.recent(target.rank, target.segment);
  if (!simple(segment, target, source, bytes) || !core::makes_sense(post)) return false;
  util::copy(segment->data + target.offset, source, bytes);
  return true;
}

POLDER_ALWAYS_INLINE bool get_at_once(const Engine& engine, void* destination, GlobalAddress source, std::size_t bytes,
                                      const Post& post) {
  const PeerSegment* segment = engine.recent(source.rank, source.segment);
  if (!simple(segment, source, destination, bytes) || !core::makes_sense(post)) return false;
  util::copy(destination, segment->data + source.offset, bytes);
  return true;
}

POLDER_ALWAYS_INLINE bool can_raise(const Engine& engine, const PeerSegment& segment, const Notification& notification,
                                    const Post& post) {
  return notification.id < segment.notifications && notification.value != 0 && notification.op <= NotificationOp::add &&
         core::makes_sense(post) && !engine.one_sided().has_overtakable();
}

POLDER_ALWAYS_INLINE bool notify_at_once(const Engine& engine, Rank rank, SegmentId id,
                                         const Notification& notification, const Post& post) {
  const PeerSegment* segment = engine.recent(rank, id);
  if (segment == nullptr || !can_raise(engine, *segment, notification, post)) return false;
  core::raise_flag(*segment, notification);
  return true;
}

POLDER_ALWAYS_INLINE bool put_notify_at_once(const Engine& engine, const void* source, GlobalAddress target,
                                             std::size_t bytes, const Notification& notification, const Post& post) {
  const PeerSegment* segment = engine.recent(target.rank, target.segment);
  if (!simple(segment, target, source, bytes) || notification.segment != kAnySegment ||
      !can_raise(engine, *segment, notification, post))
    return false;
  util::copy(segment->data + target.offset, source, bytes);
  core::raise_flag(*segment, notification);
  return true;
}

// ---- what is traced, or not that simple ----

POLDER_NOINLINE Status put_with_care(Engine& engine, const void* source, GlobalAddress target, std::size_t bytes,
                                     const Post& post) {
  trace::Span span(engine.recorder(), EventKind::put,
                   {.peer = target.rank, .segment = target.segment, .bytes = bytes, .queue = queue_number(post)});
  if (put_at_once(engine, source, target, bytes, post)) return {};
  return span.outcome(
      engine.one_sided().transfer({Transfer::Kind::put, writable(source), target, Shape(bytes), nullptr, post}));
}

POLDER_NOINLINE Status get_with_care(Engine& engine, void* destination, GlobalAddress source, std::size_t bytes,
                                     const Post& post) {
  trace::Span span(engine.recorder(), EventKind::get,
                   {.peer = source.rank, .segment = source.segment, .bytes = bytes, .queue = queue_number(post)});
  if (get_at_once(engine, destination, source, bytes, post)) return {};
  return span.outcome(engine.one_sided().transfer(
      {Transfer::Kind::get, static_cast<std::byte*>(destination), source, Shape(bytes), nullptr, post}));
}

POLDER_NOINLINE Status notify_with_care(Engine& engine, Rank rank, SegmentId id, const Notification& notification,
                                        const Post& post) {
  trace::Span span(engine.recorder(), EventKind::notify,
                   {.peer = rank,
                    .segment = id,
                    .queue = queue_number(post),
                    .notification = notification.id,
                    .value = notification.value});
  if (notify_at_once(engine, rank, id, notification, post)) return {};
  return span.outcome(engine.one_sided().post_flag(rank, id, notification, post));
}

POLDER_NOINLINE Status put_notify_with_care(Engine& engine, const void* source, GlobalAddress target, std::size_t bytes,
                                            const Notification& notification, const Post& post) {
  trace::Span span(engine.recorder(), EventKind::put_notify,
                   {.peer = target.rank,
                    .segment = flagged_segment(target.segment, notification),
                    .bytes = bytes,
                    .queue = queue_number(post),
                    .notification = notification.id,
                    .value = notification.value});
  if (put_notify_at_once(engine, source, target, bytes, notification, post)) return {};
  return span.outcome(
      engine.one_sided().transfer({Transfer::Kind::put, writable(source), target, Shape(bytes), &notification, post}));
}

}  // namespace

// ---- put and get ----

Status Runtime::put(const void* source, GlobalAddress target, std::size_t bytes, Post post) {
  Engine& engine = *engine_;
  if (engine.recorder() == nullptr && put_at_once(engine, source, target, bytes, post)) [[likely]]
    return {};
  return put_with_care(engine, source, target, bytes, post);
}

Status Runtime::get(void* destination, GlobalAddress source, std::size_t bytes, Post post) {
  Engine& engine = *engine_;
  if (engine.recorder() == nullptr && get_at_once(engine, destination, source, bytes, post)) [[likely]]
    return {};
  return get_with_care(engine, destination, source, bytes, post);
}

Status Runtime::put(const void* source, GlobalAddress target, const Shape& shape, Post post) {
  trace::Span span(engine_->recorder(), EventKind::put,
                   {.peer = target.rank,
                    .segment = target.segment,
                    .bytes = recorded_bytes(*engine_, shape),
                    .queue = queue_number(post)});
  return span.outcome(
      engine_->one_sided().transfer({Transfer::Kind::put, writable(source), target, shape, nullptr, post}));
}

Status Runtime::get(void* destination, GlobalAddress source, const Shape& shape, Post post) {
  trace::Span span(engine_->recorder(), EventKind::get,
                   {.peer = source.rank,
                    .segment = source.segment,
                    .bytes = recorded_bytes(*engine_, shape),
                    .queue = queue_number(post)});
  return span.outcome(engine_->one_sided().transfer(
      {Transfer::Kind::get, static_cast<std::byte*>(destination), source, shape, nullptr, post}));
}

// ---- notifications ----

Status Runtime::notify(Rank rank, SegmentId id, Notification notification, Post post) {
  Engine& engine = *engine_;
  if (engine.recorder() == nullptr && notify_at_once(engine, rank, id, notification, post)) [[likely]]
    return {};
  return notify_with_care(engine, rank, id, notification, post);
}

Status Runtime::put_notify(const void* source, GlobalAddress target, std::size_t bytes, Notification notification,
                           Post post) {
  Engine& engine = *engine_;
  if (engine.recorder() == nullptr && put_notify_at_once(engine, source, target, bytes, notification, post)) [[likely]]
    return {};
  return put_notify_with_care(engine, source, target, bytes, notification, post);
}

Status Runtime::put_notify(const void* source, GlobalAddress target, const Shape& shape, Notification notification,
                           Post post) {
  trace::Span span(engine_->recorder(), EventKind::put_notify,
                   {.peer = target.rank,
                    .segment = flagged_segment(target.segment, notification),
                    .bytes = recorded_bytes(*engine_, shape),
                    .queue = queue_number(post),
                    .notification = notification.id,
                    .value = notification.value});
  return span.outcome(
      engine_->one_sided().transfer({Transfer::Kind::put, writable(source), target, shape, &notification, post}));
}

Status Runtime::get_notify(void* destination, GlobalAddress source, const Shape& shape, Notification notification,
                           Post post) {
  trace::Span span(engine_->recorder(), EventKind::get,
                   {.peer = source.rank,
                    .segment = source.segment,
                    .bytes = recorded_bytes(*engine_, shape),
                    .queue = queue_number(post),
                    .notification = notification.id,
                    .value = notification.value});
  if (notification.segment == kAnySegment)
    return span.outcome({Code::invalid_segment, "get_notify needs a segment of this rank for its notification"});
  return span.outcome(engine_->one_sided().transfer(
      {Transfer::Kind::get, static_cast<std::byte*>(destination), source, shape, &notification, post}));
}

Result<NotificationId> Runtime::wait_some(SegmentId id, NotificationId first, NotificationId count, Timeout timeout,
                                          const Watch& watch) {
  Engine& engine = *engine_;
  trace::Span span(engine.recorder(), EventKind::wait_some, {.peer = engine.rank(), .segment = id});
  const PeerSegment* segment = engine.progress().attention() ? nullptr : engine.peer_segments().enter_recent_own(id);
  if (segment == nullptr) [[unlikely]] {
    auto entered = engine.peer_segments().enter_own(id);
    if (!entered.ok()) return span.outcome(std::move(entered).status());
    segment = *entered;
  }
  const core::SegmentUse use(engine.segments(), *segment);
  if (count == 0 || first >= segment->notifications || count > segment->notifications - first) [[unlikely]]
    return span.outcome(Status(Code::invalid_notification, "notifications " + std::to_string(first) + " to " +
                                                               std::to_string(std::uint64_t(first) + count) +
                                                               " of segment " + std::to_string(id) + ": there are " +
                                                               std::to_string(segment->notifications)));
  const std::atomic<std::uint32_t>* flags = segment->control->flags();
  std::optional<NotificationId> found;
  const auto ready = [&] { return (found = core::find_set_flag(flags, first, count)).has_value(); };
  if (!ready()) {
    Status status = engine.progress().wait(
        ready, [&] { return engine.trouble_of_waiting(*segment, id, watch); }, segment->control->bell, timeout,
        [&](bootstrap::LongWait& wait) { Engine::describe_wait(wait, core::flag_names(id, first, count), watch); });
    if (!status.ok()) return span.outcome(std::move(status));
  }
  span.details().notification = *found;
  return *found;
}

Result<NotificationValue> Runtime::reset(SegmentId id, NotificationId notification) {
  Engine& engine = *engine_;
  trace::Span span(engine.recorder(), EventKind::reset,
                   {.peer = engine.rank(), .segment = id, .notification = notification});
  const PeerSegment* segment = own_segment_at_once(engine, id);
  if (segment == nullptr) [[unlikely]] {
    auto resolved = engine.peer_segments().resolve(engine.rank(), id, Timeout::test());
    if (!resolved.ok()) return span.outcome(std::move(resolved).status());
    segment = *resolved;
  }
  if (notification >= segment->notifications) [[unlikely]]
    return span.outcome(Status(Code::invalid_notification, "notification " + std::to_string(notification) +
                                                               " of segment " + std::to_string(id) + ": there are " +
                                                               std::to_string(segment->notifications)));
  const NotificationValue value = segment->control->flags()[notification].exchange(0, std::memory_order_acq_rel);
  span.details().value = value;
  return value;
}

}  // namespace polder
