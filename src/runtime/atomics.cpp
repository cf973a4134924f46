// Atomics. On a word that can be loaded and stored they are here from beginning to end; the others go to
// core/post/atomic_posting, and those whose caller waits by way of core/post/awaited.
#include "core/direct/atomic_direct.hpp"
#include "core/engine/engine.hpp"
#include "core/post/post_check.hpp"
#include "trace/record/span.hpp"

#include <polder/runtime.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace polder {

using core::Engine;
using core::PeerSegment;
using core::Update;
using trace::EventKind;

namespace {

// The word at `address` if it can be loaded and stored at once, else null.
POLDER_ALWAYS_INLINE std::byte* atomic_place(const Engine& engine, GlobalAddress address, std::size_t width) {
  const PeerSegment* segment = engine.recent(address.rank, address.segment);
  const bool simple =
      segment != nullptr && segment->contains(address.offset, width) && segment->aligned(address.offset, width);
  return simple ? segment->data + address.offset : nullptr;
}

// Callers bring the operation and the width as they like.
POLDER_ALWAYS_INLINE bool is_atomic(AtomicOp op, std::size_t width) {
  return op <= AtomicOp::fetch_xor && width <= 8 && std::has_single_bit(width);
}

}  // namespace

// ---- whose caller waits ----

// The most contended operation of all: every instruction between two of them is time in which the line may be taken
// away.
template <class Word>
Runtime::Fetched Runtime::add(GlobalAddress target, Word operand, Timeout timeout) {
  const Engine& engine = *engine_;
  if (engine.recorder() == nullptr) [[likely]]
    if (std::byte* place = atomic_place(engine, target, sizeof(Word)); place != nullptr) [[likely]]
      return {std::atomic_ref(*reinterpret_cast<Word*>(place)).fetch_add(operand), 0};
  return fetch_with_care(Update::of_word(AtomicOp::fetch_add, sizeof(Word), operand, 0), target, timeout);
}
template Runtime::Fetched Runtime::add(GlobalAddress, std::uint32_t, Timeout);
template Runtime::Fetched Runtime::add(GlobalAddress, std::uint64_t, Timeout);

Runtime::Fetched Runtime::fetch(AtomicOp op, GlobalAddress target, std::size_t width, std::uint64_t operand,
                                std::uint64_t compare, Timeout timeout) {
  const Engine& engine = *engine_;
  if (engine.recorder() == nullptr && is_atomic(op, width)) [[likely]]
    if (std::byte* place = atomic_place(engine, target, width); place != nullptr) [[likely]]
      return {core::apply_atomic(place, op, width, operand, compare), 0};
  return fetch_with_care(Update::of_word(op, width, operand, compare), target, timeout);
}

Runtime::Fetched Runtime::fetch_element(Reduction op, DataType type, GlobalAddress target, std::uint64_t operand,
                                        Timeout timeout) {
  return fetch_with_care(Update::of_element(op, type, operand), target, timeout);
}

// A function of its own, so that the others need no stack.
Runtime::Fetched Runtime::fetch_with_care(const Update& update, GlobalAddress target, Timeout timeout) {
  trace::Span span(
      engine_->recorder(), EventKind::atomic,
      {.peer = target.rank, .segment = target.segment, .bytes = update.width, .value = NotificationValue(update.op)});
  auto old = engine_->one_sided().atomic(target, update, timeout);
  return old.ok() ? Fetched{*old, 0} : Fetched{0, span.outcome(std::move(old).status()).release()};
}

// ---- posted ----

Status Runtime::post_atomic(AtomicOp op, void* old, GlobalAddress target, std::size_t width, std::uint64_t operand,
                            std::uint64_t compare, Post post) {
  Engine& engine = *engine_;
  if (engine.recorder() == nullptr && is_atomic(op, width) && core::makes_sense(post)) [[likely]]
    if (std::byte* place = atomic_place(engine, target, width); place != nullptr) [[likely]] {
      const std::uint64_t value = core::apply_atomic(place, op, width, operand, compare);
      if (old != nullptr) std::memcpy(old, &value, width);
      return {};
    }
  trace::Span span(engine.recorder(), EventKind::atomic,
                   {.peer = target.rank, .segment = target.segment, .bytes = width});
  return span.outcome(engine.one_sided().post_atomic(target, Update::of_word(op, width, operand, compare), old, post));
}

Status Runtime::post_fetch_accumulate(Reduction op, DataType type, void* old, GlobalAddress target, const void* value,
                                      Post post) {
  const std::size_t width = size_of(type);
  trace::Span span(engine_->recorder(), EventKind::atomic,
                   {.peer = target.rank, .segment = target.segment, .bytes = width});
  if (value == nullptr)
    return span.outcome({Code::invalid_argument, "fetch_accumulate: the pointer to the value is null"});
  std::uint64_t operand = 0;
  std::memcpy(&operand, value, std::min(width, sizeof operand));
  return span.outcome(engine_->one_sided().post_atomic(target, Update::of_element(op, type, operand), old, post));
}

}  // namespace polder
