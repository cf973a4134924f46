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

// Asks the members for their parts, so that a first access finds them known, even one with GASPI_TEST. The first round
// sends the questions, the second waits for the answers: over a network about one round trip for all. What has become
// of a member since it agreed is for the access to tell.
Status meet_parts(const CollectiveGroup& on, gaspi_segment_id_t id, const Deadline& deadline) {
  if (on.context->config.build_infrastructure != GASPI_TOPOLOGY_STATIC) return {};
  for (const Rank rank : on.group->ranks()) (void)on.context->runtime().remote_segment(rank, id, Timeout::test());
  for (const Rank rank : on.group->ranks()) {
    const auto part = on.context->runtime().remote_segment(rank, id, deadline.left());
    if (!part.ok() && part.status().timed_out()) return part.status();
  }
  return {};
}

gaspi_return_t go_on(const CollectiveGroup& on, gaspi_segment_id_t id, bool mine, const Deadline& deadline) {
  CreationAgreement& agreement = on.entry->agreement;
  Status status = agreement.run(*on.group, deadline.left());
  if (status.ok()) status = meet_parts(on, id, deadline);
  if (status.timed_out()) return in_trace(GASPI_TIMEOUT);
  agreement.end();
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
  const Waiting waiting;
  const Deadline deadline(timeout);
  const api::Turn turn(on.entry->collective_turns, deadline);
  if (!turn.mine()) return in_trace(GASPI_TIMEOUT);
  if (on.entry->reducer.active())
    return refuse(GASPI_ERR_ACTIVE_COLL, operation, "an allreduce of the group is not finished");
  if (const auto code = finish_given_up(on, deadline); code != GASPI_SUCCESS) return in_trace(code);
  CreationAgreement& agreement = on.entry->agreement;
  if (agreement.segment() == request.id) return go_on(on, request.id, agreement.success(), deadline);
  if (agreement.segment()) return refuse(GASPI_ERR_ACTIVE_COLL, operation, "the group is creating another segment");

  const auto segment = make(operation, *on.context, request);
  // A wrong argument of this rank is its own affair: the others are told nothing, and the program may call again.
  if (!segment.ok() && is_refusal(segment.status().code())) return failed(segment.status());
  agreement.begin(request.id, segment.ok());
  const gaspi_return_t code = go_on(on, request.id, segment.ok(), deadline);
  return segment.ok() || code == GASPI_TIMEOUT ? code : failed(segment.status());
}

// Whatever they agree on: here the segment is gone.
gaspi_return_t finish_given_up(const CollectiveGroup& on, const Deadline& deadline) {
  CreationAgreement& agreement = on.entry->agreement;
  if (!agreement.segment() || !agreement.given_up()) return GASPI_SUCCESS;
  if (agreement.run(*on.group, deadline.left()).timed_out()) return GASPI_TIMEOUT;
  agreement.end();
  return GASPI_SUCCESS;
}

void give_up_segment(Context& context, gaspi_segment_id_t id) {
  unmake(context, id);
}

gaspi_return_t delete_segment(Context& context, gaspi_segment_id_t id) {
  if (!context.segments.has(id)) {
    if (context.groups.give_up(id)) {
      unmake(context, id);
      return GASPI_SUCCESS;
    }
    return refuse(GASPI_ERR_INV_SEG, "gaspi_segment_delete", "the local segment must exist", id);
  }
  context.segments.withdraw(id);
  const Status status = context.runtime().delete_segment(id);
  context.segments.release(id);
  // Peers that have not answered do not bring the segment back, and there is nothing to call again.
  return status.timed_out() ? GASPI_SUCCESS : outcome(status);
}

}  // namespace polder::gaspi
