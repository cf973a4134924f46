#include "coll/lane/asked_record.hpp"

#include "core/group/busy.hpp"
#include "core/group/group_ports.hpp"
#include "core/post/one_sided.hpp"
#include "core/post/transfer.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/peer_segment.hpp"

#include <chrono>

namespace polder::coll {

AskedRecord::AskedRecord(const core::GroupPorts& ports)
    : ports_(ports), queue_(ports.one_sided.make_internal_queue()), copy_(std::make_unique<ShownCall>()) {
  ports_.outside.device->own(copy_.get(), sizeof(ShownCall));
}

AskedRecord::~AskedRecord() {
  if (under_way_ && queue_->wait(Completion::local, std::chrono::seconds(5)).timed_out()) {
    static_cast<void>(copy_.release());  // an answer may still be written there: it is not given back
    return;
  }
  ports_.outside.device->disown(copy_.get());
}

std::optional<AskedRecord::Answer> AskedRecord::of(const core::MemberMemory& memory, std::uint64_t offset,
                                                   std::uint64_t number) {
  const core::Busy asking(entered_);
  if (!asking.mine()) return {};
  const std::int64_t now = ports_.progress.clock().now_ns();
  Waiting& waiting = waiting_[number % waiting_.size()];
  if (waiting.segment != memory.segment || waiting.number != number)
    waiting = {.segment = memory.segment, .number = number, .since_ns = now};
  if (under_way_) {
    const bool is_for_this = asked_.number == number;
    // The answer is left to the collective that asked: others, which come as often, would always be first. One that does not come for
    // it waits for somebody else, or no more.
    if (!is_for_this && now - asked_.since_ns < 2 * kPatience) return {};
    const auto record = answer();
    return is_for_this && asked_.segment == memory.segment ? record : std::nullopt;
  }
  if (now - waiting.since_ns < kPatience) return {};
  waiting.since_ns = now;
  asked_ = waiting;
  ask(memory, offset);
  return {};
}

void AskedRecord::ask(const core::MemberMemory& memory, std::uint64_t offset) {
  const Shape shape(sizeof(ShownCall));
  Post post(*queue_, Timeout::test());
  post.ordering = Ordering::unordered;
  under_way_ = ports_.one_sided
                   .transfer({core::Transfer::Kind::get,
                              reinterpret_cast<std::byte*>(copy_.get()),
                              {memory.segment->rank, memory.id, offset},
                              shape,
                              nullptr,
                              post,
                              memory.segment})
                   .ok();
}

std::optional<AskedRecord::Answer> AskedRecord::answer() {
  const Status status = queue_->wait(Completion::local, Timeout::test());
  if (status.timed_out()) return {};
  under_way_ = false;
  if (!status.ok()) return {};
  Answer answer{.call = {}, .given_up = copy_->given_up.load(std::memory_order_relaxed) != 0};
  CallRecord record;
  if (copy_->call.read(record)) answer.call = record;
  return answer;
}

}  // namespace polder::coll
