// How segments come into being: alone (alloc, bind) or together with a group (create, use). GASPI 17.1, section 7.2.
#pragma once

#include "api/gaspi/base/symbols.hpp"
#include "api/gaspi/collective/collective_group.hpp"

namespace polder::gaspi {

struct SegmentRequest {
  gaspi_segment_id_t id = 0;
  gaspi_size_t size = 0;             // bytes
  gaspi_pointer_t memory = nullptr;  // the program's, or null: to be allocated
};

// The segment is usable here, and by all peers, on success.
gaspi_return_t create_alone(const char* operation, Context& context, const SegmentRequest& request);

// Collective. GASPI_TIMEOUT: call again with the same request. If a member fails, no member keeps its segment.
gaspi_return_t create_together(const char* operation, const CollectiveGroup& on, const SegmentRequest& request,
                               gaspi_timeout_t timeout);

// Before a collective of a group whose creation of a segment this rank has given up: ends what the others still wait for.
// GASPI_TIMEOUT: again.
gaspi_return_t finish_given_up(const CollectiveGroup& on, const Deadline& deadline);

// Ends a creation that timed out, whose group is gone: the segment has not been there for this rank.
void give_up_segment(Context& context, gaspi_segment_id_t id);

gaspi_return_t delete_segment(Context& context, gaspi_segment_id_t id);

}  // namespace polder::gaspi
