// Any bytes as a request for a one-sided operation: refused, or it keeps every promise that the server relies on.
#include "core/emulate/one_sided_message.hpp"

#include "core/direct/accumulate_kernels.hpp"

#include <cstdlib>

namespace {

using namespace polder;
using core::OneSidedKind;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_runs(const core::OneSidedRequest& request) {
  std::uint64_t total = 0, pieces = 0;
  const auto visit = [&](std::uint64_t, std::uint64_t bytes, std::uint64_t at) -> Status {
    require(at == total && bytes != 0);
    total += bytes;
    return ++pieces < 100'000 ? Status() : Status(Code::limit);
  };
  if (core::for_each_packed(request.runs, visit).ok()) require(total == request.head.bytes);
  require(total <= request.head.bytes);
}

void check(const core::OneSidedRequest& request, std::uint64_t largest) {
  const core::OneSidedHead& head = request.head;
  const bool writes = request.kind == OneSidedKind::put || request.kind == OneSidedKind::accumulate;
  require(request.data.size() == (writes ? head.bytes : 0));
  if (request.kind == OneSidedKind::get) require(head.bytes <= largest);
  if (request.kind == OneSidedKind::update) require(check_update(request.update).ok() && head.bytes == head.width);
  if (request.kind == OneSidedKind::accumulate) {
    require(core::accumulate_kernel(request.how.op, request.how.type) != nullptr);
    require(head.bytes % size_of(request.how.type) == 0);
  }
  if (head.has_flag != 0)
    require(request.kind == OneSidedKind::put && head.flag_segment < kSegmentIdLimit && head.flag_value != 0 &&
            head.flag_op <= std::uint8_t(NotificationOp::add));
  if (!request.runs.empty()) check_runs(request);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kLargest = 8000;
  core::OneSidedRequest request;
  const std::span message(reinterpret_cast<const std::byte*>(data), size);
  if (core::decode_one_sided(message, kLargest, request).ok()) check(request, kLargest);
  return 0;
}
