#include "api/dart/atomic/service.hpp"

#include "api/dart/atomic/elements.hpp"
#include "api/dart/atomic/update.hpp"
#include "api/dart/transfer/datatype.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

namespace polder::dart {

struct AtomicService::Awaited {
  void* old;
  bool answered = false;
  Code code = Code::ok;
};

struct AtomicService::Request {
  enum class Kind : std::uint32_t { update, fetch, compare_swap };

  Kind kind = Kind::update;
  SegmentId segment = 0;
  std::uint64_t offset = 0;
  std::uint64_t first = 0;  // place of the first element in its call
  std::uint64_t count = 0;
  Awaited* awaited = nullptr;  // at the rank that asks
  std::uint32_t type = 0;
  std::uint32_t op = 0;
};

struct AtomicService::Answer {
  Awaited* awaited;
  Code code;
  std::byte old[sizeof(long double)];
  std::uint32_t size;
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

Code AtomicService::carry_out(const Request& request, const std::byte* payload, std::size_t size, std::byte* old) {
  const auto segment = runtime_.segment(request.segment);
  if (!segment.ok()) return segment.status().code();
  const auto type = dart_datatype_t(request.type);
  const std::size_t element = basic_size(type);
  if (element == 0 || request.offset > segment->size || request.count > (segment->size - request.offset) / element)
    return Code::invalid_offset;
  std::byte* const target = segment->data + request.offset;
  switch (request.kind) {
    case Request::Kind::update:
      if (size < request.count * element) return Code::invalid_size;
      update_elements(target, payload, request.count, request.first, type, request.op);
      break;
    case Request::Kind::fetch: fetch_update(target, payload, old, type, request.op); break;
    case Request::Kind::compare_swap: compare_swap_element(target, payload, payload + element, old, element); break;
  }
  return Code::ok;
}

void AtomicService::serve(Rank source, std::span<const std::byte> bytes) {
  Request request;
  if (bytes.size() < sizeof request) return;
  std::memcpy(&request, bytes.data(), sizeof request);
  Answer answer{};
  answer.awaited = request.awaited;
  answer.code = carry_out(request, bytes.data() + sizeof request, bytes.size() - sizeof request, answer.old);
  answer.size = std::uint32_t(basic_size(dart_datatype_t(request.type)));
  letters_.post(source, kAtomicAnswer, std::as_bytes(std::span(&answer, 1)));
}

// ---- at the rank that asks ----

void AtomicService::take(Rank source, std::span<const std::byte> bytes) {
  Answer answer;
  if (bytes.size() != sizeof answer) return;
  std::memcpy(&answer, bytes.data(), sizeof answer);
  const std::lock_guard lock(mutex_);
  if (answer.awaited == nullptr) {
    --under_way_[source];
    if (answer.code == Code::ok) {
      untold_.fetch_sub(1, std::memory_order_release);
    } else {
      failed_ = answer.code;
      ++failures_;
    }
  } else {
    if (answer.code == Code::ok) std::memcpy(answer.awaited->old, answer.old, answer.size);
    answer.awaited->code = answer.code;
    answer.awaited->answered = true;
  }
  answered_.notify_all();
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

Status AtomicService::send(Rank rank, const Request& request, std::span<const std::byte> payload) {
  std::vector<std::byte> letter(sizeof request + payload.size());
  std::memcpy(letter.data(), &request, sizeof request);
  if (!payload.empty()) std::memcpy(letter.data() + sizeof request, payload.data(), payload.size());
  return runtime_.send(rank, kAtomicRequest, letter, Timeout::block());
}

Status AtomicService::accumulate(GlobalAddress target, const void* values, std::size_t count, dart_datatype_t type,
                                 dart_operation_t op) {
  const std::size_t element = basic_size(type);
  const std::size_t most = std::max<std::size_t>(1, (runtime_.max_message() - sizeof(Request)) / element);
  Request request{.segment = target.segment, .type = std::uint32_t(type), .op = std::uint32_t(op)};
  for (std::size_t first = 0; first < count; first += most) {
    request.first = first;
    request.count = std::min(most, count - first);
    request.offset = target.offset + first * element;
    {
      const std::lock_guard lock(mutex_);
      ++under_way_[target.rank];
      untold_.fetch_add(1, std::memory_order_relaxed);
    }
    Status status =
        send(target.rank, request,
             {static_cast<const std::byte*>(values) + first * element, std::size_t(request.count) * element});
    if (status.ok()) continue;
    const std::lock_guard lock(mutex_);
    --under_way_[target.rank];
    untold_.fetch_sub(1, std::memory_order_relaxed);
    return status;
  }
  return {};
}

Status AtomicService::ask(GlobalAddress target, Request& request, std::span<const std::byte> payload, void* old) {
  Awaited awaited{.old = old};
  request.segment = target.segment;
  request.offset = target.offset;
  request.count = 1;
  request.awaited = &awaited;
  if (Status status = send(target.rank, request, payload); !status.ok()) return status;
  if (Status status = wait(target.rank, [&] { return awaited.answered; }); !status.ok()) return status;
  if (awaited.code == Code::ok) return {};
  return {awaited.code,
          "atomic on segment " + std::to_string(target.segment) + " of rank " + std::to_string(target.rank)};
}

Status AtomicService::fetch(GlobalAddress target, const void* value, void* old, dart_datatype_t type,
                            dart_operation_t op) {
  Request request{.kind = Request::Kind::fetch, .type = std::uint32_t(type), .op = std::uint32_t(op)};
  const auto size = op == DART_OP_NO_OP ? 0 : basic_size(type);
  return ask(target, request, {static_cast<const std::byte*>(value), size}, old);
}

Status AtomicService::compare_swap(GlobalAddress target, const void* value, const void* compare, void* old,
                                   dart_datatype_t type) {
  Request request{.kind = Request::Kind::compare_swap, .type = std::uint32_t(type)};
  const std::size_t size = basic_size(type);
  std::byte both[2 * sizeof(std::uint64_t)];
  std::memcpy(both, value, size);
  std::memcpy(both + size, compare, size);
  return ask(target, request, {both, 2 * size}, old);
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
  for (Rank rank = 0; rank < Rank(under_way_.size()); ++rank)
    if (Status status = flush(rank); !status.ok()) return status;
  return {};
}

}  // namespace polder::dart
