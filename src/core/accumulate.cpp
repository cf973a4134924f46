#include "core/accumulate_direct.hpp"
#include "core/engine.hpp"
#include "core/shape_walk.hpp"
#include "core/transfer.hpp"
#include "trace/span.hpp"

#include <polder/runtime.hpp>

#include <algorithm>
#include <bit>
#include <string>

namespace polder {
namespace {

using core::Engine;
using core::PeerSegment;

struct Accumulate {
  const Accumulation& how;
  const std::byte* source;
  GlobalAddress target;
  const Shape& shape;
  Post post;
};

std::size_t alignment_of(DataType type) {
  return type == DataType::complex64 ? 4 : std::min<std::size_t>(size_of(type), 8);
}

Status check_operation(const Accumulation& how) {
  if (!is_defined(how.op, how.type))
    return {Code::invalid_argument,
            std::string(to_string(how.op)) + " is not defined for " + std::string(to_string(how.type))};
  if (how.op == Reduction::axpy && how.scale == nullptr)
    return {Code::invalid_argument, "axpy needs a scale, which is null"};
  return {};
}

Status check_pieces(const Accumulate& call, const PeerSegment& segment) {
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
    if (place.offset % alignment_of(call.how.type) != 0)
      return {Code::invalid_alignment, core::describe("accumulate", place, bytes) + " is not aligned for " +
                                           std::string(to_string(call.how.type))};
    return {};
  });
}

Status accumulate_here(Engine& engine, const Accumulate& call, const PeerSegment& segment) {
  if (std::bit_cast<std::uintptr_t>(segment.data) % alignment_of(call.how.type) != 0)
    return {Code::invalid_alignment,
            core::describe("accumulate", call.target, 0) + ": the user's memory is not aligned"};
  return core::for_each_piece(call.shape, [&](std::ptrdiff_t local, std::ptrdiff_t remote, std::size_t bytes) {
    return core::accumulate_direct(engine, segment, call.how, call.source + local,
                                   call.target.offset + std::uint64_t(remote), bytes, call.post.timeout);
  });
}

Status post_piece(Engine& engine, const Accumulate& call, core::Peer& peer, const device::Piece& piece) {
  core::QueueState& queue = (call.post.queue != nullptr ? call.post.queue : engine.default_queue.get())->state();
  if (Status status = queue.admit(call.post.timeout); !status.ok()) return status;
  core::Operation* operation = engine.pool.take();
  operation->begin({&queue, &peer, &engine.segment_operations(call.target.segment), true});
  Status status = engine.post_until_accepted(
      peer, [&] { return engine.emulation.accumulate(peer, call.target.segment, piece, call.how, operation); },
      call.post.timeout);
  if (!status.ok()) operation->withdraw();
  return status;
}

Status accumulate_there(Engine& engine, const Accumulate& call) {
  core::Peer& peer = engine.peers.at(call.target.rank);
  const std::size_t largest = engine.emulation.max_payload();  // a multiple of every element
  return core::for_each_piece(
      call.shape, [&](std::ptrdiff_t local, std::ptrdiff_t remote, std::size_t bytes) -> Status {
        for (std::size_t done = 0; done < bytes; done += largest) {
          const device::Piece piece{const_cast<std::byte*>(call.source) + local + done,
                                    call.target.offset + std::uint64_t(remote) + done, std::min(largest, bytes - done)};
          if (Status status = post_piece(engine, call, peer, piece); !status.ok()) return status;
        }
        return {};
      });
}

}  // namespace

Status Runtime::accumulate(const Accumulation& how, const void* source, GlobalAddress target, const Shape& shape,
                           Post post) {
  Engine& engine = *engine_;
  trace::Span span(engine.recorder(), trace::Kind::accumulate,
                   {.peer = target.rank, .segment = target.segment, .bytes = shape.bytes()});
  if (Status status = check_operation(how); !status.ok()) return status;
  const PeerSegment* segment = engine.peers.find(target.rank, target.segment);
  if (segment == nullptr) {
    auto resolved = engine.peers.resolve(target.rank, target.segment, post.timeout);
    if (!resolved.ok()) return std::move(resolved).status();
    segment = *resolved;
  }
  const Accumulate call{how, static_cast<const std::byte*>(source), target, shape, post};
  if (Status status = check_pieces(call, *segment); !status.ok()) return status;
  const bool here = segment->data != nullptr && segment->control != nullptr;
  return span.outcome(here ? accumulate_here(engine, call, *segment) : accumulate_there(engine, call));
}

}  // namespace polder
