#include "api/gaspi/post/list_runs.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

namespace polder::gaspi {
namespace {

const char* missing_array(const TransferList& list) {
  if (list.segment_local == nullptr) return "segment_id_local";
  if (list.offset_local == nullptr) return "offset_local";
  if (list.segment_remote == nullptr) return "segment_id_remote";
  if (list.offset_remote == nullptr) return "offset_remote";
  if (list.size == nullptr) return "size";
  return nullptr;
}

// The bytes from the start of the remote segment that the run touches; ~0 where that is no number.
std::uint64_t end_of(const ListRun& run) {
  std::uint64_t end = 0;
  for (const ListItem& item : run.items) {
    const std::uint64_t begin = run.remote.offset + std::uint64_t(item.remote);
    if (begin + item.bytes < begin) return ~std::uint64_t{0};
    end = std::max(end, begin + item.bytes);
  }
  return end;
}

}  // namespace

gaspi_return_t ListRuns::prepare(const char* operation, const TransferList& list, const Posting& posting,
                                 const Deadline& deadline) {
  if (const char* missing = missing_array(list)) return refuse_null(operation, missing);
  const gaspi_number_t limit = posting.context->config.rw_list_elem_max;
  if (list.num == 0 || list.num > limit) {
    char text[96];
    std::snprintf(text, sizeof text, "the number of entries must lie between 1 and rw_list_elem_max = %u", limit);
    return refuse(GASPI_ERR_INV_NUM, operation, text, list.num);
  }
  for (gaspi_number_t entry = 0; entry < list.num; ++entry) {
    const gaspi_return_t code = add(operation, list, entry, posting);
    if (code != GASPI_SUCCESS) return code;
  }
  return count_ > 1 ? check_remote(posting, deadline) : GASPI_SUCCESS;
}

gaspi_return_t ListRuns::add(const char* operation, const TransferList& list, gaspi_number_t entry, Posting posting) {
  const gaspi_size_t size = list.size[entry];
  const auto code = check_local(operation, list.segment_local[entry], list.offset_local[entry], size, posting);
  if (code != GASPI_SUCCESS) return code;
  const bool goes_on = count_ > 0 && runs_[count_ - 1].remote.segment == list.segment_remote[entry];
  if (!goes_on) {
    runs_[count_++] = {
        posting.memory, {list.rank, list.segment_remote[entry], list.offset_remote[entry]}, {&items_[entry], 0}, 0};
  }
  ListRun& run = runs_[count_ - 1];
  items_[entry] = {posting.memory - run.memory, std::ptrdiff_t(list.offset_remote[entry] - run.remote.offset), size};
  run.items = {run.items.data(), run.items.size() + 1};
  run.bytes += size;
  return GASPI_SUCCESS;
}

gaspi_return_t ListRuns::check_remote(const Posting& posting, const Deadline& deadline) const {
  for (const ListRun& run : runs()) {
    const auto segment = posting.runtime().remote_segment(run.remote.rank, run.remote.segment, deadline.left());
    if (segment.status().code() == Code::peer_failed) continue;  // posting will meet it
    if (!segment.ok()) return failed(segment.status());
    if (end_of(run) <= segment->size) continue;
    return failed({Code::invalid_offset, "an entry of the list leaves segment " + std::to_string(run.remote.segment) +
                                             " of rank " + std::to_string(run.remote.rank)});
  }
  return GASPI_SUCCESS;
}

}  // namespace polder::gaspi
