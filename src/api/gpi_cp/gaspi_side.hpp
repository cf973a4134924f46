// What a checkpoint asks of GASPI. Each returns invalid_argument with a sentence where GASPI refuses.
#pragma once

#include <GASPI.h>

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace polder::gpi_cp {

// `size` bytes of a segment of this rank.
Result<std::span<std::byte>> range_of(gaspi_segment_id_t segment, gaspi_offset_t offset, gaspi_size_t size);

// The ranks of a group, ascending.
Result<std::vector<Rank>> members_of(gaspi_group_t group);

Status check_queue(gaspi_queue_id_t queue);

// The lowest number that no segment has; limit: none is left.
Result<gaspi_segment_id_t> unused_segment_id();

}  // namespace polder::gpi_cp
