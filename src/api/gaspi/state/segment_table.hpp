// The local segments, as the posting calls see them: an array by id, read without a lock.
#pragma once

#include "api/gaspi/base/configuration.hpp"
#include "api/gaspi/base/symbols.hpp"

#include <atomic>
#include <cstddef>
#include <vector>

namespace polder::gaspi {

// A range of local memory, or why there is none.
struct LocalRange {
  gaspi_return_t code = GASPI_SUCCESS;
  std::byte* memory = nullptr;
};

class SegmentTable {
 public:
  // Any thread. GASPI_ERR_INV_SEG: there is no such segment; GASPI_ERR_INV_LOC_OFF: the range leaves it.
  LocalRange range(gaspi_segment_id_t id, gaspi_offset_t offset, gaspi_size_t size) const {
    const Entry& entry = entries_[id];
    std::byte* const data = entry.data.load(std::memory_order_acquire);
    if (data == nullptr) [[unlikely]]
      return {GASPI_ERR_INV_SEG, nullptr};
    const std::size_t limit = entry.size.load(std::memory_order_relaxed);
    if (size > limit || offset > limit - size) [[unlikely]]
      return {GASPI_ERR_INV_LOC_OFF, nullptr};
    return {GASPI_SUCCESS, data + offset};
  }

  std::byte* data(gaspi_segment_id_t id) const { return entries_[id].data.load(std::memory_order_acquire); }
  bool has(gaspi_segment_id_t id) const { return data(id) != nullptr; }

  // Ids in use, ascending; those reserved but not published are not among them.
  std::vector<gaspi_segment_id_t> ids() const;

  // Takes the id for a segment that is being made. GASPI_ERR_INV_SEG: it is taken; GASPI_ERR_MANY_SEG: `limit` are.
  gaspi_return_t reserve(gaspi_segment_id_t id, unsigned limit);
  // The lowest id that reserve() would accept.
  gaspi_return_t lowest_free(gaspi_segment_id_t& id, unsigned limit) const;
  // After reserve(): the segment can be used from now on.
  void publish(gaspi_segment_id_t id, std::byte* data, std::size_t size);
  // The segment is gone for new calls, but its id stays taken until release().
  void withdraw(gaspi_segment_id_t id);
  void release(gaspi_segment_id_t id);

 private:
  struct Entry {
    std::atomic<std::byte*> data{nullptr};
    std::atomic<std::size_t> size{0};
    std::atomic<bool> taken{false};
  };
  Entry entries_[kSegmentIds];
  std::atomic<unsigned> taken_{0};
};

}  // namespace polder::gaspi
