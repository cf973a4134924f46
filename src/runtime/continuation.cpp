// What a handle, a flag or a fence looks like to those who watch it.
#include <polder/continuation.hpp>

#include "core/direct/notification.hpp"
#include "core/engine/engine.hpp"
#include "core/peers/peer.hpp"
#include "core/post/handle_state.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace polder {
namespace {

using core::Continuations;
using core::Engine;
using core::HandleState;
using core::PeerSegment;

Status empty_continuation(const char* what) {
  return {Code::invalid_argument, std::string(what) + ": the continuation is empty"};
}

class HandleEvent final : public Continuations::Event {
 public:
  // `state`: null if nothing was posted that did not complete at once.
  HandleEvent(Engine& engine, HandleState* state, Continuation then)
      : engine_(engine), state_(state), then_(std::move(then)) {
    if (state_ != nullptr) state_->keep();
  }
  ~HandleEvent() override {
    if (state_ != nullptr) state_->let_go();
  }
  bool ready() override { return state_ == nullptr || state_->idle(); }
  // A device completes everything in the end, with an error where a peer is gone.
  Status trouble() override { return engine_.progress().closed_status(); }
  void run(const Status& outcome) override { then_(outcome.ok() && state_ != nullptr ? state_->outcome() : outcome); }

 private:
  Engine& engine_;
  HandleState* const state_;
  const Continuation then_;
};

class FlagEvent final : public Continuations::Event {
 public:
  FlagEvent(Engine& engine, const PeerSegment& segment, NotificationId first, NotificationId count,
            FlagContinuation then)
      : engine_(engine), segment_(segment), first_(first), count_(count), then_(std::move(then)) {}

  // A segment that was deleted may lie there no more, also when this is left just then: neither its flags nor its bell
  // are looked at.
  bool ready() override {
    if (!found_ && !ended_ && !is_deleted()) found_ = core::find_set_flag(segment_.control->flags(), first_, count_);
    return found_.has_value();
  }
  Status trouble() override {
    Status status = engine_.trouble_of_waiting(segment_, segment_.id, {});
    ended_ = !status.ok() && is_deleted();
    return status;
  }
  void run(const Status& outcome) override {
    if (found_)
      then_(*found_);
    else
      then_(Result<NotificationId>(outcome));
  }
  util::Bell* bell() override { return is_deleted() ? nullptr : &segment_.control->bell; }

 private:
  // Own segments say so beside their memory, before that goes.
  bool is_deleted() const { return segment_.revoked.load(std::memory_order_acquire); }

  Engine& engine_;
  const PeerSegment& segment_;
  const NotificationId first_, count_;
  std::optional<NotificationId> found_;
  bool ended_ = false;
  const FlagContinuation then_;
};

class FenceEvent final : public Continuations::Event {
 public:
  FenceEvent(Engine& engine, core::Outstanding& operations, const core::Peer* peer, Continuation then)
      : engine_(engine),
        operations_(operations),
        kept_(engine.one_sided().demand_kept()),
        peer_(peer),
        then_(std::move(then)) {}

  // What handles keep back is no operation before it has been posted.
  bool ready() override {
    return passed_ = passed_ || (engine_.one_sided().has_met(kept_) && operations_.passed(wait_));
  }
  Status trouble() override { return engine_.progress().closed_status(); }
  void run(const Status& outcome) override { then_(outcome.ok() && peer_ != nullptr ? outcome_of_peer() : outcome); }

 private:
  Status outcome_of_peer() {
    if (Status status = engine_.peers().check_open(); !status.ok()) return status;
    return peer_->failed.load(std::memory_order_acquire) ? engine_.peers().gone(peer_->rank) : Status();
  }

  Engine& engine_;
  core::Outstanding& operations_;
  const std::uint64_t kept_;  // the demand to post it
  core::Outstanding::Wait wait_;
  bool passed_ = false;
  const core::Peer* const peer_;  // null: all of them
  const Continuation then_;
};

}  // namespace

Status then(Runtime& runtime, Handle& handle, Continuation continuation) {
  if (!continuation) return empty_continuation("then");
  Engine& engine = runtime.engine();
  engine.one_sided().demand_kept();
  return engine.continuations().add(
      std::make_unique<HandleEvent>(engine, HandleState::if_any(handle), std::move(continuation)));
}

Status when_set(Runtime& runtime, SegmentId id, NotificationId first, NotificationId count,
                FlagContinuation continuation) {
  if (!continuation) return empty_continuation("when_set");
  Engine& engine = runtime.engine();
  auto segment = engine.peer_segments().resolve(engine.rank(), id, Timeout::test());
  if (!segment.ok()) return std::move(segment).status();
  const NotificationId flags = (*segment)->notifications;
  if (count == 0 || first >= flags || count > flags - first)
    return {Code::invalid_notification, "when_set: notifications " + std::to_string(first) + " to " +
                                            std::to_string(std::uint64_t(first) + count) + " of segment " +
                                            std::to_string(id) + ": there are " + std::to_string(flags)};
  return engine.continuations().add(
      std::make_unique<FlagEvent>(engine, **segment, first, count, std::move(continuation)));
}

Status when_fenced(Runtime& runtime, Rank rank, Continuation continuation) {
  if (!continuation) return empty_continuation("when_fenced");
  Engine& engine = runtime.engine();
  if (rank >= engine.size())
    return {Code::invalid_rank, "when_fenced: rank " + std::to_string(rank) + " does not exist"};
  std::atomic_thread_fence(std::memory_order_seq_cst);
  core::Peer& peer = engine.peers().at(rank);
  return engine.continuations().add(
      std::make_unique<FenceEvent>(engine, peer.operations, &peer, std::move(continuation)));
}

Status when_all_fenced(Runtime& runtime, Continuation continuation) {
  if (!continuation) return empty_continuation("when_all_fenced");
  Engine& engine = runtime.engine();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return engine.continuations().add(
      std::make_unique<FenceEvent>(engine, engine.one_sided().operations(), nullptr, std::move(continuation)));
}

}  // namespace polder
