// Waiting for what others do to this rank's memory: several flags, a flag that counts, a word.
#include "core/direct/notification.hpp"
#include "core/engine/engine.hpp"
#include "core/post/transfer.hpp"
#include "core/segment/segment_use.hpp"
#include "trace/record/span.hpp"

#include <polder/runtime.hpp>

#include <atomic>
#include <string>

namespace polder {

using core::Engine;
using core::PeerSegment;
using trace::EventKind;

namespace {

// Entered: a SegmentUse leaves it.
Result<const PeerSegment*> enter_own(Engine& engine, SegmentId id) {
  const PeerSegment* segment = engine.progress().attention() ? nullptr : engine.peer_segments().enter_recent_own(id);
  if (segment != nullptr) [[likely]]
    return segment;
  return engine.peer_segments().enter_own(id);
}

Status check_flags(const PeerSegment& segment, NotificationId first, NotificationId count) {
  if (count != 0 && first < segment.notifications && count <= segment.notifications - first) return {};
  return {Code::invalid_notification,
          "notifications " + std::to_string(first) + " to " + std::to_string(std::uint64_t(first) + count) +
              " of segment " + std::to_string(segment.id) + ": there are " + std::to_string(segment.notifications)};
}

Status check_word(const PeerSegment& segment, GlobalAddress word, std::size_t bytes) {
  Status status = core::check_range("wait_until", segment, word, bytes);
  return status.ok() ? core::check_alignment("wait_until", segment, word, bytes, bytes) : status;
}

NotificationId set_flags(const PeerSegment& segment, NotificationId first, NotificationId count) {
  const std::atomic<std::uint32_t>* flags = segment.control->flags() + first;
  NotificationId set = 0;
  for (NotificationId i = 0; i < count; ++i) set += flags[i].load(std::memory_order_acquire) != 0;
  return set;
}

template <class T>
bool word_holds(std::byte* place, Compare compare, std::uint64_t value, std::uint64_t& seen) {
  const T word = std::atomic_ref<T>(*reinterpret_cast<T*>(place)).load(std::memory_order_acquire);
  seen = to_word(word);
  return holds(word, compare, from_word<T>(value));
}

using WordTest = bool (*)(std::byte*, Compare, std::uint64_t, std::uint64_t&);

// Null: there is no such word.
WordTest test_of(DataType type) {
  switch (type) {
    case DataType::int8: return word_holds<std::int8_t>;
    case DataType::int16: return word_holds<std::int16_t>;
    case DataType::int32: return word_holds<std::int32_t>;
    case DataType::int64: return word_holds<std::int64_t>;
    case DataType::uint8: return word_holds<std::uint8_t>;
    case DataType::uint16: return word_holds<std::uint16_t>;
    case DataType::uint32: return word_holds<std::uint32_t>;
    case DataType::uint64: return word_holds<std::uint64_t>;
    default: return nullptr;
  }
}

}  // namespace

Result<NotificationId> Runtime::wait_several(SegmentId id, NotificationId first, NotificationId count,
                                             NotificationId wanted, Timeout timeout, const Watch& watch) {
  Engine& engine = *engine_;
  trace::Span span(engine.recorder(), EventKind::wait_some,
                   {.peer = engine.rank(), .segment = id, .notification = first});
  auto segment = enter_own(engine, id);
  if (!segment.ok()) return span.outcome(std::move(segment).status());
  const core::SegmentUse use(engine.segments(), **segment);
  if (Status status = check_flags(**segment, first, count); !status.ok()) return span.outcome(std::move(status));
  if (wanted > count)
    return span.outcome(Status(Code::invalid_argument, "a wait for " + std::to_string(wanted) + " of " +
                                                           std::to_string(count) + " notifications never ends"));
  NotificationId set = 0;
  const auto ready = [&] { return (set = set_flags(**segment, first, count)) >= wanted; };
  Status status = engine.progress().wait(
      ready, [&] { return engine.trouble_of_waiting(**segment, id, watch); }, (*segment)->control->bell, timeout,
      [&](bootstrap::LongWait& wait) {
        Engine::describe_wait(wait, std::to_string(wanted) + " of " + core::flag_names(id, first, count), watch);
      });
  if (!status.ok()) return span.outcome(std::move(status));
  return set;
}

Result<NotificationValue> Runtime::wait_count(SegmentId id, NotificationId flag, NotificationValue wanted,
                                              Timeout timeout, const Watch& watch) {
  Engine& engine = *engine_;
  trace::Span span(engine.recorder(), EventKind::wait_some,
                   {.peer = engine.rank(), .segment = id, .notification = flag});
  auto segment = enter_own(engine, id);
  if (!segment.ok()) return span.outcome(std::move(segment).status());
  const core::SegmentUse use(engine.segments(), **segment);
  if (Status status = check_flags(**segment, flag, 1); !status.ok()) return span.outcome(std::move(status));
  const std::atomic<std::uint32_t>& counter = (*segment)->control->flags()[flag];
  NotificationValue seen = 0;
  const auto ready = [&] { return (seen = counter.load(std::memory_order_acquire)) >= wanted; };
  Status status = engine.progress().wait(
      ready, [&] { return engine.trouble_of_waiting(**segment, id, watch); }, (*segment)->control->bell, timeout,
      [&](bootstrap::LongWait& wait) {
        const std::string counts = " at " + std::to_string(seen) + " of " + std::to_string(wanted);
        Engine::describe_wait(wait, core::flag_names(id, flag, 1) + counts, watch);
      });
  if (!status.ok()) return span.outcome(std::move(status));
  return seen;
}

Result<std::uint64_t> Runtime::wait_word(GlobalAddress word, DataType type, Compare compare, std::uint64_t value,
                                         Timeout timeout, const Watch& watch) {
  Engine& engine = *engine_;
  trace::Span span(engine.recorder(), EventKind::wait_some, {.peer = engine.rank(), .segment = word.segment});
  const WordTest test = test_of(type);
  if (test == nullptr || compare > Compare::less_equal)
    return span.outcome(
        Status(Code::invalid_argument, "wait_until: there is no comparison " + std::to_string(unsigned(compare))));
  if (word.rank != engine.rank())
    return span.outcome(Status(Code::invalid_rank, "wait_until: the word is at rank " + std::to_string(word.rank) +
                                                       ", but a rank waits for words of its own"));
  auto segment = enter_own(engine, word.segment);
  if (!segment.ok()) return span.outcome(std::move(segment).status());
  const core::SegmentUse use(engine.segments(), **segment);
  if (Status status = check_word(**segment, word, size_of(type)); !status.ok()) return span.outcome(std::move(status));
  std::byte* const place = (*segment)->data + word.offset;
  std::uint64_t seen = 0;
  const auto ready = [&] { return test(place, compare, value, seen); };
  if (ready()) return seen;
  Status status = engine.progress().wait_for_word(
      ready, [&] { return engine.trouble_of_waiting(**segment, word.segment, watch); }, (*segment)->control->bell,
      timeout,
      [&](bootstrap::LongWait& wait) {
        Engine::describe_wait(wait, "a word of segment " + std::to_string(word.segment), watch);
      });
  if (!status.ok()) return span.outcome(std::move(status));
  return seen;
}

}  // namespace polder
