#include "api/dart/atomic/service.hpp"

#include "api/dart/atomic/atomic_message.hpp"
#include "api/dart/transfer/datatype.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

namespace polder::dart {

struct AtomicService::Awaited {
  void* old;
  std::size_t size;  // of `old`
  bool answered = false;
  Code code = Code::ok;
};

AtomicService::AtomicService(Runtime& runtime, LetterOffice& letters)
    : runtime_(runtime), letters_(letters), under_way_(runtime.size()) {}

Status AtomicService::open() {
  Status status = runtime_.register_handler(
      kAtomicRequest, [this](Rank source, std::span<const std::byte> bytes) { serve(source, bytes); });
  if (!status.ok()) return status;
  return runtime_.register_handler(kAtomicAnswer,
                                   [this](Rank source, std::span<const std::byte> bytes) { take(source, bytes); });
}

// ---- at the owner ----

std::uint32_t AtomicService::offer(SegmentId segment) {
  const std::lock_guard lock(offered_mutex_);
  if (++last_serial_ == 0) ++last_serial_;
  return offered_[segment] = last_serial_;
}

void AtomicService::withdraw(SegmentId segment) {
  const std::lock_guard lock(offered_mutex_);
  offered_.erase(segment);
}

Code AtomicService::carry_out_here(const DecodedAtomic& request, std::byte* old) {
  const auto id = SegmentId(request.head.segment);
  std::unique_lock lock(offered_mutex_, std::defer_lock);
  if (request.head.serial != 0) {
    lock.lock();
    const auto offered = offered_.find(id);
    if (offered == offered_.end() || offered->second != request.head.serial) return Code::invalid_segment;
  }
  const auto segment = runtime_.segment(id);
  return segment.ok() ? carry_out(request, {segment->data, segment->size}, old) : segment.status().code();
}

void AtomicService::serve(Rank source, std::span<const std::byte> letter) {
  DecodedAtomic request;
  AtomicAnswer answer;
  Code code = decode_atomic(letter, request);
  if (code == Code::ok) code = carry_out_here(request, answer.old);
  answer.token = request.head.token;
  answer.code = std::uint32_t(code);
  if (code == Code::ok && request.kind != AtomicKind::update) answer.size = std::uint32_t(request.element);
  letters_.post(source, kAtomicAnswer, std::as_bytes(std::span(&answer, 1)));
}

// ---- at the rank that asks ----

void AtomicService::take(Rank source, std::span<const std::byte> letter) {
  AtomicAnswer answer;
  if (!decode_answer(letter, answer)) return;
  const std::lock_guard lock(mutex_);
  if (answer.token == 0)
    take_end(source, Code(answer.code));
  else if (const auto asked = awaited_.find(answer.token); asked != awaited_.end())
    take_old(*asked->second, answer);
  answered_.notify_all();
}

// Of an accumulate.
void AtomicService::take_end(Rank source, Code code) {
  if (under_way_[source] == 0) return;
  --under_way_[source];
  if (code == Code::ok) {
    untold_.fetch_sub(1, std::memory_order_release);
  } else {
    failed_ = code;
    ++failures_;
  }
}

void AtomicService::take_old(Awaited& awaited, const AtomicAnswer& answer) {
  awaited.code = Code(answer.code);
  if (awaited.code == Code::ok && answer.size != awaited.size) awaited.code = Code::system;
  if (awaited.code == Code::ok) std::memcpy(awaited.old, answer.old, awaited.size);
  awaited.answered = true;
}

template <class Done>
Status AtomicService::wait(Rank rank, Done done) {
  constexpr int kLooks = 200;  // before it sleeps
  constexpr std::chrono::microseconds kNap{500};
  std::unique_lock lock(mutex_);
  for (int look = 0; !done(); ++look) {
    lock.unlock();
    runtime_.progress();
    if (runtime_.health(rank) != Health::healthy)
      return {Code::peer_failed, "rank " + std::to_string(rank) + " has gone, and does not answer an atomic"};
    lock.lock();
    if (look >= kLooks) answered_.wait_for(lock, kNap, done);
  }
  return {};
}

Status AtomicService::send(Rank rank, const AtomicHead& head, std::span<const std::byte> payload) {
  std::vector<std::byte> letter(sizeof head + payload.size());
  std::memcpy(letter.data(), &head, sizeof head);
  if (!payload.empty()) std::memcpy(letter.data() + sizeof head, payload.data(), payload.size());
  return runtime_.send(rank, kAtomicRequest, letter, Timeout::block());
}

Status AtomicService::accumulate(const AtomicTarget& to, const void* values, std::size_t count, dart_datatype_t type,
                                 dart_operation_t op) {
  const std::size_t element = basic_size(type);
  assert(element != 0);
  const GlobalAddress target = to.address;
  const std::size_t most = std::max<std::size_t>(1, (runtime_.max_message() - sizeof(AtomicHead)) / element);
  AtomicHead head{.type = std::uint32_t(type), .op = std::uint32_t(op), .serial = to.serial, .segment = target.segment};
  for (std::size_t first = 0; first < count; first += most) {
    head.first = first;
    head.count = std::min(most, count - first);
    head.offset = target.offset + first * element;
    {
      const std::lock_guard lock(mutex_);
      ++under_way_[target.rank];
      untold_.fetch_add(1, std::memory_order_relaxed);
    }
    Status status = send(target.rank, head,
                         {static_cast<const std::byte*>(values) + first * element, std::size_t(head.count) * element});
    if (status.ok()) continue;
    const std::lock_guard lock(mutex_);
    --under_way_[target.rank];
    untold_.fetch_sub(1, std::memory_order_relaxed);
    return status;
  }
  return {};
}

Status AtomicService::ask(const AtomicTarget& to, AtomicHead& head, std::span<const std::byte> payload, void* old) {
  const GlobalAddress target = to.address;
  Awaited awaited{.old = old, .size = basic_size(dart_datatype_t(head.type))};
  head.serial = to.serial;
  head.segment = target.segment;
  head.offset = target.offset;
  head.count = 1;
  {
    const std::lock_guard lock(mutex_);
    head.token = ++last_token_;
    awaited_.emplace(head.token, &awaited);
  }
  Status status = send(target.rank, head, payload);
  if (status.ok()) status = wait(target.rank, [&] { return awaited.answered; });
  {
    const std::lock_guard lock(mutex_);
    awaited_.erase(head.token);  // what still comes for it finds nobody
  }
  if (!status.ok() || awaited.code == Code::ok) return status;
  return {awaited.code,
          "atomic on segment " + std::to_string(target.segment) + " of rank " + std::to_string(target.rank)};
}

Status AtomicService::fetch(const AtomicTarget& target, const void* value, void* old, dart_datatype_t type,
                            dart_operation_t op) {
  AtomicHead head{.kind = std::uint32_t(AtomicKind::fetch), .type = std::uint32_t(type), .op = std::uint32_t(op)};
  const auto size = op == DART_OP_NO_OP ? 0 : basic_size(type);
  return ask(target, head, {static_cast<const std::byte*>(value), size}, old);
}

Status AtomicService::compare_swap(const AtomicTarget& target, const void* value, const void* compare, void* old,
                                   dart_datatype_t type) {
  AtomicHead head{.kind = std::uint32_t(AtomicKind::compare_swap), .type = std::uint32_t(type)};
  const std::size_t size = basic_size(type);
  std::byte both[2 * sizeof(std::uint64_t)];
  std::memcpy(both, value, size);
  std::memcpy(both + size, compare, size);
  return ask(target, head, {both, 2 * size}, old);
}

Status AtomicService::flush(Rank rank) {
  if (untold_.load(std::memory_order_acquire) == 0) [[likely]]
    return {};
  Status status = wait(rank, [&] { return under_way_[rank] == 0; });
  if (!status.ok()) return status;
  const std::lock_guard lock(mutex_);
  if (failed_ == Code::ok) return {};
  untold_.fetch_sub(std::exchange(failures_, 0), std::memory_order_relaxed);
  const Code failed = std::exchange(failed_, Code::ok);
  return {failed, "an accumulate that was posted before could not be carried out"};
}

Status AtomicService::flush_all() {
  Status first;
  for (Rank rank = 0; rank < Rank(under_way_.size()); ++rank)
    if (Status status = flush(rank); first.ok()) first = std::move(status);
  return first;
}

}  // namespace polder::dart
