#include "core/direct/accumulate_direct.hpp"
#include "core/engine/engine.hpp"
#include "core/post/post_check.hpp"
#include "core/post/shape_walk.hpp"
#include "core/post/transfer.hpp"
#include "trace/record/span.hpp"

#include <polder/runtime.hpp>

#include <algorithm>
#include <string>

namespace polder {
namespace {

using core::Engine;
using core::PeerSegment;

struct Accumulate {
  const Accumulation& how;
  core::AccumulateKernel kernel;
  const std::byte* source;
  GlobalAddress target;
  const Shape& shape;
  Post post;
};

Status undefined(const Accumulation& how) {
  return {Code::invalid_argument,
          std::string(to_string(how.op)) + " is not defined for " + std::string(to_string(how.type))};
}

// True if all pieces can be seen to be right at a glance: contiguous, or a patch whose strides are multiples of the
// element.
bool plainly_right(const Accumulate& call, const PeerSegment& segment) {
  const std::size_t element = size_of(call.how.type) - 1, alignment = core::alignment_of(call.how.type);
  if (call.source == nullptr || !segment.aligned(call.target.offset, alignment) || call.target.offset % alignment != 0)
    return false;
  if (call.shape.kind() == Shape::Kind::contiguous)
    return (call.shape.bytes() & element) == 0 && segment.contains(call.target.offset, call.shape.bytes());
  if (call.shape.kind() != Shape::Kind::strided || (call.shape.strided().bytes & element) != 0) return false;
  for (const std::ptrdiff_t stride : call.shape.strided().remote_stride)
    if ((std::size_t(stride) & (alignment - 1)) != 0) return false;
  const auto span = core::remote_span(call.shape);
  return span.ok() && span->lowest == 0 && segment.contains(call.target.offset, std::uint64_t(span->highest));
}

Status check_pieces(const Accumulate& call, const PeerSegment& segment) {
  if (plainly_right(call, segment)) return {};
  auto span = core::remote_span(call.shape);
  if (!span.ok()) return std::move(span).status();
  if (call.source == nullptr && span->bytes != 0)
    return {Code::invalid_argument,
            core::describe("accumulate", call.target, span->bytes) + ": the local pointer is null"};
  const std::size_t element = size_of(call.how.type);
  return core::for_each_piece(call.shape, [&](std::ptrdiff_t, std::ptrdiff_t remote, std::size_t bytes) -> Status {
    GlobalAddress place = call.target;
    place.offset += std::uint64_t(remote);
    if (remote >= 0 && place.offset < call.target.offset) place.offset = call.target.offset;  // the sum wrapped around
    if (bytes % element != 0)
      return {Code::invalid_size, core::describe("accumulate", place, bytes) + ": not a multiple of the " +
                                      std::to_string(element) + " bytes of " + std::string(to_string(call.how.type))};
    if (Status status = core::check_range("accumulate", segment, place, bytes); !status.ok()) return status;
    return core::check_alignment("accumulate", segment, place, bytes, core::alignment_of(call.how.type));
  });
}

Status accumulate_here(Engine& engine, const Accumulate& call, const PeerSegment& segment) {
  core::DirectAccumulation combined(engine.outside(), engine.progress(), segment, call.kernel, call.how.type,
                                    call.how.scale);
  if (call.shape.kind() == Shape::Kind::contiguous)
    return combined.add(call.source, call.target.offset, call.shape.bytes(), call.post.timeout);
  return core::for_each_piece(call.shape, [&](std::ptrdiff_t local, std::ptrdiff_t remote, std::size_t bytes) {
    return combined.add(call.source + local, call.target.offset + std::uint64_t(remote), bytes, call.post.timeout);
  });
}

Status accumulate_there(Engine& engine, const Accumulate& call, const PeerSegment& segment) {
  return engine.one_sided().accumulate({call.how, call.source, call.target, call.shape, call.post}, segment);
}

}  // namespace

Status Runtime::accumulate(const Accumulation& how, const void* source, GlobalAddress target, const Shape& shape,
                           Post post) {
  Engine& engine = *engine_;
  trace::Span span(engine.recorder(), trace::EventKind::accumulate,
                   {.peer = target.rank,
                    .segment = target.segment,
                    .bytes = engine.recorder() == nullptr ? 0 : core::payload_bytes(shape)});
  const core::AccumulateKernel kernel = core::accumulate_kernel(how.op, how.type);
  if (kernel == nullptr) [[unlikely]]
    return span.outcome(undefined(how));
  if (how.op == Reduction::axpy && how.scale == nullptr) [[unlikely]]
    return span.outcome({Code::invalid_argument, "axpy needs a scale, which is null"});
  if (Status status = core::check_post(post); !status.ok()) return span.outcome(std::move(status));
  Accumulate call{how, kernel, static_cast<const std::byte*>(source), target, shape, post};
  const PeerSegment* known = engine.peer_segments().find(target.rank, target.segment);
  if (known != nullptr && known->data != nullptr && known->control != nullptr && plainly_right(call, *known)) [[likely]]
    return span.outcome(accumulate_here(engine, call, *known));
  const util::Deadline deadline(post.timeout, engine.clock());
  auto segment = engine.peer_segments().checked(target.rank, target.segment, post.timeout,
                                                [&](const PeerSegment& with) { return check_pieces(call, with); });
  if (!segment.ok()) return span.outcome(std::move(segment).status());
  call.post.timeout = deadline.remaining();
  const bool here = (*segment)->data != nullptr && (*segment)->control != nullptr;
  return span.outcome(here ? accumulate_here(engine, call, **segment) : accumulate_there(engine, call, **segment));
}

}  // namespace polder
