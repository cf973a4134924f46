#include "coll/consistent/blocking.hpp"

#include "core/group/busy.hpp"
#include "core/group/group_state.hpp"

#include <memory>
#include <string>

namespace polder {
namespace coll {

Status run_blocking(Group& group, const Arguments& arguments, Timeout timeout, const std::function<void()>& fill) {
  if (Status status = Call::check(group, arguments); !status.ok()) return status;
  Lanes& lanes = Lanes::of(group.state());
  const core::Busy blocking(lanes.blocking);
  if (!blocking.mine()) return core::busy("collective");
  if (lanes.resumable == nullptr) lanes.resumable = std::make_unique<Call>();
  auto& call = static_cast<Call&>(*lanes.resumable);
  if (call.under_way() && !call.is_of(arguments))
    return {Code::busy, std::string(to_string(arguments.kind)) +
                            ": another blocking collective of the group is under way " + "since it timed out"};
  if (!call.under_way()) {
    if (fill) fill();
    call.prepare(group, arguments);
    if (Status status = call.begin(); !status.ok()) {
      call.leave_edges();
      return status;
    }
  }
  Status status = call.wait(timeout);
  if (!call.under_way()) call.leave_edges();
  return status;
}

namespace {

// What was begun by a blocking call and is under way since its time was up. One that another thread is in is that thread's.
void end_resumable(core::GroupState& group) {
  auto* const lanes = static_cast<Lanes*>(group.made(core::GroupExtension::collectives));
  if (lanes == nullptr) return;
  const core::Busy blocking(lanes->blocking);
  if (blocking.mine()) lanes->resumable.reset();
}

}  // namespace
}  // namespace coll

void Group::lose_step() {
  out_of_step_.store(true, std::memory_order_relaxed);
  coll::end_resumable(*state_);
}

Status broadcast(Group& group, Rank root, void* data, std::size_t bytes, Timeout timeout) {
  return coll::run_blocking(group, {.kind = coll::Kind::broadcast, .root = root, .receive = data, .bytes = bytes},
                            timeout);
}
Status reduce(Group& group, Rank root, const ReductionSpec& spec, const void* send, void* receive, Timeout timeout) {
  return coll::run_blocking(group, {coll::Kind::reduce, root, spec, send, receive}, timeout);
}
Status allreduce(Group& group, const ReductionSpec& spec, const void* send, void* receive, Timeout timeout) {
  return coll::run_blocking(group, {coll::Kind::allreduce, 0, spec, send, receive}, timeout);
}
Status reduce_scatter(Group& group, const ReductionSpec& spec, std::span<const std::size_t> counts, const void* send,
                      void* receive, Timeout timeout) {
  return coll::run_blocking(group, {coll::Kind::reduce_scatter, 0, spec, send, receive, 0, counts}, timeout);
}
Status allgather(Group& group, std::span<const std::size_t> bytes, const void* send, void* receive, Timeout timeout) {
  return coll::run_blocking(group, {coll::Kind::allgather, 0, {}, send, receive, 0, bytes}, timeout);
}
Status gather(Group& group, Rank root, std::span<const std::size_t> bytes, const void* send, void* receive,
              Timeout timeout) {
  return coll::run_blocking(group, {coll::Kind::gather, root, {}, send, receive, 0, bytes}, timeout);
}
Status scatter(Group& group, Rank root, std::span<const std::size_t> bytes, const void* send, void* receive,
               Timeout timeout) {
  return coll::run_blocking(group, {coll::Kind::scatter, root, {}, send, receive, 0, bytes}, timeout);
}
Status alltoall(Group& group, std::size_t bytes, const void* send, void* receive, Timeout timeout) {
  return coll::run_blocking(group, {coll::Kind::alltoall, 0, {}, send, receive, bytes}, timeout);
}
Status alltoallv(Group& group, const void* send, std::span<const Part> sent, void* receive,
                 std::span<const Part> received, Timeout timeout) {
  return coll::run_blocking(group,
                            {.kind = coll::Kind::alltoall,
                             .send = send,
                             .receive = receive,
                             .sent = sent,
                             .received = received,
                             .in_parts = true},
                            timeout);
}
Status alltoallw(Group& group, const void* send, std::span<const StridedPart> sent, void* receive,
                 std::span<const StridedPart> received, Timeout timeout) {
  return coll::run_blocking(group,
                            {.kind = coll::Kind::alltoall,
                             .send = send,
                             .receive = receive,
                             .sent_blocks = sent,
                             .received_blocks = received,
                             .in_parts = true},
                            timeout);
}
Status scan(Group& group, const ReductionSpec& spec, const void* send, void* receive, Timeout timeout) {
  return coll::run_blocking(group, {coll::Kind::scan, 0, spec, send, receive}, timeout);
}
Status exscan(Group& group, const ReductionSpec& spec, const void* send, void* receive, Timeout timeout) {
  return coll::run_blocking(group, {coll::Kind::exscan, 0, spec, send, receive}, timeout);
}

}  // namespace polder
