// Fences: waiting for what was posted, whatever queue it went to. To memory that can be stored to, a fence of the
// processor is all it takes.
#include "core/engine.hpp"
#include "trace/span.hpp"

#include <polder/runtime.hpp>

#include <atomic>
#include <string>

namespace polder {
namespace {

Status drain(core::Engine& engine, core::Outstanding& operations, Timeout timeout) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (operations.count() == 0) return {};
  return engine.drain(operations, timeout);
}

}  // namespace

Status Runtime::fence(Rank rank, Timeout timeout) {
  trace::Span span(engine_->recorder(), trace::Kind::fence, {.peer = rank});
  if (rank >= size()) return {Code::invalid_rank, "fence: rank " + std::to_string(rank) + " does not exist"};
  core::Peer& peer = engine_->peers.at(rank);
  if (Status status = drain(*engine_, peer.operations, timeout); !status.ok()) return span.outcome(std::move(status));
  if (Status status = engine_->peers.check_open(); !status.ok()) return status;
  return peer.failed.load(std::memory_order_acquire) ? engine_->peers.gone(rank) : Status();
}

Status Runtime::fence_segment(SegmentId id, Timeout timeout) {
  trace::Span span(engine_->recorder(), trace::Kind::fence, {.segment = id});
  if (id >= kSegmentIdLimit) return {Code::invalid_segment, "fence: no segment can have the id " + std::to_string(id)};
  return span.outcome(drain(*engine_, engine_->segment_operations(id), timeout));
}

Status Runtime::fence_all(Timeout timeout) {
  trace::Span span(engine_->recorder(), trace::Kind::fence, {});
  return span.outcome(drain(*engine_, engine_->operations, timeout));
}

}  // namespace polder
