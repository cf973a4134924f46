#include "coll/window/window.hpp"

#include "core/group/allocation_state.hpp"
#include "core/group/group_state.hpp"
#include "core/peers/peers.hpp"
#include "core/post/one_sided.hpp"
#include "core/progress/outside.hpp"
#include "core/segment/peer_segments.hpp"
#include "util/deadline.hpp"

#include <chrono>
#include <utility>

namespace polder::coll {

MemberWindow::MemberWindow(Group& group, std::size_t bytes, std::uint32_t flags, unsigned streams)
    : WindowPort(group.index(), Rank(group.size())),
      group_(group),
      memory_(core::AllocationState::make(ports(), group, {.size = bytes, .notifications = flags})),
      left_(group.size()) {
  while (queues_.size() < streams) queues_.push_back(ports().one_sided.make_internal_queue());
}

// What this member has posted is read from its memory until it has arrived.
MemberWindow::~MemberWindow() {
  for (const auto& queue : queues_) (void)queue->wait(Completion::remote, std::chrono::seconds(5)).ok();
}

const core::GroupPorts& MemberWindow::ports() const {
  return group_.state().ports();
}
core::Progress& MemberWindow::progress() const {
  return ports().progress;
}

Status MemberWindow::commit(Timeout timeout) {
  const util::Deadline deadline(timeout, clock());
  if (!memory_->committed())
    if (Status status = memory_->commit(timeout); !status.ok()) return status;
  id_ = memory_->id();
  for (; found_ < size(); ++found_) {
    auto segment = ports().peer_segments.resolve(rank_of(found_), id_, deadline.remaining());
    if (!segment.ok()) return std::move(segment).status();
    if (found_ != me()) continue;
    own_ = *segment;
    show(own_->data, own_->control->flags());
  }
  return {};
}

bool MemberWindow::in_forked_child() const {
  return ports().outside.in_forked_child();
}

bool MemberWindow::is_gone(Rank member) const {
  return left_[member] || (member != me() && ports().peers.health(rank_of(member)) != Health::healthy);
}

bool MemberWindow::has_died(Rank member) const {
  return member != me() && ports().peers.health(rank_of(member)) == Health::failed;
}

Status MemberWindow::trouble() const {
  if (Status status = ports().peers.check_open(); !status.ok()) return status;
  return fault_;
}

bool MemberWindow::is_drained() const {
  return !queues_[stream_]->wait(Completion::remote, Timeout::test()).timed_out();
}

// ---- posting ----

bool MemberWindow::accept(Status status, Rank member) {
  switch (status.code()) {
    case Code::ok: return true;
    case Code::queue_full:
    case Code::timeout: refused_ = true; return false;
    case Code::closed: return false;  // trouble() ends the wait
    case Code::invalid_segment:
    case Code::peer_failed:
      if (member != me()) left_[member] = true;
      return true;
    default:
      if (fault_.ok()) fault_ = std::move(status);
      return true;
  }
}

bool MemberWindow::put(Rank member, std::uint64_t offset, const void* data, std::size_t bytes,
                       const Notification& flag) {
  if (is_gone(member)) return true;
  const Shape shape(bytes);
  std::byte* const from = static_cast<std::byte*>(const_cast<void*>(data));
  const Post post(*queues_[stream_], Timeout::test());
  return accept(ports().one_sided.transfer({core::Transfer::Kind::put, from, at(member, offset), shape, &flag, post}),
                member);
}

bool MemberWindow::raise(Rank member, NotificationId flag, std::uint32_t value) {
  if (is_gone(member)) return true;
  const Post post(*queues_[stream_], Timeout::test());
  return accept(ports().one_sided.post_flag(rank_of(member), id_, {flag, value, id_}, post), member);
}

bool MemberWindow::get(void* into, Rank member, std::uint64_t offset, std::size_t bytes, Handle& handle) {
  if (is_gone(member)) return true;
  const Shape shape(bytes);
  const Post post(handle, Timeout::test());
  return accept(ports().one_sided.transfer({core::Transfer::Kind::get, static_cast<std::byte*>(into),
                                            at(member, offset), shape, nullptr, post}),
                member);
}

bool MemberWindow::compare_swap(std::uint64_t& old, Rank member, std::uint64_t offset, std::uint64_t expected,
                                std::uint64_t desired, Handle& handle) {
  if (is_gone(member)) return true;
  const core::Update update = core::Update::of_word(AtomicOp::compare_swap, 8, desired, expected);
  return accept(ports().one_sided.post_atomic(at(member, offset), update, &old, Post(handle, Timeout::test())), member);
}

MemberWindow::Fetched MemberWindow::look_at(Handle& handle, Rank member) {
  const Status status = handle.wait(Completion::local, Timeout::test());
  if (status.timed_out()) return Fetched::under_way;
  handle = Handle();  // a failure that comes later, when this was remotely complete, is none of the next one
  if (status.ok()) return Fetched::yes;
  if (member != me()) left_[member] = true;
  return Fetched::failed;
}

}  // namespace polder::coll
