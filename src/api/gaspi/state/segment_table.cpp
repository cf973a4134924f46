#include "api/gaspi/state/segment_table.hpp"

namespace polder::gaspi {

std::vector<gaspi_segment_id_t> SegmentTable::ids() const {
  std::vector<gaspi_segment_id_t> ids;
  for (unsigned id = 0; id < kSegmentIds; ++id) {
    if (has(gaspi_segment_id_t(id))) ids.push_back(gaspi_segment_id_t(id));
  }
  return ids;
}

gaspi_return_t SegmentTable::reserve(gaspi_segment_id_t id, unsigned limit) {
  if (entries_[id].taken.exchange(true)) return GASPI_ERR_INV_SEG;
  if (taken_.fetch_add(1) >= limit) {
    release(id);
    return GASPI_ERR_MANY_SEG;
  }
  return GASPI_SUCCESS;
}

gaspi_return_t SegmentTable::lowest_free(gaspi_segment_id_t& id, unsigned limit) const {
  if (taken_.load() >= limit) return GASPI_ERR_MANY_SEG;
  for (unsigned candidate = 0; candidate < kSegmentIds; ++candidate) {
    if (entries_[candidate].taken.load()) continue;
    id = gaspi_segment_id_t(candidate);
    return GASPI_SUCCESS;
  }
  return GASPI_ERR_MANY_SEG;
}

void SegmentTable::publish(gaspi_segment_id_t id, std::byte* data, std::size_t size) {
  entries_[id].size.store(size, std::memory_order_relaxed);
  entries_[id].data.store(data, std::memory_order_release);
}

void SegmentTable::withdraw(gaspi_segment_id_t id) {
  entries_[id].data.store(nullptr, std::memory_order_release);
}

void SegmentTable::release(gaspi_segment_id_t id) {
  withdraw(id);
  taken_.fetch_sub(1);
  entries_[id].taken.store(false);
}

}  // namespace polder::gaspi
