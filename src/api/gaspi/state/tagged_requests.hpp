// The requests of a queue that were submitted with a tag, until somebody has taken the tag back (GASPI_Lowlevel.h).
#pragma once

#include "api/gaspi/base/symbols.hpp"

#include <polder/handle.hpp>
#include <polder/status.hpp>

#include <cstddef>
#include <list>
#include <mutex>

namespace polder::gaspi {

struct TaggedRequest {
  gaspi_tag_t tag = 0;
  Handle handle;  // of its operations, and of nothing else
  Status lost;    // why none of them was posted, or not all: the rank was gone already
};

// Thread safe.
class TaggedRequests {
 public:
  void add(TaggedRequest request);

  // Takes up to `max` requests that are over. Does not wait. Returns their number.
  gaspi_number_t take(gaspi_number_t max, gaspi_tag_t* tags, gaspi_status_t* statuses);

  std::size_t count() const;

 private:
  mutable std::mutex mutex_;
  std::list<TaggedRequest> requests_;
};

}  // namespace polder::gaspi
