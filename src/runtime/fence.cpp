// Fences, and waiting for what was posted whatever queue or handle it went to. To memory that can be stored to, a fence
// of the processor is all it takes.
#include "core/engine/engine.hpp"
#include "core/peers/peer.hpp"
#include "trace/record/span.hpp"

#include <polder/runtime.hpp>

#include <string>

namespace polder {
namespace {

Status no_such_rank(const char* what, Rank rank) {
  return {Code::invalid_rank, std::string(what) + ": rank " + std::to_string(rank) + " does not exist"};
}

Status drain_peer(core::Engine& engine, Rank rank, core::Outstanding core::Peer::*operations, Timeout timeout) {
  core::Peer& peer = engine.peers().at(rank);
  if (Status status = engine.one_sided().fence(peer.*operations, timeout); !status.ok()) return status;
  if (Status status = engine.peers().check_open(); !status.ok()) return status;
  return peer.failed.load(std::memory_order_acquire) ? engine.peers().gone(rank) : Status();
}

}  // namespace

Status Runtime::fence(Rank rank, Timeout timeout) {
  trace::Span span(engine_->recorder(), trace::EventKind::fence, {.peer = rank});
  if (rank >= size()) return span.outcome(no_such_rank("fence", rank));
  return span.outcome(drain_peer(*engine_, rank, &core::Peer::operations, timeout));
}

Status Runtime::fence_segment(SegmentId id, Timeout timeout) {
  trace::Span span(engine_->recorder(), trace::EventKind::fence, {.segment = id});
  if (id >= kSegmentIdLimit)
    return span.outcome({Code::invalid_segment, "fence: no segment can have the id " + std::to_string(id)});
  return span.outcome(engine_->one_sided().fence(engine_->one_sided().operations_on(id), timeout));
}

Status Runtime::fence_all(Timeout timeout) {
  trace::Span span(engine_->recorder(), trace::EventKind::fence, {});
  return span.outcome(engine_->one_sided().fence(engine_->one_sided().operations(), timeout));
}

Status Runtime::wait_all(Completion completion, Timeout timeout) {
  if (Status status = check(completion); !status.ok()) return status;
  if (completion == Completion::remote) return fence_all(timeout);
  trace::Span span(engine_->recorder(), trace::EventKind::fence, {});
  return span.outcome(engine_->one_sided().fence(engine_->one_sided().local_operations(), timeout));
}

Status Runtime::wait_for(Rank rank, Completion completion, Timeout timeout) {
  if (Status status = check(completion); !status.ok()) return status;
  if (completion == Completion::remote) return fence(rank, timeout);
  trace::Span span(engine_->recorder(), trace::EventKind::fence, {.peer = rank});
  if (rank >= size()) return span.outcome(no_such_rank("wait", rank));
  return span.outcome(drain_peer(*engine_, rank, &core::Peer::local_operations, timeout));
}

}  // namespace polder
