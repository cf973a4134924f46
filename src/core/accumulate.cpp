#include "core/accumulate_direct.hpp"
#include "core/engine.hpp"
#include "core/shape_walk.hpp"
#include "core/transfer.hpp"
#include "trace/span.hpp"

#include <polder/runtime.hpp>

#include <algorithm>
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
    return core::check_alignment("accumulate", segment, place, bytes, core::alignment_of(call.how.type));
  });
}

Status accumulate_here(Engine& engine, const Accumulate& call, const PeerSegment& segment) {
  return core::for_each_piece(call.shape, [&](std::ptrdiff_t local, std::ptrdiff_t remote, std::size_t bytes) {
    return core::accumulate_direct(engine, segment, call.how, call.source + local,
                                   call.target.offset + std::uint64_t(remote), bytes, call.post.timeout);
  });
}

Status post_piece(Engine& engine, const Accumulate& call, core::Peer& peer, const device::Piece& piece,
                  Timeout timeout) {
  core::QueueState& queue = (call.post.queue != nullptr ? call.post.queue : engine.default_queue.get())->state();
  if (Status status = queue.admit(timeout); !status.ok()) return status;
  core::Operation* operation = engine.pool.take();
  operation->begin({&queue, &peer, &engine.segment_operations(call.target.segment), true});
  Status status = engine.post_until_accepted(
      peer, [&] { return engine.emulation.accumulate(peer, call.target.segment, piece, call.how, operation); },
      timeout);
  if (!status.ok()) operation->withdraw();
  return status;
}

Status accumulate_there(Engine& engine, const Accumulate& call) {
  core::Peer& peer = engine.peers.at(call.target.rank);
  const std::size_t largest = engine.emulation.max_payload();  // a multiple of every element
  // Once the first part is on its way the rest must follow: a caller who finds the queue full would repeat all of it.
  Timeout timeout = call.post.timeout;
  return core::for_each_piece(
      call.shape, [&](std::ptrdiff_t local, std::ptrdiff_t remote, std::size_t bytes) -> Status {
        for (std::size_t done = 0; done < bytes; done += largest) {
          const device::Piece piece{const_cast<std::byte*>(call.source) + local + done,
                                    call.target.offset + std::uint64_t(remote) + done, std::min(largest, bytes - done)};
          if (Status status = post_piece(engine, call, peer, piece, timeout); !status.ok()) return status;
          timeout = Timeout::block();
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
  const Accumulate call{how, static_cast<const std::byte*>(source), target, shape, post};
  constexpr bool kByMessage = true;  // unless it is mapped
  auto segment = engine.peers.checked(
      target.rank, target.segment, post.timeout, [&](const PeerSegment& with) { return check_pieces(call, with); },
      kByMessage);
  if (!segment.ok()) return span.outcome(std::move(segment).status());
  const bool here = (*segment)->data != nullptr && (*segment)->control != nullptr;
  return span.outcome(here ? accumulate_here(engine, call, **segment) : accumulate_there(engine, call));
}

}  // namespace polder
