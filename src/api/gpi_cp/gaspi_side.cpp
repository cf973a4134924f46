#include "api/gpi_cp/gaspi_side.hpp"

#include <PGASPI.h>
#include <PGASPI_Ext.h>  // by these names, so that tools see no calls that the program has not made

#include <algorithm>
#include <string>

namespace polder::gpi_cp {

Result<std::span<std::byte>> range_of(gaspi_segment_id_t segment, gaspi_offset_t offset, gaspi_size_t size) {
  gaspi_rank_t rank = 0;
  gaspi_size_t whole = 0;
  gaspi_pointer_t begin = nullptr;
  if (pgaspi_proc_rank(&rank) != GASPI_SUCCESS || pgaspi_segment_size(segment, rank, &whole) != GASPI_SUCCESS ||
      pgaspi_segment_ptr(segment, &begin) != GASPI_SUCCESS)
    return Status(Code::invalid_segment, "segment " + std::to_string(segment) + " does not exist");
  if (offset > whole || size > whole - offset)
    return Status(Code::invalid_offset, std::to_string(size) + " bytes at offset " + std::to_string(offset) +
                                            " of segment " + std::to_string(segment) + ", which has " +
                                            std::to_string(whole));
  return std::span(static_cast<std::byte*>(begin) + offset, size);
}

Result<std::vector<Rank>> members_of(gaspi_group_t group) {
  gaspi_number_t size = 0;
  if (pgaspi_group_size(group, &size) != GASPI_SUCCESS)
    return Status(Code::invalid_group, "group " + std::to_string(group) + " does not exist");
  std::vector<gaspi_rank_t> ranks(size);
  if (size == 0 || pgaspi_group_ranks(group, ranks.data()) != GASPI_SUCCESS)
    return Status(Code::invalid_group, "group " + std::to_string(group) + " has no members");
  std::vector<Rank> members(ranks.begin(), ranks.end());
  std::ranges::sort(members);
  return members;
}

Status check_queue(gaspi_queue_id_t queue) {
  gaspi_number_t waiting = 0;
  if (pgaspi_queue_size(queue, &waiting) == GASPI_SUCCESS) return {};
  return Status(Code::invalid_argument, "queue " + std::to_string(queue) + " does not exist");
}

Result<gaspi_segment_id_t> unused_segment_id() {
  gaspi_number_t used = 0, most = 0;
  if (pgaspi_segment_num(&used) != GASPI_SUCCESS || pgaspi_segment_max(&most) != GASPI_SUCCESS)
    return Status(Code::closed, "outside of gaspi_proc_init and gaspi_proc_term");
  std::vector<gaspi_segment_id_t> ids(used);
  if (used != 0 && pgaspi_segment_list(used, ids.data()) != GASPI_SUCCESS)
    return Status(Code::closed, "the segments change meanwhile");
  std::ranges::sort(ids);
  gaspi_number_t unused = 0;
  for (const gaspi_segment_id_t id : ids)
    if (id == unused) ++unused;
  if (unused < most) return gaspi_segment_id_t(unused);
  return Status(Code::limit, "all " + std::to_string(most) + " segments are taken");
}

}  // namespace polder::gpi_cp
