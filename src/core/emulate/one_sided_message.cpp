#include "core/emulate/one_sided_message.hpp"

#include "core/message/decoder.hpp"

#include "core/direct/accumulate_kernels.hpp"

namespace polder::core {
namespace {

// The size of what is combined or changed as a whole.
std::uint64_t element_of(const OneSidedRequest& request) {
  return request.kind == OneSidedKind::accumulate ? size_of(request.how.type) : 1;
}

// Callers and peers are held to the same rules: check_update() names what is none.
Code check_update_of(OneSidedRequest& request) {
  const OneSidedHead& head = request.head;
  request.update = {.kind = Update::Kind(head.update),
                    .op = AtomicOp(head.atomic),
                    .reduction = Reduction(head.reduction),
                    .type = DataType(head.type),
                    .width = head.width,
                    .operand = head.operand,
                    .compare = head.compare};
  if (head.bytes != head.width || head.runs != 0) return Code::invalid_size;
  return check_update(request.update).code();
}

Code check_accumulate(OneSidedRequest& request) {
  const OneSidedHead& head = request.head;
  if (!decode_enum(head.reduction, Reduction::axpy, request.how.op) ||
      !decode_enum(head.type, DataType::uint16, request.how.type))
    return Code::invalid_argument;
  request.how.scale = head.scale;
  if (accumulate_kernel(request.how.op, request.how.type) == nullptr) return Code::invalid_argument;
  return head.bytes % size_of(request.how.type) == 0 ? Code::ok : Code::invalid_size;
}

Code check_kind(OneSidedRequest& request, std::uint64_t largest) {
  switch (request.kind) {
    case OneSidedKind::put: return Code::ok;
    case OneSidedKind::get: return request.head.bytes <= largest ? Code::ok : Code::invalid_size;
    case OneSidedKind::update: return check_update_of(request);
    case OneSidedKind::accumulate: return check_accumulate(request);
  }
  return Code::invalid_argument;
}

Code check_flag(const OneSidedHead& head, OneSidedKind kind) {
  if (head.has_flag == 0) return Code::ok;
  if (head.has_flag != 1 || kind != OneSidedKind::put) return Code::invalid_argument;
  if (head.flag_op > std::uint8_t(NotificationOp::add)) return Code::invalid_argument;
  if (head.flag_segment >= kSegmentIdLimit) return Code::invalid_segment;
  return head.flag_value != 0 ? Code::ok : Code::invalid_notification;
}

// A run without bytes would cost time without end and move nothing.
Code check_runs(const OneSidedRequest& request) {
  const std::uint64_t element = element_of(request);
  std::uint64_t left = request.head.bytes;
  for (Decoder decoder(request.runs); !decoder.done();) {
    PackedRun run;
    if (!decoder.take(run) || run.bytes == 0 || run.count == 0 || run.total() > left) return Code::invalid_size;
    if (run.bytes % element != 0) return Code::invalid_alignment;
    left -= run.total();
  }
  return left == 0 ? Code::ok : Code::invalid_size;
}

// Splits what follows the head into data and runs.
Code split(std::span<const std::byte> body, OneSidedRequest& request) {
  const std::uint64_t run_bytes = std::uint64_t{request.head.runs} * sizeof(PackedRun);
  if (run_bytes > body.size()) return Code::invalid_size;
  request.runs = body.last(std::size_t(run_bytes));
  request.data = body.first(body.size() - std::size_t(run_bytes));
  const bool brings_data = request.kind == OneSidedKind::put || request.kind == OneSidedKind::accumulate;
  if (request.data.size() != (brings_data ? request.head.bytes : 0)) return Code::invalid_size;
  return request.runs.empty() ? Code::ok : check_runs(request);
}

}  // namespace

Status decode_one_sided(std::span<const std::byte> message, std::uint64_t largest, OneSidedRequest& request) {
  Decoder decoder(message);
  if (!decoder.take(request.head)) return Code::invalid_size;
  if (!decode_enum(request.head.kind, OneSidedKind::accumulate, request.kind)) return Code::invalid_argument;
  if (const Code code = check_kind(request, largest); code != Code::ok) return code;
  if (const Code code = check_flag(request.head, request.kind); code != Code::ok) return code;
  return split(decoder.rest(), request);
}

}  // namespace polder::core
