// The requests of a queue that were submitted with a tag, until somebody has taken the tag back (GASPI_Lowlevel.h).
#pragma once

#include "api/gaspi/base/symbols.hpp"

#include <polder/handle.hpp>

#include <cstddef>
#include <list>
#include <mutex>

namespace polder::gaspi {

// Thread safe.
class TaggedRequests {
 public:
  // A request that was posted with `handle`, which counts nothing else.
  void add(gaspi_tag_t tag, Handle handle);

  // Takes up to `max` requests that are over. Does not wait. Returns their number.
  gaspi_number_t take(gaspi_number_t max, gaspi_tag_t* tags, gaspi_status_t* statuses);

  std::size_t count() const;

 private:
  struct Request {
    gaspi_tag_t tag;
    Handle handle;
  };

  mutable std::mutex mutex_;
  std::list<Request> requests_;
};

}  // namespace polder::gaspi
