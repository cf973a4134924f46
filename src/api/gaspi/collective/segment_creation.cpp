#include "api/gaspi/collective/segment_creation.hpp"

namespace polder::gaspi {
namespace {

gaspi_return_t reserve(const char* operation, Context& context, gaspi_segment_id_t id) {
  const gaspi_number_t limit = context.config.segment_max;
  switch (context.segments.reserve(id, limit)) {
    case GASPI_SUCCESS: return GASPI_SUCCESS;
    case GASPI_ERR_MANY_SEG:
      return refuse(GASPI_ERR_MANY_SEG, operation, "no more than segment_max segments can exist", limit);
    default: return refuse(GASPI_ERR_INV_SEG, operation, "a segment of this id exists already or is being created", id);
  }
}

// The segment exists in Polder, but the program cannot use it yet.
Result<Segment> make(const char* operation, Context& context, const SegmentRequest& request) {
  if (const auto code = reserve(operation, context, request.id); code != GASPI_SUCCESS) {
    return Status(code == GASPI_ERR_MANY_SEG ? Code::limit : Code::exists, last_detail());
  }
  auto segment = context.runtime().create_segment({.size = request.size,
                                                   .id = request.id,
                                                   .notifications = context.config.notification_num,
                                                   .memory = request.memory});
  if (!segment.ok()) context.segments.release(request.id);
  return segment;
}

// Whether the request itself was wrong, and not what became of it.
bool is_refusal(Code code) {
  return code == Code::exists || code == Code::limit || code == Code::invalid_argument || code == Code::invalid_size;
}

void publish(Context& context, const Segment& segment) {
  context.segments.publish(gaspi_segment_id_t(segment.id), segment.data, segment.size);
}

void unmake(Context& context, gaspi_segment_id_t id) {
  (void)context.runtime().delete_segment(id);
  context.segments.release(id);
}

gaspi_return_t go_on(const CollectiveGroup& on, gaspi_segment_id_t id, bool mine, Timeout timeout) {
  const Status status = on.entry->agreement.run(*on.group, timeout);
  if (status.timed_out()) return GASPI_TIMEOUT;
  if (!status.ok()) {
    if (mine) unmake(*on.context, id);
    return failed(status);
  }
  const auto segment = on.context->runtime().segment(id);
  if (!segment.ok()) return failed(segment.status());
  publish(*on.context, *segment);
  return GASPI_SUCCESS;
}

}  // namespace

gaspi_return_t create_alone(const char* operation, Context& context, const SegmentRequest& request) {
  const auto segment = make(operation, context, request);
  if (!segment.ok()) return failed(segment.status());
  publish(context, *segment);
  return GASPI_SUCCESS;
}

gaspi_return_t create_together(const char* operation, const CollectiveGroup& on, const SegmentRequest& request,
                               gaspi_timeout_t timeout) {
  const api::Exclusive turn(on.entry->in_collective);
  if (!turn.mine()) return refuse(GASPI_ERR_ACTIVE_COLL, operation, "another thread is in a collective of the group");
  if (on.entry->reducer.active())
    return refuse(GASPI_ERR_ACTIVE_COLL, operation, "an allreduce of the group is not finished");
  const Waiting waiting;
  Agreement& agreement = on.entry->agreement;
  if (agreement.segment() == request.id) return go_on(on, request.id, agreement.success(), to_timeout(timeout));
  if (agreement.segment()) return refuse(GASPI_ERR_ACTIVE_COLL, operation, "the group is creating another segment");

  const auto segment = make(operation, *on.context, request);
  // A wrong argument of this rank is its own affair: the others are told nothing, and the program may call again.
  if (!segment.ok() && is_refusal(segment.status().code())) return failed(segment.status());
  agreement.begin(request.id, segment.ok(), on.group->size());
  const gaspi_return_t code = go_on(on, request.id, segment.ok(), to_timeout(timeout));
  return segment.ok() || code == GASPI_TIMEOUT ? code : failed(segment.status());
}

gaspi_return_t delete_segment(Context& context, gaspi_segment_id_t id) {
  if (!context.segments.has(id)) {
    return refuse(GASPI_ERR_INV_SEG, "gaspi_segment_delete", "the local segment must exist", id);
  }
  context.segments.withdraw(id);
  const Status status = context.runtime().delete_segment(id);
  context.segments.release(id);
  return outcome(status);
}

}  // namespace polder::gaspi
