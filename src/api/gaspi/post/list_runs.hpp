// A list of transfers as Polder takes it: runs of neighbours in the list that go to the same remote segment.
#pragma once

#include "api/gaspi/base/configuration.hpp"
#include "api/gaspi/base/symbols.hpp"
#include "api/gaspi/post/posting.hpp"

#include <polder/shape.hpp>
#include <polder/types.hpp>

#include <array>
#include <cstddef>
#include <span>

namespace polder::gaspi {

// The arguments of a list call, as they came.
struct TransferList {
  gaspi_number_t num = 0;
  const gaspi_segment_id_t* segment_local = nullptr;
  const gaspi_offset_t* offset_local = nullptr;
  gaspi_rank_t rank = 0;
  const gaspi_segment_id_t* segment_remote = nullptr;
  const gaspi_offset_t* offset_remote = nullptr;
  const gaspi_size_t* size = nullptr;
};

struct ListRun {
  std::byte* memory = nullptr;      // of its first entry
  GlobalAddress remote;             // likewise
  std::span<const ListItem> items;  // relative to both
  gaspi_size_t bytes = 0;
};

class ListRuns {
 public:
  // Checks the arguments: null pointers, number, sizes, local ranges, and, where there are several runs, the remote
  // segments, so that nothing has been transferred when a wrong one is found.
  gaspi_return_t prepare(const char* operation, const TransferList& list, const Posting& posting,
                         const Deadline& deadline);

  std::span<const ListRun> runs() const { return {runs_.data(), count_}; }

 private:
  gaspi_return_t add(const char* operation, const TransferList& list, gaspi_number_t entry, Posting posting);
  gaspi_return_t check_remote(const Posting& posting, const Deadline& deadline) const;

  std::array<ListItem, kMaxListElements> items_;
  std::array<ListRun, kMaxListElements> runs_;
  std::size_t count_ = 0;
};

}  // namespace polder::gaspi
